/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpbandwidthflow.h"

static void
set_flushing (GstRtpBandwidthFlow * f, gboolean flushing)
{
  f->flushing = flushing;
  f->ended = FALSE;
  f->result = GST_FLOW_OK;
}

void
gst_rtp_bandwidth_flow_init (GstRtpBandwidthFlow * f)
{
  gst_rtp_bandwidth_flow_activate (f, FALSE);
}

GstFlowReturn
gst_rtp_bandwidth_flow_status (const GstRtpBandwidthFlow * f)
{
  return f->flushing ? GST_FLOW_FLUSHING : f->result;
}

void
gst_rtp_bandwidth_flow_activate (GstRtpBandwidthFlow * f, gboolean active)
{
  f->active = active;
  set_flushing (f, !active);
}

gboolean
gst_rtp_bandwidth_flow_flush (GstRtpBandwidthFlow * f, gboolean flushing)
{
  if (!f->active)
    return FALSE;
  set_flushing (f, flushing);
  return !flushing;
}

void
gst_rtp_bandwidth_flow_end (GstRtpBandwidthFlow * f)
{
  f->ended = TRUE;
}

gboolean
gst_rtp_bandwidth_flow_pushed (GstRtpBandwidthFlow * f, GstFlowReturn ret)
{
  if (ret == GST_FLOW_OK || f->result != GST_FLOW_OK)
    return FALSE;
  f->result = ret;
  return TRUE;
}

gboolean
gst_rtp_bandwidth_flow_link (GstRtpBandwidthFlow * f)
{
  f->relinked = TRUE;
  if (!f->active || f->flushing || f->result != GST_FLOW_NOT_LINKED)
    return FALSE;
  f->result = GST_FLOW_OK;
  return TRUE;
}

gboolean
gst_rtp_bandwidth_flow_take_link (GstRtpBandwidthFlow * f)
{
  gboolean relinked = f->relinked;

  f->relinked = FALSE;
  return relinked;
}

void
gst_rtp_bandwidth_flow_post (GstElement * element, GstFlowReturn ret)
{
  if (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS)
    GST_ELEMENT_FLOW_ERROR (element, ret);
}
