/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * SECTION:element-rtpbandwidth
 * @title: rtpbandwidth
 * @see_also: pspsink, encoderbitrate, rtpbin, webrtcbin
 *
 * rtpbandwidth sits right before rtpsession, as the auxiliary sender of
 * webrtcbin or rtpbin (request-aux-sender). From transport-wide feedback, or
 * RFC 8888's, it estimates what the network carries, and paces packets
 * accordingly. It reports the estimate upstream with the congestion event
 * GstCongestion, which encoderbitrate and mpegscaler obey, and to the
 * application with #GstRtpBandwidth:estimated-bitrate and a message. All
 * streams that pass, of audio, video and repair, share one estimate.
 *
 * Transport-wide feedback needs a header extension that payloaders write and
 * to which the receiver has agreed. If the caps name that extension, packets
 * without it leave at once and do not count, unless RFC 8888's feedback
 * comes. The element receives RFC 8888's feedback through the signal
 * "on-feedback-rtcp" of the session behind it, which it finds by itself, or
 * through #GstRtpBandwidth::feedback-rtcp. If no feedback comes within 1.5 s
 * of the first packet, the element posts a warning, and holds nothing until
 * feedback comes.
 *
 * While the queue is longer than #GstRtpBandwidth:max-queue-time, the element
 * drops further pictures of the stream that has most in the queue. A picture
 * is all packets of one SSRC and one RTP timestamp. Later packets are
 * renumbered, so that the receiver waits for no dropped packet; requests for
 * retransmission and retransmissions (RFC 4588) are translated. Packets of
 * forward error correction that name others by sequence number are not
 * translated: with these, set max-queue-time to 0.
 *
 * ## Statistics
 *
 * #GstRtpBandwidth:stats is a structure `application/x-rtpbandwidth-stats`.
 * Times are nanoseconds, rates bits per second; G_MAXUINT64 stands for
 * unknown or none. Fields that #GstPspSink:stats also has mean the same.
 *
 * * `controller` (string)
 * * `target-bitrate`, `delivered-bitrate` (uint64)
 * * `rtt`, `rtt-min` (uint64), `loss` (double)
 * * `in-flight`, `window`, `spacing` (uint64)
 * * `packets-sent`, `payload-bytes-sent`, `packets-acked`, `packets-lost`,
 *   `packets-recovered` (uint64): of packets that feedback can name
 * * `packets-unnumbered` (uint64): others, without a transport-wide number
 * * `feedback` (string): none, twcc or ccfb (RFC 8888): the kind in use
 * * `queue-packets` (uint), `queue-time` (uint64): what the queue holds
 * * `dropped-packets`, `dropped-pictures` (uint64): for max-queue-time
 * * `feedback-received`, `feedback-malformed`, `feedback-never-sent` (uint64)
 * * `link-state` (string): waiting, alive, silent, or uncontrolled
 * * `events` (uint): congestion events so far
 *
 * Since: 0.2
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpbandwidth.h"
#include "gstrtpbandwidthfeedback.h"
#include "gstrtpbandwidthoutput.h"
#include "gstrtpbandwidthsettings.h"
#include "gstrtpbandwidthshaper.h"
#include "gstrtpbandwidthstats.h"

#include <settings/settings.h>

GST_DEBUG_CATEGORY (gst_rtp_bandwidth_debug);
#define GST_CAT_DEFAULT gst_rtp_bandwidth_debug

/* What the sink pad takes goes to the shaper; what the shaper lets out goes
 * to the output's pad. Feedback comes back to the shaper's path. */
struct _GstRtpBandwidth
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;
  /* The object's lock protects the settings. */
  GstRtpBandwidthSettings settings;

  GstRtpBandwidthShaper shaper;
  GstRtpBandwidthOutput output;
  GstRtpBandwidthFeedback feedback;
  /* Exists while the shaper has a path. Threads that do not stream use it
   * under the shaper's locks. */
  GstNotifier *notifier;
};

static GParamSpec *properties[GST_RTP_BANDWIDTH_N_PROPERTIES];

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

#define gst_rtp_bandwidth_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRtpBandwidth, gst_rtp_bandwidth, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_rtp_bandwidth_debug, "rtpbandwidth", 0,
        "RTP bandwidth estimator"));
GST_ELEMENT_REGISTER_DEFINE (rtpbandwidth, "rtpbandwidth", GST_RANK_NONE,
    GST_TYPE_RTP_BANDWIDTH);

/* Pads */

static GstFlowReturn
gst_rtp_bandwidth_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstRtpBandwidth *self = GST_RTP_BANDWIDTH (parent);

  (void) pad;
  gst_notifier_stream (self->notifier, TRUE);
  return gst_rtp_bandwidth_shaper_push (&self->shaper, buffer);
}

static GstFlowReturn
gst_rtp_bandwidth_chain_list (GstPad * pad, GstObject * parent,
    GstBufferList * list)
{
  GstRtpBandwidth *self = GST_RTP_BANDWIDTH (parent);

  (void) pad;
  gst_notifier_stream (self->notifier, TRUE);
  return gst_rtp_bandwidth_shaper_push_list (&self->shaper, list);
}

static gboolean
gst_rtp_bandwidth_queue_event_in_order (GstRtpBandwidth * self,
    GstEvent * event)
{
  gboolean is_eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  GstFlowReturn ret = gst_rtp_bandwidth_shaper_push_event (&self->shaper,
      event);

  if (is_eos)
    gst_rtp_bandwidth_flow_post (GST_ELEMENT (self), ret);
  return ret == GST_FLOW_OK;
}

static gboolean
gst_rtp_bandwidth_sink_event (GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  GstRtpBandwidth *self = GST_RTP_BANDWIDTH (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START
      || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    return gst_rtp_bandwidth_output_flush (&self->output, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    gst_notifier_stream (self->notifier, FALSE);
  if (GST_EVENT_IS_SERIALIZED (event))
    return gst_rtp_bandwidth_queue_event_in_order (self, event);
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
gst_rtp_bandwidth_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstRtpBandwidth *self = GST_RTP_BANDWIDTH (parent);
  const GstStructure *s = gst_event_get_structure (event);

  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE)
    gst_rtp_bandwidth_output_link (&self->output);

  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM && s
      && !gst_rtp_bandwidth_feedback_event (&self->feedback, s)
      && gst_structure_has_name (s, "GstRTPRetransmissionRequest"))
    event = gst_rtp_bandwidth_shaper_request (&self->shaper, event);
  return event ? gst_pad_event_default (pad, parent, event) : TRUE;
}

static gboolean
gst_rtp_bandwidth_activate_mode (GstPad * pad, GstObject * parent,
    GstPadMode mode, gboolean active)
{
  GstRtpBandwidth *self = GST_RTP_BANDWIDTH (parent);

  (void) pad;
  return mode == GST_PAD_MODE_PUSH
      && gst_rtp_bandwidth_output_activate (&self->output, active);
}

/* Handles the signal feedback-rtcp. */
static void
gst_rtp_bandwidth_take_rtcp (GstRtpBandwidth * self, guint type,
    guint format, guint sender_ssrc, guint media_ssrc, GstBuffer * fci)
{
  gst_rtp_bandwidth_feedback_rtcp (&self->feedback, type, format, sender_ssrc,
      media_ssrc, fci);
}

static void
gst_rtp_bandwidth_on_feedback_rtcp (GObject * session, guint type,
    guint format, guint sender_ssrc, guint media_ssrc, GstBuffer * fci,
    GstRtpBandwidth * self)
{
  (void) session;
  gst_rtp_bandwidth_take_rtcp (self, type, format, sender_ssrc, media_ssrc,
      fci);
}

/* States */

/* Returns FALSE and an error if the shaper could not start. */
static gboolean
gst_rtp_bandwidth_join (GstRtpBandwidth * self, GError ** error)
{
  GstRtpBandwidthPathConfig config;
  gdouble parameters[PSP_MAX_PARAMETERS];
  gboolean joined;
  gchar *group;

  GST_OBJECT_LOCK (self);
  joined = gst_rtp_bandwidth_settings_config (&self->settings, &config,
      parameters, error);
  gst_rtp_bandwidth_shaper_configure (&self->shaper,
      self->settings.reserved_bitrate, self->settings.max_queue_time);
  group = g_strdup (self->settings.group);
  GST_OBJECT_UNLOCK (self);

  if (joined) {
    self->notifier = gst_notifier_new (GST_ELEMENT (self), self->sinkpad,
        properties[GST_RTP_BANDWIDTH_ESTIMATED_BITRATE]);
    gst_rtp_bandwidth_feedback_start (&self->feedback);
    joined = gst_rtp_bandwidth_shaper_start (&self->shaper, group, &config,
        self->notifier);
    if (!joined)
      g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
          "There is no memory for the controller.");
  }
  g_free (group);
  return joined;
}

static void
gst_rtp_bandwidth_warn_of_limits (GstRtpBandwidth * self)
{
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  gst_rtp_bandwidth_settings_check_limits (&self->settings, &error);
  GST_OBJECT_UNLOCK (self);
  gst_settings_warn (GST_ELEMENT (self), error);
}

static gboolean
gst_rtp_bandwidth_start (GstRtpBandwidth * self)
{
  GError *error = NULL;

  if (!gst_rtp_bandwidth_join (self, &error)) {
    g_clear_pointer (&self->notifier, gst_notifier_stop);
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", error->message),
        (NULL));
    g_error_free (error);
    return FALSE;
  }
  gst_rtp_bandwidth_warn_of_limits (self);
  return TRUE;
}

static void
gst_rtp_bandwidth_stop (GstRtpBandwidth * self)
{
  gst_rtp_bandwidth_output_stop (&self->output);
  gst_rtp_bandwidth_feedback_stop (&self->feedback);
  gst_rtp_bandwidth_shaper_stop (&self->shaper);
  g_clear_pointer (&self->notifier, gst_notifier_stop);
}

static GstStateChangeReturn
gst_rtp_bandwidth_change_state (GstElement * element, GstStateChange transition)
{
  GstRtpBandwidth *self = GST_RTP_BANDWIDTH (element);
  GstStateChangeReturn ret;
  gboolean starts = transition == GST_STATE_CHANGE_READY_TO_PAUSED;

  if (starts && !gst_rtp_bandwidth_start (self))
    return GST_STATE_CHANGE_FAILURE;
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (starts && ret != GST_STATE_CHANGE_FAILURE)
    gst_notifier_start (self->notifier);
  else if (starts || transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_rtp_bandwidth_stop (self);
  return ret;
}

/* Properties */

/* Applies one property while the element runs. */
static void
gst_rtp_bandwidth_apply (GstRtpBandwidth * self, guint id)
{
  GstRtpBandwidthPath *path = gst_rtp_bandwidth_shaper_lock (&self->shaper);

  if (!path)
    return;
  gst_rtp_bandwidth_settings_apply (&self->settings, id, path);
  gst_rtp_bandwidth_shaper_configure (&self->shaper,
      self->settings.reserved_bitrate, self->settings.max_queue_time);
  gst_rtp_bandwidth_path_wake_all (path);
  gst_rtp_bandwidth_shaper_unlock (&self->shaper);
}

static void
gst_rtp_bandwidth_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstRtpBandwidth *self = GST_RTP_BANDWIDTH (object);
  GError *error = NULL;
  gboolean known;

  GST_OBJECT_LOCK (self);
  known = gst_rtp_bandwidth_settings_set (&self->settings, id, value, &error);
  if (!error)
    gst_rtp_bandwidth_settings_controller (&self->settings, &error);
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  gst_settings_warn (GST_ELEMENT (self), error);
  gst_rtp_bandwidth_apply (self, id);
}

static GstStructure *
gst_rtp_bandwidth_get_stats (GstRtpBandwidth * self)
{
  GstRtpBandwidthStats stats;

  gst_rtp_bandwidth_stats_init (&stats, "");
  if (gst_rtp_bandwidth_shaper_lock (&self->shaper)) {
    gst_rtp_bandwidth_shaper_stats (&self->shaper, &stats);
    stats.feedback_malformed = self->feedback.malformed;
    stats.events = gst_notifier_count (self->notifier);
    gst_rtp_bandwidth_shaper_unlock (&self->shaper);
  }
  return gst_rtp_bandwidth_stats_to_structure (&stats);
}

/* Returns the last decision, or what was set before the first decision. */
static guint
gst_rtp_bandwidth_get_estimate (GstRtpBandwidth * self)
{
  guint estimate = 0;
  gboolean known = FALSE;

  if (gst_rtp_bandwidth_shaper_lock (&self->shaper)) {
    known = gst_notifier_count (self->notifier) > 0;
    estimate = gst_notifier_estimate (self->notifier);
    gst_rtp_bandwidth_shaper_unlock (&self->shaper);
  }
  if (known)
    return estimate;
  GST_OBJECT_LOCK (self);
  estimate = self->settings.start_bitrate;
  GST_OBJECT_UNLOCK (self);
  return estimate;
}

static void
gst_rtp_bandwidth_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstRtpBandwidth *self = GST_RTP_BANDWIDTH (object);
  gboolean known;

  switch (id) {
    case GST_RTP_BANDWIDTH_ESTIMATED_BITRATE:
      g_value_set_uint (value, gst_rtp_bandwidth_get_estimate (self));
      break;
    case GST_RTP_BANDWIDTH_STATS:
      g_value_take_boxed (value, gst_rtp_bandwidth_get_stats (self));
      break;
    default:
      GST_OBJECT_LOCK (self);
      known = gst_rtp_bandwidth_settings_get (&self->settings, id, value);
      GST_OBJECT_UNLOCK (self);
      if (!known)
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

/* Life */

static void
gst_rtp_bandwidth_finalize (GObject * object)
{
  gst_rtp_bandwidth_settings_clear (&GST_RTP_BANDWIDTH (object)->settings);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rtp_bandwidth_class_init (GstRtpBandwidthClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_rtp_bandwidth_set_property;
  object_class->get_property = gst_rtp_bandwidth_get_property;
  object_class->finalize = gst_rtp_bandwidth_finalize;
  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_rtp_bandwidth_change_state);
  gst_rtp_bandwidth_settings_install (object_class, properties);
  /**
   * GstRtpBandwidth::feedback-rtcp:
   * @type: the packet type
   * @format: the feedback message type
   * @sender_ssrc: the SSRC of the reporter
   * @media_ssrc: the field for the SSRC of the media source
   * @fci: (nullable): the rest of the message
   *
   * Takes an RTCP feedback message with the arguments of RTPSession's signal
   * "on-feedback-rtcp", if rtpbandwidth does not find the session by itself.
   * It may come from any thread. Messages of RFC 8888 are used, others are
   * ignored.
   *
   * Since: 0.2
   */
  g_signal_new_class_handler ("feedback-rtcp", GST_TYPE_RTP_BANDWIDTH,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_rtp_bandwidth_take_rtcp), NULL, NULL, NULL,
      G_TYPE_NONE, 5, G_TYPE_UINT, G_TYPE_UINT, G_TYPE_UINT, G_TYPE_UINT,
      GST_TYPE_BUFFER);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "RTP bandwidth estimator", "Network/WebRTC/RTP/Filter",
      "Estimates the network's bandwidth for rtpbin and webrtcbin, paces, and "
      "reports congestion upstream", "The gst-psp authors");
}

static void
gst_rtp_bandwidth_init (GstRtpBandwidth * self)
{
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_rtp_bandwidth_chain));
  gst_pad_set_chain_list_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_rtp_bandwidth_chain_list));
  gst_pad_set_event_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_rtp_bandwidth_sink_event));
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad,
      GST_DEBUG_FUNCPTR (gst_rtp_bandwidth_src_event));
  gst_pad_set_activatemode_function (self->srcpad,
      GST_DEBUG_FUNCPTR (gst_rtp_bandwidth_activate_mode));
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);

  gst_rtp_bandwidth_settings_init (&self->settings, properties);
  gst_rtp_bandwidth_shaper_init (&self->shaper, GST_ELEMENT (self));
  gst_rtp_bandwidth_feedback_init (&self->feedback, &self->shaper,
      G_CALLBACK (gst_rtp_bandwidth_on_feedback_rtcp));
  gst_rtp_bandwidth_output_init (&self->output, self->srcpad, &self->shaper,
      &self->feedback);
}
