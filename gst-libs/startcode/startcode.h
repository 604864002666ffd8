/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds start codes, which MPEG-1 and MPEG-2 video (13818-2 clause 5.2.3) and
 * the byte streams of H.264 and H.265 (annex B) have alike.
 */
#ifndef STARTCODE_STARTCODE_H
#define STARTCODE_STARTCODE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the offset of the first prefix 00 00 01 at or after `from` that is
 * followed by one byte more; `size` if there is none. */
size_t start_code_find (const uint8_t * data, size_t size, size_t from);

#endif
