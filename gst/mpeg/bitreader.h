/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A bounded reader of big-endian bit fields. Reading past the end gives zeros
 * and sets `error`, which is checked once a structure.
 */
#ifndef MPEG_BITREADER_H
#define MPEG_BITREADER_H

#include "types.h"

typedef struct
{
  const uint8_t *data;
  size_t size;                  /* bytes */
  size_t position;              /* bits */
  bool error;
} MpegBitReader;

void mpeg_bit_reader_init (MpegBitReader * r, const uint8_t * data,
    size_t size);

/* n: 0..32. */
uint32_t mpeg_read_bits (MpegBitReader * r, unsigned n);

void mpeg_skip_bits (MpegBitReader * r, size_t n);

#endif
