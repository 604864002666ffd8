/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The state of a sender, shared by sender.c (creation, settings, reports, time,
 * notices) and sender-pacing.c (putting decisions into force, sending).
 */
#ifndef CONTROL_SENDER_PRIVATE_H
#define CONTROL_SENDER_PRIVATE_H

#include <control/call.h>
#include <control/gapstats.h>
#include <control/meter.h>
#include <control/notices.h>

struct PspSender
{
  PspHistory *history;
  PspController *controller;
  PspDecision decision;         /* the controller's latest decision */
  PspLimits limits;
  const PspFeedbackTiming *timing;
  bool pairs;
  PspPacer pacer;
  PspGapStats gaps;
  PspMeter meter;
  PspSupervision link;
  PspNotices notices;

  /* the controller's period, bounded by min_bitrate */
  int64_t wanted_period;
  /* the period in force for packets of the mean size */
  int64_t period;
  double mean_payload, mean_size;       /* bytes */
  /* packets measured for the mean, stops at SIZES_MEASURED */
  unsigned n_sizes;
  bool closed;                  /* the window is full */
  int64_t opened_at;            /* when the window last opened */
  bool backlog;                 /* packets waited behind the last one */
  /* a packet has waited for its turn since then */
  bool waiting;
  bool resuming;                /* upstream waits for any target */
  int64_t last_sent_at;
  int64_t expired_at;
  int64_t ticked_at;
  uint32_t last_payload;        /* bytes, of the packet sent then */
  /* max_bitrate lets nothing leave before this time */
  int64_t limited_until;
  PspSenderStats stats;         /* the counters among the statistics */
  PspSenderObserver observer;   /* NULL = none */
  void *observer_data;
};

/* Puts decisions into force. It is called after any change of a decision or of
 * its limits. */
void psp_sender_apply (PspSender * s, int64_t now);
/* True if upstream that obeys the last notice sends next to nothing and waits
 * for another target. */
bool psp_sender_is_awaited (const PspSender * s);
/* The limits were raised: the slot that was based on the old limits ends. */
void psp_sender_end_slot (PspSender * s);
/* Feedback came back after silence: the schedule of silence ends at once. */
void psp_sender_end_silence (PspSender * s, int64_t now);
/* Returns when the waiting packet may leave, in the form that supervision
 * takes. */
int64_t psp_sender_ready_at (const PspSender * s, int64_t now);

/* The numbers of a call, and how many they are. */
#define PSP_NUMBERS(...) \
  (const int64_t[]) { __VA_ARGS__ }, \
  sizeof ((const int64_t[]) { __VA_ARGS__ }) / sizeof (int64_t)

/* These report the calls of sender.h to the observer, which must exist. */
void psp_observe (const PspSender * s, PspCallKind kind, const int64_t * in,
    unsigned n_in, const int64_t * out, unsigned n_out);
/* For calls whose effect shows only in the state that they leave behind. */
void psp_observe_change (const PspSender * s, PspCallKind kind, int64_t now,
    const int64_t * in, unsigned n_in);
/* The same; the controller and its parameters follow the numbers. */
void psp_observe_controller (const PspSender * s, PspCallKind kind, int64_t now,
    const int64_t * in, unsigned n_in);
void psp_observe_acknowledge (const PspSender * s, const PspFeedback * feedback,
    int64_t now);
void psp_observe_notice (const PspSender * s, int64_t now, bool due,
    const PspNotice * notice);

#endif
