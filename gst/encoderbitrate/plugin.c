/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * plugin-encoderbitrate:
 *
 * Lets any encoder whose bitrate can change follow the network.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstencoderbitrate.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  return GST_ELEMENT_REGISTER (encoderbitrate, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, encoderbitrate,
    "Sets an encoder's bitrate from congestion events", plugin_init, VERSION,
    GST_LICENSE, GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
