/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the pipeline is told of a sender's decisions, and when: a decrease of
 * over 5 % at once, anything else once a round trip and 20 ms at most, less
 * than 1 % once a second. The last decision is always told in the end.
 */
#ifndef PSP_CORE_NOTICES_H
#define PSP_CORE_NOTICES_H

#include "controller.h"

typedef struct
{
  int64_t target_bitrate;
  int scale;
} PspNoticeContent;

typedef struct
{
  PspNoticeContent content;     /* in force */
  PspNoticeContent told;
  PspReason reason;             /* of the last change */
  PspReason down, up;           /* of the last change of that direction */
  int64_t changed_at;
  int64_t told_at;              /* PSP_TIME_UNKNOWN = nothing told yet */
  bool reset;                   /* RESET is to be told */
} PspNotices;

void psp_notices_init (PspNotices * n);
void psp_notices_update (PspNotices * n, int64_t now, int64_t target_bitrate,
    int scale, PspReason reason);
/* The controller began anew: the next notice is RESET, and due at once; where
 * nothing was told yet, it is still START. */
void psp_notices_reset (PspNotices * n, int64_t now);
/* When a notice is due, or PSP_TIME_NEVER. */
int64_t psp_notices_due (const PspNotices * n, int64_t rtt);
/* The reason to tell for the content in force. */
PspReason psp_notices_reason (const PspNotices * n);
/* The content in force has been told. */
void psp_notices_told (PspNotices * n, int64_t now);

#endif
