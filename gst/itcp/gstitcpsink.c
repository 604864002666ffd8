/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * SECTION:element-itcpsink
 * @title: itcpsink
 * @see_also: pspsink, tcpclientsink, tcpserversrc
 *
 * itcpsink sends what it gets over the kernel's TCP, to any receiver of TCP,
 * and reads what the kernel knows of the connection: that its retransmission
 * timer expired (rexmt), that it entered fast recovery (dupack) and that unsent
 * data grows or acknowledgements have ceased (backlog). Each such event lowers
 * a target bitrate, as in interactive TCP (Khan and Zaghal), and time raises it
 * again: to the largest of #GstItcpSink:alpha times the target and
 * #GstItcpSink:min-target-bitrate at once, then, after #GstItcpSink:hold-time,
 * by #GstItcpSink:increase-step each #GstItcpSink:increase-interval up to
 * #GstItcpSink:max-target-bitrate, or, with #GstItcpSink:step-back, down by
 * alpha again where TCP does not keep up, and by steps where a step up made a
 * queue in the network grow. The target goes upstream as a congestion event and
 * to the application as an element message, both named GstCongestion, and
 * #GstItcpSink:estimated-bitrate notifies: mpegscaler, encoderbitrate and
 * others follow it. With #GstItcpSink:symbiosis off only the application is
 * notified of events.
 *
 * It takes no privilege. A kernel before 6.7, which does not count
 * retransmission timeouts, may hide the last of several in a row.
 *
 * Changes of state never wait for the network. While there is no receiver
 * upstream waits, or buffers are dropped
 * (#GstItcpSink:wait-for-connection). After a connection has ended the next
 * one begins with the first byte of a buffer, so that a stream of rtpstreampay
 * stays one. A receiver that stops reading for #GstItcpSink:timeout counts as
 * gone. As a listener it serves one receiver, at whatever address of the host
 * it connects to, and refuses others meanwhile. A receiver that comes later
 * than the stream began need not wait for the next key frame: the element asks
 * upstream for one.
 *
 * Not more than #GstItcpSink:max-queue-time of media, or 4 KiB, waits unsent in
 * the kernel; then upstream waits.
 *
 * ## Statistics
 *
 * #GstItcpSink:stats is a structure `application/x-itcp-sink-stats`. Times are
 * nanoseconds, rates bits per second; G_MAXUINT64 stands for unknown.
 *
 * * `state` (string): connecting, listening, connected, or failed
 * * `event-source`, `congestion-algorithm` (string): in use; empty before the
 *   first connection
 * * `connections` (uint): so far
 * * `rexmt`, `dupack`, `backlog` (uint64): events found, announced or not
 * * `events` (uint): congestion messages so far
 * * `event-delay` (uint64): until the last event was found, from the kernel's
 *   time of the retransmission, or with eBPF of the change of state; unknown
 *   with tcp-info and for a backlog
 * * `target-bitrate`, `base-bitrate` (uint64)
 * * `bytes-sent` (uint64): of buffers written whole
 * * `bytes-acked`, `segments-retransmitted` (uint64): of the last connection
 * * `rtt`, `unsent-bytes`, `unacked-bytes` (uint64): of the connection
 * * `dropped-buffers` (uint64): because there was no receiver
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 tcpserversrc port=5004 ! application/x-rtp-stream,media=video,clock-rate=90000,encoding-name=JPEG,payload=26 ! rtpstreamdepay ! rtpjpegdepay ! jpegdec ! autovideosink
 * gst-launch-1.0 videotestsrc is-live=true ! jpegenc ! rtpjpegpay ! rtpstreampay ! itcpsink port=5004
 * ]| Receives and sends JPEG on the same machine.
 *
 * Since: 0.1
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstitcpsink.h"

#include "gstitcplink.h"
#include "gstitcpsettings.h"

GST_DEBUG_CATEGORY (gst_itcp_sink_debug);
#define GST_CAT_DEFAULT gst_itcp_sink_debug

static GParamSpec *properties[GST_ITCP_SINK_N_PROPERTIES];

struct _GstItcpSink
{
  GstBaseSink parent;

  /* The object lock protects the settings. They are changed with the run lock
   * held too, so that the link gets the changes in order. */
  GstItcpSettings settings;

  /* A caller that uses the link outside the streaming thread holds this lock.
   * It is taken before the object lock. */
  GMutex run_lock;
  GstItcpLink *link;
  GstNotifier *notifier;

  /* Only the streaming thread uses the members below. `rest` is a buffer
   * that a flush cut short. */
  GstBuffer *rest;
  GstItcpProgress rest_progress;
  /* buffers came since the start, a flush or a new upstream */
  gboolean streams;
  gboolean restarted;           /* a flush or a new upstream came */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

#define gst_itcp_sink_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstItcpSink, gst_itcp_sink, GST_TYPE_BASE_SINK,
    GST_DEBUG_CATEGORY_INIT (gst_itcp_sink_debug, "itcpsink", 0,
        "Interactive TCP sink"));
GST_ELEMENT_REGISTER_DEFINE (itcpsink, "itcpsink", GST_RANK_NONE,
    GST_TYPE_ITCP_SINK);

/* Makes the link; the caller holds the run lock. */
static gboolean
make_link (GstItcpSink * self)
{
  GstItcpSettings settings;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  gst_settings_dup (gst_itcp_fields, &settings);
  GST_OBJECT_UNLOCK (self);
  self->notifier = gst_notifier_new (GST_ELEMENT (self),
      GST_BASE_SINK_PAD (self), NULL);
  self->link = gst_itcp_link_new (GST_ELEMENT (self), self->notifier, &settings,
      properties[GST_ITCP_SINK_CURRENT_PORT],
      properties[GST_ITCP_SINK_ESTIMATED_BITRATE]);
  gst_settings_clear (gst_itcp_fields, &settings);
  if (!self->link)
    gst_notifier_stop (g_steal_pointer (&self->notifier));
  return self->link != NULL;
}

static gboolean
has_port (GstItcpSink * self)
{
  gboolean has;

  GST_OBJECT_LOCK (self);
  has = self->settings.port > 0
      || self->settings.mode == GST_ITCP_MODE_LISTENER;
  GST_OBJECT_UNLOCK (self);
  return has;
}

static void
gst_itcp_sink_warn_of_limits (GstItcpSink * self)
{
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  gst_itcp_settings_check_limits (&self->settings, &error);
  GST_OBJECT_UNLOCK (self);
  gst_settings_warn (GST_ELEMENT (self), error);
}

static gboolean
gst_itcp_sink_start (GstBaseSink * sink)
{
  GstItcpSink *self = GST_ITCP_SINK (sink);
  gboolean made;

  if (!has_port (self)) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        ("There is no port 0 to connect to; set port to the receiver's, or "
            "mode=listener for any that is free."), (NULL));
    return FALSE;
  }
  g_mutex_lock (&self->run_lock);
  made = make_link (self);
  g_mutex_unlock (&self->run_lock);
  if (!made) {
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("There is no file descriptor left; raise the limits of the process."),
        (NULL));
    return FALSE;
  }
  gst_itcp_sink_warn_of_limits (self);
  self->streams = self->restarted = FALSE;
  return TRUE;
}

static void
gst_itcp_sink_started (GstBaseSink * sink)
{
  gst_notifier_start (GST_ITCP_SINK (sink)->notifier);
}

static void
gst_itcp_sink_stop (GstBaseSink * sink)
{
  GstItcpSink *self = GST_ITCP_SINK (sink);
  GstNotifier *notifier;
  GstItcpLink *link;

  g_mutex_lock (&self->run_lock);
  link = g_steal_pointer (&self->link);
  notifier = g_steal_pointer (&self->notifier);
  g_mutex_unlock (&self->run_lock);
  if (link) {
    gst_itcp_link_free (link);
    gst_notifier_stop (notifier);
  }
  gst_clear_buffer (&self->rest);
}

static void
gst_itcp_sink_set_unlocked (GstBaseSink * sink, GstPrerollUnlock why,
    gboolean unlocked)
{
  GstItcpSink *self = GST_ITCP_SINK (sink);

  g_mutex_lock (&self->run_lock);
  if (self->link)
    gst_itcp_link_set_unlocked (self->link, why, unlocked);
  g_mutex_unlock (&self->run_lock);
}

static gboolean
gst_itcp_sink_unlock (GstBaseSink * sink)
{
  gst_itcp_sink_set_unlocked (sink, GST_PREROLL_UNLOCK_STOP, TRUE);
  return TRUE;
}

static gboolean
gst_itcp_sink_unlock_stop (GstBaseSink * sink)
{
  gst_itcp_sink_set_unlocked (sink, GST_PREROLL_UNLOCK_STOP, FALSE);
  return TRUE;
}

static GstStateChangeReturn
gst_itcp_sink_change_state (GstElement * element, GstStateChange transition)
{
  static const GstPrerollFunctions functions = {
    .start = gst_itcp_sink_start,
    .started = gst_itcp_sink_started,
    .stop = gst_itcp_sink_stop,
    .set_unlocked = gst_itcp_sink_set_unlocked
  };

  return gst_preroll_change_state (GST_BASE_SINK (element), transition,
      parent_class, &functions);
}

/* Streaming */

static GstFlowReturn
gst_itcp_sink_write (GstItcpSink * self, GstBuffer * buffer,
    GstItcpProgress * progress)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GstItcpWrite result;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR (self, RESOURCE, READ,
        ("A buffer's memory cannot be read; convert it to system memory."),
        (NULL));
    return GST_FLOW_ERROR;
  }
  do {
    result = gst_itcp_link_write (self->link, map.data, map.size, progress);
    if (result == GST_ITCP_WRITE_INTERRUPTED)
      ret = gst_preroll_wait (GST_BASE_SINK (self));
  } while (result == GST_ITCP_WRITE_INTERRUPTED && ret == GST_FLOW_OK);
  gst_buffer_unmap (buffer, &map);
  return result == GST_ITCP_WRITE_FAILED ? GST_FLOW_ERROR : ret;
}

/* Writes the rest of a buffer that was flushed. A receiver that has part of it
 * needs the rest; otherwise it could not find the start of the next one. */
static GstFlowReturn
gst_itcp_sink_write_rest (GstItcpSink * self)
{
  GstFlowReturn ret;

  if (!self->rest)
    return GST_FLOW_OK;
  ret = gst_itcp_sink_write (self, self->rest, &self->rest_progress);
  if (ret == GST_FLOW_OK)
    gst_clear_buffer (&self->rest);
  return ret;
}

/* Returns the buffer's running time, in decoding order if that is known. */
static GstClockTime
media_time (GstItcpSink * self, GstBuffer * buffer)
{
  const GstSegment *segment = &GST_BASE_SINK (self)->segment;

  if (segment->format != GST_FORMAT_TIME)
    return GST_CLOCK_TIME_NONE;
  return gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      GST_BUFFER_DTS_OR_PTS (buffer));
}

/* Announces the target again: upstream may not have been linked when it was
 * announced, or may have forgotten it. */
static void
gst_itcp_sink_begin (GstItcpSink * self)
{
  if (!self->streams
      && (self->restarted || gst_notifier_missed (self->notifier)))
    gst_itcp_link_repeat_target (self->link);
  self->streams = TRUE;
}

static gboolean
gst_itcp_sink_event (GstBaseSink * sink, GstEvent * event)
{
  GstItcpSink *self = GST_ITCP_SINK (sink);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP && self->link)
    gst_itcp_link_flushed (self->link);
  if (self->streams && (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP ||
          GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)) {
    self->streams = FALSE;
    self->restarted = TRUE;
  }
  return GST_BASE_SINK_CLASS (parent_class)->event (sink, event);
}

static GstFlowReturn
gst_itcp_sink_render (GstBaseSink * sink, GstBuffer * buffer)
{
  GstItcpSink *self = GST_ITCP_SINK (sink);
  GstItcpProgress progress = {.time = media_time (self, buffer) };
  GstFlowReturn ret;

  gst_itcp_sink_begin (self);
  ret = gst_itcp_sink_write_rest (self);
  if (ret == GST_FLOW_OK && gst_buffer_get_size (buffer) > 0) {
    ret = gst_itcp_sink_write (self, buffer, &progress);
    if (ret == GST_FLOW_FLUSHING && progress.done > 0) {
      self->rest = gst_buffer_ref (buffer);
      self->rest_progress = progress;
      self->rest_progress.is_rest = TRUE;
    }
  }
  return ret;
}

/* Waits until all data has reached the receiver, before the end of stream is
 * reported. An application that stops then closes the connection, and TCP drops
 * unsent data if the receiver has sent something that was not read. */
static GstFlowReturn
gst_itcp_sink_drain (GstItcpSink * self)
{
  GstFlowReturn ret = gst_itcp_sink_write_rest (self);

  while (ret == GST_FLOW_OK &&
      gst_itcp_link_drain (self->link) == GST_ITCP_WRITE_INTERRUPTED)
    ret = gst_preroll_wait (GST_BASE_SINK (self));
  return ret;
}

static GstFlowReturn
gst_itcp_sink_wait_event (GstBaseSink * sink, GstEvent * event)
{
  GstFlowReturn ret = GST_BASE_SINK_CLASS (parent_class)->wait_event (sink,
      event);

  if (ret == GST_FLOW_OK && GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    ret = gst_itcp_sink_drain (GST_ITCP_SINK (sink));
  return ret;
}

/* Properties */

static void
gst_itcp_sink_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstItcpSink *self = GST_ITCP_SINK (object);
  GstItcpSettings settings;
  gboolean known;

  g_mutex_lock (&self->run_lock);
  GST_OBJECT_LOCK (self);
  known = gst_itcp_settings_set (&self->settings, id, value);
  settings = self->settings;
  gst_settings_dup (gst_itcp_fields, &settings);
  GST_OBJECT_UNLOCK (self);
  if (self->link)
    gst_itcp_link_set_settings (self->link, &settings);
  g_mutex_unlock (&self->run_lock);
  gst_settings_clear (gst_itcp_fields, &settings);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* Returns the value for the statistics, G_MAXUINT64 = unknown. */
static guint64
or_unknown (gint64 value)
{
  return value < 0 ? G_MAXUINT64 : (guint64) value;
}

static void
gst_itcp_sink_get_link_stats (GstItcpSink * self, GstItcpLinkStats * s)
{
  *s = (GstItcpLinkStats) {
  .state = "connecting",.last_delay = -1,.target = -1,.base = -1};
  g_mutex_lock (&self->run_lock);
  if (self->link)
    gst_itcp_link_stats (self->link, s);
  g_mutex_unlock (&self->run_lock);
}

static GstStructure *
gst_itcp_sink_make_stats (GstItcpSink * self)
{
  GstItcpLinkStats s;

  gst_itcp_sink_get_link_stats (self, &s);
  return gst_structure_new ("application/x-itcp-sink-stats",
      "state", G_TYPE_STRING, s.state,
      "event-source", G_TYPE_STRING, s.source ? s.source : "",
      "congestion-algorithm", G_TYPE_STRING, s.congestion,
      "connections", G_TYPE_UINT, s.connections,
      "rexmt", G_TYPE_UINT64, s.events[ITCP_EVENT_REXMT],
      "dupack", G_TYPE_UINT64, s.events[ITCP_EVENT_DUPACK],
      "backlog", G_TYPE_UINT64, s.events[ITCP_EVENT_BACKLOG],
      "events", G_TYPE_UINT, s.messages,
      "event-delay", G_TYPE_UINT64, or_unknown (s.last_delay),
      "target-bitrate", G_TYPE_UINT64, or_unknown (s.target),
      "base-bitrate", G_TYPE_UINT64, or_unknown (s.base),
      "bytes-sent", G_TYPE_UINT64, s.bytes_sent,
      "bytes-acked", G_TYPE_UINT64, s.bytes_acked,
      "segments-retransmitted", G_TYPE_UINT64, s.retransmits,
      "rtt", G_TYPE_UINT64, s.rtt > 0 ? (guint64) s.rtt : G_MAXUINT64,
      "unsent-bytes", G_TYPE_UINT64, (guint64) s.unsent,
      "unacked-bytes", G_TYPE_UINT64, (guint64) s.unacked,
      "dropped-buffers", G_TYPE_UINT64, s.dropped, NULL);
}

static void
gst_itcp_sink_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstItcpSink *self = GST_ITCP_SINK (object);
  GstItcpLinkStats s;
  gboolean known;

  switch (id) {
    case GST_ITCP_SINK_CURRENT_PORT:
      gst_itcp_sink_get_link_stats (self, &s);
      g_value_set_int (value, (gint) s.port);
      break;
    case GST_ITCP_SINK_ESTIMATED_BITRATE:
      gst_itcp_sink_get_link_stats (self, &s);
      g_value_set_uint (value, s.estimate);
      break;
    case GST_ITCP_SINK_STATS:
      g_value_take_boxed (value, gst_itcp_sink_make_stats (self));
      break;
    default:
      GST_OBJECT_LOCK (self);
      known = gst_settings_get (gst_itcp_fields, &self->settings, id, value);
      GST_OBJECT_UNLOCK (self);
      if (!known)
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
}

static void
gst_itcp_sink_finalize (GObject * object)
{
  GstItcpSink *self = GST_ITCP_SINK (object);

  gst_settings_clear (gst_itcp_fields, &self->settings);
  g_mutex_clear (&self->run_lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_itcp_sink_class_init (GstItcpSinkClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *sink_class = GST_BASE_SINK_CLASS (klass);

  object_class->set_property = gst_itcp_sink_set_property;
  object_class->get_property = gst_itcp_sink_get_property;
  object_class->finalize = gst_itcp_sink_finalize;
  gst_itcp_settings_install (object_class, properties);

  gst_element_class_set_static_metadata (element_class,
      "Interactive TCP sink", "Sink/Network",
      "Sends over TCP, whose retransmissions reach the pipeline",
      "The gst-psp authors");
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_itcp_sink_change_state);

  sink_class->unlock = GST_DEBUG_FUNCPTR (gst_itcp_sink_unlock);
  sink_class->unlock_stop = GST_DEBUG_FUNCPTR (gst_itcp_sink_unlock_stop);
  sink_class->event = GST_DEBUG_FUNCPTR (gst_itcp_sink_event);
  sink_class->wait_event = GST_DEBUG_FUNCPTR (gst_itcp_sink_wait_event);
  sink_class->render = GST_DEBUG_FUNCPTR (gst_itcp_sink_render);

  gst_type_mark_as_plugin_api (GST_TYPE_ITCP_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_ITCP_EVENT_SOURCE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_ITCP_EVENTS, 0);
}

static void
gst_itcp_sink_init (GstItcpSink * self)
{
  g_mutex_init (&self->run_lock);
  gst_itcp_settings_init (&self->settings, properties);
  gst_base_sink_set_last_sample_enabled (GST_BASE_SINK (self), FALSE);
}
