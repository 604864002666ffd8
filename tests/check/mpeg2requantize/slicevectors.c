/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Which macroblocks of a slice may be predicted otherwise, and what is written
 * then: vectorchoice.c tries whether it is the best.
 */
#include "slicerewriting.h"

#include <mpeg2requantize/slicevectors.h>

/* Half samples; its codes have more bits than the least. */
#define FAR 13

typedef struct
{
  Fixture f;
  M2vSourceFrames frames;
  M2vVectorChooser chooser;
} Vectors;

/* A frame all of whose samples are alike: any vector predicts the same. */
static void
decode_flat (Vectors * v)
{
  M2vMacroblock mb;

  v->f.picture.type = M2V_PICTURE_I;
  fail_unless (m2v_source_frames_begin (&v->frames, &v->f.picture, true));
  for (guint i = 0; i < COLUMNS; i++) {
    init_macroblock (&mb, i, 4, TRUE);
    m2v_source_frames_macroblock (&v->frames, &v->f.r.levels, &mb);
  }
  m2v_source_frames_end (&v->frames);
}

static void
set_up_vectors (Vectors * v, M2vPictureType type)
{
  set_up (&v->f);
  m2v_source_frames_init (&v->frames, m2v_kernels_best ());
  for (guint i = 0; i < 2; i++) {
    start_picture (&v->f);
    decode_flat (v);
  }
  v->f.picture.type = type;
  for (guint i = 0; i < 4; i++)
    v->f.picture.f_code[i / 2][i % 2] = 1;
}

/* Forward, each vector other than the one before; or one of them skipped. */
static void
write_vectors (Vectors * v, gint skipped, gboolean intra)
{
  M2vMacroblock mbs[COLUMNS];
  guint n = 0;

  for (guint i = 0; i < COLUMNS; i++) {
    if ((gint) i == skipped)
      continue;
    init_macroblock (&mbs[n], i, 4, intra);
    mbs[n].vectors[0][0].vector[0] = i % 2 ? FAR : 0;
    n++;
  }
  write_slice (&v->f, mbs, n, 4);
}

static void
begin_vectors (Vectors * v)
{
  start_picture (&v->f);
  fail_unless (m2v_source_frames_begin (&v->frames, &v->f.picture, true));
  m2v_vector_chooser_init (&v->chooser, &v->frames, &v->f.vlc);
  m2v_slice_rewriter_set_frames (&v->f.r, &v->frames);
  m2v_slice_rewriter_set_vectors (&v->f.r, &v->chooser, 1);
  m2v_slice_rewriter_begin (&v->f.r, &v->f.slice);
}

static void
read_macroblocks (M2vSliceRewriter * r, guint n)
{
  for (guint i = 0; i < n; i++)
    fail_unless (m2v_slice_reader_next (&r->reader, &r->macroblock));
}

/* For each macroblock of the slice, a bit. */
static guint
which_may_change (Vectors * v)
{
  M2vSliceRewriter *r = &v->f.r;
  guint set = 0;

  begin_vectors (v);
  while (m2v_slice_reader_next (&r->reader, &r->macroblock)) {
    if (m2v_slice_vectors_may_change (r))
      set |= 1 << r->macroblock.address;
  }
  fail_if (r->reader.error);
  return set;
}

/* The first has a vector of 0, which costs no more than any. */
GST_START_TEST (test_may_change)
{
  Vectors v;

  set_up_vectors (&v, M2V_PICTURE_B);
  write_vectors (&v, -1, FALSE);
  fail_unless_equals_int (which_may_change (&v), 0xe);
  /* What is skipped depends on the macroblock before, and the one behind has
   * the same vector as that. */
  write_vectors (&v, 2, FALSE);
  fail_unless_equals_int (which_may_change (&v), 0);
  write_vectors (&v, -1, TRUE);
  fail_unless_equals_int (which_may_change (&v), 0);
  write_vectors (&v, -1, FALSE);
  begin_vectors (&v);
  m2v_slice_rewriter_set_vectors (&v.f.r, NULL, 1);
  while (m2v_slice_reader_next (&v.f.r.reader, &v.f.r.macroblock))
    fail_if (m2v_slice_vectors_may_change (&v.f.r));
  m2v_source_frames_free (&v.frames);
}

GST_END_TEST;

/* In P, what is skipped stands still, whatever is before it, and one without a
 * vector has none to save. */
GST_START_TEST (test_may_change_p)
{
  M2vMacroblock mbs[COLUMNS];
  Vectors v;

  set_up_vectors (&v, M2V_PICTURE_P);
  write_vectors (&v, 2, FALSE);
  fail_unless_equals_int (which_may_change (&v), 0xa);
  for (guint i = 0; i < COLUMNS; i++) {
    init_macroblock (&mbs[i], i, 4, FALSE);
    mbs[i].type = 0;
    add_level (&mbs[i], 0, 0, 3);
  }
  write_slice (&v.f, mbs, COLUMNS, 4);
  fail_unless_equals_int (which_may_change (&v), 0);
  m2v_source_frames_free (&v.frames);
}

GST_END_TEST;

/* Before the slice is begun, the writer is placed, so that predictors are the
 * source's. Where all vectors predict the same, the cheapest is chosen; but not
 * where nothing has to be saved. */
GST_START_TEST (test_choose)
{
  M2vSliceRewriter *r;
  Vectors v;

  set_up_vectors (&v, M2V_PICTURE_B);
  write_vectors (&v, -1, FALSE);
  begin_vectors (&v);
  r = &v.f.r;
  read_macroblocks (r, 2);
  r->direction = M2V_FORWARD;
  r->wanted = 4;
  fail_if (m2v_slice_vectors_choose (r));
  fail_unless_equals_int (r->macroblock.vectors[0][0].vector[0], FAR);
  m2v_slice_rewriter_set_vectors (r, &v.chooser, 2);
  r->wanted = 8;
  fail_if (m2v_slice_vectors_choose (r));
  r->wanted = 9;
  memset (r->energies, 0xff, sizeof r->energies);
  fail_unless (m2v_slice_vectors_choose (r));
  fail_unless (r->moved && r->inherits);
  for (guint i = 0; i < 6; i++)
    fail_unless_equals_int (r->energies[i], 0);
  fail_unless_equals_int (r->macroblock.vectors[0][0].vector[0], 0);
  fail_unless_equals_int (r->macroblock.type, M2V_FORWARD);
  m2v_source_frames_free (&v.frames);
}

GST_END_TEST;

/* In P, none is cheaper than any. */
GST_START_TEST (test_choose_p)
{
  M2vSliceRewriter *r;
  Vectors v;

  set_up_vectors (&v, M2V_PICTURE_P);
  write_vectors (&v, -1, FALSE);
  begin_vectors (&v);
  r = &v.f.r;
  read_macroblocks (r, 2);
  m2v_source_frames_macroblock (&v.frames, &r->levels, &r->macroblock);
  r->direction = M2V_FORWARD;
  r->wanted = 8;
  fail_unless (m2v_slice_vectors_choose (r));
  fail_unless_equals_int (r->macroblock.vectors[0][0].vector[0], 0);
  fail_unless_equals_int (r->macroblock.type, 0);
  m2v_source_frames_free (&v.frames);
}

GST_END_TEST;

/* In P, what is skipped resets the predictors, though the writer does so only with
 * the next macroblock. */
GST_START_TEST (test_behind_skipped)
{
  M2vSliceRewriter *r;
  Vectors v;

  set_up_vectors (&v, M2V_PICTURE_P);
  write_vectors (&v, -1, FALSE);
  begin_vectors (&v);
  r = &v.f.r;
  read_macroblocks (r, 4);
  r->started = true;
  r->wanted = 8;
  r->writer.first = false;
  r->writer.address = 1;
  r->writer.prediction.pmv[0][0][0] = FAR;
  /* Two bits say FAR here, were it not for what is skipped. */
  r->vectors->options[0][M2V_VECTORS_OWN].bits = 0;
  fail_unless (m2v_slice_vectors_choose (r));
  fail_unless (r->vectors->options[0][M2V_VECTORS_OWN].bits > 2);
  fail_unless_equals_int (r->vectors->options[0][M2V_VECTORS_PREDICTED].
      vectors[0].vector[0], 0);
  m2v_source_frames_free (&v.frames);
}

GST_END_TEST;

/* The first and the last of a slice cannot be skipped; those between are. */
GST_START_TEST (test_written)
{
  M2vSliceRewriter *r;
  M2vRequest request;
  guint n = 0;
  bool copied;
  Vectors v;

  set_up_vectors (&v, __i__);
  write_vectors (&v, -1, FALSE);
  begin_vectors (&v);
  r = &v.f.r;
  while (m2v_slice_rewriter_next (r, &request)) {
    fail_if (request.coded);
    m2v_slice_rewriter_quantise (r, 8);
  }
  fail_unless (m2v_slice_rewriter_end (r, &copied));
  fail_if (copied);
  fail_unless (m2v_slice_reader_begin (&r->reader, &v.f.picture, &v.f.vlc,
          v.f.out, m2v_slice_writer_finish (&r->writer)));
  for (; m2v_slice_reader_next (&r->reader, &r->macroblock); n++) {
    fail_unless_equals_int (r->macroblock.vectors[0][0].vector[0], 0);
    fail_unless_equals_int (r->macroblock.vectors[0][0].vector[1], 0);
    fail_unless_equals_int (r->macroblock.n_skipped, n == 0 ? 0 : COLUMNS - 2);
  }
  fail_if (r->reader.error);
  fail_unless_equals_int (n, 2);
  m2v_source_frames_free (&v.frames);
}

GST_END_TEST;

/* Where the writer stands if it is placed: behind what was read before. */
GST_START_TEST (test_place)
{
  M2vSliceRewriter *r;
  Vectors v;

  set_up_vectors (&v, M2V_PICTURE_B);
  write_vectors (&v, 2, FALSE);
  begin_vectors (&v);
  r = &v.f.r;
  read_macroblocks (r, 3);
  r->direction = M2V_FORWARD;
  m2v_slice_rewriter_place (r);
  fail_unless_equals_int (r->writer.address, 1);
  fail_unless_equals_int (r->writer.direction, M2V_FORWARD);
  fail_unless_equals_int (r->writer.prediction.pmv[0][0][0], FAR);
  fail_if (r->writer.first);
  m2v_source_frames_free (&v.frames);
}

GST_END_TEST;

static Suite *
slicevectors_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-slicevectors");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_may_change);
  tcase_add_test (tc, test_may_change_p);
  tcase_add_test (tc, test_choose);
  tcase_add_test (tc, test_choose_p);
  tcase_add_test (tc, test_behind_skipped);
  tcase_add_loop_test (tc, test_written, M2V_PICTURE_P, M2V_PICTURE_B + 1);
  tcase_add_test (tc, test_place);
  return s;
}

GST_CHECK_MAIN (slicevectors);
