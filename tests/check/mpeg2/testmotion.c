/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "testmotion.h"

/* Lines of a macroblock that one vector predicts. */
typedef struct
{
  const TestFrame *from;
  M2vStructure structure;       /* which field of it, or the frame */
  gint vector[2];               /* half samples of luminance */
  guint half;                   /* 16x8: 1 for the lower half */
  guint first, step;            /* of the macroblock's lines: all, or 0 or 1
                                 * and each second one from it */
  guint height;                 /* lines of luminance */
  gboolean average;             /* with what is there */
} Part;

/* All of a macroblock: two directions by two, or dual prime's four. */
typedef struct
{
  Part parts[4];
  guint n;
} Parts;

static M2vStructure
field (gboolean bottom)
{
  return bottom ? M2V_BOTTOM_FIELD : M2V_TOP_FIELD;
}

/* Clause 7.6.2.1: fields of P frames are predicted from the two fields decoded
 * last. */
static const TestFrame *
choose_reference (const M2vPictureParams * picture,
    const TestReferences * references, guint s, M2vStructure structure)
{
  if (m2v_is_field (picture) && references->current
      && structure != picture->structure)
    return references->current;
  return references->frames[s];
}

static Part *
add_part (const M2vPictureParams * picture, const TestReferences * references,
    guint s, M2vStructure structure, const gint16 vector[2], Parts * parts)
{
  Part *part = &parts->parts[parts->n++];
  gint scale = picture->full_pel[s] ? 2 : 1;

  part->from = choose_reference (picture, references, s, structure);
  part->structure = structure;
  part->vector[0] = vector[0] * scale;
  part->vector[1] = vector[1] * scale;
  part->half = part->first = 0;
  part->step = 1;
  part->height = 16;
  part->average = FALSE;
  return part;
}

/* Half of the value, to the nearest, and from 0 if two are. */
static gint
halve (gint value)
{
  return (value + (value > 0 ? 1 : value < 0 ? -1 : 0)) / 2;
}

/* The vector from the field of the other parity (clause 7.6.3.6). `distance`:
 * field periods to that field; to the one of the same parity there are 2. */
static void
derive_vector (const M2vVector * v, gint distance, gboolean to_bottom,
    gint16 out[2])
{
  out[0] = halve (v->vector[0] * distance) + v->dmvector[0];
  /* The bottom field's lines are half a line lower. */
  out[1] = halve (v->vector[1] * distance) + (to_bottom ? 1 : -1)
      + v->dmvector[1];
}

/* A field, or that field's lines in a frame (step 2). */
static void
add_dual_prime (const M2vPictureParams * picture,
    const TestReferences * references, const M2vMacroblock * mb,
    gboolean bottom, Parts * parts)
{
  const M2vVector *v = &mb->vectors[0][0];
  gboolean frame = !m2v_is_field (picture);
  gint distance = 1;
  gint16 derived[2];
  Part *part[2];

  /* From the first field of this frame to the second one of the last frame is
   * 1, from the second to the first 3. */
  if (frame && bottom == references->top_field_first)
    distance = 3;
  derive_vector (v, distance, bottom, derived);
  part[0] = add_part (picture, references, 0, field (bottom), v->vector, parts);
  part[1] = add_part (picture, references, 0, field (!bottom), derived, parts);
  part[1]->average = TRUE;
  for (guint i = 0; frame && i < 2; i++) {
    part[i]->first = bottom;
    part[i]->step = 2;
    part[i]->height = 8;
  }
}

static void
add_direction (const M2vPictureParams * picture,
    const TestReferences * references, const M2vMacroblock * mb, guint s,
    Parts * parts)
{
  guint n = m2v_is_field (picture)
      ? (mb->motion == M2V_MOTION_16X8 ? 2 : 1)
      : (mb->motion == M2V_MOTION_FIELD ? 2 : 1);
  gboolean average = parts->n > 0;

  for (guint r = 0; r < n; r++) {
    const M2vVector *v = &mb->vectors[r][s];
    gboolean frame = !m2v_is_field (picture) && n == 1;
    Part *part = add_part (picture, references, s,
        frame ? M2V_FRAME_PICTURE : field (v->bottom), v->vector, parts);

    part->average = average;
    if (n == 1)
      continue;
    part->height = 8;
    if (m2v_is_field (picture)) {
      part->half = r;
    } else {
      part->first = r;
      part->step = 2;
    }
  }
}

/* Clause 7.6.4: to the nearest, halves up. What is beyond the edge is like it
 * (no stream may refer to it in MPEG-2). */
static guint
interpolate (const TestPlane * plane, M2vStructure structure, gint x, gint y,
    gboolean half_x, gboolean half_y)
{
  guint step = test_line_step (structure);
  gint right = (gint) plane->width - 1, bottom = (gint) (plane->height / step);
  gint x0 = CLAMP (x, 0, right), x1 = CLAMP (x + half_x, 0, right);
  gint y0 = CLAMP (y, 0, bottom - 1), y1 = CLAMP (y + half_y, 0, bottom - 1);
  const guint8 *first =
      plane->samples + test_first_line (structure) * plane->width;
  const guint8 *upper = first + (gsize) y0 * step * plane->width;
  const guint8 *lower = first + (gsize) y1 * step * plane->width;

  return (upper[x0] + upper[x1] + lower[x0] + lower[x1] + 2u) / 4;
}

/* Clause 7.6.3.7: chrominance vectors are halved towards zero. */
static void
predict_part (const Part * part, guint column, guint row, guint component,
    TestPrediction * out)
{
  guint width = test_block_width (component);
  guint block_height = test_block_height (part->from, component);
  guint height = part->height * block_height / 16;
  gint vector[2] = { part->vector[0], part->vector[1] };
  gint x, y;

  if (width < 16)
    vector[0] /= 2;
  if (block_height < 16)
    vector[1] /= 2;
  x = (gint) (column * width) + (vector[0] >> 1);
  y = (gint) (row * block_height / part->step + part->half * height)
      + (vector[1] >> 1);
  for (guint j = 0; j < height; j++) {
    guint8 *line = out->samples[component]
        + (part->half * height + part->first + j * part->step) * width;

    for (guint i = 0; i < width; i++) {
      guint value = interpolate (&part->from->planes[component],
          part->structure, x + (gint) i, y + (gint) j, vector[0] & 1,
          vector[1] & 1);

      line[i] = part->average ? (line[i] + value + 1) / 2 : value;
    }
  }
}

gboolean
test_predict (const M2vPictureParams * picture,
    const TestReferences * references, const M2vMacroblock * mb,
    TestPrediction * out)
{
  Parts parts = { 0 };

  if (mb->motion == M2V_MOTION_DUAL_PRIME) {
    if (picture->structure != M2V_BOTTOM_FIELD)
      add_dual_prime (picture, references, mb, FALSE, &parts);
    if (picture->structure != M2V_TOP_FIELD)
      add_dual_prime (picture, references, mb, TRUE, &parts);
  } else {
    /* In P all that is not intra is predicted. */
    if ((mb->type & M2V_FORWARD) || picture->type == M2V_PICTURE_P)
      add_direction (picture, references, mb, 0, &parts);
    if (mb->type & M2V_BACKWARD)
      add_direction (picture, references, mb, 1, &parts);
  }
  for (guint i = 0; i < parts.n; i++) {
    if (parts.parts[i].from == NULL)
      return FALSE;
    for (guint component = 0; component < 3; component++)
      predict_part (&parts.parts[i], mb->address % picture->columns,
          mb->address / picture->columns, component, out);
  }
  return parts.n > 0;
}
