/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "bitreader.h"

void
mpeg_bit_reader_init (MpegBitReader * r, const uint8_t * data, size_t size)
{
  r->data = data;
  r->size = size;
  r->position = 0;
  r->error = false;
}

/* Whether n more bits are there; where not, the reader stays at its end. */
static bool
reserve (MpegBitReader * r, size_t n)
{
  if (n > r->size * 8 - r->position) {
    r->position = r->size * 8;
    r->error = true;
    return false;
  }
  return true;
}

uint32_t
mpeg_read_bits (MpegBitReader * r, unsigned n)
{
  size_t first = r->position / 8;
  size_t end = (r->position + n + 7) / 8;
  uint64_t bits = 0;

  if (n == 0 || !reserve (r, n))
    return 0;
  /* At most 5 bytes: 7 bits before the field, and its 32. */
  for (size_t i = first; i < end; i++)
    bits = bits << 8 | r->data[i];
  r->position += n;
  bits >>= end * 8 - r->position;
  return (uint32_t) (bits & ((UINT64_C (1) << n) - 1));
}

void
mpeg_skip_bits (MpegBitReader * r, size_t n)
{
  if (reserve (r, n))
    r->position += n;
}
