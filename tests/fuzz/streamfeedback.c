/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Octets as what rtpsession hands over of RFC 8888's feedback, to a session of
 * which some packets count: what is translated are packets of the session, and
 * no more are acknowledged than left.
 */
#include "streamfeedback.h"

#include <stdlib.h>

#define STREAMS 3
#define PACKETS 20

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

typedef struct
{
  PspSender *sender;
  PspRtcpFeedback rtcp;
  PspStreamNumbers numbers;
  uint32_t last_series;
  int64_t now;
} Life;

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

/* Streams 0, 1, 2; of each the first half passes uncounted. */
static void
send_packets (Life * life, uint16_t first)
{
  PspPacket packet = {.size = 1020,.payload_size = 1000,.has_key = true };

  for (uint16_t i = 0; i < PACKETS; i++)
    for (uint32_t ssrc = 0; ssrc < STREAMS; ssrc++) {
      life->now += PSP_MSECOND;
      if (i < PACKETS / 2) {
        psp_stream_numbers_pass (&life->numbers, ssrc);
        continue;
      }
      packet.key = psp_stream_numbers_count (&life->numbers, ssrc,
          (uint16_t) (first + i), &life->last_series);
      psp_sender_sent (life->sender, &packet, life->now, 1);
    }
}

static void
take (Life * life, PspReader * reader, size_t size)
{
  PspStreamMessage message = { 0 };
  PspFeedback feedback;

  message.sender_ssrc = 1;
  message.media_ssrc = psp_read_u32 (reader);
  message.size = size > reader->left ? reader->left : size;
  message.fci = psp_read_bytes (reader, message.size);
  if (!message.fci
      || !psp_stream_feedback_read (&life->rtcp, &message, life->now,
          &feedback))
    return;
  psp_stream_feedback_translate (&life->numbers, life->sender, &life->rtcp,
      &feedback);
  for (size_t i = 0; i < feedback.n; i++)
    check (feedback.acknowledgements[i].key.series - 1 < life->last_series);
  if (psp_sender_acknowledge (life->sender, &feedback, life->now)
      == PSP_FEEDBACK_OK)
    psp_rtcp_feedback_accept (&life->rtcp, life->now);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  PspSenderConfig config = {.controller = psp_controller_find ("poise"),
    .limits = {.max_bitrate = 1000000}
  };
  PspReader reader = psp_reader (data, size);
  Life life = { 0 };
  PspSenderStats stats;

  life.sender = psp_sender_new (&config, 0);
  check (life.sender
      && psp_rtcp_feedback_init (&life.rtcp, PSP_STREAM_FEEDBACK_SIZE));
  send_packets (&life, psp_read_u16 (&reader));
  while (reader.left > 0) {
    uint8_t what = psp_read_u8 (&reader);

    if (what == 0)
      psp_stream_numbers_end (&life.numbers);
    if (what == 1)
      send_packets (&life, psp_read_u16 (&reader));
    take (&life, &reader, (size_t) what * 4);
    life.now += (int64_t) what * PSP_MSECOND;
  }
  psp_sender_stats (life.sender, life.now, &stats);
  check (stats.packets_acked <= stats.packets_sent);
  psp_sender_free (life.sender);
  psp_rtcp_feedback_clear (&life.rtcp);
  return 0;
}
