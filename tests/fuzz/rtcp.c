/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as a datagram, RTP or RTCP: whatever is taken from it lies within
 * it.
 */
#include <rtpfeedback/rtcp.h>

#include <stdlib.h>

#include <rtpfeedback/ccfb.h>
#include <rtpfeedback/rtp.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

static void
read_packet (const PspRtcpPacket * packet)
{
  PspRtcpSenderInfo info;
  PspRtcpReportBlock block;
  PspKeyRequest request;
  PspNack nack;
  PspCcfb ccfb;
  uint32_t ssrc;
  unsigned n;

  if (psp_rtcp_parse_sr (packet, &info))
    check (packet->type == PSP_RTCP_SR && packet->size >= 28);
  for (n = 0; psp_rtcp_parse_report_block (packet, n, &block); n++)
    check (block.cumulative_lost >= -0x800000 &&
        block.cumulative_lost <= 0x7fffff);
  check (n <= packet->count);
  for (n = 0; psp_rtcp_parse_bye (packet, n, &ssrc); n++);
  check (n <= packet->count);
  for (n = 0; psp_rtcp_parse_key_request (packet, n, &request); n++)
    check (request.kind != PSP_KEY_REQUEST_NONE);
  check (8 * n <= packet->size);
  for (n = 0; psp_rtcp_parse_nack (packet, n, &nack); n++);
  check (4 * n <= packet->size);
  psp_ccfb_parse (packet->data, packet->size, &ccfb);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  PspRtcpPacket packet;
  PspRtpHeader header;
  size_t position = 0, total = 0;

  psp_packet_kind (data, size);
  if (psp_rtp_parse (data, size, size, &header))
    check (header.payload_size <= size - 12);
  if (psp_rtp_parse (data, size, size + 1000, &header))
    check (header.payload_size <= size + 988);

  if (!psp_rtcp_validate (data, size))
    return 0;
  check (psp_packet_kind (data, size) == PSP_PACKET_RTCP);
  while (psp_rtcp_next (data, size, &position, &packet)) {
    check (packet.data >= data && packet.size <= size &&
        packet.data - data + packet.size <= size);
    total += packet.size;
    read_packet (&packet);
  }
  check (total == size);
  return 0;
}
