/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The state of the controller "poise", shared by cc-poise.c (its rate),
 * poise-pacing.c (target, pace and window), poise-start.c (the start, also
 * after an outage), poise-arrivals.c (capacity, waits), poise-contention.c
 * (giving way, competing, losses), poise-marks.c (answers to marks) and
 * poise-bursts.c (what was given up in vain).
 */
#ifndef CONTROL_POISE_PRIVATE_H
#define CONTROL_POISE_PRIVATE_H

#include <control/controller.h>
#include <control/flight.h>
#include <control/path.h>
#include <control/poise/competition.h>
#include <control/poise/losstest.h>
#include <control/poise/queueing.h>
#include <control/poise/receivedrate.h>
#include <control/poise/sawtooth.h>
#include <control/poise/signs.h>
#include <control/poise/trains.h>

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
#define POISE_RECEIVED_SPAN .3  /* s; rates received are over this time */
/* bits/s. R begins with this unless the application sets another start. A start
 * up to this needs no answer. */
#define POISE_START_RATE 300e3

typedef enum
{
  POISE_START,
  POISE_DELAY,
  POISE_COMPETE
} PoiseMode;

typedef struct
{
  double since, until;          /* s; its start and end */
  double rate, capacity;        /* R and C at its end */
  double decreased_at;          /* when R had last decreased then */
} PoiseCalm;

typedef struct
{
  PspController base;
  PoiseMode mode;
  double rate;                  /* R: bits/s of IP packets, as all rates here */
  double capacity;              /* C: the path's capacity, as estimated */
  double now;                   /* time of the last report; all times are s */
  double received_at;           /* time of the last report with an arrival */
  PspQueueing queueing;
  PspTrains trains;
  PspReceivedRate received;
  PspLossTest loss_test;
  PspCompetition competition;
  PspDelay rtt;                 /* ns; round trip, queues included */
  double base_rtt;              /* base round trip: without queues */
  double base_before;           /* smallest one-way delay, a second ago */
  double hold;                  /* longest wait of a packet for its report */
  double threshold;             /* h (R): the threshold of standing waits */
  PspFlight flight;
  int64_t next_index;           /* of the next packet to leave */
  /* bits sent before the first answer; −∞ = an answer has come */
  double sent_unanswered;
  bool answer_late;             /* too much was sent without an answer */
  double trained_at;            /* time of the last measurement by trains */
  double verified;              /* the part of C that trains have shown */
  double train_ratio;           /* log of out / in of the trains, smoothed */
  unsigned n_saturated;         /* saturated measurements in a row */
  unsigned n_free;              /* measurements above C in a row */
  double among_others_at;       /* when others' packets last slowed a train */
  double settled_at;            /* when a silence or competing last ended */
  /* Packets waited as long as in an outage, and that wait is not gone yet. */
  bool gone;
  bool hidden;                  /* others' queue has hidden the capacity */
  /* s; longest standing wait of the last report, or just before it */
  double stood;
  double own;                   /* bits of its own that a link of C holds */
  double own_at;                /* when the last packet in `own` left */
  double decreased_at;          /* when R last decreased */
  double lost_at;               /* when a packet was last lost beside a queue */
  PoiseCalm calm;               /* the last time without a queue */
  bool disturbed;               /* a queue has stood since then */
  double others_longest;        /* s; longest wait of others since then */
  double regained;              /* R before a burst, taken back; 0 = none */
  double capped_since;          /* since when C limits R */
  /* when the application last had nothing to send */
  double limited_at;
  double stands_since;          /* since when a queue stands; < 0 = none */
  double stands_above;          /* s; the threshold that it exceeded then */
  double received_before;       /* bits/s received a loop later; < 0 = none */
  double least_wait;            /* s; shortest wait since that loop */
  double most_wait;             /* s; longest wait since that loop */
  /* s; with a smaller base the path had not become longer. −∞ = it has not */
  double longer_base;
  double mistaken_at;           /* when that was last found */
  double before;                /* largest R lately, fading */
  double even;                  /* R while it competes, smoothed */
  PspSigns signs;               /* of a competitor */
  PspSawtooth sawtooth;         /* of a competitor that fills a short queue */
  double overflowed_at;         /* when the queue last overflowed */
  bool sign_counted;            /* of the queue that stands */
  double longest_wait;          /* s; longest wait lately, fading */
  double marks;                 /* share of marked packets, smoothed */
  double marks_at;             /* when `marks` was last updated */
  double n_arrived;             /* packets received since marks_at */
  double n_marked;              /* marked packets among these */
  bool ect1;                    /* packets leave with ECT(1) */
  double marked_wait;           /* s; shortest waits of marked packets, fading */
  double marked_at;             /* when marks were last answered */
  double fair_window;           /* segments; TCP's with the same marks */
  double bucket;                /* bits of frames ahead of the capacity */
  double bucket_at;             /* when the bucket was last filled */
  bool full;                    /* the bucket was full and is not empty yet */
  unsigned backlog;             /* packets that wait in the sender */
  unsigned left_over;           /* packets of earlier frames among these */
} Poise;

static inline double
psp_poise_clamp (double x, double least, double most)
{
  return x < least ? least : x > most ? most : x;
}

/* Returns the bits of an IP packet of the mean size. */
double psp_poise_packet_bits (const Poise * c);
/* Returns the loop: s until the effect of a change of the target is seen. */
double psp_poise_loop (const Poise * c);
/* Returns the round trip over which windows of TCP are spread. */
double psp_poise_round_trip (const Poise * c);
/* Returns the rate received over `span` seconds, or over 1.5 times the longest
 * wait for a report if that is more: rare reports bring much at once. */
double psp_poise_received_rate (const Poise * c, double span);
/* Returns h (rate), the standing queue that flows of this kind leave to one
 * another. */
double psp_poise_threshold_at (const Poise * c, double rate);
void psp_poise_decrease (Poise * c, double factor, PspReason reason,
    PspDecision * d);
void psp_poise_enter_delay (Poise * c);

/* Publishes the target, pace and window of the rate as it is. */
void psp_poise_publish (Poise * c, PspDecision * d);
void psp_poise_on_sent (PspController * base, const PspSent * sent,
    PspDecision * d);
/* True if marks are those of a queue for L4S, and answered by their share:
 * packets leave with ECT(1), and no classic queue marks them. */
bool psp_poise_is_scalable (const Poise * c);
/* True if marks have been answered lately. */
bool psp_poise_is_marked (const Poise * c);
/* True if they were those of a queue for L4S, which are frequent. They show the
 * capacity sooner than trains, which would cause more marks. */
bool psp_poise_is_marked_often (const Poise * c);
/* Answers marks once in a round trip: a mark as a loss (RFC 3168 section 5), but
 * the frequent marks of a queue for L4S by their share, as DCTCP does (RFC 8257
 * section 3.3). */
void psp_poise_answer_marks (Poise * c, PspDecision * d);
/* Raises R to what TCP has with the same marks. */
void psp_poise_follow_marks (Poise * c, double acknowledged);

/* True if there is no queue. */
bool psp_poise_is_calm (const Poise * c);
/* Takes back what was given up for a burst of others' packets that is over. */
void psp_poise_follow_bursts (Poise * c);

void psp_poise_enter_start (Poise * c);
/* Runs the start for a report that came dt s after the last one. */
void psp_poise_run_start (Poise * c, double dt);
void psp_poise_end_start (Poise * c);
/* Starts again if a path that was all but gone is back, or if a queue is gone
 * that had passed for the path, or had hidden its capacity. */
void psp_poise_start_again (Poise * c);

/* Takes what a report says was received, dt s after the last report. Returns
 * its bits. */
double psp_poise_take_arrivals (Poise * c, const PspReport * report,
    double dt);
/* Watches a queue that stands, and competes if giving way has not helped. */
void psp_poise_follow_standing (Poise * c);
/* Answers losses and marks. */
void psp_poise_answer_signals (Poise * c, const PspReport * report, double dt,
    PspDecision * d);
/* Runs the competition. acknowledged: bits that the report says were
 * received. */
void psp_poise_run_compete (Poise * c, const PspReport * report, double dt,
    double acknowledged);

#endif
