/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * "psp" and "damped-psp": the packet-spacing protocol of Kapadia, Feng and
 * Feng, "The Effects of Inter-Packet Spacing on the Delivery of Multimedia
 * Content", ICDCS 2001, section 2. Once per base round trip the spacing ps
 * doubles after a loss and shrinks by 2 µs without one; the damped form first
 * takes back a decrease that a loss follows.
 *
 * The paper's receiver counts the packets of a round trip. Here the sender
 * does, exactly: an epoch is the packets sent in one base round trip, and it
 * is judged when each of them is known to have been received or lost.
 * docs/controllers.md names every reading of what the paper leaves open.
 */
#include "controller.h"
#include "estimators.h"

typedef struct
{
  int64_t first_spacing;
  int64_t decrease;
  int64_t backoff;
  bool ignore_stale;
  double hold;
  double busy_share;
} PspParameters;

static const PspParameters defaults = {
  .first_spacing = 50 * PSP_USECOND,    /* Figure 4: ps = 0 → 50 µs */
  .decrease = 2 * PSP_USECOND,  /* Figure 4: ps − 2; all its times are µs */
  .backoff = 2,                 /* Figure 4: ps * 2 */
  /* Ours; the paper does not tell: epochs begun before the last change say
   * nothing about it. */
  .ignore_stale = true,
  .hold = 1,                    /* ours: a verdict that does not come is
                                   awaited for one more base RTT */
  .busy_share = 0.5,            /* RFC 7661 section 4.3: half in use counts as
                                   in use */
};

/* Epochs that may wait for their verdicts at a time; beyond, the present one
 * goes on. */
#define MAX_EPOCHS 128

typedef struct
{
  int64_t first;                /* index */
  int64_t sent, received, lost; /* packets */
  int64_t begun_at, last_at;    /* when its first and last packet left */
  bool closed;                  /* no more packets come */
  bool app_limited;             /* a packet of it could have left earlier */
} Epoch;

typedef enum
{
  CHANGE_NONE,                  /* or one that proved right */
  CHANGE_DECREASE,
  CHANGE_INCREASE               /* doubled, or a decrease taken back */
} Change;

typedef struct
{
  PspController base;
  int64_t ps, ps_prev;          /* ns */
  int64_t changed_at;           /* PSP_TIME_UNKNOWN = not yet */
  Change last_change;
  PspPath path;
  /* A ring: the oldest without verdict at `head`, the newest still growing. */
  Epoch epochs[MAX_EPOCHS];
  unsigned head, n_epochs;
} Psp;

static Epoch *
epoch (Psp * c, unsigned i)
{
  return &c->epochs[(c->head + i) % MAX_EPOCHS];
}

static void
publish (Psp * c, PspDecision * d)
{
  d->period = c->ps;
  d->target_bitrate = psp_controller_bitrate (&c->base, (double) c->ps);
  /* What is late by the RTT filters waits another `hold` base RTTs. */
  if (c->path.delay.smoothed > 0 && c->path.rtt.min != PSP_TIME_NEVER)
    d->loss_timeout = (int64_t) (psp_delay_timeout (&c->path.delay)
        + defaults.hold * (double) c->path.rtt.min);
}

static void
psp_init (PspController * base, int64_t now, PspDecision * d)
{
  Psp *c = (Psp *) base;

  (void) now;
  c->ps = psp_controller_period (base, base->limits.start_bitrate);
  c->ps_prev = c->ps;
  c->changed_at = PSP_TIME_UNKNOWN;
  c->last_change = CHANGE_NONE;
  psp_path_init (&c->path);
  c->head = c->n_epochs = 0;
  publish (c, d);
}

/* The present epoch ends a base RTT after it began. Before the first RTT sample
 * nobody knows how long that is: the first epoch lasts until then. */
static void
close_epoch (Psp * c, int64_t now)
{
  Epoch *e = c->n_epochs ? epoch (c, c->n_epochs - 1) : NULL;

  if (e && c->path.rtt.min != PSP_TIME_NEVER && c->n_epochs < MAX_EPOCHS
      && now - e->begun_at >= c->path.rtt.min)
    e->closed = true;
}

static void
psp_on_sent (PspController * base, const PspSent * sent, PspDecision * d)
{
  Psp *c = (Psp *) base;
  Epoch *e;

  (void) d;
  close_epoch (c, sent->now);
  if (!c->n_epochs || epoch (c, c->n_epochs - 1)->closed) {
    e = epoch (c, c->n_epochs++);
    e->first = sent->index;
    e->sent = e->received = e->lost = 0;
    e->begun_at = sent->now;
    e->closed = e->app_limited = false;
  }
  e = epoch (c, c->n_epochs - 1);
  e->sent++;
  e->last_at = sent->now;
  e->app_limited |= sent->app_limited;
}

static void
count (Epoch * e, const PspPacketResult * result)
{
  bool ce = result->ecn == PSP_ECN_CE;

  switch (result->outcome) {
    case PSP_OUTCOME_RECEIVED:
      /* RFC 3168 section 5: a mark is answered as a loss is. */
      *(ce ? &e->lost : &e->received) += 1;
      break;
    case PSP_OUTCOME_LOST:
      e->lost++;
      break;
    case PSP_OUTCOME_RECOVERED:
      if (e->lost > 0 && !ce) {
        e->lost--;
        e->received++;
      }
      break;
  }
}

/* Results and epochs both ascend. */
static void
count_results (Psp * c, const PspReport * report)
{
  unsigned at = 0;
  size_t i;

  for (i = 0; i < report->n_results; i++) {
    int64_t index = report->results[i].index;

    while (at < c->n_epochs
        && index - epoch (c, at)->first >= epoch (c, at)->sent)
      at++;
    if (at == c->n_epochs)
      break;
    if (index >= epoch (c, at)->first)
      count (epoch (c, at), &report->results[i]);
  }
}

static void
change (Psp * c, int64_t ps, Change kind, int64_t now)
{
  c->ps_prev = c->ps;
  c->ps = ps;
  c->last_change = kind;
  c->changed_at = now;
}

/* A packet that the history has forgotten is not in flight any more, nor will
 * it ever be received or lost. */
static bool
resolved (const Epoch * e, const PspReport * report)
{
  return e->closed && (e->received + e->lost >= e->sent
      || report->oldest_in_flight_at > e->last_at);
}

/* Figure 4, and section 2.2 for the damped form. */
static void
spread (Psp * c, int64_t now)
{
  bool damped = c->base.klass == &psp_cc_damped_psp;

  if (damped && c->last_change == CHANGE_DECREASE)
    change (c, c->ps_prev, CHANGE_INCREASE, now);
  else if (c->ps == 0)
    change (c, defaults.first_spacing, CHANGE_INCREASE, now);
  else
    change (c, c->ps * defaults.backoff, CHANGE_INCREASE, now);
  if (c->ps > c->path.rtt.min)
    c->ps = c->path.rtt.min;
}

/* Figure 4's else. At 0 there is nothing left to decrease, and the decrease
 * that led there has proved right. */
static void
tighten (Psp * c, int64_t now)
{
  if (c->ps == 0)
    c->last_change = CHANGE_NONE;
  else if (c->ps <= defaults.decrease)
    change (c, 0, CHANGE_DECREASE, now);
  else
    change (c, c->ps - defaults.decrease, CHANGE_DECREASE, now);
}

/* Was the spacing what kept more from leaving? Otherwise an epoch without a
 * loss is no evidence that the network would take more. */
static bool
spacing_bound (const Psp * c, const Epoch * e)
{
  return !e->app_limited || (double) e->sent * (double) c->ps
      >= defaults.busy_share * (double) c->path.rtt.min;
}

static void
judge (Psp * c, const Epoch * e, const PspReport * report, PspDecision * d)
{
  if (defaults.ignore_stale && c->changed_at != PSP_TIME_UNKNOWN
      && e->begun_at < c->changed_at)
    return;
  if (e->lost > 0) {
    spread (c, report->now);
    d->reason = report->timeout ? PSP_REASON_TIMEOUT :
        report->n_lost == 0 && report->n_ce ? PSP_REASON_ECN : PSP_REASON_LOSS;
  } else if (spacing_bound (c, e)) {
    tighten (c, report->now);
    d->reason = PSP_REASON_INCREASE;
  }
}

static void
psp_on_feedback (PspController * base, const PspReport * report,
    PspDecision * d)
{
  Psp *c = (Psp *) base;

  psp_path_add (&c->path, report);
  close_epoch (c, report->now);
  count_results (c, report);
  while (c->n_epochs && resolved (epoch (c, 0), report)) {
    judge (c, epoch (c, 0), report, d);
    c->head = (c->head + 1) % MAX_EPOCHS;
    c->n_epochs--;
  }
  if (c->path.rtt.min != PSP_TIME_NEVER && c->ps > c->path.rtt.min)
    c->ps = c->path.rtt.min;
  publish (c, d);
}

const PspControllerClass psp_cc_psp = {
  .name = "psp",
  .size = sizeof (Psp),
  .needs_feedback = true,
  .init = psp_init,
  .on_sent = psp_on_sent,
  .on_feedback = psp_on_feedback,
};

const PspControllerClass psp_cc_damped_psp = {
  .name = "damped-psp",
  .size = sizeof (Psp),
  .needs_feedback = true,
  .init = psp_init,
  .on_sent = psp_on_sent,
  .on_feedback = psp_on_feedback,
};
