/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Makes TUN devices in the network namespace of the caller.
 */
#ifndef LINK_DEVICE_H
#define LINK_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#define DEVICE_NAME "psplink0"

/* Returns a non-blocking descriptor of a new TUN device, or -1 with errno
 * set. */
int device_open (void);
/* Sets the addresses, with prefix lengths 24 and 64. The device and lo are then
 * up. */
bool device_configure (const char *address, const char *address6, int mtu);
/* Returns the number of packets that the kernel dropped before the device could
 * be read. */
uint64_t device_drops (void);

#endif
