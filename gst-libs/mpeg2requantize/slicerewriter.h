/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of requantizer.h: slice by slice.
 *
 *   m2v_slice_rewriter_begin (&r, &range);
 *   while (m2v_slice_rewriter_next (&r, &request))
 *     m2v_slice_rewriter_quantise (&r, code for the request);
 *   readable = m2v_slice_rewriter_end (&r, &copied);
 */
#ifndef MPEG2REQUANTIZE_SLICEREWRITER_H
#define MPEG2REQUANTIZE_SLICEREWRITER_H

#include <mpeg2requantize/drift.h>
#include <mpeg2requantize/levels.h>
#include <mpeg2requantize/macroblockchoice.h>
#include <mpeg2requantize/requantizer.h>
#include <mpeg2/slicereader.h>
#include <mpeg2/slicewriter.h>

typedef struct
{
  unsigned n_macroblocks;       /* skipped ones too */
  unsigned n_quantised;         /* with coefficients in the source */
  unsigned n_at_maximum;        /* of them: the maximum was wanted */
  uint64_t sum_in, sum_out;     /* of scales */
  uint64_t kept, dropped, gained;       /* coefficients */
} M2vTally;

typedef struct
{
  /* The picture's. */
  const M2vRequantizerSettings *settings;
  const M2vPictureParams *picture;
  uint8_t scales[32];           /* by code */
  const uint8_t *data;          /* the picture's slices */
  M2vSliceWriter writer;
  M2vLevels levels;
  /* Levels are chosen for what they ought to be, not scaled. */
  bool dense;
  M2vDriftLoop *drift;       /* NULL: open loop */
  /* By what they cost, where settings want it: wanted codes only guide. */
  bool by_cost;
  M2vChooser chooser;

  /* The slice's. */
  M2vSliceReader reader;
  M2vMacroblock macroblock;
  M2vRange range;               /* of the picture's slices */
  M2vBitWriter bits_before;     /* the writer, to go back to */
  size_t begin_in, begin_out;   /* bits before it */
  bool started;                 /* the writer has it; else it is as it was */
  bool bound;                   /* what has passed depends on the quantiser */
  uint8_t direction;            /* of the source's macroblock before */
  unsigned code;                /* in force in the output */
  unsigned wanted;              /* the code last wanted */
  M2vTally tally;

  /* The macroblock's. */
  unsigned n_coefficients;      /* in the source */
  uint8_t next_direction;       /* `direction` of the one behind it */
  bool inherits;                /* dense: errors of its references */
  M2vMacroblockTarget target;   /* dense */
  /* Of its blocks' inherited errors; UINT32_MAX where there are coefficients,
   * for it does not matter there. */
  uint32_t energies[M2V_MAX_BLOCKS];
} M2vSliceRewriter;

/* Starts a picture, its slices at data. What is given stays where it is. */
void m2v_slice_rewriter_init (M2vSliceRewriter * r,
    const M2vRequantizerSettings * settings,
    const M2vPictureParams * picture, const M2vVlc * vlc,
    const uint8_t * data, uint8_t * out, size_t capacity);

/* After init: how levels are chosen, m2v_levels_init. */
void m2v_slice_rewriter_set_levels (M2vSliceRewriter * r,
    const M2vKernels * kernels, const M2vMatrices * matrices,
    const M2vRuns * runs);

/* After that, if levels are to be chosen for what they ought to be; `drift` has
 * begun the picture, and may be NULL. */
void m2v_slice_rewriter_set_dense (M2vSliceRewriter * r,
    const M2vMatrices * matrices, M2vDriftLoop * drift);

void m2v_slice_rewriter_begin (M2vSliceRewriter * r, const M2vRange * slice);

/* The next macroblock that takes a quantiser; false where there is none, or it
 * cannot be read. Those before it are written as they are. */
bool m2v_slice_rewriter_next (M2vSliceRewriter * r, M2vRequest * request);

/* Writes that macroblock. */
void m2v_slice_rewriter_quantise (M2vSliceRewriter * r, unsigned wanted);

/* Ends the slice, rewritten where that is of use (requantizer.h), else copied,
 * and leaves its tally. False where it cannot be read: it then stays as it is,
 * and the tally is worthless. */
bool m2v_slice_rewriter_end (M2vSliceRewriter * r, bool *copied);

/* In the closed loop: the slice stays as it is. False where it cannot be read
 * to its end; decoders, too, take what is before. */
bool m2v_slice_rewriter_pass (M2vSliceRewriter * r,
    const M2vRange * slice);

/* A requantizer's loop: for tests. */
M2vDriftLoop *m2v_requantizer_drift (M2vRequantizer * r);

#endif
