/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * plugin-psp: RTP over paced UDP with receiver feedback and congestion control.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsink.h"
#include "gstpspsrc.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  gboolean any = FALSE;

  any |= GST_ELEMENT_REGISTER (pspsink, plugin);
  any |= GST_ELEMENT_REGISTER (pspsrc, plugin);
  return any;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, psp,
    "RTP over paced UDP with congestion control", plugin_init, VERSION,
    GST_LICENSE, GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
