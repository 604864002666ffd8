/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpsppacket.h"

/* Bytes of a packet's start; it rarely is too short for a header with its
 * extension. */
#define START_SIZE 512

/* Returns FALSE if the buffer is no RTP packet, or cannot be mapped. */
static gboolean
parse_header (GstBuffer * buffer, PspRtpHeader * header)
{
  gsize size = gst_buffer_get_size (buffer);
  guint8 start[START_SIZE];
  gboolean ok = FALSE;
  GstMapInfo map;

  /* Header, extension and payload usually are separate memories: a copy of the
   * start avoids a copy of the whole packet. */
  if (gst_buffer_n_memory (buffer) > 1)
    ok = psp_rtp_parse (start, gst_buffer_extract (buffer, 0, start,
            sizeof start), size, header);
  if (!ok && gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    ok = psp_rtp_parse (map.data, map.size, size, header);
    gst_buffer_unmap (buffer, &map);
  }
  return ok;
}

static gboolean
is_rtp (GstBuffer * buffer)
{
  guint8 start[2];

  return gst_buffer_extract (buffer, 0, start, 2) == 2 &&
      psp_packet_kind (start, 2) != PSP_PACKET_UNKNOWN;
}

gboolean
gst_psp_packet_parse (GstPspPacket * packet, GstBuffer * buffer,
    GError ** error)
{
  guint type;

  memset (packet, 0, sizeof *packet);
  if (parse_header (buffer, &packet->header)) {
    packet->buffer = gst_buffer_ref (buffer);
    gst_psp_place_read (&packet->place, buffer);
    packet->running_time = GST_CLOCK_TIME_NONE;
    return TRUE;
  }
  type = packet->header.payload_type;
  if (is_rtp (buffer) && psp_rtp_payload_type_conflicts (type))
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "RTP payload type %u cannot be sent here: 64 to 95 are taken by RTCP "
        "on the same port (RFC 5761); set the payloader's pt property to "
        "another, such as 96.", type);
  else
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "A buffer of %" G_GSIZE_FORMAT " bytes is not an RTP packet; put an "
        "RTP payloader before pspsink.", gst_buffer_get_size (buffer));
  return FALSE;
}

gint64
gst_psp_packet_media_time (const GstPspPacket * packet)
{
  return GST_CLOCK_TIME_IS_VALID (packet->running_time) ?
      (gint64) packet->running_time : PSP_TIME_UNKNOWN;
}
