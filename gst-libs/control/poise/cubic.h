/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The congestion window of CUBIC (RFC 9438), in segments.
 */
#ifndef CONTROL_POISE_CUBIC_H
#define CONTROL_POISE_CUBIC_H

#include <control/types.h>

#define PSP_SEGMENT (8. * 1500) /* bits; a segment of TCP on most paths */

typedef struct
{
  double window;                /* segments; cwnd of RFC 9438 */
  double w_max;                 /* segments; W_max of RFC 9438 */
  double k;                     /* s; K of RFC 9438 */
  double w_est;                 /* segments; W_est of RFC 9438 */
  double epoch;                 /* s; start of the cubic; below 0 = none */
} PspCubic;

void psp_cubic_init (PspCubic * c, double window);
/* Takes the acknowledgement of some segments; rtt: s. */
void psp_cubic_acked (PspCubic * c, double now, double segments, double rtt);
/* Takes a loss. */
void psp_cubic_lost (PspCubic * c);
/* Returns by how much a window grows with some acknowledged segments if a loss
 * leaves `beta` of it. In the mean it is then as large as Reno's (RFC 9438
 * section 4.3). */
double psp_reno_growth (double window, double beta, double segments);

#endif
