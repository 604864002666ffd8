/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Dates the arrival of datagrams on the monotonic clock and on an element's
 * clock. The kernel stamps them with the wall clock, which may step: its stamp
 * only dates the arrival between the last time that the socket was empty and
 * now.
 */
#ifndef __GST_PSP_ARRIVALS_H__
#define __GST_PSP_ARRIVALS_H__

#include <gst/gst.h>

#include "net/udp.h"

G_BEGIN_DECLS

typedef struct
{
  GstClock *clock;              /* the element's at the last reading, or NULL */
  /* The moment of the last reading, on the monotonic clock and the wall
   * clock. */
  gint64 now, wall;
  /* The same moment on the element's clock, or GST_CLOCK_TIME_NONE. */
  GstClockTime time;

  /* ns; when the socket was last empty; the caller may set it. */
  gint64 emptied_at;
  gint64 arrived_at;            /* ns; arrival of the last datagram */
  GstClockTime clock_time;      /* the same on the element's clock */
} GstPspArrivals;

/* Forgets all arrivals. The clock stays. */
void gst_psp_arrivals_init (GstPspArrivals * a);
/* Forgets the clock. */
void gst_psp_arrivals_clear (GstPspArrivals * a);

/* Reads the clocks after datagrams were received. */
void gst_psp_arrivals_read (GstPspArrivals * a, GstElement * element);
/* Returns when the next of these datagrams arrived, on the monotonic clock.
 * *clock_time is the same on the element's clock, or GST_CLOCK_TIME_NONE. */
gint64 gst_psp_arrivals_date (GstPspArrivals * a, const PspUdpDatagram * d,
    GstClockTime * clock_time);

G_END_DECLS

#endif
