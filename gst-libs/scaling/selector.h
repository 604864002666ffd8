/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Selects the pictures that pass: the policy ranks them, the fit finds the
 * scale for a target, the gate drops whole groups, and the filler uses the bits
 * of the target that the scale leaves. If pictures are made smaller downstream,
 * the plan replaces fit and filler. For each picture in coded order call
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
  int scale;                    /* 0..4; -1 = the target rules */
  /* bits per second; -1 = all pictures pass untouched; 0 = none passes, and the
   * first that passes afterwards is a key picture */
  int64_t target;
  /* If the target rules, pictures of the next higher scale may use the bits
   * that the scale leaves. */
  bool fill;
} ScalingRule;

typedef enum
{
  SCALING_PASS,
  SCALING_FILL,                 /* passes beyond the scale */
  /* The scale or the plan drops it. All later values mean dropped, too. */
  SCALING_BEYOND_SCALE,
  SCALING_UNDECODABLE,          /* a picture that it refers to was dropped */
  SCALING_GROUP                 /* its whole group is dropped */
} ScalingVerdict;

typedef struct
{
  ScalingVerdict verdict;
  unsigned lowest_scale;        /* lowest scale that passes the picture */
  int scale;                    /* the scale in force; -1 = below 0 */
  /* Some of the group's pictures are dropped, so that its remaining bits are
   * only for the references and disposables below. */
  bool planned;
  double references, disposables;       /* how many pass after this one */
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
  bool costed;                  /* pictures are made smaller downstream */
  ScalingCost cost;             /* of the next picture */
} ScalingSelector;

/* Returns false if memory runs out; then clear it too. */
bool scaling_selector_init (ScalingSelector * s);
void scaling_selector_clear (ScalingSelector * s);

/* Resets the selector at the start, at a flush, or for another stream. `lost`:
 * earlier pictures are gone (flush); false at the very start. Rule and cost
 * stay. */
void scaling_selector_reset (ScalingSelector * s, bool lost);

/* Sets the rule from the next picture on. */
void scaling_selector_set_rule (ScalingSelector * s, const ScalingRule * rule);

/* Asks for a key picture for a receiver: see scaling_gate_want_key. */
void scaling_selector_want_key (ScalingSelector * s);

/* Sets the cost of the next picture if pictures are made smaller downstream.
 * The target is then for the smaller pictures, and a plan for each group
 * instead of the fit says what passes. Rates are still of what passes here.
 * NULL = pictures are not changed. */
void scaling_selector_set_cost (ScalingSelector * s, const ScalingCost * cost);

/* True if no rule touches the stream. */
bool scaling_selector_is_untouched (const ScalingSelector * s);
/* True if a target of 0 stops the stream. */
bool scaling_selector_is_stopped (const ScalingSelector * s);

/* Decides whether the picture passes. `decodable`: all pictures that it refers
 * to have passed. `replaced_size`: bytes that leave instead if it is dropped; 0
 * = none. */
void scaling_selector_decide (ScalingSelector * s,
    const ScalingPicture * picture, bool decodable, size_t replaced_size,
    ScalingDecision * decision);

/* Replaces scaling_selector_decide for a picture that no scale passes, but
 * whose duration counts. Returns the lowest scale of its kind. */
unsigned scaling_selector_skip (ScalingSelector * s,
    const ScalingPicture * picture);

/* Reports that `size` bytes of the picture leave. */
void scaling_selector_done (ScalingSelector * s,
    const ScalingPicture * picture, size_t size);

#endif
