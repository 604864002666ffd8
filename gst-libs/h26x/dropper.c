/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * docs/h26x.md gives each rule and its reason.
 */
#include <h26x/dropper.h>

#include <stdlib.h>
#include <string.h>

#include <h26x/budget.h>
#include <h26x/floor.h>
#include <h26x/kept.h>
#include <h26x/rank.h>

/* The kind of random-access pictures; the other kinds are the classes. */
#define RANDOM_ACCESS H26X_N_CLASSES

struct H26xDropper
{
  H26xDropperSettings settings;
  H26xDropperStats stats;
  ScalingFit *fit;
  ScalingGate gate;
  H26xGroups groups;
  H26xKept kept;
  bool unsure;                  /* an unreadable picture has passed */

  H26xShare half;               /* what scale 3 passes */
  H26xFloor floor;
  H26xBudget budget;

  /* State of the current picture. */
  const H26xCodedPicture *coded;
  const H26xPicture *picture;
  unsigned class;
  double bits;                  /* bits without filler */

  /* State of a picture that comes in parts. This is the decision of the last
   * one. */
  H26xDecision last;
  /* lowest scale at which the last picture stays */
  unsigned rank;
  /* class of the last picture, or RANDOM_ACCESS */
  unsigned kind;
  double later_bits;            /* bits of its parts after the first */
  /* Bits of the parts after the first, of the last picture of each kind. */
  double expected[RANDOM_ACCESS + 1];
};

H26xDropper *
h26x_dropper_new (void)
{
  H26xDropper *d = calloc (1, sizeof *d);

  if (!d)
    return NULL;
  d->fit = scaling_fit_new ();
  if (!d->fit) {
    free (d);
    return NULL;
  }
  d->settings.rule.scale = -1;
  d->settings.rule.target = -1;
  d->settings.max_freeze = -1;
  h26x_dropper_reset (d, false);
  return d;
}

void
h26x_dropper_free (H26xDropper * d)
{
  if (!d)
    return;
  scaling_fit_free (d->fit);
  free (d);
}

void
h26x_dropper_reset (H26xDropper * d, bool lost)
{
  scaling_fit_reset (d->fit);
  scaling_gate_reset (&d->gate, lost);
  h26x_groups_init (&d->groups);
  h26x_kept_init (&d->kept);
  d->unsure = false;
  h26x_share_init (&d->half);
  h26x_floor_init (&d->floor);
  h26x_budget_init (&d->budget);
  d->budget.target = d->settings.rule.target;
  memset (&d->last, 0, sizeof d->last);
  d->later_bits = d->kind = 0;
  memset (d->expected, 0, sizeof d->expected);
}

static bool
is_untouched (const H26xDropper * d)
{
  return d->settings.rule.scale < 0 && d->settings.rule.target < 0;
}

static bool
is_stopped (const H26xDropper * d)
{
  return d->settings.rule.scale < 0 && d->settings.rule.target == 0;
}

static bool
target_rules (const H26xDropper * d)
{
  return d->settings.rule.scale < 0 && d->settings.rule.target > 0;
}

/* True if the target is spent in bits, and not in whole scales. */
static bool
has_budget (const H26xDropper * d)
{
  return target_rules (d) && d->settings.rule.fill;
}

void
h26x_dropper_set (H26xDropper * d, const H26xDropperSettings * settings)
{
  bool had_budget = has_budget (d);

  d->settings = *settings;
  if (!target_rules (d))
    scaling_fit_restart (d->fit);
  if (!had_budget)
    h26x_budget_init (&d->budget);
  d->budget.target = settings->rule.target;
  if (is_stopped (d))
    scaling_gate_stop (&d->gate);
}

void
h26x_dropper_want_key (H26xDropper * d)
{
  scaling_gate_want_key (&d->gate);
}

static int
choose_scale (H26xDropper * d, double *share)
{
  const ScalingRule *rule = &d->settings.rule;

  *share = 1;
  if (rule->scale >= 0)
    return rule->scale < SCALING_MAX_SCALE ? rule->scale : SCALING_MAX_SCALE;
  if (rule->target < 0)
    return SCALING_MAX_SCALE;
  return scaling_fit_scale (d->fit, rule->target, share);
}

/* Returns what pictures stay for. Whether another group follows the first
 * one is not known: without one, the end of the group would be the end of
 * all. A scale asks for that, the target does not. */
static H26xHolds
get_holds (const H26xDropper * d)
{
  const H26xHolds holds = {
    .allow_gaps = d->settings.allow_gaps,
    .splices = d->settings.splices,
    .first_stays = target_rules (d),
    .max_freeze = d->settings.max_freeze
  };

  return holds;
}

static bool
must_stay (const H26xDropper * d)
{
  const H26xHolds holds = get_holds (d);

  return h26x_holds (&holds, &d->groups, d->picture, d->class, d->kept.order);
}

/* Returns the picture's bits with those of the parts that are still to
 * come. */
static double
all_bits (const H26xDropper * d)
{
  return d->bits + d->expected[d->kind];
}

/* True if the picture's group passes. Below scale 0 a share of the groups
 * does. */
static bool
group_passes (H26xDropper * d, const ScalingPicture * scaling, int scale,
    double share, bool *held)
{
  if (is_stopped (d)) {
    scaling_gate_stop (&d->gate);
    return false;
  }
  if (has_budget (d) && scaling->key) {
    share = h26x_budget_begin (&d->budget, &d->groups, all_bits (d));
    scale = share < 1 ? -1 : 0;
  }
  if (scaling_gate_passes (&d->gate, scaling, scale, share, true))
    return true;
  *held = scaling->key && d->settings.max_freeze >= 0
      && d->groups.usual > d->settings.max_freeze;
  if (*held)
    d->gate.closed = false;
  return *held;
}

static bool
is_beyond (const H26xDecision * decision)
{
  return (int) decision->lowest_scale > (decision->scale > 0 ? decision->scale
      : 0);
}

static bool
is_wanted (H26xDropper * d, const H26xDecision * decision)
{
  if (d->picture->random_access || is_untouched (d))
    return true;
  if (has_budget (d))
    return h26x_budget_fits (&d->budget, &d->groups, d->class, all_bits (d),
        d->kept.first_gone == 0);
  return !is_beyond (decision);
}

static bool
decodes (H26xDropper * d, H26xDecision * decision)
{
  H26xContinuity continuity = h26x_kept_continuity (&d->kept, d->picture,
      d->settings.allow_gaps);

  if (!h26x_kept_has_references (&d->kept, d->picture, is_untouched (d)))
    return false;
  decision->splice = continuity == H26X_BREAKS && d->settings.splices
      && d->picture->random_access;
  if (continuity == H26X_BREAKS && !decision->splice)
    return false;
  return !d->settings.decodes
      || d->settings.decodes (d->settings.decodes_data, d->picture);
}

static ScalingVerdict
judge (H26xDropper * d, const ScalingPicture * scaling, double share,
    H26xDecision * decision)
{
  if (!group_passes (d, scaling, decision->scale, share, &decision->held))
    return SCALING_GROUP;
  if (d->unsure && d->picture->readable && d->picture->random_access)
    d->unsure = false;
  else if (d->unsure || !d->picture->readable)
    return SCALING_PASS;
  if (!is_wanted (d, decision)) {
    if (!must_stay (d))
      return SCALING_BEYOND_SCALE;
    decision->held = true;
  }
  if (!decodes (d, decision))
    return SCALING_UNDECODABLE;
  return is_beyond (decision) ? SCALING_FILL : SCALING_PASS;
}

/* Counts a picture, or a part of it, that leaves. */
static void
spend (H26xDropper * d, const H26xCodedPicture * coded,
    const H26xDecision * decision)
{
  size_t bytes = coded->bytes;

  if (decision->without_filler)
    bytes -= coded->filler;
  h26x_budget_spend (&d->budget, &d->groups, d->bits, decision->held);
  d->stats.bytes_out += bytes;
  d->stats.filler_bytes += coded->bytes - bytes;
}

static void
pass (H26xDropper * d, const H26xDecision * decision)
{
  bool begins = decision->splice || h26x_kept_continuity (&d->kept, d->picture,
      d->settings.allow_gaps) == H26X_BEGINS;

  h26x_kept_pass (&d->kept, d->picture, begins);
  d->unsure = d->unsure || !d->picture->readable;
  spend (d, d->coded, decision);
  if (decision->held && target_rules (d))
    h26x_floor_exceed (&d->floor);
  d->stats.passed++;
  d->stats.filled += decision->verdict == SCALING_FILL;
  d->stats.held += decision->held;
  d->stats.spliced += decision->splice;
}

static void
drop (H26xDropper * d, H26xDecision * decision)
{
  h26x_kept_drop (&d->kept, d->picture);
  h26x_budget_spend (&d->budget, &d->groups, 0, false);
  decision->held = decision->splice = false;
  if (decision->verdict == SCALING_BEYOND_SCALE)
    d->stats.dropped_policy++;
  else if (decision->verdict == SCALING_UNDECODABLE)
    d->stats.dropped_reference++;
  else
    d->stats.dropped_group++;
}

static bool
passes (const H26xDecision * decision)
{
  return decision->verdict == SCALING_PASS
      || decision->verdict == SCALING_FILL;
}

/* Measures the picture before anything is decided. */
static void
observe (H26xDropper * d, const H26xCodedPicture * coded)
{
  const H26xPicture *picture = coded->picture;

  d->expected[d->kind] = d->later_bits;
  d->later_bits = 0;
  d->coded = coded;
  d->picture = picture;
  d->class = h26x_class (picture, d->settings.allow_gaps
      || picture->frame_num_gap_limit == 0);
  d->kind = picture->random_access ? RANDOM_ACCESS : d->class;
  d->bits = 8. * (double) (coded->bytes - coded->filler);
  h26x_groups_add (&d->groups, picture, d->class, d->bits, coded->duration,
      coded->discont);
  d->stats.pictures++;
  d->stats.unreadable += !picture->readable;
  d->stats.bytes_in += coded->bytes;
}

static void
describe (const H26xCodedPicture * coded, ScalingPicture * scaling)
{
  memset (scaling, 0, sizeof *scaling);
  scaling->readable = coded->picture->readable;
  scaling->key = coded->picture->readable && coded->picture->random_access;
  scaling->reference = !coded->picture->disposable;
  scaling->discont = coded->discont;
  scaling->bytes = coded->bytes - coded->filler;
  scaling->duration = coded->duration;
}

void
h26x_dropper_picture (H26xDropper * d, const H26xCodedPicture * coded,
    H26xDecision * decision)
{
  const H26xHolds holds = get_holds (d);
  ScalingPicture scaling;
  double share;

  memset (decision, 0, sizeof *decision);
  observe (d, coded);
  describe (coded, &scaling);
  decision->lowest_scale = h26x_rank (&d->half, &d->groups, d->picture,
      d->class);
  d->rank = h26x_floor_add (&d->floor, &holds, &d->groups, d->picture,
      d->class, decision->lowest_scale);
  scaling_fit_add (d->fit, &scaling, d->rank, 0);
  decision->scale = choose_scale (d, &share);
  decision->without_filler = target_rules (d)
      || decision->scale < SCALING_MAX_SCALE;
  decision->verdict = judge (d, &scaling, share, decision);
  if (passes (decision))
    pass (d, decision);
  else
    drop (d, decision);
  d->last = *decision;
}

void
h26x_dropper_more (H26xDropper * d, const H26xCodedPicture * coded,
    H26xDecision * decision)
{
  ScalingPicture scaling;

  *decision = d->last;
  describe (coded, &scaling);
  scaling.key = false;
  d->bits = 8. * (double) (coded->bytes - coded->filler);
  d->later_bits += d->bits;
  h26x_groups_more (&d->groups, d->kind == RANDOM_ACCESS, d->class, d->bits,
      coded->duration);
  scaling_fit_add (d->fit, &scaling, d->rank, 0);
  d->stats.bytes_in += coded->bytes;
  if (passes (decision))
    spend (d, coded, decision);
  else
    h26x_budget_spend (&d->budget, &d->groups, 0, false);
}

int64_t
h26x_dropper_rate (const H26xDropper * d, unsigned scale)
{
  return scaling_fit_rate (d->fit, scale);
}

void
h26x_dropper_stats (const H26xDropper * d, H26xDropperStats * stats)
{
  const H26xHolds holds = get_holds (d);

  *stats = d->stats;
  stats->lowest_scale = h26x_floor_scale (&d->floor, &holds, &d->groups);
  stats->exceeded = h26x_floor_exceeded (&d->floor);
}
