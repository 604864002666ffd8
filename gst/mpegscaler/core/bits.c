/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "bits.h"

void
scaler_bits_fill_slowly (ScalerBitReader * r)
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

void
scaler_bits_copy (ScalerBitWriter * w, const uint8_t * data, size_t from,
    size_t n)
{
  if (w->error || !scaler_bits_reserve (w, n / 8 + 1))
    return;
  /* There are 8 bytes to load. */
  for (; n >= 64; n -= 32, from += 32)
    scaler_bits_put (w, (uint32_t) (scaler_load_64 (data + from / 8)
            << from % 8 >> 32), 32);
  while (n > 0) {
    unsigned there = 8 - (unsigned) (from % 8);
    unsigned taken = n < there ? (unsigned) n : there;

    scaler_bits_put (w, (data[from / 8] >> (there - taken))
        & ((1u << taken) - 1), taken);
    from += taken;
    n -= taken;
  }
}
