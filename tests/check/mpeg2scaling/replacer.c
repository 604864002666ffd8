/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include <mpeg2scaling/replacer.h>

/* Slices at 40 to 90, in pictures of 100 bytes. */
static void
init_frame (M2vFrame * frame, M2vPictureType type, guint n_pictures)
{
  memset (frame, 0, sizeof *frame);
  frame->valid = TRUE;
  frame->has_sequence = TRUE;
  frame->sequence.mpeg2 = TRUE;
  frame->sequence.width = 64;
  frame->sequence.height = 32;
  frame->type = type;
  frame->n_pictures = n_pictures;
  frame->size = 100 * n_pictures;
  for (guint i = 0; i < n_pictures; i++) {
    M2vPicture *picture = &frame->pictures[i];

    picture->valid = TRUE;
    picture->mpeg2 = TRUE;
    picture->size = 100;
    picture->slices.offset = 40;
    picture->slices.size = 50;
    picture->header.type = type;
    picture->coding.structure = n_pictures == 2 ? 1 + i : M2V_FRAME_PICTURE;
    picture->coding.frame_pred_frame_dct = n_pictures == 1;
  }
}

/* A piece, and what becomes of it; w: the written slices. */
static const struct
{
  gsize offset, size;
  const gchar *out;
} exchanges[] = {
  {0, 100, "0+40 w 90+10"},
  {0, 90, "0+40 w"},
  {40, 50, "w"},
  {20, 80, "20+20 w 90+10"},
  {0, 40, "0+40"},
  {90, 10, "90+10"},
  /* Slices cut in two are written once. */
  {0, 60, "0+40 w"},
  {60, 40, "90+10"},
  {60, 30, ""},
};

GST_START_TEST (test_exchange)
{
  M2vReplacer r;
  M2vFrame frame;

  fail_unless (m2v_replacer_init (&r));
  init_frame (&frame, M2V_PICTURE_P, 2);
  fail_unless (m2v_replacer_write (&r, &frame, FALSE));
  for (guint i = 0; i < 2 * G_N_ELEMENTS (exchanges); i++) {
    guint picture = i % 2;
    const M2vPiece other = { NULL, !picture, 0, 100 };
    const M2vPiece piece = { NULL, picture, exchanges[i / 2].offset,
      exchanges[i / 2].size
    };
    M2vDecision d = {.n_pieces = 2,.n_first = 1 };
    GString *text = g_string_new (NULL);

    d.pieces[picture] = piece;
    d.pieces[!picture] = other;
    m2v_replacer_exchange (&r, &frame, &d);
    for (guint k = 0; k < d.n_pieces; k++) {
      const M2vPiece *out = &d.pieces[k];

      fail_unless_equals_int (out->picture, k >= d.n_first);
      if (out->picture != picture)
        continue;
      if (text->len > 0)
        g_string_append_c (text, ' ');
      if (out->literal == NULL) {
        g_string_append_printf (text, "%zu+%zu", out->offset, out->size);
        continue;
      }
      g_string_append_c (text, 'w');
      fail_unless (out->literal == r.slices[picture]);
      fail_unless (out->offset == 0 && out->size == r.sizes[picture]);
    }
    fail_unless_equals_string (text->str, exchanges[i / 2].out);
    fail_unless_equals_uint64 (m2v_decision_size (&d, !picture),
        50 + r.sizes[!picture]);
    g_string_free (text, TRUE);
  }
  m2v_replacer_clear (&r);
}

GST_END_TEST;

/* What others add to a frame stays. */
GST_START_TEST (test_literal)
{
  static const guint8 header[60];
  M2vDecision d = {
    .n_pieces = 1,.n_first = 1,.pieces = {{header, 0, 0, sizeof header}
        }
  };
  M2vReplacer r;
  M2vFrame frame;

  fail_unless (m2v_replacer_init (&r));
  init_frame (&frame, M2V_PICTURE_B, 1);
  fail_unless (m2v_replacer_write (&r, &frame, FALSE));
  m2v_replacer_exchange (&r, &frame, &d);
  fail_unless_equals_int (d.n_pieces, 1);
  fail_unless (d.pieces[0].literal == header
      && d.pieces[0].size == sizeof header);
  m2v_replacer_clear (&r);
}

GST_END_TEST;

/* Where there is no room nothing changes. */
GST_START_TEST (test_full)
{
  const M2vRange range = { 40, 20 };
  M2vDecision d = {.n_pieces = G_N_ELEMENTS (d.pieces) - 1 };
  static const guint8 literal[1];

  d.n_first = d.n_pieces;
  for (guint i = 0; i < d.n_pieces; i++)
    d.pieces[i] = (M2vPiece) {
    NULL, 0, 100 * i, 100};
  m2v_decision_exchange (&d, 0, &range, literal, sizeof literal);
  fail_unless_equals_int (d.n_pieces, G_N_ELEMENTS (d.pieces) - 1);
  fail_unless_equals_uint64 (m2v_decision_size (&d, 0), 100 * d.n_pieces);
  d.n_pieces = d.n_first = d.n_pieces - 1;
  m2v_decision_exchange (&d, 0, &range, literal, sizeof literal);
  fail_unless_equals_int (d.n_pieces, G_N_ELEMENTS (d.pieces));
  fail_unless_equals_int (d.n_first, d.n_pieces);
  fail_unless_equals_uint64 (m2v_decision_size (&d, 0),
      100 * (d.n_pieces - 2) - range.size + sizeof literal);
}

GST_END_TEST;

GST_START_TEST (test_refused)
{
  M2vReplacer r;
  M2vFrame frame;

  fail_unless (m2v_replacer_init (&r));
  init_frame (&frame, M2V_PICTURE_I, 1);
  fail_if (m2v_replacer_write (&r, &frame, FALSE));
  fail_unless_equals_uint64 (m2v_replacer_size (&r, &frame), 0);
  /* The second field of an I frame is its own. */
  init_frame (&frame, M2V_PICTURE_I, 2);
  frame.pictures[1].header.type = M2V_PICTURE_P;
  fail_if (m2v_replacer_write (&r, &frame, FALSE));
  init_frame (&frame, M2V_PICTURE_P, 2);
  frame.pictures[1].header.type = M2V_PICTURE_I;
  fail_if (m2v_replacer_write (&r, &frame, FALSE));
  init_frame (&frame, M2V_PICTURE_P, 1);
  frame.valid = FALSE;
  fail_if (m2v_replacer_write (&r, &frame, FALSE));
  fail_unless_equals_uint64 (m2v_replacer_size (&r, &frame), 0);
  init_frame (&frame, M2V_PICTURE_P, 1);
  frame.has_sequence = FALSE;
  fail_if (m2v_replacer_write (&r, &frame, FALSE));
  m2v_replacer_clear (&r);
}

GST_END_TEST;

/* At first the most that the slices may take, then what they took. */
GST_START_TEST (test_size)
{
  M2vReplacer r;
  M2vFrame frame;
  gsize before;

  fail_unless (m2v_replacer_init (&r));
  init_frame (&frame, M2V_PICTURE_P, 2);
  before = m2v_replacer_size (&r, &frame);
  fail_unless (before > 100);
  fail_unless (m2v_replacer_write (&r, &frame, FALSE));
  fail_unless_equals_uint64 (m2v_replacer_size (&r, &frame),
      100 + r.sizes[0] + r.sizes[1]);
  fail_unless (m2v_replacer_size (&r, &frame) <= before);
  m2v_replacer_clear (&r);
}

GST_END_TEST;

/* The largest picture that a header can describe has room. */
GST_START_TEST (test_largest)
{
  M2vReplacer r;
  M2vFrame frame;

  fail_unless (m2v_replacer_init (&r));
  init_frame (&frame, M2V_PICTURE_B, 1);
  frame.sequence.width = 16383;
  frame.sequence.height = 16383;
  frame.pictures[0].coding.frame_pred_frame_dct = FALSE;
  fail_unless (m2v_replacer_write (&r, &frame, FALSE));
  fail_unless (m2v_replacer_write (&r, &frame, TRUE));
  m2v_replacer_clear (&r);
}

GST_END_TEST;

static Suite *
replacer_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-replacer");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_exchange);
  tcase_add_test (tc, test_literal);
  tcase_add_test (tc, test_full);
  tcase_add_test (tc, test_refused);
  tcase_add_test (tc, test_size);
  tcase_add_test (tc, test_largest);
  return s;
}

GST_CHECK_MAIN (replacer);
