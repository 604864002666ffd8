/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpbandwidthshaper.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_bandwidth_debug);
#define GST_CAT_DEFAULT gst_rtp_bandwidth_debug

/* ns; the shortest time between two requests, because a key frame costs
 * several times as much as another frame. */
#define KEY_FRAME_INTERVAL PSP_SECOND

/* Life */

void
gst_rtp_bandwidth_shaper_init (GstRtpBandwidthShaper * s, GstElement * element)
{
  memset (s, 0, sizeof *s);
  s->element = element;
}

gboolean
gst_rtp_bandwidth_shaper_start (GstRtpBandwidthShaper * s,
    const gchar * group, const GstRtpBandwidthPathConfig * config,
    GstNotifier * notifier)
{
  GstRtpBandwidthPath *path;

  s->member.notifier = notifier;
  path = gst_rtp_bandwidth_path_join (group, config, &s->member);
  if (!path) {
    s->member.notifier = NULL;
    return FALSE;
  }
  s->queue = gst_rtp_bandwidth_queue_new ();
  gst_rtp_bandwidth_flow_init (&s->flow);
  s->key_frame_at = PSP_TIME_UNKNOWN;
  s->unnumbered_packets = 0;
  GST_OBJECT_LOCK (s->element);
  s->path = path;
  GST_OBJECT_UNLOCK (s->element);
  return TRUE;
}

void
gst_rtp_bandwidth_shaper_stop (GstRtpBandwidthShaper * s)
{
  GstRtpBandwidthPath *path;
  GList *events;

  if (!gst_rtp_bandwidth_shaper_lock (s))
    return;
  events = gst_rtp_bandwidth_shaper_clear (s);
  g_clear_pointer (&s->queue, gst_rtp_bandwidth_queue_free);
  gst_rtp_bandwidth_path_unlock (s->path);
  path = g_steal_pointer (&s->path);
  GST_OBJECT_UNLOCK (s->element);
  g_list_free_full (events, (GDestroyNotify) gst_event_unref);
  gst_rtp_bandwidth_path_leave (path, &s->member);
}

GstRtpBandwidthPath *
gst_rtp_bandwidth_shaper_lock (GstRtpBandwidthShaper * s)
{
  GST_OBJECT_LOCK (s->element);
  if (s->path) {
    gst_rtp_bandwidth_path_lock (s->path);
    return s->path;
  }
  GST_OBJECT_UNLOCK (s->element);
  return NULL;
}

void
gst_rtp_bandwidth_shaper_unlock (GstRtpBandwidthShaper * s)
{
  gst_rtp_bandwidth_path_unlock (s->path);
  GST_OBJECT_UNLOCK (s->element);
}

void
gst_rtp_bandwidth_shaper_configure (GstRtpBandwidthShaper * s,
    guint64 reserved, guint64 max_queue_time)
{
  s->member.reserved_bitrate = reserved;
  s->max_queue_time = max_queue_time;
}

/* What comes in */

/* Asks for a key frame, because other pictures may refer to dropped ones.
 * The caller holds the path's lock. */
static void
ask_key_frame (GstRtpBandwidthShaper * s, gint64 now)
{
  if (s->key_frame_at != PSP_TIME_UNKNOWN
      && now - s->key_frame_at < KEY_FRAME_INTERVAL)
    return;
  GST_DEBUG_OBJECT (s->element, "asking for a key frame");
  s->key_frame_at = now;
  gst_notifier_key_frame (s->member.notifier);
}

/* Takes the buffer. The caller holds the path's lock. */
static void
queue_buffer (GstRtpBandwidthShaper * s, GstBuffer * buffer)
{
  gboolean over = s->max_queue_time > 0 &&
      gst_rtp_bandwidth_path_queue_time (s->path) >= s->max_queue_time;
  gboolean shed;
  const GstRtpBandwidthItem *head = gst_rtp_bandwidth_queue_head (s->queue);
  const GstRtpBandwidthPacket *packet =
      gst_rtp_bandwidth_queue_packet (s->queue, buffer, over,
      gst_rtp_bandwidth_path_names_streams (s->path, &s->member), &shed);

  if (shed)
    ask_key_frame (s, gst_rtp_bandwidth_path_now (s->path));
  if (!packet)
    return;
  gst_rtp_bandwidth_path_queued (s->path, packet);
  if (!head || packet == &gst_rtp_bandwidth_queue_head (s->queue)->packet)
    gst_rtp_bandwidth_path_wake (&s->member);
}

GstFlowReturn
gst_rtp_bandwidth_shaper_push (GstRtpBandwidthShaper * s, GstBuffer * buffer)
{
  GstFlowReturn ret;

  gst_rtp_bandwidth_path_lock (s->path);
  ret = gst_rtp_bandwidth_flow_status (&s->flow);
  if (ret == GST_FLOW_OK)
    queue_buffer (s, buffer);
  gst_rtp_bandwidth_path_unlock (s->path);
  if (ret != GST_FLOW_OK)
    gst_buffer_unref (buffer);
  return ret;
}

static gboolean
take_buffer (GstBuffer ** buffer, guint i, gpointer data)
{
  (void) i;
  queue_buffer (data, g_steal_pointer (buffer));
  return TRUE;
}

GstFlowReturn
gst_rtp_bandwidth_shaper_push_list (GstRtpBandwidthShaper * s,
    GstBufferList * list)
{
  GstFlowReturn ret;

  list = gst_buffer_list_make_writable (list);
  gst_rtp_bandwidth_path_lock (s->path);
  ret = gst_rtp_bandwidth_flow_status (&s->flow);
  if (ret == GST_FLOW_OK)
    gst_buffer_list_foreach (list, take_buffer, s);
  gst_rtp_bandwidth_path_unlock (s->path);
  gst_buffer_list_unref (list);
  return ret;
}

/* Takes the event. The caller holds the path's lock. */
static void
queue_event (GstRtpBandwidthShaper * s, GstEvent * event)
{
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    gst_rtp_bandwidth_flow_end (&s->flow);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    if (gst_rtp_bandwidth_queue_set_caps (s->queue, caps))
      gst_rtp_bandwidth_path_numbered (s->path, &s->member);
  }
  gst_rtp_bandwidth_queue_event (s->queue, event);
  gst_rtp_bandwidth_path_wake (&s->member);
}

GstFlowReturn
gst_rtp_bandwidth_shaper_push_event (GstRtpBandwidthShaper * s,
    GstEvent * event)
{
  GstFlowReturn ret;

  gst_rtp_bandwidth_path_lock (s->path);
  ret = gst_rtp_bandwidth_flow_status (&s->flow);
  if (ret == GST_FLOW_OK)
    queue_event (s, event);
  gst_rtp_bandwidth_path_unlock (s->path);
  if (ret != GST_FLOW_OK)
    gst_event_unref (event);
  return ret;
}

GstEvent *
gst_rtp_bandwidth_shaper_request (GstRtpBandwidthShaper * s, GstEvent * event)
{
  if (gst_rtp_bandwidth_shaper_lock (s)) {
    event = gst_rtp_bandwidth_queue_request (s->queue, event);
    gst_rtp_bandwidth_shaper_unlock (s);
  }
  return event;
}

/* What goes out */

/* Takes what may leave now from the queue. Returns FALSE if nothing may.
 * Sets *until to when to look again. The caller holds the path's lock. */
static gboolean
take (GstRtpBandwidthShaper * s, GstRtpBandwidthItem * item, gint64 * until)
{
  gint64 now = gst_rtp_bandwidth_path_now (s->path), slot;
  const GstRtpBandwidthItem *head;

  *until = gst_rtp_bandwidth_path_poll (s->path, now);
  head = gst_rtp_bandwidth_queue_head (s->queue);
  if (!head)
    return FALSE;
  slot = head->packet.counted ?
      gst_rtp_bandwidth_path_slot (s->path, now) : now;
  *until = MIN (*until, slot);
  if (slot > now)
    return FALSE;
  *item = gst_rtp_bandwidth_queue_pop (s->queue);
  if (!GST_IS_BUFFER (item->object))
    return TRUE;
  gst_rtp_bandwidth_path_unqueued (s->path, &item->packet);
  gst_rtp_bandwidth_path_sent (s->path, &s->member, &item->packet, now);
  if (!item->packet.counted || (!item->packet.numbered
          && gst_rtp_bandwidth_path_is_uncontrolled (s->path)))
    s->unnumbered_packets++;
  return TRUE;
}

gboolean
gst_rtp_bandwidth_shaper_pop (GstRtpBandwidthShaper * s,
    GstRtpBandwidthItem * item)
{
  gint64 until;

  while (gst_rtp_bandwidth_flow_status (&s->flow) == GST_FLOW_OK) {
    if (take (s, item, &until))
      return TRUE;
    gst_rtp_bandwidth_path_wait (s->path, &s->member, until);
  }
  return FALSE;
}

GList *
gst_rtp_bandwidth_shaper_clear (GstRtpBandwidthShaper * s)
{
  GList *events = NULL;

  while (gst_rtp_bandwidth_queue_head (s->queue)) {
    GstRtpBandwidthItem item = gst_rtp_bandwidth_queue_discard (s->queue);

    gst_rtp_bandwidth_path_unqueued (s->path, &item.packet);
    if (GST_IS_EVENT (item.object))
      events = g_list_prepend (events, item.object);
    else
      gst_mini_object_unref (item.object);
  }
  return g_list_reverse (events);
}

void
gst_rtp_bandwidth_shaper_stats (GstRtpBandwidthShaper * s,
    GstRtpBandwidthStats * stats)
{
  PspSender *sender = gst_rtp_bandwidth_path_sender (s->path);

  psp_sender_stats (sender, gst_rtp_bandwidth_path_now (s->path),
      &stats->sender);
  stats->controller = psp_sender_controller (sender)->name;
  stats->controlled = !gst_rtp_bandwidth_path_is_uncontrolled (s->path);
  stats->queue_packets = gst_rtp_bandwidth_queue_length (s->queue);
  stats->queue_time = gst_rtp_bandwidth_path_queue_time (s->path);
  stats->dropped_packets = gst_rtp_bandwidth_queue_dropped_packets (s->queue);
  stats->dropped_pictures = gst_rtp_bandwidth_queue_dropped_pictures (s->queue);
  stats->unnumbered_packets = s->unnumbered_packets;
  stats->names = s->member.names;
}
