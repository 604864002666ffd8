/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * SECTION:element-mpegscaler
 * @title: mpegscaler
 * @short_description: lowers the rate of MPEG-1, MPEG-2, H.264 and H.265 video
 *   in flight
 *
 * Takes encoded video and lets less of it through, as congestion events from
 * downstream (of pspsink, for instance) or its own properties ask. No encoder
 * is needed: the video may come from a file or from another machine. The
 * event always travels on upstream.
 *
 * #GstMpegScaler:mode says how:
 *
 * | mode | what passes | |
 * |---|---|---|
 * | `drop` | some of the frames, bit for bit the source's | costs least, by far |
 * | `requantize` | all frames, their coefficients quantized more coarsely | keeps to any target between the source's rate and, mostly, a fifth of it |
 * | `auto` | all frames, requantized, as long as that goes; then some of them | keeps to any target |
 *
 * From H.264 and H.265 it only drops: auto is the same as drop there, and so
 * is requantize, with a warning.
 *
 * ## Dropping
 *
 * In mode=drop, frames are dropped by scale, as in Chung and Claypool's media
 * scaling:
 *
 * | scale | passes |
 * |---|---|
 * | 4 | all frames |
 * | 3 | of each run of B frames the later half |
 * | 2 | I and P frames |
 * | 1 | I frames and the first P frame of each group |
 * | 0 | I frames |
 *
 * An event that has a scale sets it. Otherwise its target bitrate decides:
 *
 *   (target - reserved-bitrate) * share
 *
 * is what may pass, and the highest scale is chosen that would have kept
 * within it over the last groups. The rest of the target is for frames of the
 * next higher scale (#GstMpegScaler:fill-target). Below scale 0 whole groups
 * are dropped. If 0 may pass, the stream stops until a later target, even if
 * the event has a scale; then an I frame leaves first. Until the first event
 * everything passes. The last event stays in force over a flush, and is
 * forgotten in READY.
 *
 * With follow-events=false the properties scale and target-bitrate rule in
 * the same way, except for their values -1 and 0, which leave the stream
 * untouched: only an event can stop it.
 *
 * What passes decodes to exactly the pictures to which the source decodes: no
 * frame leaves whose references were dropped, and headers and quantiser
 * matrices that came with a dropped frame go to the next one. With
 * #GstMpegScaler:repeat-dropped P and B frames are replaced by a few hundred
 * bytes that repeat a reference, for decoders that want no gaps in
 * temporal_reference; vbv_delay then becomes 0xFFFF in every picture.
 *
 * ## Dropping from H.264 and H.265
 *
 * The scales are
 *
 * | scale | passes |
 * |---|---|
 * | 4 | all pictures |
 * | 3 | half of the disposable pictures (to which none refers), evenly |
 * | 2 | no disposable pictures |
 * | 1 | the first quarter of each group |
 * | 0 | random-access pictures |
 *
 * If a stream has no disposable pictures, scales 3 and 2 are the first three
 * quarters and the first half of each group. To keep to a target, filler data
 * is removed first, then disposable pictures are dropped, those of higher
 * temporal layers before others, and then references, from the end of the
 * group. That shows as a freeze, which #GstMpegScaler:max-freeze limits.
 * Slices are not changed, except for the type in the header of a CRA picture
 * with which a sequence has to begin. Parameter sets that come with a dropped
 * picture go to the next picture that passes.
 *
 * What cannot be read passes unchanged, until the next IDR picture, and
 * counts in `frames-unreadable`. If the scale or target asks to drop pictures
 * that a decoder needs, or more than #GstMpegScaler:max-freeze allows, these
 * pictures stay, and `frames-held` counts them. `lowest-scale` and
 * `bitrate-0` report what can be reached, and `floor` is TRUE while a target
 * is exceeded for this reason. In H.264, references before a picture that is
 * no IDR picture stay unless #GstMpegScaler:allow-gaps is set.
 *
 * ## Requantizing
 *
 * In mode=requantize every frame passes. While the target is below the
 * source's rate, rate control after MPEG's Test Model 5 chooses quantisers,
 * from the next picture on, and coefficients are quantized again. Vectors may
 * change as #GstMpegScaler:choose-vectors says; headers and all else stay as
 * they are. A scale, of an event or set, has no effect in this
 * mode; a target of 0 stops the stream as above.
 *
 * A group of pictures takes what the target allows, mostly within 5 %, and
 * the output is never more than half a second ahead of it. If even
 * #GstMpegScaler:max-quantiser is too fine, the target is exceeded and
 * `floor` is TRUE in #GstMpegScaler:stats.
 *
 * Errors that pictures inherit from requantized references are removed as
 * #GstMpegScaler:drift-compensation says. D pictures, 4:4:4 and damaged
 * pictures pass as they are.
 *
 * In mode=auto the same target applies, and frames are dropped by scale as
 * soon as what passes would not fit at the coarsest quantiser:
 * #GstMpegScaler:max-quantiser is the quality below which frames are dropped
 * instead. All pass again when they have fitted with 5 % to spare for a
 * second, or longer after a rise that did not last. A scale that an event
 * has, or that is set, decides what passes, and what passes keeps to the
 * target.
 *
 * A requantized stream has no constant rate, so vbv_delay becomes 0xFFFF in
 * every picture that these two modes see, recoded or not. bit_rate and
 * vbv_buffer_size stay, as upper bounds, and so does codec_data. A stream
 * that begins in mode=drop without #GstMpegScaler:repeat-dropped and is
 * requantized later has pictures of both kinds: if decoders must rely on
 * vbv_delay, begin in the mode that will be needed.
 *
 * ## Buffers
 *
 * Place mpegvideoparse, h264parse or h265parse before it. Input buffers of
 * H.264 and H.265 are access units; their time stamps pass as they are.
 * MPEG-1 and MPEG-2: input buffers may hold any number of pictures; each
 * frame becomes one output buffer, two fields together. If they come in
 * buffers of their own, the first waits for the second; this is a latency of
 * one field period, reported once it has happened. Memory is shared with the
 * input; an input buffer that is one frame and passes whole is passed on
 * itself. A requantized frame is one memory of its own. A buffer that does
 * not leave as it came has no GstMpegVideoMeta, which says where slices were.
 *
 * In TIME segments every frame gets a PTS and a duration. A PTS that was
 * given stays. If there is none, or the one before is given again
 * (mpegvideoparse behind filesrc and the demuxers), it is computed from
 * temporal_reference, frame rate and repeat_first_field. Before the first
 * time stamp it counts from the beginning of the segment. If a computed PTS
 * is outside the segment, the buffer keeps the one it has, or none, and a PTS
 * outside it gets no duration, because muxers and sinks clip by them. DTS are
 * passed on as they come, but never later than the PTS. A frame with a
 * computed PTS and no DTS gets one, of when the I or P before it is shown.
 *
 * A buffer after dropped frames is not marked DISCONT: nothing that it needs
 * is missing. A DISCONT that came with a dropped frame goes to the next
 * buffer that leaves. While everything is dropped for long, a gap event each
 * half second keeps downstream elements going.
 *
 * Each frame that leaves has a #GstCodedPictureMeta: its number among these,
 * and which earlier ones it refers to.
 *
 * ## Statistics
 *
 * #GstMpegScaler:stats is a structure `mpegscaler/stats`. Counts begin with
 * PAUSED.
 *
 * | field | type | meaning |
 * |---|---|---|
 * | `mode` | GstMpegScalerMode | as set |
 * | `events` | guint64 | congestion events seen |
 * | `event-bitrate` | guint64 | whole target of the last event that had one; G_MAXUINT64 = none |
 * | `target-bitrate` | guint64 | what may pass, bits per second; G_MAXUINT64 = no target rules |
 * | `target-scale` | gint | the scale asked for, -1 = none |
 * | `scale` | gint | in force for the last frame, -1 = below 0 or none yet |
 * | `lowest-scale` | gint | the lowest scale that can be had of H.264 and H.265 by their last two groups: pictures stay below it; -1 = whole groups can go |
 * | `gaps-allowed` | gboolean | H.264's parameter sets leave as allow-gaps asks |
 * | `bitrate-0` … `bitrate-4` | guint64 | what each scale would pass of the source, with what stays against it, bits per second, 0 = not known yet |
 * | `frames-i`, `frames-p`, `frames-b`, `frames-d` | guint64 | frames in, by type |
 * | `frames-h26x` | guint64 | pictures of H.264 and H.265 in |
 * | `frames-unreadable` | guint64 | pictures in that could not be read |
 * | `frames-passed` | guint64 | frames out, those replaced not counted |
 * | `frames-filled` | guint64 | of these, beyond the scale, as the target had room |
 * | `frames-held` | guint64 | of these, against scale and target: max-freeze, or decoders need them |
 * | `frames-replaced` | guint64 | frames out that repeat another |
 * | `dropped-policy` | guint64 | frames dropped by the scale |
 * | `dropped-reference` | guint64 | since they refer to one that is gone |
 * | `dropped-unpaired` | guint64 | fields without their second |
 * | `dropped-group` | guint64 | with their whole group: below scale 0, or stopped |
 * | `bytes-in`, `bytes-out` | guint64 | of all these frames, as they came and as they left |
 * | `stuffing-removed` | guint64 | of bytes-in, zero stuffing or filler data that was removed |
 * | `pictures-recoded` | guint64 | requantized; a field is a picture |
 * | `pictures-passed` | guint64 | their slices left as they came, in requantize or auto |
 * | `pictures-unreadable` | guint64 | of these, as they could not be read |
 * | `quantiser-in`, `quantiser-out` | gdouble | mean quantiser_scale of the last picture, 0 = not known |
 * | `floor` | gboolean | the target is exceeded, as max-quantiser is too fine, or pictures stay |
 * | `wait` | guint64 | nanoseconds that what has left is ahead of the target |
 * | `source-bitrate` | guint64 | bits per second, 0 = not known |
 * | `picture-target` | guint64 | bits for the last picture |
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=tests/files/walk-720x480p30-4M.m2v ! mpegvideoparse ! mpegscaler follow-events=false scale=2 ! avdec_mpeg2video ! fakesink
 * ]| Drops the B frames.
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=300 ! video/x-raw,format=I420 ! x264enc ! h264parse ! mpegscaler ! rtph264pay config-interval=-1 ! pspsink host=127.0.0.1 port=5004
 * ]| H.264 that follows the congestion controller.
 * |[
 * gst-launch-1.0 filesrc location=tests/files/walk-720x480p30-4M.m2v ! mpegvideoparse ! mpegscaler ! rtpmpegvideopay ! pspsink host=127.0.0.1 port=5004
 * ]| Follows the congestion controller.
 * |[
 * gst-launch-1.0 filesrc location=tests/files/walk-720x480p30-4M.m2v ! mpegvideoparse ! mpegscaler mode=requantize follow-events=false target-bitrate=2000000 ! avdec_mpeg2video ! fakesink
 * ]| Half of the clip's rate, all of its frames.
 * |[
 * gst-launch-1.0 filesrc location=tests/files/walk-720x480p30-4M.m2v ! mpegvideoparse ! mpegscaler mode=auto ! rtpmpegvideopay ! pspsink host=127.0.0.1 port=5004
 * ]| Follows the congestion controller by quality first, by frame rate if that
 * is not enough.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscaler.h"

#include <follow/follower.h>
#include <gst/video/video.h>
#include "gstmpegscalercontrol.h"
#include "gstmpegscalerstream.h"

GST_DEBUG_CATEGORY (gst_mpeg_scaler_debug);
#define GST_CAT_DEFAULT gst_mpeg_scaler_debug

/* The caps of both pads. */
#define CAPS "video/mpeg, mpegversion = (int) { 1, 2 }, " \
    "systemstream = (boolean) false, parsed = (boolean) true; " \
    "video/x-h264, stream-format = (string) { avc, avc3, byte-stream }, " \
    "alignment = (string) au; " \
    "video/x-h265, stream-format = (string) { hvc1, hev1, byte-stream }, " \
    "alignment = (string) au"

struct _GstMpegScaler
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;

  GstMpegScalerControl control;
  GstMpegScalerStream *stream;  /* exists while the pads are active */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (CAPS));

G_DEFINE_TYPE_WITH_CODE (GstMpegScaler, gst_mpeg_scaler, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_mpeg_scaler_debug, "mpegscaler", 0,
        "MPEG video rate reduction"));
GST_ELEMENT_REGISTER_DEFINE (mpegscaler, "mpegscaler", GST_RANK_NONE,
    GST_TYPE_MPEG_SCALER);

static GstFlowReturn
gst_mpeg_scaler_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  (void) pad;
  return gst_mpeg_scaler_stream_chain (GST_MPEG_SCALER (parent)->stream,
      buffer);
}

static gboolean
gst_mpeg_scaler_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  if (GST_EVENT_IS_SERIALIZED (event) && !gst_mpeg_scaler_stream_event
      (GST_MPEG_SCALER (parent)->stream, &event)) {
    gst_event_unref (event);
    return FALSE;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
gst_mpeg_scaler_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstMpegScaler *self = GST_MPEG_SCALER (parent);

  if (gst_is_congestion_event (event))
    GST_DEBUG_OBJECT (self, "%" GST_PTR_FORMAT, event);
  if (gst_video_event_is_force_key_unit (event))
    gst_mpeg_scaler_control_want_key (&self->control);
  return gst_follow_src_event (&self->control.follower, pad, parent, event);
}

static gboolean
gst_mpeg_scaler_src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstMpegScaler *self = GST_MPEG_SCALER (parent);

  return gst_follow_src_query (&self->control.follower, self->sinkpad, pad,
      parent, query);
}

static void
gst_mpeg_scaler_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstMpegScaler *self = GST_MPEG_SCALER (object);

  if (!gst_follower_set_property (&self->control.follower,
          gst_mpeg_scaler_fields, &self->control.settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_mpeg_scaler_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstMpegScaler *self = GST_MPEG_SCALER (object);

  if (id == GST_MPEG_SCALER_STATS)
    g_value_take_boxed (value, gst_mpeg_scaler_control_stats (&self->control));
  else if (!gst_follower_get_property (&self->control.follower,
          gst_mpeg_scaler_fields, &self->control.settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static gboolean
gst_mpeg_scaler_start (GstElement * element)
{
  GstMpegScaler *self = GST_MPEG_SCALER (element);

  self->stream = gst_mpeg_scaler_stream_new (element, self->srcpad,
      &self->control);
  return TRUE;
}

static void
gst_mpeg_scaler_stop (GstElement * element)
{
  GstMpegScaler *self = GST_MPEG_SCALER (element);

  g_clear_pointer (&self->stream, gst_mpeg_scaler_stream_free);
  gst_mpeg_scaler_control_forget (&self->control);
}

static GstStateChangeReturn
gst_mpeg_scaler_change_state (GstElement * element, GstStateChange transition)
{
  return gst_follow_change_state (element,
      GST_ELEMENT_CLASS (gst_mpeg_scaler_parent_class), transition,
      gst_mpeg_scaler_start, gst_mpeg_scaler_stop);
}

static void
gst_mpeg_scaler_finalize (GObject * object)
{
  GstMpegScaler *self = GST_MPEG_SCALER (object);

  gst_mpeg_scaler_control_clear (&self->control);
  G_OBJECT_CLASS (gst_mpeg_scaler_parent_class)->finalize (object);
}

static void
gst_mpeg_scaler_class_init (GstMpegScalerClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_mpeg_scaler_set_property;
  object_class->get_property = gst_mpeg_scaler_get_property;
  object_class->finalize = gst_mpeg_scaler_finalize;
  gst_mpeg_scaler_settings_install (object_class);

  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_mpeg_scaler_change_state);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "MPEG video scaler",
      "Filter/Video", "Lowers the rate of coded MPEG and H.26x video in flight",
      "The gst-psp authors");
}

static void
gst_mpeg_scaler_init (GstMpegScaler * self)
{
  gst_mpeg_scaler_control_init (&self->control);

  self->sinkpad = gst_follow_add_pad (GST_ELEMENT (self), &sink_template,
      GST_DEBUG_FUNCPTR (gst_mpeg_scaler_sink_event), NULL);
  gst_pad_set_chain_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_mpeg_scaler_chain));
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);

  self->srcpad = gst_follow_add_pad (GST_ELEMENT (self), &src_template,
      GST_DEBUG_FUNCPTR (gst_mpeg_scaler_src_event),
      GST_DEBUG_FUNCPTR (gst_mpeg_scaler_src_query));
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
}
