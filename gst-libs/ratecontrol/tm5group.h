/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The part of TM5 that knows groups: it predicts the rest of the current group
 * from the last ones, and measures the source's rate. For tm5.c only.
 */
#ifndef RATECONTROL_TM5GROUP_H
#define RATECONTROL_TM5GROUP_H

#include <ratecontrol/tm5.h>

/* The rest of the group, the current picture included. */
typedef struct
{
  double n[TM5_N_TYPES];        /* number of pictures by type */
  double seconds;
} Tm5Rest;

static inline double
tm5_clamp (double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

double tm5_seconds (int64_t duration);
unsigned tm5_group_size (const Tm5Group * group);

/* Counts the current picture for the group. Returns true if it begins one. */
bool tm5_group_picture (Tm5 * tm5);

/* True if pictures of several of the last groups were left out. */
bool tm5_group_is_thinned (const Tm5 * tm5);

/* True if at least every other one of the last groups was as long as this one
 * is expected to be. */
bool tm5_group_is_regular (const Tm5 * tm5);

void tm5_group_rest (const Tm5 * tm5, Tm5Rest * rest);

/* Returns the recent mean of the seconds from picture to picture. */
double tm5_group_period (const Tm5 * tm5);

/* Returns the source's bits/s over the last groups and the current one; 0 = not
 * known. */
double tm5_group_source_rate (const Tm5 * tm5);
/* Returns the source's bits/s of the current group; 0 = not known. */
double tm5_group_own_rate (const Tm5 * tm5);

#endif
