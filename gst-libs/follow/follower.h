/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The common parts of elements that obey congestion events: the properties that
 * control this, the last event, the target that results from both, a latency,
 * and pad and state functions.
 *
 * An element embeds a GstFollower and keeps the data that its threads share
 * under the same lock. Each function says if its caller must hold the lock; the
 * other functions take it themselves. No function calls out while the lock is
 * held.
 */
#ifndef FOLLOW_FOLLOWER_H
#define FOLLOW_FOLLOWER_H

#include <gst/gst.h>
#include <gst/congestion/congestion.h>
#include <settings/settings.h>

G_BEGIN_DECLS

/* The properties that all of these elements have. The element's own properties
 * come after them, from GST_FOLLOW_N_PROPERTIES or, with
 * GST_FOLLOWER_HAS_TARGET, from GST_FOLLOW_N_WITH_TARGET on. */
enum
{
  GST_FOLLOW_PROP_0,
  GST_FOLLOW_EVENTS,            /* follow-events */
  GST_FOLLOW_SHARE,             /* share */
  GST_FOLLOW_RESERVED_BITRATE,  /* reserved-bitrate */
  GST_FOLLOW_N_PROPERTIES,
  GST_FOLLOW_TARGET_BITRATE = GST_FOLLOW_N_PROPERTIES,  /* target-bitrate */
  GST_FOLLOW_N_WITH_TARGET
};

/**
 * GstFollowerFlags:
 * @GST_FOLLOWER_TAKES_SCALE: an event with a scale counts, as one with a target
 *   does, and leaves the target in force; without this flag only an event with
 *   a target becomes the last one
 * @GST_FOLLOWER_ONLY_FOLLOWING: events that come while follow-events is FALSE
 *   are forgotten; without this flag they are in force once it is TRUE again
 * @GST_FOLLOWER_HAS_TARGET: the element has a property target-bitrate; it makes
 *   the specification itself, because it knows what 0 means
 *
 * Which events an element remembers.
 */
typedef enum
{
  GST_FOLLOWER_TAKES_SCALE = 1 << 0,
  GST_FOLLOWER_ONLY_FOLLOWING = 1 << 1,
  GST_FOLLOWER_HAS_TARGET = 1 << 2
} GstFollowerFlags;

/* bits/s: the value of gst_follower_event_bitrate() without a target */
#define GST_FOLLOWER_NO_BITRATE G_MAXUINT64

typedef struct
{
  GMutex lock;                  /* protects all members below except flags */
  GstFollowerFlags flags;

  /* The application sets these four. */
  gboolean follow_events;
  gdouble share;
  guint64 reserved_bitrate;
  /* bits/s, in force while follow_events is FALSE; 0 = none */
  guint64 target_bitrate;

  GstCongestionInfo *info;      /* the last event that counts, or NULL */
  guint64 events;               /* number of all congestion events */
  GstClockTime latency;
} GstFollower;

/* Sets the defaults: the element obeys the whole target of events. */
void gst_follower_init (GstFollower * f, GstFollowerFlags flags);
void gst_follower_clear (GstFollower * f);

/* Makes the specifications of the properties above, with the defaults, for
 * g_object_class_install_properties(). follow_events is the description of the
 * property follow-events. */
void gst_follower_make_properties (GParamSpec ** properties,
    const gchar * follow_events);

/* Sets a property. Returns FALSE if it is none of those above, and none of the
 * element's own settings: `own` are the fields of `settings`. */
gboolean gst_follower_set_property (GstFollower * f,
    const GstSettingsField * own, gpointer settings, guint id,
    const GValue * value);
/* Gets a property; otherwise like gst_follower_set_property. */
gboolean gst_follower_get_property (GstFollower * f,
    const GstSettingsField * own, gconstpointer settings, guint id,
    GValue * value);

/* Records a congestion event. Returns TRUE if the event counts; it is then the
 * last one. */
gboolean gst_follower_note (GstFollower * f, GstEvent * event);

/* Forgets what a new stream must not inherit: events and latency. The caller
 * holds the lock. */
void gst_follower_forget (GstFollower * f);

/* Computes what this element may send, in bits per second. From the last
 * event's target that is
 *
 *   (target - reserved-bitrate) * share
 *
 * If the element does not obey events, it is target_bitrate. 0 means to send
 * nothing; only an event can cause that. The largest value is G_MAXINT64 - 1.
 * Returns FALSE and leaves *target unchanged if there is no target. The caller
 * holds the lock. */
gboolean gst_follower_target (const GstFollower * f, gint64 * target);

/* Returns the whole target of the last event that had one;
 * GST_FOLLOWER_NO_BITRATE = none. The caller holds the lock. */
guint64 gst_follower_event_bitrate (const GstFollower * f);

/* Returns TRUE if the latency has changed. The caller then posts a latency
 * message, without the lock. */
gboolean gst_follower_set_latency (GstFollower * f, GstClockTime latency);
GstClockTime gst_follower_latency (GstFollower * f);

/* The functions below are for elements with one sink pad and one source
 * pad that lower the rate of the stream. */

/* Makes a pad with these functions and adds it to the element. A query function
 * of NULL leaves the default. */
GstPad *gst_follow_add_pad (GstElement * element,
    GstStaticPadTemplate * pad_template, GstPadEventFunction event,
    GstPadQueryFunction query);

/* For the source pad's event function: records congestion events and passes
 * them on. It returns TRUE even if no upstream element handles them. Other
 * events get the default handling. */
gboolean gst_follow_src_event (GstFollower * f, GstPad * pad,
    GstObject * parent, GstEvent * event);

/* For the source pad's query function: adds the follower's latency to that of
 * upstream. Other queries get the default handling. */
gboolean gst_follow_src_query (GstFollower * f, GstPad * sinkpad, GstPad * pad,
    GstObject * parent, GstQuery * query);

/* Creates what streaming needs. Returns FALSE after it has posted an error
 * message. */
typedef gboolean (*GstFollowStart) (GstElement * element);
/* Frees what start created and forgets what a new stream must not inherit. */
typedef void (*GstFollowStop) (GstElement * element);

/* For the class's change_state. It calls start before PAUSED, while the pads
 * are still inactive. It calls stop once the pads are inactive again, also if
 * PAUSED fails after start. */
GstStateChangeReturn gst_follow_change_state (GstElement * element,
    GstElementClass * parent_class, GstStateChange transition,
    GstFollowStart start, GstFollowStop stop);

G_END_DECLS

#endif
