/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Verifies that a path carries ECN and that the receiver reports it, before all
 * packets leave ECN-capable and as long as they do (RFC 6679 section 7.4, RFC
 * 9000 section 13.4.2). If the verification fails, packets leave Not-ECT.
 *
 * During a test only each fourth packet leaves ECN-capable. If such packets are
 * dropped, the others show that the path is not broken, and most of the media
 * arrives.
 */
#ifndef CONTROL_ECNPATH_H
#define CONTROL_ECNPATH_H

#include <control/report.h>

typedef enum
{
  PSP_ECN_PATH_OFF,             /* ECN is not asked for, or not answered */
  PSP_ECN_PATH_TESTING,
  PSP_ECN_PATH_CAPABLE,
  /* The verdicts below end the verification. */
  PSP_ECN_PATH_BLEACHED,        /* ECT arrives, or is reported, as Not-ECT */
  PSP_ECN_PATH_REMARKED,        /* ECT (0) arrives as ECT (1), or vice versa */
  PSP_ECN_PATH_DROPPED,         /* ECT does not arrive, Not-ECT does */
  PSP_ECN_PATH_NOT_ECHOED       /* no report shows ECT */
} PspEcnVerdict;

typedef struct
{
  PspEcn codepoint;             /* of ECN-capable packets */
  PspEcnVerdict verdict;
  int64_t began_at;             /* PSP_TIME_NEVER = nothing was sent yet */
  int64_t last_sent_at;
  int64_t lasted;               /* ns of sending in the present period */
  unsigned sent;                /* packets sent in the present period */
  unsigned sent_ect;            /* ECN-capable packets among these */
  unsigned kept;                /* ECT that is reported as sent, or as CE */
  unsigned cleared;             /* ECT that is reported as Not-ECT */
  unsigned changed;             /* ECT that is reported as the other ECT */
  unsigned plain;               /* Not-ECT packets that arrived */
} PspEcnPath;

/* Begins to verify another path, receiver or codepoint; PSP_ECN_NOT_ECT turns
 * ECN off. */
void psp_ecn_path_begin (PspEcnPath * p, PspEcn codepoint);
/* Tests a verified path again, because the receiver has fallen silent. */
void psp_ecn_path_doubt (PspEcnPath * p);
/* Returns the codepoint with which the next packet leaves. */
PspEcn psp_ecn_path_next (const PspEcnPath * p);
/* Records that a packet left with that codepoint. */
void psp_ecn_path_sent (PspEcnPath * p, int64_t now);
void psp_ecn_path_report (PspEcnPath * p, const PspReport * report);
/* Returns the name in statistics: "off", "testing", "capable" and so on. */
const char *psp_ecn_verdict_name (PspEcnVerdict verdict);

#endif
