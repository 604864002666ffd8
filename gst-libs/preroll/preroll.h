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

/* What a sink does when its state changes. */
typedef struct
{
  /* From READY to PAUSED, before the base class. FALSE = the sink has posted
   * an error, and stays in READY. */
  gboolean (*start) (GstBaseSink * sink);
  /* From READY to PAUSED, after the base class. */
  void (*started) (GstBaseSink * sink);
  /* From PAUSED to READY, after the base class; also if that has failed after
   * start(). */
  void (*stop) (GstBaseSink * sink);
  void (*set_unlocked) (GstBaseSink * sink, GstPrerollUnlock why,
      gboolean unlocked);
} GstPrerollFunctions;

/* Waits while rendering is unlocked. GST_FLOW_OK = it continues where it
 * was. */
GstFlowReturn gst_preroll_wait (GstBaseSink * sink);
/* The sink's change_state(). */
GstStateChangeReturn gst_preroll_change_state (GstBaseSink * sink,
    GstStateChange transition, gpointer parent_class,
    const GstPrerollFunctions * functions);

G_END_DECLS

#endif
