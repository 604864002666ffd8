/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscaleroutput.h"

gboolean
gst_mpeg_scaler_output_is_timed (const GstMpegScalerOutput * o)
{
  return o->segment.format == GST_FORMAT_TIME;
}

gboolean
gst_mpeg_scaler_output_is_in_segment (const GstMpegScalerOutput * o,
    GstClockTime time)
{
  return GST_CLOCK_TIME_IS_VALID (time) && time >= o->segment.start
      && time < o->segment.stop;
}

static GstBuffer *
set_flag (GstBuffer * buffer, GstBufferFlags flag, gboolean value)
{
  if (!GST_BUFFER_FLAG_IS_SET (buffer, flag) == !value)
    return buffer;
  buffer = gst_buffer_make_writable (buffer);
  if (value)
    GST_BUFFER_FLAG_SET (buffer, flag);
  else
    GST_BUFFER_FLAG_UNSET (buffer, flag);
  return buffer;
}

GstFlowReturn
gst_mpeg_scaler_output_push (GstMpegScalerOutput * o, GstBuffer * buffer)
{
  buffer = set_flag (buffer, GST_BUFFER_FLAG_DISCONT, o->discont);
  o->discont = FALSE;
  return gst_pad_push (o->srcpad, buffer);
}

GstBuffer *
gst_mpeg_scaler_output_mark (GstMpegScalerOutput * o, GstBuffer * buffer,
    const GstMpegScalerPicture * picture, gboolean delta)
{
  gst_mpeg_scaler_gap_init (&o->gap);
  buffer = set_flag (buffer, GST_BUFFER_FLAG_DELTA_UNIT, delta);
  return gst_mpeg_scaler_order_mark (&o->order, buffer, picture);
}

void
gst_mpeg_scaler_output_dropped (GstMpegScalerOutput * o, GstClockTime pts,
    GstClockTime duration, gboolean is_reference)
{
  GstEvent *event;

  if (!gst_mpeg_scaler_output_is_timed (o)
      || !gst_mpeg_scaler_output_is_in_segment (o, pts))
    return;
  event = gst_mpeg_scaler_gap_add (&o->gap, pts, duration, is_reference);
  if (event)
    gst_pad_push_event (o->srcpad, event);
}

GstFlowReturn
gst_mpeg_scaler_output_refuse (GstMpegScalerOutput * o)
{
  GST_ELEMENT_ERROR (o->element, RESOURCE, READ,
      ("The video's memory cannot be read; it must come in memory that the "
          "processor can access."), ("mapping a buffer failed"));
  return GST_FLOW_ERROR;
}
