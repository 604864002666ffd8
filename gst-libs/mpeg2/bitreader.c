/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/bitreader.h>

void
m2v_bit_reader_init (M2vBitReader * r, const uint8_t * data, size_t size)
{
  memset (r, 0, sizeof *r);
  r->data = r->next = data;
  r->end = size > 0 ? data + size : data;
}

void
m2v_fill_bits_slowly (M2vBitReader * r)
{
  while (r->n_cached <= 56) {
    uint64_t byte = 0;

    if (r->next < r->end)
      byte = *r->next++;
    else
      r->past += 8;
    r->cache |= byte << (56 - r->n_cached);
    r->n_cached += 8;
  }
}

uint32_t
m2v_read_bits (M2vBitReader * r, unsigned n)
{
  uint32_t value;

  if (n == 0)
    return 0;
  m2v_fill_bits (r);
  value = m2v_read_filled (r, n);
  return m2v_bit_reader_error (r) ? 0 : value;
}

void
m2v_skip_bits (M2vBitReader * r, size_t n)
{
  size_t position = m2v_bit_reader_position (r);

  if (m2v_bit_reader_error (r))
    return;
  r->cache = r->n_cached = r->past = 0;
  if (n > (size_t) (r->end - r->data) * 8 - position) {
    r->next = r->end;
    r->past = 1;
    return;
  }
  position += n;
  r->next = r->data + position / 8;
  m2v_read_bits (r, position % 8);
}

bool
m2v_read_start_code (M2vBitReader * r, unsigned code)
{
  return m2v_read_bits (r, 32) == (UINT32_C (0x100) | code);
}
