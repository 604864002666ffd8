/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/patch.h>

/* Position of vbv_delay in bits from the start code (13818-2 clause 6.2.3). */
#define VBV_DELAY_POSITION 45
/* Bytes from the start code up to the end of vbv_delay. */
#define HEADER_SIZE 8

void
m2v_patch_bits (uint8_t * data, size_t position, unsigned n, uint32_t value)
{
  while (n > 0) {
    uint8_t mask = (uint8_t) (0x80 >> position % 8);
    uint8_t *byte = &data[position / 8];

    n--;
    *byte = (uint8_t) (value >> n & 1 ? *byte | mask : *byte & ~mask);
    position++;
  }
}

bool
m2v_patch_vbv_delay (uint8_t * data, size_t size, unsigned vbv_delay)
{
  if (size < HEADER_SIZE || data[0] != 0 || data[1] != 0 || data[2] != 1
      || data[3] != M2V_CODE_PICTURE)
    return false;
  m2v_patch_bits (data, VBV_DELAY_POSITION, 16, vbv_delay);
  return true;
}
