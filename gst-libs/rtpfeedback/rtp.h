/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The fixed RTP header (RFC 3550 section 5.1), and how to distinguish RTP from
 * RTCP on one port (RFC 5761 section 4).
 */
#ifndef RTPFEEDBACK_RTP_H
#define RTPFEEDBACK_RTP_H

#include <control/packet.h>
#include <rtpfeedback/bytes.h>

/* The most streams (SSRCs) that one session accounts for at a time. A new
 * stream replaces the one that was silent for longest. */
#define PSP_MAX_STREAMS PSP_MAX_SERIES

/* Bytes of the fixed header (RFC 3550 section 5.1). */
#define PSP_RTP_HEADER_SIZE 12

typedef struct
{
  uint32_t ssrc;
  uint32_t timestamp;           /* RTP clock units */
  uint16_t seq;
  uint8_t payload_type;
  bool marker;
  uint32_t size;                /* bytes of the whole packet */
  /* bytes without header, extension and padding */
  uint32_t payload_size;
} PspRtpHeader;

typedef enum
{
  PSP_PACKET_RTP,
  PSP_PACKET_RTCP,
  PSP_PACKET_UNKNOWN
} PspPacketKind;

/* Returns what a datagram is, by its version and second octet: 192..223 is RTCP
 * (RFC 5761 section 4), the rest is RTP. */
PspPacketKind psp_packet_kind (const uint8_t * data, size_t size);

/* Returns false if the packet is malformed or its payload type is 64..95, which
 * RFC 5761 section 4 reserves when RTCP shares the port; the header is then
 * filled as far as possible. `data` may be shorter than `size`, the whole
 * packet, if it holds the header with its CSRCs and extension; padding is then
 * not subtracted. */
bool psp_rtp_parse (const uint8_t * data, size_t data_size, size_t size,
    PspRtpHeader * header);

/* Finds the header extension element with this ID, 1 to 14 in the one-byte
 * form and 1 to 255 in the two-byte form (RFC 8285 sections 4.2 and 4.3).
 * Returns its data, which points into the packet, and its length in *n
 * bytes; NULL = the packet has none, or its extension is malformed. */
const uint8_t *psp_rtp_find_extension (const uint8_t * data, size_t size,
    uint8_t id, size_t * n);

/* Reads the first 16 bits of such an element. Returns false if there is
 * none or if it is shorter. */
bool psp_rtp_read_extension (const uint8_t * data, size_t size, uint8_t id,
    uint16_t * value);

/* Writes the packet's header, with its CSRCs and extension, and one more
 * element with this ID and n octets of data. A packet without an extension
 * gets the shortest form that can hold it. Returns how many octets of the
 * packet the written ones replace. Returns 0 if its form has no place for
 * the element, if no reader would find it after the present elements, or
 * if `data` ends before the header does. */
size_t psp_rtp_add_extension (PspWriter * w, const uint8_t * data, size_t size,
    uint8_t id, const uint8_t * value, uint8_t n);

static inline bool
psp_rtp_payload_type_conflicts (unsigned payload_type)
{
  return payload_type >= 64 && payload_type <= 95;
}

#endif
