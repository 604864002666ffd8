/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * An RTP packet on its way through pspsink. Not thread-safe.
 */
#ifndef __GST_PSP_PACKET_H__
#define __GST_PSP_PACKET_H__

#include <gst/gst.h>

#include <rtpfeedback/rtp.h>

#include "gstpspmissing.h"

G_BEGIN_DECLS

/* An RTP packet that is to be sent. */
typedef struct
{
  GstBuffer *buffer;            /* owned */
  PspRtpHeader header;
  GstPspPlace place;            /* place of its picture */
  GstClockTime running_time;    /* or GST_CLOCK_TIME_NONE */
  gint64 queued_at;             /* by the queue's clock; the queue sets it */
} GstPspPacket;

/* Takes a reference to the buffer. If it is no RTP packet, or one that cannot
 * share the port with RTCP, takes nothing and returns FALSE with a
 * GST_STREAM_ERROR whose message is a sentence for the user. */
gboolean gst_psp_packet_parse (GstPspPacket * packet, GstBuffer * buffer,
    GError ** error);

/* Returns the packet's running time for sender reports, ns; PSP_TIME_UNKNOWN =
 * it has none. */
gint64 gst_psp_packet_media_time (const GstPspPacket * packet);

G_END_DECLS

#endif
