/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Reads and sets the ECN bits (RFC 3168) of an IPv4 or IPv6 header, checksum
 * included, and reads the protocol inside.
 */
#ifndef LINK_IPHEADER_H
#define LINK_IPHEADER_H

#include <stddef.h>
#include <stdint.h>

/* Returns the type of service or traffic class; 0 = not IP. */
uint8_t ip_header_tos (const uint8_t * data, size_t size);
/* Returns the protocol of RFC 791, or the first next header of RFC 8200; 0 =
 * not IP. */
uint8_t ip_header_protocol (const uint8_t * data, size_t size);
/* Returns the same for all packets of a flow, that is of equal addresses,
 * protocol and ports; 0 = not IP. */
uint32_t ip_header_flow_hash (const uint8_t * data, size_t size);
void ip_header_set_ecn (uint8_t * data, size_t size, uint8_t ecn);

#endif
