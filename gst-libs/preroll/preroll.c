/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <preroll/preroll.h>

/* Waits for PLAYING. A flushing step would render the current buffer once
 * more and end the end of stream. So what has begun to leave continues,
 * and the step applies to the next buffer. The base class reports a step
 * by GST_FLOW_CUSTOM_ERROR. */
GstFlowReturn
gst_preroll_wait (GstBaseSink * sink)
{
  GstFlowReturn ret = gst_base_sink_wait_preroll (sink);

  return ret == GST_FLOW_CUSTOM_ERROR ? GST_FLOW_OK : ret;
}

/* Unlocks rendering until the state is changed. A buffer that arrives
 * before the base class has the preroll lock takes the sink to PLAYING
 * itself. It would then be rendered with that lock held, for as long as it
 * waits. */
static GstStateChangeReturn
play (GstBaseSink * sink, gpointer parent_class,
    const GstPrerollFunctions * functions)
{
  GstStateChangeReturn ret;

  functions->set_unlocked (sink, GST_PREROLL_UNLOCK_PLAY, TRUE);
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (GST_ELEMENT (sink),
      GST_STATE_CHANGE_PAUSED_TO_PLAYING);
  GST_BASE_SINK_PREROLL_LOCK (sink);
  functions->set_unlocked (sink, GST_PREROLL_UNLOCK_PLAY, FALSE);
  GST_BASE_SINK_PREROLL_SIGNAL (sink);
  GST_BASE_SINK_PREROLL_UNLOCK (sink);
  return ret;
}

GstStateChangeReturn
gst_preroll_change_state (GstBaseSink * sink, GstStateChange transition,
    gpointer parent_class, const GstPrerollFunctions * functions)
{
  gboolean starts = transition == GST_STATE_CHANGE_READY_TO_PAUSED;
  GstStateChangeReturn ret;

  if (starts && !functions->start (sink))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    return play (sink, parent_class, functions);

  ret = GST_ELEMENT_CLASS (parent_class)->change_state (GST_ELEMENT (sink),
      transition);

  if (starts && ret != GST_STATE_CHANGE_FAILURE)
    functions->started (sink);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (starts && ret == GST_STATE_CHANGE_FAILURE))
    functions->stop (sink);
  return ret;
}
