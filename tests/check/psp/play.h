/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: pspsrc and pspsink that play in harnesses.
 */
#ifndef TEST_PLAY_H
#define TEST_PLAY_H

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#define CAPS "application/x-rtp, media=video, clock-rate=90000, " \
    "encoding-name=X, payload=96"

/* Takes the element. */
static inline GstHarness *
play_src (GstElement * src, gint * port)
{
  GstHarness *h = gst_harness_new_with_element (src, NULL, "src");

  gst_harness_use_systemclock (h);
  gst_harness_play (h);
  g_object_get (src, "port", port, NULL);
  gst_object_unref (src);
  return h;
}

/* Takes the element. */
static inline GstHarness *
play_sink (GstElement * sink, gint port)
{
  GstHarness *h;

  g_object_set (sink, "port", port, NULL);
  h = gst_harness_new_with_element (sink, "sink", NULL);
  gst_harness_set_src_caps_str (h, CAPS);
  gst_object_unref (sink);
  return h;
}

#endif
