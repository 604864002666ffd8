/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a sender measures of its path, whatever its controller makes of it.
 */
#ifndef PSP_CORE_METER_H
#define PSP_CORE_METER_H

#include "estimators.h"

/* Payload is counted by the slot, and a second of whole slots is told. */
#define PSP_METER_SLOT (50 * PSP_MSECOND)
#define PSP_METER_SLOTS 20

typedef struct
{
  unsigned lost, decided;       /* packets */
} PspMeterLoss;

typedef struct
{
  PspPath path;
  PspMeterLoss loss, loss_before;       /* this round trip and the last */
  int64_t loss_since;
  struct
  {
    int64_t number;             /* time / PSP_METER_SLOT */
    uint64_t bytes;
  } slots[PSP_METER_SLOTS + 1];
  uint64_t payload_received;
  int64_t first_at;             /* first news, or PSP_TIME_UNKNOWN */
} PspMeter;

void psp_meter_init (PspMeter * m);
/* payload_received: psp_history_payload_received after the report. */
void psp_meter_report (PspMeter * m, const PspReport * report,
    uint64_t payload_received);

/* Smoothed round trip and its deviation (RFC 6298 section 2), or
 * PSP_TIME_UNKNOWN. */
int64_t psp_meter_rtt (const PspMeter * m);
int64_t psp_meter_rtt_deviation (const PspMeter * m);
int64_t psp_meter_rtt_min (const PspMeter * m);
/* Lost share of what was decided in the present round trip and the one before
 * (each 100 ms at least); −1 = unknown. Presumed losses count, revoked ones do
 * not. */
double psp_meter_loss (const PspMeter * m);
/* Payload acknowledged over the last second, bits/s; PSP_BITRATE_UNKNOWN
 * before there was one. */
int64_t psp_meter_delivered (const PspMeter * m, int64_t now);
/* When an undecided packet is to be presumed lost: the time-out of RFC 6298,
 * 200 ms at least, for the delay until a packet is reported, which is the
 * round trip and what the receiver held it back; and one feedback interval, for
 * a report that gets lost. */
int64_t psp_meter_loss_timeout (const PspMeter * m);

#endif
