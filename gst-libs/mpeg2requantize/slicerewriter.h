/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Part of requantizer.h: rewrites a slice.
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
#include <mpeg2requantize/vectorchoice.h>
#include <mpeg2/slicereader.h>
#include <mpeg2/slicewriter.h>

typedef struct
{
  unsigned n_macroblocks;       /* all macroblocks, skipped ones too */
  unsigned n_quantised;         /* macroblocks that took a quantiser */
  unsigned n_at_maximum;        /* those that have it, or want it */
  unsigned n_coarsest;          /* those that want it, and have a finer one */
  uint64_t sum_in, sum_out;     /* sums of scales */
  uint64_t kept, dropped, gained;       /* coefficients; see M2vRequantized */
  uint64_t vector_bits;         /* bits of the source's vectors */
} M2vTally;

typedef struct
{
  /* The values of the picture. */
  const M2vRequantizerSettings *settings;
  const M2vPictureParams *picture;
  uint8_t scales[32];           /* quantiser_scale by code */
  const uint8_t *data;          /* first byte of the picture's slices */
  M2vSliceWriter writer;
  M2vLevels levels;
  bool dense;                   /* levels are chosen for a target, not scaled */
  M2vDriftLoop *drift;       /* NULL = open loop */
  M2vSourceFrames *frames;      /* NULL = they are not decoded */
  M2vVectorChooser *vectors;    /* NULL = the vectors stay */
  /* They do where no scale of more than so many times the source's is wanted. */
  unsigned coarser;
  /* The settings want levels chosen by cost: wanted codes only guide. */
  bool by_cost;
  M2vChooser chooser;

  /* The values of the slice. */
  M2vSliceReader reader;
  M2vMacroblock macroblock;
  M2vRange range;               /* the slice in the picture's slices */
  M2vBitWriter bits_before;     /* the writer before the slice */
  size_t begin_in, begin_out;   /* bits of source and output before it */
  bool started;                 /* the slice is being written, not copied */
  bool bound;                   /* earlier macroblocks need the quantiser */
  uint8_t direction;            /* of the source's macroblock before */
  unsigned code;                /* code in force in the output */
  unsigned wanted;              /* the code last wanted */
  M2vTally tally;

  /* The values of the macroblock. */
  unsigned n_coefficients;      /* number of coefficients in the source */
  uint8_t next_direction;       /* `direction` of the macroblock behind it */
  bool inherits;                /* dense or moved: it has errors */
  bool moved;                   /* it is predicted otherwise than before */
  M2vMacroblockTarget target;   /* dense or moved: its target */
  /* energies of its blocks' errors; UINT32_MAX = the block has coefficients, so
   * the energy is not needed */
  uint32_t energies[M2V_MAX_BLOCKS];
} M2vSliceRewriter;

/* Starts a picture, whose slices are at data. The arguments must stay in
 * place. */
void m2v_slice_rewriter_init (M2vSliceRewriter * r,
    const M2vRequantizerSettings * settings,
    const M2vPictureParams * picture, const M2vVlc * vlc,
    const uint8_t * data, uint8_t * out, size_t capacity);

/* Sets how levels are chosen (m2v_levels_init). Call it after init. */
void m2v_slice_rewriter_set_levels (M2vSliceRewriter * r,
    const M2vKernels * kernels, const M2vMatrices * matrices,
    const M2vRuns * runs);

/* Lets levels be chosen for a target. Call it after
 * m2v_slice_rewriter_set_levels. `drift` has begun the picture, and may be
 * NULL. */
void m2v_slice_rewriter_set_dense (M2vSliceRewriter * r,
    const M2vMatrices * matrices, M2vDriftLoop * drift);

/* Lets reference frames be decoded. Call it after
 * m2v_slice_rewriter_set_levels. */
void m2v_slice_rewriter_set_frames (M2vSliceRewriter * r,
    M2vSourceFrames * frames);

/* Lets macroblocks choose their vectors where a quantiser_scale of more than
 * `coarser` times the source's is wanted. `vectors` have begun the picture. In P
 * there must be a loop. Call it after m2v_slice_rewriter_set_frames. */
void m2v_slice_rewriter_set_vectors (M2vSliceRewriter * r,
    M2vVectorChooser * vectors, unsigned coarser);

void m2v_slice_rewriter_begin (M2vSliceRewriter * r, const M2vRange * slice);

/* Finds the next macroblock that takes a quantiser; returns false if there is
 * none, or it cannot be read. Those before it are written unchanged. */
bool m2v_slice_rewriter_next (M2vSliceRewriter * r, M2vRequest * request);

/* Writes that macroblock. */
void m2v_slice_rewriter_quantise (M2vSliceRewriter * r, unsigned wanted);

/* Ends the slice and sets its tally. The slice is rewritten if that saves bits
 * (requantizer.h), otherwise copied. Returns false if it cannot be read: it is
 * then unchanged, and the tally is invalid. */
bool m2v_slice_rewriter_end (M2vSliceRewriter * r, bool *copied);

/* Notes in the closed loop that the slice is unchanged, and decodes it for
 * reference frames. Returns false if it cannot be read to its end; like a
 * decoder, it uses the part before. */
bool m2v_slice_rewriter_pass (M2vSliceRewriter * r,
    const M2vRange * slice);

/* Sets the writer to the reader's position, if it has not begun the slice. */
void m2v_slice_rewriter_place (M2vSliceRewriter * r);

/* Returns a requantizer's loop, for tests. */
M2vDriftLoop *m2v_requantizer_drift (M2vRequantizer * r);

#endif
