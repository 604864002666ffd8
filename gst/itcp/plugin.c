/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * plugin-itcp: byte streams over TCP, whose retransmissions reach the pipeline.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstitcpsink.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  return GST_ELEMENT_REGISTER (itcpsink, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, itcp,
    "TCP whose retransmissions reach the pipeline", plugin_init, VERSION,
    GST_LICENSE, GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
