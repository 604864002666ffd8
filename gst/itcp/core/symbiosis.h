/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the application makes of TCP's events, after Khan and Zaghal's
 * interactive TCP: each event multiplies the media rate by alpha, and time
 * brings it back to the base by equal steps. The paper gives alpha and the
 * events; step, interval, hold time and floor it leaves open, and what is to
 * be where the network has less to give than the next step asks for: here TCP
 * that does not keep up counts as an event, and before it comes to that, a step
 * behind which a queue in the network grows is taken back.
 */
#ifndef ITCP_CORE_SYMBIOSIS_H
#define ITCP_CORE_SYMBIOSIS_H

#include "queue.h"

typedef struct
{
  bool enabled;                 /* false: the rate stays at the base */
  double alpha;                 /* 0–1, a factor an event */
  int64_t base_bitrate;         /* 0 = what itcp_symbiosis_set_measured says */
  int64_t min_bitrate;          /* the floor, at most the base */
  int64_t step_bitrate;         /* 0 = a twentieth of the base */
  int64_t interval;             /* ns from step to step: a group of pictures */
  int64_t hold;                 /* ns after an event without a step */
  bool step_back;               /* where TCP is behind; else time alone rules */
} ItcpSymbiosisParams;

extern const ItcpSymbiosisParams itcp_symbiosis_defaults;

typedef struct
{
  ItcpSymbiosisParams params;
  int64_t measured;             /* bits/s; 0 = unknown */
  int64_t rate;                 /* bits/s; also 0 while it is not known */
  int64_t next_step;            /* or ITCP_TIME_NEVER: it has come to the base,
                                   and TCP keeps up with that */
  int64_t rtt;                  /* ns; 0 = unknown */
  int64_t quiet_until;          /* no step is told before */
  bool kept_up, behind;         /* what looks since the last step found */
  int64_t rise;                 /* the last step, bits/s; 0 = not one up */
  bool grows;                   /* the backlog has since the last step */
  ItcpQueue queue;
  bool late;                    /* enough in the interval to look at it */
  int64_t began;                /* the rate that the last event left, bits/s */
  int64_t drained;              /* the rate when nothing stood in the network's
                                   queue, bits/s; 0 = unknown */
  int64_t taken;                /* back for the queue so far, bits/s */
  bool delayed;                 /* it is why the rate was lowered */
  unsigned clear;               /* ticks at the base that found nothing */
} ItcpSymbiosis;

void itcp_symbiosis_init (ItcpSymbiosis * s,
    const ItcpSymbiosisParams * params);
/* Forgets past events. */
void itcp_symbiosis_reset (ItcpSymbiosis * s);

/* All below are true where the rate changed. */
bool itcp_symbiosis_set_params (ItcpSymbiosis * s,
    const ItcpSymbiosisParams * params, int64_t now);
/* The rate of the input that nothing restrained. */
bool itcp_symbiosis_set_measured (ItcpSymbiosis * s, int64_t bitrate);
bool itcp_symbiosis_event (ItcpSymbiosis * s, int64_t now);
/* A step up; or down by alpha, as at an event, where each look since the last
 * step found TCP behind, or the backlog grew behind a step up; or by steps where
 * a queue grows in the network (queue.h), which alpha bounds too. */
bool itcp_symbiosis_tick (ItcpSymbiosis * s, int64_t now);

/* unsent: bytes that TCP has taken and not sent. It is behind where they are
 * more than a thirtieth of a second's. */
void itcp_symbiosis_look (ItcpSymbiosis * s, int64_t unsent);
/* TCP sends less than it is given (backlog.h): a step up that led there is taken
 * back with the next tick, not only at the end of an interval. Behind a step down
 * the interval is waited for, in which it may drain. */
void itcp_symbiosis_grows (ItcpSymbiosis * s, int64_t now);

/* Smoothed, ns, 0 = unknown: steps are no closer than this, or than 20 ms, to
 * each other and to an event, for upstream could not have acted on more. */
void itcp_symbiosis_set_rtt (ItcpSymbiosis * s, int64_t rtt);

/* Whether the rate is known: not before the base is. A rate of 0 that is known
 * means to send nothing. */
bool itcp_symbiosis_is_known (const ItcpSymbiosis * s);
/* 0 = unknown. */
int64_t itcp_symbiosis_base (const ItcpSymbiosis * s);
/* When the next step is due, or ITCP_TIME_NEVER. */
static inline int64_t
itcp_symbiosis_next (const ItcpSymbiosis * s)
{
  return s->next_step > s->quiet_until ? s->next_step : s->quiet_until;
}

#endif
