/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Frame dropping: takes frames in coded order and decides about each. It puts
 * the selector, the reference tracker and the carried state together.
 */
#ifndef MPEG2SCALING_DROPPER_H
#define MPEG2SCALING_DROPPER_H

#include <mpeg2scaling/decision.h>
#include <scaling/plan.h>

typedef struct
{
  /* The scale (0..4) that rules, or -1 = the target rules. */
  int scale;
  /* Bits per second; -1 = all frames pass untouched; 0 = nothing passes, and
   * the first frame that passes afterwards is an I. */
  int64_t target;
  /* Replaces dropped frames by skipped pictures if possible. All frames that
   * pass then have a vbv_delay of 0xFFFF. */
  bool repeat_dropped;
  /* If the target rules, frames of the next higher scale get the bits that
   * it leaves. */
  bool fill;
} M2vDropperSettings;

typedef struct
{
  /* frames in, by M2vPictureType; [0]: unreadable */
  uint64_t frames[5];
  uint64_t passed;
  uint64_t filled;              /* those passed beyond the scale */
  uint64_t dropped_policy;      /* dropped by the scale */
  uint64_t dropped_reference;   /* dropped because a reference is missing */
  uint64_t dropped_unpaired;    /* fields without their second field */
  /* frames of whole groups, below scale 0 or stopped */
  uint64_t dropped_group;
  uint64_t replaced;
  uint64_t bytes_in;
  uint64_t bytes_out;
} M2vDropperStats;

typedef struct M2vDropper M2vDropper;

/* Returns NULL if memory runs out. */
M2vDropper *m2v_dropper_new (void);
void m2v_dropper_free (M2vDropper * d);

/* Begins anew at the start, after a flush, and at new caps. `lost`:
 * earlier frames are missing (flush); false at the very start. */
void m2v_dropper_reset (M2vDropper * d, bool lost);

/* Sets the rule. It applies from the next frame on at which it may change. */
void m2v_dropper_set (M2vDropper * d,
    const M2vDropperSettings * settings);

/* A receiver waits for an I. If whole groups are dropped, the next one
 * passes. */
void m2v_dropper_want_key (M2vDropper * d);

/* Sets, before a frame, the size that it will have downstream if that is
 * smaller; NULL = it stays the same. The target then applies to that size.
 * Rates and counts still describe what passes here. */
void m2v_dropper_set_cost (M2vDropper * d, const ScalingCost * cost);

/* Decides about a frame. Call it once a frame, in coded order; data[i] is
 * the span of picture i. */
void m2v_dropper_frame (M2vDropper * d, const M2vFrame * frame,
    const uint8_t * const data[2], M2vDecision * decision);

/* Passes a field without its second field if nothing is to be dropped,
 * because a decoder may find the second field that we did not find.
 * Returns false if the field is to be dropped instead. */
bool m2v_dropper_pass_unpaired (M2vDropper * d, const M2vFrame * frame,
    const uint8_t * const data[2], M2vDecision * decision);

/* Drops a field without its second field. */
void m2v_dropper_unpaired (M2vDropper * d, const M2vFrame * frame,
    const uint8_t * const data[2]);

/* Takes a span that is no picture. True if it is to be passed on. */
bool m2v_dropper_span (M2vDropper * d, const M2vPicture * span,
    const uint8_t * data);

/* Returns headers that have been kept, if the span holds slices of a
 * picture whose header is missing: one piece or none. Call it before a
 * span that passes. */
unsigned m2v_dropper_headers (M2vDropper * d, const M2vPicture * span,
    const uint8_t * data, M2vPiece * piece);

/* Returns what is still to be passed on at the end of the stream. */
unsigned m2v_dropper_finish (M2vDropper * d, M2vPiece * piece);

/* Returns the bits per second that scale (0..4) would pass; 0 = not known
 * yet. */
int64_t m2v_dropper_rate (const M2vDropper * d, unsigned scale);

void m2v_dropper_stats (const M2vDropper * d, M2vDropperStats * stats);

#endif
