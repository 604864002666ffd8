/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Functions that the files of the link share.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstitcplinkprivate.h"

GST_DEBUG_CATEGORY_EXTERN (gst_itcp_sink_debug);
#define GST_CAT_DEFAULT gst_itcp_sink_debug

void
gst_itcp_link_set_state (GstItcpLink * link, LinkState state)
{
  g_mutex_lock (&link->lock);
  link->state = state;
  g_cond_broadcast (&link->cond);
  g_mutex_unlock (&link->lock);
}

void
gst_itcp_link_post (GstItcpLink * link, gboolean fatal, gint code,
    ItcpRateLimit * limit, gchar * text)
{
  unsigned left_out = 0;

  GST_WARNING_OBJECT (link->element, "%s", text);
  if (!fatal && limit &&
      !itcp_rate_limit_allow (limit, wait_monotonic_now (), &left_out)) {
    g_free (text);
    return;
  }
  if (left_out > 0) {
    gchar *whole = g_strdup_printf ("%s %u more of these warnings were left "
        "out.", text, left_out);

    g_free (text);
    text = whole;
  }
  gst_notifier_post (link->notifier,
      fatal ? GST_MESSAGE_ERROR : GST_MESSAGE_WARNING, GST_RESOURCE_ERROR,
      code, text, NULL);
}

gint64
gst_itcp_link_meter_now (GstItcpLink * link)
{
  return link->media_clock.time != PSP_TIME_UNKNOWN ?
      link->media_clock.time : wait_monotonic_now ();
}

guint
gst_itcp_link_estimate (GstItcpLink * link)
{
  return (guint) MIN (link->adaptation.symbiosis.rate, (gint64) G_MAXUINT);
}
