/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Which references a decoder of the output has: whether a frame can be decoded
 * there as in the source.
 */
#ifndef MPEG_TRACKER_H
#define MPEG_TRACKER_H

#include "assembler.h"

typedef enum
{
  MPEG_REFERENCE_NONE,          /* there was none yet */
  MPEG_REFERENCE_INTACT,        /* passed on, decodes as in the source */
  MPEG_REFERENCE_GONE           /* dropped, replaced, or lost before us */
} MpegReference;

typedef struct
{
  MpegReference past;           /* the last but one I or P in coded order */
  MpegReference last;           /* the last one */
  bool seen_intra;              /* since the start */
  /* The last anchor is an I that opened a closed group: the B displayed before
   * it need nothing else. */
  bool leading_closed;
  unsigned intra_reference;     /* that I's temporal_reference */
} MpegTracker;

/* Start: as if nothing had ever been lost. */
void mpeg_tracker_init (MpegTracker * t);

/* A discontinuity or flush: the references are gone. Not for the discontinuity
 * that every stream's first buffer is marked with. */
void mpeg_tracker_discont (MpegTracker * t);

/* Whether all that the frame refers to is intact in the output. P frames of a
 * stream that has shown no I pass for intact. The leading B of a closed group
 * need only the I. Rules: docs/mpeg.md. */
bool mpeg_tracker_decodable (const MpegTracker * t, const MpegFrame * frame);

/* Once a frame, in coded order; intact: passed on unchanged. */
void mpeg_tracker_note (MpegTracker * t, const MpegFrame * frame, bool intact);

#endif
