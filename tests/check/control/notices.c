/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <control/notices.h>

#define MS PSP_MSECOND
#define K 1000
#define UNKNOWN PSP_BITRATE_UNKNOWN
#define NEVER PSP_TIME_NEVER

/* At `at` the decision becomes this; the notice is due at `due`, for the
 * reason `announced`, and is taken then unless the next row comes earlier. */
typedef struct
{
  int64_t at;
  int64_t target;
  int scale;
  PspReason reason;
  int64_t due;
  PspReason announced;
} Row;

#define START PSP_REASON_START
#define INCREASE PSP_REASON_INCREASE
#define LOSS PSP_REASON_LOSS
#define LIMIT PSP_REASON_LIMIT
#define TIMEOUT PSP_REASON_TIMEOUT
#define DELAY PSP_REASON_DELAY
#define END { -1, 0, 0, START, 0, START }

/* *INDENT-OFF* */
static const struct
{
  const char *what;
  int64_t rtt;
  Row rows[8];
} sequences[] = {
  {"nothing known, nothing announced", 40 * MS, {
      {0, UNKNOWN, -1, START, NEVER, START},
      {10 * MS, 500 * K, -1, INCREASE, 10 * MS, START}, END}},
  {"once a round trip", 40 * MS, {
      {0, 500 * K, -1, START, 0, START},
      {10 * MS, 520 * K, -1, INCREASE, 40 * MS, INCREASE},
      {50 * MS, 600 * K, -1, INCREASE, 80 * MS, INCREASE},
      {200 * MS, 700 * K, -1, LIMIT, 200 * MS, LIMIT}, END}},
  {"once in 20 ms, whatever the round trip", 1 * MS, {
      {0, 500 * K, -1, START, 0, START},
      {1 * MS, 520 * K, -1, INCREASE, 20 * MS, INCREASE}, END}},
  {"no round trip known", PSP_TIME_UNKNOWN, {
      {0, 500 * K, -1, START, 0, START},
      {1 * MS, 520 * K, -1, INCREASE, 20 * MS, INCREASE}, END}},
  {"a decrease of over 5 % at once", 40 * MS, {
      {0, 500 * K, -1, START, 0, START},
      {10 * MS, 474 * K, -1, LOSS, 10 * MS, LOSS},
      {11 * MS, 400 * K, -1, LOSS, 11 * MS, LOSS}, END}},
  {"a smaller one later", 40 * MS, {
      {0, 500 * K, -1, START, 0, START},
      {10 * MS, 476 * K, -1, DELAY, 40 * MS, DELAY}, END}},
  {"small ones add up", 40 * MS, {
      {0, 500 * K, -1, START, 0, START},
      {10 * MS, 480 * K, -1, DELAY, 40 * MS, DELAY},
      {20 * MS, 474 * K, -1, LOSS, 20 * MS, LOSS}, END}},
  {"less than 1 % once a second, but at last", 40 * MS, {
      {0, 500 * K, -1, START, 0, START},
      {100 * MS, 504 * K, -1, INCREASE, 1000 * MS, INCREASE},
      {200 * MS, 506 * K, -1, INCREASE, 200 * MS, INCREASE}, END}},
  {"back to what was announced: nothing to announce", 40 * MS, {
      {0, 500 * K, -1, START, 0, START},
      {10 * MS, 520 * K, -1, INCREASE, 40 * MS, INCREASE},
      {20 * MS, 500 * K, -1, LOSS, NEVER, LOSS}, END}},
  {"loss, then a little better: announced as loss", 40 * MS, {
      {0, 500 * K, -1, START, 0, START},
      {10 * MS, 478 * K, -1, LOSS, 40 * MS, LOSS},
      {20 * MS, 480 * K, -1, INCREASE, 40 * MS, LOSS}, END}},
  {"one scale less at once, one more later", 40 * MS, {
      {0, 500 * K, 4, START, 0, START},
      {10 * MS, 500 * K, 2, LOSS, 10 * MS, LOSS},
      {20 * MS, 500 * K, 3, INCREASE, 50 * MS, INCREASE}, END}},
  {"silence, stop, and back", 40 * MS, {
      {0, 500 * K, -1, START, 0, START},
      {100 * MS, 60 * K, -1, TIMEOUT, 100 * MS, TIMEOUT},
      {200 * MS, 0, -1, TIMEOUT, 200 * MS, TIMEOUT},
      {210 * MS, 400 * K, -1, TIMEOUT, 240 * MS, INCREASE}, END}},
  {"silence before anything is known", 40 * MS, {
      {0, UNKNOWN, -1, START, NEVER, START},
      {500 * MS, 60 * K, -1, TIMEOUT, 500 * MS, TIMEOUT}, END}},
  {"a first bound comes at once", 40 * MS, {
      {0, 100 * K, -1, START, 0, START},
      {1 * MS, UNKNOWN, -1, INCREASE, 40 * MS, INCREASE},
      {50 * MS, 90000 * K, -1, LOSS, 50 * MS, LOSS}, END}},
};
/* *INDENT-ON* */

GST_START_TEST (test_sequences)
{
  const char *what = sequences[__i__].what;
  int64_t rtt = sequences[__i__].rtt, due;
  PspNotices n;

  psp_notices_init (&n);
  for (const Row * r = sequences[__i__].rows; r->at >= 0; r++) {
    psp_notices_update (&n, r->at, r->target, r->scale, r->reason);
    due = psp_notices_due (&n, rtt);
    fail_unless (due == r->due || (due <= r->at && r->due == r->at),
        "%s, row %d: due at %" G_GINT64_FORMAT, what,
        (int) (r - sequences[__i__].rows), due);
    if (due == NEVER)
      continue;
    fail_unless (psp_notices_reason (&n) == r->announced,
        "%s, row %d: reason %d", what, (int) (r - sequences[__i__].rows),
        psp_notices_reason (&n));
    if (r[1].at < 0 || due <= r[1].at) {
      psp_notices_announced (&n, MAX (due, r->at));
      fail_unless_equals_int64 (psp_notices_due (&n, rtt), NEVER);
      fail_unless_equals_int (psp_notices_reason (&n), r->announced);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_reset)
{
  PspNotices n;

  psp_notices_init (&n);
  psp_notices_reset (&n, 0);
  fail_unless_equals_int64 (psp_notices_due (&n, 40 * MS), NEVER);
  psp_notices_update (&n, 0, 500 * K, -1, START);
  fail_unless_equals_int (psp_notices_reason (&n), START);
  psp_notices_announced (&n, 0);
  psp_notices_reset (&n, 5 * MS);
  fail_unless_equals_int64 (psp_notices_due (&n, 40 * MS), 5 * MS);
  fail_unless_equals_int (psp_notices_reason (&n), PSP_REASON_RESET);
  psp_notices_announced (&n, 5 * MS);
  fail_unless_equals_int64 (psp_notices_due (&n, 40 * MS), NEVER);
}

GST_END_TEST;

static Suite *
notices_suite (void)
{
  Suite *s = suite_create ("control-notices");
  TCase *tc = tcase_create ("notices");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_sequences, 0, G_N_ELEMENTS (sequences));
  tcase_add_test (tc, test_reset);
  return s;
}

GST_CHECK_MAIN (notices);
