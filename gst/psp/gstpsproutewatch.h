/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Whether packets to an address leave through another interface than before:
 * what was measured of the old path says nothing about the new one.
 */
#ifndef __GST_PSP_ROUTE_WATCH_H__
#define __GST_PSP_ROUTE_WATCH_H__

#include <glib.h>

#include "net/route.h"

G_BEGIN_DECLS

/* Looks are at least so far apart: a router's tables in motion cost no more
 * than that. */
#define GST_PSP_ROUTE_WATCH_INTERVAL (100 * G_GINT64_CONSTANT (1000000))

typedef struct
{
  PspRoute route;
  gboolean open;
  gint64 look_at;
  int interface;                /* index; 0 = no route was known yet */
} GstPspRouteWatch;

/* 0, or a negative errno: then no look finds anything. */
int gst_psp_route_watch_start (GstPspRouteWatch * w, const PspAddress * to,
    gint64 now);
void gst_psp_route_watch_stop (GstPspRouteWatch * w);
/* TRUE where the interface is another than at the last look that found a
 * route. */
gboolean gst_psp_route_watch_look (GstPspRouteWatch * w, const PspAddress * to,
    gint64 now);

G_END_DECLS

#endif
