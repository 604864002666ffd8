/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Whether a path carries ECN and the receiver reports it: verified before all
 * packets leave ECN-capable, and as long as they do (RFC 6679 section 7.4, RFC
 * 9000 section 13.4.2). Where it does not, packets leave Not-ECT.
 *
 * While in doubt, only each fourth packet leaves ECN-capable: where such packets
 * are dropped, the others show that it is not the path that is broken, and most
 * of the media arrives.
 */
#ifndef CONTROL_ECNPATH_H
#define CONTROL_ECNPATH_H

#include <control/report.h>

typedef enum
{
  PSP_ECN_PATH_OFF,             /* nobody asked for it, or would answer marks */
  PSP_ECN_PATH_TESTING,
  PSP_ECN_PATH_CAPABLE,
  /* These end it. */
  PSP_ECN_PATH_BLEACHED,        /* ECT arrives, or is reported, as Not-ECT */
  PSP_ECN_PATH_REMARKED,        /* ECT (0) arrives as ECT (1), or vice versa */
  PSP_ECN_PATH_DROPPED,         /* ECT does not arrive, Not-ECT does */
  PSP_ECN_PATH_NOT_ECHOED       /* no report tells of ECT */
} PspEcnVerdict;

typedef struct
{
  PspEcn codepoint;             /* of ECN-capable packets */
  PspEcnVerdict verdict;
  int64_t began_at;             /* PSP_TIME_NEVER = nothing was sent yet */
  int64_t last_sent_at;
  /* of the present period */
  int64_t lasted;               /* ns of sending */
  unsigned sent, sent_ect;
  /* reported: ECT as it was sent or CE, Not-ECT, the other ECT; and Not-ECT that
   * was sent so */
  unsigned kept, cleared, changed, plain;
} PspEcnPath;

/* Another path, receiver or codepoint; PSP_ECN_NOT_ECT ends it. */
void psp_ecn_path_begin (PspEcnPath * p, PspEcn codepoint);
/* The receiver has fallen silent: what was verified is in doubt. */
void psp_ecn_path_doubt (PspEcnPath * p);
/* With what the next packet leaves. */
PspEcn psp_ecn_path_next (const PspEcnPath * p);
/* It left so. */
void psp_ecn_path_sent (PspEcnPath * p, int64_t now);
void psp_ecn_path_report (PspEcnPath * p, const PspReport * report);
/* As in statistics: "off", "testing", "capable" and so on. */
const char *psp_ecn_verdict_name (PspEcnVerdict verdict);

#endif
