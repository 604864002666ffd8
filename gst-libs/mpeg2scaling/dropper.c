/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * docs/mpeg.md, "Scale policy", gives each rule and its reason.
 */
#include <mpeg2scaling/dropper.h>

#include <stdlib.h>
#include <string.h>

#include <mpeg2/tracker.h>
#include <mpeg2scaling/picture.h>
#include <mpeg2scaling/replacer.h>
#include <mpeg2scaling/vbvdelay.h>
#include <scaling/selector.h>
#include <startcode/startcode.h>

struct M2vDropper
{
  M2vDropperStats stats;
  bool repeat_dropped;
  ScalingSelector selector;
  M2vLastReference last_reference;
  M2vCarry *carry;

  M2vTracker tracker;           /* notes all that is missing in the output */
  M2vTracker own;               /* notes what is missing because of us */

  bool started;                 /* a frame has come, so something can be lost */

  bool last_passed;             /* the last frame passed unchanged */
  unsigned n_anchors_out;       /* I and P frames in the output, up to 2 */

  M2vReplacer replacer;
  M2vVbvDelay vbv_delay;
};

M2vDropper *
m2v_dropper_new (void)
{
  M2vDropper *d = calloc (1, sizeof *d);

  if (!d)
    return NULL;
  d->carry = m2v_carry_new ();
  if (!scaling_selector_init (&d->selector) || !m2v_replacer_init (&d->replacer)
      || !d->carry) {
    m2v_dropper_free (d);
    return NULL;
  }
  m2v_dropper_reset (d, false);
  return d;
}

void
m2v_dropper_free (M2vDropper * d)
{
  if (!d)
    return;
  m2v_replacer_clear (&d->replacer);
  if (d->carry)
    m2v_carry_free (d->carry);
  scaling_selector_clear (&d->selector);
  free (d);
}

void
m2v_dropper_reset (M2vDropper * d, bool lost)
{
  scaling_selector_reset (&d->selector, lost);
  memset (&d->last_reference, 0, sizeof d->last_reference);
  m2v_carry_reset (d->carry);
  m2v_tracker_init (&d->own);
  if (lost)
    m2v_tracker_discont (&d->tracker);
  else
    m2v_tracker_init (&d->tracker);
  d->started = false;
  d->last_passed = true;
  d->n_anchors_out = 0;
}

void
m2v_dropper_set (M2vDropper * d, const M2vDropperSettings * settings)
{
  const ScalingRule rule = { settings->scale, settings->target,
    settings->fill
  };

  scaling_selector_set_rule (&d->selector, &rule);
  d->repeat_dropped = settings->repeat_dropped;
}

void
m2v_dropper_want_key (M2vDropper * d)
{
  scaling_selector_want_key (&d->selector);
}

void
m2v_dropper_set_cost (M2vDropper * d, const ScalingCost * cost)
{
  scaling_selector_set_cost (&d->selector, cost);
}

/* Counts the frame before any other function looks at it. */
static void
observe (M2vDropper * d, const M2vFrame * frame, ScalingPicture * picture)
{
  d->stats.frames[frame->valid ? frame->type : 0]++;
  d->stats.bytes_in += frame->size;
  if (frame->discont && d->started)
    m2v_tracker_discont (&d->tracker);
  d->started = true;
  m2v_scaling_picture (&d->last_reference, frame, picture);
}

/* Writes a repetition of the frame. Returns false if a decoder has no
 * picture to repeat, or if the frame cannot be repeated. A B that leads a
 * closed group must not refer to the group before, and a B that leads the
 * stream cannot. */
static bool
replace (M2vDropper * d, const M2vFrame * frame)
{
  bool leads = d->n_anchors_out < 2 || (d->tracker.leading_closed
      && frame->temporal_reference < d->tracker.intra_reference);

  return d->repeat_dropped && d->n_anchors_out > 0
      && m2v_replacer_write (&d->replacer, frame,
      frame->type == M2V_PICTURE_B && leads);
}

/* Makes up the frame as it is, or as the repetition that has been written.
 * Returns how many bytes leave. */
static size_t
emit (M2vDropper * d, const M2vFrame * frame,
    const uint8_t * const data[2], M2vDecision * decision)
{
  size_t size;

  decision->n_pieces = m2v_carry_emit (d->carry, frame, data, decision->pieces);
  for (unsigned i = 0; i < decision->n_pieces; i++)
    decision->n_first += decision->pieces[i].picture == 0;
  if (decision->action == M2V_REPLACE)
    m2v_replacer_exchange (&d->replacer, frame, decision);
  if (d->repeat_dropped)
    m2v_vbv_delay_remove (&d->vbv_delay, frame, data, decision);
  size = m2v_decision_size (decision, 0) + m2v_decision_size (decision, 1);
  d->stats.bytes_out += size;
  if (m2v_frame_is_anchor (frame) && d->n_anchors_out < 2)
    d->n_anchors_out++;
  return size;
}

static void
count (M2vDropper * d, M2vAction action, ScalingVerdict verdict)
{
  if (verdict == SCALING_FILL)
    d->stats.filled++;
  if (action == M2V_PASS)
    d->stats.passed++;
  else if (action == M2V_REPLACE)
    d->stats.replaced++;
  else if (verdict == SCALING_BEYOND_SCALE)
    d->stats.dropped_policy++;
  else if (verdict == SCALING_UNDECODABLE)
    d->stats.dropped_reference++;
  else
    d->stats.dropped_group++;
}

static void
note (M2vDropper * d, const M2vFrame * frame, bool intact)
{
  m2v_tracker_note (&d->tracker, frame, intact);
  m2v_tracker_note (&d->own, frame, intact);
  d->last_passed = intact;
}

/* True if the frame's references are in the output. What is missing in the
 * source counts only once a rule is in force. */
static bool
is_decodable (const M2vDropper * d, const M2vFrame * frame)
{
  return m2v_tracker_decodable (scaling_selector_is_untouched (&d->selector)
      ? &d->own : &d->tracker, frame);
}

static M2vAction
choose_action (M2vDropper * d, const M2vFrame * frame, ScalingVerdict verdict)
{
  if (verdict == SCALING_PASS || verdict == SCALING_FILL)
    return M2V_PASS;
  return verdict != SCALING_GROUP && replace (d, frame) ? M2V_REPLACE
      : M2V_DROP;
}

static void
begin_decision (const M2vDropper * d, const M2vFrame * frame,
    const ScalingDecision * selected, M2vDecision * decision)
{
  decision->n_references = m2v_tracker_references (&d->tracker, frame);
  decision->lowest_scale = selected->lowest_scale;
  decision->scale = selected->scale;
  decision->planned = selected->planned;
  decision->later_p = selected->references;
  decision->later_b = selected->disposables;
  decision->n_pieces = 0;
  decision->n_first = 0;
}

void
m2v_dropper_frame (M2vDropper * d, const M2vFrame * frame,
    const uint8_t * const data[2], M2vDecision * decision)
{
  ScalingPicture picture;
  ScalingDecision selected;
  size_t replaced_size, size = 0;

  observe (d, frame, &picture);
  replaced_size = d->repeat_dropped ? m2v_replacer_size (&d->replacer, frame)
      : 0;
  scaling_selector_decide (&d->selector, &picture, is_decodable (d, frame),
      replaced_size, &selected);
  begin_decision (d, frame, &selected, decision);
  decision->action = choose_action (d, frame, selected.verdict);
  if (decision->action == M2V_DROP)
    m2v_carry_drop (d->carry, frame, data);
  else
    size = emit (d, frame, data, decision);
  scaling_selector_done (&d->selector, &picture, size);
  count (d, decision->action, selected.verdict);
  note (d, frame, decision->action == M2V_PASS);
}

bool
m2v_dropper_pass_unpaired (M2vDropper * d, const M2vFrame * frame,
    const uint8_t * const data[2], M2vDecision * decision)
{
  ScalingDecision selected = {.scale = SCALING_MAX_SCALE };
  ScalingPicture picture;

  if (!scaling_selector_is_untouched (&d->selector) || d->selector.gate.closed
      || !m2v_tracker_decodable (&d->own, frame))
    return false;
  observe (d, frame, &picture);
  selected.lowest_scale = scaling_selector_skip (&d->selector, &picture);
  begin_decision (d, frame, &selected, decision);
  decision->action = M2V_PASS;
  scaling_selector_done (&d->selector, &picture,
      emit (d, frame, data, decision));
  count (d, M2V_PASS, SCALING_PASS);
  note (d, frame, true);
  return true;
}

void
m2v_dropper_unpaired (M2vDropper * d, const M2vFrame * frame,
    const uint8_t * const data[2])
{
  ScalingPicture picture;

  observe (d, frame, &picture);
  scaling_selector_skip (&d->selector, &picture);
  d->stats.dropped_unpaired++;
  m2v_carry_drop (d->carry, frame, data);
  note (d, frame, false);
}

bool
m2v_dropper_span (M2vDropper * d, const M2vPicture * span, const uint8_t * data)
{
  bool passes;

  /* These are most likely slices of the frame before. */
  if (span->kind == M2V_SPAN_STRAY)
    passes = d->last_passed;
  else
    passes = m2v_carry_span (d->carry, span, data);
  passes = passes && !d->selector.gate.closed;

  d->stats.bytes_in += span->size;
  if (passes)
    d->stats.bytes_out += span->size;
  return passes;
}

unsigned
m2v_dropper_headers (M2vDropper * d, const M2vPicture * span,
    const uint8_t * data, M2vPiece * piece)
{
  size_t code = start_code_find (data, span->size, 0) + 3;
  unsigned n;

  if (span->kind != M2V_SPAN_STRAY || code >= span->size
      || !m2v_code_is_slice (data[code]))
    return 0;
  n = m2v_carry_headers (d->carry, piece);
  if (n > 0)
    d->stats.bytes_out += piece->size;
  return n;
}

unsigned
m2v_dropper_finish (M2vDropper * d, M2vPiece * piece)
{
  unsigned n = m2v_carry_finish (d->carry, piece);

  if (scaling_selector_is_stopped (&d->selector))
    return 0;
  if (n > 0)
    d->stats.bytes_out += piece->size;
  return n;
}

int64_t
m2v_dropper_rate (const M2vDropper * d, unsigned scale)
{
  return scaling_fit_rate (d->selector.fit, scale);
}

void
m2v_dropper_stats (const M2vDropper * d, M2vDropperStats * stats)
{
  *stats = d->stats;
}
