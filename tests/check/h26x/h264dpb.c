/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "testslice.h"

/* The references by frame_num: a lists's order of P frames, long-term ones
 * last. */
static void
check_references (const H264Dpb * dpb, const H264Sps * sps, guint frame_num,
    const gchar * expected)
{
  H264Slice p = test_slice ('P', H264_FRAME, frame_num, 0);

  p.n_active[0] = 5;
  test_lists (dpb, sps, &p, expected, NULL);
}

static void
decode_run (H264Dpb * dpb, const H264Sps * sps, guint n)
{
  h264_dpb_init (dpb);
  for (guint i = 0; i < n; i++) {
    H264Slice slice = test_slice (i == 0 ? 'D' : 'P', H264_FRAME, i & 15,
        2 * i & 63);

    fail_unless (test_decode (dpb, sps, &slice, i + 1));
  }
}

/* After IDR, P, P, P with frame_num 0 to 3: operations of a fifth picture. */
static const struct
{
  guint operation[3], number[3], index[3];
  gboolean allowed;
  const gchar *references;
} markings[] = {
  {{1}, {0}, {0}, TRUE, "5 3 2 1 -"},
  {{1, 1}, {0, 3}, {0, 0}, TRUE, "5 3 2 - -"},
  /* long-term: by LongTermPicNum, behind */
  {{4, 3}, {1, 3}, {0, 0}, TRUE, "5 4 3 2 1"},
  {{4, 3, 2}, {1, 3, 0}, {0, 0, 0}, TRUE, "5 4 3 2 -"},
  /* an index has one picture */
  {{4, 3, 3}, {1, 3, 2}, {0, 0, 0}, TRUE, "5 4 3 2 -"},
  /* fewer indices */
  {{4, 3, 4}, {2, 3, 1}, {0, 1, 0}, TRUE, "5 4 3 2 -"},
  /* the picture itself */
  {{4, 6}, {1, 0}, {0, 0}, TRUE, "4 3 2 1 5"},
  /* an index beyond the largest */
  {{3}, {3}, {0}, FALSE, NULL},
  {{4, 6}, {1, 0}, {0, 1}, FALSE, NULL},
  /* what is not there */
  {{1, 1}, {9, 0}, {0, 0}, TRUE, "5 3 2 1 -"},
};

GST_START_TEST (test_markings)
{
  H264Sps sps = test_sps (5);
  H264Dpb dpb;

  for (guint i = 0; i < G_N_ELEMENTS (markings); i++) {
    H264Slice p = test_slice ('P', H264_FRAME, 4, 8);

    for (guint k = 0; k < 3 && markings[i].operation[k]; k++)
      test_mark (&p, markings[i].operation[k], markings[i].number[k],
          markings[i].index[k]);
    decode_run (&dpb, &sps, 4);
    fail_unless_equals_int (test_decode (&dpb, &sps, &p, 5),
        markings[i].allowed);
    if (markings[i].allowed)
      check_references (&dpb, &sps, 5, markings[i].references);
    fail_unless_equals_int (dpb.n_unmatched, markings[i].number[0] == 9);
  }
}

GST_END_TEST;

GST_START_TEST (test_sliding_window)
{
  H264Sps sps = test_sps (3);
  H264Slice slice;
  H264Dpb dpb;

  /* the lowest FrameNumWrap goes, over the end of frame_num too */
  decode_run (&dpb, &sps, 18);
  check_references (&dpb, &sps, 2, "18 17 16 - -");

  /* a picture that is no reference moves nothing */
  slice = test_slice ('p', H264_FRAME, 2, 36);
  fail_unless (test_decode (&dpb, &sps, &slice, 19));
  check_references (&dpb, &sps, 2, "18 17 16 - -");

  /* nor does a second field */
  slice = test_slice ('P', H264_TOP, 2, 38);
  fail_unless (test_decode (&dpb, &sps, &slice, 20));
  fail_unless (h264_dpb_continues (&dpb, &slice) == FALSE);
  slice = test_slice ('P', H264_BOTTOM, 2, 39);
  fail_unless (h264_dpb_continues (&dpb, &slice));
  fail_unless (test_decode (&dpb, &sps, &slice, 20));
  check_references (&dpb, &sps, 3, "20 18 17 - -");

  /* an IDR picture empties it */
  slice = test_slice ('D', H264_FRAME, 0, 0);
  fail_unless (test_decode (&dpb, &sps, &slice, 21));
  check_references (&dpb, &sps, 1, "21 - - - -");
}

GST_END_TEST;

GST_START_TEST (test_too_many)
{
  H264Sps sps = test_sps (2);
  H264Slice slice;
  H264Dpb dpb;

  /* marked by operations, none of which makes room */
  decode_run (&dpb, &sps, 2);
  slice = test_slice ('P', H264_FRAME, 2, 4);
  test_mark (&slice, 4, 1, 0);
  fail_if (test_decode (&dpb, &sps, &slice, 3));

  /* two long-term ones leave no room for the window */
  decode_run (&dpb, &sps, 1);
  slice = test_slice ('P', H264_FRAME, 1, 4);
  test_mark (&slice, 4, 2, 0);
  test_mark (&slice, 3, 0, 0);
  test_mark (&slice, 6, 0, 1);
  fail_unless (test_decode (&dpb, &sps, &slice, 2));
  slice = test_slice ('P', H264_FRAME, 2, 4);
  fail_if (test_decode (&dpb, &sps, &slice, 3));
}

GST_END_TEST;

GST_START_TEST (test_gaps)
{
  H264Sps sps = test_sps (3);
  H264Slice slice = test_slice ('P', H264_FRAME, 2, 8);
  H264Dpb dpb;

  h264_dpb_init (&dpb);
  fail_if (h264_dpb_gap (&dpb, &sps, &slice));
  decode_run (&dpb, &sps, 2);
  fail_if (h264_dpb_gap (&dpb, &sps, &slice));
  slice.frame_num = 1;
  fail_if (h264_dpb_gap (&dpb, &sps, &slice));
  slice.frame_num = 4;
  fail_unless (h264_dpb_gap (&dpb, &sps, &slice));
  fail_unless (test_decode (&dpb, &sps, &slice, 3));
  check_references (&dpb, &sps, 5, "3 x x - -");

  /* nearly all of a cycle */
  slice.frame_num = 3;
  fail_unless (test_decode (&dpb, &sps, &slice, 4));
  check_references (&dpb, &sps, 4, "4 x x - -");
  fail_unless_equals_int64 (dpb.frame_num_offset, 16);
}

GST_END_TEST;

/* pic_order_cnt of coded pictures in turn, of each type: 8.2.1. */
static const struct
{
  guint type;
  struct
  {
    gchar kind;
    guint structure, frame_num, lsb;
    gint delta[2];
    gint order;
  } pictures[8];
} orders[] = {
  {0, {{'D', 3, 0, 0, {0, 0}, 0}, {'P', 3, 1, 30, {0, 0}, 30},
          {'b', 3, 2, 20, {0, 0}, 20}, {'P', 3, 2, 60, {0, 0}, 60},
          /* past the end of a cycle; not from a picture that is no reference */
          {'b', 3, 3, 2, {0, 0}, 66}, {'P', 3, 3, 50, {0, 0}, 50},
          {'P', 3, 4, 10, {0, 0}, 74}, {'P', 3, 5, 42, {0, 0}, 106}}},
  {0, {{'D', 3, 0, 0, {0, 0}, 0}, {'P', 3, 1, 33, {0, 0}, -31},
          {'P', 1, 2, 4, {0, 0}, -60}, {'P', 2, 2, 5, {0, 0}, -59}}},
  /* offsets 2 and 6 a cycle, -3 for what is no reference, 1 to the bottom */
  {1, {{'D', 3, 0, 0, {0, 0}, 0}, {'P', 3, 1, 0, {0, 0}, 2},
          {'P', 3, 2, 0, {0, 0}, 8}, {'p', 3, 3, 0, {0, 0}, 5},
          {'P', 3, 3, 0, {4, 0}, 14}, {'P', 1, 4, 0, {0, 0}, 16},
          {'P', 2, 4, 0, {1, 0}, 18}, {'P', 3, 5, 0, {0, -5}, 14}}},
  {2, {{'D', 3, 0, 0, {0, 0}, 0}, {'P', 3, 1, 0, {0, 0}, 2},
          {'p', 3, 2, 0, {0, 0}, 3}, {'P', 3, 2, 0, {0, 0}, 4},
          {'P', 1, 3, 0, {0, 0}, 6}, {'P', 2, 3, 0, {0, 0}, 6},
          {'P', 3, 15, 0, {0, 0}, 30}, {'P', 3, 0, 0, {0, 0}, 32}}},
};

GST_START_TEST (test_order)
{
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    H264Sps sps = test_sps (2);
    H264Dpb dpb;

    sps.order_type = orders[i].type;
    sps.n_offsets = 2;
    sps.offsets[0] = 2;
    sps.offsets[1] = 6;
    sps.offset_for_non_reference = -3;
    sps.offset_for_top_to_bottom = 1;
    h264_dpb_init (&dpb);
    for (guint k = 0; k < 8 && orders[i].pictures[k].kind; k++) {
      H264Slice slice = test_slice (orders[i].pictures[k].kind,
          orders[i].pictures[k].structure, orders[i].pictures[k].frame_num,
          orders[i].pictures[k].lsb);

      slice.delta_order[0] = orders[i].pictures[k].delta[0];
      slice.delta_order[1] = orders[i].pictures[k].delta[1];
      fail_unless (h264_dpb_begin (&dpb, &sps, &slice, k + 1));
      fail_unless_equals_int (h264_dpb_order (&dpb),
          orders[i].pictures[k].order);
      fail_unless (h264_dpb_end (&dpb, &sps, &slice));
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_restart)
{
  H264Sps sps = test_sps (3);
  H264Slice slice;
  H264Dpb dpb;

  /* operation 5: nothing before is a reference, and counts begin anew */
  decode_run (&dpb, &sps, 3);
  slice = test_slice ('P', H264_FRAME, 3, 20);
  slice.delta_order_bottom = -2;
  test_mark (&slice, 5, 0, 0);
  fail_unless (test_decode (&dpb, &sps, &slice, 4));
  fail_unless_equals_int (h264_frame_order (&dpb.current), 0);
  check_references (&dpb, &sps, 1, "4 - - - -");
  /* the top field is at 2 */
  slice = test_slice ('P', H264_FRAME, 1, 6);
  fail_unless (test_decode (&dpb, &sps, &slice, 5));
  fail_unless_equals_int (h264_dpb_order (&dpb), 6);
}

GST_END_TEST;

GST_START_TEST (test_hostile)
{
  H264Sps sps = test_sps (3), other;
  H264Slice slice = test_slice ('P', H264_FRAME, 15, 63);
  H264Dpb dpb;

  fail_unless (h264_slice_valid (&slice, &sps));
  fail_if (h264_is_intra (&slice));
  slice.frame_num = 16;
  fail_if (h264_slice_valid (&slice, &sps));
  slice = test_slice ('P', H264_FRAME, 1, 64);
  fail_if (h264_slice_valid (&slice, &sps));
  slice = test_slice ('P', H264_FRAME, 1, 0);
  slice.n_active[0] = 33;
  fail_if (h264_slice_valid (&slice, &sps));
  slice.n_active[0] = 1;
  slice.n_modifications[0] = 2;
  fail_if (h264_slice_valid (&slice, &sps));
  slice = test_slice ('B', H264_FRAME, 1, 0);
  slice.n_active[1] = 0;
  fail_if (h264_slice_valid (&slice, &sps));
  slice = test_slice ('D', H264_FRAME, 1, 0);
  fail_if (h264_slice_valid (&slice, &sps));
  slice = test_slice ('P', H264_FRAME, 1, 0);
  test_mark (&slice, 7, 0, 0);
  fail_unless (h264_slice_has_marking (&slice, 7));
  fail_if (h264_slice_has_marking (&slice, 5));
  fail_if (h264_slice_valid (&slice, &sps));
  slice = test_slice ('P', H264_FRAME, 1, 0);
  test_mark (&slice, 6, 0, 16);
  fail_if (h264_slice_valid (&slice, &sps));

  other = sps;
  fail_unless (h264_sps_equal (&sps, &other));
  other.gaps_allowed = true;
  fail_if (h264_sps_equal (&sps, &other));
  sps.max_references = 17;
  fail_if (h264_sps_valid (&sps));

  /* order counts beyond 32 bits */
  sps = test_sps (3);
  sps.order_type = 1;
  sps.n_offsets = 255;
  for (guint i = 0; i < 255; i++)
    sps.offsets[i] = G_MAXINT32;
  h264_dpb_init (&dpb);
  slice = test_slice ('P', H264_FRAME, 15, 0);
  fail_if (h264_dpb_begin (&dpb, &sps, &slice, 1));
}

GST_END_TEST;

static Suite *
h264dpb_suite (void)
{
  Suite *s = suite_create ("h264dpb");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_markings);
  tcase_add_test (tc, test_sliding_window);
  tcase_add_test (tc, test_too_many);
  tcase_add_test (tc, test_gaps);
  tcase_add_test (tc, test_order);
  tcase_add_test (tc, test_restart);
  tcase_add_test (tc, test_hostile);
  return s;
}

GST_CHECK_MAIN (h264dpb);
