/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * plugin-mpegscaler:
 *
 * Lowers the rate of MPEG-1 and MPEG-2 video in flight.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscaler.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  return GST_ELEMENT_REGISTER (mpegscaler, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, mpegscaler,
    "Lowers the rate of MPEG-1 and MPEG-2 video in flight", plugin_init,
    VERSION, GST_LICENSE, GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
