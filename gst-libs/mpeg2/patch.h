/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Changes header fields in place: each function writes its field's bits and
 * keeps all others. `data` begins at the header's start code. A function
 * returns false and changes nothing if size is too small or the header is of
 * another kind.
 */
#ifndef MPEG2_PATCH_H
#define MPEG2_PATCH_H

#include <mpeg2/types.h>

/* Writes n bits (1..32) at bit `position`; the caller has checked the
 * bounds. */
void m2v_patch_bits (uint8_t * data, size_t position, unsigned n,
    uint32_t value);

bool m2v_patch_vbv_delay (uint8_t * data, size_t size, unsigned vbv_delay);

#endif
