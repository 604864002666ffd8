/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/ecnpath.h>

#include <string.h>

/* ns of sending until a verdict. */
#define PERIOD (2 * PSP_SECOND)
/* ns. No more than this of a pause counts as sending. */
#define LONGEST_GAP (250 * PSP_MSECOND)
/* Packets. A period has this many ECN-capable ones at least, so that losses by
 * chance do not decide. */
#define LEAST_PACKETS 8
/* During a test one packet in this many is ECN-capable. */
#define TEST_SHARE 4

static void
begin_period (PspEcnPath * p, PspEcnVerdict verdict)
{
  p->verdict = verdict;
  p->lasted = 0;
  p->sent = p->sent_ect = 0;
  p->kept = p->cleared = p->changed = p->plain = 0;
}

void
psp_ecn_path_begin (PspEcnPath * p, PspEcn codepoint)
{
  memset (p, 0, sizeof *p);
  p->codepoint = codepoint;
  p->began_at = PSP_TIME_NEVER;
  begin_period (p, codepoint == PSP_ECN_NOT_ECT ? PSP_ECN_PATH_OFF :
      PSP_ECN_PATH_TESTING);
}

void
psp_ecn_path_doubt (PspEcnPath * p)
{
  if (p->verdict == PSP_ECN_PATH_CAPABLE)
    begin_period (p, PSP_ECN_PATH_TESTING);
}

PspEcn
psp_ecn_path_next (const PspEcnPath * p)
{
  bool capable = p->verdict == PSP_ECN_PATH_CAPABLE
      || (p->verdict == PSP_ECN_PATH_TESTING
      && TEST_SHARE * p->sent_ect <= p->sent);

  return capable ? p->codepoint : PSP_ECN_NOT_ECT;
}

/* Returns the verdict of a period. A path that bleaches some packets is judged
 * by the larger part of them. */
static PspEcnVerdict
judge (const PspEcnPath * p)
{
  if (p->cleared + p->changed > p->kept)
    return p->cleared >= p->changed ? PSP_ECN_PATH_BLEACHED :
        PSP_ECN_PATH_REMARKED;
  if (p->kept > 0 || p->verdict == PSP_ECN_PATH_CAPABLE)
    return PSP_ECN_PATH_CAPABLE;
  return p->plain > 0 ? PSP_ECN_PATH_DROPPED : PSP_ECN_PATH_NOT_ECHOED;
}

static bool
is_judged (const PspEcnPath * p)
{
  return p->verdict != PSP_ECN_PATH_TESTING
      && p->verdict != PSP_ECN_PATH_CAPABLE;
}

void
psp_ecn_path_sent (PspEcnPath * p, int64_t now)
{
  if (is_judged (p))
    return;
  if (p->began_at == PSP_TIME_NEVER)
    p->began_at = p->last_sent_at = now;
  p->lasted += MIN (now - p->last_sent_at, LONGEST_GAP);
  p->last_sent_at = now;
  p->sent_ect += psp_ecn_path_next (p) != PSP_ECN_NOT_ECT;
  p->sent++;
  if (p->lasted >= PERIOD && p->sent_ect >= LEAST_PACKETS)
    begin_period (p, judge (p));
}

void
psp_ecn_path_report (PspEcnPath * p, const PspReport * report)
{
  size_t i;

  if (is_judged (p))
    return;
  for (i = 0; i < report->n_results; i++) {
    const PspPacketResult *r = &report->results[i];

    if (r->outcome == PSP_OUTCOME_LOST || r->sent_at < p->began_at)
      continue;
    if (r->sent_ecn == PSP_ECN_NOT_ECT)
      p->plain++;
    else if (r->ecn == r->sent_ecn || r->ecn == PSP_ECN_CE)
      p->kept++;
    else if (r->ecn == PSP_ECN_NOT_ECT)
      p->cleared++;
    else
      p->changed++;
  }
  if (p->verdict == PSP_ECN_PATH_TESTING && p->kept > 0
      && p->cleared + p->changed == 0)
    begin_period (p, PSP_ECN_PATH_CAPABLE);
}

const char *
psp_ecn_verdict_name (PspEcnVerdict verdict)
{
  static const char *const names[] = {
    [PSP_ECN_PATH_OFF] = "off",
    [PSP_ECN_PATH_TESTING] = "testing",
    [PSP_ECN_PATH_CAPABLE] = "capable",
    [PSP_ECN_PATH_BLEACHED] = "bleached",
    [PSP_ECN_PATH_REMARKED] = "remarked",
    [PSP_ECN_PATH_DROPPED] = "dropped",
    [PSP_ECN_PATH_NOT_ECHOED] = "not-echoed"
  };

  return names[verdict];
}
