/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The congestion window of CUBIC (RFC 9438), in segments.
 */
#ifndef CONTROL_CUBIC_H
#define CONTROL_CUBIC_H

#include <control/types.h>

typedef struct
{
  double window;
  double w_max, k, w_est;
  double epoch;                 /* s; start of the cubic; below 0 = none */
} PspCubic;

void psp_cubic_init (PspCubic * c, double window);
/* So many segments were acknowledged; rtt in s. */
void psp_cubic_acked (PspCubic * c, double now, double segments, double rtt);
void psp_cubic_lost (PspCubic * c);

#endif
