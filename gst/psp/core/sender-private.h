/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A sender's state, shared by sender.c (life, telling), sender-pacing.c
 * (decisions put into force, sending) and sender-feedback.c (reports, time).
 */
#ifndef PSP_CORE_SENDER_PRIVATE_H
#define PSP_CORE_SENDER_PRIVATE_H

#include "sender.h"

#include "meter.h"
#include "notices.h"
#include "senderreports.h"

struct PspSender
{
  PspHistory *history;
  PspController *controller;
  PspDecision decision;         /* the controller's */
  PspLimits limits;
  bool pairs;
  PspPacer pacer;
  PspGapStats gaps;
  PspMeter meter;
  PspSupervision link;
  PspNotices notices;
  PspSenderReports reports;

  int64_t wanted_period;        /* the controller's, but for min_bitrate */
  int64_t period;               /* of packets of the mean size, in force */
  double mean_payload, mean_size;       /* bytes */
  unsigned n_sizes;             /* measured so far, saturating */
  bool closed;                  /* the window is full */
  int64_t opened_at;            /* when it last was no longer */
  bool backlog;                 /* packets waited behind the last one */
  bool asked;                   /* one waited in vain since */
  bool resuming;                /* upstream waits for any target */
  int64_t last_sent_at;
  int64_t expired_at;
  int64_t ticked_at;
  uint32_t last_payload;        /* bytes, of the packet sent then */
  int64_t limited_until;        /* max_bitrate lets nothing leave before */
  PspSenderStats stats;         /* what is counted here */
};

/* After anything that may have changed a decision or what bounds it. */
void psp_sender_follow (PspSender * s, int64_t now);
/* Upstream that obeys what it was told sends next to nothing, and waits for
 * another figure. */
bool psp_sender_is_awaited (const PspSender * s);
/* Limits that were raised: slots of the old ones end. */
void psp_sender_hurry (PspSender * s);
/* Feedback is back after silence: its schedule ends at once. */
void psp_sender_revive (PspSender * s, int64_t now);
/* When the packet that waits may leave, as supervision wants to know it. */
int64_t psp_sender_ready_at (const PspSender * s, int64_t now);

#endif
