/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Pad and state functions that the elements which obey congestion events share.
 * These elements have one sink pad and one source pad and lower the rate of the
 * stream.
 */
#ifndef FOLLOW_FILTER_H
#define FOLLOW_FILTER_H

#include <follow/follower.h>

G_BEGIN_DECLS

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
