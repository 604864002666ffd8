/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * plugin-rtpmpegvideo:
 *
 * MPEG-1 and MPEG-2 video in RTP (RFC 2250), cut at slices.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpmpegvideodepay.h"
#include "gstrtpmpegvideopay.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  gboolean ret = FALSE;

  ret |= GST_ELEMENT_REGISTER (rtpmpegvideodepay, plugin);
  ret |= GST_ELEMENT_REGISTER (rtpmpegvideopay, plugin);
  return ret;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, rtpmpegvideo,
    "RTP payloader and depayloader for MPEG-1 and MPEG-2 video (RFC 2250)",
    plugin_init, VERSION, GST_LICENSE, GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
