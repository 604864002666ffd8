/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/bitwriter.h>

#include <mpeg2/bitreader.h>

void
m2v_bit_writer_init (M2vBitWriter * w, uint8_t * data, size_t capacity)
{
  memset (w, 0, sizeof *w);
  w->data = w->next = data;
  /* Without capacity, data may be NULL. */
  w->end = capacity > 0 ? data + capacity : data;
}

void
m2v_write_bits (M2vBitWriter * w, uint32_t value, unsigned n)
{
  if (w->error || n == 0)
    return;
  if ((w->n_cached + n) / 8 > (size_t) (w->end - w->next)) {
    w->error = true;
    return;
  }
  w->n_cached += n;
  w->cache |= (uint64_t) value << (64 - w->n_cached);
  for (; w->n_cached >= 8; w->n_cached -= 8) {
    *w->next++ = (uint8_t) (w->cache >> 56);
    w->cache <<= 8;
  }
}

size_t
m2v_write_align (M2vBitWriter * w)
{
  if (w->n_cached > 0)
    m2v_write_bits (w, 0, 8 - w->n_cached);
  return m2v_bit_writer_size (w);
}

void
m2v_write_start_code (M2vBitWriter * w, unsigned code)
{
  m2v_write_align (w);
  m2v_write_bits (w, UINT32_C (0x100) | code, 32);
}

void
m2v_copy_bits (M2vBitWriter * w, const uint8_t * data, size_t from, size_t n)
{
  if (w->error || !m2v_reserve_bytes (w, n / 8 + 1))
    return;
  /* As long as 64 bits remain, 8 bytes can be loaded. */
  for (; n >= 64; n -= 32, from += 32)
    m2v_put_reserved (w, (uint32_t) (m2v_load_64 (data + from / 8)
            << from % 8 >> 32), 32);
  while (n > 0) {
    unsigned there = 8 - (unsigned) (from % 8);
    unsigned taken = n < there ? (unsigned) n : there;

    m2v_put_reserved (w, (data[from / 8] >> (there - taken))
        & ((1u << taken) - 1), taken);
    from += taken;
    n -= taken;
  }
}
