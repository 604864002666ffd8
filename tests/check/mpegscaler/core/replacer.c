/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "replacer.h"

/* Slices at 40 to 90, in pictures of 100 bytes. */
static void
init_frame (MpegFrame * frame, MpegPictureType type, guint n_pictures)
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
    MpegPicture *picture = &frame->pictures[i];

    picture->valid = TRUE;
    picture->mpeg2 = TRUE;
    picture->size = 100;
    picture->slices.offset = 40;
    picture->slices.size = 50;
    picture->header.type = type;
    picture->coding.structure = n_pictures == 2 ? 1 + i : MPEG_FRAME_PICTURE;
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
  ScalerReplacer r;
  MpegFrame frame;

  fail_unless (scaler_replacer_init (&r));
  init_frame (&frame, MPEG_PICTURE_P, 2);
  fail_unless (scaler_replacer_write (&r, &frame, FALSE));
  for (guint i = 0; i < 2 * G_N_ELEMENTS (exchanges); i++) {
    guint picture = i % 2;
    const MpegPiece other = { NULL, !picture, 0, 100 };
    const MpegPiece piece = { NULL, picture, exchanges[i / 2].offset,
      exchanges[i / 2].size
    };
    ScalerDecision d = {.n_pieces = 2,.n_first = 1 };
    GString *text = g_string_new (NULL);

    d.pieces[picture] = piece;
    d.pieces[!picture] = other;
    scaler_replacer_exchange (&r, &frame, &d);
    for (guint k = 0; k < d.n_pieces; k++) {
      const MpegPiece *out = &d.pieces[k];

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
    fail_unless_equals_uint64 (scaler_decision_size (&d, !picture),
        50 + r.sizes[!picture]);
    g_string_free (text, TRUE);
  }
  scaler_replacer_clear (&r);
}

GST_END_TEST;

/* What others add to a frame stays. */
GST_START_TEST (test_literal)
{
  static const guint8 header[60];
  ScalerDecision d = {
    .n_pieces = 1,.n_first = 1,.pieces = {{header, 0, 0, sizeof header}
        }
  };
  ScalerReplacer r;
  MpegFrame frame;

  fail_unless (scaler_replacer_init (&r));
  init_frame (&frame, MPEG_PICTURE_B, 1);
  fail_unless (scaler_replacer_write (&r, &frame, FALSE));
  scaler_replacer_exchange (&r, &frame, &d);
  fail_unless_equals_int (d.n_pieces, 1);
  fail_unless (d.pieces[0].literal == header
      && d.pieces[0].size == sizeof header);
  scaler_replacer_clear (&r);
}

GST_END_TEST;

/* Where there is no room nothing changes. */
GST_START_TEST (test_full)
{
  const MpegRange range = { 40, 20 };
  ScalerDecision d = {.n_pieces = G_N_ELEMENTS (d.pieces) - 1 };
  static const guint8 literal[1];

  d.n_first = d.n_pieces;
  for (guint i = 0; i < d.n_pieces; i++)
    d.pieces[i] = (MpegPiece) {
    NULL, 0, 100 * i, 100};
  scaler_decision_exchange (&d, 0, &range, literal, sizeof literal);
  fail_unless_equals_int (d.n_pieces, G_N_ELEMENTS (d.pieces) - 1);
  fail_unless_equals_uint64 (scaler_decision_size (&d, 0), 100 * d.n_pieces);
  d.n_pieces = d.n_first = d.n_pieces - 1;
  scaler_decision_exchange (&d, 0, &range, literal, sizeof literal);
  fail_unless_equals_int (d.n_pieces, G_N_ELEMENTS (d.pieces));
  fail_unless_equals_int (d.n_first, d.n_pieces);
  fail_unless_equals_uint64 (scaler_decision_size (&d, 0),
      100 * (d.n_pieces - 2) - range.size + sizeof literal);
}

GST_END_TEST;

GST_START_TEST (test_refused)
{
  ScalerReplacer r;
  MpegFrame frame;

  fail_unless (scaler_replacer_init (&r));
  init_frame (&frame, MPEG_PICTURE_I, 1);
  fail_if (scaler_replacer_write (&r, &frame, FALSE));
  fail_unless_equals_uint64 (scaler_replacer_size (&r, &frame), 0);
  /* The second field of an I frame is its own. */
  init_frame (&frame, MPEG_PICTURE_I, 2);
  frame.pictures[1].header.type = MPEG_PICTURE_P;
  fail_if (scaler_replacer_write (&r, &frame, FALSE));
  init_frame (&frame, MPEG_PICTURE_P, 2);
  frame.pictures[1].header.type = MPEG_PICTURE_I;
  fail_if (scaler_replacer_write (&r, &frame, FALSE));
  init_frame (&frame, MPEG_PICTURE_P, 1);
  frame.valid = FALSE;
  fail_if (scaler_replacer_write (&r, &frame, FALSE));
  fail_unless_equals_uint64 (scaler_replacer_size (&r, &frame), 0);
  init_frame (&frame, MPEG_PICTURE_P, 1);
  frame.has_sequence = FALSE;
  fail_if (scaler_replacer_write (&r, &frame, FALSE));
  scaler_replacer_clear (&r);
}

GST_END_TEST;

/* At first the most that the slices may take, then what they took. */
GST_START_TEST (test_size)
{
  ScalerReplacer r;
  MpegFrame frame;
  gsize before;

  fail_unless (scaler_replacer_init (&r));
  init_frame (&frame, MPEG_PICTURE_P, 2);
  before = scaler_replacer_size (&r, &frame);
  fail_unless (before > 100);
  fail_unless (scaler_replacer_write (&r, &frame, FALSE));
  fail_unless_equals_uint64 (scaler_replacer_size (&r, &frame),
      100 + r.sizes[0] + r.sizes[1]);
  fail_unless (scaler_replacer_size (&r, &frame) <= before);
  scaler_replacer_clear (&r);
}

GST_END_TEST;

/* The largest picture that a header can describe has room. */
GST_START_TEST (test_largest)
{
  ScalerReplacer r;
  MpegFrame frame;

  fail_unless (scaler_replacer_init (&r));
  init_frame (&frame, MPEG_PICTURE_B, 1);
  frame.sequence.width = 16383;
  frame.sequence.height = 16383;
  frame.pictures[0].coding.frame_pred_frame_dct = FALSE;
  fail_unless (scaler_replacer_write (&r, &frame, FALSE));
  fail_unless (scaler_replacer_write (&r, &frame, TRUE));
  scaler_replacer_clear (&r);
}

GST_END_TEST;

static Suite *
replacer_suite (void)
{
  Suite *s = suite_create ("scaler-core-replacer");
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
