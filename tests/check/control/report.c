/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <control/report.h>

/* *INDENT-OFF* */
static const struct
{
  const char *results;          /* R received, C marked, L lost, V recovered */
  int oldest_received, newest_received, newest_recovered;       /* −1: none */
  size_t first, run;
} rows[] = {
  {"", -1, -1, -1, 0, 0},
  {"LLL", -1, -1, -1, 0, 0},
  {"VLV", -1, -1, 2, 0, 0},
  {"LRRVCRL", 1, 5, 3, 1, 2},
  {"LRRVCRL", 1, 5, 3, 3, 0},
  {"LRRVCRL", 1, 5, 3, 5, 1},
  {"RRR", 0, 2, -1, 0, 3},
  {"RRR", 0, 2, -1, 3, 0},
};
/* *INDENT-ON* */

static int
place (const PspPacketResult * results, const PspPacketResult * r)
{
  return r ? (int) (r - results) : -1;
}

GST_START_TEST (test_rows)
{
  PspPacketResult results[8];
  PspReport report = {.results = results };

  for (const char *c = rows[__i__].results; *c; c++) {
    PspPacketResult *r = &results[report.n_results++];

    r->outcome = (uint8_t) (*c == 'L' ? PSP_OUTCOME_LOST :
        *c == 'V' ? PSP_OUTCOME_RECOVERED : PSP_OUTCOME_RECEIVED);
    r->ecn = *c == 'C' ? PSP_ECN_CE : PSP_ECN_NOT_ECT;
    fail_unless (psp_result_is_congestion (r) == (*c == 'L' || *c == 'C'));
  }
  fail_unless_equals_int (place (results,
          psp_report_oldest_received (&report)), rows[__i__].oldest_received);
  fail_unless_equals_int (place (results,
          psp_report_newest_received (&report)), rows[__i__].newest_received);
  fail_unless_equals_int (place (results,
          psp_report_newest_recovered (&report)), rows[__i__].newest_recovered);
  fail_unless_equals_int (psp_report_received_run (&report, rows[__i__].first),
      rows[__i__].run);
}

GST_END_TEST;

static Suite *
report_suite (void)
{
  Suite *s = suite_create ("control-report");
  TCase *tc = tcase_create ("report");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_rows, 0, G_N_ELEMENTS (rows));
  return s;
}

GST_CHECK_MAIN (report);
