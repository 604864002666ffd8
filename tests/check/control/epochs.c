/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <control/epochs.h>

#define LENGTH (10 * PSP_MSECOND)

static void
send (PspEpochs * e, int64_t index, int64_t now, bool app_limited)
{
  PspSent sent = {.index = index,.now = now,.app_limited = app_limited };

  psp_epochs_sent (e, &sent, LENGTH);
}

/* One packet's outcome. */
static const PspEpoch *
report (PspEpochs * e, int64_t index, PspOutcome outcome, PspEcn ecn,
    int64_t now)
{
  static PspReport r;
  PspPacketResult result = {.index = index,.outcome = outcome,.ecn = ecn };

  memset (&r, 0, sizeof (r));
  r.now = now;
  r.results = &result;
  r.n_results = 1;
  psp_epochs_report (e, &r, LENGTH);
  return psp_epochs_take (e, &r);
}

/* An epoch begins with a packet and is over a length later, not before; its
 * verdict waits for the last of its packets. */
GST_START_TEST (test_verdict)
{
  PspEpochs e;
  const PspEpoch *v;

  psp_epochs_init (&e);
  send (&e, 0, 0, false);
  send (&e, 1, LENGTH - 1, false);
  send (&e, 2, LENGTH, true);
  fail_unless (report (&e, 1, PSP_OUTCOME_LOST, 0, LENGTH) == NULL);
  v = report (&e, 0, PSP_OUTCOME_RECEIVED, 0, LENGTH);
  fail_unless (v != NULL);
  fail_unless_equals_int64 (v->sent, 2);
  fail_unless_equals_int64 (v->received, 1);
  fail_unless_equals_int64 (v->lost, 1);
  fail_unless_equals_int64 (v->begun_at, 0);
  fail_unless_equals_int64 (v->last_at, LENGTH - 1);
  fail_if (v->app_limited);
  /* The next one is not over yet; then a report ends it. */
  fail_unless (report (&e, 2, PSP_OUTCOME_RECEIVED, PSP_ECN_CE,
          2 * LENGTH - 1) == NULL);
  v = report (&e, 99, PSP_OUTCOME_RECEIVED, 0, 2 * LENGTH);
  fail_unless (v != NULL);
  fail_unless_equals_int64 (v->lost, 1);
  fail_unless (v->app_limited);
}

GST_END_TEST;

GST_START_TEST (test_recovered)
{
  PspEpochs e;
  const PspEpoch *v;

  psp_epochs_init (&e);
  send (&e, 0, 0, false);
  send (&e, 1, 1, false);
  report (&e, 0, PSP_OUTCOME_LOST, 0, 2);
  report (&e, 0, PSP_OUTCOME_RECOVERED, 0, 2);
  report (&e, 0, PSP_OUTCOME_RECOVERED, 0, 2);
  v = report (&e, 1, PSP_OUTCOME_RECEIVED, 0, LENGTH);
  fail_unless (v != NULL);
  fail_unless_equals_int64 (v->lost, 0);
  fail_unless_equals_int64 (v->received, 2);
  /* Nothing is left to be disproved. */
  fail_unless (report (&e, 0, PSP_OUTCOME_RECOVERED, 0, LENGTH) == NULL);
}

GST_END_TEST;

/* While nobody knows how long an epoch is, it goes on; and where as many wait
 * as there is room for, the last one does. */
GST_START_TEST (test_unending)
{
  PspEpochs e;
  PspSent sent = { 0 };
  PspReport r = {.oldest_in_flight_at = PSP_TIME_NEVER };
  int64_t total = 0;
  int n = 0;
  const PspEpoch *v;

  psp_epochs_init (&e);
  for (sent.index = 0; sent.index < 5; sent.index++) {
    sent.now = sent.index * PSP_SECOND;
    psp_epochs_sent (&e, &sent, PSP_TIME_NEVER);
  }
  r.now = 100 * PSP_SECOND;
  psp_epochs_report (&e, &r, PSP_TIME_NEVER);
  fail_unless (psp_epochs_take (&e, &r) == NULL);
  for (; sent.index < 1000; sent.index++) {
    sent.now = r.now + sent.index * LENGTH;
    psp_epochs_sent (&e, &sent, LENGTH);
  }
  r.now = sent.now + LENGTH;
  psp_epochs_report (&e, &r, LENGTH);
  /* All are forgotten, which is a verdict too. */
  while ((v = psp_epochs_take (&e, &r))) {
    total += v->sent;
    n++;
  }
  fail_unless_equals_int (n, PSP_MAX_EPOCHS - 1);
  psp_epochs_report (&e, &r, LENGTH);
  v = psp_epochs_take (&e, &r);
  fail_unless (v != NULL);
  fail_unless_equals_int64 (total + v->sent, 1000);
}

GST_END_TEST;

GST_START_TEST (test_spacing_bound)
{
  PspEpoch e = {.sent = 5 };

  fail_unless (psp_epoch_is_spacing_bound (&e, 0, LENGTH, 0.5));
  e.app_limited = true;
  fail_unless (psp_epoch_is_spacing_bound (&e, PSP_MSECOND, LENGTH, 0.5));
  fail_if (psp_epoch_is_spacing_bound (&e, PSP_MSECOND - 1, LENGTH, 0.5));
}

GST_END_TEST;

static Suite *
epochs_suite (void)
{
  Suite *s = suite_create ("control-epochs");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_verdict);
  tcase_add_test (tc, test_recovered);
  tcase_add_test (tc, test_unending);
  tcase_add_test (tc, test_spacing_bound);
  return s;
}

GST_CHECK_MAIN (epochs);
