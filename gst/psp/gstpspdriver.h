/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Drives the engine of one pspsink: it has the pacing thread, which sends on
 * the engine's schedule and reads the feedback, the socket, and the lock
 * between that thread, the streaming thread and the application's.
 *
 * The streaming thread itself sends if the schedule lets everything leave at
 * once and the pacing thread sleeps, because then no thread must be woken.
 * Otherwise the pacing thread sends. The lock is never held during a system
 * call that sends, receives or waits.
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
  guint64 system_calls;         /* calls that sent media */
  guint events;                 /* congestion events */
} GstPspDriverStats;

/* Returns NULL if memory or file descriptors run out. The element gives the
 * running time; the driver keeps no reference to it. The notifier must outlive
 * the driver. */
GstPspDriver *gst_psp_driver_new (GstElement * element,
    GstNotifier * notifier, const PspControllerClass * controller,
    const gdouble * parameters, const PspLimits * limits, GstPspPacing pacing);
void gst_psp_driver_free (GstPspDriver * d);

/* Starts the pacing thread on a prepared socket, which the caller still owns.
 * Nothing leaves before set_playing(). */
void gst_psp_driver_start (GstPspDriver * d, int fd,
    const PspAddress * destination);
/* Sets the destination's port for RTCP, 0 = that of the media. It takes effect
 * at the next start. */
void gst_psp_driver_set_rtcp_port (GstPspDriver * d, guint16 port);
/* Ends the session, if it runs, with an RTCP BYE if one is due. The queue keeps
 * its packets. */
void gst_psp_driver_end (GstPspDriver * d);
/* Waits for the pacing thread of a session that was ended. The caller holds no
 * lock of the element, because that thread may be asking it for the time. */
void gst_psp_driver_join (GstPspDriver * d);
/* True from start to join. */
gboolean gst_psp_driver_is_running (GstPspDriver * d);

/* Locks and returns the engine, to change its settings. The caller must not
 * block before it unlocks. Changes take effect after the unlock. */
GstPspEngine *gst_psp_driver_lock (GstPspDriver * d);
void gst_psp_driver_unlock (GstPspDriver * d);

/* Notes that the DSCP of the socket has changed. */
void gst_psp_driver_socket_changed (GstPspDriver * d);

/* Returns the bytes of the largest packet that the path does not fragment. */
gint gst_psp_driver_max_packet (GstPspDriver * d);

/* Nothing leaves after a call with FALSE has returned. */
void gst_psp_driver_set_playing (GstPspDriver * d, gboolean playing);
/* While any reason is TRUE, push() and drain() return at once. */
void gst_psp_driver_set_unlocked (GstPspDriver * d, GstPrerollUnlock why,
    gboolean unlocked);

/* Takes the packets in order, and waits for room if the queue is not leaky.
 * Returns how many it took: fewer than n if unlocked. It also starts playing,
 * because a sink that prerolls late reaches PLAYING without a transition. */
guint gst_psp_driver_push (GstPspDriver * d, const GstPspPacket * packets,
    guint n);
/* Waits until all packets have left. Returns FALSE if unlocked before. */
gboolean gst_psp_driver_drain (GstPspDriver * d);
/* Sends an RTCP BYE, if the session has begun and none was sent since the last
 * packet. Its report has the running time, which that of end() lacks; the
 * caller holds no lock of the element. */
void gst_psp_driver_bye (GstPspDriver * d);

void gst_psp_driver_stats (GstPspDriver * d, GstPspDriverStats * stats);

G_END_DECLS

#endif
