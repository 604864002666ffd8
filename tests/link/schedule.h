/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Keeps the link's rate over time, and computes when a packet's last bit
 * leaves.
 */
#ifndef LINK_SCHEDULE_H
#define LINK_SCHEDULE_H

#include <stdint.h>

#define LINK_MAX_STEPS 128

typedef struct
{
  int64_t at;                   /* ns of link time; the first is 0 */
  int64_t rate;                 /* bits/s, 0 = outage, or LINK_UNLIMITED */
} LinkRateStep;

typedef struct
{
  unsigned n;
  LinkRateStep step[LINK_MAX_STEPS];    /* times ascend */
} LinkSchedule;

int64_t link_schedule_rate (const LinkSchedule * s, int64_t t);
/* Returns the rate at t, but in an outage the rate before it (0 if there was
 * none). */
int64_t link_schedule_nominal_rate (const LinkSchedule * s, int64_t t);

/* Returns when `bits` sent from t on are out, through any changes of rate;
 * LINK_NEVER if the schedule ends in an outage before. *credit carries what the
 * last nanosecond sent beyond the packet (10^-9 bit) to the next one of the
 * same busy period, so that rounding never adds up. */
int64_t link_schedule_finish (const LinkSchedule * s, int64_t t, int64_t bits,
    int64_t * credit);

#endif
