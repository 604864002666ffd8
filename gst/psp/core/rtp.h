/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The fixed RTP header (RFC 3550 section 5.1) and what tells RTP from RTCP on
 * one port (RFC 5761 section 4).
 */
#ifndef PSP_CORE_RTP_H
#define PSP_CORE_RTP_H

#include "types.h"

typedef struct
{
  uint32_t ssrc;
  uint32_t timestamp;           /* RTP clock units */
  uint16_t seq;
  uint8_t payload_type;
  bool marker;
  uint32_t size;                /* whole packet, bytes */
  uint32_t payload_size;        /* without header, extension and padding */
} PspRtpHeader;

typedef enum
{
  PSP_PACKET_RTP,
  PSP_PACKET_RTCP,
  PSP_PACKET_UNKNOWN
} PspPacketKind;

/* What a datagram is, by version and second octet: 192..223 is RTCP (RFC 5761
 * section 4), the rest RTP. */
PspPacketKind psp_packet_kind (const uint8_t * data, size_t size);

/* False where the packet is malformed or its payload type is 64..95, which
 * RFC 5761 section 4 reserves when RTCP shares the port; header is then
 * filled as far as it goes. `data` may be shorter than `size`, the whole
 * packet, as long as the header with its CSRCs and extension is in it;
 * padding is then not subtracted. */
bool psp_rtp_parse (const uint8_t * data, size_t data_size, size_t size,
    PspRtpHeader * header);

static inline bool
psp_rtp_payload_type_conflicts (unsigned payload_type)
{
  return payload_type >= 64 && payload_type <= 95;
}

#endif
