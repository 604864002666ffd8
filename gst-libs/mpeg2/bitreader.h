/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A bounded reader of big-endian bit fields, 64 bits at a time. Past the end it
 * returns zeros, and m2v_bit_reader_error is true permanently: check it once a
 * structure.
 *
 * Read headers with m2v_read_bits. Slices are read faster with m2v_fill_bits
 * and the inline functions of filled bits.
 */
#ifndef MPEG2_BITREADER_H
#define MPEG2_BITREADER_H

#include <string.h>

#include <mpeg2/types.h>

typedef struct
{
  uint64_t cache;               /* the next bits, from the top */
  unsigned n_cached;            /* valid bits; below are more, or zeros */
  const uint8_t *next, *end;    /* bytes that are not cached yet */
  size_t past;                  /* bits beyond the end that were cached */
  const uint8_t *data;
} M2vBitReader;

void m2v_bit_reader_init (M2vBitReader * r, const uint8_t * data, size_t size);

/* Skips any number of bits. */
void m2v_skip_bits (M2vBitReader * r, size_t n);
/* Reads n bits, 0..32. A field that is cut short reads as 0. */
uint32_t m2v_read_bits (M2vBitReader * r, unsigned n);

/* Reads 32 bits. Returns true if they are this start code. */
bool m2v_read_start_code (M2vBitReader * r, unsigned code);

/* Returns the position in bits from the beginning; it may be past the end. */
static inline size_t
m2v_bit_reader_position (const M2vBitReader * r)
{
  return (size_t) (r->next - r->data) * 8 + r->past - r->n_cached;
}

/* True if anything was read past the end. */
static inline bool
m2v_bit_reader_error (const M2vBitReader * r)
{
  return r->past > r->n_cached;
}

static inline uint64_t
m2v_load_64 (const uint8_t * p)
{
  uint64_t value;

  memcpy (&value, p, sizeof value);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  value = __builtin_bswap64 (value);
#endif
  return value;
}

/* Fills the cache byte by byte, with zeros past the end. */
void m2v_fill_bits_slowly (M2vBitReader * r);

/* Number of bits that are filled at least after m2v_fill_bits. */
#define M2V_FILLED_BITS 56

static inline void
m2v_fill_bits (M2vBitReader * r)
{
  if (r->end - r->next >= 8) {
    r->cache |= m2v_load_64 (r->next) >> r->n_cached;
    r->next += (63 - r->n_cached) / 8;
    r->n_cached |= 56;
  } else {
    /* With a copy, r can stay in registers. */
    M2vBitReader copy = *r;

    m2v_fill_bits_slowly (&copy);
    *r = copy;
  }
}

/* Returns the next n bits, 1..32, which must be filled. */
static inline uint32_t
m2v_peek_filled (const M2vBitReader * r, unsigned n)
{
  return (uint32_t) (r->cache >> (64 - n));
}

static inline void
m2v_skip_filled (M2vBitReader * r, unsigned n)
{
  r->cache <<= n;
  r->n_cached -= n;
}

static inline uint32_t
m2v_read_filled (M2vBitReader * r, unsigned n)
{
  uint32_t value = m2v_peek_filled (r, n);

  m2v_skip_filled (r, n);
  return value;
}

#endif
