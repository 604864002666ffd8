/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Decides, group by group, whether the P and B pictures of the next one choose
 * their vectors anew: by the share that those of the source's B have of the
 * output's bits, or where little else is left. Choosing takes time, and saves
 * some part of them. Vectors of P are fewer, and save little by themselves.
 */
#ifndef MPEG2REQUANTIZE_GROUPVECTORS_H
#define MPEG2REQUANTIZE_GROUPVECTORS_H

#include <mpeg2/macroblock.h>

/* Zeroed memory is the beginning of a stream. */
typedef struct
{
  bool chooses;                 /* the current group chooses its vectors */
  uint64_t vector_bits;         /* of the source's B pictures since its I */
  uint64_t bits;                /* of the output since its I */
  unsigned n_groups;            /* groups begun, the current one included */
  /* macroblocks since its I that took a quantiser; those of them that had a finer
   * one than the coarsest, and wanted that */
  uint64_t n_quantised, n_coarsest;
  bool omitted;                 /* a B since its I was left out */
  M2vPictureType last;          /* the picture before; 0 = there was none */
} M2vGroupVectors;

/* Begins a picture; with an I that follows no I, a group. Returns whether the
 * group chooses its vectors: the first one, of which nothing is known, and where
 * the one before had more than this share of bits in vectors of B, had no room
 * for all B, or wanted the coarsest quantiser for most macroblocks. 0 = always,
 * 1 = never. */
bool m2v_group_vectors_begin (M2vGroupVectors * g, M2vPictureType type,
    double share);

/* Returns of how many times the source's quantiser_scale more must be wanted for
 * that. In the first group few levels must be left, so that it is mostly vectors
 * that the picture has. */
unsigned m2v_group_vectors_coarser (const M2vGroupVectors * g, double share);

#endif
