/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a sender measures of its path, whatever controller it has.
 */
#ifndef CONTROL_METER_H
#define CONTROL_METER_H

#include <control/path.h>

/* ns. Received payload is counted per slot of this length. */
#define PSP_METER_SLOT (50 * PSP_MSECOND)
/* The delivered rate is over this many whole slots, one second. */
#define PSP_METER_SLOTS 20

/* ns. Sent payload is counted per slot of this length. */
#define PSP_METER_SENT_SLOT (250 * PSP_MSECOND)
/* The highest sent rate is that of this many slots, the last 5 s. */
#define PSP_METER_SENT_SLOTS 20

typedef struct
{
  unsigned lost;                /* packets lost */
  unsigned decided;             /* packets lost or received */
} PspMeterLoss;

typedef struct
{
  PspPath path;
  PspMeterLoss loss;            /* in this round trip */
  PspMeterLoss loss_before;     /* in the last round trip */
  int64_t loss_since;           /* ns; when this round trip began */
  struct
  {
    int64_t number;             /* time / PSP_METER_SLOT */
    uint64_t bytes;
  } slots[PSP_METER_SLOTS + 1];
  /* when the first report came, or PSP_TIME_UNKNOWN */
  int64_t first_at;
  /* payload bytes sent in the present slot and in those before it */
  uint64_t sent[PSP_METER_SENT_SLOTS + 1];
  int64_t sent_until;           /* the end of the present slot */
  int64_t peak_sent;            /* bits/s of the slots before it */
} PspMeter;

void psp_meter_init (PspMeter * m);
void psp_meter_report (PspMeter * m, const PspReport * report);

void psp_meter_sent (PspMeter * m, int64_t now, uint32_t payload_size);
/* Returns the highest rate, in bits/s, of payload sent in a quarter of a second
 * of the last 5 s. */
int64_t psp_meter_peak_sent (PspMeter * m, int64_t now);

/* These return the smoothed round trip, its deviation (RFC 6298 section 2) and
 * the smallest round trip, or PSP_TIME_UNKNOWN. */
int64_t psp_meter_rtt (const PspMeter * m);
int64_t psp_meter_rtt_deviation (const PspMeter * m);
int64_t psp_meter_rtt_min (const PspMeter * m);
/* Returns the lost share of the packets that were decided in the present round
 * trip and the one before (each at least 100 ms); −1 = unknown. Presumed losses
 * count, revoked losses do not. */
double psp_meter_loss (const PspMeter * m);
/* Returns the payload acknowledged over the last second in bits/s;
 * PSP_BITRATE_UNKNOWN before the first second is over. */
int64_t psp_meter_delivered (const PspMeter * m, int64_t now);
/* Returns the age at which an undecided packet is presumed lost. It is the
 * time-out of RFC 6298 with at least 200 ms. The measured delay ends when a
 * packet is reported, so it includes the receiver's holding time. One interval
 * between reports is added, because a report may get lost. */
int64_t psp_meter_loss_timeout (const PspMeter * m, int64_t report_interval);
/* Returns the same age for a packet that a later one overtook. After a path was
 * slow, the last round trip shows more than the mean. */
int64_t psp_meter_overtaken_timeout (const PspMeter * m,
    int64_t report_interval);

#endif
