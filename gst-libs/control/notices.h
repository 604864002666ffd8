/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Which decisions of a sender are announced to the pipeline, and when. A
 * decrease of over 5 % is announced at once. Other changes are announced at
 * most once per round trip and per 20 ms, changes under 1 % once per second.
 * The last decision is always announced in the end.
 */
#ifndef CONTROL_NOTICES_H
#define CONTROL_NOTICES_H

#include <control/controller.h>

typedef struct
{
  int64_t target_bitrate;
  int scale;
} PspNoticeContent;

typedef struct
{
  PspNoticeContent content;     /* in force */
  PspNoticeContent announced;
  PspReason reason;             /* of the last change */
  PspReason down;               /* of the last decrease */
  PspReason up;                 /* of the last increase */
  int64_t changed_at;
  /* PSP_TIME_UNKNOWN = nothing announced yet */
  int64_t announced_at;
  bool reset;                   /* the next notice has reason RESET */
} PspNotices;

void psp_notices_init (PspNotices * n);
void psp_notices_update (PspNotices * n, int64_t now, int64_t target_bitrate,
    int scale, PspReason reason);
/* The controller started again: the next notice is RESET and due at once. If
 * nothing was announced yet, the next notice is still START. */
void psp_notices_reset (PspNotices * n, int64_t now);
/* Returns when a notice is due, or PSP_TIME_NEVER. */
int64_t psp_notices_due (const PspNotices * n, int64_t rtt);
/* Returns the reason to announce for the content in force. */
PspReason psp_notices_reason (const PspNotices * n);
/* Records that the content in force has been announced. */
void psp_notices_announced (PspNotices * n, int64_t now);

#endif
