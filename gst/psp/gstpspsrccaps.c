/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsrccaps.h"

GST_DEBUG_CATEGORY_EXTERN (gst_psp_src_debug);
#define GST_CAT_DEFAULT gst_psp_src_debug

/* Caps as an error suggests them, for a launch line. */
#define EXAMPLE_CAPS "caps=\"application/x-rtp,media=video,clock-rate=90000," \
    "encoding-name=H264\""

/* The same for a URI. */
#define EXAMPLE_URI_CAPS "caps=application/x-rtp,media=video," \
    "clock-rate=90000,encoding-name=H264"

void
gst_psp_src_caps_set (GstPspSrcCaps * c, const GstCaps * caps)
{
  GstCaps *old;

  GST_OBJECT_LOCK (c->src);
  old = c->set;
  c->set = caps ? gst_caps_copy (caps) : NULL;
  GST_OBJECT_UNLOCK (c->src);
  if (old)
    gst_caps_unref (old);
  gst_pad_mark_reconfigure (GST_BASE_SRC_PAD (c->src));
}

static GstCaps *
dup_caps (GstPspSrcCaps * c)
{
  GstCaps *caps;

  GST_OBJECT_LOCK (c->src);
  caps = c->set ? gst_caps_ref (c->set) : NULL;
  GST_OBJECT_UNLOCK (c->src);
  return caps;
}

GstCaps *
gst_psp_src_caps_get (GstPspSrcCaps * c, GstCaps * filter)
{
  GstCaps *caps = dup_caps (c);
  GstCaps *all = gst_pad_get_pad_template_caps (GST_BASE_SRC_PAD (c->src));
  GstCaps *both;

  if (caps) {
    both = gst_caps_intersect (caps, all);
    gst_caps_unref (caps);
    gst_caps_unref (all);
    all = both;
  }
  if (filter) {
    both = gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (all);
    all = both;
  }
  return all;
}

/* Returns the format that downstream requires, such as a depayloader or a
 * capsfilter. If its clock rate is not fixed, returns the template caps,
 * because one rate of a range would be a guess; NULL = downstream does not
 * accept them. */
static GstCaps *
caps_of_peer (GstPspSrcCaps * c)
{
  GstPad *pad = GST_BASE_SRC_PAD (c->src);
  GstCaps *all = gst_pad_get_pad_template_caps (pad);
  GstCaps *caps = gst_pad_peer_query_caps (pad, all);
  gint rate;

  if (caps && !gst_caps_is_empty (caps) && !gst_caps_is_any (caps)) {
    caps = gst_caps_truncate (caps);
    if (gst_structure_get_int (gst_caps_get_structure (caps, 0), "clock-rate",
            &rate)) {
      gst_caps_unref (all);
      return gst_caps_fixate (caps);
    }
  }
  gst_caps_replace (&caps, NULL);
  if (!gst_pad_peer_query_accept_caps (pad, all))
    gst_clear_caps (&all);
  return all;
}

static gboolean
negotiate_without_caps (GstPspSrcCaps * c)
{
  GstCaps *caps = caps_of_peer (c);
  gboolean ok;

  if (!caps) {
    GST_ELEMENT_ERROR (c->src, CORE, NEGOTIATION,
        ("What follows pspsrc needs to know what is received. Set caps to "
            "what is sent, for example " EXAMPLE_CAPS "."), (NULL));
    return FALSE;
  }
  c->undecided = !gst_structure_has_field (gst_caps_get_structure (caps, 0),
      "clock-rate");
  ok = c->undecided || gst_base_src_set_caps (c->src, caps);
  gst_caps_unref (caps);
  return ok;
}

/* Returns the caps of a static payload type of video (RFC 3551 section 6); NULL
 * = it is none. */
static GstCaps *
static_caps (guint8 payload_type)
{
  static const struct
  {
    guint8 payload_type;
    const gchar *encoding;
  } types[] = { {26, "JPEG"}, {31, "H261"}, {32, "MPV"}, {33, "MP2T"},
  {34, "H263"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i].payload_type == payload_type)
      return gst_caps_new_simple ("application/x-rtp",
          "media", G_TYPE_STRING, "video", "payload", G_TYPE_INT, payload_type,
          "clock-rate", G_TYPE_INT, 90000,
          "encoding-name", G_TYPE_STRING, types[i].encoding, NULL);
  return NULL;
}

gboolean
gst_psp_src_caps_decide (GstPspSrcCaps * c, guint8 payload_type)
{
  GstCaps *caps = static_caps (payload_type);
  gboolean ok;

  c->undecided = FALSE;
  if (!caps) {
    caps = gst_pad_get_pad_template_caps (GST_BASE_SRC_PAD (c->src));
    if (!c->warned)
      GST_ELEMENT_WARNING (c->src, CORE, NEGOTIATION,
          ("pspsrc does not know what it receives: jitter cannot be measured, "
              "and depayloaders and playbin may refuse it. Set caps to what "
              "is sent, for example " EXAMPLE_CAPS ", or let the URI say it: "
              "psp://host:port?" EXAMPLE_URI_CAPS "."), (NULL));
    c->warned = TRUE;
  }
  ok = gst_base_src_set_caps (c->src, caps);
  gst_caps_unref (caps);
  return ok;
}

gboolean
gst_psp_src_caps_negotiate (GstPspSrcCaps * c)
{
  GstBaseSrcClass *base = g_type_class_peek (GST_TYPE_BASE_SRC);
  GstPad *pad = GST_BASE_SRC_PAD (c->src);
  GstCaps *caps = dup_caps (c), *ours, *common;
  gboolean ok;

  c->undecided = FALSE;
  if (!caps)
    return negotiate_without_caps (c);
  ours = gst_psp_src_caps_get (c, NULL);
  common = gst_pad_peer_query_caps (pad, ours);
  ok = !gst_caps_is_empty (ours) && !(common && gst_caps_is_empty (common));
  if (ok)
    ok = base->negotiate (c->src);
  else if (!GST_PAD_IS_FLUSHING (pad))
    GST_ELEMENT_ERROR (c->src, CORE, NEGOTIATION,
        ("What follows pspsrc does not take its caps. Set caps to what is "
            "sent, of type application/x-rtp, and choose elements that take "
            "it."), ("caps is %" GST_PTR_FORMAT, caps));
  gst_caps_replace (&common, NULL);
  gst_caps_unref (ours);
  gst_caps_unref (caps);
  return ok;
}
