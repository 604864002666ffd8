/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Whether feedback from the receiver still arrives, and what a session may send
 * without it. Only time in which packets were sent, or waited to be sent,
 * counts as silence: a paused application does not mean a broken path.
 */
#ifndef CONTROL_SUPERVISION_H
#define CONTROL_SUPERVISION_H

#include <control/types.h>

/* When a session expects feedback, and what it does without feedback. */
typedef struct
{
  /* ns; a receiver reports at least this often while packets arrive */
  int64_t report_interval;
  /* ns; a shorter time without feedback is not silence */
  int64_t min_silence;
  /* fewer round trips without feedback are not silence */
  unsigned silence_rtts;
  int64_t stop_after;           /* ns of silence after which media stops */
  /* ns between probe packets while media is stopped */
  int64_t probe_interval;
} PspFeedbackTiming;

/* The timing unless another one is given: reports each 25 ms, silence after
 * 500 ms and 4 round trips. Media stops after 10 s (RFC 8083 section 4), with
 * one probe per second. */
extern const PspFeedbackTiming psp_feedback_timing_default;

/* The state of a session's feedback. */
typedef enum
{
  PSP_LINK_WAITING,             /* no feedback has come yet */
  PSP_LINK_ALIVE,
  /* no feedback for max (silence_rtts, min_silence): the target is
   * min_bitrate */
  PSP_LINK_SILENT,
  /* no feedback for stop_after: media stops as RFC 8083 requires, and one probe
   * packet leaves each probe_interval */
  PSP_LINK_STOPPED
} PspLinkState;

typedef struct
{
  const PspFeedbackTiming *timing;
  PspLinkState state;
  bool required;                /* the session may not go on without feedback */
  /* When the first unanswered packet left, plus idle time since then;
   * PSP_TIME_NEVER = every packet is answered. */
  int64_t since;
  int64_t last_sent_at;
} PspSupervision;

/* `timing` must outlive the supervision. `required` is false for controllers
 * that work without feedback; their link is never silent. */
void psp_supervision_init (PspSupervision * s,
    const PspFeedbackTiming * timing, bool required);
/* Another controller requires feedback or does not. The time before does not
 * count as silence. */
void psp_supervision_require (PspSupervision * s, bool required);
/* The application was paused until now: silence is counted from now on. */
void psp_supervision_resume (PspSupervision * s, int64_t now);
/* ready_at, here and below, is when the waiting packet may leave or might have
 * left. PSP_TIME_NEVER = not without feedback; PSP_TIME_UNKNOWN = no packet
 * waits. */
void psp_supervision_sent (PspSupervision * s, int64_t now, int64_t rtt,
    int64_t ready_at);
/* These two return true if the state changed. */
bool psp_supervision_feedback (PspSupervision * s);
bool psp_supervision_tick (PspSupervision * s, int64_t now, int64_t rtt,
    int64_t ready_at);
/* Returns when the state will change, or PSP_TIME_NEVER. */
int64_t psp_supervision_next (const PspSupervision * s, int64_t rtt,
    int64_t ready_at);
/* Returns the time without feedback that is not silence yet, in ns. */
int64_t psp_supervision_silence (const PspSupervision * s, int64_t rtt);

#endif
