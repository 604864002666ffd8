/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Does as a reassembler says, and collects the frames.
 */
#ifndef RECEIVER_H
#define RECEIVER_H

#include <gst/check/gstcheck.h>

#include "reassembler.h"

typedef struct
{
  GByteArray *bytes;
  gboolean damaged, discont, intra;
  guint32 timestamp;
} Frame;

static inline void
frame_free (gpointer frame)
{
  g_byte_array_unref (((Frame *) frame)->bytes);
  g_free (frame);
}

/* Does what the element does. */
typedef struct
{
  RtpMpegReassembler *r;
  GByteArray *kept;
  guint32 timestamp;
  GPtrArray *frames;
} Receiver;

static inline void
receiver_init (Receiver * v)
{
  v->r = rtp_mpeg_reassembler_new ();
  v->kept = g_byte_array_new ();
  v->frames = g_ptr_array_new_with_free_func (frame_free);
}

static inline void
receiver_clear (Receiver * v)
{
  rtp_mpeg_reassembler_free (v->r);
  g_byte_array_unref (v->kept);
  g_ptr_array_unref (v->frames);
}

static inline void
receiver_deliver (Receiver * v, const RtpMpegDelivery * d)
{
  static const guint8 zeros[8];

  fail_unless (d->cut <= v->kept->len);
  g_byte_array_set_size (v->kept, v->kept->len - d->cut);
  fail_unless (d->pad <= sizeof zeros);
  g_byte_array_append (v->kept, zeros, d->pad);
  if (d->deliver) {
    Frame *frame = g_new0 (Frame, 1);

    fail_unless (v->kept->len > 0);
    frame->bytes = v->kept;
    frame->damaged = d->damaged;
    frame->discont = d->discont;
    frame->intra = d->intra;
    frame->timestamp = v->timestamp;
    g_ptr_array_add (v->frames, frame);
    v->kept = g_byte_array_new ();
  }
}

static inline void
receiver_push (Receiver * v, const RtpMpegArrival * arrival)
{
  /* Its exact size, for the sanitizer to see a read past the end. */
  guint8 *copy = g_memdup2 (arrival->payload, arrival->size);
  RtpMpegArrival exact = *arrival;
  RtpMpegReassembly out;

  exact.payload = copy;
  rtp_mpeg_reassembler_push (v->r, &exact, &out);
  receiver_deliver (v, &out.before);
  if (out.begins)
    v->timestamp = arrival->timestamp;
  if (out.rebuilt.size > 0)
    g_byte_array_append (v->kept, out.rebuilt.literal, out.rebuilt.size);
  fail_unless (out.keep.offset <= arrival->size || out.keep.size == 0);
  fail_unless (out.keep.size == 0 ||
      out.keep.size <= arrival->size - out.keep.offset);
  if (out.keep.size > 0)
    g_byte_array_append (v->kept, copy + out.keep.offset, out.keep.size);
  receiver_deliver (v, &out.after);
  fail_unless (v->kept->len <= RTP_MPEG_MAX_HELD);
  g_free (copy);
}

static inline void
receiver_finish (Receiver * v)
{
  RtpMpegDelivery d;

  rtp_mpeg_reassembler_finish (v->r, &d);
  receiver_deliver (v, &d);
}

#endif
