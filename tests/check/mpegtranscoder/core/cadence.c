/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "core/cadence.h"

#define N_FRAMES 3000
#define BASE (5 * M2V_SECOND + 7)

typedef struct
{
  guint in_num, in_den, out_num, out_den;
  const gchar *pattern;         /* of the first frames: how often each is shown */
} Row;

static const Row rows[] = {
  {25, 1, 25, 1, "111111"},
  {50, 1, 25, 1, "101010"},
  {25, 1, 50, 1, "222222"},
  {24000, 1001, 60000, 1001, "323232"},
  {60000, 1001, 24000, 1001, "10100101001"},
  {30, 1, 25, 1, "1111101111101"},
  {30000, 1001, 30, 1, "11111111"},
};

static gint64
time_at (guint num, guint den, gint64 n)
{
  return BASE + n * den * M2V_SECOND / num;
}

GST_START_TEST (test_rates)
{
  const Row *r = &rows[__i__];
  TranscoderCadence c;
  gint64 i, out = 0, pts, duration;
  gdouble expected;

  transcoder_cadence_init (&c, r->out_num, r->out_den);
  for (i = 0; i < N_FRAMES; i++) {
    gint64 begin = time_at (r->in_num, r->in_den, i);
    gint64 end = time_at (r->in_num, r->in_den, i + 1);
    guint n = transcoder_cadence_frame (&c, begin, end - begin), k;

    if ((gsize) i < strlen (r->pattern))
      fail_unless_equals_int (n, r->pattern[i] - '0');
    for (k = 0; k < n; k++) {
      transcoder_cadence_next (&c, &pts, &duration);
      fail_unless (ABS (pts - time_at (r->out_num, r->out_den, out)) <= 1);
      out++;
      fail_unless (ABS (pts + duration - time_at (r->out_num, r->out_den,
                  out)) <= 1);
      /* it is the frame that is shown then */
      fail_unless (pts > begin - M2V_SECOND / 100 && pts < end);
    }
  }
  expected = (gdouble) N_FRAMES *r->in_den * r->out_num / r->in_num
      / r->out_den;
  fail_unless (ABS (out - expected) <= 1);
}

GST_END_TEST;

GST_START_TEST (test_untouched)
{
  static const gint64 times[] = { 5, 40, 12, -7, 1000000000000 };
  TranscoderCadence c;
  gint64 pts, duration;
  guint i;

  transcoder_cadence_init (&c, 0, 0);
  for (i = 0; i < G_N_ELEMENTS (times); i++) {
    fail_unless_equals_int (transcoder_cadence_frame (&c, times[i], i), 1);
    transcoder_cadence_next (&c, &pts, &duration);
    fail_unless_equals_int64 (pts, times[i]);
    fail_unless_equals_int64 (duration, i);
  }
}

GST_END_TEST;

/* A hole is filled up to a second; beyond, and backwards, it begins anew. */
GST_START_TEST (test_jumps)
{
  const gint64 frame = M2V_SECOND / 25;
  TranscoderCadence c;
  gint64 pts, duration;
  guint n;

  transcoder_cadence_init (&c, 25, 1);
  fail_unless_equals_int (transcoder_cadence_frame (&c, 0, frame), 1);
  transcoder_cadence_next (&c, &pts, &duration);
  n = transcoder_cadence_frame (&c, 10 * frame, frame);
  fail_unless_equals_int (n, 10);
  while (n--)
    transcoder_cadence_next (&c, &pts, &duration);
  fail_unless_equals_int64 (pts, 10 * frame);

  fail_unless_equals_int (transcoder_cadence_frame (&c, 1000 * frame, frame),
      1);
  transcoder_cadence_next (&c, &pts, &duration);
  fail_unless_equals_int64 (pts, 1000 * frame);
  fail_unless_equals_int (transcoder_cadence_frame (&c, 7 * frame, frame), 1);
  transcoder_cadence_next (&c, &pts, &duration);
  fail_unless_equals_int64 (pts, 7 * frame);
  fail_unless (transcoder_cadence_frame (&c, M2V_TIME_NONE, frame) <= 1);
  fail_unless (transcoder_cadence_frame (&c, G_MAXINT64, frame) <= 1);
  fail_unless_equals_int (transcoder_cadence_frame (&c, 7 * frame, frame), 1);
  transcoder_cadence_next (&c, &pts, &duration);
  /* nor does one frame last for ever */
  fail_unless (transcoder_cadence_frame (&c, 8 * frame, G_MAXINT64 / 4) <= 50);
}

GST_END_TEST;

static Suite *
cadence_suite (void)
{
  Suite *s = suite_create ("cadence");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rates, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_untouched);
  tcase_add_test (tc, test_jumps);
  return s;
}

GST_CHECK_MAIN (cadence);
