/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a session asked of its sender (GST_DEBUG=pspcalls:7), asked of a fresh
 * one in virtual time, line by line of the log.
 */
#ifndef PSP_REPLAY_H
#define PSP_REPLAY_H

#include "calltext.h"

typedef enum
{
  PSP_REPLAY_OTHER,             /* the line is none of this session's */
  PSP_REPLAY_SAME,              /* the answer is the one recorded */
  PSP_REPLAY_DIFFERENT,
  PSP_REPLAY_BROKEN             /* no call can be made of the line, or the
                                   session's beginning is missing */
} PspReplayResult;

typedef struct
{
  int64_t session;              /* negative: the first one met */
  PspSender *sender;
  uint64_t calls[PSP_N_CALLS];  /* made */
  int64_t first_at, last_at;    /* of those that say when */
  PspCall recorded, replayed;   /* the last one */
  PspAcknowledgement acknowledgements[PSP_CALL_ACKNOWLEDGEMENTS];
} PspReplay;

void psp_replay_init (PspReplay * r, int64_t session);
void psp_replay_clear (PspReplay * r);
/* A line of a log, without its end, is read and the call made. */
PspReplayResult psp_replay_line (PspReplay * r, const char *line, size_t size);
/* Only reads it, to r->recorded: SAME, OTHER or BROKEN. */
PspReplayResult psp_replay_read (PspReplay * r, const char *line, size_t size);
/* Makes r->recorded; r->replayed is then the same with the answer it got. */
PspReplayResult psp_replay_call (PspReplay * r);

#endif
