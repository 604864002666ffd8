/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finding start codes (13818-2 clause 5.2.3).
 */
#ifndef MPEG2_STARTCODE_H
#define MPEG2_STARTCODE_H

#include <mpeg2/types.h>

/* Offset of the first start code prefix 00 00 01 at or after `from` that is
 * followed by its value; `size` where there is none. */
size_t m2v_find_start_code (const uint8_t * data, size_t size, size_t from);

#endif
