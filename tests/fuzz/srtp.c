/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Octets as datagrams at both ends of a session under SRTP: as they are, which
 * never counts, and protected by the other end, which may.
 */
#include "gstpspsrtp.h"

#include <stdlib.h>
#include <string.h>

#define ROOM 2048

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static GstPspSrtp *
make_end (bool sender, unsigned kind)
{
  GstPspSrtpKeys keys = {.derived = kind & 4 };

  keys.media.suite = keys.feedback.suite = 1 + kind % 3;
  keys.feedback.key[0] = 1;
  keys.media.mki_size = keys.feedback.mki_size =
      keys.derived ? GST_PSP_SRTP_SALT : kind & 8 ? 4 : 0;
  return gst_psp_srtp_new (&keys, sender);
}

/* One datagram: a byte of flags, its size, its octets. */
static size_t
step (GstPspSrtp * ends[2], const uint8_t * data, size_t size, gint64 now)
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
    if (result == PSP_SRTP_OK)
      gst_psp_srtp_unprotect (ends[to], packet, &size, rtcp, now);
  } else if (gst_psp_srtp_unprotect (ends[to], packet, &size, rtcp, now) ==
      PSP_SRTP_OK) {
    abort ();
  }
  return n + 2;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  GstPspSrtp *ends[2];          /* receiver, sender */
  gint64 now = 0;

  if (size < 1)
    return 0;
  ends[0] = make_end (false, data[0]);
  ends[1] = make_end (true, data[0]);
  if (!ends[0] || !ends[1])
    abort ();
  for (size_t at = 1; at + 2 <= size; now += 2000000) {
    if (data[at] & 16)
      gst_psp_srtp_renew (ends[1]);
    at += step (ends, data + at, size - at, now);
  }
  gst_psp_srtp_free (ends[0]);
  gst_psp_srtp_free (ends[1]);
  return 0;
}
