/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What becomes of a frame, and of which pieces what leaves is put together.
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
  unsigned lowest_scale;        /* as the policy ranks the frame */
  int scale;                    /* in force; -1: below 0 */
  unsigned n_references;        /* as m2v_tracker_references() */
  /* Some frames of the group go: these are still to pass of it. */
  bool planned;
  double later_p, later_b;
  /* Pass, replace: the output, picture 0 first; n_first of the pieces make up
   * picture 0, the rest picture 1. Valid until the next call. */
  unsigned n_pieces;
  unsigned n_first;
  M2vPiece pieces[2 * M2V_CARRY_MAX_PIECES];
} M2vDecision;

/* Bytes that leave of a picture. */
size_t m2v_decision_size (const M2vDecision * d, unsigned picture);

/* Takes the bytes of `range`, counted from the picture's span, out of its
 * pieces; `literal` stands where they began, and nowhere where no piece has
 * that byte. What is a literal already stays. Adds two pieces at the most;
 * nothing changes where there is no room for them. */
void m2v_decision_exchange (M2vDecision * d, unsigned picture,
    const M2vRange * range, const uint8_t * literal, size_t size);

#endif
