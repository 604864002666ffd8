/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A share beside TCP: CUBIC's window, and how a sender finds out that nobody
 * competes any more. Times are seconds, rates bits/s.
 */
#ifndef CONTROL_COMPETITION_H
#define CONTROL_COMPETITION_H

#include <control/cubic.h>
#include <control/report.h>

typedef struct
{
  PspCubic cubic;
  double rate;                  /* now */
  double longest;               /* lately the longest wait in the queue */
  double ran_at;                /* when `longest` was last updated */
  int64_t episode;              /* losses before this index are answered */
  double lost;                  /* segments that are not answered */
  bool overflowed;              /* the queue, since it began to compete */
  /* a dip: it sends less for a while; dip_until below 0 = no dip */
  double dip_from, dip_until, dip_rate, dip_wait, last_dip, dip_interval;
  double first_interval;        /* between dips, before errors */
  double base;                  /* the delay without a queue, as it was known */
  double stood_at;              /* when a queue was there last */
  double gone_for;              /* for so long a queue is gone for good */
  double left_at;               /* when it last stopped to compete */
} PspCompetition;

/* What the sender knows when a report has come. */
typedef struct
{
  double now, standing, newest; /* waits in the queue */
  double rtt, loop;             /* with the queue; until a change is seen */
  double received;              /* rate */
  double acknowledged;          /* bits */
  double empty;                 /* a queue below this is none */
  double base;                  /* the delay without a queue; of any clock */
  int64_t next_index;           /* of the next packet to leave */
} PspCompetitionInput;

void psp_competition_init (PspCompetition * c, double dip_interval);
/* Sets the time between dips. What errors have made of it is kept if it is the
 * same as before. */
void psp_competition_set_interval (PspCompetition * c, double dip_interval);
/* Begins with what the rate holds under way, or with what it had lately. */
void psp_competition_begin (PspCompetition * c, double rate,
    const PspCompetitionInput * in);
/* Returns false when it may stop to compete: the queue is gone. */
bool psp_competition_run (PspCompetition * c, const PspReport * report,
    const PspCompetitionInput * in);
/* True if it stopped so lately that a queue means the same competitor, who is one
 * that lets queues overflow. */
bool psp_competition_is_recent (const PspCompetition * c, double now);

#endif
