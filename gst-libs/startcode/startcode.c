/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <startcode/startcode.h>

#include <string.h>

/* The lowest, and the highest, bit of each byte. */
#define ONES UINT64_C (0x0101010101010101)
#define HIGHS UINT64_C (0x8080808080808080)

/* Offsets tested at once, and the bytes from the first one that are read: the
 * last offset's prefix reaches 2 bytes further. */
#define BLOCK 16
#define BLOCK_REACH (BLOCK + 2)

static inline uint64_t
load (const uint8_t * p)
{
  uint64_t word;

  memcpy (&word, p, sizeof word);
  return word;
}

/* Non-zero where one of the 8 offsets from p on has the prefix: where byte i of
 * three words shifted against each other is 00, 00, 01, byte i of their
 * combination is zero, and `(x - ONES) & ~x & HIGHS` finds a zero byte. */
static inline uint64_t
prefix_in_8 (const uint8_t * p)
{
  uint64_t x = load (p) | load (p + 1) | (load (p + 2) ^ ONES);

  return (x - ONES) & ~x & HIGHS;
}

size_t
start_code_find (const uint8_t * data, size_t size, size_t from)
{
  size_t i = from;

  if (from > size)
    return size;
  while (size - i >= BLOCK_REACH
      && !(prefix_in_8 (data + i) | prefix_in_8 (data + i + 8)))
    i += BLOCK;
  for (; size - i >= 4; i++) {
    if (data[i] == 0 && data[i + 1] == 0 && data[i + 2] == 1)
      return i;
  }
  return size;
}
