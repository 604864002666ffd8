/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Whether a session still hears from its receiver, and what it may send if
 * not. Only time during which packets were sent, or waited to be, counts as
 * silence: an application that pauses is no broken path.
 */
#ifndef PSP_CORE_SUPERVISION_H
#define PSP_CORE_SUPERVISION_H

#include "types.h"

#define PSP_SUPERVISION_STOP (10 * PSP_SECOND)
#define PSP_SUPERVISION_PROBE PSP_SECOND

/* How the session stands with its feedback. */
typedef enum
{
  PSP_LINK_WAITING,             /* none has come yet */
  PSP_LINK_ALIVE,
  PSP_LINK_SILENT,              /* none for max (4 RTT, 500 ms): the target is
                                   min_bitrate */
  PSP_LINK_STOPPED              /* none for 10 s: media stops as RFC 8083 wants
                                   it, but for one probe packet a second */
} PspLinkState;

typedef struct
{
  PspLinkState state;
  bool required;                /* without feedback nothing may go on */
  int64_t since;                /* when the first packet left that may still be
                                   answered, later by what was idle since;
                                   PSP_TIME_NEVER = all is answered */
  int64_t last_sent_at;
} PspSupervision;

/* required: false for controllers that work without feedback, whose link is
 * never silent. */
void psp_supervision_init (PspSupervision * s, bool required);
/* Another controller does, or does not: what went before it is no silence. */
void psp_supervision_require (PspSupervision * s, bool required);
/* Until now the application had paused: silence begins anew. */
void psp_supervision_resume (PspSupervision * s, int64_t now);
/* ready_at, here and below: when the packet that waits may leave, or might
 * have left: PSP_TIME_NEVER = not without feedback, PSP_TIME_UNKNOWN = none
 * waits. */
void psp_supervision_sent (PspSupervision * s, int64_t now, int64_t rtt,
    int64_t ready_at);
/* Both true where the state changed. */
bool psp_supervision_feedback (PspSupervision * s);
bool psp_supervision_tick (PspSupervision * s, int64_t now, int64_t rtt,
    int64_t ready_at);
/* When the state will change, or PSP_TIME_NEVER. */
int64_t psp_supervision_next (const PspSupervision * s, int64_t rtt,
    int64_t ready_at);
/* max (4 RTT, 500 ms). */
int64_t psp_supervision_patience (int64_t rtt);

#endif
