/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Drives the engine of one pspsink: a pacing thread that sends on the engine's
 * schedule and reads the feedback, the socket, and the lock between that
 * thread, the streaming thread and the application's.
 *
 * Whoever finds the socket free sends: the streaming thread itself where the
 * schedule lets everything go at once and the pacing thread sleeps (no thread
 * is woken then), otherwise the pacing thread. The lock is never held across
 * a system call.
 */
#ifndef __GST_PSP_DRIVER_H__
#define __GST_PSP_DRIVER_H__

#include <notify/notifier.h>
#include <preroll/preroll.h>

#include "gstpspengine.h"

G_BEGIN_DECLS

typedef struct _GstPspDriver GstPspDriver;

typedef struct
{
  GstPspEngineStats engine;
  PspPrecision precision;
  gboolean segment;             /* UDP_SEGMENT is used */
  guint64 system_calls;         /* to send with */
  guint events;                 /* congestion events */
} GstPspDriverStats;

/* NULL when out of memory or file descriptors. The element, which is not kept
 * alive, gives the running time; the notifier must outlive the driver. */
GstPspDriver *gst_psp_driver_new (GstElement * element,
    GstNotifier * notifier, const PspControllerClass * controller,
    const gdouble * parameters, const PspLimits * limits, GstPspPacing pacing);
void gst_psp_driver_free (GstPspDriver * d);

/* Starts the pacing thread on a prepared socket, which stays the caller's. In
 * the beginning nothing leaves: see set_playing(). */
void gst_psp_driver_start (GstPspDriver * d, int fd,
    const PspAddress * destination);
/* RTCP goes to this port of the destination, 0 = to that of the media; from the
 * next start on. */
void gst_psp_driver_set_rtcp_port (GstPspDriver * d, guint16 port);
/* Ends the thread, if it runs; what waits in the queue keeps waiting. */
void gst_psp_driver_stop (GstPspDriver * d);
gboolean gst_psp_driver_is_running (GstPspDriver * d);

/* The engine, for whoever changes its settings; never to be held across
 * anything that blocks. Unlocked, what changed takes effect. */
GstPspEngine *gst_psp_driver_lock (GstPspDriver * d);
void gst_psp_driver_unlock (GstPspDriver * d);

/* The DSCP of the socket is another. */
void gst_psp_driver_socket_changed (GstPspDriver * d);

/* Bytes of the largest packet that the path carries whole. */
gint gst_psp_driver_max_packet (GstPspDriver * d);

/* When it returns after FALSE, nothing leaves any more. */
void gst_psp_driver_set_playing (GstPspDriver * d, gboolean playing);
/* While TRUE for any of these, push() and drain() return at once. */
void gst_psp_driver_set_unlocked (GstPspDriver * d, GstPrerollUnlock why,
    gboolean unlocked);

/* Takes the packets in order, waiting for room where the queue is not leaky.
 * Returns how many it took: fewer than n when unlocked. Whoever pushes is
 * playing: a sink that prerolls late reaches PLAYING without a transition. */
guint gst_psp_driver_push (GstPspDriver * d, const GstPspPacket * packets,
    guint n);
/* Waits until nothing waits; FALSE when unlocked before. */
gboolean gst_psp_driver_drain (GstPspDriver * d);
/* Sends an RTCP BYE, if the session has begun and none was sent since the last
 * packet. */
void gst_psp_driver_bye (GstPspDriver * d);

void gst_psp_driver_stats (GstPspDriver * d, GstPspDriverStats * stats);

G_END_DECLS

#endif
