/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How long to leave packets in the socket before they are read. A thread that is
 * woken up for each packet pays more for that than for the packet; where the next ones
 * come within 2 ms, it waits for some of them. The kernel notes when they arrived.
 */
#ifndef __GST_PSP_GATHER_H__
#define __GST_PSP_GATHER_H__

#include <glib.h>

G_BEGIN_DECLS

/* ns that a packet may wait, at most. */
#define GST_PSP_GATHER_TIME (2 * G_GINT64_CONSTANT (1000000))
/* Packets that are looked at together. */
#define GST_PSP_GATHER_PACKETS 16

typedef struct
{
  gint64 arrived[GST_PSP_GATHER_PACKETS];       /* ns; a ring */
  guint next;                   /* place in the ring */
  guint count;                  /* packets in the ring */
  gint64 span;                  /* ns from the oldest in the ring to the newest */
  gint64 shortest;              /* span since `since` */
  gint64 shortest_before;       /* span of the time before */
  gint64 since;                 /* ns; of the newest packet when it began */
  gsize largest;                /* bytes of a packet since `since` */
  gsize largest_before;         /* the same of the time before */
  gsize room;                   /* bytes that the socket has for packets */
  guint rest;                   /* packets to come until waiting is tried again */
  guint pause;                  /* the rest after the next wait in vain */
} GstPspGather;

/* Nothing has arrived. `room` is what the kernel lets packets take in the socket, in
 * bytes as it counts them. */
void gst_psp_gather_init (GstPspGather * g, gsize room);
/* A packet of `size` bytes arrived: ns of a clock that may be set; negative = not
 * known. */
void gst_psp_gather_arrived (GstPspGather * g, gint64 at, gsize size);
/* Returns the ns to wait before packets are read again. 0 = do not wait: too few
 * would come, or so many that they may not fit the socket. */
gint64 gst_psp_gather_time (const GstPspGather * g);
/* So many packets there were after such a wait. */
void gst_psp_gather_waited (GstPspGather * g, guint found);

G_END_DECLS

#endif
