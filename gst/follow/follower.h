/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What elements that obey congestion events have in common: the properties that
 * say how, the last event, the target that the two come to, and a latency.
 *
 * An element embeds a GstFollower, and keeps what its threads share besides
 * under the same lock. A function says where its caller is to hold that; the
 * others take it themselves, and none calls out while it is held.
 */
#ifndef __GST_FOLLOWER_H__
#define __GST_FOLLOWER_H__

#include <gst/gst.h>
#include <gst/congestion/congestion.h>

G_BEGIN_DECLS

/* The properties of all of them. Those of the element come after: its first is
 * GST_FOLLOW_N_PROPERTIES. */
enum
{
  GST_FOLLOW_PROP_0,
  GST_FOLLOW_EVENTS,            /* follow-events */
  GST_FOLLOW_SHARE,             /* share */
  GST_FOLLOW_RESERVED_BITRATE,  /* reserved-bitrate */
  GST_FOLLOW_N_PROPERTIES
};

/**
 * GstFollowerFlags:
 * @GST_FOLLOWER_TAKES_SCALE: an event with a scale counts, as one with a target
 *   does; without this flag only a target makes an event the last one
 * @GST_FOLLOWER_ONLY_FOLLOWING: what comes while follow-events is FALSE is
 *   forgotten, instead of being in force once it is TRUE again
 *
 * Which events an element remembers.
 */
typedef enum
{
  GST_FOLLOWER_TAKES_SCALE = 1 << 0,
  GST_FOLLOWER_ONLY_FOLLOWING = 1 << 1
} GstFollowerFlags;

#define GST_FOLLOWER_NO_BITRATE G_MAXUINT64

typedef struct
{
  GMutex lock;                  /* for all that follows, but flags */
  GstFollowerFlags flags;

  /* as the application set them */
  gboolean follow_events;
  gdouble share;
  guint64 reserved_bitrate;
  guint64 target_bitrate;       /* without events; 0 = none. For elements that
                                 * have a property for it */

  GstCongestionInfo *info;      /* the last event that counts, or NULL */
  guint64 events;               /* all of them */
  GstClockTime latency;
} GstFollower;

/* With the defaults: follow the whole target of events. */
void gst_follower_init (GstFollower * f, GstFollowerFlags flags);
void gst_follower_clear (GstFollower * f);

/* Specifications for the properties above, with the defaults, for
 * g_object_class_install_properties(); follow_events: what that one does. */
void gst_follower_make_properties (GParamSpec ** properties,
    const gchar * follow_events);

/* The caller holds the lock. FALSE where the property is none of those. */
gboolean gst_follower_set_property (GstFollower * f, guint id,
    const GValue * value);
gboolean gst_follower_get_property (const GstFollower * f, guint id,
    GValue * value);

/* Of any congestion event. TRUE where it counts, and so became the last one. */
gboolean gst_follower_note (GstFollower * f, GstEvent * event);

/* What a new stream must not inherit: events and latency. The caller holds the
 * lock. */
void gst_follower_forget (GstFollower * f);

/* What this element may send, in bits per second: of the last event's target
 *
 *   (target - reserved-bitrate) * share
 *
 * or, where it does not follow events, target_bitrate. 0 = nothing at all, of
 * events alone; at most G_MAXINT64 - 1. FALSE where no target rules, which
 * leaves it as it is. The caller holds the lock. */
gboolean gst_follower_target (const GstFollower * f, gint64 * target);

/* The last event's whole target, GST_FOLLOWER_NO_BITRATE = none. The caller
 * holds the lock. */
guint64 gst_follower_event_bitrate (const GstFollower * f);

/* TRUE where it has changed: the bin is to be told, unlocked. */
gboolean gst_follower_set_latency (GstFollower * f, GstClockTime latency);
GstClockTime gst_follower_latency (GstFollower * f);

G_END_DECLS

#endif
