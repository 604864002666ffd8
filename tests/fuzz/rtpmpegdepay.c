/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any payloads in any order: what the reassembler says to keep lies within
 * them, what it says to cut is there, and a frame stays within its bounds.
 *
 * An input is a row of packets, each of 3 bytes and its payload: what becomes
 * of the sequence number, flags, size of the payload.
 */
#include "reassembler.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

/* Returns whether something was delivered. */
static bool
obey (const RtpMpegDelivery * d, size_t *kept)
{
  check (d->cut <= *kept);
  *kept += d->pad - d->cut;
  if (d->deliver) {
    check (*kept > 0);
    *kept = 0;
  }
  return d->deliver;
}

static void
push (RtpMpegReassembler * r, const RtpMpegArrival * arrival, size_t *kept,
    uint64_t * n_frames)
{
  RtpMpegReassembly out;

  rtp_mpeg_reassembler_push (r, arrival, &out);
  *n_frames += obey (&out.before, kept);
  check (out.rebuilt.size <= 32);
  check (out.rebuilt.size == 0 || out.keep.size > 0);
  check (out.keep.size <= arrival->size);
  check (out.keep.size == 0 ||
      out.keep.offset <= arrival->size - out.keep.size);
  *kept += out.rebuilt.size + out.keep.size;
  check (*kept <= RTP_MPEG_MAX_HELD);
  *n_frames += obey (&out.after, kept);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  RtpMpegReassembler *r = rtp_mpeg_reassembler_new ();
  RtpMpegArrival arrival = { 0 };
  RtpMpegReassemblerStats stats;
  RtpMpegDelivery last;
  uint64_t n_frames = 0;
  size_t kept = 0;

  if (!r)
    return 0;
  while (size >= 3) {
    arrival.seq += 1 + (int8_t) data[0];
    arrival.marker = data[1] & 1;
    arrival.discont = (data[1] & 6) == 6;
    arrival.timestamp += data[1] >> 3 & 3;
    arrival.size = data[2] < size - 3 ? data[2] : size - 3;
    arrival.payload = data + 3;
    if ((data[1] & 0xe0) == 0xe0) {
      rtp_mpeg_reassembler_flush (r);
      kept = 0;
    }
    push (r, &arrival, &kept, &n_frames);
    data += 3 + arrival.size;
    size -= 3 + arrival.size;
  }
  rtp_mpeg_reassembler_finish (r, &last);
  n_frames += obey (&last, &kept);
  rtp_mpeg_reassembler_stats (r, &stats);
  check (stats.frames == n_frames && stats.damaged_frames <= n_frames);
  check (n_frames == 0 || rtp_mpeg_reassembler_sequence (r));
  rtp_mpeg_reassembler_free (r);
  return 0;
}
