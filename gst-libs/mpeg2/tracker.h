/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Tracks the references that a decoder of the output has, to decide whether a
 * frame can be decoded there as in the source.
 */
#ifndef MPEG2_TRACKER_H
#define MPEG2_TRACKER_H

#include <mpeg2/assembler.h>

typedef enum
{
  M2V_REFERENCE_NONE,          /* there was none yet */
  M2V_REFERENCE_INTACT,        /* passed on, decodes as in the source */
  M2V_REFERENCE_GONE           /* dropped, replaced, or lost upstream */
} M2vReference;

typedef struct
{
  M2vReference past;           /* the last but one I or P in coded order */
  M2vReference last;           /* the last I or P in coded order */
  bool seen_intra;              /* there was an I since the start */
  /* The last anchor is an I that opened a closed group, so the B displayed
   * before it need no other reference. */
  bool leading_closed;
  unsigned intra_reference;     /* temporal_reference of the last anchor */
} M2vTracker;

/* Starts as if no frame had ever been lost. */
void m2v_tracker_init (M2vTracker * t);

/* Notes a discontinuity or flush: the references are gone. Do not call it for
 * the discontinuity of every stream's first buffer. */
void m2v_tracker_discont (M2vTracker * t);

/* Returns how many of the last I and P the frame may refer to. The leading B of
 * a closed group need only the I. */
unsigned m2v_tracker_references (const M2vTracker * t,
    const M2vFrame * frame);

/* True if all frames that the frame refers to are intact in the output. P
 * frames of a stream that has shown no I count as intact. docs/mpeg.md has the
 * rules. */
bool m2v_tracker_decodable (const M2vTracker * t, const M2vFrame * frame);

/* Notes a frame; call it for each one in coded order. intact: it was passed on
 * unchanged. */
void m2v_tracker_note (M2vTracker * t, const M2vFrame * frame, bool intact);

#endif
