/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsrcrtcp.h"

GST_DEBUG_CATEGORY_EXTERN (gst_psp_src_debug);
#define GST_CAT_DEFAULT gst_psp_src_debug

static GstStaticPadTemplate rtcp_template = GST_STATIC_PAD_TEMPLATE ("rtcp_src",
    GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS ("application/x-rtcp"));

void
gst_psp_src_rtcp_add_template (GstElementClass * klass)
{
  gst_element_class_add_static_pad_template (klass, &rtcp_template);
}

/* The latency is the element's. */
static gboolean
answer (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstPspSrcRtcp *r = gst_pad_get_element_private (pad);

  return GST_QUERY_TYPE (query) == GST_QUERY_LATENCY ?
      gst_pad_query (r->src, query) : gst_pad_query_default (pad, parent,
      query);
}

static void
begin (GstPspSrcRtcp * r)
{
  gchar *id;
  GstCaps *caps = gst_static_pad_template_get_caps (&rtcp_template);
  GstSegment segment;

  r->pad = gst_pad_new_from_static_template (&rtcp_template, "rtcp_src");
  gst_pad_use_fixed_caps (r->pad);
  gst_pad_set_element_private (r->pad, r);
  gst_pad_set_query_function (r->pad, answer);
  gst_pad_set_active (r->pad, TRUE);
  id = gst_pad_create_stream_id (r->pad, r->element, "rtcp");
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (r->pad, gst_event_new_stream_start (id));
  gst_pad_push_event (r->pad, gst_event_new_caps (caps));
  gst_pad_push_event (r->pad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
  g_free (id);
  gst_element_add_pad (r->element, r->pad);
}

/* The streaming thread pushes this event, too. */
static GstPadProbeReturn
pass_eos (GstPad * src, GstPadProbeInfo * info, gpointer data)
{
  GstPspSrcRtcp *r = data;

  (void) src;
  if (r->pad
      && GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    gst_pad_push_event (r->pad, gst_event_new_eos ());
  return GST_PAD_PROBE_OK;
}

void
gst_psp_src_rtcp_init (GstPspSrcRtcp * r, GstElement * element, GstPad * src)
{
  r->element = element;
  r->src = src;
  r->pad = NULL;
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, pass_eos, r,
      NULL);
}

/* Whether it arrives does not matter to the media. */
void
gst_psp_src_rtcp_push (GstPspSrcRtcp * r, GstBuffer * buffer)
{
  GstFlowReturn ret;

  if (!r->pad)
    begin (r);
  GST_BUFFER_PTS (buffer) = gst_element_get_current_running_time (r->element);
  ret = gst_pad_push (r->pad, buffer);
  if (ret != GST_FLOW_OK)
    GST_LOG_OBJECT (r->element, "RTCP: %s", gst_flow_get_name (ret));
}

void
gst_psp_src_rtcp_end (GstPspSrcRtcp * r)
{
  if (!r->pad)
    return;
  gst_pad_set_active (r->pad, FALSE);
  gst_element_remove_pad (r->element, r->pad);
  r->pad = NULL;
}
