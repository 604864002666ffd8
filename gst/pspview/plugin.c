/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * plugin-pspview:
 *
 * A tracer that reports what our elements do to gst-psp-view.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspview.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  return gst_tracer_register (plugin, "pspview", GST_TYPE_PSP_VIEW);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, pspview,
    "Reports statistics of congestion-controlled pipelines to gst-psp-view",
    plugin_init, VERSION, GST_LICENSE, GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
