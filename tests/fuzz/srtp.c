/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Octets as datagrams at both ends of a session under SRTP: as they are, which
 * never counts, and protected by the other end, which may. What is authentic goes
 * on to a receiver. Keys change in between.
 */
#include "gstpspsrtp.h"

#include <rtpfeedback/receiver.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 2048

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static GstPspSrtpKeys
make_keys (unsigned kind, unsigned number)
{
  GstPspSrtpKeys keys = {.derived = kind & 4 };

  keys.media.suite = keys.feedback.suite = 1 + kind % 3;
  keys.feedback.key[0] = 1;
  keys.media.key[1] = keys.feedback.key[1] = (uint8_t) number;
  keys.media.mki[0] = keys.feedback.mki[0] = (uint8_t) number;
  keys.media.mki_size = keys.feedback.mki_size =
      keys.derived ? GST_PSP_SRTP_SALT : kind & 8 ? 4 : 0;
  return keys;
}

static GstPspSrtp *
make_end (bool sender, unsigned kind)
{
  GstPspSrtpKeys keys = make_keys (kind, 0);

  return gst_psp_srtp_new (&keys, sender);
}

/* The receiver is told first, as the guide has it. */
static void
change_keys (GstPspSrtp * ends[2], unsigned kind, unsigned number)
{
  GstPspSrtpKeys keys = make_keys (kind, number);

  if (gst_psp_srtp_renew (ends[1]))
    return;
  for (unsigned i = 0; i < 2; i++)
    if (!gst_psp_srtp_set_keys (ends[i], &keys))
      abort ();
}

static void
receive (PspReceiver * receiver, const uint8_t * data, size_t size, bool rtcp,
    int64_t now)
{
  uint32_t byes[PSP_MAX_STREAMS];
  uint8_t report[1200];
  PspRtpHeader header;

  unsigned n = 0;

  if (rtcp)
    n = psp_receiver_rtcp (receiver, data, size, now, byes);
  else if (psp_rtp_parse (data, size, size, &header))
    psp_receiver_packet (receiver, &header, 0, now);
  while (n > 0)
    psp_receiver_end_stream (receiver, byes[--n], now);
  if (psp_receiver_pack (receiver, now, 1, report, sizeof report) >
      sizeof report)
    abort ();
}

/* One datagram: a byte of flags, its size, its octets. */
static size_t
step (GstPspSrtp * ends[2], PspReceiver * receiver, const uint8_t * data,
    size_t size, gint64 now)
{
  static guint32 words[(ROOM + PSP_SRTP_ROOM) / 4];
  guint8 *packet = (guint8 *) words;
  unsigned flags = data[0], to = flags & 1, rtcp = flags >> 1 & 1;
  gsize n = MIN (data[1] * (flags & 8 ? 8u : 1u), size - 2);

  memcpy (packet, data + 2, n);
  size = n;
  if (flags & 4) {
    PspSrtpResult result = PSP_SRTP_FAILED;

    if (rtcp && size >= 8)
      result = gst_psp_srtp_protect_rtcp (ends[!to], packet, &size);
    else if (!rtcp && !to && size >= 12)
      result = gst_psp_srtp_protect (ends[1], packet, &size);
    if (result == PSP_SRTP_OK && gst_psp_srtp_unprotect (ends[to], packet,
            &size, rtcp, now) == PSP_SRTP_OK && !to)
      receive (receiver, packet, size, rtcp, now);
  } else if (gst_psp_srtp_unprotect (ends[to], packet, &size, rtcp, now) ==
      PSP_SRTP_OK) {
    abort ();
  }
  return n + 2;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  const PspReceiverConfig config = {.ssrc = 1,.cname = "fuzz",
    .feedback_interval = 25 * PSP_MSECOND,.max_rtcp_size = 1200,
    .random_seed = 1
  };
  GstPspSrtp *ends[2];          /* receiver, sender */
  PspReceiver *receiver;
  unsigned n_keys = 0;
  gint64 now = 0;

  if (size < 1)
    return 0;
  ends[0] = make_end (false, data[0]);
  ends[1] = make_end (true, data[0]);
  receiver = psp_receiver_new (&config);
  if (!ends[0] || !ends[1] || !receiver)
    abort ();
  for (size_t at = 1; at + 2 <= size; now += 2000000) {
    if (data[at] & 16 && n_keys < 255)
      change_keys (ends, data[0], ++n_keys);
    at += step (ends, receiver, data + at, size - at, now);
  }
  psp_receiver_free (receiver);
  gst_psp_srtp_free (ends[0]);
  gst_psp_srtp_free (ends[1]);
  return 0;
}
