/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * When datagrams arrived, on the monotonic clock and on an element's. The kernel
 * stamps them with the wall clock, which may step: it only dates the arrival between
 * the last time that the socket was empty and now.
 */
#ifndef __GST_PSP_ARRIVALS_H__
#define __GST_PSP_ARRIVALS_H__

#include <gst/gst.h>

#include "net/udp.h"

G_BEGIN_DECLS

typedef struct
{
  GstClock *clock;              /* the element's when read last, or NULL */
  /* One moment on the monotonic clock, the wall clock, and the element's, which may
   * be GST_CLOCK_TIME_NONE. */
  gint64 now, wall;
  GstClockTime time;

  gint64 emptied_at;            /* nothing waited in the socket then; may be set */
  gint64 arrived_at;            /* the last datagram */
  GstClockTime clock_time;      /* of its arrival */
} GstPspArrivals;

/* Nothing has arrived. The clock stays. */
void gst_psp_arrivals_init (GstPspArrivals * a);
/* Forgets the clock. */
void gst_psp_arrivals_clear (GstPspArrivals * a);

/* Reads the clocks, once datagrams were received. */
void gst_psp_arrivals_read (GstPspArrivals * a, GstElement * element);
/* Returns when the next of them arrived, on the monotonic clock. *clock_time is the
 * same on the element's clock, or GST_CLOCK_TIME_NONE. */
gint64 gst_psp_arrivals_date (GstPspArrivals * a, const PspUdpDatagram * d,
    GstClockTime * clock_time);

G_END_DECLS

#endif
