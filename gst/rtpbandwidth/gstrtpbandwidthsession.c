/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpbandwidthsession.h"

/* Most steps from pad to pad; no pipeline has so many elements behind this
 * one. */
#define MAX_STEPS 32
/* The property of rtpsession that holds its session object. */
#define PROPERTY "internal-session"

/* Takes the source pad. Returns the sink pad that it feeds, also into or
 * out of bins, or NULL. */
static GstPad *
find_sink (GstPad * src)
{
  GstPad *pad = gst_pad_get_peer (src), *next;

  gst_object_unref (src);
  for (guint i = 0; pad && i < MAX_STEPS; i++) {
    if (GST_IS_GHOST_PAD (pad)) {
      /* The pad leads into a bin. */
      next = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
    } else if (GST_IS_PROXY_PAD (pad)) {
      /* The pad leads out of a bin. */
      GstProxyPad *ghost = gst_proxy_pad_get_internal (GST_PROXY_PAD (pad));

      next = ghost ? gst_pad_get_peer (GST_PAD (ghost)) : NULL;
      gst_clear_object (&ghost);
    } else {
      return pad;
    }
    gst_object_unref (pad);
    pad = next;
  }
  gst_clear_object (&pad);
  return NULL;
}

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

    sink = find_sink (src);
    src = NULL;
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
