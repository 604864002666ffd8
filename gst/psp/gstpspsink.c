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
 * (RFC 8888), as pspsrc does. What the network carries goes upstream as
 * a congestion event and to the application as an element message, both named
 * GstCongestion, and #GstPspSink:estimated-bitrate notifies: encoderbitrate
 * and other elements lower the media rate with it.
 *
 * Packets wait in a queue of at most #GstPspSink:max-queue-time. When it is
 * full, #GstPspSink:leaky says whether upstream waits or whole pictures are
 * dropped: all packets of one SSRC and one RTP timestamp. A picture whose
 * first packet was queued is completed even beyond the limit, and one of which
 * a packet has left is never cut short, so the queue may exceed the limit by
 * a picture. Only where a single picture exceeds 16384 packets is its rest
 * dropped. A flush empties the queue; nothing of that counts as dropped. What
 * waits counts as time at the target bitrate, else (controller=none) as what its
 * time stamps span, else as long as the oldest has waited. Of dropped pictures
 * others may be coded: upstream is asked for a key frame (GstForceKeyUnit), at
 * most once a second.
 *
 * As in every sink, buffers are synchronized to the clock before they are
 * queued (#GstBaseSink:sync). The time spent in the queue comes on top and is
 * not part of the latency reported. In PAUSED nothing leaves. EOS is posted
 * once the queue is empty, and an RTCP BYE follows the last packet.
 *
 * Media goes to #GstPspSink:host and #GstPspSink:port only, and feedback counts
 * only from that address, from any port. #GstPspSink:uri changes both at once.
 * Without feedback for ten seconds media stops, with a warning; a packet
 * a second then probes the path, and media goes on when feedback returns. To
 * multicast groups only the controllers none and fixed can send.
 *
 * ## Statistics
 *
 * #GstPspSink:stats is a structure `application/x-psp-sink-stats`. Times are
 * nanoseconds, rates bits per second; G_MAXUINT64 stands for unknown or none.
 *
 * * `controller` (string)
 * * `target-bitrate`, `delivered-bitrate` (uint64): of RTP payload; what fits
 *   now, and what was acknowledged over the last second
 * * `rtt`, `rtt-min` (uint64): round trip, smoothed and smallest
 * * `loss` (double): fraction lost over the last round trip; -1 is unknown
 * * `in-flight`, `window` (uint64): packets
 * * `spacing` (uint64): packet period in force
 * * `packets-sent`, `bytes-sent`, `payload-bytes-sent`, `packets-acked`,
 *   `packets-lost`, `packets-recovered` (they arrived after having been taken
 *   for lost), `packets-ce` (marked with congestion experienced) (uint64)
 * * `queue-packets` (uint), `queue-bytes` (uint64, payload), `queue-time`
 *   (uint64): what waits
 * * `dropped-packets`, `dropped-pictures` (uint64): by a leaky queue or
 *   a stopped link
 * * `send-errors` (uint64): packets that the system refused
 * * `feedback-received` (valid reports), `feedback-bytes`,
 *   `feedback-malformed`, `feedback-unknown-ssrc`, `feedback-never-sent` (it
 *   reports what was never sent), `feedback-foreign` (datagrams from other
 *   addresses, ignored) (uint64)
 * * `link-state` (string): waiting, alive, silent or stopped
 * * `gap-mean`, `gap-deviation` (double), `gap-p99` (uint64): time between
 *   packets while more were waiting
 * * `precision` (string): realtime or sleep, as the system granted
 * * `segment` (boolean): the kernel cuts runs of equal packets (UDP_SEGMENT)
 * * `system-calls` (uint64): to send packets with
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

#include "gstpspsink.h"

#include "gstpspsinksettings.h"
#include "gstpspsinkstats.h"
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

/* Properties of pspsrc that a URI may carry for it. */
static const gchar *const other_end[] = {
  "address", "multicast-group", "auto-multicast", "reuse", "buffer-size",
  "caps", "timeout", "feedback-interval", "eos-on-bye", NULL
};

struct _GstPspSink
{
  GstBaseSink parent;

  /* With the object lock. */
  GstPspSinkSettings settings;
  gboolean applying_uri;        /* host, port, controller change together */
  gchar *uri_error;             /* of the URI set last */
  GSocket *used_socket;

  /* Opening, redirecting; held while a name resolves. */
  GMutex open_lock;
  /* What runs; never held across anything that blocks for long. */
  GMutex run_lock;
  GstPspTransmitter *transmitter;
  GstPspNotifier *notifier;
  PspAddress destination;

  /* The streaming thread's. */
  GArray *packets;              /* of GstPspPacket */
  gint warned_of_size;          /* the smallest that a packet exceeded */
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

/* Takes the error. */
static void
gst_psp_sink_post (GstPspSink * self, GstMessageType type, GError * error)
{
  GST_WARNING_OBJECT (self, "%s", error->message);
  gst_element_message_full (GST_ELEMENT (self), type, error->domain,
      error->code, g_strdup (error->message), NULL, __FILE__, GST_FUNCTION,
      __LINE__);
  g_error_free (error);
}

static void
gst_psp_sink_get_settings (GstPspSink * self, GstPspSinkSettings * settings)
{
  GST_OBJECT_LOCK (self);
  gst_psp_sink_settings_copy (settings, &self->settings);
  GST_OBJECT_UNLOCK (self);
}

/* Opening and closing */

static void
gst_psp_sink_set_used_socket (GstPspSink * self, GSocket * socket)
{
  GSocket *old;

  GST_OBJECT_LOCK (self);
  old = self->used_socket;
  self->used_socket = socket ? g_object_ref (socket) : NULL;
  GST_OBJECT_UNLOCK (self);
  g_clear_object (&old);
}

/* With both locks: from here on packets go there. */
static void
gst_psp_sink_begin (GstPspSink * self, GSocket * socket,
    const PspAddress * destination)
{
  gchar name[PSP_ADDRESS_TEXT];

  psp_address_text (destination, name);
  GST_INFO_OBJECT (self, "sending to %s", name);
  self->destination = *destination;
  gst_psp_sink_set_used_socket (self, socket);
  gst_psp_transmitter_start (self->transmitter, g_socket_get_fd (socket),
      destination, name);
}

static gboolean
gst_psp_sink_open (GstPspSink * self, const GstPspSinkSettings * settings,
    GError ** error)
{
  const PspControllerClass *klass;
  GstPspTransmitter *t;
  GstPspNotifier *notifier;
  PspAddress destination;
  PspLimits limits;
  GSocket *socket;

  if (!gst_psp_socket_resolve (&settings->socket, &destination, error))
    return FALSE;
  klass = gst_psp_sink_settings_controller (settings, &destination, error);
  if (!klass)
    return FALSE;
  socket = gst_psp_socket_open (&settings->socket, &destination, error);
  if (!socket)
    return FALSE;

  notifier = gst_psp_notifier_new (GST_ELEMENT (self),
      GST_BASE_SINK_PAD (self), properties[GST_PSP_SINK_ESTIMATED_BITRATE]);
  gst_psp_sink_settings_limits (settings, &limits);
  t = gst_psp_transmitter_new (GST_ELEMENT (self), notifier, klass, &limits,
      settings->pacing);
  if (!t) {
    gst_psp_notifier_stop (notifier);
    g_object_unref (socket);
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "There is no memory or no file descriptor left; raise the limits of "
        "the process.");
    return FALSE;
  }
  gst_psp_transmitter_set_queue_limits (t, settings->leaky,
      settings->max_queue_time);

  g_mutex_lock (&self->run_lock);
  self->transmitter = t;
  self->notifier = notifier;
  gst_psp_sink_begin (self, socket, &destination);
  g_mutex_unlock (&self->run_lock);
  g_object_unref (socket);
  return TRUE;
}

static gboolean
gst_psp_sink_start (GstPspSink * self)
{
  GstPspSinkSettings settings;
  GError *error = NULL;
  gboolean ok = FALSE;

  self->warned_of_size = G_MAXINT;
  g_mutex_lock (&self->open_lock);
  GST_OBJECT_LOCK (self);
  if (self->uri_error)
    error = g_error_new_literal (GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SETTINGS, self->uri_error);
  GST_OBJECT_UNLOCK (self);
  if (!error) {
    gst_psp_sink_get_settings (self, &settings);
    ok = gst_psp_sink_open (self, &settings, &error);
    gst_psp_sink_settings_clear (&settings);
  }
  g_mutex_unlock (&self->open_lock);

  if (!ok)
    gst_psp_sink_post (self, GST_MESSAGE_ERROR, error);
  return ok;
}

/* Closes the socket in use, unless it was given to be kept open. */
static void
gst_psp_sink_close_socket (GstPspSink * self)
{
  GSocket *socket;
  gboolean close;

  GST_OBJECT_LOCK (self);
  socket = g_steal_pointer (&self->used_socket);
  close = socket != self->settings.socket.socket || self->settings.close_socket;
  GST_OBJECT_UNLOCK (self);
  if (!socket)
    return;
  if (close)
    g_socket_close (socket, NULL);
  g_object_unref (socket);
}

static void
gst_psp_sink_stop (GstPspSink * self)
{
  GstPspTransmitter *t;
  GstPspNotifier *notifier;

  g_mutex_lock (&self->run_lock);
  t = g_steal_pointer (&self->transmitter);
  notifier = g_steal_pointer (&self->notifier);
  g_mutex_unlock (&self->run_lock);
  if (!t)
    return;

  gst_psp_transmitter_bye (t);
  gst_psp_transmitter_stop (t);
  gst_psp_notifier_stop (notifier);
  gst_psp_transmitter_free (t);
  gst_psp_sink_close_socket (self);
}

/* With run_lock: the one that the property names now, not when the name of
 * a host began to be resolved. */
static const PspControllerClass *
gst_psp_sink_find_controller (GstPspSink * self, const PspAddress * destination,
    GError ** error)
{
  const PspControllerClass *klass;
  GstPspSinkSettings settings;

  gst_psp_sink_get_settings (self, &settings);
  klass = gst_psp_sink_settings_controller (&settings, destination, error);
  gst_psp_sink_settings_clear (&settings);
  return klass;
}

/* With run_lock. */
static gboolean
gst_psp_sink_set_controller (GstPspSink * self,
    const PspControllerClass * klass, GError ** error)
{
  if (gst_psp_transmitter_set_controller (self->transmitter, klass))
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "There is no memory for the controller; the one before stays.");
  return FALSE;
}

/* With both locks, the transmitter stopped. The socket is kept where it can
 * reach the destination. */
static gboolean
gst_psp_sink_switch (GstPspSink * self, const GstPspSinkSettings * settings,
    const PspAddress * destination, GError ** error)
{
  const PspControllerClass *klass =
      gst_psp_sink_find_controller (self, destination, error);
  GSocket *socket;

  if (!klass)
    return FALSE;
  /* One that was set together with the destination, or refused for the old. */
  if (klass != gst_psp_transmitter_controller (self->transmitter) &&
      !gst_psp_sink_set_controller (self, klass, error))
    return FALSE;
  if (self->used_socket && (settings->socket.socket ||
          destination->storage.ss_family ==
          self->destination.storage.ss_family)) {
    socket = g_object_ref (self->used_socket);
  } else {
    gst_psp_sink_close_socket (self);
    socket = gst_psp_socket_open (&settings->socket, destination, error);
  }
  if (!socket)
    return FALSE;
  gst_psp_sink_begin (self, socket, destination);
  g_object_unref (socket);
  return TRUE;
}

/* With open_lock. */
static void
gst_psp_sink_redirect_to (GstPspSink * self,
    const GstPspSinkSettings * settings, GError ** error)
{
  PspAddress destination;
  gboolean resolved = gst_psp_socket_resolve (&settings->socket, &destination,
      error);

  g_mutex_lock (&self->run_lock);
  if (self->transmitter && !(resolved &&
          gst_psp_transmitter_is_running (self->transmitter) &&
          psp_address_equal (&destination, &self->destination))) {
    /* Nothing goes to the old destination any more, come what may. */
    gst_psp_transmitter_stop (self->transmitter);
    if (resolved)
      gst_psp_sink_switch (self, settings, &destination, error);
  }
  g_mutex_unlock (&self->run_lock);
}

/* Host or port changed. */
static void
gst_psp_sink_redirect (GstPspSink * self)
{
  GstPspSinkSettings settings;
  GError *error = NULL;
  gboolean running, later;

  g_mutex_lock (&self->open_lock);
  GST_OBJECT_LOCK (self);
  later = self->applying_uri;
  GST_OBJECT_UNLOCK (self);
  g_mutex_lock (&self->run_lock);
  running = self->transmitter != NULL;
  g_mutex_unlock (&self->run_lock);

  if (running && !later) {
    gst_psp_sink_get_settings (self, &settings);
    gst_psp_sink_redirect_to (self, &settings, &error);
    gst_psp_sink_settings_clear (&settings);
  }
  g_mutex_unlock (&self->open_lock);

  if (error)
    gst_psp_sink_post (self, GST_MESSAGE_ERROR, error);
}

/* What else of the socket's may change while it is in use. */
static void
gst_psp_sink_update_socket (GstPspSink * self)
{
  GstPspSinkSettings settings;
  GError *error = NULL;

  gst_psp_sink_get_settings (self, &settings);
  g_mutex_lock (&self->run_lock);
  if (self->transmitter && self->used_socket)
    gst_psp_socket_apply (&settings.socket, self->used_socket, &error);
  g_mutex_unlock (&self->run_lock);
  gst_psp_sink_settings_clear (&settings);
  if (error)
    gst_psp_sink_post (self, GST_MESSAGE_WARNING, error);
}

/* Set again by itself, a controller starts anew; not so as part of a URI. */
static void
gst_psp_sink_update_controller (GstPspSink * self, gboolean anew)
{
  const PspControllerClass *klass;
  GError *error = NULL;
  gboolean later;

  GST_OBJECT_LOCK (self);
  later = self->applying_uri;
  GST_OBJECT_UNLOCK (self);
  g_mutex_lock (&self->run_lock);
  /* One that has no destination gets its controller with the next. */
  if (!later && self->transmitter &&
      gst_psp_transmitter_is_running (self->transmitter)) {
    klass = gst_psp_sink_find_controller (self, &self->destination, &error);
    if (klass && (anew ||
            klass != gst_psp_transmitter_controller (self->transmitter)))
      gst_psp_sink_set_controller (self, klass, &error);
  }
  g_mutex_unlock (&self->run_lock);
  if (error)
    gst_psp_sink_post (self, GST_MESSAGE_WARNING, error);
}

static void
gst_psp_sink_update_limits (GstPspSink * self)
{
  GstPspSinkSettings settings;
  PspLimits limits;

  g_mutex_lock (&self->run_lock);
  if (self->transmitter) {
    gst_psp_sink_get_settings (self, &settings);
    gst_psp_sink_settings_limits (&settings, &limits);
    gst_psp_transmitter_set_limits (self->transmitter, &limits);
    gst_psp_sink_settings_clear (&settings);
  }
  g_mutex_unlock (&self->run_lock);
}

static void
gst_psp_sink_update_queue (GstPspSink * self)
{
  GstPspSinkSettings settings;

  g_mutex_lock (&self->run_lock);
  if (self->transmitter) {
    gst_psp_sink_get_settings (self, &settings);
    gst_psp_transmitter_set_queue_limits (self->transmitter, settings.leaky,
        settings.max_queue_time);
    gst_psp_sink_settings_clear (&settings);
  }
  g_mutex_unlock (&self->run_lock);
}

static void
gst_psp_sink_reset_controller (GstPspSink * self)
{
  g_mutex_lock (&self->run_lock);
  if (self->transmitter)
    gst_psp_transmitter_reset (self->transmitter);
  g_mutex_unlock (&self->run_lock);
}

/* Streaming */

static gboolean
gst_psp_sink_set_caps (GstBaseSink * sink, GstCaps * caps)
{
  GstPspSink *self = GST_PSP_SINK (sink);
  gint clock_rate = 0;

  gst_structure_get_int (gst_caps_get_structure (caps, 0), "clock-rate",
      &clock_rate);
  gst_psp_transmitter_set_clock_rate (self->transmitter, MAX (clock_rate, 0));
  return TRUE;
}

static GstFlowReturn
gst_psp_sink_add (GstPspSink * self, GstBuffer * buffer)
{
  GstSegment *segment = &GST_BASE_SINK (self)->segment;
  gint max_packet = gst_psp_transmitter_max_packet (self->transmitter);
  GstPspPacket packet;
  GError *error = NULL;

  if (!gst_psp_packet_parse (&packet, buffer, &error)) {
    gst_psp_sink_post (self, GST_MESSAGE_ERROR, error);
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

/* Forgets what was added; from that one on it was not queued. */
static void
gst_psp_sink_discard (GstPspSink * self, guint from)
{
  for (guint i = from; i < self->packets->len; i++)
    gst_buffer_unref (g_array_index (self->packets, GstPspPacket, i).buffer);
  g_array_set_size (self->packets, 0);
}

/* Queues what was added; waits for room, and while paused. */
static GstFlowReturn
gst_psp_sink_push (GstPspSink * self)
{
  GstPspPacket *packets = (GstPspPacket *) self->packets->data;
  guint n = self->packets->len, taken = 0;
  GstFlowReturn ret = GST_FLOW_OK;

  gst_psp_notifier_stream (self->notifier, TRUE);
  while (taken < n && ret == GST_FLOW_OK) {
    taken += gst_psp_transmitter_push (self->transmitter, packets + taken,
        n - taken);
    if (taken < n)
      ret = gst_base_sink_wait_preroll (GST_BASE_SINK (self));
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
    gst_psp_notifier_stream (self->notifier, FALSE);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START ||
      GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    g_mutex_lock (&self->run_lock);
    if (self->transmitter)
      gst_psp_transmitter_flush (self->transmitter);
    g_mutex_unlock (&self->run_lock);
  }
  return GST_BASE_SINK_CLASS (parent_class)->event (sink, event);
}

/* EOS follows the last packet. */
static GstFlowReturn
gst_psp_sink_wait_event (GstBaseSink * sink, GstEvent * event)
{
  GstPspSink *self = GST_PSP_SINK (sink);
  GstFlowReturn ret;

  ret = GST_BASE_SINK_CLASS (parent_class)->wait_event (sink, event);
  if (GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return ret;
  while (ret == GST_FLOW_OK && !gst_psp_transmitter_drain (self->transmitter))
    ret = gst_base_sink_wait_preroll (sink);
  if (ret == GST_FLOW_OK)
    gst_psp_transmitter_bye (self->transmitter);
  return ret;
}

static void
gst_psp_sink_set_unlocked (GstPspSink * self, gboolean unlocked)
{
  g_mutex_lock (&self->run_lock);
  if (self->transmitter)
    gst_psp_transmitter_set_unlocked (self->transmitter, unlocked);
  g_mutex_unlock (&self->run_lock);
}

static gboolean
gst_psp_sink_unlock (GstBaseSink * sink)
{
  gst_psp_sink_set_unlocked (GST_PSP_SINK (sink), TRUE);
  return TRUE;
}

static gboolean
gst_psp_sink_unlock_stop (GstBaseSink * sink)
{
  gst_psp_sink_set_unlocked (GST_PSP_SINK (sink), FALSE);
  return TRUE;
}

/* A sink that prerolls late reaches PLAYING without a transition: rendering
 * tells the transmitter as well. */
static void
gst_psp_sink_set_playing (GstPspSink * self, gboolean playing)
{
  g_mutex_lock (&self->run_lock);
  if (self->transmitter)
    gst_psp_transmitter_set_playing (self->transmitter, playing);
  g_mutex_unlock (&self->run_lock);
}

static GstStateChangeReturn
gst_psp_sink_change_state (GstElement * element, GstStateChange transition)
{
  GstPspSink *self = GST_PSP_SINK (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED &&
      !gst_psp_sink_start (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    gst_psp_sink_set_playing (self, TRUE);

  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED &&
      ret != GST_STATE_CHANGE_FAILURE)
    gst_psp_notifier_start (self->notifier);
  /* Now that nothing is rendered any more. */
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    gst_psp_sink_set_playing (self, FALSE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (transition == GST_STATE_CHANGE_READY_TO_PAUSED &&
          ret == GST_STATE_CHANGE_FAILURE))
    gst_psp_sink_stop (self);
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
    /* Where the destination stayed as it was. */
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

static void
gst_psp_sink_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstPspSink *self = GST_PSP_SINK (object);
  gboolean known;

  if (id == GST_PSP_SINK_URI) {
    const gchar *uri = g_value_get_string (value);

    /* As a property it has nowhere to put an error: starting fails with it. */
    gst_psp_sink_uri_set_uri (GST_URI_HANDLER (self), uri ? uri : "", NULL);
    return;
  }

  GST_OBJECT_LOCK (self);
  known = gst_psp_sink_settings_set (&self->settings, id, value);
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);

  /* The others count from the next start on. */
  switch (id) {
    case GST_PSP_SINK_HOST:
    case GST_PSP_SINK_PORT:
      gst_psp_sink_redirect (self);
      break;
    case GST_PSP_SINK_TTL:
    case GST_PSP_SINK_TTL_MC:
    case GST_PSP_SINK_LOOP:
    case GST_PSP_SINK_QOS_DSCP:
      gst_psp_sink_update_socket (self);
      break;
    case GST_PSP_SINK_CONTROLLER:
      gst_psp_sink_update_controller (self, TRUE);
      break;
    case GST_PSP_SINK_SPACING:
    case GST_PSP_SINK_SCALE_BITRATES:
    case GST_PSP_SINK_MIN_TARGET_BITRATE:
    case GST_PSP_SINK_MAX_TARGET_BITRATE:
    case GST_PSP_SINK_START_TARGET_BITRATE:
      gst_psp_sink_update_limits (self);
      break;
    case GST_PSP_SINK_MAX_QUEUE_TIME:
    case GST_PSP_SINK_LEAKY:
      gst_psp_sink_update_queue (self);
      break;
  }
}

static GstStructure *
gst_psp_sink_get_stats (GstPspSink * self)
{
  GstPspTransmitterStats stats;
  GstStructure *structure;
  gchar *controller;

  GST_OBJECT_LOCK (self);
  controller = g_strdup (self->settings.controller);
  GST_OBJECT_UNLOCK (self);
  gst_psp_sink_stats_init (&stats, controller);

  g_mutex_lock (&self->run_lock);
  if (self->transmitter)
    gst_psp_transmitter_stats (self->transmitter, &stats);
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
    estimate = gst_psp_notifier_estimate (self->notifier);
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
  g_array_unref (self->packets);
  g_mutex_clear (&self->open_lock);
  g_mutex_clear (&self->run_lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_psp_sink_class_init (GstPspSinkClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *sink_class = GST_BASE_SINK_CLASS (klass);

  object_class->set_property = gst_psp_sink_set_property;
  object_class->get_property = gst_psp_sink_get_property;
  object_class->finalize = gst_psp_sink_finalize;
  gst_psp_sink_settings_install (object_class, properties);

  /**
   * GstPspSink::reset-controller:
   *
   * Starts the congestion controller anew: the network has changed. Where
   * packets come to leave through another interface this happens by itself.
   */
  signals[SIGNAL_RESET_CONTROLLER] =
      g_signal_new_class_handler ("reset-controller", GST_TYPE_PSP_SINK,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_psp_sink_reset_controller), NULL, NULL, NULL,
      G_TYPE_NONE, 0);

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
}

static void
gst_psp_sink_init (GstPspSink * self)
{
  g_mutex_init (&self->open_lock);
  g_mutex_init (&self->run_lock);
  self->packets = g_array_new (FALSE, FALSE, sizeof (GstPspPacket));
  gst_psp_sink_settings_init (&self->settings);
  /* It would keep a packet, or a list of them, for nobody. */
  gst_base_sink_set_last_sample_enabled (GST_BASE_SINK (self), FALSE);
}
