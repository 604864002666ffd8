/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The state of the controller "poise", shared by cc-poise.c (its rate),
 * poise-pacing.c (target, pace and window), poise-start.c (the start, also after
 * an outage), poise-arrivals.c (capacity, waits) and poise-contention.c (giving
 * way, competing, losses and marks).
 */
#ifndef CONTROL_POISE_PRIVATE_H
#define CONTROL_POISE_PRIVATE_H

#include <control/competition.h>
#include <control/controller.h>
#include <control/estimators.h>
#include <control/losstest.h>
#include <control/pipe.h>
#include <control/queueing.h>
#include <control/receivedrate.h>
#include <control/trains.h>

#include <math.h>

/* The places of the parameters in their table. */
enum
{
  HEADROOM,
  GAIN,
  THRESHOLD,
  DECREASE,
  INCREASE,
  GROWTH,
  DRAIN,
  SLACK,
  SPAN,
  COMPETE_AFTER,
  YIELDED_SHARE,
  DIP_INTERVAL,
  TOLERATED_LOSS,
  BACKLOG_REDUCTION,
  DELAY_LIFE
};

/* Least rate and target, bits/s. With less, encoders make packets that are
 * mostly headers. */
#define POISE_MIN_RATE 30e3
#define POISE_MAX_RATE 1e11     /* bits/s */
#define POISE_HEADERS (8. * 28) /* bits of UDP and IPv4 */
#define POISE_RECEIVED_SPAN .3  /* s, over which the received rate is judged */
/* bits/s; the start where nothing is said, which needs no proof. */
#define POISE_START_RATE 300e3

typedef enum
{
  POISE_START,
  POISE_DELAY,
  POISE_COMPETE
} PoiseMode;

typedef struct
{
  PspController base;
  PoiseMode mode;
  double rate;                  /* R: bits/s of IP packets, as all rates here */
  double capacity;              /* C */
  double now;                   /* s; of the last report, as all times here */
  double received_at;           /* of the last one with a packet received */
  PspQueueing queueing;
  PspTrains trains;
  PspReceivedRate received;
  PspLossTest loss_test;
  PspCompetition competition;
  PspDelay rtt;                 /* ns */
  double base_rtt;              /* without queues */
  double base_before;           /* smallest one-way delay, a second ago */
  double hold;                  /* longest wait of a packet for its report */
  double threshold;             /* h (R) */
  PspPipe pipe;
  int64_t next_index;
  /* bits before the first answer; −∞ = it came */
  double sent_unanswered;
  bool answer_late;             /* more of them than a start may send */
  double trained_at;            /* the last measurement */
  double verified;              /* of C, by trains */
  double train_ratio;           /* log of out / in of the trains, smoothed */
  unsigned n_saturated;         /* measurements in a row */
  unsigned n_free;              /* in a row that were faster than C */
  double settled_at;            /* a silence or a competition ended */
  bool gone;                    /* packets waited for so long as in an outage */
  double stood;                 /* s; longest of a report, or just before it */
  double own, own_at;           /* bits in the queue, if it were alone */
  double decreased_at, capped_since;
  double limited_at;            /* the application last had nothing to send */
  /* the queue that stands; stands_since below 0 = none */
  double stands_since, stands_above, received_before, least_wait, most_wait;
  double before;                /* R before others came */
  double even;                  /* R while it competes, smoothed */
  /* a queue that overflows */
  double overflows, overflowed_at, longest_wait;
  double marks;                 /* share of marked packets, smoothed */
  double heeded_at;             /* s; when `marks` last took a share */
  double n_decided, n_marked;   /* packets received since then; marked ones */
  bool scalable;                /* packets leave with ECT(1) */
  double marked_at;
  double bucket, bucket_at;     /* bits of frames ahead of the capacity */
  bool full;
  unsigned backlog;             /* packets that wait in the sender */
  unsigned left_over;           /* of them, from before the newest frame */
} Poise;

static inline double
psp_poise_clamp (double x, double least, double most)
{
  return x < least ? least : x > most ? most : x;
}

/* Bits of an IP packet of the mean size. */
double psp_poise_packet_bits (const Poise * c);
/* s until the effect of a change of the target is seen. */
double psp_poise_loop (const Poise * c);
/* Where reports are rare they bring much at once. */
double psp_poise_received_rate (const Poise * c, double span);
/* h: the standing queue that flows of this kind leave to one another. */
double psp_poise_threshold_at (const Poise * c, double rate);
void psp_poise_decrease (Poise * c, double factor, PspReason reason,
    PspDecision * d);
void psp_poise_enter_delay (Poise * c);

/* Publishes the target, pace and window of the rate as it is. */
void psp_poise_publish (Poise * c, PspDecision * d);
void psp_poise_on_sent (PspController * base, const PspSent * sent,
    PspDecision * d);
/* Marks tell the capacity sooner than trains, which would make more of them. */
bool psp_poise_heeds_marks (const Poise * c);

void psp_poise_enter_start (Poise * c);
/* dt s have passed since the last report. */
void psp_poise_run_start (Poise * c, double dt);
void psp_poise_end_start (Poise * c);
/* Starts again where a path that was all but gone is back, or a queue is gone that
 * had passed for the path. */
void psp_poise_start_again (Poise * c);

/* Takes what was received, dt s after the last report; returns the bits of it. */
double psp_poise_take_arrivals (Poise * c, const PspReport * report,
    double dt);
/* A queue that stands: gives way, and competes if that does not help. */
void psp_poise_follow_standing (Poise * c);
/* What the network says beside its delay: losses and marks. */
void psp_poise_heed_signals (Poise * c, const PspReport * report, double dt,
    PspDecision * d);
void psp_poise_run_compete (Poise * c, const PspReport * report, double dt,
    double acknowledged);

#endif
