/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Zero stuffing: an encoder of constant rate that has nothing to say fills up
 * with zero bytes before start codes (13818-2 clause 5.2.3, next_start_code).
 */
#ifndef MPEG2_STUFFING_H
#define MPEG2_STUFFING_H

#include <stddef.h>
#include <stdint.h>

/* Copies the data to `out`, which has room for them (NULL: only counts; it may be
 * `data`),
 * without the zero bytes that are certainly stuffing; returns how many bytes
 * are left. The data do not end within a start code. */
size_t m2v_remove_stuffing (const uint8_t * data, size_t size, uint8_t * out);

#endif
