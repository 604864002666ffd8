/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * State that outlives the picture it came with, when pictures are dropped:
 * sequence headers, quantiser matrices, sequence_end_code. Compares what is in
 * force in the source with what a decoder of the output has, and adds to the
 * next picture that is passed on what makes both equal.
 */
#ifndef MPEG2_CARRY_H
#define MPEG2_CARRY_H

#include <mpeg2/assembler.h>

/* Sequence header, extensions and as much user data are kept; more user data
 * is left out. */
#define M2V_CARRY_MAX_SEQUENCE 1024

/* Most pieces m2v_carry_emit returns. */
#define M2V_CARRY_MAX_PIECES 16

typedef struct M2vCarry M2vCarry;

M2vCarry *m2v_carry_new (void);
void m2v_carry_free (M2vCarry * c);

/* Start, flush, new caps: nothing pends, output and source agree. */
void m2v_carry_reset (M2vCarry * c);

/* A flush behind which the output is to have the sequence header in force
 * again, pending or by m2v_carry_repeat_sequence. */
void m2v_carry_flush (M2vCarry * c);

/* The frame is dropped; data[i] holds the span of picture i. */
void m2v_carry_drop (M2vCarry * c, const M2vFrame * frame,
    const uint8_t * const data[2]);

/* The next I frame emitted gets the sequence header in force again, where it
 * has none of its own (a payloader's repetition). */
void m2v_carry_repeat_sequence (M2vCarry * c);

/* The frame is passed on: the pieces that make it up, each marked with the
 * picture that it goes with. For each picture a single piece that covers its
 * whole span where nothing had to be added. */
unsigned m2v_carry_emit (M2vCarry * c, const M2vFrame * frame,
    const uint8_t * const data[2], M2vPiece pieces[M2V_CARRY_MAX_PIECES]);

/* Headers without picture, or a sequence_end_code by itself: true where the
 * caller may pass the span on at once, false where it has been kept for the
 * next picture. */
bool m2v_carry_span (M2vCarry * c, const M2vPicture * span,
    const uint8_t * data);

/* What follows the headers that have been kept is passed on, and no picture
 * (slices whose picture header is missing): the headers are to precede it. One
 * piece, or none where none are kept. */
unsigned m2v_carry_headers (M2vCarry * c, M2vPiece * piece);

/* End of stream: what still pends, at most one piece (sequence_end_code). */
unsigned m2v_carry_finish (M2vCarry * c, M2vPiece * piece);

#endif
