/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Recodes what the dropper passes, so that it keeps to a target: TM5 asks for
 * quantisers, the requantizer writes the slices, and headers that would no
 * longer be true are mended. docs/recoding.md.
 */
#ifndef MPEG2SCALING_RECODER_H
#define MPEG2SCALING_RECODER_H

#include <mpeg2scaling/dropper.h>
#include <mpeg2requantize/requantizer.h>
#include <ratecontrol/tm5.h>

typedef struct
{
  int64_t target;               /* bits/s, -1: none */
  unsigned max_code;            /* coarsest quantiser_scale_code, 1..31 */
  M2vDrift drift;
  bool rate_distortion;         /* choose levels and quantisers by what they
                                 * cost; docs/recoding.md */
  bool modulate;                /* quantisers vary within a picture as the source's
                                 * do; else not */
  double kb, front_load;        /* Tm5Params */
} M2vRecoderSettings;

extern const M2vRecoderSettings m2v_recoder_defaults;

typedef struct
{
  uint64_t recoded;             /* pictures: a field is one */
  uint64_t passed;              /* their slices are the source's */
  uint64_t unreadable;          /* of these, since they could not be read */
  /* Mean quantiser_scale of the last picture; 0: not known. */
  double quantiser_in, quantiser_out;
  Tm5Stats control;
} M2vRecoderStats;

typedef struct M2vRecoder M2vRecoder;

/* NULL where memory is short. */
M2vRecoder *m2v_recoder_new (void);
void m2v_recoder_free (M2vRecoder * r);

/* Start, new caps: all is forgotten but the settings. */
void m2v_recoder_reset (M2vRecoder * r);

/* Flush, DISCONT: what comes next refers to nothing before; what has been
 * learned of the stream stays. */
void m2v_recoder_discont (M2vRecoder * r);

/* From the next frame on; what is out of its range becomes the nearest in
 * it. */
void m2v_recoder_set (M2vRecoder * r,
    const M2vRecoderSettings * settings);

/* Once a frame, in coded order, after the dropper: exchanges the slices in the
 * decision's pieces, and vbv_delay. A picture that cannot be read stays as it is.
 * The pieces' literals are valid until the next call. */
void m2v_recoder_frame (M2vRecoder * r, const M2vFrame * frame,
    const uint8_t * const data[2], M2vDecision * decision);

/* Bytes that the frame would come to at the coarsest quantiser: an estimate,
 * from what pictures like its own came to. Never more than frame->size, and
 * that where it cannot be read. */
size_t m2v_recoder_floor (M2vRecoder * r, const M2vFrame * frame,
    const uint8_t * const data[2]);

/* The same, and what has been sent: for whoever decides which frames pass. */
void m2v_recoder_cost (M2vRecoder * r, const M2vFrame * frame,
    const uint8_t * const data[2], ScalingCost * cost);

void m2v_recoder_stats (const M2vRecoder * r, M2vRecoderStats * stats);

#endif
