/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The packets in flight and their bytes.
 */
#ifndef CONTROL_FLIGHT_H
#define CONTROL_FLIGHT_H

#include <control/controller.h>

typedef struct
{
  double packet_size;           /* mean size in bytes, above 0 */
  int64_t packets;
  double bytes;
} PspFlight;

void psp_flight_init (PspFlight * f, double mean_size);
void psp_flight_sent (PspFlight * f, const PspSent * sent, double mean_size);
void psp_flight_report (PspFlight * f, const PspReport * report,
    double mean_size);
/* Returns by how many packets of the mean size the bytes in flight exceed the
 * packet count. */
double psp_flight_excess (const PspFlight * f);

#endif
