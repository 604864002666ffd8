/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Bit fields at speed: 64 bits at a time, inline. For headers there is
 * bitreader.h and bitwriter.h.
 */
#ifndef SCALER_BITS_H
#define SCALER_BITS_H

#include <string.h>

#include "types.h"

/* Past the end come zeros; whoever reads checks scaler_bits_position against
 * the size once a macroblock. */
typedef struct
{
  uint64_t cache;               /* the next bits, from the top */
  unsigned n_cached;            /* that are valid; below are more, or zeros */
  const uint8_t *next, *end;
  size_t past;                  /* bits beyond the end that were cached */
  const uint8_t *data;
} ScalerBitReader;

typedef struct
{
  uint64_t cache;               /* the lowest n_cached bits wait */
  unsigned n_cached;            /* less than 32 */
  uint8_t *next, *end, *data;
  bool error;                   /* no room */
} ScalerBitWriter;

static inline uint64_t
scaler_load_64 (const uint8_t * p)
{
  uint64_t value;

  memcpy (&value, p, sizeof value);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  value = __builtin_bswap64 (value);
#endif
  return value;
}

static inline void
scaler_bits_init (ScalerBitReader * r, const uint8_t * data, size_t size)
{
  memset (r, 0, sizeof *r);
  r->data = r->next = data;
  r->end = data + size;
}

/* Byte by byte, and zeros past the end. */
void scaler_bits_fill_slowly (ScalerBitReader * r);

/* At least 56 bits are there after it. */
static inline void
scaler_bits_fill (ScalerBitReader * r)
{
  if (r->end - r->next >= 8) {
    r->cache |= scaler_load_64 (r->next) >> r->n_cached;
    r->next += (63 - r->n_cached) / 8;
    r->n_cached |= 56;
  } else {
    /* A copy, so that r can stay in registers. */
    ScalerBitReader copy = *r;

    scaler_bits_fill_slowly (&copy);
    *r = copy;
  }
}

/* n: 1..32, and filled. */
static inline uint32_t
scaler_bits_peek (const ScalerBitReader * r, unsigned n)
{
  return (uint32_t) (r->cache >> (64 - n));
}

static inline void
scaler_bits_skip (ScalerBitReader * r, unsigned n)
{
  r->cache <<= n;
  r->n_cached -= n;
}

static inline uint32_t
scaler_bits_get (ScalerBitReader * r, unsigned n)
{
  uint32_t value = scaler_bits_peek (r, n);

  scaler_bits_skip (r, n);
  return value;
}

/* Bits from the beginning; may be past the end. */
static inline size_t
scaler_bits_position (const ScalerBitReader * r)
{
  return (size_t) (r->next - r->data) * 8 + r->past - r->n_cached;
}

static inline void
scaler_bits_start_writing (ScalerBitWriter * w, uint8_t * data, size_t capacity)
{
  memset (w, 0, sizeof *w);
  w->data = w->next = data;
  w->end = data + capacity;
}

/* n: 0..32; the bits of value above n must be 0. */
static inline void
scaler_bits_put (ScalerBitWriter * w, uint32_t value, unsigned n)
{
  uint32_t word;

  w->cache = w->cache << n | value;
  w->n_cached += n;
  if (w->n_cached < 32)
    return;
  if (w->end - w->next < 4) {
    w->error = true;
    w->n_cached = 0;
    return;
  }
  w->n_cached -= 32;
  word = (uint32_t) (w->cache >> w->n_cached);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  word = __builtin_bswap32 (word);
#endif
  memcpy (w->next, &word, 4);
  w->next += 4;
}

/* n bits of data from bit `from` on. */
void scaler_bits_copy (ScalerBitWriter * w, const uint8_t * data, size_t from,
    size_t n);

/* Zero bits up to the next byte, and all bytes into place: the bytes so far. */
size_t scaler_bits_flush (ScalerBitWriter * w);

#endif
