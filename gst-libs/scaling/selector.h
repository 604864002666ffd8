/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Selects the pictures that pass: the policy ranks them, the fit finds the
 * scale for a target, the gate drops whole groups, and the filler uses what the
 * scale leaves of the target. Where what passes is made smaller, the plan stands
 * for fit and filler. For each picture in coded order call
 * scaling_selector_decide, then scaling_selector_done.
 */
#ifndef SCALING_SELECTOR_H
#define SCALING_SELECTOR_H

#include <scaling/filler.h>
#include <scaling/fit.h>
#include <scaling/gate.h>
#include <scaling/plan.h>

typedef struct
{
  int scale;                    /* 0..4; -1: the target rules */
  /* Bits per second; -1: untouched, all passes; 0: nothing passes, and what
   * passes first afterwards is a key picture. */
  int64_t target;
  bool fill;                    /* where the target rules: what it leaves is for
                                 * pictures of the next higher scale */
} ScalingRule;

typedef enum
{
  SCALING_PASS,
  SCALING_FILL,                 /* passes beyond the scale */
  SCALING_BEYOND_SCALE,         /* goes, as do all that follow */
  SCALING_UNDECODABLE,          /* what it refers to is gone */
  SCALING_GROUP                 /* its whole group goes */
} ScalingVerdict;

typedef struct
{
  ScalingVerdict verdict;
  unsigned lowest_scale;        /* that passes the picture */
  int scale;                    /* in force; -1: below 0 */
  /* Whether some of the group's pictures go, so that what passes gets the bits
   * of no more than these, still to come. */
  bool planned;
  double references, disposables;
} ScalingDecision;

/* Private. */
typedef struct
{
  ScalingRule rule;
  ScalingPolicy policy;
  ScalingFit *fit;
  ScalingGate gate;
  ScalingFiller filler;
  ScalingPlan plan;
  bool costed;                  /* what passes is made smaller behind us */
  ScalingCost cost;             /* of the next picture */
} ScalingSelector;

/* False where memory is short; clear it then too. */
bool scaling_selector_init (ScalingSelector * s);
void scaling_selector_clear (ScalingSelector * s);

/* Start, flush, another stream. `lost`: what came before is gone (flush); false
 * at the very start. Rule and cost stay. */
void scaling_selector_reset (ScalingSelector * s, bool lost);

/* Rules from the next picture on. */
void scaling_selector_set_rule (ScalingSelector * s, const ScalingRule * rule);

/* A receiver waits for a key picture: see scaling_gate_want_key. */
void scaling_selector_want_key (ScalingSelector * s);

/* Before a picture: what it comes to behind us, where that is smaller; the target
 * is then for that, and a plan for each group instead of the fit says what
 * passes. Rates are still of what passes here. NULL: nothing changes it. */
void scaling_selector_set_cost (ScalingSelector * s, const ScalingCost * cost);

/* Whether no rule touches the stream, and whether a target of 0 stops it. */
bool scaling_selector_is_untouched (const ScalingSelector * s);
bool scaling_selector_is_stopped (const ScalingSelector * s);

/* `decodable`: all that the picture refers to has passed. `replaced_size`:
 * bytes that leave instead where it is dropped, 0: none. */
void scaling_selector_decide (ScalingSelector * s,
    const ScalingPicture * picture, bool decodable, size_t replaced_size,
    ScalingDecision * decision);

/* Instead of scaling_selector_decide, for a picture that no scale passes, but
 * which takes its time; returns the lowest scale of its kind. */
unsigned scaling_selector_skip (ScalingSelector * s,
    const ScalingPicture * picture);

/* So many bytes leave of the picture. */
void scaling_selector_done (ScalingSelector * s,
    const ScalingPicture * picture, size_t size);

#endif
