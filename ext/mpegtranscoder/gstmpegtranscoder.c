/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * SECTION:element-mpegtranscoder
 * @title: mpegtranscoder
 * @short_description: decodes MPEG video and encodes it at another rate
 *
 * The full transcoder: libavcodec decodes MPEG-1 or MPEG-2 video, rate control
 * after MPEG's Test Model 5 chooses the quantiser of every picture, libavcodec
 * encodes it again. Unlike mpegscaler it chooses new vectors, and may change
 * the frame's size, the frame rate and the version of MPEG; it takes several
 * times as long and adds latency.
 *
 * It obeys congestion events from downstream (of pspsink, for instance), or
 * #GstMpegTranscoder:target-bitrate. Of an event's target
 *
 *   (target - reserved-bitrate) * share
 *
 * belongs to this stream, from the next picture on that is coded. A target of
 * 0 stops the stream until a later event; the first picture that leaves then
 * is an I. Without a target, and if it is more than needed, pictures keep the
 * source's quantisers; none is coded finer, unless the frame is made smaller.
 * The event always travels on upstream; the last one stays in force over a
 * flush, and is forgotten in READY. If #GstMpegTranscoder:max-quantiser is too
 * fine for a target, more leaves than the target, and `floor` reports it: ask
 * for a smaller frame then, or drop frames with mpegscaler.
 *
 * ## Output
 *
 * The output is like the source, except for what downstream caps ask for:
 * version, width, height and framerate. The picture keeps its shape by its
 * pixel-aspect-ratio, unless caps ask for another. Another frame rate (of those
 * that MPEG has) drops or repeats frames; otherwise every frame keeps its time
 * stamp, and repeat_first_field as well. Field pictures become frame pictures.
 *
 * By default I, P and B are those of the source; #GstMpegTranscoder:gop-size
 * and #GstMpegTranscoder:b-frames change this. A GstForceKeyUnit event from
 * either side makes the next picture an I, which the downstream event then
 * precedes. Each I has a sequence header; its bit rate and buffer size are
 * those of the source, as upper bounds. Every vbv_delay is 0xFFFF (variable
 * rate).
 *
 * Place mpegvideoparse before it. Input buffers may hold any number of
 * pictures, output buffers are one frame each. Damaged pictures are concealed
 * by libavcodec. The latency is one frame of the source and, with B, one of the
 * output and one for each B in a row; in MPEG-1 without B one of the output.
 *
 * If the output's sequence header changes, a sequence_end_code precedes it.
 *
 * ## Statistics
 *
 * #GstMpegTranscoder:stats is a structure `mpegtranscoder/stats`. Counts begin
 * with PAUSED.
 *
 * | field | type | meaning |
 * |---|---|---|
 * | `events` | guint64 | congestion events seen |
 * | `event-bitrate` | guint64 | whole target of the last event that had one; G_MAXUINT64 = none |
 * | `target-bitrate` | guint64 | what may leave, bits per second; G_MAXUINT64 = no target |
 * | `source-bitrate` | guint64 | the source's, over the last seconds |
 * | `frames-in`, `frames-out` | guint64 | coded frames |
 * | `frames-dropped` | guint64 | while stopped, fields without their second, or frames whose references are missing |
 * | `frames-undecodable` | guint64 | frames that libavcodec cannot decode |
 * | `pictures-recoded` | guint64 | pictures out that the target made coarser |
 * | `pictures-passed` | guint64 | pictures out with the source's quantiser |
 * | `quantiser-in`, `quantiser-out` | gdouble | mean quantiser_scale of the last picture, there and here; 0 = not known |
 * | `floor` | gboolean | the coarsest quantiser does not reach the target |
 * | `wait` | guint64 | nanoseconds that what has left is ahead of the target |
 * | `picture-target` | guint64 | bits for the last picture |
 * | `bytes-in`, `bytes-out` | guint64 | of all these frames |
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=tests/files/walk-720x480p30-4M.m2v ! mpegvideoparse ! mpegtranscoder follow-events=false target-bitrate=1500000 ! avdec_mpeg2video ! fakesink
 * ]| Lowers 4 Mb/s to 1.5.
 * |[
 * gst-launch-1.0 filesrc location=tests/files/walk-720x480p30-4M.m2v ! mpegvideoparse ! mpegtranscoder ! video/mpeg,width=352,height=240 ! rtpmpegvideopay ! pspsink host=127.0.0.1 port=5004
 * ]| Sends a smaller frame, and follows the congestion controller.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegtranscoder.h"

#include <gst/video/video.h>

#include <follow/follower.h>
#include "gstmpegtranscodercontrol.h"
#include "gstmpegtranscoderformat.h"
#include "gstmpegtranscoderstream.h"

GST_DEBUG_CATEGORY (gst_mpeg_transcoder_debug);
#define GST_CAT_DEFAULT gst_mpeg_transcoder_debug

struct _GstMpegTranscoder
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;

  GstMpegTranscoderControl control;
  GstMpegTranscoderStream *stream;      /* NULL unless the pads are active */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/mpeg, mpegversion = (int) { 1, 2 }, "
        "systemstream = (boolean) false, parsed = (boolean) true"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/mpeg, mpegversion = (int) { 1, 2 }, "
        "systemstream = (boolean) false, parsed = (boolean) true, "
        "width = (int) " GST_MPEG_TRANSCODER_SIZES ", "
        "height = (int) " GST_MPEG_TRANSCODER_SIZES ", "
        "framerate = (fraction) " GST_MPEG_TRANSCODER_RATES));

G_DEFINE_TYPE_WITH_CODE (GstMpegTranscoder, gst_mpeg_transcoder,
    GST_TYPE_ELEMENT, GST_DEBUG_CATEGORY_INIT (gst_mpeg_transcoder_debug,
        "mpegtranscoder", 0, "MPEG video transcoder"));
GST_ELEMENT_REGISTER_DEFINE (mpegtranscoder, "mpegtranscoder", GST_RANK_NONE,
    GST_TYPE_MPEG_TRANSCODER);

static GstFlowReturn
gst_mpeg_transcoder_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  (void) pad;
  return gst_mpeg_transcoder_stream_chain (GST_MPEG_TRANSCODER (parent)->stream,
      buffer);
}

static gboolean
gst_mpeg_transcoder_sink_event (GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  if (GST_EVENT_IS_SERIALIZED (event))
    return
        gst_mpeg_transcoder_stream_event (GST_MPEG_TRANSCODER (parent)->stream,
        event);
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
gst_mpeg_transcoder_src_event (GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  GstMpegTranscoder *self = GST_MPEG_TRANSCODER (parent);

  if (gst_video_event_is_force_key_unit (event)) {
    gst_mpeg_transcoder_control_force_intra (&self->control, event);
    gst_event_unref (event);
    return TRUE;
  }
  if (gst_is_congestion_event (event))
    GST_DEBUG_OBJECT (self, "%" GST_PTR_FORMAT, event);
  return gst_follow_src_event (&self->control.follower, pad, parent, event);
}

static gboolean
gst_mpeg_transcoder_src_query (GstPad * pad, GstObject * parent,
    GstQuery * query)
{
  GstMpegTranscoder *self = GST_MPEG_TRANSCODER (parent);

  return gst_follow_src_query (&self->control.follower, self->sinkpad, pad,
      parent, query);
}

/* Refuses allocation queries. Output buffers are our own, so what
 * downstream allocates is of no use upstream. */
static gboolean
gst_mpeg_transcoder_sink_query (GstPad * pad, GstObject * parent,
    GstQuery * query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
    return FALSE;
  return gst_pad_query_default (pad, parent, query);
}

static void
gst_mpeg_transcoder_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstMpegTranscoder *self = GST_MPEG_TRANSCODER (object);

  if (!gst_follower_set_property (&self->control.follower,
          gst_mpeg_transcoder_fields, &self->control.settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_mpeg_transcoder_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstMpegTranscoder *self = GST_MPEG_TRANSCODER (object);

  if (id == GST_MPEG_TRANSCODER_STATS)
    g_value_take_boxed (value,
        gst_mpeg_transcoder_control_stats (&self->control));
  else if (!gst_follower_get_property (&self->control.follower,
          gst_mpeg_transcoder_fields, &self->control.settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static gboolean
gst_mpeg_transcoder_start (GstElement * element)
{
  GstMpegTranscoder *self = GST_MPEG_TRANSCODER (element);

  self->stream = gst_mpeg_transcoder_stream_new (element, self->srcpad,
      &self->control);
  if (!self->stream)
    GST_ELEMENT_ERROR (self, LIBRARY, INIT,
        ("libavcodec's MPEG-2 decoder cannot be opened; install a libavcodec "
            "that has it, or end programs that take memory."), (NULL));
  return self->stream != NULL;
}

static void
gst_mpeg_transcoder_stop (GstElement * element)
{
  GstMpegTranscoder *self = GST_MPEG_TRANSCODER (element);

  g_clear_pointer (&self->stream, gst_mpeg_transcoder_stream_free);
  gst_mpeg_transcoder_control_forget (&self->control);
}

static GstStateChangeReturn
gst_mpeg_transcoder_change_state (GstElement * element,
    GstStateChange transition)
{
  return gst_follow_change_state (element,
      GST_ELEMENT_CLASS (gst_mpeg_transcoder_parent_class), transition,
      gst_mpeg_transcoder_start, gst_mpeg_transcoder_stop);
}

static void
gst_mpeg_transcoder_finalize (GObject * object)
{
  GstMpegTranscoder *self = GST_MPEG_TRANSCODER (object);

  gst_mpeg_transcoder_control_clear (&self->control);
  G_OBJECT_CLASS (gst_mpeg_transcoder_parent_class)->finalize (object);
}

static void
gst_mpeg_transcoder_class_init (GstMpegTranscoderClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_mpeg_transcoder_set_property;
  object_class->get_property = gst_mpeg_transcoder_get_property;
  object_class->finalize = gst_mpeg_transcoder_finalize;
  gst_mpeg_transcoder_settings_install (object_class);

  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_mpeg_transcoder_change_state);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "MPEG video transcoder",
      "Codec/Decoder/Encoder/Video",
      "Decodes MPEG-1 and MPEG-2 video and encodes it again at another rate",
      "The gst-psp authors");
  gst_type_mark_as_plugin_api (GST_TYPE_MPEG_TRANSCODER_DECISION, 0);
}

static void
gst_mpeg_transcoder_init (GstMpegTranscoder * self)
{
  gst_mpeg_transcoder_control_init (&self->control);

  self->sinkpad = gst_follow_add_pad (GST_ELEMENT (self), &sink_template,
      GST_DEBUG_FUNCPTR (gst_mpeg_transcoder_sink_event),
      GST_DEBUG_FUNCPTR (gst_mpeg_transcoder_sink_query));
  gst_pad_set_chain_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_mpeg_transcoder_chain));

  self->srcpad = gst_follow_add_pad (GST_ELEMENT (self), &src_template,
      GST_DEBUG_FUNCPTR (gst_mpeg_transcoder_src_event),
      GST_DEBUG_FUNCPTR (gst_mpeg_transcoder_src_query));
  gst_pad_use_fixed_caps (self->srcpad);
}
