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
  size_t end = from + n;

  data += from / 8;
  if (from % 8 + n <= 8) {
    scaler_bits_put (w, data[0] >> (8 - from % 8 - n) & ((1u << n) - 1),
        (unsigned) n);
    return;
  }
  if (from % 8 != 0) {
    scaler_bits_put (w, *data++ & (0xffu >> from % 8),
        8 - (unsigned) (from % 8));
    from += 8 - from % 8;
  }
  for (; end - from >= 32; from += 32, data += 4) {
    scaler_bits_put (w, (uint32_t) data[0] << 24 | (uint32_t) data[1] << 16
        | (uint32_t) data[2] << 8 | data[3], 32);
  }
  for (; end - from >= 8; from += 8)
    scaler_bits_put (w, *data++, 8);
  if (end > from)
    scaler_bits_put (w, data[0] >> (8 - (end - from)), (unsigned) (end - from));
}

size_t
scaler_bits_flush (ScalerBitWriter * w)
{
  if (w->n_cached % 8 != 0)
    scaler_bits_put (w, 0, 8 - w->n_cached % 8);
  for (; w->n_cached > 0; w->n_cached -= 8) {
    if (w->next == w->end) {
      w->error = true;
      w->n_cached = 0;
      break;
    }
    *w->next++ = (uint8_t) (w->cache >> (w->n_cached - 8));
  }
  return (size_t) (w->next - w->data);
}
