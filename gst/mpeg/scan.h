/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finding start codes (13818-2 clause 5.2.3).
 */
#ifndef MPEG_SCAN_H
#define MPEG_SCAN_H

#include "types.h"

/* Offset of the first start code prefix 00 00 01 at or after `from` that is
 * followed by its value; `size` where there is none. */
size_t mpeg_scan (const uint8_t * data, size_t size, size_t from);

#endif
