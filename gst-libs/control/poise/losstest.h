/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Losses that no queue explains: by chance, or by a policer? The sender gives
 * way for a while. If fewer packets are lost then, it was a policer, and the
 * rate stays limited; else the loss is random and does not count.
 */
#ifndef CONTROL_POISE_LOSSTEST_H
#define CONTROL_POISE_LOSSTEST_H

#include <control/report.h>

typedef struct
{
  double lost;                  /* packets lost in the last seconds */
  double decided;               /* packets lost or received in that time */
  double runs;                  /* runs of successive packets among the lost */
  double random;                /* share known to be lost by chance */
  double limit;                 /* bits/s that a policer lets pass; ∞ = none */
  double limited_at;            /* s; when the limit was set */
  /* 1, or less if little of the rate was received when the limit was set */
  double in_use;
  double tested_at;             /* s; start of the test, below 0 = no test */
  /* s; what is lost in this time after the start of a test left before it */
  double settle;
  double tested_loss;           /* share lost before the test */
  double tested_rate;           /* bits/s; the rate before the test */
} PspLossTest;

void psp_loss_test_init (PspLossTest * t);
/* Counts a report's losses, dt s after the last report. loop: s until a change
 * of the rate is seen. queued: a queue explains the losses. */
void psp_loss_test_report (PspLossTest * t, const PspReport * report,
    double dt, double loop, bool queued);
/* Begins or ends a test. rate: in force, bits/s. received: arrives, bits/s; 0 =
 * unknown: no test begins or ends. tolerated: share of losses that is never
 * tested. Returns the rate to which the sender may return, or 0. */
double psp_loss_test_judge (PspLossTest * t, double now, double rate,
    double received, double tolerated);

#endif
