/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A sender that always keeps a queue lets it drain now and then, as BBR's
 * ProbeRTT does: else the smallest round trip, when it is measured anew, would
 * contain that queue.
 */
#ifndef CONTROL_DRAIN_H
#define CONTROL_DRAIN_H

#include <control/types.h>

typedef struct
{
  /* Packets from `from` to before `to` leave meanwhile; `to` is INT64_MAX until
   * it ends. */
  int64_t from, to;
  int64_t ended_at;             /* ns */
} PspDrain;

/* What the sender knows when a report has come. */
typedef struct
{
  int64_t now;                  /* ns */
  int64_t next_index;           /* of the next packet to leave */
  int64_t newest_index;         /* of what has been received */
  int64_t base_rtt_at;          /* ns; the smallest round trip was seen */
  int64_t life;                 /* ns that it lasts; 0 = for ever, so no drain */
  bool keeps_queue;             /* false ends it: the queue goes without */
} PspDrainInput;

void psp_drain_init (PspDrain * d, int64_t now);
/* Begins a quarter of its life before the smallest round trip is forgotten, and
 * lasts until what left at the beginning has arrived. */
void psp_drain_run (PspDrain * d, const PspDrainInput * in);
bool psp_drain_is_on (const PspDrain * d);
/* True of a packet that left while the queue drained. */
bool psp_drain_covers (const PspDrain * d, int64_t index);

#endif
