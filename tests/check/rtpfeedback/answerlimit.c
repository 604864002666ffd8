/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <rtpfeedback/answerlimit.h>

/* Bytes of IP and UDP headers, of IPv4 and IPv6. */
#define V4 28
#define V6 48

GST_START_TEST (test_room)
{
  const int64_t start = 1000 * PSP_SECOND;
  PspAnswerLimit l;

  psp_answer_limit_init (&l);
  fail_unless_equals_int (psp_answer_limit_room (&l, start), 0);
  /* RTP without payload: an answer with IPv6's header would be larger. */
  psp_answer_limit_came (&l, 12, start);
  fail_unless_equals_int (psp_answer_limit_room (&l, start), 0);
  psp_answer_limit_came (&l, 1200, start);
  fail_unless_equals_int (psp_answer_limit_room (&l, start),
      12 + V4 + 1200 + V4 - V6);
  psp_answer_limit_left (&l, 100, start + PSP_SECOND);
  fail_unless_equals_int (psp_answer_limit_room (&l, start + 9 * PSP_SECOND),
      12 + V4 + 1200 + V4 - 100 - V6 - V6);
  /* What came is older than ten seconds, what left is not. */
  fail_unless_equals_int (psp_answer_limit_room (&l, start + 10 * PSP_SECOND),
      0);
  psp_answer_limit_came (&l, 200, start + 10 * PSP_SECOND);
  fail_unless_equals_int (psp_answer_limit_room (&l, start + 10 * PSP_SECOND),
      200 + V4 - 100 - V6 - V6);
  fail_unless_equals_int (psp_answer_limit_room (&l, start + 11 * PSP_SECOND),
      200 + V4 - V6);
}

GST_END_TEST;

/* A second and the nine before it, counted anew at each answer. Answers are as
 * large as they may be. */
GST_START_TEST (test_bound)
{
  enum
  { N = 5000 };
  static struct
  {
    int64_t at;
    double bytes;               /* came > 0, left < 0 */
  } all[N];
  GRand *random = g_rand_new_with_seed (3);
  int64_t now = 0;
  PspAnswerLimit l;
  guint answers = 0;

  psp_answer_limit_init (&l);
  for (guint i = 0; i < N; i++) {
    size_t room;

    now += g_rand_int_range (random, 0, 100) * PSP_MSECOND;
    if (i % 1000 == 999)
      now += 30 * PSP_SECOND;
    all[i].at = now;
    room = psp_answer_limit_room (&l, now);
    if (g_rand_boolean (random)) {
      size_t size = (size_t) g_rand_int_range (random, 12, 1400);

      psp_answer_limit_came (&l, size, now);
      all[i].bytes = (double) size + V4;
    } else if (room > 0) {
      size_t size = MIN (room, 1200);

      psp_answer_limit_left (&l, size, now);
      all[i].bytes = -((double) size + V6);
      answers++;
    }
  }
  for (guint i = 0; i < N; i++) {
    double sum = 0;

    if (all[i].bytes >= 0)
      continue;
    for (guint k = 0; k <= i; k++)
      if (all[i].at / PSP_SECOND - all[k].at / PSP_SECOND < 10)
        sum += all[k].bytes;
    fail_unless (sum >= 0, "%f bytes too many", -sum);
  }
  fail_unless (answers > N / 4);
  g_rand_free (random);
}

GST_END_TEST;

static Suite *
answer_limit_suite (void)
{
  Suite *s = suite_create ("rtpfeedback/answerlimit");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_room);
  tcase_add_test (tc, test_bound);
  return s;
}

GST_CHECK_MAIN (answer_limit);
