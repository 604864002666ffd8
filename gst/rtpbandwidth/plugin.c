/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */

/**
 * plugin-rtpbandwidth:
 *
 * Estimates the bandwidth for rtpbin, webrtcbin and RTSP servers, and reports
 * arrivals to such senders.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpbandwidth.h"
#include "gstrtpccfb.h"

#ifdef RTPGCCBWE_ALIAS
/* webrtcsink creates its estimator by this name. A registry has one
 * element of a name; if plugins-rs is installed, it is the one of
 * plugins-rs. */
#define ALIAS "rtpgccbwe"

static gboolean
register_alias (GstPlugin * plugin)
{
  GstPluginFeature *known =
      gst_registry_lookup_feature (gst_registry_get (), ALIAS);
  const gchar *owner = known ? gst_plugin_feature_get_plugin_name (known) :
      NULL;
  gboolean ok = TRUE;

  if (owner && !g_str_equal (owner, gst_plugin_get_name (plugin)))
    GST_WARNING (ALIAS " is that of the plugin %s, not rtpbandwidth", owner);
  else
    ok = gst_element_register (plugin, ALIAS, GST_RANK_NONE,
        GST_TYPE_RTP_BANDWIDTH);
  gst_clear_object (&known);
  return ok;
}
#endif

static gboolean
plugin_init (GstPlugin * plugin)
{
  gboolean ok = GST_ELEMENT_REGISTER (rtpbandwidth, plugin)
      && GST_ELEMENT_REGISTER (rtpccfb, plugin);

#ifdef RTPGCCBWE_ALIAS
  ok = ok && register_alias (plugin);
#endif
  return ok;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, rtpbandwidth,
    "Estimates the bandwidth of RTP sessions", plugin_init, VERSION,
    GST_LICENSE, GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
