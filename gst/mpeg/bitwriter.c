/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "bitwriter.h"

void
mpeg_bit_writer_init (MpegBitWriter * w, uint8_t * data, size_t capacity)
{
  w->data = data;
  w->capacity = capacity;
  w->size = 0;
  w->cache = 0;
  w->n_cached = 0;
  w->error = false;
}

void
mpeg_write_bits (MpegBitWriter * w, uint32_t value, unsigned n)
{
  if (w->error)
    return;
  /* Less than 8 bits wait between calls, so that 39 is the most. */
  w->cache = w->cache << n | value;
  w->n_cached += n;
  if (w->n_cached / 8 > w->capacity - w->size) {
    w->error = true;
    return;
  }
  while (w->n_cached >= 8) {
    w->n_cached -= 8;
    w->data[w->size++] = (uint8_t) (w->cache >> w->n_cached);
  }
}

size_t
mpeg_write_align (MpegBitWriter * w)
{
  if (w->n_cached > 0)
    mpeg_write_bits (w, 0, 8 - w->n_cached);
  return w->size;
}

void
mpeg_write_start_code (MpegBitWriter * w, unsigned code)
{
  mpeg_write_align (w);
  mpeg_write_bits (w, UINT32_C (0x100) | code, 32);
}
