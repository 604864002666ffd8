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
#include <control/epochs.h>
#include <control/path.h>

/* These are readings of what the paper leaves open, kept for comparison:
 * docs/controllers.md. */
enum
{
  STALE_EPOCHS,
  LIFE,
  RELATIVE_DECREASE,
  UNWIND
};

/* The entries for what the paper leaves open; both controllers have them. */
#define RELATIVE_DECREASE_PARAMETER {"relative-decrease", "", 0, .5, .02, \
    "Share of the spacing by which it shrinks at least; 0 is the paper's " \
    "rule, which suits 100 Mb/s alone", \
    "the paper's 2 us (Figure 4) of a spacing of 100 us"}
#define STALE_EPOCHS_PARAMETER {"stale-epochs", "", 0, 1, 0, \
    "1 counts epochs begun before the last change of the spacing, 0 ignores " \
    "them", "ours: such epochs do not show what the change did"}

static const PspParameter plain_parameters[] = {
  STALE_EPOCHS_PARAMETER,
  PSP_LIFE_PARAMETER,
  RELATIVE_DECREASE_PARAMETER,
  {.name = NULL}
};

static const PspParameter damped_parameters[] = {
  STALE_EPOCHS_PARAMETER,
  PSP_LIFE_PARAMETER,
  RELATIVE_DECREASE_PARAMETER,
  {"unwind", "", 0, 1, 0,
      "1 takes back one decrease after another, all since the last increase, "
        "before the spacing doubles; 0 takes back the last", "section 2.2"},
  {.name = NULL}
};

typedef struct
{
  int64_t first_spacing;
  int64_t decrease;
  int64_t backoff;
  double hold;
  double busy_share;
} PspParameters;

static const PspParameters defaults = {
  .first_spacing = 50 * PSP_USECOND,    /* Figure 4: ps = 0 → 50 µs */
  .decrease = 2 * PSP_USECOND,  /* Figure 4: ps − 2; all its times are µs */
  .backoff = 2,                 /* Figure 4: ps * 2 */
  /* This is ours: the controller waits one more base RTT for a late verdict. */
  .hold = 1,
  /* RFC 7661 section 4.3: a rate counts as used if half of it is used. */
  .busy_share = 0.5,
};

typedef enum
{
  CHANGE_NONE,                  /* also a change that proved right */
  CHANGE_DECREASE,
  /* a doubling, or a decrease that was taken back */
  CHANGE_INCREASE
} Change;

typedef struct
{
  PspController base;
  int64_t ps;                   /* ns; the spacing */
  int64_t ps_prev;              /* ns; the spacing before the last change */
  int64_t changed_at;           /* PSP_TIME_UNKNOWN = no change yet */
  Change last_change;
  /* decreases since the last increase that have not been taken back */
  int64_t n_decreases;
  PspPath path;
  PspEpochs epochs;
} Psp;

static void
publish (Psp * c, PspDecision * d)
{
  d->period = c->ps;
  d->target_bitrate = psp_controller_bitrate (&c->base, (double) c->ps);
  /* A report that is late by the RTT filters is awaited for `hold` more base
   * RTTs. */
  if (c->path.delay.smoothed > 0 && c->path.min_rtt.value != PSP_TIME_NEVER)
    d->loss_timeout = (int64_t) (psp_delay_timeout (&c->path.delay)
        + defaults.hold * (double) c->path.min_rtt.value);
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
  c->n_decreases = 0;
  psp_path_init (&c->path);
  psp_epochs_init (&c->epochs);
  publish (c, d);
}

/* The length of an epoch is unknown before the first RTT sample. The first
 * epoch lasts until that sample comes. */
static void
psp_on_sent (PspController * base, const PspSent * sent, PspDecision * d)
{
  Psp *c = (Psp *) base;

  (void) d;
  psp_epochs_sent (&c->epochs, sent, c->path.min_rtt.value);
}

static void
change (Psp * c, int64_t ps, Change kind, int64_t now)
{
  c->ps_prev = c->ps;
  c->ps = ps;
  c->last_change = kind;
  c->changed_at = now;
}

static bool
is_damped (const Psp * c)
{
  return c->base.klass == &psp_cc_damped_psp;
}

static bool
unwinds (const Psp * c)
{
  return is_damped (c) && c->base.parameters[UNWIND] != 0;
}

/* True if a loss is attributed to a decrease: to the last change, or with
 * "unwind" to any decrease that still stands. */
static bool
is_deliberate (const Psp * c)
{
  return is_damped (c) && (c->last_change == CHANGE_DECREASE
      || (unwinds (c) && c->n_decreases > 0));
}

/* Returns ps after a decrease. Figure 4's 2 us suit packets that follow one
 * another by some 100 us. On a slower path that is next to nothing, so at least
 * a share of ps is taken. */
static int64_t
shorter (const Psp * c)
{
  return MAX (c->ps - MAX (defaults.decrease,
          (int64_t) (c->base.parameters[RELATIVE_DECREASE]
              * (double) c->ps)), 0);
}

/* Returns the spacing of which shorter() would make ps. */
static int64_t
longer (const Psp * c)
{
  return MAX (c->ps + defaults.decrease,
      (int64_t) ((double) c->ps
          / (1 - c->base.parameters[RELATIVE_DECREASE])));
}

/* Makes ps longer after a loss: Figure 4, and section 2.2 for the damped
 * form. */
static void
spread (Psp * c, int64_t now)
{
  if (is_deliberate (c)) {
    change (c, c->last_change == CHANGE_DECREASE ? c->ps_prev : longer (c),
        CHANGE_INCREASE, now);
    c->n_decreases--;
  } else {
    change (c, c->ps == 0 ? defaults.first_spacing : c->ps * defaults.backoff,
        CHANGE_INCREASE, now);
    c->n_decreases = 0;
  }
  if (c->ps > c->path.min_rtt.value)
    c->ps = c->path.min_rtt.value;
}

/* Makes ps shorter: the else branch of Figure 4. A spacing of 0 cannot decrease
 * further, and the decrease that led to 0 has proved right. */
static void
tighten (Psp * c, int64_t now)
{
  if (c->ps == 0) {
    c->last_change = CHANGE_NONE;
    c->n_decreases = 0;
    return;
  }
  change (c, shorter (c), CHANGE_DECREASE, now);
  c->n_decreases++;
}

static void
judge (Psp * c, const PspEpoch * e, const PspReport * report, PspDecision * d)
{
  if (c->base.parameters[STALE_EPOCHS] == 0 && c->changed_at != PSP_TIME_UNKNOWN
      && e->begun_at < c->changed_at)
    return;
  if (e->lost > 0) {
    spread (c, report->now);
    d->reason = psp_report_reason (report);
  } else if (psp_epoch_is_spacing_bound (e, c->ps, c->path.min_rtt.value,
          defaults.busy_share)) {
    tighten (c, report->now);
    d->reason = PSP_REASON_INCREASE;
  }
}

static void
psp_on_feedback (PspController * base, const PspReport * report,
    PspDecision * d)
{
  Psp *c = (Psp *) base;
  const PspEpoch *e;

  psp_path_add (&c->path, report, base->parameters[LIFE]);
  psp_epochs_report (&c->epochs, report, c->path.min_rtt.value);
  while ((e = psp_epochs_take (&c->epochs, report)))
    judge (c, e, report, d);
  if (c->path.min_rtt.value != PSP_TIME_NEVER && c->ps > c->path.min_rtt.value)
    c->ps = c->path.min_rtt.value;
  publish (c, d);
}

const PspControllerClass psp_cc_psp = {
  .name = "psp",
  .size = sizeof (Psp),
  .needs_feedback = true,
  .parameters = plain_parameters,
  .init = psp_init,
  .on_sent = psp_on_sent,
  .on_feedback = psp_on_feedback,
};

const PspControllerClass psp_cc_damped_psp = {
  .name = "damped-psp",
  .size = sizeof (Psp),
  .needs_feedback = true,
  .parameters = damped_parameters,
  .init = psp_init,
  .on_sent = psp_on_sent,
  .on_feedback = psp_on_feedback,
};
