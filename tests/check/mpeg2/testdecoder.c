/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "testdecoder.h"

#include <math.h>
#include <string.h>

#include <mpeg2/slicereader.h>
#include "testblock.h"
#include "testmotion.h"

struct TestDecoder
{
  M2vVlc vlc;
  TestFrame *anchors[2];        /* the last two that are not B; older first */
  TestFrame *spare;             /* for the next frame */
  TestFrame *frame;             /* at hand: an anchor or spare */
  M2vPictureType type;          /* of its first picture */
  guint n_pictures;             /* of it that have been decoded */

  /* Of the picture at hand. */
  M2vPictureParams picture;
  const M2vMatrices *matrices;
  TestReferences references;
  guint8 *done;                 /* macroblocks */
};

TestFrame *
test_frame_new (guint columns, guint rows, gboolean is_422)
{
  TestFrame *frame = g_new0 (TestFrame, 1);

  frame->is_422 = is_422;
  for (guint i = 0; i < 3; i++) {
    TestPlane *plane = &frame->planes[i];
    gsize n;

    plane->width = columns * test_block_width (i);
    plane->height = rows * test_block_height (frame, i);
    n = (gsize) plane->width * plane->height;
    plane->samples = g_malloc0 (n);
    plane->exact = g_new0 (gdouble, n);
  }
  return frame;
}

void
test_frame_free (TestFrame * frame)
{
  if (frame == NULL)
    return;
  for (guint i = 0; i < 3; i++) {
    g_free (frame->planes[i].samples);
    g_free (frame->planes[i].exact);
  }
  g_free (frame);
}

TestDecoder *
test_decoder_new (void)
{
  TestDecoder *d = g_new0 (TestDecoder, 1);

  m2v_vlc_init (&d->vlc);
  return d;
}

void
test_decoder_free (TestDecoder * d)
{
  test_frame_free (d->anchors[0]);
  test_frame_free (d->anchors[1]);
  test_frame_free (d->spare);
  g_free (d->done);
  g_free (d);
}

TestFrame *
test_decoder_begin (TestDecoder * d, const M2vSequence * sequence,
    const M2vPicture * picture)
{
  guint rows;

  if (!m2v_picture_params_init (&d->picture, sequence, picture))
    return NULL;
  rows = d->picture.rows * (m2v_is_field (&d->picture) ? 2 : 1);
  test_frame_free (d->spare);
  d->spare = d->frame = test_frame_new (d->picture.columns, rows,
      sequence->chroma_format == 2);
  d->type = picture->header.type;
  d->n_pictures = 0;
  if (d->type != M2V_PICTURE_B) {
    d->spare = d->anchors[0];
    d->anchors[0] = d->anchors[1];
    d->anchors[1] = d->frame;
  }
  return d->frame;
}

/* Where a block's samples are: blocks 0 to 3 and, in 4:2:2, each pair of
 * chrominance (clauses 6.1.1.8, 6.1.3). */
static void
locate_block (const TestDecoder * d, const M2vMacroblock * mb, guint block,
    guint * column, guint * first, guint * step)
{
  guint lower = block < 4 ? block / 2 : (block - 4) / 2;

  *column = block < 4 ? block % 2 * 8 : 0;
  *step = 1;
  *first = lower * 8;
  if (mb->field_dct && (block < 4 || d->frame->is_422)) {
    *step = 2;
    *first = lower;
  }
}

/* Into the macroblock, its lines as those of the picture. */
static void
add_block (const TestDecoder * d, const M2vMacroblock * mb, guint block,
    gdouble samples[16 * 16])
{
  guint width = test_block_width (m2v_block_component (block));
  guint column, first, step;
  gdouble residual[64];
  gint coefficients[64];

  test_dequantise (&d->picture, d->matrices, mb, block, coefficients);
  test_transform (coefficients, residual);
  locate_block (d, mb, block, &column, &first, &step);
  for (guint y = 0; y < 8; y++) {
    for (guint x = 0; x < 8; x++)
      samples[(first + y * step) * width + column + x] += residual[8 * y + x];
  }
}

static void
store (const TestDecoder * d, guint address, guint component,
    const gdouble * samples)
{
  TestPlane *plane = &d->frame->planes[component];
  M2vStructure structure = d->picture.structure;
  guint width = test_block_width (component);
  guint height = test_block_height (d->frame, component);
  guint left = address % d->picture.columns * width;
  guint top = address / d->picture.columns * height;

  for (guint y = 0; y < height; y++) {
    gsize at = (gsize) (test_first_line (structure)
        + (top + y) * test_line_step (structure)) * plane->width + left;

    for (guint x = 0; x < width; x++) {
      gdouble exact = CLAMP (samples[y * width + x], 0, 255);

      plane->exact[at + x] = exact;
      plane->samples[at + x] = (guint8) floor (exact + 0.5);
    }
  }
}

static const gchar *
decode_macroblock (TestDecoder * d, const M2vMacroblock * mb)
{
  gboolean intra = (mb->type & M2V_INTRA) != 0;
  gdouble samples[3][16 * 16] = { {0} };
  TestPrediction prediction = { 0 };

  if (d->done[mb->address]++)
    return "a macroblock is there twice";
  if (!intra && !test_predict (&d->picture, &d->references, mb, &prediction))
    return "a reference is missing";
  for (guint i = 0; i < 3; i++) {
    for (guint k = 0; k < 16 * 16; k++)
      samples[i][k] = prediction.samples[i][k];
  }
  for (guint i = 0; i < d->picture.n_blocks; i++) {
    if (mb->pattern >> i & 1)
      add_block (d, mb, i, samples[m2v_block_component (i)]);
  }
  for (guint i = 0; i < 3; i++)
    store (d, mb->address, i, samples[i]);
  return NULL;
}

/* Clause 7.6.6. */
static const gchar *
decode_skipped (TestDecoder * d, const M2vMacroblock * next)
{
  M2vMacroblock mb;
  const gchar *error = NULL;

  memset (&mb, 0, sizeof mb);
  mb.type = next->skipped_type;
  mb.motion = m2v_implied_motion (&d->picture);
  for (guint s = 0; s < 2; s++) {
    mb.vectors[0][s].bottom = d->picture.structure == M2V_BOTTOM_FIELD;
    memcpy (mb.vectors[0][s].vector, next->skipped_vectors[s],
        sizeof mb.vectors[0][s].vector);
  }
  for (guint i = next->n_skipped; i > 0 && !error; i--) {
    mb.address = next->address - i;
    error = decode_macroblock (d, &mb);
  }
  return error;
}

static const gchar *
decode_slice (TestDecoder * d, const guint8 * data, gsize size)
{
  M2vSliceReader r;
  M2vMacroblock mb;
  const gchar *error = NULL;

  if (!m2v_slice_reader_begin (&r, &d->picture, &d->vlc, data, size))
    return "a slice's header cannot be read";
  while (!error && m2v_slice_reader_next (&r, &mb)) {
    if (mb.n_skipped > 0)
      error = decode_skipped (d, &mb);
    if (!error)
      error = decode_macroblock (d, &mb);
  }
  return r.error ? "a macroblock cannot be read" : error;
}

/* Of the picture at hand, which is the frame's `n_pictures`-th. */
static void
set_references (TestDecoder * d, const M2vPicture * picture)
{
  TestReferences *to = &d->references;

  memset (to, 0, sizeof *to);
  to->top_field_first = picture->coding.top_field_first;
  if (d->type == M2V_PICTURE_B) {
    to->frames[0] = d->anchors[0];
    to->frames[1] = d->anchors[1];
  } else {
    /* The second of them is the frame itself. */
    to->frames[0] = d->anchors[0];
    if (d->n_pictures == 1)
      to->current = d->frame;
  }
}

const gchar *
test_decoder_picture (TestDecoder * d, const M2vSequence * sequence,
    const M2vMatrices * matrices, const M2vPicture * picture,
    const guint8 * bytes)
{
  const guint8 *slices = bytes + picture->slices.offset;
  const gchar *error = NULL;
  gsize position = 0;
  M2vRange range;
  guint n;

  if (!m2v_picture_params_init (&d->picture, sequence, picture))
    return "its headers cannot be read";
  n = d->picture.columns * d->picture.rows;
  g_free (d->done);
  d->done = g_malloc0 (n);
  d->matrices = matrices;
  set_references (d, picture);
  while (!error && m2v_slices_next (slices, picture->slices.size,
          &position, &range)) {
    if (m2v_is_slice (slices + range.offset, range.size))
      error = decode_slice (d, slices + range.offset, range.size);
  }
  d->n_pictures++;
  if (!error && memchr (d->done, 0, n) != NULL)
    error = "macroblocks are missing";
  return error;
}
