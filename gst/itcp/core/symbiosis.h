/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Decides how the application reacts to TCP's events, after Khan and Zaghal's
 * interactive TCP: each event multiplies the media rate by alpha, and equal
 * steps over time return it to the base. The paper gives alpha and the events.
 * It leaves open the step, the interval, the hold time and the floor. It also
 * leaves open what happens if the network carries less than the next step asks
 * for. Here it counts as an event if TCP does not keep up. Before that happens,
 * a step is taken back if a queue in the network grows after it.
 */
#ifndef ITCP_CORE_SYMBIOSIS_H
#define ITCP_CORE_SYMBIOSIS_H

#include <control/controller.h>

#include "queue.h"

typedef struct
{
  bool enabled;                 /* if false, the rate stays at the base */
  double alpha;                 /* 0–1, factor per event */
  /* bits/s; 0 = the rate from itcp_symbiosis_set_measured */
  int64_t base_bitrate;
  int64_t min_bitrate;          /* bits/s; the floor, at most the base */
  int64_t step_bitrate;         /* bits/s; 0 = a twentieth of the base */
  int64_t interval;             /* ns between steps: a group of pictures */
  int64_t hold;                 /* ns without a step after an event */
  /* step back if TCP is behind; if false, only time changes the rate */
  bool step_back;
} ItcpSymbiosisParams;

extern const ItcpSymbiosisParams itcp_symbiosis_defaults;

typedef struct
{
  ItcpSymbiosisParams params;
  int64_t measured;             /* bits/s; 0 = unknown */
  int64_t rate;                 /* bits/s; 0 while it is unknown */
  /* ns; when the next step is due; PSP_TIME_NEVER = the rate has reached the
   * base, and TCP keeps up with it */
  int64_t next_step;
  int64_t rtt;                  /* ns; 0 = unknown */
  int64_t quiet_until;          /* no step is announced before this time */
  bool kept_up, behind;         /* what the looks since the last step found */
  /* bits/s of the last step; 0 = it was not a step up */
  int64_t rise;
  bool grows;                   /* the backlog has grown since the last step */
  ItcpQueue queue;
  /* the interval is old enough for a look at the queue */
  bool late;
  int64_t began;                /* bits/s, the rate after the last event */
  /* bits/s, the rate when the network's queue was last empty; 0 = unknown */
  int64_t drained;
  int64_t taken;                /* bits/s taken back for the queue so far */
  PspReason reason;             /* reason of the last change of the rate */
  unsigned clear;               /* ticks at the base that found nothing */
} ItcpSymbiosis;

void itcp_symbiosis_init (ItcpSymbiosis * s,
    const ItcpSymbiosisParams * params);
/* Forgets past events. */
void itcp_symbiosis_reset (ItcpSymbiosis * s);

/* The three functions below, and tick, return true if the rate changed. */
bool itcp_symbiosis_set_params (ItcpSymbiosis * s,
    const ItcpSymbiosisParams * params, int64_t now);
/* Sets the rate of the unrestrained input. */
bool itcp_symbiosis_set_measured (ItcpSymbiosis * s, int64_t bitrate);
/* Handles an event of TCP. */
bool itcp_symbiosis_event (ItcpSymbiosis * s, PspReason reason, int64_t now);
/* Steps up. It steps down by alpha, as at an event, if each look since the
 * last step found TCP behind, or if the backlog grew after a step up. It
 * steps down by steps if a queue grows in the network (queue.h); alpha
 * bounds these too. */
bool itcp_symbiosis_tick (ItcpSymbiosis * s, int64_t now);

/* Notes whether TCP is behind: the `unsent` bytes that it has accepted and not
 * sent take more than a thirtieth of a second. */
void itcp_symbiosis_look (ItcpSymbiosis * s, int64_t unsent);
/* Notes that TCP sends less than it is given (backlog.h). A step up that led to
 * this is taken back at the next tick rather than at the end of the interval.
 * After a step down the interval is awaited, because the backlog may drain in
 * it. */
void itcp_symbiosis_grows (ItcpSymbiosis * s, int64_t now);

/* Sets the smoothed round trip in ns; 0 = unknown. Steps are at least this
 * long, and at least 20 ms, apart from each other and from an event, because
 * upstream could not obey more of them. */
void itcp_symbiosis_set_rtt (ItcpSymbiosis * s, int64_t rtt);

/* Fills what a congestion controller decides for the application: target,
 * reason, next tick. TCP itself decides the window and the spacing. */
void itcp_symbiosis_decide (const ItcpSymbiosis * s, PspDecision * d);

/* Returns true if the rate is known, which requires a known base. A known rate
 * of 0 means to send nothing. */
bool itcp_symbiosis_is_known (const ItcpSymbiosis * s);
/* Returns bits/s; 0 = unknown. */
int64_t itcp_symbiosis_base (const ItcpSymbiosis * s);
/* Returns when the next step is due, or PSP_TIME_NEVER. */
static inline int64_t
itcp_symbiosis_next (const ItcpSymbiosis * s)
{
  return s->next_step > s->quiet_until ? s->next_step : s->quiet_until;
}

#endif
