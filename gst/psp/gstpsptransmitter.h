/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The engine room of pspsink: the queue, the pacing thread that empties it on
 * the sender's schedule and reads the feedback, and the lock between that
 * thread, the streaming thread and the application's.
 *
 * Whoever finds the socket free sends: the streaming thread itself where the
 * schedule lets everything go at once (no thread is woken then), otherwise
 * the pacing thread. The lock is never held across a system call.
 */
#ifndef __GST_PSP_TRANSMITTER_H__
#define __GST_PSP_TRANSMITTER_H__

#include <gst/gst.h>

#include "core/sender.h"
#include "gstpspenums.h"
#include "gstpspnotifier.h"
#include "gstpspqueue.h"
#include "net/udp.h"

G_BEGIN_DECLS

typedef struct _GstPspTransmitter GstPspTransmitter;

/* Who may want push() and drain() to return at once. */
typedef enum
{
  GST_PSP_UNLOCK_STOP = 1,      /* a pause, a flush */
  GST_PSP_UNLOCK_START = 2      /* a change to PLAYING */
} GstPspUnlock;

typedef struct
{
  PspSenderStats sender;
  const gchar *controller;
  guint queue_packets;
  guint64 queue_bytes;
  GstClockTime queue_time;
  guint64 dropped_packets, dropped_pictures;
  guint64 send_errors;
  guint64 feedback_foreign;
  PspPrecision precision;
  gboolean segment;
  guint64 system_calls;         /* to send with */
  guint events;
} GstPspTransmitterStats;

/* NULL when out of memory or file descriptors. The element is for the log
 * only; the notifier must outlive the transmitter. */
GstPspTransmitter *gst_psp_transmitter_new (GstElement * element,
    GstPspNotifier * notifier, const PspControllerClass * controller,
    const PspLimits * limits, GstPspPacing pacing);
void gst_psp_transmitter_free (GstPspTransmitter * t);

/* Starts the pacing thread on a prepared socket, which stays the caller's; the
 * congestion controller starts anew if it ran before. In the beginning
 * nothing leaves: see set_playing. */
void gst_psp_transmitter_start (GstPspTransmitter * t, int fd,
    const PspAddress * destination, const gchar * name);
/* Ends the thread, if it runs; what waits keeps waiting. */
void gst_psp_transmitter_stop (GstPspTransmitter * t);
gboolean gst_psp_transmitter_is_running (GstPspTransmitter * t);
const PspControllerClass *gst_psp_transmitter_controller (GstPspTransmitter *
    t);

/* Bytes of the largest packet that the path carries whole. */
gint gst_psp_transmitter_max_packet (GstPspTransmitter * t);

/* When it returns after FALSE, nothing leaves any more. */
void gst_psp_transmitter_set_playing (GstPspTransmitter * t, gboolean playing);
/* While TRUE for any of these, push() and drain() return at once. */
void gst_psp_transmitter_set_unlocked (GstPspTransmitter * t, GstPspUnlock why,
    gboolean unlocked);

/* Takes the packets in order, waiting for room where the queue is not leaky.
 * Returns how many it took: fewer than n when unlocked. Who pushes is
 * playing. */
guint gst_psp_transmitter_push (GstPspTransmitter * t,
    const GstPspPacket * packets, guint n);
/* Waits until nothing waits; FALSE when unlocked before. */
gboolean gst_psp_transmitter_drain (GstPspTransmitter * t);
/* Empties the queue. */
void gst_psp_transmitter_flush (GstPspTransmitter * t);
/* Tells the receiver that the session ends, if it has begun and not been told
 * since the last packet. */
void gst_psp_transmitter_bye (GstPspTransmitter * t);

/* FALSE when out of memory: the old one stays. */
gboolean gst_psp_transmitter_set_controller (GstPspTransmitter * t,
    const PspControllerClass * klass);
void gst_psp_transmitter_set_limits (GstPspTransmitter * t,
    const PspLimits * limits);
void gst_psp_transmitter_set_queue_limits (GstPspTransmitter * t,
    GstPspLeaky leaky, GstClockTime max_time);
/* Of RTP, Hz; 0 = unknown. */
void gst_psp_transmitter_set_clock_rate (GstPspTransmitter * t,
    guint clock_rate);
void gst_psp_transmitter_reset (GstPspTransmitter * t);

void gst_psp_transmitter_stats (GstPspTransmitter * t,
    GstPspTransmitterStats * stats);

G_END_DECLS

#endif
