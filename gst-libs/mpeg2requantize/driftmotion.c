/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/driftmotion.h>

/* A vector, and the part of the macroblock that it predicts. */
typedef struct
{
  const M2vErrorFrame *from;
  M2vStructure structure;       /* which lines of `from` */
  int vector[2];                /* half samples of luminance */
  bool interleaved;             /* each second line of the macroblock */
  int line;                     /* the first one */
  bool lower;                   /* only its lower half is predicted */
  unsigned height;              /* number of lines of luminance */
  bool average;                 /* is averaged with an earlier prediction */
} Prediction;

/* A plane's lines of one structure. */
typedef struct
{
  const int16_t *samples;
  ptrdiff_t stride;
  int width, height;
} Lines;

#define MAX_PATCH 17            /* samples: a macroblock, and a half sample */

/* Returns the lines of Y, or those of Cb and Cr but for their samples. */
static Lines
lines_of (const M2vDriftLoop * d, M2vStructure structure, unsigned width,
    unsigned height)
{
  bool is_field = structure != M2V_FRAME_PICTURE;
  Lines lines = {
    .stride = (ptrdiff_t) (width * d->columns) << is_field,
    .width = (int) (width * d->columns),
    .height = (int) (height * d->rows) >> is_field
  };

  return lines;
}

static inline int
clamp (int value, int max)
{
  return value < 0 ? 0 : value > max ? max : value;
}

/* Copies samples from (x, y) on. Samples beyond the edges are those at the
 * edges: MPEG-2 streams may not refer to them, but some do. */
static void
patch (const Lines * lines, int x, int y, int width, int height,
    int16_t out[MAX_PATCH * MAX_PATCH])
{
  for (int j = 0; j < height; j++) {
    const int16_t *line = lines->samples
        + clamp (y + j, lines->height - 1) * lines->stride;

    for (int i = 0; i < width; i++)
      out[j * MAX_PATCH + i] = line[clamp (x + i, lines->width - 1)];
  }
}

/* Chooses what is compensated: the lines from (x, y) on. */
static void
set_from (M2vCompensation * c, const Lines * lines, int x, int y,
    int16_t patched[MAX_PATCH * MAX_PATCH])
{
  int width = (int) c->width + c->half_x, height = (int) c->height + c->half_y;

  if (x >= 0 && y >= 0 && x + width <= lines->width
      && y + height <= lines->height) {
    c->from = lines->samples + y * lines->stride + x;
    c->from_stride = lines->stride;
  } else {
    patch (lines, x, y, width, height, patched);
    c->from = patched;
    c->from_stride = MAX_PATCH;
  }
}

/* Predicts the planes `first` to `last`, which are of one size. */
static void
predict_planes (M2vDriftLoop * d, const Prediction * p, unsigned first,
    unsigned last)
{
  static const int16_t zeros[MAX_PATCH];
  int16_t patched[MAX_PATCH * MAX_PATCH];
  bool chroma = first > 0, half_height = chroma && d->n_blocks == 6;
  int width = chroma ? 8 : 16, height = (int) p->height >> half_height;
  int rows = 16 >> half_height;
  /* Chrominance vectors are halved towards zero (clause 7.6.3.7). */
  int dx = chroma ? p->vector[0] / 2 : p->vector[0];
  int dy = half_height ? p->vector[1] / 2 : p->vector[1];
  int x = (int) d->column * width + (dx >> 1);
  int y = ((int) d->row * rows >> p->interleaved)
      + (p->lower ? height : 0) + (dy >> 1);
  ptrdiff_t line = p->lower ? height : p->line;
  Lines lines = lines_of (d, p->structure, (unsigned) width, (unsigned) rows);
  M2vCompensation c = {
    .from = zeros,
    .to_stride = d->macroblock[first].stride << p->interleaved,
    .width = (unsigned) width,
    .height = (unsigned) height,
    .half_x = dx & 1,
    .half_y = dy & 1,
    .average = p->average,
    .up = d->up
  };

  for (unsigned i = first; i <= last; i++) {
    lines.samples = p->from->planes[i];
    if (p->structure == M2V_BOTTOM_FIELD)
      lines.samples += lines.width;
    c.to = d->macroblock[i].samples + line * d->macroblock[i].stride;
    if (!p->from->zero)
      set_from (&c, &lines, x, y, patched);
    d->kernels->compensate (&c);
  }
}

static void
predict (M2vDriftLoop * d, const Prediction * p)
{
  predict_planes (d, p, 0, 0);
  predict_planes (d, p, 1, 2);
}

/* Returns the reference of a prediction. Fields of P frames are predicted from
 * the two fields decoded last (clause 7.6.2.1). */
static const M2vErrorFrame *
choose_reference (const M2vDriftLoop * d, unsigned s, M2vStructure structure)
{
  if (d->second_field && structure != d->picture->structure)
    return &d->frames[d->newest];
  /* A frame that is being stored is the newest one; the other is before it. */
  return &d->frames[s == 0 ? !d->newest : d->newest];
}

static M2vStructure
field (bool bottom)
{
  return bottom ? M2V_BOTTOM_FIELD : M2V_TOP_FIELD;
}

static Prediction
prediction_from (const M2vDriftLoop * d, unsigned s, M2vStructure structure,
    const int16_t vector[2])
{
  int unit = d->picture->full_pel[s] ? 2 : 1;
  Prediction p = {
    .from = choose_reference (d, s, structure),
    .structure = structure,
    .vector = {vector[0] * unit, vector[1] * unit},
    .height = 16
  };

  return p;
}

/* Restricts the prediction to one field's lines of a frame's macroblock. */
static void
interleave (Prediction * p, bool bottom)
{
  p->interleaved = true;
  p->line = bottom;
  p->height = 8;
}

static void
predict_direction (M2vDriftLoop * d, const M2vMacroblock * mb, unsigned s,
    bool average)
{
  bool is_field = m2v_is_field (d->picture);
  unsigned n = m2v_vector_count (d->picture, mb->motion);

  for (unsigned r = 0; r < n; r++) {
    const M2vVector *v = &mb->vectors[r][s];
    Prediction p = prediction_from (d, s, !is_field && n == 1
        ? M2V_FRAME_PICTURE : field (v->bottom), v->vector);

    p.average = average;
    if (n == 2 && !is_field) {
      interleave (&p, r);
    } else if (n == 2) {
      p.height = 8;
      p.lower = r;
    }
    predict (d, &p);
  }
}

/* Returns value * distance / 2; halves are rounded away from zero. */
static int
scale (int value, int distance)
{
  int product = value * distance;

  return (product + (product > 0)) >> 1;
}

/* Predicts a field, or one field's lines in a frame, from both fields before it
 * (clause 7.6.3.6). */
static void
predict_dual_prime (M2vDriftLoop * d, const M2vMacroblock * mb,
    bool bottom)
{
  const M2vVector *v = &mb->vectors[0][0];
  bool is_field = m2v_is_field (d->picture);
  /* The distance in field periods to the field of the other parity; that of the
   * same parity is 2 away. In a frame it is 1 for the field displayed first,
   * and 3 for the other one. */
  int distance = !is_field && bottom == d->top_field_first ? 3 : 1;
  /* The bottom field's lines are half a line lower. */
  int16_t other[2] = {
    (int16_t) (scale (v->vector[0], distance) + v->dmvector[0]),
    (int16_t) (scale (v->vector[1], distance) + v->dmvector[1]
        + (bottom ? 1 : -1))
  };
  Prediction same = prediction_from (d, 0, field (bottom), v->vector);
  Prediction opposite = prediction_from (d, 0, field (!bottom), other);

  opposite.average = true;
  if (!is_field) {
    interleave (&same, bottom);
    interleave (&opposite, bottom);
  }
  predict (d, &same);
  predict (d, &opposite);
}

void
m2v_drift_compensate (M2vDriftLoop * d, const M2vMacroblock * mb)
{
  const M2vPictureParams *p = d->picture;
  bool forward = (mb->type & M2V_FORWARD) || p->type == M2V_PICTURE_P;

  if (mb->motion == M2V_MOTION_DUAL_PRIME) {
    if (p->structure != M2V_BOTTOM_FIELD)
      predict_dual_prime (d, mb, false);
    if (p->structure != M2V_TOP_FIELD)
      predict_dual_prime (d, mb, true);
    return;
  }
  if (forward)
    predict_direction (d, mb, 0, false);
  if (mb->type & M2V_BACKWARD)
    predict_direction (d, mb, 1, forward);
}
