/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes skipped pictures: P and B pictures that repeat a reference, in as few
 * bits as the syntax allows (13818-2 clauses 6.2.4, 6.2.5, 7.6.6).
 */
#ifndef MPEG2_SKIPPED_H
#define MPEG2_SKIPPED_H

#include <mpeg2/bitwriter.h>
#include <mpeg2/splitter.h>

/* Returns the most bytes that m2v_write_skipped_slices needs. */
size_t m2v_skipped_size (const M2vSequence * sequence);

/* Writes the slices of a picture with these headers. All of it is predicted
 * without residual from one reference. P has a zero vector, in field pictures
 * from the field of the same parity. B is predicted from the reference before
 * or, with `backward`, from the one after: for those that lead a closed group
 * or the stream. Returns the size of the slices; 0 = the picture is an I or D
 * picture, it does not fit the sequence, or the slices do not fit into
 * capacity. */
size_t m2v_write_skipped_slices (uint8_t * out, size_t capacity,
    const M2vSequence * sequence, const M2vPicture * picture, bool backward);

#endif
