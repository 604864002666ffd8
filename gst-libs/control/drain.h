/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A sender that always keeps a queue lets it drain from time to time, as BBR's
 * ProbeRTT does. Otherwise the smallest round trip, when it is measured anew,
 * would contain that queue.
 */
#ifndef CONTROL_DRAIN_H
#define CONTROL_DRAIN_H

#include <control/types.h>

typedef struct
{
  int64_t from;                 /* index of the drain's first packet */
  int64_t to;                   /* index after the drain; INT64_MAX = is on */
  int64_t ended_at;             /* ns; when the last drain ended */
} PspDrain;

/* What the sender knows when a report has come. */
typedef struct
{
  int64_t now;                  /* ns */
  int64_t next_index;           /* of the next packet to leave */
  int64_t newest_index;         /* of the newest packet received */
  int64_t base_rtt_at;          /* ns; when the smallest round trip was seen */
  int64_t life;                 /* ns it is kept; 0 = for ever, so no drain */
  bool keeps_queue;             /* false ends the drain: no queue is kept */
} PspDrainInput;

void psp_drain_init (PspDrain * d, int64_t now);
/* Takes a report. A drain begins a quarter of its life before the smallest
 * round trip is forgotten. It lasts until a packet that left in it has
 * arrived. */
void psp_drain_run (PspDrain * d, const PspDrainInput * in);
bool psp_drain_is_on (const PspDrain * d);
/* True of a packet that left while the queue drained. */
bool psp_drain_covers (const PspDrain * d, int64_t index);

#endif
