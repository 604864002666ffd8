/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A share beside TCP: CUBIC's window, and how a sender finds out that no other
 * flow competes any more. Times are seconds, rates bits/s.
 */
#ifndef CONTROL_POISE_COMPETITION_H
#define CONTROL_POISE_COMPETITION_H

#include <control/poise/cubic.h>
#include <control/report.h>

typedef struct
{
  PspCubic cubic;
  double rate;                  /* the present rate */
  /* longest wait since the queue last overflowed, or since the begin */
  double longest;
  int64_t episode;              /* losses before this index are answered */
  double lost;                  /* lost segments that are not answered yet */
  /* A queue has overflowed since the sender began to compete, or the competitor
   * was known to let queues overflow. */
  bool overflowed;
  /* In a dip the sender sends less for a while, to see whether it is alone. */
  double dip_from;              /* when the dip began */
  double dip_until;             /* when the dip ends; below 0 = no dip */
  double dip_rate;              /* largest rate during the dip */
  double dip_wait;              /* least wait when the dip began */
  double last_dip;              /* when the last dip ended */
  double dip_interval;          /* least time between two dips */
  double first_interval;        /* dip_interval before any errors */
  double base;                  /* delay without a queue, as known so far */
  double stood_at;              /* when there was last a queue */
  double gone_for;              /* time without a queue that ends competing */
  double left_at;               /* when the sender last stopped competing */
} PspCompetition;

/* What the sender knows when a report has come. */
typedef struct
{
  double now;                   /* time of the report */
  double standing;              /* least wait in the queue */
  double newest;                /* wait of the newest packet in the queue */
  double rtt;                   /* round trip, with the queue */
  double loop;                  /* time until a change of the rate is seen */
  double received;              /* rate received */
  double acknowledged;          /* bits that the report acknowledges */
  double empty;                 /* wait; a shorter queue counts as none */
  double base;                  /* delay without a queue, by any clock */
  int64_t next_index;           /* of the next packet to leave */
} PspCompetitionInput;

void psp_competition_init (PspCompetition * c, double dip_interval);
/* Sets the time between dips. If it is the same as before, the longer time that
 * errors have made of it is kept. */
void psp_competition_set_interval (PspCompetition * c, double dip_interval);
/* Begins to compete with the window that this rate fills, or with the last
 * window if the sender has competed recently. */
void psp_competition_begin (PspCompetition * c, double rate,
    const PspCompetitionInput * in);
/* Takes a report. Returns false when the sender may stop competing, because the
 * queue is gone. */
bool psp_competition_run (PspCompetition * c, const PspReport * report,
    const PspCompetitionInput * in);
/* True if the sender stopped competing so recently that a queue is the same
 * competitor's, and that competitor lets queues overflow. */
bool psp_competition_is_recent (const PspCompetition * c, double now);

#endif
