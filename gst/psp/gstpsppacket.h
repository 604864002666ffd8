/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * An RTP packet on its way out.
 */
#ifndef __GST_PSP_PACKET_H__
#define __GST_PSP_PACKET_H__

#include <gst/gst.h>

#include <rtpfeedback/rtp.h>

G_BEGIN_DECLS

typedef struct
{
  GstBuffer *buffer;            /* owned */
  PspRtpHeader header;
  GstClockTime running_time;    /* or GST_CLOCK_TIME_NONE */
  gint64 queued_at;             /* by the queue's clock; set by the queue */
} GstPspPacket;

/* Takes a reference to the buffer. Where it is no RTP packet, or one that
 * cannot share the port with RTCP: FALSE, a GST_STREAM_ERROR with a sentence
 * for the user, and nothing taken. */
gboolean gst_psp_packet_parse (GstPspPacket * packet, GstBuffer * buffer,
    GError ** error);

G_END_DECLS

#endif
