/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A plugin with an rtpgccbwe of its own, as gst-plugins-rs has one.
 */
#include <gst/gst.h>

#define PACKAGE "other"

typedef GstElement OtherEstimator;
typedef GstElementClass OtherEstimatorClass;

GType other_estimator_get_type (void);

G_DEFINE_TYPE (OtherEstimator, other_estimator, GST_TYPE_ELEMENT);

static void
other_estimator_class_init (OtherEstimatorClass * klass)
{
  gst_element_class_set_static_metadata (klass, "Other estimator", "Filter",
      "Stands for that of another plugin", "The gst-psp authors");
}

static void
other_estimator_init (OtherEstimator * self)
{
  (void) self;
}

static gboolean
plugin_init (GstPlugin * plugin)
{
  return gst_element_register (plugin, "rtpgccbwe", GST_RANK_NONE,
      other_estimator_get_type ());
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, other,
    "Another plugin with rtpgccbwe", plugin_init, "1", "LGPL", PACKAGE,
    "https://example.org")
