/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpsproutewatch.h"

int
gst_psp_route_watch_start (GstPspRouteWatch * w, const PspAddress * to,
    gint64 now)
{
  int result = psp_route_open (&w->route);

  w->open = result == 0;
  w->look_at = now + GST_PSP_ROUTE_WATCH_INTERVAL;
  w->interface = w->open ? psp_route_interface (&w->route, to) : 0;
  if (w->interface < 0)
    w->interface = 0;
  return result;
}

void
gst_psp_route_watch_stop (GstPspRouteWatch * w)
{
  if (w->open)
    psp_route_close (&w->route);
  w->open = FALSE;
}

gboolean
gst_psp_route_watch_look (GstPspRouteWatch * w, const PspAddress * to,
    gint64 now)
{
  int interface, before = w->interface;

  if (!w->open || now < w->look_at)
    return FALSE;
  w->look_at = now + GST_PSP_ROUTE_WATCH_INTERVAL;
  if (!psp_route_changed (&w->route))
    return FALSE;
  interface = psp_route_interface (&w->route, to);
  /* There may be no route for a short time before the old one returns. */
  if (interface <= 0)
    return FALSE;
  w->interface = interface;
  return before > 0 && interface != before;
}
