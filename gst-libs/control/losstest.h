/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Losses that no queue explains: by chance, or by a policer? The sender gives
 * way for a while. If fewer packets are lost then, it was a policer, and the
 * rate stays limited; else the loss is random and does not count.
 */
#ifndef CONTROL_LOSSTEST_H
#define CONTROL_LOSSTEST_H

#include <control/report.h>

typedef struct
{
  double lost, decided;         /* packets of the last seconds */
  double runs;                  /* of lost ones, one after the other */
  double random;                /* share known to be lost by chance */
  double limit;                 /* bits/s that a policer lets pass; or ∞ */
  double limited_at;            /* s; since when */
  double in_use;                /* of the rate then: 1, less where it was little */
  double tested_at;             /* s; start of the test, below 0 = none */
  double settle;                /* s; what is lost so long after it left before */
  double tested_loss, tested_rate;      /* before it */
} PspLossTest;

void psp_loss_test_init (PspLossTest * t);
/* Counts a report's losses, dt s after the last one. loop: s until a change of the
 * rate is seen. A queue explains them where `queued`. */
void psp_loss_test_report (PspLossTest * t, const PspReport * report,
    double dt, double loop, bool queued);
/* Judges. rate is in force and `received` arrives, bits/s; tolerated: share of
 * losses that is never tested. Returns a rate to go back to, or 0. */
double psp_loss_test_judge (PspLossTest * t, double now, double rate,
    double received, double tolerated);

#endif
