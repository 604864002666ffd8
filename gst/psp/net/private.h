/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Shared by the files here only.
 */
#ifndef PSP_NET_PRIVATE_H
#define PSP_NET_PRIVATE_H

#include "udp.h"

/* Copies a kernel's or a resolver's address, an IPv4-mapped one as IPv4. */
void psp_address_set (PspAddress * a, const struct sockaddr *sa,
    socklen_t size);

#endif
