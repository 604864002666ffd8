/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/vectorchoice.h>

#include <mpeg2/motionbits.h>

/* One squared step of a sample in the units of costs (ratedistortion.h). */
#define SQUARED_STEP 1024

/* Bits of motion_type (tables 6-17, 6-18). */
#define MOTION_TYPE_BITS 2

/* Which vectors each direction has. */
typedef struct
{
  M2vVectors vectors[2];        /* [forward, backward] */
  int64_t cost;
} Way;

void
m2v_vector_chooser_init (M2vVectorChooser * c, M2vSourceFrames * frames,
    const M2vVlc * vlc)
{
  c->frames = frames;
  c->picture = frames->loop.picture;
  c->vlc = vlc;
}

static inline unsigned
direction_flag (unsigned s)
{
  return s == 0 ? M2V_FORWARD : M2V_BACKWARD;
}

/* Returns the number of samples of a plane. */
static inline unsigned
plane_size (const M2vVectorChooser * c, unsigned plane)
{
  return plane == 0 ? 256 : (c->picture->n_blocks - 4) * 32;
}

/* True if a frame's or field's macroblock with that vector lies within it, and
 * the vector can be coded. */
static bool
is_valid (const M2vVectorChooser * c, const M2vMacroblock * mb,
    const int16_t vector[2], unsigned s)
{
  const M2vPictureParams *p = c->picture;
  int unit = p->full_pel[s] ? 2 : 1;
  int x = (int) (mb->address % p->columns * 32) + vector[0] * unit;
  int y = (int) (mb->address / p->columns * 32) + vector[1] * unit;

  for (unsigned t = 0; t < 2; t++) {
    if (p->f_code[s][t] == 0
        || vector[t] != m2v_vector_wrap (p->f_code[s][t], vector[t]))
      return false;
  }
  return x >= 0 && y >= 0 && x <= (int) (p->columns - 1) * 32
      && y <= (int) (p->rows - 1) * 32;
}

/* Sets the vector of a frame that lies between those of its fields, or of a
 * field that lies between those of its halves. Returns false if there is none:
 * the halves may be in different fields. A vector of a frame's field counts its
 * lines; one to the other parity is a line of the frame longer or shorter. */
static bool
set_mean (const M2vVectorChooser * c, unsigned motion, const M2vVector two[2],
    int16_t vector[2])
{
  bool is_field = m2v_is_field (c->picture);
  int sum = two[0].vector[1] + two[1].vector[1];

  if (m2v_vector_count (c->picture, motion) < 2
      || (is_field && two[0].bottom != two[1].bottom))
    return false;
  vector[0] = (int16_t) ((two[0].vector[0] + two[1].vector[0]) >> 1);
  vector[1] = (int16_t) (is_field ? sum >> 1
      : sum + two[0].bottom - !two[1].bottom);
  return true;
}

/* Describes a direction with one vector to the frame, or to that field. */
static void
set_option (const M2vVectorChooser * c, const M2vPrediction * at,
    const M2vMacroblock * mb, unsigned s, bool bottom, M2vOption * o)
{
  o->motion = (uint8_t) m2v_implied_motion (c->picture);
  o->vectors[0].bottom = bottom;
  /* There is no difference in the source that the writer might keep. */
  memset (o->vectors[0].delta, 0, sizeof o->vectors[0].delta);
  o->valid = is_valid (c, mb, o->vectors[0].vector, s);
  if (o->valid)
    o->bits = m2v_motion_bits (c->picture, c->vlc, at, o->motion, s,
        &o->vectors[0]);
}

/* Sets the source's vectors, and their mean. */
static void
set_own (M2vVectorChooser * c, const M2vPrediction * at,
    const M2vMacroblock * mb, unsigned s)
{
  M2vOption *own = &c->options[s][M2V_VECTORS_OWN];
  M2vOption *mean = &c->options[s][M2V_VECTORS_MEAN];

  own->valid = true;
  own->motion = mb->motion;
  own->vectors[0] = mb->vectors[0][s];
  own->vectors[1] = mb->vectors[1][s];
  own->bits = m2v_motion_bits (c->picture, c->vlc, at, own->motion, s,
      own->vectors);
  if (set_mean (c, mb->motion, own->vectors, mean->vectors[0].vector))
    set_option (c, at, mb, s, m2v_is_field (c->picture)
        && own->vectors[0].bottom, mean);
}

/* Sets what a direction may have. */
static void
set_options (M2vVectorChooser * c, const M2vPrediction * at,
    const M2vMacroblock * mb, unsigned s)
{
  M2vOption *predicted = &c->options[s][M2V_VECTORS_PREDICTED];
  M2vOption *zero = &c->options[s][M2V_VECTORS_ZERO];
  bool is_p = c->picture->type == M2V_PICTURE_P;
  bool same = c->picture->structure == M2V_BOTTOM_FIELD, bottom = same;

  for (unsigned k = 0; k < M2V_N_VECTORS; k++)
    c->options[s][k].valid = c->options[s][k].done = false;
  if (is_p && s > 0)
    return;
  /* A second field of P is mostly nearest to the first one. */
  if (is_p && m2v_is_field (c->picture) && mb->motion != M2V_MOTION_DUAL_PRIME)
    bottom = mb->vectors[0][s].bottom;
  memcpy (predicted->vectors[0].vector, at->pmv[0][s], sizeof at->pmv[0][s]);
  set_option (c, at, mb, s, bottom, predicted);
  if (is_p) {
    memset (zero->vectors[0].vector, 0, sizeof zero->vectors[0].vector);
    set_option (c, at, mb, s, same, zero);
  }
  if (mb->type & direction_flag (s))
    set_own (c, at, mb, s);
}

/* Makes the macroblock predicted in that way. */
static void
set_way (const M2vVectorChooser * c, const Way * way, M2vMacroblock * mb)
{
  mb->type &= (uint8_t) ~ (M2V_FORWARD | M2V_BACKWARD);
  for (unsigned s = 0; s < 2; s++) {
    const M2vOption *o = &c->options[s][way->vectors[s]];

    if (way->vectors[s] == M2V_VECTORS_NONE)
      continue;
    if (way->vectors[s] != M2V_VECTORS_ZERO)
      mb->type |= (uint8_t) direction_flag (s);
    mb->motion = o->motion;
    mb->vectors[0][s] = o->vectors[0];
    mb->vectors[1][s] = o->vectors[1];
  }
  mb->n_motion_bits = 0;
}

/* Returns the samples that a direction predicts. */
static const M2vSamples *
predict_direction (M2vVectorChooser * c, const M2vMacroblock * mb, unsigned s,
    M2vVectors vectors)
{
  M2vOption *o = &c->options[s][vectors];
  M2vMacroblock as;

  if (o->done)
    return &o->samples;
  as.address = mb->address;
  as.type = (uint8_t) direction_flag (s);
  as.motion = o->motion;
  as.vectors[0][s] = o->vectors[0];
  as.vectors[1][s] = o->vectors[1];
  m2v_drift_predict (&c->frames->loop, &as, &o->samples);
  o->done = true;
  return &o->samples;
}

/* Returns a plane's samples predicted in that way. */
static const int16_t *
predict (M2vVectorChooser * c, const M2vMacroblock * mb, const Way * way,
    unsigned plane)
{
  const int16_t *a, *b;

  if (way->vectors[0] == M2V_VECTORS_NONE)
    return predict_direction (c, mb, 1, way->vectors[1])->planes[plane];
  a = predict_direction (c, mb, 0, way->vectors[0])->planes[plane];
  if (way->vectors[1] == M2V_VECTORS_NONE)
    return a;
  b = predict_direction (c, mb, 1, way->vectors[1])->planes[plane];
  c->frames->loop.kernels->average (a, b, c->average, plane_size (c, plane));
  return c->average;
}

/* Returns the cost of what is missing in a plane if no coefficient corrects
 * it. */
static int64_t
distortion (const M2vVectorChooser * c, const int16_t * prediction,
    unsigned plane)
{
  return (int64_t) c->frames->loop.kernels->distance (c->source.planes[plane],
      prediction, plane_size (c, plane)) * SQUARED_STEP;
}

/* True if a skipped macroblock would be predicted in that way (clause 7.6.6),
 * and the writer would skip it. */
static bool
is_skipped (const M2vVectorChooser * c, const Way * way,
    const M2vSliceWriter * writer, const M2vMacroblock * mb)
{
  if (writer->first || mb->last)
    return false;
  if (c->picture->type == M2V_PICTURE_P)
    return way->vectors[0] == M2V_VECTORS_ZERO;
  for (unsigned s = 0; s < 2; s++) {
    const M2vOption *o = &c->options[s][way->vectors[s]];
    bool used = way->vectors[s] != M2V_VECTORS_NONE;

    if (used != ((writer->direction & direction_flag (s)) != 0))
      return false;
    if (used && c->picture->full_pel[s]
        && (o->vectors[0].vector[0] != 0 || o->vectors[0].vector[1] != 0))
      return false;
    if (used && (o->motion != m2v_implied_motion (c->picture)
            || o->vectors[0].bottom
            != (c->picture->structure == M2V_BOTTOM_FIELD)
            || memcmp (o->vectors[0].vector, writer->prediction.pmv[0][s],
                sizeof o->vectors[0].vector) != 0))
      return false;
  }
  return true;
}

/* Returns the bits of type and vectors; 0 if it can be skipped. */
static unsigned
count_bits (const M2vVectorChooser * c, const Way * way,
    const M2vSliceWriter * writer, const M2vMacroblock * mb)
{
  const M2vPictureParams *p = c->picture;
  unsigned type = mb->type & M2V_PATTERN, bits = 0;

  if (is_skipped (c, way, writer, mb))
    return 0;
  for (unsigned s = 0; s < 2; s++) {
    if (way->vectors[s] == M2V_VECTORS_NONE)
      continue;
    if (way->vectors[s] == M2V_VECTORS_ZERO)
      return c->vlc->type_codes[M2V_PICTURE_P - M2V_PICTURE_I]
          [M2V_PATTERN].length;
    type |= direction_flag (s);
    bits += c->options[s][way->vectors[s]].bits;
  }
  if (m2v_is_field (p) || !p->frame_pred_frame_dct)
    bits += MOTION_TYPE_BITS;
  return bits + c->vlc->type_codes[p->type - M2V_PICTURE_I][type].length;
}

/* True if the directions have vectors of one kind, and are the source's; or if
 * it is as a skipped one is. */
static bool
is_possible (const M2vVectorChooser * c, const Way * way,
    const M2vSliceWriter * writer, const M2vMacroblock * mb)
{
  unsigned motion = 0;

  for (unsigned s = 0; s < 2; s++) {
    const M2vOption *o = &c->options[s][way->vectors[s]];

    if (way->vectors[s] == M2V_VECTORS_NONE)
      continue;
    if (!o->valid || (motion != 0 && motion != o->motion))
      return false;
    motion = o->motion;
    if (!(mb->type & direction_flag (s)) && !is_skipped (c, way, writer, mb))
      return false;
  }
  return motion != 0;
}

/* Tries all other ways, as far as each may cost less than the best. */
static void
try_ways (M2vVectorChooser * c, const M2vSliceWriter * writer, int64_t lambda,
    const M2vMacroblock * mb, Way * best)
{
  for (unsigned k = M2V_N_VECTORS * M2V_N_VECTORS - 1; k > 0; k--) {
    Way way = {
      {k % M2V_N_VECTORS, k / M2V_N_VECTORS}, 0
    };

    if (!is_possible (c, &way, writer, mb))
      continue;
    way.cost = lambda * count_bits (c, &way, writer, mb);
    for (unsigned i = 0; i < 3 && way.cost < best->cost; i++)
      way.cost += distortion (c, predict (c, mb, &way, i), i);
    if (way.cost < best->cost)
      *best = way;
  }
}

/* Keeps the source's prediction, and decodes the macroblock. Returns what it
 * costs as it is. */
static int64_t
decode (M2vVectorChooser * c, const M2vLevels * levels,
    const M2vMacroblock * mb, const Way * own)
{
  int64_t cost = 0;

  for (unsigned i = 0; i < 3; i++)
    memcpy (c->difference.planes[i], predict (c, mb, own, i),
        plane_size (c, i) * sizeof (int16_t));
  c->source = c->difference;
  m2v_source_frames_add (c->frames, levels, mb, &c->source);
  for (unsigned i = 0; i < 3; i++)
    cost += distortion (c, c->difference.planes[i], i);
  return cost;
}

/* A fixed number, so that compilers need no loop. */
static inline void
subtract_eight (const int16_t * from, int16_t * to)
{
  for (unsigned k = 0; k < 8; k++)
    to[k] = (int16_t) ((to[k] - from[k]) * 32);
}

/* Turns the source's prediction into what the other one lacks. */
static void
subtract (M2vVectorChooser * c, const M2vMacroblock * mb, const Way * way)
{
  for (unsigned i = 0; i < 3; i++) {
    int16_t *samples = c->difference.planes[i];
    const int16_t *prediction = predict (c, mb, way, i);

    for (unsigned k = 0; k < plane_size (c, i); k += 8)
      subtract_eight (prediction + k, samples + k);
  }
}

/* Returns the predictors that the writer will have for the macroblock: it skips
 * those before it only then. */
static M2vPrediction
predictors (const M2vVectorChooser * c, const M2vSliceWriter * writer,
    const M2vMacroblock * mb)
{
  M2vPrediction at = writer->prediction;

  if (!writer->first && mb->address != writer->address + 1)
    m2v_prediction_skip (c->picture, &at);
  return at;
}

bool
m2v_choose_vectors (M2vVectorChooser * c, const M2vLevels * levels,
    const M2vSliceWriter * writer, int64_t lambda, M2vMacroblock * mb)
{
  const M2vPrediction at = predictors (c, writer, mb);
  Way own = { {mb->type & M2V_FORWARD ? M2V_VECTORS_OWN : M2V_VECTORS_NONE,
          mb->type & M2V_BACKWARD ? M2V_VECTORS_OWN : M2V_VECTORS_NONE}, 0
  }, best;

  for (unsigned s = 0; s < 2; s++)
    set_options (c, &at, mb, s);
  own.cost = lambda * count_bits (c, &own, writer, mb)
      + decode (c, levels, mb, &own);
  best = own;
  try_ways (c, writer, lambda, mb, &best);
  if (memcmp (best.vectors, own.vectors, sizeof own.vectors) == 0)
    return false;
  subtract (c, mb, &best);
  set_way (c, &best, mb);
  return true;
}
