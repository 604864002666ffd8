/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Octets as the life of a receiver: packets, RTCP, time that passes. Whatever
 * comes, what it sends is well-formed, fits, stays within the budget, and
 * comes to an end.
 */
#include <rtpfeedback/receiver.h>
#include <rtpfeedback/twcc.h>

#include <stdlib.h>

#define MAX_SIZE 300
#define OWN 0x0bad0bad

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

typedef struct
{
  PspReceiver *r;
  int64_t now;
  uint64_t payload;
  uint64_t report_octets;       /* CCFB and TWCC */
  bool wide;                    /* packets carry transport-wide numbers */
} Life;

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

static void
check_datagram (Life * life, const uint8_t * data, size_t size)
{
  PspRtcpPacket packet;
  PspCcfb ccfb;
  PspTwcc twcc;
  PspNack nack;
  size_t position = 0;

  check (size <= MAX_SIZE && psp_rtcp_validate (data, size));
  while (psp_rtcp_next (data, size, &position, &packet)) {
    if (packet.type != PSP_RTCP_RTPFB || psp_rtcp_parse_nack (&packet, 0, &nack))
      continue;
    if (packet.count == PSP_TWCC_FMT)
      check (psp_twcc_parse (packet.data, packet.size, &twcc) && twcc.has_times);
    else
      check (psp_ccfb_parse (packet.data, packet.size, &ccfb)
          && ccfb.blocks_size > 0);
    life->report_octets += packet.size;
  }
}

/* Everything due, which cannot be much: a report or two a stream. */
static void
drain (Life * life)
{
  uint8_t data[MAX_SIZE + 8];
  size_t size;
  unsigned n = 0;

  while ((size = psp_receiver_pack (life->r, life->now,
              (uint64_t) life->now, data, sizeof data)) > 0) {
    check_datagram (life, data, size);
    check (++n < 200);
  }
  check (psp_receiver_next (life->r, life->now) > life->now);
}

/* Over the numbers of all streams: as those of the packets. */
static void
receive (Life * life, const PspRtpHeader * header, uint8_t ecn)
{
  psp_receiver_packet (life->r, header, ecn, life->now);
  if (life->wide) {
    check (psp_receiver_open_transport_numbers (life->r));
    psp_receiver_transport_number (life->r, header, header->seq, life->now);
  }
}

static void
packet (Life * life, PspReader * reader)
{
  PspRtpHeader header = { 0 };
  uint8_t flags = psp_read_u8 (reader);

  header.ssrc = flags & 0x1f;
  if (flags & 0x80)
    header.ssrc = psp_read_u32 (reader);
  header.seq = psp_read_u16 (reader);
  header.timestamp = header.seq * 3000u;
  header.payload_size = 4u * psp_read_u8 (reader);
  header.size = header.payload_size + 12;
  life->payload += header.payload_size;
  receive (life, &header, flags >> 5 & 3);
}

/* A run of packets, its losses by the bits of an octet. */
static void
run (Life * life, PspReader * reader)
{
  PspRtpHeader header = { 0 };
  uint8_t lost = psp_read_u8 (reader);
  unsigned n = psp_read_u8 (reader);

  header.ssrc = psp_read_u8 (reader) & 0x0f;
  header.seq = psp_read_u16 (reader);
  header.payload_size = header.size = 1000;
  for (unsigned i = 0; i < n; i++, header.seq++) {
    if (lost >> i % 8 & 1)
      continue;
    life->payload += header.payload_size;
    receive (life, &header, 0);
  }
}

static void
rtcp (Life * life, PspReader * reader)
{
  size_t size = psp_read_u8 (reader);
  const uint8_t *data;
  uint32_t byes[PSP_MAX_STREAMS];
  unsigned n = 0;

  if (size > reader->left)
    size = reader->left;
  data = psp_read_bytes (reader, size);
  if (data)
    n = psp_receiver_rtcp (life->r, data, size, life->now, byes);
  while (n > 0)
    psp_receiver_end_stream (life->r, byes[--n], life->now);
}

static void
step (Life * life, PspReader * reader)
{
  uint8_t op = psp_read_u8 (reader);

  switch (op & 7) {
    case 0:
    case 1:
      packet (life, reader);
      break;
    case 2:
      run (life, reader);
      break;
    case 3:
      rtcp (life, reader);
      break;
    case 4:
      life->now += (int64_t) (op >> 3) * PSP_MSECOND;
      break;
    case 5:
      life->now += (int64_t) psp_read_u16 (reader) * PSP_MSECOND;
      break;
    case 6:
      if ((op & 0xc8) == 0xc8) {
        uint32_t ssrc = op >> 3 & 7;

        psp_receiver_request_packet (life->r, op & 0x10 ? NULL : &ssrc,
            psp_read_u16 (reader), PSP_MSECOND * psp_read_u8 (reader),
            life->now);
      } else if (op & 0x80) {
        uint32_t ssrc = op >> 3 & 7;

        psp_receiver_request_key (life->r, op & 0x40 ? &ssrc : NULL,
            op & 8, life->now);
      } else if ((op & 0xf8) == 0x78) {
        life->wide = !life->wide;
        if (!life->wide)
          psp_receiver_forget_transport_numbers (life->r);
      } else {
        psp_receiver_set_clock_rate (life->r, (uint32_t) op << 9);
      }
      break;
    default:
      drain (life);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  PspReceiverConfig config = {
    .ssrc = OWN,
    .cname = "fuzz",
    .feedback_interval = 25 * PSP_MSECOND,
    .max_rtcp_size = MAX_SIZE,
    .clock_rate = 90000,
  };
  PspReader reader = psp_reader (data, size);
  Life life = {.r = psp_receiver_new (&config) };
  PspReceiverStats stats;
  uint8_t bye[MAX_SIZE + 8];
  size_t bye_size;

  if (!life.r)
    return 0;
  while (reader.left > 0)
    step (&life, &reader);
  drain (&life);
  psp_receiver_stats (life.r, &stats);
  check (stats.n_streams <= PSP_MAX_STREAMS);
  /* The 2 %, the first credit, the debt, and the reports that are not paid for. */
  check ((double) life.report_octets <= 0.02 * (double) life.payload + 256 +
      148.0 * (2 + (double) (life.now / PSP_RECEIVER_FLOOR_INTERVAL)));
  bye_size = psp_receiver_pack_bye (life.r, life.now, 1, bye, sizeof bye);
  if (bye_size > 0)
    check_datagram (&life, bye, bye_size);
  psp_receiver_free (life.r);
  return 0;
}
