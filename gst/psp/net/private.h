/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Functions that only the files of this folder use.
 */
#ifndef PSP_NET_PRIVATE_H
#define PSP_NET_PRIVATE_H

#include "udp.h"

/* Copies an address of the kernel or the resolver. An IPv4-mapped one becomes
 * an IPv4 one. */
void psp_address_set (PspAddress * a, const struct sockaddr *sa,
    socklen_t size);

#endif
