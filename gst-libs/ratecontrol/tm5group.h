/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * TM5's half that knows groups: what is still to come of the one at hand, after
 * the last ones, and what the source's rate is. For tm5.c alone.
 */
#ifndef RATECONTROL_TM5GROUP_H
#define RATECONTROL_TM5GROUP_H

#include <ratecontrol/tm5.h>

/* From the picture at hand on, that one included. */
typedef struct
{
  double n[TM5_N_TYPES];
  double seconds;
} Tm5Rest;

static inline double
tm5_clamp (double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

double tm5_seconds (int64_t duration);
unsigned tm5_group_size (const Tm5Group * group);

/* The picture at hand counts for the group, or begins one: true. */
bool tm5_group_picture (Tm5 * tm5);

/* Whether pictures of several of the last groups were left out. */
bool tm5_group_is_thinned (const Tm5 * tm5);

/* Whether at least every other one of the last groups was as long as this one
 * is expected to be. */
bool tm5_group_is_regular (const Tm5 * tm5);

void tm5_group_rest (const Tm5 * tm5, Tm5Rest * rest);

/* Seconds from picture to picture, as of late. */
double tm5_group_period (const Tm5 * tm5);

/* bits/s over the last groups and the one at hand, and of that one alone; 0: not
 * known. */
double tm5_group_source_rate (const Tm5 * tm5);
double tm5_group_own_rate (const Tm5 * tm5);

#endif
