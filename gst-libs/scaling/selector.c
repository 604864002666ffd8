/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * docs/mpeg.md, "Scale policy", has each rule and its reason.
 */
#include <scaling/selector.h>

#include <string.h>

bool
scaling_selector_init (ScalingSelector * s)
{
  memset (s, 0, sizeof *s);
  s->rule.scale = -1;
  s->rule.target = -1;
  s->fit = scaling_fit_new ();
  return s->fit;
}

void
scaling_selector_clear (ScalingSelector * s)
{
  scaling_fit_free (s->fit);
}

/* A flush keeps the knowledge that the stream has key pictures. */
void
scaling_selector_reset (ScalingSelector * s, bool lost)
{
  bool seen_key = lost && s->policy.seen_key;

  scaling_policy_init (&s->policy);
  s->policy.seen_key = seen_key;
  scaling_fit_reset (s->fit);
  scaling_plan_init (&s->plan);
  scaling_filler_init (&s->filler);
  scaling_gate_reset (&s->gate, lost);
}

void
scaling_selector_set_rule (ScalingSelector * s, const ScalingRule * rule)
{
  /* Pictures that passed without a target fill no queue. */
  if (s->rule.scale >= 0 || s->rule.target < 0)
    scaling_filler_init (&s->filler);
  s->rule = *rule;
  if (rule->scale >= 0 || rule->target < 0)
    scaling_fit_restart (s->fit);
  if (scaling_selector_is_stopped (s))
    scaling_gate_stop (&s->gate);
}

void
scaling_selector_want_key (ScalingSelector * s)
{
  scaling_gate_want_key (&s->gate);
}

void
scaling_selector_set_cost (ScalingSelector * s, const ScalingCost * cost)
{
  if (s->costed != (cost != NULL)) {
    scaling_fit_restart (s->fit);
    scaling_plan_init (&s->plan);
  }
  memset (&s->cost, 0, sizeof s->cost);
  s->costed = cost;
  if (cost)
    s->cost = *cost;
}

bool
scaling_selector_is_untouched (const ScalingSelector * s)
{
  return s->rule.scale < 0 && s->rule.target < 0;
}

bool
scaling_selector_is_stopped (const ScalingSelector * s)
{
  return s->rule.scale < 0 && s->rule.target == 0;
}

/* True if the plan says what passes. */
static bool
is_planned (const ScalingSelector * s)
{
  return s->costed && s->rule.scale < 0 && s->rule.target > 0;
}

static unsigned
observe (ScalingSelector * s, const ScalingPicture * picture)
{
  scaling_gate_count (&s->gate, picture);
  return scaling_policy_next (&s->policy, picture);
}

/* Measures the picture, and returns the scale in force for it. */
static int
choose_scale (ScalingSelector * s, const ScalingPicture * picture,
    unsigned lowest_scale, size_t replaced_size, double *share)
{
  scaling_fit_add (s->fit, picture, lowest_scale, replaced_size);
  scaling_plan_add (&s->plan, picture, lowest_scale, &s->cost, replaced_size);
  *share = 1;
  if (s->rule.scale >= 0 && s->rule.scale < SCALING_MAX_SCALE)
    return s->rule.scale;
  if (s->rule.scale >= 0 || scaling_selector_is_untouched (s))
    return SCALING_MAX_SCALE;
  if (is_planned (s))
    return scaling_plan_scale (&s->plan, s->rule.target, share);
  return scaling_fit_scale (s->fit, s->rule.target, share);
}

static bool
goes_with_group (ScalingSelector * s, const ScalingPicture * picture,
    int scale, double share)
{
  if (scaling_selector_is_stopped (s)) {
    scaling_gate_stop (&s->gate);
    return true;
  }
  return !scaling_gate_passes (&s->gate, picture, scale, share,
      s->policy.seen_key);
}

/* True if the picture uses bits that the scale leaves. Only pictures of the
 * next higher scale may: a disposable one must not take the room of the
 * reference behind it. */
static bool
fills (const ScalingSelector * s, const ScalingPicture * picture,
    const ScalingDecision * d)
{
  return s->rule.fill && s->rule.scale < 0 && d->scale >= 0
      && d->lowest_scale == (unsigned) d->scale + 1
      && scaling_filler_has_room (&s->filler, s->rule.target, picture->bytes);
}

static bool
is_wanted (ScalingSelector * s, const ScalingPicture * picture,
    const ScalingDecision * d, bool beyond)
{
  if (is_planned (s))
    return scaling_plan_passes (&s->plan, s->rule.fill);
  return !beyond || fills (s, picture, d);
}

static ScalingVerdict
judge (ScalingSelector * s, const ScalingPicture * picture, bool decodable,
    const ScalingDecision * d, double share)
{
  bool beyond = d->lowest_scale > (d->scale > 0 ? (unsigned) d->scale : 0);

  if (goes_with_group (s, picture, d->scale, share))
    return SCALING_GROUP;
  if (!picture->readable)
    return SCALING_PASS;
  if (!is_wanted (s, picture, d, beyond))
    return SCALING_BEYOND_SCALE;
  if (!decodable)
    return SCALING_UNDECODABLE;
  return beyond ? SCALING_FILL : SCALING_PASS;
}

void
scaling_selector_decide (ScalingSelector * s, const ScalingPicture * picture,
    bool decodable, size_t replaced_size, ScalingDecision * decision)
{
  double share;

  decision->lowest_scale = observe (s, picture);
  decision->scale = choose_scale (s, picture, decision->lowest_scale,
      replaced_size, &share);
  decision->verdict = judge (s, picture, decodable, decision, share);
  if (!is_planned (s))
    scaling_plan_follow (&s->plan, decision->scale);
  decision->planned = s->plan.planned;
  decision->references = s->plan.later[0] + s->plan.later[1] + s->plan.later[2];
  decision->disposables = s->plan.later[3] + s->plan.later[4];
}

unsigned
scaling_selector_skip (ScalingSelector * s, const ScalingPicture * picture)
{
  unsigned lowest_scale = observe (s, picture);

  scaling_fit_add (s->fit, picture, SCALING_N_SCALES, 0);
  return lowest_scale;
}

void
scaling_selector_done (ScalingSelector * s, const ScalingPicture * picture,
    size_t size)
{
  scaling_filler_add (&s->filler, size);
  scaling_filler_drain (&s->filler, s->rule.target, picture->duration);
}
