/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Recodes what the dropper passes to keep to a target: TM5 asks for
 * quantisers, the requantizer writes the slices, and headers that would become
 * false are corrected. See docs/recoding.md.
 */
#ifndef MPEG2SCALING_RECODER_H
#define MPEG2SCALING_RECODER_H

#include <mpeg2scaling/dropper.h>
#include <mpeg2requantize/requantizer.h>
#include <ratecontrol/tm5.h>

typedef struct
{
  int64_t target;               /* bits/s; -1 = none */
  unsigned max_code;            /* coarsest quantiser_scale_code, 1..31 */
  M2vDrift drift;
  /* Levels and quantisers are chosen by what they cost; docs/recoding.md. */
  bool rate_distortion;
  double vector_share;          /* as in M2vRequantizerSettings */
  /* Quantisers vary within a picture as the source's do. */
  bool modulate;
  double kb, front_load;        /* as in Tm5Params */
} M2vRecoderSettings;

extern const M2vRecoderSettings m2v_recoder_defaults;

typedef struct
{
  uint64_t recoded;             /* pictures recoded; a field is one */
  uint64_t passed;              /* pictures with the source's slices */
  /* those passed because they could not be read */
  uint64_t unreadable;
  /* Mean quantiser_scale of the last picture; 0 = not known. */
  double quantiser_in, quantiser_out;
  Tm5Stats control;
} M2vRecoderStats;

typedef struct M2vRecoder M2vRecoder;

/* Returns NULL if memory runs out. */
M2vRecoder *m2v_recoder_new (void);
void m2v_recoder_free (M2vRecoder * r);

/* Forgets all but the settings, at the start and at new caps. */
void m2v_recoder_reset (M2vRecoder * r);

/* Notes a flush or DISCONT: the next frames refer to nothing before. What
 * was learned of the stream stays. */
void m2v_recoder_discont (M2vRecoder * r);

/* Sets the settings from the next frame on. Values out of range become the
 * nearest in it. */
void m2v_recoder_set (M2vRecoder * r,
    const M2vRecoderSettings * settings);

/* Exchanges the slices in the decision's pieces, and vbv_delay. Call it
 * once a frame, in coded order, after the dropper. A picture that cannot
 * be read stays as it is. The pieces' literals are valid until the next
 * call. */
void m2v_recoder_frame (M2vRecoder * r, const M2vFrame * frame,
    const uint8_t * const data[2], M2vDecision * decision);

/* Estimates the bytes of the frame at the coarsest quantiser from those of
 * similar pictures. Returns at most frame->size, and that if the frame
 * cannot be read. */
size_t m2v_recoder_floor (M2vRecoder * r, const M2vFrame * frame,
    const uint8_t * const data[2]);

/* Returns the same, and what has been sent, for the dropper's decision
 * which frames pass. */
void m2v_recoder_cost (M2vRecoder * r, const M2vFrame * frame,
    const uint8_t * const data[2], ScalingCost * cost);

void m2v_recoder_stats (const M2vRecoder * r, M2vRecoderStats * stats);

#endif
