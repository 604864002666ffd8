/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Skipped pictures: P and B pictures that repeat a reference, written in as
 * few bits as the syntax allows (13818-2 clauses 6.2.4, 6.2.5, 7.6.6).
 */
#ifndef MPEG2_SKIPPED_H
#define MPEG2_SKIPPED_H

#include <mpeg2/bitwriter.h>
#include <mpeg2/splitter.h>

/* The most bytes that m2v_write_skipped_slices needs. */
size_t m2v_skipped_size (const M2vSequence * sequence);

/* The slices of a picture with these headers, all of it predicted without
 * residual from one reference (P: vector zero, field pictures from
 * the field of the same parity; B: from the one before or, with `backward`, for
 * those that lead a closed group or the stream, from the one after). Returns
 * their size, 0 where the picture is an I or D picture, does not fit the
 * sequence, or the slices do not fit into capacity. */
size_t m2v_write_skipped_slices (uint8_t * out, size_t capacity,
    const M2vSequence * sequence, const M2vPicture * picture, bool backward);

#endif
