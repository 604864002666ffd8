/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Picture headers (13818-2 clause 6.2.3): start code, temporal_reference in 10
 * bits, picture_coding_type in 3, vbv_delay in 16, and what follows.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include <mpeg2scaling/vbvdelay.h>

#define SIZE 32
/* Where headers are in a span. */
#define OFFSET 12
/* Of 64 bits. */
#define VBV_DELAY_SHIFT 3
#define VBV_DELAY_BITS (G_GUINT64_CONSTANT (0xffff) << VBV_DELAY_SHIFT)

static guint8 spans[2][SIZE];
static M2vFrame frame;
static M2vDecision decision;
static M2vVbvDelay v;

static guint64
load (const guint8 * data)
{
  guint64 value;

  memcpy (&value, data, sizeof value);
  return GUINT64_FROM_BE (value);
}

/* As many pictures as delays. They pass whole. */
static void
set_up (guint n_pictures, const guint16 * delays, gsize header_size)
{
  memset (&frame, 0, sizeof frame);
  memset (&decision, 0, sizeof decision);
  frame.valid = TRUE;
  frame.n_pictures = n_pictures;
  for (guint i = 0; i < n_pictures; i++) {
    M2vPicture *picture = &frame.pictures[i];
    guint64 header = G_GUINT64_CONSTANT (0x00000100a5d00005)
        | (guint64) delays[i] << VBV_DELAY_SHIFT;

    memset (spans[i], 0x77, SIZE);
    header = GUINT64_TO_BE (header);
    memcpy (spans[i] + OFFSET, &header, sizeof header);
    picture->headers.offset = OFFSET;
    picture->headers.size = header_size;
    picture->header.vbv_delay = delays[i];
    decision.pieces[i] = (M2vPiece) {
    .picture = i,.offset = 0,.size = SIZE};
  }
  decision.n_pieces = n_pictures;
  decision.n_first = 1;
}

static void
take_out (void)
{
  const guint8 *const data[2] = { spans[0], spans[1] };

  m2v_vbv_delay_remove (&v, &frame, data, &decision);
}

/* Puts a picture's pieces together. */
static gsize
join (guint picture, guint8 * out)
{
  guint from = picture == 0 ? 0 : decision.n_first;
  guint to = picture == 0 ? decision.n_first : decision.n_pieces;
  gsize size = 0;

  for (guint i = from; i < to; i++) {
    const M2vPiece *piece = &decision.pieces[i];
    const guint8 *data = piece->literal ? piece->literal : spans[picture];

    memcpy (out + size, data + piece->offset, piece->size);
    size += piece->size;
  }
  return size;
}

/* All of vbv_delay is set, no other bit, in each picture that has another. */
GST_START_TEST (test_remove)
{
  static const struct
  {
    guint n;
    guint16 delays[2];
  } rows[] = { {1, {0}}, {1, {0x1234}}, {2, {7, 0xfffe}}, {2, {0xffff, 9}},
  {2, {9, 0xffff}}
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    set_up (rows[i].n, rows[i].delays, M2V_VBV_HEADER_SIZE);
    take_out ();
    for (guint k = 0; k < rows[i].n; k++) {
      guint8 out[2 * SIZE];

      fail_unless_equals_uint64 (join (k, out), SIZE);
      fail_unless (load (out + OFFSET)
          == (load (spans[k] + OFFSET) | VBV_DELAY_BITS));
      fail_unless (memcmp (out, spans[k], OFFSET) == 0);
      fail_unless (memcmp (out + OFFSET + 8, spans[k] + OFFSET + 8,
              SIZE - OFFSET - 8) == 0);
    }
  }
}

GST_END_TEST;

/* The rate varies already, the header is cut short, or is none: all passes. */
GST_START_TEST (test_untouched)
{
  static const guint16 variable[] = { 0xffff, 0xffff }, constant[] = { 5, 6 };

  for (guint i = 0; i < 4; i++) {
    M2vDecision before;

    set_up (2, i == 0 ? variable : constant, i == 1 ? 7 : 8);
    frame.valid = i != 2;
    if (i == 3)
      spans[0][OFFSET + 3] = spans[1][OFFSET + 3] = 0xb3;
    before = decision;
    take_out ();
    fail_unless (memcmp (&before, &decision, sizeof before) == 0, "%u", i);
  }
}

GST_END_TEST;

static Suite *
vbvdelay_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-vbvdelay");
  TCase *tc = tcase_create ("headers");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_remove);
  tcase_add_test (tc, test_untouched);
  return s;
}

GST_CHECK_MAIN (vbvdelay);
