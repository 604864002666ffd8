/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Each rule and its reason: docs/mpeg.md, "Scale policy".
 */
#include "dropper.h"

#include <stdlib.h>
#include <string.h>

#include "filler.h"
#include "fit.h"
#include "gate.h"
#include "replacer.h"
#include "scan.h"
#include "tracker.h"
#include "vbvdelay.h"

typedef enum
{
  VERDICT_PASS,
  VERDICT_FILL,                 /* passes beyond the scale */
  VERDICT_POLICY,
  VERDICT_REFERENCE,
  VERDICT_GROUP
} Verdict;

struct ScalerDropper
{
  ScalerDropperSettings settings;
  ScalerDropperStats stats;
  ScalerPolicy policy;
  ScalerFit *fit;
  MpegCarry *carry;

  MpegTracker tracker;          /* all that is missing in the output */
  MpegTracker own;              /* what is missing through us */

  bool started;                 /* there is something to lose */

  bool last_passed;             /* the last frame, unchanged */
  unsigned n_anchors_out;       /* I and P in the output, up to 2 */

  ScalerGate gate;
  ScalerReplacer replacer;
  ScalerFiller filler;
  ScalerVbvDelay vbv_delay;

  bool costed;                  /* what passes is made smaller behind us */
  size_t cost;                  /* the next frame to this */
};

ScalerDropper *
scaler_dropper_new (void)
{
  ScalerDropper *d = calloc (1, sizeof *d);

  if (!d)
    return NULL;
  d->settings.scale = -1;
  d->settings.target = -1;
  d->fit = scaler_fit_new ();
  d->carry = mpeg_carry_new ();
  if (!scaler_replacer_init (&d->replacer) || !d->fit || !d->carry) {
    scaler_dropper_free (d);
    return NULL;
  }
  scaler_dropper_reset (d, false);
  return d;
}

void
scaler_dropper_free (ScalerDropper * d)
{
  if (!d)
    return;
  scaler_replacer_clear (&d->replacer);
  if (d->carry)
    mpeg_carry_free (d->carry);
  scaler_fit_free (d->fit);
  free (d);
}

static bool
is_untouched (const ScalerDropper * d)
{
  return d->settings.scale < 0 && d->settings.target < 0;
}

static bool
is_stopped (const ScalerDropper * d)
{
  return d->settings.scale < 0 && d->settings.target == 0;
}

/* Stopped before, an I still has to come first. Whether the stream has I frames
 * stays known over a flush. */
void
scaler_dropper_reset (ScalerDropper * d, bool lost)
{
  bool seen_intra = lost && d->policy.seen_intra;

  scaler_policy_init (&d->policy);
  d->policy.seen_intra = seen_intra;
  scaler_fit_reset (d->fit);
  scaler_filler_init (&d->filler);
  mpeg_carry_reset (d->carry);
  mpeg_tracker_init (&d->own);
  scaler_gate_reset (&d->gate, lost);
  if (lost)
    mpeg_tracker_discont (&d->tracker);
  else
    mpeg_tracker_init (&d->tracker);
  d->started = false;
  d->last_passed = true;
  d->n_anchors_out = 0;
}

void
scaler_dropper_set (ScalerDropper * d, const ScalerDropperSettings * settings)
{
  /* What passed without a target fills no queue. */
  if (d->settings.scale >= 0 || d->settings.target < 0)
    scaler_filler_init (&d->filler);
  d->settings = *settings;
  if (settings->scale >= 0 || settings->target < 0)
    scaler_fit_restart (d->fit);
  if (is_stopped (d))
    scaler_gate_stop (&d->gate);
}

void
scaler_dropper_set_cost (ScalerDropper * d, bool costed, size_t cost)
{
  if (costed != d->costed) {
    scaler_fit_forget_costs (d->fit);
    scaler_fit_restart (d->fit);
  }
  d->costed = costed;
  d->cost = cost;
}

/* What every frame is to all that looks at the source. Returns the lowest scale
 * that passes the frame. */
static unsigned
observe (ScalerDropper * d, const MpegFrame * frame)
{
  unsigned lowest_scale = scaler_policy_next (&d->policy, frame);

  d->stats.frames[frame->valid ? frame->type : 0]++;
  d->stats.bytes_in += frame->size;
  if (frame->discont && d->started)
    mpeg_tracker_discont (&d->tracker);
  d->started = true;
  scaler_gate_count (&d->gate, frame);
  return lowest_scale;
}

static bool
goes_with_group (ScalerDropper * d, const MpegFrame * frame, int scale,
    double share)
{
  if (is_stopped (d)) {
    scaler_gate_stop (&d->gate);
    return true;
  }
  return !scaler_gate_passes (&d->gate, frame, scale, share,
      d->policy.seen_intra);
}

/* Only frames of the next higher scale: a B must not take the room of the P
 * behind it. */
static bool
fills (const ScalerDropper * d, const MpegFrame * frame, unsigned lowest_scale,
    int scale)
{
  return d->settings.fill && d->settings.scale < 0 && scale >= 0
      && lowest_scale == (unsigned) scale + 1
      && scaler_filler_has_room (&d->filler, d->settings.target,
      d->costed ? d->cost : frame->size);
}

static Verdict
judge (ScalerDropper * d, const MpegFrame * frame, unsigned lowest_scale,
    int scale, double share)
{
  const MpegTracker *tracker = is_untouched (d) ? &d->own : &d->tracker;
  bool beyond = lowest_scale > (scale > 0 ? (unsigned) scale : 0);

  if (goes_with_group (d, frame, scale, share))
    return VERDICT_GROUP;
  if (!frame->valid)
    return VERDICT_PASS;
  if (beyond && !fills (d, frame, lowest_scale, scale))
    return VERDICT_POLICY;
  if (!mpeg_tracker_decodable (tracker, frame))
    return VERDICT_REFERENCE;
  return beyond ? VERDICT_FILL : VERDICT_PASS;
}

/* Whether the frame is now a repetition. Not where a decoder has no picture to
 * repeat. A B that leads a closed group must not refer to the group before. */
static bool
replace (ScalerDropper * d, const MpegFrame * frame)
{
  bool bidirectional = frame->type == MPEG_PICTURE_B;
  bool backward = bidirectional && d->tracker.leading_closed
      && frame->temporal_reference < d->tracker.intra_reference;

  return d->settings.repeat_dropped
      && d->n_anchors_out >= (bidirectional && !backward ? 2 : 1)
      && scaler_replacer_write (&d->replacer, frame, backward);
}

/* The frame as it is, or as the repetition that has been written. */
static void
emit (ScalerDropper * d, const MpegFrame * frame,
    const uint8_t * const data[2], ScalerDecision * decision)
{
  size_t size;

  decision->n_pieces =
      mpeg_carry_emit (d->carry, frame, data, decision->pieces);
  for (unsigned i = 0; i < decision->n_pieces; i++)
    decision->n_first += decision->pieces[i].picture == 0;
  if (decision->action == SCALER_REPLACE)
    scaler_replacer_exchange (&d->replacer, frame, decision);
  if (d->settings.repeat_dropped)
    scaler_vbv_delay_remove (&d->vbv_delay, frame, data, decision);
  size = scaler_decision_size (decision, 0)
      + scaler_decision_size (decision, 1);
  d->stats.bytes_out += size;
  scaler_filler_add (&d->filler,
      d->costed && decision->action == SCALER_PASS ? d->cost : size);
  if (mpeg_frame_is_anchor (frame) && d->n_anchors_out < 2)
    d->n_anchors_out++;
}

static void
count (ScalerDropper * d, ScalerAction action, Verdict verdict)
{
  if (verdict == VERDICT_FILL)
    d->stats.filled++;
  if (action == SCALER_PASS)
    d->stats.passed++;
  else if (action == SCALER_REPLACE)
    d->stats.replaced++;
  else if (verdict == VERDICT_POLICY)
    d->stats.dropped_policy++;
  else if (verdict == VERDICT_REFERENCE)
    d->stats.dropped_reference++;
  else
    d->stats.dropped_group++;
}

static void
note (ScalerDropper * d, const MpegFrame * frame, bool intact)
{
  mpeg_tracker_note (&d->tracker, frame, intact);
  mpeg_tracker_note (&d->own, frame, intact);
  d->last_passed = intact;
}

/* Measures the frame, and says what scale is in force for it. */
static int
choose_scale (ScalerDropper * d, const MpegFrame * frame,
    unsigned lowest_scale, double *share)
{
  size_t replaced_size = d->settings.repeat_dropped
      ? scaler_replacer_size (&d->replacer, frame) : 0;

  scaler_fit_add (d->fit, frame, lowest_scale, replaced_size);
  if (d->costed)
    scaler_fit_cost (d->fit, d->cost);
  *share = 1;
  if (d->settings.scale >= 0 && d->settings.scale < SCALER_MAX_SCALE)
    return d->settings.scale;
  if (d->settings.scale >= 0 || is_untouched (d))
    return SCALER_MAX_SCALE;
  return scaler_fit_scale (d->fit, d->settings.target, share);
}

void
scaler_dropper_frame (ScalerDropper * d, const MpegFrame * frame,
    const uint8_t * const data[2], ScalerDecision * decision)
{
  unsigned lowest_scale = observe (d, frame);
  double share;
  int scale = choose_scale (d, frame, lowest_scale, &share);
  Verdict verdict = judge (d, frame, lowest_scale, scale, share);

  decision->lowest_scale = lowest_scale;
  decision->scale = scale;
  decision->n_pieces = 0;
  decision->n_first = 0;
  if (verdict == VERDICT_PASS || verdict == VERDICT_FILL)
    decision->action = SCALER_PASS;
  else if (verdict != VERDICT_GROUP && replace (d, frame))
    decision->action = SCALER_REPLACE;
  else
    decision->action = SCALER_DROP;

  if (decision->action == SCALER_DROP)
    mpeg_carry_drop (d->carry, frame, data);
  else
    emit (d, frame, data, decision);
  scaler_filler_drain (&d->filler, d->settings.target, frame->duration);
  count (d, decision->action, verdict);
  note (d, frame, decision->action == SCALER_PASS);
}

bool
scaler_dropper_pass_unpaired (ScalerDropper * d, const MpegFrame * frame,
    const uint8_t * const data[2], ScalerDecision * decision)
{
  if (!is_untouched (d) || d->gate.closed
      || !mpeg_tracker_decodable (&d->own, frame))
    return false;
  decision->lowest_scale = observe (d, frame);
  /* No scale passes it, but it takes its time. */
  scaler_fit_add (d->fit, frame, SCALER_N_SCALES, 0);
  decision->scale = SCALER_MAX_SCALE;
  decision->action = SCALER_PASS;
  decision->n_pieces = decision->n_first = 0;
  emit (d, frame, data, decision);
  count (d, SCALER_PASS, VERDICT_PASS);
  note (d, frame, true);
  return true;
}

void
scaler_dropper_unpaired (ScalerDropper * d, const MpegFrame * frame,
    const uint8_t * const data[2])
{
  observe (d, frame);
  /* No scale passes it, but it takes its time. */
  scaler_fit_add (d->fit, frame, SCALER_N_SCALES, 0);
  d->stats.dropped_unpaired++;
  mpeg_carry_drop (d->carry, frame, data);
  note (d, frame, false);
}

bool
scaler_dropper_span (ScalerDropper * d, const MpegPicture * span,
    const uint8_t * data)
{
  bool passes;

  /* Most likely slices of the frame before. */
  if (span->kind == MPEG_SPAN_STRAY)
    passes = d->last_passed;
  else
    passes = mpeg_carry_span (d->carry, span, data);
  passes = passes && !d->gate.closed;

  d->stats.bytes_in += span->size;
  if (passes)
    d->stats.bytes_out += span->size;
  return passes;
}

unsigned
scaler_dropper_headers (ScalerDropper * d, const MpegPicture * span,
    const uint8_t * data, MpegPiece * piece)
{
  size_t code = mpeg_scan (data, span->size, 0) + 3;
  unsigned n;

  if (span->kind != MPEG_SPAN_STRAY || code >= span->size
      || !mpeg_code_is_slice (data[code]))
    return 0;
  n = mpeg_carry_headers (d->carry, piece);
  if (n > 0)
    d->stats.bytes_out += piece->size;
  return n;
}

unsigned
scaler_dropper_finish (ScalerDropper * d, MpegPiece * piece)
{
  unsigned n = mpeg_carry_finish (d->carry, piece);

  if (is_stopped (d))
    return 0;
  if (n > 0)
    d->stats.bytes_out += piece->size;
  return n;
}

int64_t
scaler_dropper_rate (const ScalerDropper * d, unsigned scale)
{
  return scaler_fit_rate (d->fit, scale);
}

void
scaler_dropper_stats (const ScalerDropper * d, ScalerDropperStats * stats)
{
  *stats = d->stats;
}
