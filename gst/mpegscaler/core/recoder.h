/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Recodes what the dropper passes, so that it keeps to a target: TM5 asks for
 * quantisers, the requantizer writes the slices, and headers that would no longer
 * be true are mended. docs/recoding.md.
 */
#ifndef SCALER_RECODER_H
#define SCALER_RECODER_H

#include "dropper.h"
#include "requantizer.h"
#include "tm5.h"

typedef struct
{
  int64_t target;               /* bits/s, -1: none */
  unsigned max_code;            /* coarsest quantiser_scale_code, 1..31 */
  ScalerDrift drift;
  bool rate_distortion;         /* choose levels and quantisers by what they
                                 * cost; docs/recoding.md */
  bool modulate;                /* quantisers vary within a picture as the source's
                                 * do; else not */
  double kb, front_load;        /* Tm5Params */
} ScalerRecoderSettings;

extern const ScalerRecoderSettings scaler_recoder_defaults;

typedef struct
{
  uint64_t recoded;             /* pictures: a field is one */
  uint64_t passed;              /* their slices are the source's */
  uint64_t unreadable;          /* of these, since they could not be read */
  double quantiser_in;          /* mean quantiser_scale of the last picture; 0: */
  double quantiser_out;         /* not known */
  Tm5Stats control;
} ScalerRecoderStats;

typedef struct ScalerRecoder ScalerRecoder;

/* NULL where memory is short. */
ScalerRecoder *scaler_recoder_new (void);
void scaler_recoder_free (ScalerRecoder * r);

/* Start, new caps: all is forgotten but the settings. */
void scaler_recoder_reset (ScalerRecoder * r);

/* Flush, DISCONT: what comes next refers to nothing before; what has been learned
 * of the stream stays. */
void scaler_recoder_discont (ScalerRecoder * r);

/* From the next frame on; what is out of its range becomes the nearest in
 * it. */
void scaler_recoder_set (ScalerRecoder * r,
    const ScalerRecoderSettings * settings);

/* Once a frame, in coded order, after the dropper: exchanges the slices in the
 * decision's pieces, and vbv_delay. A dropped frame's time becomes the next
 * one's. A picture that cannot be read stays as it is. The pieces' literals are
 * valid until the next call. */
void scaler_recoder_frame (ScalerRecoder * r, const MpegFrame * frame,
    const uint8_t * const data[2], ScalerDecision * decision);

/* Bytes that the frame would come to at the coarsest quantiser: an estimate, from
 * what pictures like its own came to. Never more than frame->size, and that where
 * it cannot be read. */
size_t scaler_recoder_floor (ScalerRecoder * r, const MpegFrame * frame,
    const uint8_t * const data[2]);

void scaler_recoder_stats (const ScalerRecoder * r, ScalerRecoderStats * stats);

#endif
