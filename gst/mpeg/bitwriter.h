/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A bounded writer of big-endian bit fields. Writing past the capacity writes
 * nothing more and sets `error`.
 */
#ifndef MPEG_BITWRITER_H
#define MPEG_BITWRITER_H

#include "types.h"

typedef struct
{
  uint8_t *data;                /* the caller's */
  size_t capacity;              /* bytes */
  size_t size;                  /* whole bytes written */
  uint64_t cache;               /* the lowest n_cached bits wait */
  unsigned n_cached;
  bool error;
} MpegBitWriter;

void mpeg_bit_writer_init (MpegBitWriter * w, uint8_t * data, size_t capacity);

/* n: 0..32; the bits of value above n must be 0. */
void mpeg_write_bits (MpegBitWriter * w, uint32_t value, unsigned n);

/* Zero bits up to the next byte (next_start_code (), 13818-2 clause 5.2.3);
 * returns the bytes written so far. */
size_t mpeg_write_align (MpegBitWriter * w);

/* Aligns, then writes 00 00 01 code. */
void mpeg_write_start_code (MpegBitWriter * w, unsigned code);

#endif
