/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Packets counted by round trips of sending, for controllers that decide once
 * a round trip: an epoch is the packets sent within one, and has a verdict when
 * each of them is known to have been received or lost. Counted at the sender,
 * by packets: two clocks that disagree by a packet show no losses that are
 * none.
 */
#ifndef PSP_CORE_EPOCHS_H
#define PSP_CORE_EPOCHS_H

#include "controller.h"

/* Epochs that may wait for their verdicts at a time; beyond, the present one
 * goes on. */
#define PSP_MAX_EPOCHS 128

typedef struct
{
  int64_t first;                /* index */
  int64_t sent, received, lost; /* packets; a mark counts as a loss */
  int64_t begun_at, last_at;    /* when its first and last packet left */
  bool closed;                  /* no more packets come */
  bool app_limited;             /* a packet of it could have left earlier */
} PspEpoch;

typedef struct
{
  /* A ring: the oldest without verdict at `head`, the newest still growing. */
  PspEpoch ring[PSP_MAX_EPOCHS];
  unsigned head, n;
} PspEpochs;

void psp_epochs_init (PspEpochs * e);
/* A packet left. length: of an epoch, ns, from its first packet on;
 * PSP_TIME_NEVER while nobody knows. */
void psp_epochs_sent (PspEpochs * e, const PspSent * sent, int64_t length);
/* Counts what a report says; the present epoch ends if its time is over. */
void psp_epochs_report (PspEpochs * e, const PspReport * report,
    int64_t length);
/* The oldest epoch if it has its verdict, else NULL; the report is the last one
 * counted. Valid until the next packet is sent. */
const PspEpoch *psp_epochs_take (PspEpochs * e, const PspReport * report);

/* Whether packets `period` apart are what kept more from leaving, rather than
 * the application: otherwise an epoch without a loss is no evidence that the
 * network would take more. busy_share: of the epoch's length that must have
 * been in use. */
bool psp_epoch_is_spacing_bound (const PspEpoch * e, int64_t period,
    int64_t length, double busy_share);

#endif
