/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * SECTION:element-rtpmpegvideodepay
 * @title: rtpmpegvideodepay
 * @short_description: takes MPEG-1 and MPEG-2 video out of RTP packets (RFC 2250)
 * @see_also: rtpmpegvideopay, rtpjitterbuffer, mpegvideoparse
 *
 * Puts RTP packets together to one buffer a frame, which has the one or two
 * pictures that share a time stamp. It needs packets in order: put an
 * #rtpjitterbuffer before it.
 *
 * ## Losses
 *
 * If a frame lost packets, its undamaged slices are delivered, and of a damaged
 * slice the beginning that is intact, so that a decoder has as little as
 * possible to conceal. Data that lost its beginning is left out. So are the
 * slices of a picture whose header was lost, because decoders would take them
 * for slices of the picture before. If the payload header (of MPEG-2 with AN=1
 * and N=0, or with section 3.4.1's extension) says what was in it, the picture
 * header is written anew, and the slices are delivered. Senders that leave the
 * payload header zero and cut slices anywhere are read by their start codes.
 *
 * Buffers are marked:
 *
 * * #GST_BUFFER_FLAG_CORRUPTED: the frame lacks something. Decoders take it
 *   nevertheless and conceal what is missing; an application may drop it.
 * * #GST_BUFFER_FLAG_DISCONT: frames before it may be missing, or the base
 *   class saw packets missing.
 * * #GST_BUFFER_FLAG_DELTA_UNIT: the frame is no I frame.
 * * #GST_BUFFER_FLAG_MARKER: the frame's end is known.
 *
 * A lost packet is no gap in the video. The `GstRTPPacketLost` events of the
 * jitter buffer go no further, because a gap makes decoders drain and forget
 * their references.
 *
 * ## Where it begins
 *
 * Nothing is delivered before the first sequence header, without which no
 * decoder can begin. So joining a stream takes until its sender repeats one.
 * The decoder has to leave out pictures that refer to others before that,
 * because it knows which ones it can show.
 *
 * ## Caps
 *
 * `mpegversion` is 1 or 2 by what the stream is. They say nothing of `parsed`:
 * a frame is one buffer with each sender that sets markers or time stamps by
 * frames, but some do not. Decoders take them as they are; elements that need
 * parsed video, such as #mpegscaler or muxers, come after #mpegvideoparse.
 *
 * ## Statistics
 *
 * #GstRtpMpegVideoDepay:reassembly-stats is a structure
 * `application/x-rtp-mpeg-video-depay-stats` of #guint64 fields: `packets`,
 * `lost` (by sequence numbers), `malformed`, `left-out` (packets of which
 * nothing could be used), `frames`, `damaged-frames` (of these) and
 * `rebuilt-headers`.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 udpsrc port=5004 caps="application/x-rtp,media=video,encoding-name=MPV,clock-rate=90000,payload=32" ! rtpjitterbuffer ! rtpmpegvideodepay ! mpegvideoparse ! mpeg2dec ! autovideosink
 * ]| Receives and shows MPEG-1 or MPEG-2 video.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpmpegvideodepay.h"

#include "reassembler.h"

GST_DEBUG_CATEGORY_STATIC (gst_rtp_mpeg_video_depay_debug);
#define GST_CAT_DEFAULT gst_rtp_mpeg_video_depay_debug


/* number of memories that a buffer takes without merging them (gstbuffer.c) */
#define MAX_MEMORIES 16

enum
{
  PROP_0,
  PROP_REASSEMBLY_STATS,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

struct _GstRtpMpegVideoDepay
{
  GstRTPBaseDepayload parent;

  /* The object lock protects this. */
  RtpMpegReassemblerStats stats;

  /* Only the streaming thread uses these. */
  RtpMpegReassembler *reassembler;
  GQueue kept;                  /* of GstBuffer: parts of payloads */
  gsize kept_size;
  GstClockTime pts, dts;        /* of the frame that is being kept */
  gboolean has_ssrc;
  guint32 ssrc;
  gint mpegversion;             /* in the caps; 0: none set */
};

#define gst_rtp_mpeg_video_depay_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRtpMpegVideoDepay, gst_rtp_mpeg_video_depay,
    GST_TYPE_RTP_BASE_DEPAYLOAD,
    GST_DEBUG_CATEGORY_INIT (gst_rtp_mpeg_video_depay_debug,
        "rtpmpegvideodepay", 0, "RTP depayloader for MPEG-1 and MPEG-2 video"));
/* The rank is below that of rtpmpvdepay, so that this element is chosen only by
 * name. */
GST_ELEMENT_REGISTER_DEFINE (rtpmpegvideodepay, "rtpmpegvideodepay",
    GST_RANK_MARGINAL, GST_TYPE_RTP_MPEG_VIDEO_DEPAY);

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK,
    GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp, media=(string)video, "
        "clock-rate=(int)90000, encoding-name=(string)MPV; "
        "application/x-rtp, media=(string)video, "
        "payload=(int)" GST_RTP_PAYLOAD_MPV_STRING ", clock-rate=(int)90000"));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC,
    GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/mpeg, mpegversion=(int)[1,2], "
        "systemstream=(boolean)false"));

static void
append (GstRtpMpegVideoDepay * self, GstBuffer * buffer)
{
  self->kept_size += gst_buffer_get_size (buffer);
  g_queue_push_tail (&self->kept, buffer);
}

static void
cut (GstRtpMpegVideoDepay * self, gsize size)
{
  g_assert (size <= self->kept_size);
  self->kept_size -= size;
  while (size > 0) {
    GstBuffer *last = g_queue_peek_tail (&self->kept);
    gsize last_size = gst_buffer_get_size (last);

    if (last_size > size) {
      gst_buffer_set_size (last, last_size - size);
      return;
    }
    gst_buffer_unref (g_queue_pop_tail (&self->kept));
    size -= last_size;
  }
}

static GstBuffer *
new_zeros (gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, 0, size);
  return buffer;
}

static void
forget_kept (GstRtpMpegVideoDepay * self)
{
  cut (self, self->kept_size);
  self->pts = GST_CLOCK_TIME_NONE;
  self->dts = GST_CLOCK_TIME_NONE;
}

/* Copies the time when the frame was captured. A jitter buffer that knows it
 * adds it to each packet. */
static void
copy_reference_times (GstBuffer * frame, GstBuffer * part)
{
  GstMeta *meta;
  gpointer state = NULL;

  while ((meta = gst_buffer_iterate_meta_filtered (part, &state,
              GST_REFERENCE_TIMESTAMP_META_API_TYPE))) {
    GstReferenceTimestampMeta *time = (GstReferenceTimestampMeta *) meta;

    if (!gst_buffer_get_reference_timestamp_meta (frame, time->reference))
      gst_buffer_add_reference_timestamp_meta (frame, time->reference,
          time->timestamp, time->duration);
  }
}

/* Returns the kept data as one buffer, with the same memories if they fit into
 * one buffer, otherwise copied once. */
static GstBuffer *
take_kept (GstRtpMpegVideoDepay * self)
{
  gboolean fits = self->kept.length <= MAX_MEMORIES;
  gsize offset = 0;
  GstBuffer *frame, *part;
  GstMapInfo map, part_map;

  if (fits)
    frame = gst_buffer_new ();
  else
    frame = gst_buffer_new_allocate (NULL, self->kept_size, NULL);
  if (!fits)
    gst_buffer_map (frame, &map, GST_MAP_WRITE);
  while ((part = g_queue_pop_head (&self->kept))) {
    copy_reference_times (frame, part);
    if (fits) {
      frame = gst_buffer_append (frame, part);
      continue;
    }
    if (gst_buffer_map (part, &part_map, GST_MAP_READ)) {
      memcpy (map.data + offset, part_map.data, part_map.size);
      offset += part_map.size;
      gst_buffer_unmap (part, &part_map);
    }
    gst_buffer_unref (part);
  }
  if (!fits)
    gst_buffer_unmap (frame, &map);
  self->kept_size = 0;
  return frame;
}

static void
set_src_caps (GstRtpMpegVideoDepay * self)
{
  const M2vSequence *sequence =
      rtp_mpeg_reassembler_sequence (self->reassembler);
  gint mpegversion = sequence && sequence->mpeg2 ? 2 : 1;
  GstCaps *caps;

  if (mpegversion == self->mpegversion)
    return;
  self->mpegversion = mpegversion;
  caps = gst_caps_new_simple ("video/mpeg",
      "mpegversion", G_TYPE_INT, mpegversion,
      "systemstream", G_TYPE_BOOLEAN, FALSE, NULL);
  gst_pad_set_caps (GST_RTP_BASE_DEPAYLOAD_SRCPAD (self), caps);
  gst_caps_unref (caps);
}

/* Cuts the kept data. Returns the frame if it is complete, otherwise NULL. */
static GstBuffer *
deliver (GstRtpMpegVideoDepay * self, const RtpMpegDelivery * delivery,
    gboolean ended)
{
  GstBuffer *frame;

  cut (self, delivery->cut);
  if (delivery->pad > 0)
    append (self, new_zeros (delivery->pad));
  if (!delivery->deliver)
    return NULL;
  set_src_caps (self);
  frame = take_kept (self);
  GST_BUFFER_PTS (frame) = self->pts;
  GST_BUFFER_DTS (frame) = self->dts;
  if (!delivery->intra)
    GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_DELTA_UNIT);
  if (delivery->damaged)
    GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_CORRUPTED);
  if (delivery->discont)
    GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_DISCONT);
  if (ended)
    GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_MARKER);
  GST_LOG_OBJECT (self, "frame of %" G_GSIZE_FORMAT " bytes, PTS %"
      GST_TIME_FORMAT "%s%s%s", gst_buffer_get_size (frame),
      GST_TIME_ARGS (self->pts), delivery->intra ? ", intra" : "",
      delivery->damaged ? ", damaged" : "",
      delivery->discont ? ", after a loss" : "");
  return frame;
}

static void
publish_stats (GstRtpMpegVideoDepay * self)
{
  GST_OBJECT_LOCK (self);
  rtp_mpeg_reassembler_stats (self->reassembler, &self->stats);
  GST_OBJECT_UNLOCK (self);
}

static void
keep (GstRtpMpegVideoDepay * self, GstRTPBuffer * rtp,
    const RtpMpegReassembly * out)
{
  if (out->begins) {
    self->pts = GST_BUFFER_PTS (rtp->buffer);
    self->dts = GST_BUFFER_DTS (rtp->buffer);
  }
  if (out->rebuilt.size > 0)
    append (self, gst_buffer_new_memdup (out->rebuilt.literal,
            out->rebuilt.size));
  if (out->keep.size > 0)
    append (self, gst_rtp_buffer_get_payload_subbuffer (rtp, out->keep.offset,
            out->keep.size));
}

static GstBuffer *
gst_rtp_mpeg_video_depay_process_rtp_packet (GstRTPBaseDepayload * depayload,
    GstRTPBuffer * rtp)
{
  GstRtpMpegVideoDepay *self = GST_RTP_MPEG_VIDEO_DEPAY (depayload);
  guint32 ssrc = gst_rtp_buffer_get_ssrc (rtp);
  RtpMpegArrival arrival = { 0 };
  RtpMpegReassembly out;
  GstBuffer *frame;

  arrival.payload = gst_rtp_buffer_get_payload (rtp);
  arrival.size = gst_rtp_buffer_get_payload_len (rtp);
  arrival.timestamp = gst_rtp_buffer_get_timestamp (rtp);
  arrival.seq = gst_rtp_buffer_get_seq (rtp);
  arrival.marker = gst_rtp_buffer_get_marker (rtp);
  arrival.discont = self->has_ssrc && ssrc != self->ssrc;
  self->has_ssrc = TRUE;
  self->ssrc = ssrc;

  rtp_mpeg_reassembler_push (self->reassembler, &arrival, &out);
  publish_stats (self);
  frame = deliver (self, &out.before, FALSE);
  if (frame)
    gst_rtp_base_depayload_push (depayload, frame);
  keep (self, rtp, &out);
  return deliver (self, &out.after, TRUE);
}

static void
finish (GstRtpMpegVideoDepay * self)
{
  RtpMpegDelivery delivery;
  GstBuffer *frame;

  rtp_mpeg_reassembler_finish (self->reassembler, &delivery);
  publish_stats (self);
  frame = deliver (self, &delivery, FALSE);
  if (frame)
    gst_rtp_base_depayload_push (GST_RTP_BASE_DEPAYLOAD (self), frame);
}

static gboolean
gst_rtp_mpeg_video_depay_handle_event (GstRTPBaseDepayload * depayload,
    GstEvent * event)
{
  GstRtpMpegVideoDepay *self = GST_RTP_MPEG_VIDEO_DEPAY (depayload);
  const GstSegment *segment;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      if (!gst_segment_is_equal (segment, &depayload->segment))
        finish (self);
      break;
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
      finish (self);
      break;
    case GST_EVENT_FLUSH_STOP:
      forget_kept (self);
      rtp_mpeg_reassembler_flush (self->reassembler);
      break;
    default:
      break;
  }
  return GST_RTP_BASE_DEPAYLOAD_CLASS (parent_class)->handle_event (depayload,
      event);
}

static gboolean
gst_rtp_mpeg_video_depay_packet_lost (GstRTPBaseDepayload * depayload,
    GstEvent * event)
{
  GST_LOG_OBJECT (depayload, "%" GST_PTR_FORMAT, event);
  return TRUE;
}

static gboolean
gst_rtp_mpeg_video_depay_set_caps (GstRTPBaseDepayload * depayload,
    GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gint clock_rate = RTP_MPEG_CLOCK_RATE;

  gst_structure_get_int (s, "clock-rate", &clock_rate);
  depayload->clock_rate = clock_rate;
  return TRUE;
}

static void
forget_all (GstRtpMpegVideoDepay * self)
{
  forget_kept (self);
  rtp_mpeg_reassembler_reset (self->reassembler);
  publish_stats (self);
  self->has_ssrc = FALSE;
  self->mpegversion = 0;
}

static GstStateChangeReturn
gst_rtp_mpeg_video_depay_change_state (GstElement * element,
    GstStateChange transition)
{
  GstRtpMpegVideoDepay *self = GST_RTP_MPEG_VIDEO_DEPAY (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    forget_all (self);
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    forget_kept (self);
  return ret;
}

static void
gst_rtp_mpeg_video_depay_get_property (GObject * object, guint prop_id,
    GValue * value, GParamSpec * pspec)
{
  GstRtpMpegVideoDepay *self = GST_RTP_MPEG_VIDEO_DEPAY (object);
  RtpMpegReassemblerStats stats;

  switch (prop_id) {
    case PROP_REASSEMBLY_STATS:
      GST_OBJECT_LOCK (self);
      stats = self->stats;
      GST_OBJECT_UNLOCK (self);
      g_value_take_boxed (value,
          gst_structure_new ("application/x-rtp-mpeg-video-depay-stats",
              "packets", G_TYPE_UINT64, stats.packets,
              "lost", G_TYPE_UINT64, stats.lost,
              "malformed", G_TYPE_UINT64, stats.malformed,
              "left-out", G_TYPE_UINT64, stats.left_out,
              "frames", G_TYPE_UINT64, stats.frames,
              "damaged-frames", G_TYPE_UINT64, stats.damaged_frames,
              "rebuilt-headers", G_TYPE_UINT64, stats.rebuilt_headers, NULL));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
      break;
  }
}

static void
gst_rtp_mpeg_video_depay_finalize (GObject * object)
{
  GstRtpMpegVideoDepay *self = GST_RTP_MPEG_VIDEO_DEPAY (object);

  forget_kept (self);
  rtp_mpeg_reassembler_free (self->reassembler);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rtp_mpeg_video_depay_class_init (GstRtpMpegVideoDepayClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstRTPBaseDepayloadClass *depayload_class =
      GST_RTP_BASE_DEPAYLOAD_CLASS (klass);

  object_class->get_property = gst_rtp_mpeg_video_depay_get_property;
  object_class->finalize = gst_rtp_mpeg_video_depay_finalize;

  /**
   * GstRtpMpegVideoDepay:reassembly-stats:
   *
   * What became of the packets, see above. The change from READY to PAUSED
   * sets all to 0.
   */
  properties[PROP_REASSEMBLY_STATS] = g_param_spec_boxed ("reassembly-stats",
      "Reassembly statistics", "What became of the packets",
      GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "RTP MPEG-1/2 video depayloader", "Codec/Depayloader/Network/RTP",
      "Extracts MPEG-1 and MPEG-2 video from RTP packets (RFC 2250), and of "
      "damaged pictures what is intact", "The gst-psp authors");
  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_rtp_mpeg_video_depay_change_state);

  depayload_class->set_caps =
      GST_DEBUG_FUNCPTR (gst_rtp_mpeg_video_depay_set_caps);
  depayload_class->process_rtp_packet =
      GST_DEBUG_FUNCPTR (gst_rtp_mpeg_video_depay_process_rtp_packet);
  depayload_class->handle_event =
      GST_DEBUG_FUNCPTR (gst_rtp_mpeg_video_depay_handle_event);
  depayload_class->packet_lost =
      GST_DEBUG_FUNCPTR (gst_rtp_mpeg_video_depay_packet_lost);
}

static void
gst_rtp_mpeg_video_depay_init (GstRtpMpegVideoDepay * self)
{
  self->reassembler = rtp_mpeg_reassembler_new ();
  g_queue_init (&self->kept);
  self->pts = GST_CLOCK_TIME_NONE;
  self->dts = GST_CLOCK_TIME_NONE;
}
