/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <control/drain.h>

#define S PSP_SECOND

/* It begins when three quarters of the life of the smallest round trip are over,
 * and ends when the first packet that left meanwhile has arrived. */
GST_START_TEST (test_course)
{
  PspDrainInput in = {.life = 8 * S,.base_rtt_at = 2 * S,.keeps_queue = true };
  PspDrain d;

  psp_drain_init (&d, 0);
  in.now = 8 * S - 1;
  in.next_index = 100;
  psp_drain_run (&d, &in);
  fail_if (psp_drain_is_on (&d));
  fail_if (psp_drain_covers (&d, 100));
  in.now = 8 * S;
  psp_drain_run (&d, &in);
  fail_unless (psp_drain_is_on (&d));
  fail_if (psp_drain_covers (&d, 99));
  fail_unless (psp_drain_covers (&d, 100));
  in.next_index = 110;
  in.newest_index = 99;
  psp_drain_run (&d, &in);
  fail_unless (psp_drain_is_on (&d));
  in.newest_index = 100;
  in.now += S;
  psp_drain_run (&d, &in);
  fail_if (psp_drain_is_on (&d));
  fail_unless (psp_drain_covers (&d, 109));
  fail_if (psp_drain_covers (&d, 110));
  /* The next one counts from the end of this one. */
  in.now += 6 * S - 1;
  psp_drain_run (&d, &in);
  fail_if (psp_drain_is_on (&d));
  in.now++;
  psp_drain_run (&d, &in);
  fail_unless (psp_drain_is_on (&d));
}

GST_END_TEST;

/* Without a queue of its own there is nothing to drain, and what does not age
 * needs no drain. */
GST_START_TEST (test_none)
{
  PspDrainInput in = {.now = 100 * S,.life = 8 * S,.next_index = 100 };
  PspDrain d;

  psp_drain_init (&d, 0);
  psp_drain_run (&d, &in);
  fail_if (psp_drain_is_on (&d));
  in.keeps_queue = true;
  in.life = 0;
  psp_drain_run (&d, &in);
  fail_if (psp_drain_is_on (&d));
  in.life = 8 * S;
  psp_drain_run (&d, &in);
  fail_unless (psp_drain_is_on (&d));
  in.keeps_queue = false;
  psp_drain_run (&d, &in);
  fail_if (psp_drain_is_on (&d));
}

GST_END_TEST;

static Suite *
drain_suite (void)
{
  Suite *s = suite_create ("control-drain");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_course);
  tcase_add_test (tc, test_none);
  return s;
}

GST_CHECK_MAIN (drain);
