/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The state of a sender, shared by sender.c (reports, decisions in force,
 * notices), sender-settings.c (its start and its owner's changes) and
 * sender-pacing.c (when packets leave, timers).
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
  int64_t reserved;             /* bits/s of the target, not for media */
  PspFeedbackTiming timing;
  bool pairs;
  PspEcn ecn_asked;             /* codepoint that the caller asked for */
  PspEcnPath ecn;
  PspPacer pacer;
  PspGapStats gaps;
  PspMeter meter;
  PspSupervision link;
  PspNotices notices;
  int64_t whole_target;         /* target in force, with what is reserved */

  /* the controller's period, bounded by min_bitrate */
  int64_t wanted_period;
  /* the period in force for packets of the mean size */
  int64_t period;
  /* packets measured for the mean, stops at SIZES_MEASURED */
  unsigned n_sizes;
  bool closed;                  /* the window is full */
  bool probing;                 /* one packet may leave a full window */
  bool probed;                  /* one has left, and the window is still full */
  int64_t heard_at;             /* when a report last had arrivals */
  int64_t opened_at;            /* when the window last opened */
  /* a packet waited behind the last one, or has waited since it left */
  bool waits;
  bool resuming;                /* upstream waits for any target */
  int64_t last_sent_at;
  int64_t expired_at;
  int64_t ticked_at;
  uint32_t last_payload;        /* payload bytes of the last packet sent */
  /* max_bitrate lets nothing leave before this time */
  int64_t limited_until;
  PspSenderStats stats;         /* the counters among the statistics */
  PspSenderObserver observer;   /* NULL = none */
  void *observer_data;
};

/* Bits/s. This target is announced to an upstream that waits while the
 * controller knows no target yet. Packets at this rate are enough to measure
 * round trips. */
#define PSP_RESUMING_BITRATE 64000

/* Returns the period of packets of this many bits at a bitrate above 0. */
static inline int64_t
psp_period_of (double bits, double bitrate)
{
  return (int64_t) (bits * PSP_SECOND / bitrate);
}

static inline bool
psp_sender_is_silent (const PspSender * s)
{
  return s->link.state == PSP_LINK_SILENT || s->link.state == PSP_LINK_STOPPED;
}

/* Returns the rate that may be sent whatever the controller says. In silence no
 * more than this is sent. It is never 0, because feedback cannot return without
 * packets. */
double psp_sender_floor (const PspSender * s);
/* Returns how many packets may be in flight. */
int64_t psp_sender_window (const PspSender * s);
/* Puts decisions into force. It is called after any change of a decision or of
 * its limits. */
void psp_sender_apply (PspSender * s, int64_t now);
/* Verifies ECN anew, because the path, the receiver or the controller has
 * changed. */
void psp_sender_verify_ecn (PspSender * s);
/* Passes a report to the controller and to the meters. */
void psp_sender_take_report (PspSender * s, const PspReport * report);
/* Returns when the waiting packet may leave, in the form that supervision
 * takes. */
int64_t psp_sender_ready_at (const PspSender * s, int64_t now);

/* Expands to the numbers of a call and to their count. */
#define PSP_NUMBERS(...) \
  (const int64_t[]) { __VA_ARGS__ }, \
  sizeof ((const int64_t[]) { __VA_ARGS__ }) / sizeof (int64_t)

/* These report the calls of sender.h to the observer, which must exist. */
void psp_observe (const PspSender * s, PspCallKind kind, const int64_t * in,
    unsigned n_in, const int64_t * out, unsigned n_out);
/* Reports a call whose effect shows only in the state that it leaves behind. */
void psp_observe_change (const PspSender * s, PspCallKind kind, int64_t now,
    const int64_t * in, unsigned n_in);
/* Reports the timing in force. */
void psp_observe_timing (const PspSender * s, int64_t now);
/* Reports such a call with the controller and its parameters, which follow the
 * numbers. */
void psp_observe_controller (const PspSender * s, PspCallKind kind, int64_t now,
    const int64_t * in, unsigned n_in);
void psp_observe_acknowledge (const PspSender * s, const PspFeedback * feedback,
    int64_t now);
void psp_observe_notice (const PspSender * s, int64_t now, bool due,
    const PspNotice * notice);

#endif
