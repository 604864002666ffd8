/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Frame dropping: frames in coded order in, what to do with each out. Puts the
 * selector, the reference tracker and the carried state together.
 */
#ifndef MPEG2SCALING_DROPPER_H
#define MPEG2SCALING_DROPPER_H

#include <mpeg2scaling/decision.h>
#include <scaling/plan.h>

typedef struct
{
  /* What rules: a scale (0..4), or -1: the target. */
  int scale;
  /* Bits per second; -1: untouched, all passes; 0: nothing passes, and what
   * passes first afterwards is an I. */
  int64_t target;
  /* Replace by skipped pictures where possible; all that pass then have a
   * vbv_delay of 0xFFFF. */
  bool repeat_dropped;
  bool fill;                    /* where the target rules: what it leaves is for
                                 * frames of the next higher scale */
} M2vDropperSettings;

typedef struct
{
  uint64_t frames[5];           /* in, by M2vPictureType; [0]: unreadable */
  uint64_t passed;
  uint64_t filled;              /* of these, beyond the scale */
  uint64_t dropped_policy;      /* by the scale */
  uint64_t dropped_reference;   /* since a reference was gone */
  uint64_t dropped_unpaired;    /* fields without their second */
  uint64_t dropped_group;       /* whole groups, below scale 0 or stopped */
  uint64_t replaced;
  uint64_t bytes_in;
  uint64_t bytes_out;
} M2vDropperStats;

typedef struct M2vDropper M2vDropper;

/* NULL where memory is short. */
M2vDropper *m2v_dropper_new (void);
void m2v_dropper_free (M2vDropper * d);

/* Start, flush, new caps. `lost`: what came before is gone (flush); at the very
 * start it is false. */
void m2v_dropper_reset (M2vDropper * d, bool lost);

/* Acts on the next frame that its rule allows. */
void m2v_dropper_set (M2vDropper * d,
    const M2vDropperSettings * settings);

/* A receiver waits for an I: where whole groups go, the next one passes. */
void m2v_dropper_want_key (M2vDropper * d);

/* Before a frame: what it comes to behind us, where that is smaller; NULL:
 * nothing changes it. The target is then for that; rates and counts are still of
 * what passes here. */
void m2v_dropper_set_cost (M2vDropper * d, const ScalingCost * cost);

/* Once a frame, in coded order; data[i]: the span of picture i. */
void m2v_dropper_frame (M2vDropper * d, const M2vFrame * frame,
    const uint8_t * const data[2], M2vDecision * decision);

/* A field without its second, where nothing is to be dropped: it passes, for a
 * decoder may find its second where we did not. False where it is to be dropped
 * instead. */
bool m2v_dropper_pass_unpaired (M2vDropper * d, const M2vFrame * frame,
    const uint8_t * const data[2], M2vDecision * decision);

/* A field without its second: dropped. */
void m2v_dropper_unpaired (M2vDropper * d, const M2vFrame * frame,
    const uint8_t * const data[2]);

/* A span that is no picture: true where it is to be passed on. */
bool m2v_dropper_span (M2vDropper * d, const M2vPicture * span,
    const uint8_t * data);

/* Before a span that passes: where it holds slices of a picture whose header is
 * missing, headers that have been waiting for that. One piece or none. */
unsigned m2v_dropper_headers (M2vDropper * d, const M2vPicture * span,
    const uint8_t * data, M2vPiece * piece);

/* End of stream: what is still to be passed on. */
unsigned m2v_dropper_finish (M2vDropper * d, M2vPiece * piece);

/* Bits per second that scale (0..4) would pass, 0: not known yet. */
int64_t m2v_dropper_rate (const M2vDropper * d, unsigned scale);

void m2v_dropper_stats (const M2vDropper * d, M2vDropperStats * stats);

#endif
