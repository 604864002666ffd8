/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Replaces a frame by a repetition: its headers stay, and skipped slices
 * replace its slices.
 */
#ifndef MPEG2SCALING_REPLACER_H
#define MPEG2SCALING_REPLACER_H

#include <mpeg2/assembler.h>
#include <mpeg2scaling/decision.h>

typedef struct
{
  /* skipped slices of the last frame's pictures */
  uint8_t *slices[2];
  size_t sizes[2];              /* bytes of each */
  size_t capacity;              /* bytes allocated for each */
  size_t usual_size;            /* sum of the last sizes; 0 = none yet */
} M2vReplacer;

/* Returns false if memory runs out; clear it then too. */
bool m2v_replacer_init (M2vReplacer * r);
void m2v_replacer_clear (M2vReplacer * r);

/* Returns about how many bytes would replace the frame; 0 = it cannot be
 * replaced. */
size_t m2v_replacer_size (const M2vReplacer * r, const M2vFrame * frame);

/* Writes the slices for the frame's pictures. `backward`: it is a B that
 * may only refer to the I or P after it. Returns false if the frame cannot
 * be replaced. */
bool m2v_replacer_write (M2vReplacer * r, const M2vFrame * frame,
    bool backward);

/* Puts the written slices in the place of the frame's slices. */
void m2v_replacer_exchange (const M2vReplacer * r,
    const M2vFrame * frame, M2vDecision * decision);

#endif
