/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "streamnumbers.h"

#define SSRC 0x1234

static PspStreamNumbers numbers;
static uint32_t last_series;

static void
setup (void)
{
  memset (&numbers, 0, sizeof numbers);
  last_series = 100;
}

/* Returns the series that a report of this packet is for, or 0. */
static uint32_t
series_of (uint32_t ssrc, uint16_t number)
{
  PspAcknowledgement a = {.key = {ssrc, number}, .received = true };

  if (psp_stream_numbers_translate (&numbers, &a, 1) == 0)
    return 0;
  fail_unless_equals_int (a.key.number, number);
  return a.key.series;
}

static PspKey
count (uint32_t ssrc, uint16_t number)
{
  return psp_stream_numbers_count (&numbers, ssrc, number, &last_series);
}

GST_START_TEST (streams_have_series)
{
  PspKey key = count (SSRC, 7);

  fail_unless_equals_int (key.series, 101);
  fail_unless_equals_int (key.number, 7);
  fail_unless_equals_int (count (SSRC, 8).series, 101);
  fail_unless_equals_int (count (SSRC + 1, 8).series, 102);
  fail_unless_equals_int (last_series, 102);
  fail_unless_equals_int (series_of (SSRC, 8), 101);
  fail_unless_equals_int (series_of (SSRC + 1, 8), 102);
  fail_unless_equals_int (series_of (SSRC + 2, 8), 0);
}

GST_END_TEST;

/* What left before accounting began is not known, across the wrap too. */
GST_START_TEST (begins_in_the_middle)
{
  uint16_t n = 3;

  psp_stream_numbers_pass (&numbers, SSRC);
  fail_unless (psp_stream_numbers_has (&numbers, SSRC));
  fail_unless_equals_int (series_of (SSRC, 2), 0);
  count (SSRC, n);
  fail_unless_equals_int (series_of (SSRC, 2), 0);
  fail_unless_equals_int (series_of (SSRC, 65500), 0);
  fail_unless_equals_int (series_of (SSRC, 3), 101);
  fail_unless_equals_int (series_of (SSRC, 4), 101);
  /* As many later that all that is left may be new. */
  for (unsigned i = 0; i < 40000; i++)
    count (SSRC, n++);
  fail_unless_equals_int (series_of (SSRC, (uint16_t) (n - 1)), 101);
  fail_unless_equals_int (series_of (SSRC, 2), 101);
}

GST_END_TEST;

GST_START_TEST (ends_and_begins_anew)
{
  fail_if (psp_stream_numbers_end (&numbers));
  psp_stream_numbers_pass (&numbers, SSRC);
  fail_if (psp_stream_numbers_end (&numbers));
  count (SSRC, 1);
  fail_unless (psp_stream_numbers_end (&numbers));
  fail_if (psp_stream_numbers_end (&numbers));
  fail_unless (psp_stream_numbers_has (&numbers, SSRC));
  fail_unless_equals_int (series_of (SSRC, 1), 0);
  fail_unless_equals_int (count (SSRC, 9).series, 102);
  fail_unless_equals_int (series_of (SSRC, 8), 0);
  fail_unless_equals_int (series_of (SSRC, 9), 102);
}

GST_END_TEST;

GST_START_TEST (the_stream_that_is_silent_for_longest_goes)
{
  for (uint32_t i = 0; i < PSP_MAX_SERIES; i++)
    count (SSRC + i, 0);
  count (SSRC, 1);
  count (SSRC + PSP_MAX_SERIES, 0);
  fail_unless (psp_stream_numbers_has (&numbers, SSRC));
  fail_if (psp_stream_numbers_has (&numbers, SSRC + 1));
  fail_unless (psp_stream_numbers_has (&numbers, SSRC + PSP_MAX_SERIES));
}

GST_END_TEST;

GST_START_TEST (others_are_left_out)
{
  PspAcknowledgement a[4];

  count (SSRC, 5);
  for (unsigned i = 0; i < G_N_ELEMENTS (a); i++) {
    memset (&a[i], 0, sizeof a[i]);
    a[i].key.series = i % 2 ? SSRC : SSRC + 1;
    a[i].key.number = (uint16_t) (5 + i);
  }
  fail_unless_equals_int (psp_stream_numbers_translate (&numbers, a, 4), 2);
  fail_unless_equals_int (a[0].key.number, 6);
  fail_unless_equals_int (a[1].key.number, 8);
}

GST_END_TEST;

static Suite *
streamnumbers_suite (void)
{
  Suite *s = suite_create ("streamnumbers");
  TCase *t = tcase_create ("streamnumbers");

  suite_add_tcase (s, t);
  tcase_add_checked_fixture (t, setup, NULL);
  tcase_add_test (t, streams_have_series);
  tcase_add_test (t, begins_in_the_middle);
  tcase_add_test (t, ends_and_begins_anew);
  tcase_add_test (t, the_stream_that_is_silent_for_longest_goes);
  tcase_add_test (t, others_are_left_out);
  return s;
}

GST_CHECK_MAIN (streamnumbers);
