/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "../../rounds.h"
#include "renumbering.h"

static void
assert_translated (const PspRenumbering * r, uint16_t number, uint16_t sent)
{
  uint16_t n = 0;

  fail_unless (psp_renumbering_sent (r, number, &n));
  fail_unless_equals_int (n, sent);
  fail_unless (psp_renumbering_original (r, sent, &n));
  fail_unless_equals_int (n, number);
}

GST_START_TEST (nothing_is_removed)
{
  PspRenumbering r;

  psp_renumbering_init (&r);
  for (int i = 65500; i < 65600; i++) {
    fail_unless_equals_int (psp_renumbering_add (&r, (uint16_t) i),
        (uint16_t) i);
    assert_translated (&r, (uint16_t) i, (uint16_t) i);
  }
}

GST_END_TEST;

/* Each third is left out, over some turns of the numbers. */
GST_START_TEST (gaps_close)
{
  PspRenumbering r;
  uint16_t next = 65000, sent;
  const int n = 70000 + (int) test_rounds (230000);

  psp_renumbering_init (&r);
  for (int i = 0; i < n; i++) {
    uint16_t number = (uint16_t) (65000 + i);

    if (i % 3 == 1) {
      fail_unless (psp_renumbering_remove (&r, number));
      continue;
    }
    sent = psp_renumbering_add (&r, number);
    fail_unless_equals_int (sent, next++);
    assert_translated (&r, number, sent);
    /* one of some time ago */
    if (i > 99)
      assert_translated (&r, (uint16_t) (number - 99), (uint16_t) (sent - 66));
  }
}

GST_END_TEST;

GST_START_TEST (a_long_gap_is_one)
{
  PspRenumbering r;

  psp_renumbering_init (&r);
  psp_renumbering_add (&r, 10);
  for (uint16_t i = 11; i < 1011; i++)
    fail_unless (psp_renumbering_remove (&r, i));
  fail_unless_equals_int (psp_renumbering_add (&r, 1011), 11);
  assert_translated (&r, 10, 10);
  assert_translated (&r, 1011, 11);
}

GST_END_TEST;

/* What comes late keeps the place that it has among the others. */
GST_START_TEST (late_packets)
{
  PspRenumbering r;

  psp_renumbering_init (&r);
  fail_unless_equals_int (psp_renumbering_add (&r, 5), 5);
  fail_unless (psp_renumbering_remove (&r, 7));
  fail_unless_equals_int (psp_renumbering_add (&r, 8), 7);
  fail_unless_equals_int (psp_renumbering_add (&r, 6), 6);
  /* It is too late to leave it out. */
  fail_if (psp_renumbering_remove (&r, 4));
  fail_unless_equals_int (psp_renumbering_add (&r, 4), 4);
  fail_unless_equals_int (psp_renumbering_add (&r, 9), 8);
}

GST_END_TEST;

/* What upstream lost stays lost. */
GST_START_TEST (gaps_of_others_stay)
{
  PspRenumbering r;

  psp_renumbering_init (&r);
  psp_renumbering_add (&r, 100);
  fail_unless (psp_renumbering_remove (&r, 101));
  fail_unless_equals_int (psp_renumbering_add (&r, 105), 104);
  fail_unless_equals_int (psp_renumbering_add (&r, 106), 105);
}

GST_END_TEST;

/* After two that did not leave the numbers go on, whatever the next one's is. */
GST_START_TEST (taken_back)
{
  PspRenumbering r;
  uint16_t n;

  psp_renumbering_init (&r);
  for (uint16_t i = 65534; i != 3; i++)
    psp_renumbering_add (&r, i);
  psp_renumbering_take_back (&r);
  psp_renumbering_take_back (&r);
  fail_unless_equals_int (psp_renumbering_add (&r, 3), 1);
  fail_unless (psp_renumbering_remove (&r, 4));
  fail_unless_equals_int (psp_renumbering_add (&r, 5), 2);
  fail_unless (psp_renumbering_original (&r, 0, &n) && n == 0);
  fail_unless (psp_renumbering_original (&r, 2, &n) && n == 5);
}

GST_END_TEST;

GST_START_TEST (old_gaps_are_forgotten)
{
  PspRenumbering r;
  uint16_t n;

  psp_renumbering_init (&r);
  psp_renumbering_add (&r, 0);
  for (uint16_t i = 1; i < 4 * PSP_RENUMBERING_GAPS; i += 2) {
    psp_renumbering_remove (&r, i);
    psp_renumbering_add (&r, i + 1);
  }
  fail_if (psp_renumbering_sent (&r, 10, &n));
  fail_if (psp_renumbering_original (&r, 5, &n));
  assert_translated (&r, 4 * PSP_RENUMBERING_GAPS, 2 * PSP_RENUMBERING_GAPS);
}

GST_END_TEST;

static Suite *
renumbering_suite (void)
{
  Suite *s = suite_create ("renumbering");
  TCase *t = tcase_create ("renumbering");

  suite_add_tcase (s, t);
  tcase_add_test (t, nothing_is_removed);
  tcase_add_test (t, gaps_close);
  tcase_add_test (t, a_long_gap_is_one);
  tcase_add_test (t, late_packets);
  tcase_add_test (t, gaps_of_others_stay);
  tcase_add_test (t, taken_back);
  tcase_add_test (t, old_gaps_are_forgotten);
  return s;
}

GST_CHECK_MAIN (renumbering);
