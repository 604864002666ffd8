/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "droptail.h"

bool
link_droptail_has_room (const LinkLimit * limit, const LinkQueue * q,
    uint32_t size, int64_t rate)
{
  uint64_t bytes = q->bytes + size + q->overhead;

  switch (limit->unit) {
    case LINK_LIMIT_PACKETS:
      return q->packets < (uint64_t) limit->value;
    case LINK_LIMIT_BYTES:
      return bytes <= (uint64_t) limit->value;
    case LINK_LIMIT_TIME:
      return rate == LINK_UNLIMITED ||
          (double) bytes *8e9 <= (double) limit->value * (double) rate;
  }
  return false;
}
