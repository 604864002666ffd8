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

/* So many bytes more than what is written are overwritten. */
#define SCALER_BITS_SLACK 8

typedef struct
{
  uint64_t cache;               /* the topmost n_cached bits wait */
  unsigned n_cached;            /* less than 8 */
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

/* Bits from the beginning. */
static inline size_t
scaler_bits_written (const ScalerBitWriter * w)
{
  return (size_t) (w->next - w->data) * 8 + w->n_cached;
}

/* Whether n bytes can be put: without room for them (and SCALER_BITS_SLACK)
 * nothing must be. */
static inline bool
scaler_bits_reserve (ScalerBitWriter * w, size_t n)
{
  if ((size_t) (w->end - w->next) < n + SCALER_BITS_SLACK)
    w->error = true;
  return !w->error;
}

/* n: 1..32, reserved; the bits of value above n must be 0. There is no branch,
 * for none could be foretold. */
static inline void
scaler_bits_put (ScalerBitWriter * w, uint32_t value, unsigned n)
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

/* n bits of data from bit `from` on; need not be reserved. */
void scaler_bits_copy (ScalerBitWriter * w, const uint8_t * data, size_t from,
    size_t n);

/* Zero bits up to the next byte; the bytes so far. */
static inline size_t
scaler_bits_align (ScalerBitWriter * w)
{
  /* They are in place. */
  w->next += w->n_cached > 0;
  w->n_cached = 0;
  w->cache = 0;
  return (size_t) (w->next - w->data);
}

#endif
