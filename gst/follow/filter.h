/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What elements that follow do alike at their pads and in their states: those
 * that have one pad on either side and lower the rate of what passes.
 */
#ifndef __GST_FOLLOW_FILTER_H__
#define __GST_FOLLOW_FILTER_H__

#include "follower.h"

G_BEGIN_DECLS

/* For the source pad's event function: notes congestion events and passes them
 * on, with success whether or not anyone upstream cares; for any other event
 * the default. */
gboolean gst_follow_src_event (GstFollower * f, GstPad * pad,
    GstObject * parent, GstEvent * event);

/* For the source pad's query function: adds the follower's latency to that of
 * upstream; for any other query the default. */
gboolean gst_follow_src_query (GstFollower * f, GstPad * sinkpad, GstPad * pad,
    GstObject * parent, GstQuery * query);

/* Makes what streaming needs; FALSE after an error message. */
typedef gboolean (*GstFollowStart) (GstElement * element);
/* Frees that, and forgets what a new stream must not inherit. */
typedef void (*GstFollowStop) (GstElement * element);

/* For the class's change_state: start before PAUSED, while the pads are still
 * inactive; stop once they are so again, also where PAUSED fails after start.
 */
GstStateChangeReturn gst_follow_change_state (GstElement * element,
    GstElementClass * parent_class, GstStateChange transition,
    GstFollowStart start, GstFollowStop stop);

G_END_DECLS

#endif
