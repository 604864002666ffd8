/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For sinks that wait while they render, for room or for a receiver: combines
 * this with GstBaseSink's preroll.
 */
#ifndef PREROLL_PREROLL_H
#define PREROLL_PREROLL_H

#include <gst/base/gstbasesink.h>

G_BEGIN_DECLS

/* Why rendering must wait only in gst_preroll_wait(), as bits. */
typedef enum
{
  GST_PREROLL_UNLOCK_STOP = 1,  /* a pause or a flush: GstBaseSink's unlock() */
  GST_PREROLL_UNLOCK_PLAY = 2   /* a change to PLAYING */
} GstPrerollUnlock;

typedef void (*GstPrerollSetUnlocked) (GstBaseSink * sink,
    GstPrerollUnlock why, gboolean unlocked);

/* Waits while rendering is unlocked. GST_FLOW_OK = it continues where it
 * was. */
GstFlowReturn gst_preroll_wait (GstBaseSink * sink);
/* Changes the sink from PAUSED to PLAYING. */
GstStateChangeReturn gst_preroll_play (GstBaseSink * sink,
    GstElementClass * parent_class, GstPrerollSetUnlocked set_unlocked);

G_END_DECLS

#endif
