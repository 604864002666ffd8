/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * SECTION:element-pspsink
 * @title: pspsink
 * @see_also: pspsrc, encoderbitrate, udpsink
 *
 * pspsink sends RTP over UDP at the pace that a congestion controller allows.
 * The receiver answers on the same port with RTCP congestion control feedback
 * (RFC 8888), as pspsrc does. The bitrate that the network carries is reported
 * upstream by a congestion event and to the application by an element message,
 * both named GstCongestion, and #GstPspSink:estimated-bitrate notifies:
 * encoderbitrate and other elements adapt the media rate to it.
 *
 * Packets wait in a queue of at most #GstPspSink:max-queue-time. If it is full,
 * #GstPspSink:leaky determines whether upstream waits or whole pictures are
 * dropped: all packets of one SSRC and one RTP timestamp. A picture whose first
 * packet was queued is completed even beyond the limit, and one of which a
 * packet has left is never truncated, so the queue may exceed the limit by a
 * picture. Only if a single picture exceeds 16384 packets, its rest is dropped.
 * A flush empties the queue without counting drops. The length of the queue is
 * its time at the target bitrate; without a target (controller=none) it is the
 * span of its time stamps, or else the time that the oldest packet has waited.
 *
 * If the references of pictures are known (#GstCodedPictureMeta, as mpegscaler
 * sets it), pictures that refer to a dropped one, or to one that was lost
 * upstream, are dropped as well, up to the next key picture. A stream without a
 * key picture for a long time continues without one. Upstream is asked for a
 * key frame (GstForceKeyUnit), at most once a second, unless the dropped
 * picture is marked as one that no other refers to.
 *
 * As in every sink, buffers are synchronized to the clock before they are
 * queued (#GstBaseSink:sync). The time in the queue is additional and not part
 * of the reported latency. In PAUSED nothing leaves. EOS is posted once the
 * queue is empty, and an RTCP BYE follows the last packet.
 *
 * Media goes to #GstPspSink:host and #GstPspSink:port only, and feedback counts
 * only from that address and from one port of it at a time. #GstPspSink:uri
 * changes both at once.
 * Without feedback for ten seconds media stops, with a warning. A packet a
 * second then probes the path, and media continues when feedback returns. Only
 * the controllers none and fixed can send to multicast groups.
 *
 * If a receiver sends only RTCP receiver reports, as #rtpbin does, these
 * control the rate: every few seconds they report losses and the round-trip
 * time. The rate then has a maximum that falls with losses and a longer round
 * trip, and otherwise rises slowly. For receivers that send nothing see
 * #GstPspSink:no-feedback-bitrate.
 *
 * If the receiver asks for a key picture (PLI, FIR), or if another receiver
 * takes over, upstream is asked by GstForceKeyUnit, at most once a round trip
 * and once in 500 ms.
 *
 * ## Repairs
 *
 * Packets that the receiver requests by generic NACK (RFC 4585) are sent again:
 * by pspsink, with #GstPspSink:rtx-payload-type, or by rtprtxsend upstream.
 * Repairs leave ahead of the queue. They are paced and counted like media, stay
 * within #GstPspSink:repair-share, and are not sent if they come too late
 * (#GstPspSink:repair-deadline). The target that is reported upstream is the
 * rate without repairs and packets of #GstPspSink:fec-payload-type.
 *
 * ## Statistics
 *
 * #GstPspSink:stats is a structure `application/x-psp-sink-stats`. Times are
 * nanoseconds, rates bits per second; G_MAXUINT64 stands for unknown or none.
 *
 * * `controller` (string)
 * * `target-bitrate`, `delivered-bitrate` (uint64): RTP payload that the
 *   network carries now, and that was acknowledged over the last second
 * * `rtt`, `rtt-min` (uint64): round trip, smoothed, and smallest of
 *   the last 10 s
 * * `loss` (double): fraction lost over the last round trip; -1 is unknown
 * * `in-flight`, `window` (uint64): packets
 * * `spacing` (uint64): packet period in force
 * * `packets-sent`, `bytes-sent`, `payload-bytes-sent`, `packets-acked`,
 *   `packets-lost`, `packets-recovered` (they arrived after they had counted as
 *   lost), `packets-ect` (sent ECN-capable), `packets-ce` (marked with
 *   congestion experienced) (uint64)
 * * `ecn` (string): off, testing (one packet in four is ECN-capable), capable
 *   (all are); or, if ECN failed and ended, bleached, remarked, dropped or
 *   not-echoed
 * * `queue-packets` (uint), `queue-bytes` (uint64, payload), `queue-time`
 *   (uint64): length of the queue
 * * `dropped-packets`, `dropped-pictures` (uint64): by a leaky queue or
 *   a stopped link
 * * `repairs-requested`, `repairs-refused`, `repairs-sent`,
 *   `repair-bytes-sent` (uint64): packets that NACKs asked for; those that were
 *   not repaired; repairs that left, and their payload, which is part of
 *   `payload-bytes-sent`
 * * `reserved-bitrate` (uint64): the part of the target for repairs and
 *   redundancy
 * * `send-errors` (uint64): packets that the system refused
 * * `feedback-received` (valid reports), `feedback-bytes`,
 *   `feedback-malformed`, `feedback-unknown-ssrc`, `feedback-never-sent`
 *   (reports of packets that were never sent), `feedback-foreign` (datagrams
 *   from other addresses or ports, ignored) (uint64)
 * * `feedback-unauthenticated`, `feedback-replayed` (uint64): ignored with
 *   #GstPspSink:srtp-suite; then the address does not count
 * * `feedback` (string): the kind that controls the rate: ccfb (RFC 8888), twcc
 *   (transport-wide numbers), rr (RTCP receiver reports) or none
 * * `link-state` (string): waiting, alive, silent or stopped
 * * `gap-mean`, `gap-deviation` (double), `gap-p99` (uint64): time between
 *   packets while more were waiting
 * * `precision` (string): realtime or sleep, as the system granted
 * * `segment` (boolean): UDP_SEGMENT is used for runs of equal packets
 * * `system-calls` (uint64): calls that sent packets
 * * `events` (uint): congestion events so far
 * * `average-rate` (double), `dropped`, `rendered` (uint64): as in
 *   #GstBaseSink:stats
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! jpegenc ! rtpjpegpay ! pspsink host=127.0.0.1 port=5004
 * ]| Sends JPEG to `pspsrc port=5004 caps="application/x-rtp, media=video,
 * encoding-name=JPEG, payload=26, clock-rate=90000"` on the same machine.
 *
 * Since: 0.1
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsinkprivate.h"
#include "gstpspsinkstats.h"
#include "gstpsptransport.h"
#include "gstpspuri.h"

GST_DEBUG_CATEGORY (gst_psp_sink_debug);
#define GST_CAT_DEFAULT gst_psp_sink_debug

static GParamSpec *properties[GST_PSP_SINK_N_PROPERTIES];

enum
{
  SIGNAL_RESET_CONTROLLER,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* Properties of pspsrc that a URI may contain. */
static const gchar *const other_end[] = {
  "address", "multicast-group", "auto-multicast", "reuse", "buffer-size",
  "caps", "timeout", "feedback", "feedback-interval", "eos-on-bye", NULL
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

static void gst_psp_sink_uri_handler_init (gpointer iface, gpointer data);

#define gst_psp_sink_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstPspSink, gst_psp_sink, GST_TYPE_BASE_SINK,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, gst_psp_sink_uri_handler_init);
    GST_DEBUG_CATEGORY_INIT (gst_psp_sink_debug, "pspsink", 0,
        "Paced UDP sink"));
GST_ELEMENT_REGISTER_DEFINE (pspsink, "pspsink", GST_RANK_NONE,
    GST_TYPE_PSP_SINK);

/* Streaming */

static gboolean
gst_psp_sink_set_caps (GstBaseSink * sink, GstCaps * caps)
{
  GstPspSink *self = GST_PSP_SINK (sink);
  gint clock_rate = 0;
  GstPspEngine *engine;

  gst_structure_get_int (gst_caps_get_structure (caps, 0), "clock-rate",
      &clock_rate);
  engine = gst_psp_driver_lock (self->driver);
  gst_psp_engine_set_clock_rate (engine, MAX (clock_rate, 0));
  gst_psp_engine_set_transport_id (engine, gst_psp_transport_id (caps));
  gst_psp_driver_unlock (self->driver);
  return TRUE;
}

static GstFlowReturn
gst_psp_sink_add (GstPspSink * self, GstBuffer * buffer)
{
  GstSegment *segment = &GST_BASE_SINK (self)->segment;
  gint max_packet = gst_psp_driver_max_packet (self->driver) - self->overhead;
  GstPspPacket packet;
  GError *error = NULL;

  if (!gst_psp_packet_parse (&packet, buffer, &error)) {
    gst_psp_sink_post (self, GST_MESSAGE_ERROR, error);
    return GST_FLOW_ERROR;
  }
  if (self->rtx_payload_type > 0 &&
      packet.header.payload_type == self->rtx_payload_type) {
    gst_buffer_unref (packet.buffer);
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("The payloader's pt is that of repairs, rtx-payload-type=%d, so a "
            "receiver cannot tell them apart; set one of them to another.",
            self->rtx_payload_type), (NULL));
    return GST_FLOW_ERROR;
  }
  if (packet.header.size > (guint) max_packet &&
      max_packet < self->warned_of_size) {
    self->warned_of_size = max_packet;
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("A packet of %u bytes exceeds the %d that the path carries, so it "
            "leaves in fragments that are lost together; set the payloader's "
            "mtu property to at most %d.", packet.header.size, max_packet,
            max_packet), (NULL));
  }
  if (segment->format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID (buffer))
    packet.running_time = gst_segment_to_running_time (segment,
        GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  g_array_append_val (self->packets, packet);
  return GST_FLOW_OK;
}

/* Forgets the added packets, and frees those from index `from` on, which were
 * not queued. */
static void
gst_psp_sink_discard (GstPspSink * self, guint from)
{
  for (guint i = from; i < self->packets->len; i++)
    gst_buffer_unref (g_array_index (self->packets, GstPspPacket, i).buffer);
  g_array_set_size (self->packets, 0);
}

/* Queues the added packets. Waits for room, and while the sink is paused. */
static GstFlowReturn
gst_psp_sink_push (GstPspSink * self)
{
  GstPspPacket *packets = (GstPspPacket *) self->packets->data;
  guint n = self->packets->len, taken = 0;
  GstFlowReturn ret = GST_FLOW_OK;

  gst_notifier_stream (self->notifier, TRUE);
  while (taken < n && ret == GST_FLOW_OK) {
    taken += gst_psp_driver_push (self->driver, packets + taken, n - taken);
    if (taken < n)
      ret = gst_preroll_wait (GST_BASE_SINK (self));
  }
  gst_psp_sink_discard (self, taken);
  return ret;
}

static GstFlowReturn
gst_psp_sink_render (GstBaseSink * sink, GstBuffer * buffer)
{
  GstPspSink *self = GST_PSP_SINK (sink);
  GstFlowReturn ret = gst_psp_sink_add (self, buffer);

  return ret == GST_FLOW_OK ? gst_psp_sink_push (self) : ret;
}

static GstFlowReturn
gst_psp_sink_render_list (GstBaseSink * sink, GstBufferList * list)
{
  GstPspSink *self = GST_PSP_SINK (sink);
  guint n = gst_buffer_list_length (list);
  GstFlowReturn ret = GST_FLOW_OK;

  for (guint i = 0; i < n && ret == GST_FLOW_OK; i++)
    ret = gst_psp_sink_add (self, gst_buffer_list_get (list, i));
  if (ret == GST_FLOW_OK)
    return gst_psp_sink_push (self);
  gst_psp_sink_discard (self, 0);
  return ret;
}

static gboolean
gst_psp_sink_event (GstBaseSink * sink, GstEvent * event)
{
  GstPspSink *self = GST_PSP_SINK (sink);

  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    gst_notifier_stream (self->notifier, FALSE);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START ||
      GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    GstPspEngine *engine = gst_psp_sink_lock_engine (self);

    if (engine) {
      gst_psp_engine_flush (engine);
      gst_psp_sink_unlock_engine (self);
    }
  }
  return GST_BASE_SINK_CLASS (parent_class)->event (sink, event);
}

/* Delays EOS until the last packet has left. */
static GstFlowReturn
gst_psp_sink_wait_event (GstBaseSink * sink, GstEvent * event)
{
  GstPspSink *self = GST_PSP_SINK (sink);
  GstFlowReturn ret;

  ret = GST_BASE_SINK_CLASS (parent_class)->wait_event (sink, event);
  if (GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return ret;
  while (ret == GST_FLOW_OK && !gst_psp_driver_drain (self->driver))
    ret = gst_preroll_wait (GST_BASE_SINK (self));
  if (ret == GST_FLOW_OK)
    gst_psp_driver_bye (self->driver);
  return ret;
}

static void
gst_psp_sink_set_unlocked (GstBaseSink * sink, GstPrerollUnlock why,
    gboolean unlocked)
{
  GstPspSink *self = GST_PSP_SINK (sink);

  g_mutex_lock (&self->run_lock);
  if (self->driver)
    gst_psp_driver_set_unlocked (self->driver, why, unlocked);
  g_mutex_unlock (&self->run_lock);
}

static gboolean
gst_psp_sink_unlock (GstBaseSink * sink)
{
  gst_psp_sink_set_unlocked (sink, GST_PREROLL_UNLOCK_STOP, TRUE);
  return TRUE;
}

static gboolean
gst_psp_sink_unlock_stop (GstBaseSink * sink)
{
  gst_psp_sink_set_unlocked (sink, GST_PREROLL_UNLOCK_STOP, FALSE);
  return TRUE;
}

/* gst_psp_driver_push() also starts playing. */
static void
gst_psp_sink_set_playing (GstPspSink * self, gboolean playing)
{
  g_mutex_lock (&self->run_lock);
  if (self->driver)
    gst_psp_driver_set_playing (self->driver, playing);
  g_mutex_unlock (&self->run_lock);
}

static void
gst_psp_sink_started (GstBaseSink * sink)
{
  gst_notifier_start (GST_PSP_SINK (sink)->notifier);
}

static GstStateChangeReturn
gst_psp_sink_change_state (GstElement * element, GstStateChange transition)
{
  static const GstPrerollFunctions functions = {
    .start = gst_psp_sink_start,
    .started = gst_psp_sink_started,
    .stop = gst_psp_sink_stop,
    .set_unlocked = gst_psp_sink_set_unlocked
  };
  GstPspSink *self = GST_PSP_SINK (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    gst_psp_sink_set_playing (self, TRUE);
  ret = gst_preroll_change_state (GST_BASE_SINK (self), transition,
      parent_class, &functions);
  /* From here on nothing is rendered, which would start playing again. */
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    gst_psp_sink_set_playing (self, FALSE);
  return ret;
}

/* URI handler */

static GstURIType
gst_psp_sink_uri_get_type (GType type)
{
  (void) type;
  return GST_URI_SINK;
}

static const gchar *const *
gst_psp_sink_uri_get_protocols (GType type)
{
  static const gchar *const protocols[] = { "psp", NULL };

  (void) type;
  return protocols;
}

static gchar *
gst_psp_sink_uri_get_uri (GstURIHandler * handler)
{
  GstPspSink *self = GST_PSP_SINK (handler);
  gchar *uri;

  GST_OBJECT_LOCK (self);
  uri = gst_psp_uri_format (self->settings.socket.host,
      self->settings.socket.port);
  GST_OBJECT_UNLOCK (self);
  return uri;
}

static gboolean
gst_psp_sink_uri_set_uri (GstURIHandler * handler, const gchar * uri,
    GError ** error)
{
  GstPspSink *self = GST_PSP_SINK (handler);
  GError *why = NULL;

  GST_OBJECT_LOCK (self);
  self->applying_uri = TRUE;
  GST_OBJECT_UNLOCK (self);
  gst_psp_uri_apply (GST_ELEMENT (self), uri, "host", other_end, &why);
  GST_OBJECT_LOCK (self);
  self->applying_uri = FALSE;
  g_free (self->uri_error);
  self->uri_error = why ? g_strdup (why->message) : NULL;
  GST_OBJECT_UNLOCK (self);
  if (!why) {
    gst_psp_sink_redirect (self);
    /* The redirection does nothing if the destination is unchanged. */
    gst_psp_sink_update_controller (self, FALSE);
    return TRUE;
  }
  GST_WARNING_OBJECT (self, "%s", why->message);
  g_propagate_error (error, why);
  return FALSE;
}

static void
gst_psp_sink_uri_handler_init (gpointer iface, gpointer data)
{
  GstURIHandlerInterface *handler = iface;

  (void) data;
  handler->get_type = gst_psp_sink_uri_get_type;
  handler->get_protocols = gst_psp_sink_uri_get_protocols;
  handler->get_uri = gst_psp_sink_uri_get_uri;
  handler->set_uri = gst_psp_sink_uri_set_uri;
}

/* Properties */

/* Starts the controller anew, because its property was set. */
static void
gst_psp_sink_restart_controller (GstPspSink * self)
{
  gst_psp_sink_update_controller (self, TRUE);
}

/* The properties that take effect at once; others do so at the next start. */
static const struct
{
  guint id;
  void (*update) (GstPspSink * self);
} updates[] = {
  {GST_PSP_SINK_HOST, gst_psp_sink_redirect},
  {GST_PSP_SINK_PORT, gst_psp_sink_redirect},
  {GST_PSP_SINK_TTL, gst_psp_sink_update_socket},
  {GST_PSP_SINK_TTL_MC, gst_psp_sink_update_socket},
  {GST_PSP_SINK_LOOP, gst_psp_sink_update_socket},
  {GST_PSP_SINK_QOS_DSCP, gst_psp_sink_update_socket},
  {GST_PSP_SINK_ECN, gst_psp_sink_update_ecn},
  {GST_PSP_SINK_CONTROLLER, gst_psp_sink_restart_controller},
  {GST_PSP_SINK_CONTROLLER_PARAMS, gst_psp_sink_update_parameters},
  {GST_PSP_SINK_SPACING, gst_psp_sink_update_parameters},
  {GST_PSP_SINK_SCALE_BITRATES, gst_psp_sink_update_parameters},
  {GST_PSP_SINK_MIN_TARGET_BITRATE, gst_psp_sink_update_limits},
  {GST_PSP_SINK_MAX_TARGET_BITRATE, gst_psp_sink_update_limits},
  {GST_PSP_SINK_START_TARGET_BITRATE, gst_psp_sink_update_limits},
  {GST_PSP_SINK_UNPROVED_TARGET_BITRATE, gst_psp_sink_update_limits},
  {GST_PSP_SINK_NO_FEEDBACK_BITRATE, gst_psp_sink_update_limits},
  {GST_PSP_SINK_MAX_QUEUE_TIME, gst_psp_sink_update_queue},
  {GST_PSP_SINK_MAX_FRAME_TIME, gst_psp_sink_update_queue},
  {GST_PSP_SINK_LEAKY, gst_psp_sink_update_queue},
  {GST_PSP_SINK_SRTP_SOFT_LIMIT, gst_psp_sink_update_queue},
  {GST_PSP_SINK_REPAIR_SHARE, gst_psp_sink_update_repair},
  {GST_PSP_SINK_REPAIR_DEADLINE, gst_psp_sink_update_repair},
  {GST_PSP_SINK_FEC_PAYLOAD_TYPE, gst_psp_sink_update_repair},
  {GST_PSP_SINK_SRTP + GST_PSP_SRTP_KEY, gst_psp_sink_update_srtp},
  {GST_PSP_SINK_SRTP + GST_PSP_SRTP_PASSPHRASE, gst_psp_sink_update_srtp},
};

/* A property cannot return an error: it is a warning while playing, and the
 * next start fails with it. */
static void
gst_psp_sink_set_uri (GstPspSink * self, const gchar * uri)
{
  GError *error = NULL;

  if (!gst_psp_sink_uri_set_uri (GST_URI_HANDLER (self), uri ? uri : "",
          &error) && gst_psp_sink_is_running (self))
    gst_psp_sink_post (self, GST_MESSAGE_WARNING,
        g_error_new_literal (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
            error->message));
  g_clear_error (&error);
}

/* While playing, a port that does not exist leaves the old one in use. Before
 * the start it is taken, and the start fails: media must not go to a port that
 * nobody has chosen. */
static gboolean
gst_psp_sink_refuses_port (GstPspSink * self, guint id, const GValue * value)
{
  GError *error = NULL;

  if ((id != GST_PSP_SINK_PORT && id != GST_PSP_SINK_BIND_PORT &&
          id != GST_PSP_SINK_RTCP_PORT) || !gst_psp_sink_is_running (self)
      || gst_psp_uri_check_port (g_value_get_int (value), &error))
    return FALSE;
  gst_psp_sink_post (self, GST_MESSAGE_WARNING, error);
  return TRUE;
}

static void
gst_psp_sink_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstPspSink *self = GST_PSP_SINK (object);
  GError *error = NULL;
  gboolean known;

  if (id == GST_PSP_SINK_URI) {
    gst_psp_sink_set_uri (self, g_value_get_string (value));
    return;
  }
  if (gst_psp_sink_refuses_port (self, id, value))
    return;

  GST_OBJECT_LOCK (self);
  known = gst_psp_sink_settings_set (&self->settings, id, value, &error);
  if (error && !GST_ELEMENT_BUS (self)) {
    g_clear_error (&self->refused);
    self->refused = g_steal_pointer (&error);
  }
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  if (error)
    gst_psp_sink_post (self, GST_MESSAGE_WARNING, error);

  for (guint i = 0; i < G_N_ELEMENTS (updates); i++)
    if (updates[i].id == id)
      updates[i].update (self);
}

/* Runs once for all properties that are set together, so that limits are judged
 * when all of them are there. */
static void
gst_psp_sink_dispatch_properties_changed (GObject * object, guint n,
    GParamSpec ** pspecs)
{
  G_OBJECT_CLASS (parent_class)->dispatch_properties_changed (object, n,
      pspecs);
  gst_psp_sink_check_limits (GST_PSP_SINK (object));
}

static GstStructure *
gst_psp_sink_get_stats (GstPspSink * self)
{
  GstPspDriverStats stats;
  GstStructure *structure;
  gchar *controller;

  GST_OBJECT_LOCK (self);
  controller = g_strdup (self->settings.controller);
  GST_OBJECT_UNLOCK (self);
  gst_psp_sink_stats_init (&stats, controller);

  g_mutex_lock (&self->run_lock);
  if (self->driver)
    gst_psp_driver_stats (self->driver, &stats);
  g_mutex_unlock (&self->run_lock);

  structure = gst_psp_sink_stats_to_structure (&stats);
  gst_psp_sink_stats_add_base (structure, GST_BASE_SINK (self));
  g_free (controller);
  return structure;
}

static guint
gst_psp_sink_get_estimate (GstPspSink * self)
{
  guint estimate = 0;

  g_mutex_lock (&self->run_lock);
  if (self->notifier)
    estimate = gst_notifier_estimate (self->notifier);
  g_mutex_unlock (&self->run_lock);
  return estimate;
}

static void
gst_psp_sink_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstPspSink *self = GST_PSP_SINK (object);
  gboolean known;

  switch (id) {
    case GST_PSP_SINK_URI:
      g_value_take_string (value,
          gst_psp_sink_uri_get_uri (GST_URI_HANDLER (self)));
      break;
    case GST_PSP_SINK_ESTIMATED_BITRATE:
      g_value_set_uint (value, gst_psp_sink_get_estimate (self));
      break;
    case GST_PSP_SINK_STATS:
      g_value_take_boxed (value, gst_psp_sink_get_stats (self));
      break;
    case GST_PSP_SINK_USED_SOCKET:
      GST_OBJECT_LOCK (self);
      g_value_set_object (value, self->used_socket);
      GST_OBJECT_UNLOCK (self);
      break;
    default:
      GST_OBJECT_LOCK (self);
      known = gst_psp_sink_settings_get (&self->settings, id, value);
      GST_OBJECT_UNLOCK (self);
      if (!known)
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
}

static void
gst_psp_sink_finalize (GObject * object)
{
  GstPspSink *self = GST_PSP_SINK (object);

  gst_psp_sink_settings_clear (&self->settings);
  g_free (self->uri_error);
  g_clear_error (&self->refused);
  g_array_unref (self->packets);
  g_mutex_clear (&self->open_lock);
  g_mutex_clear (&self->run_lock);
  g_cond_clear (&self->redirected);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_signals (void)
{
  /**
   * GstPspSink::reset-controller:
   *
   * Starts the congestion controller anew, because the network has changed. If
   * packets leave through another interface, this happens by itself.
   */
  signals[SIGNAL_RESET_CONTROLLER] =
      g_signal_new_class_handler ("reset-controller", GST_TYPE_PSP_SINK,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_psp_sink_reset_controller), NULL, NULL, NULL,
      G_TYPE_NONE, 0);
  /**
   * GstPspSink::soft-limit:
   *
   * #GstPspSink:srtp-soft-limit packets were protected under the current key:
   * set another #GstPspSink:srtp-key. A key that is derived from a passphrase
   * has changed by itself. The streaming thread emits the signal.
   *
   * Since: 0.2
   */
  g_signal_new ("soft-limit", GST_TYPE_PSP_SINK, G_SIGNAL_RUN_LAST, 0, NULL,
      NULL, NULL, G_TYPE_NONE, 0);
  /**
   * GstPspSink::request-key:
   * @mki: (nullable): always %NULL here
   *
   * Asks for a key at the start, if #GstPspSink:srtp-suite is set without one.
   *
   * Returns: (nullable): the #GstPspSink:srtp-key of this run
   *
   * Since: 0.2
   */
  gst_psp_srtp_add_signal (GST_TYPE_PSP_SINK);
}

static void
gst_psp_sink_class_init (GstPspSinkClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *sink_class = GST_BASE_SINK_CLASS (klass);

  object_class->set_property = gst_psp_sink_set_property;
  object_class->get_property = gst_psp_sink_get_property;
  object_class->dispatch_properties_changed =
      gst_psp_sink_dispatch_properties_changed;
  object_class->finalize = gst_psp_sink_finalize;
  gst_psp_sink_settings_install (object_class, properties);
  install_signals ();

  gst_element_class_set_static_metadata (element_class, "Paced UDP sink",
      "Sink/Network", "Sends RTP over paced UDP with congestion control",
      "The gst-psp authors");
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_psp_sink_change_state);

  sink_class->set_caps = GST_DEBUG_FUNCPTR (gst_psp_sink_set_caps);
  sink_class->render = GST_DEBUG_FUNCPTR (gst_psp_sink_render);
  sink_class->render_list = GST_DEBUG_FUNCPTR (gst_psp_sink_render_list);
  sink_class->event = GST_DEBUG_FUNCPTR (gst_psp_sink_event);
  sink_class->wait_event = GST_DEBUG_FUNCPTR (gst_psp_sink_wait_event);
  sink_class->unlock = GST_DEBUG_FUNCPTR (gst_psp_sink_unlock);
  sink_class->unlock_stop = GST_DEBUG_FUNCPTR (gst_psp_sink_unlock_stop);

  gst_type_mark_as_plugin_api (GST_TYPE_PSP_LEAKY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_PSP_PACING, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_PSP_ECN, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_PSP_SRTP_SUITE, 0);
}

static void
gst_psp_sink_init (GstPspSink * self)
{
  g_mutex_init (&self->open_lock);
  g_mutex_init (&self->run_lock);
  g_cond_init (&self->redirected);
  self->packets = g_array_new (FALSE, FALSE, sizeof (GstPspPacket));
  gst_psp_sink_settings_init (&self->settings, properties);
  /* The last sample would keep packets that no element uses. */
  gst_base_sink_set_last_sample_enabled (GST_BASE_SINK (self), FALSE);
}
