/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A bounded writer of big-endian bit fields. If a field does not fit, it and
 * all later ones are not written, and `error` is set permanently: check it once
 * a structure.
 *
 * Write headers with m2v_write_bits. Slices are written faster with
 * m2v_put_reserved after m2v_reserve_bytes: it is inline and checks nothing.
 */
#ifndef MPEG2_BITWRITER_H
#define MPEG2_BITWRITER_H

#include <string.h>

#include <mpeg2/types.h>

/* Number of bytes behind the reserved ones that may be overwritten. */
#define M2V_BIT_WRITER_SLACK 8

typedef struct
{
  uint64_t cache;               /* bits to be written, from the top */
  unsigned n_cached;            /* number of bits in the cache, less than 8 */
  uint8_t *next, *end, *data;   /* the caller's memory */
  bool error;
} M2vBitWriter;

void m2v_bit_writer_init (M2vBitWriter * w, uint8_t * data, size_t capacity);

/* Writes n bits, 0..32; the bits of value above n must be 0. */
void m2v_write_bits (M2vBitWriter * w, uint32_t value, unsigned n);

/* Writes zero bits up to the next byte (next_start_code (), 13818-2 clause
 * 5.2.3); returns the bytes written so far. */
size_t m2v_write_align (M2vBitWriter * w);

/* Aligns, then writes 00 00 01 code. */
void m2v_write_start_code (M2vBitWriter * w, unsigned code);

/* Writes n bits of data from bit `from` on. */
void m2v_copy_bits (M2vBitWriter * w, const uint8_t * data, size_t from,
    size_t n);

/* Returns the position in bits from the beginning. */
static inline size_t
m2v_bit_writer_position (const M2vBitWriter * w)
{
  return (size_t) (w->next - w->data) * 8 + w->n_cached;
}

/* Returns the number of whole bytes that are written. */
static inline size_t
m2v_bit_writer_size (const M2vBitWriter * w)
{
  return (size_t) (w->next - w->data);
}

/* Reserves n bytes. Returns true if there is room for them and the slack. */
static inline bool
m2v_reserve_bytes (M2vBitWriter * w, size_t n)
{
  if ((size_t) (w->end - w->next) < n + M2V_BIT_WRITER_SLACK)
    w->error = true;
  return !w->error;
}

/* Writes n bits, 1..32, which must be reserved; the bits of value above n must
 * be 0. There is no branch, because none could be predicted. */
static inline void
m2v_put_reserved (M2vBitWriter * w, uint32_t value, unsigned n)
{
  unsigned n_bytes;
  uint64_t bytes;

  w->n_cached += n;
  w->cache |= (uint64_t) value << (64 - w->n_cached);
  bytes = w->cache;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  bytes = __builtin_bswap64 (bytes);
#endif
  memcpy (w->next, &bytes, sizeof bytes);
  n_bytes = w->n_cached / 8;
  w->next += n_bytes;
  w->cache <<= n_bytes * 8;
  w->n_cached %= 8;
}

#endif
