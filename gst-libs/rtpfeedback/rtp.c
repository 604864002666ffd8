/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <rtpfeedback/rtp.h>

#include <rtpfeedback/bytes.h>

PspPacketKind
psp_packet_kind (const uint8_t * data, size_t size)
{
  if (size < 2 || data[0] >> 6 != 2)
    return PSP_PACKET_UNKNOWN;
  return data[1] >= 192 && data[1] <= 223 ? PSP_PACKET_RTCP : PSP_PACKET_RTP;
}

bool
psp_rtp_parse (const uint8_t * data, size_t data_size, size_t size,
    PspRtpHeader * header)
{
  PspReader r = psp_reader (data, data_size < size ? data_size : size);
  uint8_t flags = psp_read_u8 (&r);
  uint8_t type = psp_read_u8 (&r);
  size_t header_size, padding = 0;

  header->marker = type >> 7;
  header->payload_type = type & 0x7f;
  header->seq = psp_read_u16 (&r);
  header->timestamp = psp_read_u32 (&r);
  header->ssrc = psp_read_u32 (&r);
  header->size = size <= UINT32_MAX ? (uint32_t) size : UINT32_MAX;
  header->payload_size = 0;

  psp_read_bytes (&r, 4 * (flags & 0x0f));      /* CSRCs */
  if (flags & 0x10) {           /* extension */
    psp_read_u16 (&r);
    psp_read_bytes (&r, 4 * (size_t) psp_read_u16 (&r));
  }
  if (r.error || flags >> 6 != 2 || size > UINT32_MAX)
    return false;
  header_size = (size_t) (r.at - data);

  if (flags & 0x20 && data_size >= size) {      /* padding */
    padding = data[size - 1];
    if (padding == 0 || padding > size - header_size)
      return false;
  }
  header->payload_size = (uint32_t) (size - header_size - padding);
  return !psp_rtp_payload_type_conflicts (header->payload_type);
}
