/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Removes zero stuffing: an encoder of constant rate that has nothing to send
 * inserts zero bytes before start codes (13818-2 clause 5.2.3,
 * next_start_code).
 */
#ifndef MPEG2_STUFFING_H
#define MPEG2_STUFFING_H

#include <stddef.h>
#include <stdint.h>

/* Copies the data to `out` without the zero bytes that are certainly stuffing;
 * returns how many bytes remain. `out` has room for the data, and may be
 * `data`; NULL = only count. The data must not end within a start code. */
size_t m2v_remove_stuffing (const uint8_t * data, size_t size, uint8_t * out);

#endif
