/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * plugin-rtpbandwidth:
 *
 * Estimates the bandwidth for rtpbin, webrtcbin and RTSP servers.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpbandwidth.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  return GST_ELEMENT_REGISTER (rtpbandwidth, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, rtpbandwidth,
    "Estimates the bandwidth of RTP sessions", plugin_init, VERSION,
    GST_LICENSE, GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
