/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpbandwidthoutput.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_bandwidth_debug);
#define GST_CAT_DEFAULT gst_rtp_bandwidth_debug

/* ns; a push that takes longer was held up: webrtcbin blocks until its
 * transport is connected. */
#define HELD_UP (100 * PSP_MSECOND)

void
gst_rtp_bandwidth_output_init (GstRtpBandwidthOutput * o, GstPad * pad,
    GstRtpBandwidthShaper * shaper, GstRtpBandwidthFeedback * feedback)
{
  o->pad = pad;
  o->shaper = shaper;
  o->feedback = feedback;
}

/* The task */

/* Pushes an event or a buffer, and takes it. */
static GstFlowReturn
push_object (GstRtpBandwidthOutput * o, GstMiniObject * object)
{
  if (GST_IS_BUFFER (object))
    return gst_pad_push (o->pad, GST_BUFFER_CAST (object));
  /* The elements around this one are linked when a segment passes. */
  if (GST_EVENT_TYPE (object) == GST_EVENT_SEGMENT)
    gst_rtp_bandwidth_feedback_connect (o->feedback, o->pad);
  gst_pad_push_event (o->pad, GST_EVENT_CAST (object));
  return GST_FLOW_OK;
}

/* Pushes the object, takes it, and notes what came of it. The caller does
 * not hold the path's lock. */
static void
push (GstRtpBandwidthOutput * o, GstMiniObject * object)
{
  GstRtpBandwidthPath *path = o->shaper->path;
  GstRtpBandwidthFlow *flow = &o->shaper->flow;
  gint64 before = gst_rtp_bandwidth_path_now (path), now;
  GstFlowReturn ret = push_object (o, object);
  gboolean ended;

  gst_rtp_bandwidth_path_lock (path);
  now = gst_rtp_bandwidth_path_now (path);
  if (now - before > HELD_UP)
    gst_rtp_bandwidth_path_resume (path, now);
  if (gst_rtp_bandwidth_flow_pushed (flow, ret))
    GST_DEBUG_OBJECT (o->shaper->element, "downstream: %s",
        gst_flow_get_name (ret));
  ended = flow->ended;
  gst_rtp_bandwidth_path_unlock (path);
  if (ended)
    gst_rtp_bandwidth_flow_post (o->shaper->element, ret);
}

static void
loop (gpointer data)
{
  GstRtpBandwidthOutput *o = data;
  GstRtpBandwidthShaper *shaper = o->shaper;
  GstRtpBandwidthItem item = {.object = NULL };
  gboolean goes_on, relinked;

  /* A flush that ended while the element stopped has started this task. */
  if (!gst_rtp_bandwidth_shaper_lock (shaper)) {
    gst_pad_pause_task (o->pad);
    return;
  }
  /* The path stays as long as the task runs. */
  GST_OBJECT_UNLOCK (shaper->element);
  goes_on = gst_rtp_bandwidth_shaper_pop (shaper, &item);
  relinked = goes_on && gst_rtp_bandwidth_flow_take_link (&shaper->flow);
  if (gst_rtp_bandwidth_path_is_uncontrolled (shaper->path))
    gst_rtp_bandwidth_feedback_warn (o->feedback);
  /* Under the lock: a link in between must not find the task still running. */
  if (!goes_on)
    gst_pad_pause_task (o->pad);
  gst_rtp_bandwidth_path_unlock (shaper->path);

  /* The pad sends its segment again by itself, past push_object(). */
  if (relinked)
    gst_rtp_bandwidth_feedback_connect (o->feedback, o->pad);
  if (goes_on)
    push (o, item.object);
}

/* Starts the task. The caller holds no lock, because the application is
 * notified of the start. */
static gboolean
start_task (GstRtpBandwidthOutput * o)
{
  return gst_pad_start_task (o->pad, loop, o, NULL);
}

gboolean
gst_rtp_bandwidth_output_activate (GstRtpBandwidthOutput * o, gboolean active)
{
  GstRtpBandwidthShaper *shaper = o->shaper;

  gst_rtp_bandwidth_path_lock (shaper->path);
  gst_rtp_bandwidth_flow_activate (&shaper->flow, active);
  gst_rtp_bandwidth_path_wake (&shaper->member);
  gst_rtp_bandwidth_path_unlock (shaper->path);
  return active ? start_task (o) : gst_pad_stop_task (o->pad);
}

void
gst_rtp_bandwidth_output_stop (GstRtpBandwidthOutput * o)
{
  gst_pad_stop_task (o->pad);
}

/* Flushes and links */

/* Takes discarded events, and stores the sticky ones, so that they leave
 * before the next buffer: upstream regards them as delivered. It does not
 * store a segment, because upstream sends a new one, nor EOS, because the
 * flush ends it. The caller holds no lock, because the application is
 * notified of caps. */
static void
keep_events (GstRtpBandwidthOutput * o, GList * events)
{
  for (GList * l = events; l; l = l->next) {
    GstEvent *event = l->data;

    if (GST_EVENT_IS_STICKY (event)
        && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT
        && GST_EVENT_TYPE (event) != GST_EVENT_EOS)
      gst_pad_store_sticky_event (o->pad, event);
  }
  g_list_free_full (events, (GDestroyNotify) gst_event_unref);
}

gboolean
gst_rtp_bandwidth_output_flush (GstRtpBandwidthOutput * o, GstEvent * event)
{
  GstRtpBandwidthShaper *shaper = o->shaper;
  gboolean start = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;
  gboolean handled = gst_pad_push_event (o->pad, event);
  gboolean goes_on = FALSE;
  GList *events = NULL;

  if (gst_rtp_bandwidth_shaper_lock (shaper)) {
    goes_on = gst_rtp_bandwidth_flow_flush (&shaper->flow, start);
    gst_rtp_bandwidth_path_wake (&shaper->member);
    if (goes_on)
      events = gst_rtp_bandwidth_shaper_clear (shaper);
    gst_rtp_bandwidth_shaper_unlock (shaper);
  }
  keep_events (o, events);
  if (start)
    gst_pad_pause_task (o->pad);
  else if (goes_on)
    start_task (o);
  return handled;
}

void
gst_rtp_bandwidth_output_link (GstRtpBandwidthOutput * o)
{
  GstRtpBandwidthPath *path = gst_rtp_bandwidth_shaper_lock (o->shaper);
  gboolean goes_on;

  if (!path)
    return;
  goes_on = gst_rtp_bandwidth_flow_link (&o->shaper->flow);
  /* Nobody could answer what found no link. */
  if (goes_on)
    gst_rtp_bandwidth_path_resume (path, gst_rtp_bandwidth_path_now (path));
  gst_rtp_bandwidth_shaper_unlock (o->shaper);
  if (goes_on)
    start_task (o);
}
