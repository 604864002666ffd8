/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Carries state that outlives its picture over dropped pictures: sequence
 * headers, quantiser matrices, sequence_end_code. It compares the state of the
 * source with that of a decoder of the output, and adds to the next picture
 * that passes the headers that make both equal.
 */
#ifndef MPEG2_CARRY_H
#define MPEG2_CARRY_H

#include <mpeg2/assembler.h>

/* Largest size in bytes of a sequence header with its extensions and user data.
 * Further user data is left out. */
#define M2V_CARRY_MAX_SEQUENCE 1024

/* Largest number of pieces that m2v_carry_emit returns. */
#define M2V_CARRY_MAX_PIECES 16

typedef struct M2vCarry M2vCarry;

M2vCarry *m2v_carry_new (void);
void m2v_carry_free (M2vCarry * c);

/* Resets the state at the start or for new caps: nothing is pending, output and
 * source agree. Call it for a flush too, unless m2v_carry_flush applies. */
void m2v_carry_reset (M2vCarry * c);

/* Flushes, but keeps the sequence header in force: the output has it again
 * afterwards if it is pending or repeated (m2v_carry_repeat_sequence). */
void m2v_carry_flush (M2vCarry * c);

/* Drops the frame; data[i] holds the span of picture i. */
void m2v_carry_drop (M2vCarry * c, const M2vFrame * frame,
    const uint8_t * const data[2]);

/* Repeats the sequence header in force before the next I frame that is emitted,
 * if that has none of its own (a payloader's repetition). */
void m2v_carry_repeat_sequence (M2vCarry * c);

/* Passes the frame on: sets its pieces, each marked with the picture that it
 * belongs to, and returns their number. If nothing had to be added to a
 * picture, it is a single piece that covers its whole span. */
unsigned m2v_carry_emit (M2vCarry * c, const M2vFrame * frame,
    const uint8_t * const data[2], M2vPiece pieces[M2V_CARRY_MAX_PIECES]);

/* Takes headers without a picture, or a sequence_end_code by itself. Returns
 * true if the caller may pass the span on at once, false if it has been kept
 * for the next picture. */
bool m2v_carry_span (M2vCarry * c, const M2vPicture * span,
    const uint8_t * data);

/* Returns the kept headers as one piece, or 0 pieces if there are none. Call it
 * before passing on a span that is no picture (slices whose picture header is
 * missing). */
unsigned m2v_carry_headers (M2vCarry * c, M2vPiece * piece);

/* Ends the stream: returns at most one pending piece (sequence_end_code). */
unsigned m2v_carry_finish (M2vCarry * c, M2vPiece * piece);

#endif
