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
#include "gstrtpbandwidthpath.h"
#include "gstrtpbandwidthqueue.h"
#include "gstrtpbandwidthsession.h"
#include "gstrtpbandwidthsettings.h"
#include "gstrtpbandwidthstats.h"

#include <settings/settings.h>

GST_DEBUG_CATEGORY (gst_rtp_bandwidth_debug);
#define GST_CAT_DEFAULT gst_rtp_bandwidth_debug

/* ns; a push that takes longer was held up: webrtcbin blocks until its
 * transport is connected. */
#define HELD_UP (100 * PSP_MSECOND)
/* ns; the shortest time between two requests, because a key frame costs
 * several times as much as another frame. */
#define KEY_FRAME_INTERVAL PSP_SECOND

struct _GstRtpBandwidth
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;
  /* The object's lock protects `settings` and `path`. The streaming threads
   * use the path without it, because the path changes only while nothing
   * streams. */
  GstRtpBandwidthSettings settings;
  GstRtpBandwidthPath *path;    /* NULL = not started */

  /* The source pad's task uses these while it runs. */
  GObject *session;             /* emits feedback; NULL = not found */
  gulong session_handler;

  /* The path's lock protects these. */
  GstRtpBandwidthMember member;
  GstRtpBandwidthQueue *queue;
  gboolean active;              /* the source pad is active */
  gboolean flushing;
  GstFlowReturn result;         /* first error of a push, or GST_FLOW_OK */
  gboolean ended;               /* upstream has sent EOS */
  guint64 max_queue_time;
  /* When a key frame was last requested; PSP_TIME_UNKNOWN = never. */
  gint64 key_frame_at;
  gboolean warned;              /* has warned of missing feedback */
  guint64 unnumbered_packets, feedback_malformed;
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

/* Takes the object's lock, then the path's, for threads that do not
 * stream. Returns NULL and takes no lock if the element has not started. */
static GstRtpBandwidthPath *
gst_rtp_bandwidth_lock_path (GstRtpBandwidth * self)
{
  GST_OBJECT_LOCK (self);
  if (self->path) {
    gst_rtp_bandwidth_path_lock (self->path);
    return self->path;
  }
  GST_OBJECT_UNLOCK (self);
  return NULL;
}

static void
gst_rtp_bandwidth_unlock_path (GstRtpBandwidth * self)
{
  gst_rtp_bandwidth_path_unlock (self->path);
  GST_OBJECT_UNLOCK (self);
}

/* Input from upstream */

/* Asks for a key frame, because other pictures may refer to dropped ones.
 * The caller holds the path's lock. */
static void
gst_rtp_bandwidth_ask_key_frame (GstRtpBandwidth * self, gint64 now)
{
  if (self->key_frame_at != PSP_TIME_UNKNOWN
      && now - self->key_frame_at < KEY_FRAME_INTERVAL)
    return;
  GST_DEBUG_OBJECT (self, "asking for a key frame");
  self->key_frame_at = now;
  gst_notifier_key_frame (self->member.notifier);
}

/* Takes the buffer. The caller holds the path's lock. */
static void
gst_rtp_bandwidth_queue_buffer (GstRtpBandwidth * self, GstBuffer * buffer)
{
  gboolean over = self->max_queue_time > 0 &&
      gst_rtp_bandwidth_path_queue_time (self->path) >= self->max_queue_time;
  gboolean shed;
  const GstRtpBandwidthItem *head = gst_rtp_bandwidth_queue_head (self->queue);
  const GstRtpBandwidthPacket *packet =
      gst_rtp_bandwidth_queue_packet (self->queue, buffer, over,
      gst_rtp_bandwidth_path_names_streams (self->path, &self->member), &shed);

  if (shed)
    gst_rtp_bandwidth_ask_key_frame (self,
        gst_rtp_bandwidth_path_now (self->path));
  if (!packet)
    return;
  gst_rtp_bandwidth_path_queued (self->path, packet);
  if (!head || packet == &gst_rtp_bandwidth_queue_head (self->queue)->packet)
    gst_rtp_bandwidth_path_wake (&self->member);
}

static GstFlowReturn
gst_rtp_bandwidth_flow (GstRtpBandwidth * self)
{
  return self->flushing ? GST_FLOW_FLUSHING : self->result;
}

static GstFlowReturn
gst_rtp_bandwidth_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstRtpBandwidth *self = GST_RTP_BANDWIDTH (parent);
  GstFlowReturn ret;

  (void) pad;
  gst_notifier_stream (self->member.notifier, TRUE);
  gst_rtp_bandwidth_path_lock (self->path);
  ret = gst_rtp_bandwidth_flow (self);
  if (ret == GST_FLOW_OK)
    gst_rtp_bandwidth_queue_buffer (self, buffer);
  gst_rtp_bandwidth_path_unlock (self->path);
  if (ret != GST_FLOW_OK)
    gst_buffer_unref (buffer);
  return ret;
}

static gboolean
gst_rtp_bandwidth_take_buffer (GstBuffer ** buffer, guint i, gpointer data)
{
  (void) i;
  gst_rtp_bandwidth_queue_buffer (data, g_steal_pointer (buffer));
  return TRUE;
}

static GstFlowReturn
gst_rtp_bandwidth_chain_list (GstPad * pad, GstObject * parent,
    GstBufferList * list)
{
  GstRtpBandwidth *self = GST_RTP_BANDWIDTH (parent);
  GstFlowReturn ret;

  (void) pad;
  gst_notifier_stream (self->member.notifier, TRUE);
  list = gst_buffer_list_make_writable (list);
  gst_rtp_bandwidth_path_lock (self->path);
  ret = gst_rtp_bandwidth_flow (self);
  if (ret == GST_FLOW_OK)
    gst_buffer_list_foreach (list, gst_rtp_bandwidth_take_buffer, self);
  gst_rtp_bandwidth_path_unlock (self->path);
  gst_buffer_list_unref (list);
  return ret;
}

/* Discards the queue, and returns its events in order. The caller holds
 * the path's lock. */
static GList *
gst_rtp_bandwidth_clear_queue (GstRtpBandwidth * self)
{
  GList *events = NULL;

  while (gst_rtp_bandwidth_queue_head (self->queue)) {
    GstRtpBandwidthItem item = gst_rtp_bandwidth_queue_discard (self->queue);

    gst_rtp_bandwidth_path_unqueued (self->path, &item.packet);
    if (GST_IS_EVENT (item.object))
      events = g_list_prepend (events, item.object);
    else
      gst_mini_object_unref (item.object);
  }
  return g_list_reverse (events);
}

/* Takes discarded events, and stores the sticky ones, so that they leave
 * before the next buffer: upstream regards them as delivered. It does not
 * store a segment, because upstream sends a new one, nor EOS, because the
 * flush ends it. The caller holds no lock, because the application is
 * notified of caps. */
static void
gst_rtp_bandwidth_keep_events (GstRtpBandwidth * self, GList * events)
{
  for (GList * l = events; l; l = l->next) {
    GstEvent *event = l->data;

    if (GST_EVENT_IS_STICKY (event)
        && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT
        && GST_EVENT_TYPE (event) != GST_EVENT_EOS)
      gst_pad_store_sticky_event (self->srcpad, event);
  }
  g_list_free_full (events, (GDestroyNotify) gst_event_unref);
}

static void gst_rtp_bandwidth_loop (gpointer data);

/* Begins or ends flushing. The caller holds the path's lock. */
static void
gst_rtp_bandwidth_set_flushing (GstRtpBandwidth * self, gboolean flushing)
{
  self->flushing = flushing;
  self->ended = FALSE;
  self->result = GST_FLOW_OK;
  gst_rtp_bandwidth_path_wake (&self->member);
}

/* Starts the source pad's task. The caller holds no lock, because the
 * application is notified of the start. */
static gboolean
gst_rtp_bandwidth_start_task (GstRtpBandwidth * self)
{
  return gst_pad_start_task (self->srcpad, gst_rtp_bandwidth_loop, self, NULL);
}

/* Handles a flush, which comes from any thread, even while the element
 * starts or stops. */
static gboolean
gst_rtp_bandwidth_flush (GstRtpBandwidth * self, GstEvent * event)
{
  gboolean start = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;
  gboolean handled = gst_pad_push_event (self->srcpad, event);
  gboolean goes_on = FALSE;
  GList *events = NULL;

  if (gst_rtp_bandwidth_lock_path (self)) {
    if (self->active)
      gst_rtp_bandwidth_set_flushing (self, start);
    goes_on = self->active && !start;
    if (goes_on)
      events = gst_rtp_bandwidth_clear_queue (self);
    gst_rtp_bandwidth_unlock_path (self);
  }
  gst_rtp_bandwidth_keep_events (self, events);
  if (start)
    gst_pad_pause_task (self->srcpad);
  else if (goes_on)
    gst_rtp_bandwidth_start_task (self);
  return handled;
}

/* Posts that downstream failed after upstream's EOS: no buffer follows that could
 * return it. The caller does not hold the path's lock. */
static void
gst_rtp_bandwidth_fail (GstRtpBandwidth * self, GstFlowReturn ret)
{
  if (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS)
    GST_ELEMENT_FLOW_ERROR (self, ret);
}

static gboolean
gst_rtp_bandwidth_queue_event_in_order (GstRtpBandwidth * self,
    GstEvent * event)
{
  gboolean is_eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS, taken;
  GstFlowReturn ret;
  GstCaps *caps;

  gst_rtp_bandwidth_path_lock (self->path);
  ret = gst_rtp_bandwidth_flow (self);
  taken = ret == GST_FLOW_OK;
  self->ended |= taken && is_eos;
  if (taken) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
      gst_event_parse_caps (event, &caps);
      if (gst_rtp_bandwidth_queue_set_caps (self->queue, caps))
        gst_rtp_bandwidth_path_numbered (self->path, &self->member);
    }
    gst_rtp_bandwidth_queue_event (self->queue, event);
    gst_rtp_bandwidth_path_wake (&self->member);
  }
  gst_rtp_bandwidth_path_unlock (self->path);
  if (!taken)
    gst_event_unref (event);
  if (is_eos)
    gst_rtp_bandwidth_fail (self, ret);
  return taken;
}

static gboolean
gst_rtp_bandwidth_sink_event (GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  GstRtpBandwidth *self = GST_RTP_BANDWIDTH (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START
      || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    return gst_rtp_bandwidth_flush (self, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    gst_notifier_stream (self->member.notifier, FALSE);
  if (GST_EVENT_IS_SERIALIZED (event))
    return gst_rtp_bandwidth_queue_event_in_order (self, event);
  return gst_pad_event_default (pad, parent, event);
}

/* Events and feedback from downstream */

static void
gst_rtp_bandwidth_take_feedback (GstRtpBandwidth * self, const GstStructure * s)
{
  gsize n = 0;
  PspTransportStatus *statuses = gst_rtp_bandwidth_read_feedback (s, &n);
  GstRtpBandwidthPath *path = gst_rtp_bandwidth_lock_path (self);

  if (path && statuses)
    gst_rtp_bandwidth_path_feedback (path, &self->member, statuses, n);
  else if (path)
    self->feedback_malformed++;
  if (path)
    gst_rtp_bandwidth_unlock_path (self);
  g_free (statuses);
}

/* Handles the signal feedback-rtcp, and ignores other kinds of RTCP. */
static void
gst_rtp_bandwidth_feedback_rtcp (GstRtpBandwidth * self, guint type,
    guint format, guint sender_ssrc, guint media_ssrc, GstBuffer * fci)
{
  PspStreamMessage message = {.sender_ssrc = sender_ssrc,
    .media_ssrc = media_ssrc
  };
  GstMapInfo map = GST_MAP_INFO_INIT;
  GstRtpBandwidthPath *path;

  if (!psp_stream_feedback_is (type, format)
      || (fci && !gst_buffer_map (fci, &map, GST_MAP_READ)))
    return;
  message.fci = map.data;
  message.size = map.size;
  path = gst_rtp_bandwidth_lock_path (self);
  if (path) {
    if (!gst_rtp_bandwidth_path_message (path, &self->member, &message))
      self->feedback_malformed++;
    gst_rtp_bandwidth_unlock_path (self);
  }
  if (fci)
    gst_buffer_unmap (fci, &map);
}

static void
gst_rtp_bandwidth_on_feedback_rtcp (GObject * session, guint type,
    guint format, guint sender_ssrc, guint media_ssrc, GstBuffer * fci,
    GstRtpBandwidth * self)
{
  (void) session;
  gst_rtp_bandwidth_feedback_rtcp (self, type, format, sender_ssrc, media_ssrc,
      fci);
}

static void
gst_rtp_bandwidth_disconnect (GstRtpBandwidth * self)
{
  if (self->session)
    g_signal_handler_disconnect (self->session, self->session_handler);
  g_clear_object (&self->session);
}

/* Connects to the session behind the element. This is called when a
 * segment passes, because the elements around this one are linked by then.
 * A running handler keeps a reference to the element. */
static void
gst_rtp_bandwidth_connect (GstRtpBandwidth * self)
{
  GObject *session = gst_rtp_bandwidth_find_session (self->srcpad);

  if (session && session != self->session
      && g_signal_lookup ("on-feedback-rtcp", G_OBJECT_TYPE (session)) > 0) {
    gst_rtp_bandwidth_disconnect (self);
    self->session = g_object_ref (session);
    self->session_handler = g_signal_connect_data (session, "on-feedback-rtcp",
        G_CALLBACK (gst_rtp_bandwidth_on_feedback_rtcp), gst_object_ref (self),
        (GClosureNotify) (GCallback) gst_object_unref, 0);
    GST_DEBUG_OBJECT (self, "feedback comes from %" GST_PTR_FORMAT, session);
  }
  g_clear_object (&session);
}

/* Translates a request for retransmission. Returns NULL if no element
 * upstream could answer it. */
static GstEvent *
gst_rtp_bandwidth_translate_request (GstRtpBandwidth * self, GstEvent * event)
{
  if (gst_rtp_bandwidth_lock_path (self)) {
    event = gst_rtp_bandwidth_queue_request (self->queue, event);
    gst_rtp_bandwidth_unlock_path (self);
  }
  return event;
}

/* Goes on after NOT_LINKED, because the source pad may be linked again. */
static void
gst_rtp_bandwidth_link (GstRtpBandwidth * self)
{
  gboolean goes_on;

  if (!gst_rtp_bandwidth_lock_path (self))
    return;
  goes_on = self->active && !self->flushing
      && self->result == GST_FLOW_NOT_LINKED;
  if (goes_on)
    self->result = GST_FLOW_OK;
  gst_rtp_bandwidth_unlock_path (self);
  if (goes_on)
    gst_rtp_bandwidth_start_task (self);
}

static gboolean
gst_rtp_bandwidth_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstRtpBandwidth *self = GST_RTP_BANDWIDTH (parent);
  const GstStructure *s = gst_event_get_structure (event);

  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE)
    gst_rtp_bandwidth_link (self);

  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM && s) {
    if (gst_rtp_bandwidth_is_feedback (s))
      gst_rtp_bandwidth_take_feedback (self, s);
    else if (gst_structure_has_name (s, "GstRTPRetransmissionRequest"))
      event = gst_rtp_bandwidth_translate_request (self, event);
  }
  return event ? gst_pad_event_default (pad, parent, event) : TRUE;
}

/* Output */

/* Warns once a session that no feedback comes. The caller holds the path's
 * lock. */
static void
gst_rtp_bandwidth_warn (GstRtpBandwidth * self)
{
  if (self->warned)
    return;
  self->warned = TRUE;
  gst_notifier_post (self->member.notifier, GST_MESSAGE_WARNING,
      GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
      g_strdup ("No feedback comes, neither transport-wide nor RFC 8888's, so "
          "packets leave uncontrolled: the payloader has to write the header "
          "extension and the receiver to agree to it, or the receiver has to "
          "send CCFB, whose RTP profile has to be AVPF or SAVPF."), NULL);
}

/* Takes what may leave now from the queue. Returns FALSE if nothing may.
 * Sets *until to when to look again. The caller holds the path's lock. */
static gboolean
gst_rtp_bandwidth_take (GstRtpBandwidth * self, GstRtpBandwidthItem * item,
    gint64 * until)
{
  gint64 now = gst_rtp_bandwidth_path_now (self->path), slot;
  const GstRtpBandwidthItem *head;

  *until = gst_rtp_bandwidth_path_poll (self->path, now);
  head = gst_rtp_bandwidth_queue_head (self->queue);
  if (!head)
    return FALSE;
  slot = head->packet.counted ?
      gst_rtp_bandwidth_path_slot (self->path, now) : now;
  *until = MIN (*until, slot);
  if (slot > now)
    return FALSE;
  *item = gst_rtp_bandwidth_queue_pop (self->queue);
  if (!GST_IS_BUFFER (item->object))
    return TRUE;
  gst_rtp_bandwidth_path_unqueued (self->path, &item->packet);
  gst_rtp_bandwidth_path_sent (self->path, &self->member, &item->packet, now);
  if (!item->packet.counted || (!item->packet.numbered
          && gst_rtp_bandwidth_path_is_uncontrolled (self->path)))
    self->unnumbered_packets++;
  return TRUE;
}

/* Pushes the object, and takes it. The caller does not hold the path's
 * lock. */
static void
gst_rtp_bandwidth_push (GstRtpBandwidth * self, GstMiniObject * object)
{
  gint64 before = gst_rtp_bandwidth_path_now (self->path), now;
  GstFlowReturn ret = GST_FLOW_OK;
  gboolean ended;

  if (GST_IS_EVENT (object)) {
    if (GST_EVENT_TYPE (object) == GST_EVENT_SEGMENT)
      gst_rtp_bandwidth_connect (self);
    gst_pad_push_event (self->srcpad, GST_EVENT_CAST (object));
  } else {
    ret = gst_pad_push (self->srcpad, GST_BUFFER_CAST (object));
  }

  gst_rtp_bandwidth_path_lock (self->path);
  now = gst_rtp_bandwidth_path_now (self->path);
  if (now - before > HELD_UP)
    gst_rtp_bandwidth_path_resume (self->path, now);
  if (ret != GST_FLOW_OK && self->result == GST_FLOW_OK) {
    GST_DEBUG_OBJECT (self, "downstream: %s", gst_flow_get_name (ret));
    self->result = ret;
  }
  ended = self->ended;
  gst_rtp_bandwidth_path_unlock (self->path);
  if (ended)
    gst_rtp_bandwidth_fail (self, ret);
}

static void
gst_rtp_bandwidth_loop (gpointer data)
{
  GstRtpBandwidth *self = data;
  GstRtpBandwidthItem item = {.object = NULL };
  gboolean goes_on;
  gint64 until;

  /* A flush that ended while the element stopped has started this task. */
  if (!gst_rtp_bandwidth_lock_path (self)) {
    gst_pad_pause_task (self->srcpad);
    return;
  }
  GST_OBJECT_UNLOCK (self);
  while ((goes_on = gst_rtp_bandwidth_flow (self) == GST_FLOW_OK)
      && !gst_rtp_bandwidth_take (self, &item, &until))
    gst_rtp_bandwidth_path_wait (self->path, &self->member, until);
  if (gst_rtp_bandwidth_path_is_uncontrolled (self->path))
    gst_rtp_bandwidth_warn (self);
  /* Under the lock: a link in between must not find the task still running. */
  if (!goes_on)
    gst_pad_pause_task (self->srcpad);
  gst_rtp_bandwidth_path_unlock (self->path);

  if (goes_on)
    gst_rtp_bandwidth_push (self, item.object);
}

static gboolean
gst_rtp_bandwidth_activate_mode (GstPad * pad, GstObject * parent,
    GstPadMode mode, gboolean active)
{
  GstRtpBandwidth *self = GST_RTP_BANDWIDTH (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  gst_rtp_bandwidth_path_lock (self->path);
  self->active = active;
  gst_rtp_bandwidth_set_flushing (self, !active);
  gst_rtp_bandwidth_path_unlock (self->path);
  return active ? gst_rtp_bandwidth_start_task (self) : gst_pad_stop_task (pad);
}

/* States */

static GstRtpBandwidthPath *
gst_rtp_bandwidth_join (GstRtpBandwidth * self, GError ** error)
{
  GstRtpBandwidthPathConfig config;
  GstRtpBandwidthPath *path = NULL;
  gdouble parameters[PSP_MAX_PARAMETERS];
  gboolean known;
  gchar *group;

  GST_OBJECT_LOCK (self);
  known = gst_rtp_bandwidth_settings_config (&self->settings, &config,
      parameters, error);
  self->member.reserved_bitrate = self->settings.reserved_bitrate;
  self->max_queue_time = self->settings.max_queue_time;
  group = g_strdup (self->settings.group);
  GST_OBJECT_UNLOCK (self);

  if (known) {
    self->member.notifier = gst_notifier_new (GST_ELEMENT (self),
        self->sinkpad, properties[GST_RTP_BANDWIDTH_ESTIMATED_BITRATE]);
    path = gst_rtp_bandwidth_path_join (group, &config, &self->member);
    if (!path)
      g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
          "There is no memory for the controller.");
  }
  g_free (group);
  return path;
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
  GstRtpBandwidthPath *path = gst_rtp_bandwidth_join (self, &error);

  if (!path) {
    g_clear_pointer (&self->member.notifier, gst_notifier_stop);
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", error->message),
        (NULL));
    g_error_free (error);
    return FALSE;
  }
  gst_rtp_bandwidth_warn_of_limits (self);
  self->queue = gst_rtp_bandwidth_queue_new ();
  self->flushing = TRUE;
  self->key_frame_at = PSP_TIME_UNKNOWN;
  self->warned = FALSE;
  self->unnumbered_packets = self->feedback_malformed = 0;
  GST_OBJECT_LOCK (self);
  self->path = path;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static void
gst_rtp_bandwidth_stop (GstRtpBandwidth * self)
{
  GstNotifier *notifier = self->member.notifier;
  GstRtpBandwidthPath *path;
  GList *events;

  gst_pad_stop_task (self->srcpad);
  gst_rtp_bandwidth_disconnect (self);
  if (!gst_rtp_bandwidth_lock_path (self))
    return;
  events = gst_rtp_bandwidth_clear_queue (self);
  g_clear_pointer (&self->queue, gst_rtp_bandwidth_queue_free);
  gst_rtp_bandwidth_path_unlock (self->path);
  path = g_steal_pointer (&self->path);
  GST_OBJECT_UNLOCK (self);
  g_list_free_full (events, (GDestroyNotify) gst_event_unref);
  gst_rtp_bandwidth_path_leave (path, &self->member);
  gst_notifier_stop (notifier);
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
    gst_notifier_start (self->member.notifier);
  else if (starts || transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_rtp_bandwidth_stop (self);
  return ret;
}

/* Properties */

/* Applies one property while the element runs. */
static void
gst_rtp_bandwidth_apply (GstRtpBandwidth * self, guint id)
{
  GstRtpBandwidthPath *path = gst_rtp_bandwidth_lock_path (self);

  if (!path)
    return;
  gst_rtp_bandwidth_settings_apply (&self->settings, id, path);
  self->member.reserved_bitrate = self->settings.reserved_bitrate;
  self->max_queue_time = self->settings.max_queue_time;
  gst_rtp_bandwidth_path_wake_all (path);
  gst_rtp_bandwidth_unlock_path (self);
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
  GstRtpBandwidthPath *path = gst_rtp_bandwidth_lock_path (self);
  GstRtpBandwidthStats stats;
  PspSender *sender;

  gst_rtp_bandwidth_stats_init (&stats, "");
  if (path) {
    sender = gst_rtp_bandwidth_path_sender (path);
    psp_sender_stats (sender, gst_rtp_bandwidth_path_now (path), &stats.sender);
    stats.controller = psp_sender_controller (sender)->name;
    stats.controlled = !gst_rtp_bandwidth_path_is_uncontrolled (path);
    stats.queue_packets = gst_rtp_bandwidth_queue_length (self->queue);
    stats.queue_time = gst_rtp_bandwidth_path_queue_time (path);
    stats.dropped_packets =
        gst_rtp_bandwidth_queue_dropped_packets (self->queue);
    stats.dropped_pictures =
        gst_rtp_bandwidth_queue_dropped_pictures (self->queue);
    stats.unnumbered_packets = self->unnumbered_packets;
    stats.feedback_malformed = self->feedback_malformed;
    stats.names = self->member.names;
    stats.events = gst_notifier_count (self->member.notifier);
    gst_rtp_bandwidth_unlock_path (self);
  }
  return gst_rtp_bandwidth_stats_to_structure (&stats);
}

/* Returns the last decision, or what was set before the first decision. */
static guint
gst_rtp_bandwidth_get_estimate (GstRtpBandwidth * self)
{
  guint estimate = 0;
  gboolean known = FALSE;

  if (gst_rtp_bandwidth_lock_path (self)) {
    known = gst_notifier_count (self->member.notifier) > 0;
    estimate = gst_notifier_estimate (self->member.notifier);
    gst_rtp_bandwidth_unlock_path (self);
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
      G_CALLBACK (gst_rtp_bandwidth_feedback_rtcp), NULL, NULL, NULL,
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
}
