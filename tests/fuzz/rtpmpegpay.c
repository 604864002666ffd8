/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as buffers for the payloader: all of them are sent, in order, in
 * payloads that are not too long.
 */
#include "packetizer.h"

#include <stdlib.h>
#include <string.h>

/* The first octets are settings. */
#define SETTINGS 3

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

typedef struct
{
  M2vSplitter splitter;
  M2vAssembler *assembler;
  RtpMpegPacketizer *packetizer;
  RtpMpegPacketizerSettings settings;
  const uint8_t *data;
  size_t sent;                  /* octets of data */
} Sender;

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

static void
check_payload (Sender * s, const M2vFrame * frame, const RtpMpegPacket * packet)
{
  size_t size = packet->prefix_size + packet->range.size;
  size_t most = s->settings.max_payload;
  uint8_t copy[0x1000];
  RtpMpegHeader h;

  if (most < packet->header_size + RTP_MPEG_MIN_PAYLOAD)
    most = packet->header_size + RTP_MPEG_MIN_PAYLOAD;
  check (size > 0 && packet->header_size + size <= most);
  check (packet->picture < frame->n_pictures);
  check (packet->range.offset + packet->range.size
      <= frame->pictures[packet->picture].size);
  if (packet->prefix_size > 0)
    memcpy (copy, packet->prefix, packet->prefix_size);

  check (rtp_mpeg_header_parse (packet->header, packet->header_size, &h)
      == packet->header_size);
  check (h.type != 0 && h.extensions_size == 0);
  check (frame->valid || (!h.has_extension && !h.active_n));
  check (h.active_n || !h.new_header);
}

/* Where nothing is repeated, every octet is sent in its place. */
static void
send_frame (Sender * s, const M2vFrame * frame)
{
  const uint8_t *data[2] = {
    s->data + frame->pictures[0].begin, s->data + frame->pictures[1].begin
  };
  bool exact = s->settings.sequence_interval == M2V_TIME_NONE;
  RtpMpegPacket packet = {.marker = false };

  rtp_mpeg_packetizer_begin (s->packetizer, frame, data);
  while (rtp_mpeg_packetizer_next (s->packetizer, &packet)) {
    const uint8_t *at = data[packet.picture] + packet.range.offset;

    check_payload (s, frame, &packet);
    if (exact) {
      check (packet.prefix_size == 0 && at == s->data + s->sent);
      s->sent += packet.range.size;
    }
    if (packet.marker)
      break;
  }
  check (packet.marker);
  check (!rtp_mpeg_packetizer_next (s->packetizer, &packet));
}

static void
send_span (Sender * s, const M2vPicture * span)
{
  M2vStamp stamp = { M2V_TIME_NONE, M2V_TIME_NONE, false };
  M2vFrame before, frame;
  unsigned result;

  if (span->kind != M2V_SPAN_PICTURE) {
    if (m2v_assembler_finish (s->assembler, &frame))
      send_frame (s, &frame);
    memset (&frame, 0, sizeof frame);
    frame.n_pictures = 1;
    frame.pictures[0] = *span;
    send_frame (s, &frame);
    return;
  }
  result = m2v_assembler_push (s->assembler, &s->splitter, span, &stamp,
      &before, &frame);
  if (result & M2V_ASSEMBLED_UNPAIRED)
    send_frame (s, &before);
  if (result & M2V_ASSEMBLED_FRAME)
    send_frame (s, &frame);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Sender s = {.data = data + SETTINGS };
  M2vPicture span;
  M2vFrame frame;
  size_t position = 0;

  if (size < SETTINGS)
    return 0;
  size -= SETTINGS;
  s.settings.max_payload = data[0] * 8;
  s.settings.extension_header = data[1] & 1;
  s.settings.sequence_interval = data[1] & 2 ? M2V_TIME_NONE
      : data[2] * (M2V_SECOND / 100);
  m2v_splitter_init (&s.splitter);
  s.assembler = m2v_assembler_new ();
  s.packetizer = rtp_mpeg_packetizer_new ();
  rtp_mpeg_packetizer_set (s.packetizer, &s.settings);
  while (m2v_splitter_next (&s.splitter, s.data, size, &position, &span))
    send_span (&s, &span);
  if (m2v_assembler_finish (s.assembler, &frame))
    send_frame (&s, &frame);
  if (s.settings.sequence_interval == M2V_TIME_NONE)
    check (s.sent == size);
  m2v_assembler_free (s.assembler);
  rtp_mpeg_packetizer_free (s.packetizer);
  return 0;
}
