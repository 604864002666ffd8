/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Watches whether packets to an address leave through another interface than
 * before: measurements of the old path are not valid for the new one.
 */
#ifndef __GST_PSP_ROUTE_WATCH_H__
#define __GST_PSP_ROUTE_WATCH_H__

#include <glib.h>

#include "net/route.h"

G_BEGIN_DECLS

/* ns; shortest time between two looks, which limits their cost on a router
 * whose tables change all the time. */
#define GST_PSP_ROUTE_WATCH_INTERVAL (100 * G_GINT64_CONSTANT (1000000))

typedef struct
{
  PspRoute route;
  gboolean open;
  gint64 look_at;
  int interface;                /* interface index; 0 = no route known yet */
} GstPspRouteWatch;

/* Returns 0, or a negative errno; then no look finds a change. */
int gst_psp_route_watch_start (GstPspRouteWatch * w, const PspAddress * to,
    gint64 now);
void gst_psp_route_watch_stop (GstPspRouteWatch * w);
/* Returns TRUE if the interface is not that of the last look that found a
 * route. */
gboolean gst_psp_route_watch_look (GstPspRouteWatch * w, const PspAddress * to,
    gint64 now);

G_END_DECLS

#endif
