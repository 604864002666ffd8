/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Drop-tail: a packet that finds no room is dropped. The limit counts the
 * packets that wait, not the one being sent. It also bounds the other
 * disciplines.
 */
#ifndef LINK_DROPTAIL_H
#define LINK_DROPTAIL_H

#include "packet.h"

typedef enum
{
  LINK_LIMIT_PACKETS,
  LINK_LIMIT_BYTES,
  LINK_LIMIT_TIME               /* ns to send all of it at the current rate */
} LinkLimitUnit;

typedef struct
{
  LinkLimitUnit unit;
  int64_t value;
} LinkLimit;

/* True if there is room. For LINK_LIMIT_TIME `rate` is the current one, or in
 * an outage the one before it. */
bool link_droptail_has_room (const LinkLimit * limit, const LinkQueue * q,
    uint32_t size, int64_t rate);

#endif
