/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The way from pad to pad through bins: there and back, cut, and in a circle.
 */
#include <gst/check/gstcheck.h>
#include <pads/pads.h>

#define DEPTH 4                 /* bins in each other */

static GstElement *top, *left, *right;
static GstElement *inner[DEPTH];        /* from the inside out; right in [0] */
static GstPad *src, *sink;

/* An element and one within bins, which it is linked with. */
static void
start (void)
{
  GstElement *content;

  top = gst_bin_new (NULL);
  left = gst_element_factory_make ("identity", NULL);
  right = content = gst_element_factory_make ("identity", NULL);
  for (guint i = 0; i < DEPTH; i++) {
    GstPad *pad = gst_element_get_static_pad (content, "sink");

    inner[i] = gst_bin_new (NULL);
    gst_bin_add (GST_BIN (inner[i]), content);
    gst_element_add_pad (inner[i], gst_ghost_pad_new ("sink", pad));
    gst_object_unref (pad);
    content = inner[i];
  }
  gst_bin_add_many (GST_BIN (top), left, content, NULL);
  fail_unless (gst_element_link (left, content));
  src = gst_element_get_static_pad (left, "src");
  sink = gst_element_get_static_pad (right, "sink");
}

static void
stop (void)
{
  gst_object_unref (src);
  gst_object_unref (sink);
  gst_object_unref (top);
}

static void
check_peer (GstPad * pad, GstPad * expected)
{
  GstPad *peer = gst_pads_get_peer (pad);

  fail_unless (peer == expected);
  gst_clear_object (&peer);
}

GST_START_TEST (into_and_out_of_bins)
{
  start ();
  check_peer (src, sink);
  check_peer (sink, src);
  stop ();
}

GST_END_TEST;

GST_START_TEST (not_linked)
{
  GstPad *ghost;

  start ();
  ghost = gst_element_get_static_pad (inner[1], "sink");
  fail_unless (gst_ghost_pad_set_target (GST_GHOST_PAD (ghost), NULL));
  gst_object_unref (ghost);
  check_peer (src, NULL);
  gst_element_unlink (left, inner[DEPTH - 1]);
  check_peer (src, NULL);
  check_peer (sink, NULL);
  stop ();
}

GST_END_TEST;

static GstPad *
add_empty_ghost (GstElement * bin, const gchar * name, GstPadDirection to)
{
  GstPad *ghost = gst_ghost_pad_new_no_target (name, to);

  gst_pad_set_active (ghost, TRUE);
  fail_unless (gst_element_add_pad (bin, ghost));
  return ghost;
}

/* A bin that leads to itself, with no element within. A link's event would
 * run in the circle, too. */
GST_START_TEST (circle)
{
  GstElement *bin = gst_bin_new (NULL);
  GstPad *in = add_empty_ghost (bin, "sink", GST_PAD_SINK);
  GstPad *out = add_empty_ghost (bin, "src", GST_PAD_SRC);
  GstProxyPad *in_half = gst_proxy_pad_get_internal (GST_PROXY_PAD (in));
  GstProxyPad *out_half = gst_proxy_pad_get_internal (GST_PROXY_PAD (out));

  gst_object_ref_sink (bin);
  fail_unless_equals_int (gst_pad_link_full (GST_PAD (in_half),
          GST_PAD (out_half), GST_PAD_LINK_CHECK_NO_RECONFIGURE),
      GST_PAD_LINK_OK);
  fail_unless_equals_int (gst_pad_link_full (out, in,
          GST_PAD_LINK_CHECK_NO_RECONFIGURE), GST_PAD_LINK_OK);
  check_peer (out, NULL);
  check_peer (in, NULL);
  gst_object_unref (in_half);
  gst_object_unref (out_half);
  gst_object_unref (bin);
}

GST_END_TEST;

static Suite *
pads_suite (void)
{
  Suite *s = suite_create ("pads");
  TCase *t = tcase_create ("pads");

  suite_add_tcase (s, t);
  tcase_add_test (t, into_and_out_of_bins);
  tcase_add_test (t, not_linked);
  tcase_add_test (t, circle);
  return s;
}

GST_CHECK_MAIN (pads);
