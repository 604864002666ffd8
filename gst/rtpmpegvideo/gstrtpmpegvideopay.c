/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * SECTION:element-rtpmpegvideopay
 * @title: rtpmpegvideopay
 * @short_description: puts MPEG-1 and MPEG-2 video into RTP packets (RFC 2250)
 * @see_also: rtpmpegvideodepay
 *
 * Unlike rtpmpvpay it takes MPEG-1 too, and cuts where a receiver can go on
 * after a loss: a packet begins with a slice wherever slices fit into packets,
 * and each picture, also a field picture, begins a packet. All packets of a
 * frame carry its presentation time, and the last one carries the marker. They
 * leave as one buffer list.
 *
 * Sequence, group and picture headers and their extensions are never cut, for
 * which a packet must hold 261 bytes of them (RFC 2250 section 3.1). With a
 * smaller #GstRTPBasePayload:mtu packets are longer than it says, and a warning
 * message reports this. RTP header extensions come on top of the MTU, as with
 * GStreamer's own payloaders.
 *
 * ## Time stamps
 *
 * A frame without a time stamp of its own, as in a file that was only parsed,
 * is stamped by its temporal reference, frame rate and repeated fields,
 * counting from the decoding time stamps where there are any. A first field
 * waits for its second one, for both have one time stamp and one marker; where
 * they come in buffers of their own, this is a latency of one field period,
 * reported once it has happened.
 *
 * ## The payload header
 *
 * In MPEG-2 AN is 1, and N is set where a picture's header differs from that of
 * the previous picture of its type, so that a receiver knows whether it can
 * rebuild a header that was lost. With #GstRtpMpegVideoPay:extension-header it
 * need not: section 3.4.1's extension, in each packet, has all of it, in 4
 * bytes more (8 with a composite display). Receivers that cannot skip it, as
 * they must, need it turned off.
 *
 * ## Sequence headers
 *
 * A receiver that joins late needs one. If the stream has them too seldom, the
 * one in force is repeated before an I picture, with its extensions and the
 * quantiser matrices in force, see #GstRtpMpegVideoPay:sequence-interval; in
 * MPEG-1 only where a group of pictures begins. It outlives a flush. One that
 * the caps have as codec_data, and the stream has not, goes with the first
 * picture.
 *
 * Data that cannot be parsed as pictures is sent as well, with a payload header
 * that says no more than is certain.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 filesrc location=tests/files/walk-720x480p30-4M.m2v ! mpegvideoparse ! rtpmpegvideopay ! udpsink host=127.0.0.1 port=5004
 * ]| Sends a file; receive it with
 * |[
 * gst-launch-1.0 udpsrc port=5004 caps="application/x-rtp,media=video,encoding-name=MPV,clock-rate=90000,payload=32" ! rtpjitterbuffer ! rtpmpegvideodepay ! mpegvideoparse ! mpeg2dec ! autovideosink
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpmpegvideopay.h"

#include "packetizer.h"

GST_DEBUG_CATEGORY_STATIC (gst_rtp_mpeg_video_pay_debug);
#define GST_CAT_DEFAULT gst_rtp_mpeg_video_pay_debug

/* Defaults of the properties of these names. */
#define DEFAULT_SEQUENCE_INTERVAL GST_SECOND
#define DEFAULT_EXTENSION_HEADER TRUE

/* ns, added to each time. The base class rounds running times down to ticks of
 * 90 kHz, and times that were converted from ticks to whole nanoseconds are
 * mostly just below a tick. With half a tick more it finds the nearest one,
 * whatever the segment. */
#define HALF_TICK (GST_SECOND / 90000 / 2)

/* number of headers kept for the picture that they precede, which begins
 * another buffer; a stream needs one */
#define MAX_AHEAD 4

enum
{
  PROP_0,
  PROP_SEQUENCE_INTERVAL,
  PROP_EXTENSION_HEADER,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

typedef struct
{
  GstBuffer *buffer;
  M2vPicture span;
} Ahead;

struct _GstRtpMpegVideoPay
{
  GstRTPBasePayload parent;

  /* The object lock protects these. */
  guint64 sequence_interval;
  gboolean extension_header;
  GstClockTime latency;         /* ns that a first field waits, 0 = none did */

  /* Only the streaming thread uses these. */
  gboolean begun;               /* the stream's caps have come */
  M2vSplitter splitter;
  M2vAssembler *assembler;
  RtpMpegPacketizer *packetizer;
  GstBuffer *waiting;           /* holds the first field that waits */
  Ahead ahead[MAX_AHEAD];
  guint n_ahead;
  GstClockTime time;            /* time of the last frame */
  guint warned_mtu;             /* bytes; MTU that a warning was posted for */
};

#define gst_rtp_mpeg_video_pay_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRtpMpegVideoPay, gst_rtp_mpeg_video_pay,
    GST_TYPE_RTP_BASE_PAYLOAD,
    GST_DEBUG_CATEGORY_INIT (gst_rtp_mpeg_video_pay_debug, "rtpmpegvideopay",
        0, "RTP payloader for MPEG-1 and MPEG-2 video"));
/* The rank is below that of rtpmpvpay, so that this element is chosen by itself
 * for MPEG-1 only. */
GST_ELEMENT_REGISTER_DEFINE (rtpmpegvideopay, "rtpmpegvideopay",
    GST_RANK_MARGINAL, GST_TYPE_RTP_MPEG_VIDEO_PAY);

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK,
    GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/mpeg, mpegversion=(int)[1,2], "
        "systemstream=(boolean)false, parsed=(boolean)true"));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC,
    GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp, media=(string)video, "
        "payload=(int)" GST_RTP_PAYLOAD_MPV_STRING ", clock-rate=(int)90000, "
        "encoding-name=(string)MPV; "
        "application/x-rtp, media=(string)video, "
        "payload=(int)" GST_RTP_PAYLOAD_DYNAMIC_STRING
        ", clock-rate=(int)90000, encoding-name=(string)MPV"));

static GstClockTime
to_clock_time (gint64 time)
{
  if (time == M2V_TIME_NONE)
    return GST_CLOCK_TIME_NONE;
  return MAX (time, 0);
}

static gint64
from_clock_time (GstClockTime time)
{
  return time > G_MAXINT64 ? M2V_TIME_NONE : (gint64) time;
}

static gint64
begin_of (const GstSegment * segment)
{
  return segment->format == GST_FORMAT_TIME ?
      from_clock_time (segment->start) : 0;
}

/* Forgets the headers and fields that wait. */
static void
gst_rtp_mpeg_video_pay_flush (GstRtpMpegVideoPay * self)
{
  m2v_splitter_flush (&self->splitter);
  m2v_assembler_reset (self->assembler,
      begin_of (&GST_RTP_BASE_PAYLOAD (self)->segment));
  rtp_mpeg_packetizer_flush (self->packetizer);
  gst_clear_buffer (&self->waiting);
  while (self->n_ahead > 0)
    gst_clear_buffer (&self->ahead[--self->n_ahead].buffer);
  self->time = GST_CLOCK_TIME_NONE;
}

/* Forgets the sequence header too, because another stream comes. */
static void
gst_rtp_mpeg_video_pay_reset (GstRtpMpegVideoPay * self)
{
  gst_rtp_mpeg_video_pay_flush (self);
  self->begun = FALSE;
  m2v_splitter_init (&self->splitter);
  rtp_mpeg_packetizer_reset (self->packetizer);
}

/* Copies metadata that does not describe memory, format or the like, as
 * GStreamer's video payloaders do. */
static gboolean
copy_meta (GstBuffer * from, GstMeta ** meta, gpointer to)
{
  const GstMetaInfo *info = (*meta)->info;
  const gchar *const *tags = gst_meta_api_type_get_tags (info->api);
  GstMetaTransformCopy copy = { FALSE, 0, -1 };

  if (info->transform_func && (tags == NULL || tags[0] == NULL
          || (g_str_equal (tags[0], "video") && tags[1] == NULL)))
    info->transform_func (to, *meta, from, _gst_meta_transform_copy, &copy);
  return TRUE;
}

static void
write_start (guint8 * out, const RtpMpegPacket * packet)
{
  memcpy (out, packet->header, packet->header_size);
  if (packet->prefix_size > 0)
    memcpy (out + packet->header_size, packet->prefix, packet->prefix_size);
}

/* Puts RTP header, payload header and prefix into one memory. The base class
 * fills in the RTP header, except version and marker (RFC 3550 section 5.1). */
static GstBuffer *
new_packet (const RtpMpegPacket * packet, gboolean marker)
{
  const gsize fixed = gst_rtp_buffer_calc_header_len (0);
  gsize size = packet->header_size + packet->prefix_size;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, fixed + size, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data, 0, fixed);
  map.data[0] = GST_RTP_VERSION << 6;
  map.data[1] = marker ? 0x80 : 0;
  write_start (map.data + fixed, packet);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Returns a packet with room for the CSRCs that the input may have; it has one
 * memory more. */
static GstBuffer *
new_packet_with_sources (GstRTPBasePayload * base, const RtpMpegPacket * packet,
    gboolean marker)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *buffer = gst_rtp_base_payload_allocate_output_buffer (base,
      packet->header_size + packet->prefix_size, 0, 0);

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_marker (&rtp, marker);
  write_start (gst_rtp_buffer_get_payload (&rtp), packet);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

/* Makes a packet. It shares the payload's bytes with the input. */
static GstBuffer *
make_packet (GstRtpMpegVideoPay * self, const RtpMpegPacket * packet,
    GstBuffer * input, gsize span_begin, gboolean marker)
{
  GstRTPBasePayload *base = GST_RTP_BASE_PAYLOAD (self);
  GstBuffer *buffer;

  if (gst_rtp_base_payload_is_source_info_enabled (base))
    buffer = new_packet_with_sources (base, packet, marker);
  else
    buffer = new_packet (packet, marker);
  if (marker)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_MARKER);
  if (packet->range.size > 0)
    gst_buffer_copy_into (buffer, input, GST_BUFFER_COPY_MEMORY,
        span_begin + packet->range.offset, packet->range.size);
  gst_buffer_foreach_meta (input, copy_meta, buffer);
  return buffer;
}

/* Adds the frame's packets, all with one time; the last one has the marker if
 * `ends` is set. */
static void
add_packets (GstRtpMpegVideoPay * self, GstBufferList * list,
    const M2vFrame * frame, GstBuffer * const buffers[2], gboolean ends)
{
  GstMapInfo maps[2];
  const uint8_t *data[2] = { NULL, NULL };
  RtpMpegPacket packet;
  guint i, n_mapped = 0;

  for (i = 0; i < frame->n_pictures; i++) {
    if (!gst_buffer_map (buffers[i], &maps[i], GST_MAP_READ)) {
      GST_WARNING_OBJECT (self, "lost a picture: its memory cannot be mapped");
      goto out;
    }
    n_mapped++;
    data[i] = maps[i].data + frame->pictures[i].begin;
  }
  rtp_mpeg_packetizer_begin (self->packetizer, frame, data);
  while (rtp_mpeg_packetizer_next (self->packetizer, &packet)) {
    GstBuffer *input = buffers[packet.picture];
    GstBuffer *buffer = make_packet (self, &packet, input,
        frame->pictures[packet.picture].begin, packet.marker && ends);

    GST_BUFFER_PTS (buffer) = self->time;
    GST_BUFFER_DTS (buffer) = to_clock_time (frame->dts);
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    gst_buffer_list_add (list, buffer);
  }

out:
  for (i = 0; i < n_mapped; i++)
    gst_buffer_unmap (buffers[i], &maps[i]);
}

/* Makes a frame of bytes about which nothing is known. */
static void
init_unread_frame (M2vFrame * frame, const M2vPicture * span,
    const M2vStamp * stamp)
{
  memset (frame, 0, sizeof *frame);
  frame->n_pictures = 1;
  frame->pictures[0] = *span;
  frame->pts = stamp->pts;
  frame->dts = stamp->dts;
  frame->discont = stamp->discont;
}

static void
add_ahead (GstRtpMpegVideoPay * self, GstBufferList * list,
    const M2vFrame * frame)
{
  M2vStamp stamp = { frame->pts, frame->dts, FALSE };
  M2vFrame headers;
  guint i;

  for (i = 0; i < self->n_ahead; i++) {
    GstBuffer *buffers[2] = { self->ahead[i].buffer, NULL };

    init_unread_frame (&headers, &self->ahead[i].span, &stamp);
    headers.type = frame->type;
    headers.temporal_reference = frame->temporal_reference;
    add_packets (self, list, &headers, buffers, FALSE);
    gst_clear_buffer (&self->ahead[i].buffer);
  }
  self->n_ahead = 0;
}

/* Returns the bytes that an RTP header leaves for the payload, with the CSRCs
 * that the base class adds. */
static gsize
get_max_payload (GstRtpMpegVideoPay * self, GstBuffer * buffer)
{
  GstRTPBasePayload *base = GST_RTP_BASE_PAYLOAD (self);
  guint mtu = GST_RTP_BASE_PAYLOAD_MTU (base);
  guint header_size = gst_rtp_buffer_calc_header_len
      (gst_rtp_base_payload_get_source_count (base, buffer));
  guint needed = header_size + RTP_MPEG_HEADER_MAX_SIZE + RTP_MPEG_MIN_PAYLOAD;

  if (mtu < needed && self->warned_mtu != mtu) {
    self->warned_mtu = mtu;
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("Packets may become longer than the mtu of %u bytes; an mtu of %u or "
            "more holds every MPEG header.", mtu, needed), (NULL));
  }
  return mtu > header_size ? mtu - header_size : 0;
}

static void
configure_packetizer (GstRtpMpegVideoPay * self, GstBuffer * buffer)
{
  RtpMpegPacketizerSettings settings;

  settings.max_payload = get_max_payload (self, buffer);
  GST_OBJECT_LOCK (self);
  settings.extension_header = self->extension_header;
  settings.sequence_interval = from_clock_time (self->sequence_interval);
  GST_OBJECT_UNLOCK (self);
  rtp_mpeg_packetizer_set (self->packetizer, &settings);
}

/* Pushes a frame as one list. All packets are delta units, except the first one
 * of a frame with which decoding may begin. */
static GstFlowReturn
push_frame (GstRtpMpegVideoPay * self, const M2vFrame * frame,
    GstBuffer * const buffers[2])
{
  GstBufferList *list = gst_buffer_list_new ();
  gboolean key;

  if (frame->pts != M2V_TIME_NONE)
    self->time = to_clock_time (frame->pts) + HALF_TICK;
  configure_packetizer (self, buffers[0]);
  add_ahead (self, list, frame);
  add_packets (self, list, frame, buffers, TRUE);
  if (gst_buffer_list_length (list) == 0) {
    gst_buffer_list_unref (list);
    return GST_FLOW_OK;
  }

  if (frame->valid)
    key = frame->type == M2V_PICTURE_I;
  else
    key = !GST_BUFFER_FLAG_IS_SET (buffers[0], GST_BUFFER_FLAG_DELTA_UNIT);
  if (key)
    GST_BUFFER_FLAG_UNSET (gst_buffer_list_get_writable (list, 0),
        GST_BUFFER_FLAG_DELTA_UNIT);
  if (frame->discont)
    GST_BUFFER_FLAG_SET (gst_buffer_list_get_writable (list, 0),
        GST_BUFFER_FLAG_DISCONT);
  GST_LOG_OBJECT (self, "%s frame of %" G_GSIZE_FORMAT " bytes, pts %"
      GST_TIME_FORMAT ": %u packets", frame->valid ? "read" : "unread",
      frame->size, GST_TIME_ARGS (self->time), gst_buffer_list_length (list));
  return gst_rtp_base_payload_push_list (GST_RTP_BASE_PAYLOAD (self), list);
}

/* Pushes `frame`, a first field without its second one. */
static GstFlowReturn
push_waiting (GstRtpMpegVideoPay * self, const M2vFrame * frame)
{
  GstBuffer *buffers[2] = { g_steal_pointer (&self->waiting), NULL };
  GstFlowReturn ret;

  GST_DEBUG_OBJECT (self, "a field without its second one");
  ret = push_frame (self, frame, buffers);
  gst_buffer_unref (buffers[0]);
  return ret;
}

static GstFlowReturn
end_waiting (GstRtpMpegVideoPay * self)
{
  M2vFrame frame;

  if (!m2v_assembler_finish (self->assembler, &frame))
    return GST_FLOW_OK;
  return push_waiting (self, &frame);
}

static GstFlowReturn
push_unread (GstRtpMpegVideoPay * self, GstBuffer * buffer,
    const M2vPicture * span, const M2vStamp * stamp)
{
  GstBuffer *buffers[2] = { buffer, NULL };
  M2vFrame frame;

  init_unread_frame (&frame, span, stamp);
  frame.size = span->size;
  return push_frame (self, &frame, buffers);
}

/* Pushes everything that waits. */
static GstFlowReturn
gst_rtp_mpeg_video_pay_drain (GstRtpMpegVideoPay * self)
{
  M2vStamp stamp = { M2V_TIME_NONE, M2V_TIME_NONE, FALSE };
  GstFlowReturn ret = end_waiting (self);
  Ahead last;

  if (self->n_ahead == 0)
    return ret;
  last = self->ahead[--self->n_ahead];
  self->ahead[self->n_ahead].buffer = NULL;
  ret = push_unread (self, last.buffer, &last.span, &stamp);
  gst_buffer_unref (last.buffer);
  return ret;
}

static GstFlowReturn
handle_picture (GstRtpMpegVideoPay * self, GstBuffer * buffer,
    const M2vPicture * picture, const M2vStamp * stamp)
{
  GstBuffer *buffers[2] = { buffer, buffer };
  GstFlowReturn ret = GST_FLOW_OK;
  M2vFrame before, frame;
  guint result;

  result = m2v_assembler_push (self->assembler, &self->splitter, picture,
      stamp, &before, &frame);
  if (result & M2V_ASSEMBLED_UNPAIRED)
    ret = push_waiting (self, &before);
  if (result & M2V_ASSEMBLED_FRAME) {
    GstBuffer *first = g_steal_pointer (&self->waiting);

    if (first)
      buffers[0] = first;
    if (ret == GST_FLOW_OK)
      ret = push_frame (self, &frame, buffers);
    gst_clear_buffer (&first);
  } else {
    gst_buffer_replace (&self->waiting, buffer);
  }
  return ret;
}

/* Keeps headers for the picture that follows, so that they get its time. */
static GstFlowReturn
handle_headers (GstRtpMpegVideoPay * self, GstBuffer * buffer,
    const M2vPicture * span)
{
  GstFlowReturn ret = end_waiting (self);

  if (ret == GST_FLOW_OK && self->n_ahead == MAX_AHEAD)
    ret = gst_rtp_mpeg_video_pay_drain (self);
  if (ret == GST_FLOW_OK) {
    self->ahead[self->n_ahead].buffer = gst_buffer_ref (buffer);
    self->ahead[self->n_ahead].span = *span;
    self->n_ahead++;
  }
  return ret;
}

/* Handles one span of a buffer. The buffer's time stamps are those of its first
 * picture. */
static GstFlowReturn
handle_span (GstRtpMpegVideoPay * self, GstBuffer * buffer,
    const M2vPicture * span, M2vStamp * stamp)
{
  M2vStamp now = *stamp;
  GstFlowReturn ret;

  switch (span->kind) {
    case M2V_SPAN_PICTURE:
      stamp->pts = stamp->dts = M2V_TIME_NONE;
      stamp->discont = false;
      return handle_picture (self, buffer, span, &now);
    case M2V_SPAN_HEADERS:
      return handle_headers (self, buffer, span);
    default:
      GST_DEBUG_OBJECT (self, "%" G_GSIZE_FORMAT " bytes that are no picture",
          span->size);
      ret = end_waiting (self);
      if (ret == GST_FLOW_OK)
        ret = push_unread (self, buffer, span, &now);
      return ret;
  }
}

static gboolean
set_latency (GstRtpMpegVideoPay * self, GstClockTime latency)
{
  gboolean is_other;

  GST_OBJECT_LOCK (self);
  is_other = latency != self->latency;
  self->latency = latency;
  GST_OBJECT_UNLOCK (self);
  return is_other;
}

/* Reports the latency of a first field: the second field comes in another
 * buffer, and the first one waits for it. */
static void
note_wait (GstRtpMpegVideoPay * self)
{
  GstClockTime latency;

  if (!self->splitter.has_sequence)
    return;
  latency = m2v_fields_time (&self->splitter.sequence, 1) + 1;
  if (set_latency (self, latency))
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
}

static gboolean
gst_rtp_mpeg_video_pay_src_query (GstPad * pad, GstObject * parent,
    GstQuery * query)
{
  GstRtpMpegVideoPay *self = GST_RTP_MPEG_VIDEO_PAY (parent);
  GstClockTime min, max, own;
  gboolean live;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  if (!gst_pad_peer_query (GST_RTP_BASE_PAYLOAD_SINKPAD (self), query))
    return FALSE;
  GST_OBJECT_LOCK (self);
  own = self->latency;
  GST_OBJECT_UNLOCK (self);
  gst_query_parse_latency (query, &live, &min, &max);
  min += own;
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += own;
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

static GstFlowReturn
gst_rtp_mpeg_video_pay_handle_buffer (GstRTPBasePayload * base,
    GstBuffer * buffer)
{
  GstRtpMpegVideoPay *self = GST_RTP_MPEG_VIDEO_PAY (base);
  M2vStamp stamp = {
    from_clock_time (GST_BUFFER_PTS (buffer)),
    from_clock_time (GST_BUFFER_DTS (buffer)),
    GST_BUFFER_IS_DISCONT (buffer)
  };
  GstFlowReturn ret = GST_FLOW_OK;
  M2vPicture span;
  GstMapInfo map;
  size_t position = 0;

  /* The memories are merged once, rather than at each mapping. */
  if (gst_buffer_n_memory (buffer) > 1) {
    buffer = gst_buffer_make_writable (buffer);
    gst_buffer_replace_all_memory (buffer, gst_buffer_get_all_memory (buffer));
  }
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    gst_buffer_unref (buffer);
    GST_ELEMENT_ERROR (self, RESOURCE, READ,
        ("A buffer's memory cannot be mapped for reading."), (NULL));
    return GST_FLOW_ERROR;
  }
  while (ret == GST_FLOW_OK && m2v_splitter_next (&self->splitter, map.data,
          map.size, &position, &span))
    ret = handle_span (self, buffer, &span, &stamp);
  if (self->waiting)
    note_wait (self);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  return ret;
}

/* Reads a sequence header from the caps. Receivers have no other way to a
 * sequence header that is not in the stream. */
static void
read_codec_data (GstRtpMpegVideoPay * self, const GstStructure * structure)
{
  GstBuffer *buffer = NULL;
  M2vPicture span;
  GstMapInfo map;
  size_t position = 0;

  gst_structure_get (structure, "codec_data", GST_TYPE_BUFFER, &buffer, NULL);
  if (buffer && gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    while (m2v_splitter_next (&self->splitter, map.data, map.size, &position,
            &span))
      rtp_mpeg_packetizer_learn_sequence (self->packetizer, &span,
          map.data + span.begin);
    m2v_splitter_flush (&self->splitter);
    gst_buffer_unmap (buffer, &map);
  }
  gst_clear_buffer (&buffer);
}

/* True if the caps are of the same stream: they also change for lesser reasons
 * than another stream. */
static gboolean
is_same_stream (const GstCaps * before, const GstCaps * caps)
{
  static const gchar *const fields[] = { "mpegversion", "width", "height" };
  const GstStructure *a = gst_caps_get_structure (before, 0);
  const GstStructure *b = gst_caps_get_structure (caps, 0);

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    gint was = 0, is = 0;

    gst_structure_get_int (a, fields[i], &was);
    gst_structure_get_int (b, fields[i], &is);
    if (was != is)
      return FALSE;
  }
  return TRUE;
}

static gboolean
gst_rtp_mpeg_video_pay_set_caps (GstRTPBasePayload * base, GstCaps * caps)
{
  GstRtpMpegVideoPay *self = GST_RTP_MPEG_VIDEO_PAY (base);
  GstCaps *before = gst_pad_get_current_caps (base->sinkpad);

  if (!self->begun || !before || !is_same_stream (before, caps)) {
    gst_rtp_mpeg_video_pay_drain (self);
    gst_rtp_mpeg_video_pay_reset (self);
    self->begun = TRUE;
    read_codec_data (self, gst_caps_get_structure (caps, 0));
  }
  gst_clear_caps (&before);
  gst_rtp_base_payload_set_options (base, "video",
      base->pt != GST_RTP_PAYLOAD_MPV, "MPV", RTP_MPEG_CLOCK_RATE);
  return gst_rtp_base_payload_set_outcaps (base, NULL);
}

static gboolean
gst_rtp_mpeg_video_pay_sink_event (GstRTPBasePayload * base, GstEvent * event)
{
  GstRtpMpegVideoPay *self = GST_RTP_MPEG_VIDEO_PAY (base);
  const GstSegment *segment;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      gst_rtp_mpeg_video_pay_drain (self);
      gst_rtp_mpeg_video_pay_reset (self);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      if (gst_segment_is_equal (segment, &base->segment))
        break;
      gst_rtp_mpeg_video_pay_drain (self);
      m2v_assembler_reset (self->assembler, begin_of (segment));
      break;
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
      gst_rtp_mpeg_video_pay_drain (self);
      break;
    case GST_EVENT_FLUSH_STOP:
      gst_rtp_mpeg_video_pay_flush (self);
      break;
    default:
      break;
  }
  return GST_RTP_BASE_PAYLOAD_CLASS (parent_class)->sink_event (base, event);
}

static GstStateChangeReturn
gst_rtp_mpeg_video_pay_change_state (GstElement * element,
    GstStateChange transition)
{
  GstRtpMpegVideoPay *self = GST_RTP_MPEG_VIDEO_PAY (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    gst_rtp_mpeg_video_pay_reset (self);
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    gst_rtp_mpeg_video_pay_reset (self);
    set_latency (self, 0);
  }
  return ret;
}

static void
gst_rtp_mpeg_video_pay_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstRtpMpegVideoPay *self = GST_RTP_MPEG_VIDEO_PAY (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_SEQUENCE_INTERVAL:
      self->sequence_interval = g_value_get_uint64 (value);
      break;
    case PROP_EXTENSION_HEADER:
      self->extension_header = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_rtp_mpeg_video_pay_get_property (GObject * object, guint id,
    GValue * value, GParamSpec * pspec)
{
  GstRtpMpegVideoPay *self = GST_RTP_MPEG_VIDEO_PAY (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_SEQUENCE_INTERVAL:
      g_value_set_uint64 (value, self->sequence_interval);
      break;
    case PROP_EXTENSION_HEADER:
      g_value_set_boolean (value, self->extension_header);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_rtp_mpeg_video_pay_finalize (GObject * object)
{
  GstRtpMpegVideoPay *self = GST_RTP_MPEG_VIDEO_PAY (object);

  gst_rtp_mpeg_video_pay_reset (self);
  m2v_assembler_free (self->assembler);
  rtp_mpeg_packetizer_free (self->packetizer);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_properties (GObjectClass * klass)
{
  /**
   * GstRtpMpegVideoPay:sequence-interval:
   *
   * Time between two sequence headers after which the one in force is repeated
   * before the next I picture, in nanoseconds; 0: before each, -1: never.
   */
  properties[PROP_SEQUENCE_INTERVAL] =
      g_param_spec_uint64 ("sequence-interval", "Sequence interval",
      "Time in ns without a sequence header after which it is repeated before "
      "the next I picture (0 = before each, -1 = never)", 0, G_MAXUINT64,
      DEFAULT_SEQUENCE_INTERVAL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_PLAYING);

  /**
   * GstRtpMpegVideoPay:extension-header:
   *
   * Whether packets of MPEG-2 have the header of RFC 2250 section 3.4.1, from
   * which a receiver can rebuild a picture header that was lost. Without it
   * that is possible only if the header was like the last one of its type,
   * which is rare in B pictures, fields and pulldown.
   */
  properties[PROP_EXTENSION_HEADER] =
      g_param_spec_boolean ("extension-header", "Extension header",
      "Write RFC 2250's MPEG-2 header extension into each packet",
      DEFAULT_EXTENSION_HEADER, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_PLAYING);

  g_object_class_install_properties (klass, N_PROPERTIES, properties);
}

static void
gst_rtp_mpeg_video_pay_class_init (GstRtpMpegVideoPayClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstRTPBasePayloadClass *base_class = GST_RTP_BASE_PAYLOAD_CLASS (klass);

  object_class->set_property = gst_rtp_mpeg_video_pay_set_property;
  object_class->get_property = gst_rtp_mpeg_video_pay_get_property;
  object_class->finalize = gst_rtp_mpeg_video_pay_finalize;
  install_properties (object_class);

  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_rtp_mpeg_video_pay_change_state);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "RTP MPEG video payloader", "Codec/Payloader/Network/RTP",
      "Puts MPEG-1 and MPEG-2 video into RTP packets (RFC 2250)",
      "The gst-psp authors");

  base_class->set_caps = GST_DEBUG_FUNCPTR (gst_rtp_mpeg_video_pay_set_caps);
  base_class->handle_buffer =
      GST_DEBUG_FUNCPTR (gst_rtp_mpeg_video_pay_handle_buffer);
  base_class->sink_event =
      GST_DEBUG_FUNCPTR (gst_rtp_mpeg_video_pay_sink_event);
}

static void
gst_rtp_mpeg_video_pay_init (GstRtpMpegVideoPay * self)
{
  GstRTPBasePayload *base = GST_RTP_BASE_PAYLOAD (self);

  base->clock_rate = RTP_MPEG_CLOCK_RATE;
  GST_RTP_BASE_PAYLOAD_PT (base) = GST_RTP_PAYLOAD_MPV;
  self->sequence_interval = DEFAULT_SEQUENCE_INTERVAL;
  self->extension_header = DEFAULT_EXTENSION_HEADER;
  self->assembler = m2v_assembler_new ();
  self->packetizer = rtp_mpeg_packetizer_new ();
  if (self->assembler == NULL || self->packetizer == NULL)
    g_error ("%s: out of memory", GST_OBJECT_NAME (self));
  self->time = GST_CLOCK_TIME_NONE;
  m2v_splitter_init (&self->splitter);
  gst_pad_set_query_function (GST_RTP_BASE_PAYLOAD_SRCPAD (self),
      GST_DEBUG_FUNCPTR (gst_rtp_mpeg_video_pay_src_query));
}
