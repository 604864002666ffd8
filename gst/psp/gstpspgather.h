/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Decides how long packets wait in the socket before they are read. A thread
 * that wakes up for each packet spends more time on that than on the packet. If
 * the next ones come within 2 ms, it waits for some of them. The kernel notes
 * when they arrived.
 */
#ifndef __GST_PSP_GATHER_H__
#define __GST_PSP_GATHER_H__

#include <glib.h>

G_BEGIN_DECLS

/* ns; longest time that a packet waits. */
#define GST_PSP_GATHER_TIME (2 * G_GINT64_CONSTANT (1000000))
/* Packets over which the arrival rate is measured. */
#define GST_PSP_GATHER_PACKETS 16

typedef struct
{
  gint64 arrived[GST_PSP_GATHER_PACKETS];       /* ns; a ring */
  guint next;                   /* place in the ring */
  guint count;                  /* packets in the ring */
  gint64 span;                  /* ns between oldest and newest in the ring */
  gint64 shortest;              /* ns; shortest span since `since` */
  gint64 shortest_before;       /* ns; shortest span in the interval before */
  gint64 since;                 /* ns; arrival that began the interval */
  gsize largest;                /* bytes; largest packet since `since` */
  gsize largest_before;         /* bytes; largest in the interval before */
  gsize room;                   /* bytes that the socket has for packets */
  guint rest;                   /* packets until the next wait is allowed */
  guint pause;                  /* `rest` after the next useless wait */
} GstPspGather;

/* Starts without arrivals. `room` is the memory that the kernel allows packets
 * in the socket, in bytes as it counts them. */
void gst_psp_gather_init (GstPspGather * g, gsize room);
/* Notes that a packet of `size` bytes arrived at `at`, ns of a clock that may
 * be set; negative = unknown. */
void gst_psp_gather_arrived (GstPspGather * g, gint64 at, gsize size);
/* Returns the ns to wait before packets are read again. 0 = do not wait,
 * because too few packets would come, or too many for the socket. */
gint64 gst_psp_gather_time (const GstPspGather * g);
/* Notes how many packets were found after such a wait. */
void gst_psp_gather_waited (GstPspGather * g, guint found);

G_END_DECLS

#endif
