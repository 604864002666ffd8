/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Packet counts per round trip of sending, for controllers that decide once per
 * round trip. An epoch is the packets sent within one round trip. It has a
 * verdict once each of them is known to have been received or lost. The sender
 * counts by packets, because two clocks that disagree by a packet would show
 * losses that did not happen.
 */
#ifndef CONTROL_EPOCHS_H
#define CONTROL_EPOCHS_H

#include <control/controller.h>

/* The number of epochs that may wait for their verdicts; if all are in use, the
 * present epoch goes on. */
#define PSP_MAX_EPOCHS 128

typedef struct
{
  int64_t first;                /* index */
  int64_t sent, received, lost; /* packets; a marked packet counts as lost */
  int64_t begun_at, last_at;    /* when the first and the last packet left */
  bool closed;                  /* no more packets join it */
  bool app_limited;             /* one of its packets could have left earlier */
} PspEpoch;

typedef struct
{
  /* A ring: the oldest epoch without a verdict is at `head`, the newest still
   * grows. */
  PspEpoch ring[PSP_MAX_EPOCHS];
  unsigned head, n;
} PspEpochs;

void psp_epochs_init (PspEpochs * e);
/* A packet left. `length` is the length of an epoch in ns from its first
 * packet; PSP_TIME_NEVER = unknown. */
void psp_epochs_sent (PspEpochs * e, const PspSent * sent, int64_t length);
/* Counts the results of a report; the present epoch ends if its time is
 * over. */
void psp_epochs_report (PspEpochs * e, const PspReport * report,
    int64_t length);
/* Returns the oldest epoch if it has its verdict, else NULL. The report is the
 * last one counted. The result is valid until the next packet is sent. */
const PspEpoch *psp_epochs_take (PspEpochs * e, const PspReport * report);

/* True if a period of `period` kept more packets from leaving, rather than the
 * application. Otherwise an epoch without a loss does not show that the network
 * would carry more. busy_share is the share of the epoch's length that must
 * have been used. */
bool psp_epoch_is_spacing_bound (const PspEpoch * e, int64_t period,
    int64_t length, double busy_share);

#endif
