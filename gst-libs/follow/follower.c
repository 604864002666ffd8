/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <follow/follower.h>

#include <string.h>

/* The defaults of the properties with these names. */
#define DEFAULT_FOLLOW_EVENTS TRUE
#define DEFAULT_SHARE 1.0
#define DEFAULT_RESERVED_BITRATE 0

void
gst_follower_init (GstFollower * f, GstFollowerFlags flags)
{
  memset (f, 0, sizeof *f);
  g_mutex_init (&f->lock);
  f->flags = flags;
  f->follow_events = DEFAULT_FOLLOW_EVENTS;
  f->share = DEFAULT_SHARE;
  f->reserved_bitrate = DEFAULT_RESERVED_BITRATE;
}

void
gst_follower_clear (GstFollower * f)
{
  g_clear_pointer (&f->info, gst_congestion_info_free);
  g_mutex_clear (&f->lock);
}

/* Properties */

void
gst_follower_make_properties (GParamSpec ** properties,
    const gchar * follow_events)
{
  properties[GST_FOLLOW_EVENTS] = g_param_spec_boolean ("follow-events",
      "Follow events", follow_events, DEFAULT_FOLLOW_EVENTS,
      GST_SETTINGS_PLAYING);
  properties[GST_FOLLOW_SHARE] = g_param_spec_double ("share", "Share",
      "Part of an event's target that this stream takes", 0.0, 1.0,
      DEFAULT_SHARE, GST_SETTINGS_PLAYING);
  properties[GST_FOLLOW_RESERVED_BITRATE] =
      g_param_spec_uint64 ("reserved-bitrate", "Reserved bitrate",
      "Bits per second of an event's target that belong to others, such as "
      "audio", 0, G_MAXUINT64, DEFAULT_RESERVED_BITRATE, GST_SETTINGS_PLAYING);
}

/* A row of the table below. */
#define FIELD(id, kind, member) \
  GST_SETTINGS_FIELD (GST_FOLLOW_##id, kind, GstFollower, member)

static const GstSettingsField fields[] = {
  FIELD (TARGET_BITRATE, UINT64, target_bitrate),
  FIELD (EVENTS, BOOLEAN, follow_events),
  FIELD (SHARE, DOUBLE, share),
  FIELD (RESERVED_BITRATE, UINT64, reserved_bitrate),
  {0, 0, 0, 0}
};

static const GstSettingsField *
fields_of (const GstFollower * f)
{
  return f->flags & GST_FOLLOWER_HAS_TARGET ? fields : fields + 1;
}

gboolean
gst_follower_set_property (GstFollower * f, const GstSettingsField * own,
    gpointer settings, guint id, const GValue * value)
{
  gboolean known;

  g_mutex_lock (&f->lock);
  known = gst_settings_set (fields_of (f), f, id, value)
      || gst_settings_set (own, settings, id, value);
  g_mutex_unlock (&f->lock);
  return known;
}

gboolean
gst_follower_get_property (GstFollower * f, const GstSettingsField * own,
    gconstpointer settings, guint id, GValue * value)
{
  gboolean known;

  g_mutex_lock (&f->lock);
  known = gst_settings_get (fields_of (f), f, id, value)
      || gst_settings_get (own, settings, id, value);
  g_mutex_unlock (&f->lock);
  return known;
}

/* Events */

/* True if an event counts: it has something that the element takes. */
static gboolean
counts (const GstFollower * f, const GstCongestionInfo * info)
{
  if ((f->flags & GST_FOLLOWER_ONLY_FOLLOWING) && !f->follow_events)
    return FALSE;
  return gst_congestion_info_get_target_bitrate (info, NULL)
      || ((f->flags & GST_FOLLOWER_TAKES_SCALE)
      && gst_congestion_info_get_scale (info) >= 0);
}

/* Keeps the target before if the new one is unknown. */
static void
keep_target (GstCongestionInfo * info, const GstCongestionInfo * before)
{
  guint64 bitrate;

  if (before && !gst_congestion_info_get_target_bitrate (info, NULL)
      && gst_congestion_info_get_target_bitrate (before, &bitrate))
    gst_congestion_info_set_target_bitrate (info, bitrate);
}

gboolean
gst_follower_note (GstFollower * f, GstEvent * event)
{
  GstCongestionInfo *info, *last;
  gboolean accepted;

  if (!gst_congestion_event_parse (event, &info))
    return FALSE;

  last = info;
  g_mutex_lock (&f->lock);
  f->events++;
  accepted = counts (f, info);
  if (accepted) {
    keep_target (info, f->info);
    last = f->info;
    f->info = info;
  }
  g_mutex_unlock (&f->lock);
  g_clear_pointer (&last, gst_congestion_info_free);
  return accepted;
}

void
gst_follower_forget (GstFollower * f)
{
  g_clear_pointer (&f->info, gst_congestion_info_free);
  f->events = 0;
  f->latency = 0;
}

gboolean
gst_follower_target (const GstFollower * f, gint64 * target)
{
  guint64 bitrate = 0;
  gboolean rules;

  if (f->follow_events) {
    rules = f->info && gst_congestion_info_get_share (f->info, f->share,
        f->reserved_bitrate, &bitrate);
  } else {
    rules = f->target_bitrate > 0;
    bitrate = f->target_bitrate;
  }
  if (rules)
    *target = (gint64) MIN (bitrate, G_MAXINT64 - 1);
  return rules;
}

guint64
gst_follower_event_bitrate (const GstFollower * f)
{
  guint64 bitrate;

  if (f->info && gst_congestion_info_get_target_bitrate (f->info, &bitrate))
    return bitrate;
  return GST_FOLLOWER_NO_BITRATE;
}

/* Latency */

gboolean
gst_follower_set_latency (GstFollower * f, GstClockTime latency)
{
  gboolean is_other;

  g_mutex_lock (&f->lock);
  is_other = latency != f->latency;
  f->latency = latency;
  g_mutex_unlock (&f->lock);
  return is_other;
}

GstClockTime
gst_follower_latency (GstFollower * f)
{
  GstClockTime latency;

  g_mutex_lock (&f->lock);
  latency = f->latency;
  g_mutex_unlock (&f->lock);
  return latency;
}

/* Filters */

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
