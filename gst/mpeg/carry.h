/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * State that outlives the picture it came with, when pictures are dropped:
 * sequence headers, quantiser matrices, sequence_end_code. Compares what is in
 * force in the source with what a decoder of the output has, and adds to the
 * next picture that is passed on what makes both equal.
 */
#ifndef MPEG_CARRY_H
#define MPEG_CARRY_H

#include "assembler.h"

/* Sequence header, extensions and as much user data are kept; more user data
 * is left out. */
#define MPEG_CARRY_MAX_SEQUENCE 1024

/* Most pieces mpeg_carry_emit returns. */
#define MPEG_CARRY_MAX_PIECES 16

typedef struct MpegCarry MpegCarry;

MpegCarry *mpeg_carry_new (void);
void mpeg_carry_free (MpegCarry * c);

/* Start, flush, new caps: nothing pends, output and source agree. */
void mpeg_carry_reset (MpegCarry * c);

/* The frame is dropped; data[i] holds the span of picture i. */
void mpeg_carry_drop (MpegCarry * c, const MpegFrame * frame,
    const uint8_t * const data[2]);

/* The next I frame emitted gets the sequence header in force again, where it
 * has none of its own (a payloader's repetition). */
void mpeg_carry_repeat_sequence (MpegCarry * c);

/* The frame is passed on: the pieces that make it up, each marked with the
 * picture that it goes with. For each picture a single piece that covers its
 * whole span where nothing had to be added. */
unsigned mpeg_carry_emit (MpegCarry * c, const MpegFrame * frame,
    const uint8_t * const data[2], MpegPiece pieces[MPEG_CARRY_MAX_PIECES]);

/* Headers without picture, or a sequence_end_code by itself: true where the
 * caller may pass the span on at once, false where it has been kept for the
 * next picture. */
bool mpeg_carry_span (MpegCarry * c, const MpegPicture * span,
    const uint8_t * data);

/* What follows the headers that have been kept is passed on, and no picture
 * (slices whose picture header is missing): the headers are to precede it. One
 * piece, or none where none are kept. */
unsigned mpeg_carry_headers (MpegCarry * c, MpegPiece * piece);

/* End of stream: what still pends, at most one piece (sequence_end_code). */
unsigned mpeg_carry_finish (MpegCarry * c, MpegPiece * piece);

#endif
