/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Frame dropping: frames in coded order in, what to do with each out. Puts the
 * policy, the fit, the reference tracker and the carried state together.
 */
#ifndef SCALER_DROPPER_H
#define SCALER_DROPPER_H

#include "decision.h"
#include "policy.h"

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
} ScalerDropperSettings;

typedef struct
{
  uint64_t frames[5];           /* in, by MpegPictureType; [0]: unreadable */
  uint64_t passed;
  uint64_t filled;              /* of these, beyond the scale */
  uint64_t dropped_policy;      /* by the scale */
  uint64_t dropped_reference;   /* since a reference was gone */
  uint64_t dropped_unpaired;    /* fields without their second */
  uint64_t dropped_group;       /* whole groups, below scale 0 or stopped */
  uint64_t replaced;
  uint64_t bytes_in;
  uint64_t bytes_out;
} ScalerDropperStats;

typedef struct ScalerDropper ScalerDropper;

/* NULL where memory is short. */
ScalerDropper *scaler_dropper_new (void);
void scaler_dropper_free (ScalerDropper * d);

/* Start, flush, new caps. `lost`: what came before is gone (flush); at the very
 * start it is false. */
void scaler_dropper_reset (ScalerDropper * d, bool lost);

/* Acts on the next frame that its rule allows. */
void scaler_dropper_set (ScalerDropper * d,
    const ScalerDropperSettings * settings);

/* Before a frame: whether something behind makes smaller what passes, and what the
 * frame could come to there. The target is then for that; rates and counts are
 * still of what passes here. */
void scaler_dropper_set_cost (ScalerDropper * d, bool costed, size_t cost);

/* Once a frame, in coded order; data[i]: the span of picture i. */
void scaler_dropper_frame (ScalerDropper * d, const MpegFrame * frame,
    const uint8_t * const data[2], ScalerDecision * decision);

/* A field without its second, where nothing is to be dropped: it passes, for a
 * decoder may find its second where we did not. False where it is to be dropped
 * instead. */
bool scaler_dropper_pass_unpaired (ScalerDropper * d, const MpegFrame * frame,
    const uint8_t * const data[2], ScalerDecision * decision);

/* A field without its second: dropped. */
void scaler_dropper_unpaired (ScalerDropper * d, const MpegFrame * frame,
    const uint8_t * const data[2]);

/* A span that is no picture: true where it is to be passed on. */
bool scaler_dropper_span (ScalerDropper * d, const MpegPicture * span,
    const uint8_t * data);

/* Before a span that passes: where it holds slices of a picture whose header is
 * missing, headers that have been waiting for that. One piece or none. */
unsigned scaler_dropper_headers (ScalerDropper * d, const MpegPicture * span,
    const uint8_t * data, MpegPiece * piece);

/* End of stream: what is still to be passed on. */
unsigned scaler_dropper_finish (ScalerDropper * d, MpegPiece * piece);

/* Bits per second that scale (0..4) would pass, 0: not known yet. */
int64_t scaler_dropper_rate (const ScalerDropper * d, unsigned scale);

void scaler_dropper_stats (const ScalerDropper * d, ScalerDropperStats * stats);

#endif
