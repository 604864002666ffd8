/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpbandwidthsession.h"

#include <pads/pads.h>

/* Most steps from element to element; no pipeline has so many behind this
 * one. */
#define MAX_STEPS 32
/* The property of rtpsession that holds its session object. */
#define PROPERTY "internal-session"

/* Returns the element's only source pad, or NULL if it has none or several. */
static GstPad *
find_way_on (GstElement * element)
{
  GstPad *pad = NULL;

  GST_OBJECT_LOCK (element);
  if (element->numsrcpads == 1)
    pad = gst_object_ref (element->srcpads->data);
  GST_OBJECT_UNLOCK (element);
  return pad;
}

static GObject *
get_session (GstElement * element)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), PROPERTY);
  GObject *session = NULL;

  if (spec && G_IS_PARAM_SPEC_OBJECT (spec))
    g_object_get (element, PROPERTY, &session, NULL);
  return session;
}

GObject *
gst_rtp_bandwidth_find_session (GstPad * srcpad)
{
  GstPad *src = gst_object_ref (srcpad), *sink;
  GObject *session = NULL;

  for (guint i = 0; src && !session && i < MAX_STEPS; i++) {
    GstElement *element;

    sink = gst_pads_get_peer (src);
    gst_clear_object (&src);
    element = sink ? gst_pad_get_parent_element (sink) : NULL;
    if (element) {
      session = get_session (element);
      src = find_way_on (element);
    }
    gst_clear_object (&element);
    gst_clear_object (&sink);
  }
  gst_clear_object (&src);
  return session;
}
