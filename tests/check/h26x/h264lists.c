/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "testslice.h"

/* Frames with ids from 1 and these kinds and order counts; frame_num counts
 * references. */
static void
decode_frames (H264Dpb * dpb, const H264Sps * sps, const gchar * kinds,
    const guint * orders)
{
  guint frame_num = 0;

  h264_dpb_init (dpb);
  for (guint i = 0; kinds[i]; i++) {
    H264Slice slice = test_slice (kinds[i], H264_FRAME, frame_num, orders[i]);

    fail_unless (test_decode (dpb, sps, &slice, i + 1));
    frame_num = (frame_num + slice.reference) & 15;
  }
}

GST_START_TEST (test_p_frames)
{
  static const guint orders[18] = { 0, 8, 4, 16, };
  H264Sps sps = test_sps (4);
  H264Slice p = test_slice ('P', H264_FRAME, 4, 20);
  H264Dpb dpb;

  /* by frame_num, whatever is shown first */
  decode_frames (&dpb, &sps, "DPBP", orders);
  test_lists (&dpb, &sps, &p, "4 3 2 1", NULL);
  p.n_active[0] = 2;
  test_lists (&dpb, &sps, &p, "4 3", NULL);
  p.n_active[0] = 6;
  test_lists (&dpb, &sps, &p, "4 3 2 1 - -", NULL);

  /* what is no reference is in no list */
  decode_frames (&dpb, &sps, "DPbbP", orders);
  p = test_slice ('P', H264_FRAME, 3, 20);
  test_lists (&dpb, &sps, &p, "5 2 1 -", NULL);

  /* frame_num wraps */
  decode_frames (&dpb, &sps, "DPPPPPPPPPPPPPPPPP", orders);
  p = test_slice ('P', H264_FRAME, 2, 20);
  test_lists (&dpb, &sps, &p, "18 17 16 15", NULL);
}

GST_END_TEST;

GST_START_TEST (test_b_frames)
{
  static const guint orders[] = { 0, 8, 4, 16 };
  H264Sps sps = test_sps (4);
  H264Slice b = test_slice ('b', H264_FRAME, 3, 6);
  H264Dpb dpb;

  /* what is shown before, nearest first, then what is shown later */
  decode_frames (&dpb, &sps, "DPB", orders);
  test_lists (&dpb, &sps, &b, "3 1 2 -", "2 3 1 -");

  /* all is shown before: list 1 would be list 0 */
  b = test_slice ('b', H264_FRAME, 3, 12);
  test_lists (&dpb, &sps, &b, "2 3 1 -", "3 2 1 -");
  b.n_active[0] = b.n_active[1] = 1;
  test_lists (&dpb, &sps, &b, "2", "3");

  /* one reference alone */
  decode_frames (&dpb, &sps, "D", orders);
  b = test_slice ('b', H264_FRAME, 1, 6);
  test_lists (&dpb, &sps, &b, "1 - - -", "1 - - -");
}

GST_END_TEST;

GST_START_TEST (test_long_term)
{
  static const guint orders[] = { 0, 8, 4, 16 };
  H264Sps sps = test_sps (4);
  H264Slice p = test_slice ('P', H264_FRAME, 4, 24);
  H264Slice b = test_slice ('b', H264_FRAME, 5, 20);
  H264Dpb dpb;

  /* 1 and 3 become long-term, 3 with the lower index */
  decode_frames (&dpb, &sps, "DPPP", orders);
  test_mark (&p, 4, 2, 0);
  test_mark (&p, 3, 3, 1);
  test_mark (&p, 3, 1, 0);
  test_mark (&p, 1, 2, 0);
  fail_unless (test_decode (&dpb, &sps, &p, 5));
  p = test_slice ('P', H264_FRAME, 5, 28);
  test_lists (&dpb, &sps, &p, "5 4 3 1", NULL);
  test_lists (&dpb, &sps, &b, "4 5 3 1", "5 4 3 1");

  /* selected by LongTermPicNum, before the rest */
  test_modify (&p, 0, 2, 1);
  test_lists (&dpb, &sps, &p, "1 5 4 3", NULL);
}

GST_END_TEST;

GST_START_TEST (test_modifications)
{
  static const guint orders[] = { 0, 8, 4, 16 };
  H264Sps sps = test_sps (4);
  H264Slice p = test_slice ('P', H264_FRAME, 4, 24);
  H264Slice b = test_slice ('b', H264_FRAME, 4, 6);
  H264Dpb dpb;

  /* each relative to the one before: 4 - 3 = 1, then + 2 = 3 */
  decode_frames (&dpb, &sps, "DPPP", orders);
  test_modify (&p, 0, 0, 2);
  test_modify (&p, 0, 1, 1);
  test_lists (&dpb, &sps, &p, "2 4 3 1", NULL);

  /* one picture at two places, which the list is too short for */
  p = test_slice ('P', H264_FRAME, 4, 24);
  p.n_active[0] = 2;
  test_modify (&p, 0, 0, 3);
  test_modify (&p, 0, 0, 15);
  test_lists (&dpb, &sps, &p, "1 1", NULL);

  /* one that is not there */
  p = test_slice ('P', H264_FRAME, 4, 24);
  test_modify (&p, 0, 0, 5);
  test_lists (&dpb, &sps, &p, "- 4 3 2", NULL);

  /* list 1 alone */
  test_modify (&b, 1, 0, 3);
  test_lists (&dpb, &sps, &b, "3 1 2 4", "1 2 4 3");
}

GST_END_TEST;

GST_START_TEST (test_fields)
{
  H264Sps sps = test_sps (4);
  H264Slice slice;
  H264Dpb dpb;

  /* Three frames: two fields, a frame, two fields. */
  h264_dpb_init (&dpb);
  slice = test_slice ('D', H264_TOP, 0, 0);
  fail_unless (test_decode (&dpb, &sps, &slice, 1));
  slice = test_slice ('P', H264_BOTTOM, 0, 1);
  test_lists (&dpb, &sps, &slice, "1t - - -", NULL);
  fail_unless (test_decode (&dpb, &sps, &slice, 1));
  slice = test_slice ('P', H264_FRAME, 1, 8);
  test_lists (&dpb, &sps, &slice, "1 - - -", NULL);
  fail_unless (test_decode (&dpb, &sps, &slice, 2));
  slice = test_slice ('P', H264_BOTTOM, 2, 5);
  test_lists (&dpb, &sps, &slice, "2b 2t 1b 1t", NULL);
  fail_unless (test_decode (&dpb, &sps, &slice, 3));

  /* the first field of its own frame is the nearest */
  slice = test_slice ('P', H264_TOP, 2, 4);
  slice.n_active[0] = 6;
  test_lists (&dpb, &sps, &slice, "2t 3b 1t 2b 1b -", NULL);
  slice.n_active[0] = 4;
  /* PicNum 2 * 2 + 1 less 5 is 0, the other parity of frame_num 0 */
  test_modify (&slice, 0, 0, 4);
  test_lists (&dpb, &sps, &slice, "1b 2t 3b 1t", NULL);
  slice.n_modifications[0] = 0;
  fail_unless (test_decode (&dpb, &sps, &slice, 3));

  /* B fields between the last two: 3 at 4, 5; 2 at 8 */
  slice = test_slice ('b', H264_TOP, 3, 6);
  slice.n_active[0] = slice.n_active[1] = 6;
  test_lists (&dpb, &sps, &slice, "3t 3b 1t 1b 2t 2b", "2t 2b 3t 3b 1t 1b");

  /* a frame with one field marked is in no list of frames */
  slice = test_slice ('P', H264_TOP, 3, 10);
  test_mark (&slice, 1, 1, 0);
  fail_unless (test_decode (&dpb, &sps, &slice, 4));
  slice = test_slice ('P', H264_BOTTOM, 3, 11);
  fail_unless (test_decode (&dpb, &sps, &slice, 4));
  slice = test_slice ('P', H264_FRAME, 4, 20);
  test_lists (&dpb, &sps, &slice, "4 2 1 -", NULL);
  slice = test_slice ('P', H264_TOP, 4, 20);
  slice.n_active[0] = 8;
  test_lists (&dpb, &sps, &slice, "4t 4b 2t 3b 1t 2b 1b -", NULL);
}

GST_END_TEST;

GST_START_TEST (test_gaps)
{
  static const guint orders[] = { 0, 8 };
  H264Sps sps = test_sps (4);
  H264Slice p = test_slice ('P', H264_FRAME, 4, 24);
  H264Slice b = test_slice ('b', H264_FRAME, 4, 12);
  H264Dpb dpb;

  /* frames 2 and 3 do not exist; B lists pass over them (8.2.4.2.3) */
  decode_frames (&dpb, &sps, "DP", orders);
  test_lists (&dpb, &sps, &p, "x x 2 1", NULL);
  test_lists (&dpb, &sps, &b, "2 1 - -", "1 2 - -");

  /* ... where order counts are coded */
  sps.order_type = 2;
  decode_frames (&dpb, &sps, "DP", orders);
  test_lists (&dpb, &sps, &b, "x x 2 1", "x x 2 1");
}

GST_END_TEST;

static Suite *
h264lists_suite (void)
{
  Suite *s = suite_create ("h264lists");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_p_frames);
  tcase_add_test (tc, test_b_frames);
  tcase_add_test (tc, test_long_term);
  tcase_add_test (tc, test_modifications);
  tcase_add_test (tc, test_fields);
  tcase_add_test (tc, test_gaps);
  return s;
}

GST_CHECK_MAIN (h264lists);
