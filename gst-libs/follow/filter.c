/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <follow/filter.h>

GstPad *
gst_follow_add_pad (GstElement * element, GstStaticPadTemplate * pad_template,
    GstPadEventFunction event, GstPadQueryFunction query)
{
  GstPad *pad = gst_pad_new_from_static_template (pad_template,
      pad_template->name_template);

  gst_pad_set_event_function (pad, event);
  if (query)
    gst_pad_set_query_function (pad, query);
  gst_element_add_pad (element, pad);
  return pad;
}

gboolean
gst_follow_src_event (GstFollower * f, GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  if (!gst_is_congestion_event (event))
    return gst_pad_event_default (pad, parent, event);

  gst_follower_note (f, event);
  gst_pad_event_default (pad, parent, event);
  return TRUE;
}

gboolean
gst_follow_src_query (GstFollower * f, GstPad * sinkpad, GstPad * pad,
    GstObject * parent, GstQuery * query)
{
  GstClockTime min, max, own;
  gboolean live;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  if (!gst_pad_peer_query (sinkpad, query))
    return FALSE;

  own = gst_follower_latency (f);
  gst_query_parse_latency (query, &live, &min, &max);
  min += own;
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += own;
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

GstStateChangeReturn
gst_follow_change_state (GstElement * element, GstElementClass * parent_class,
    GstStateChange transition, GstFollowStart start, GstFollowStop stop)
{
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (element))
    return GST_STATE_CHANGE_FAILURE;

  ret = parent_class->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          && ret == GST_STATE_CHANGE_FAILURE))
    stop (element);
  return ret;
}
