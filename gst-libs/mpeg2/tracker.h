/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Which references a decoder of the output has: whether a frame can be decoded
 * there as in the source.
 */
#ifndef MPEG2_TRACKER_H
#define MPEG2_TRACKER_H

#include <mpeg2/assembler.h>

typedef enum
{
  M2V_REFERENCE_NONE,          /* there was none yet */
  M2V_REFERENCE_INTACT,        /* passed on, decodes as in the source */
  M2V_REFERENCE_GONE           /* dropped, replaced, or lost before us */
} M2vReference;

typedef struct
{
  M2vReference past;           /* the last but one I or P in coded order */
  M2vReference last;           /* the last one */
  bool seen_intra;              /* since the start */
  /* The last anchor is an I that opened a closed group: the B displayed before
   * it need nothing else. */
  bool leading_closed;
  unsigned intra_reference;     /* that I's temporal_reference */
} M2vTracker;

/* Start: as if nothing had ever been lost. */
void m2v_tracker_init (M2vTracker * t);

/* A discontinuity or flush: the references are gone. Not for the discontinuity
 * that every stream's first buffer is marked with. */
void m2v_tracker_discont (M2vTracker * t);

/* To how many of the I and P before it, the last ones, the frame may refer. The
 * leading B of a closed group need only the I. */
unsigned m2v_tracker_references (const M2vTracker * t,
    const M2vFrame * frame);

/* Whether all that the frame refers to is intact in the output. P frames of a
 * stream that has shown no I pass for intact. Rules: docs/mpeg.md. */
bool m2v_tracker_decodable (const M2vTracker * t, const M2vFrame * frame);

/* Once a frame, in coded order; intact: passed on unchanged. */
void m2v_tracker_note (M2vTracker * t, const M2vFrame * frame, bool intact);

#endif
