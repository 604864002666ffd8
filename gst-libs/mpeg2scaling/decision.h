/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The decision about a frame, and the pieces that make up the output.
 */
#ifndef MPEG2SCALING_DECISION_H
#define MPEG2SCALING_DECISION_H

#include <mpeg2/carry.h>

typedef enum
{
  M2V_PASS,
  M2V_DROP,
  M2V_REPLACE                /* passed on with skipped slices */
} M2vAction;

typedef struct
{
  M2vAction action;
  unsigned lowest_scale;        /* lowest scale that passes it by the policy */
  int scale;                    /* scale in force; -1 = below 0 */
  unsigned n_references;        /* result of m2v_tracker_references() */
  /* True if some frames of the group are dropped. */
  bool planned;
  /* Frames of the group that are still to pass, by type, if planned. */
  double later_p, later_b;
  /* The output of a frame that passes or is replaced, picture 0 first. Valid
   * until the next call. */
  unsigned n_pieces;
  /* pieces of picture 0; the rest are picture 1 */
  unsigned n_first;
  M2vPiece pieces[2 * M2V_CARRY_MAX_PIECES];
} M2vDecision;

/* Returns how many bytes of a picture leave. */
size_t m2v_decision_size (const M2vDecision * d, unsigned picture);

/* Takes the bytes of `range`, counted from the picture's span, out of its
 * pieces. `literal` takes the place of their first byte; if no piece has
 * that byte, it is left out. Bytes that are a literal already stay. This
 * adds two pieces at most; if there is no room for them, nothing changes. */
void m2v_decision_exchange (M2vDecision * d, unsigned picture,
    const M2vRange * range, const uint8_t * literal, size_t size);

#endif
