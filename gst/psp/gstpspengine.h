/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What is behind a GstPspTransmitter: its state, sending, and the pacing
 * thread. Only gstpsptransmitter.c and gstpspengine.c look in here.
 */
#ifndef __GST_PSP_ENGINE_H__
#define __GST_PSP_ENGINE_H__

#include "gstpspbatch.h"
#include "gstpspcore.h"
#include "gstpsproutewatch.h"
#include "gstpsptransmitter.h"

G_BEGIN_DECLS

struct _GstPspTransmitter
{
  GstElement *element;
  GstPspNotifier *notifier;
  GstPspPacing pacing;
  GThread *thread;
  WaitWaker waker;

  /* Set by start(), constant while the thread runs. */
  int fd;                       /* the owner serializes start() and stop() */
  PspAddress destination;
  gboolean multicast;
  gchar *name;                  /* of the destination, for warnings */

  GMutex lock;                  /* all below */
  GCond cond;                   /* room, drained, not sending, unlocked */
  guint waiters;
  gboolean queued;              /* the streaming thread waits until no more */
  guint queued_at;              /* than so many packets are queued */

  GstPspCore core;
  GstPspQueue *queue;
  GstPspLeaky leaky;
  GstClockTime max_time;
  gint64 target;                /* as psp_sender_notice() gives it */
  guint64 mourned;              /* dropped pictures made up for by … */
  gint64 asked_at;              /* … a key frame, asked for then */

  gboolean running;             /* the thread is */
  gboolean playing;
  guint unlocked;               /* GstPspUnlock */
  gboolean started;             /* once */
  gboolean said_bye;            /* or there is nothing to end */
  gboolean stopped;             /* the link is */
  gboolean dead;                /* the socket is */

  /* Whoever sets batch_busy owns the batch and udp with the lock dropped. */
  GstPspBatch *batch;
  PspUdpSender udp;
  gboolean batch_busy;
  gboolean blocked;             /* the batch waits for the socket */
  guint batch_left;             /* packets in it that have not left */
  GstPspPacket last;            /* sent: probes a silent link */
  guint sending;                /* threads in a system call that sends */

  /* The pacing thread's sleep. */
  gboolean waiting;
  gboolean idle;                /* … and the queue was empty */
  gint64 wait_until;
  gboolean active;              /* something left since the last */
  gint64 polled_at;             /* the socket was */
  gint64 read_after;            /* flooded till then */

  guint64 send_errors, feedback_foreign;
  gint64 last_error_at;
  gboolean outage;              /* was told */
  gboolean told_of_packet;
  gint max_packet;              /* atomic; bytes that the path carries whole */
  guint64 system_calls, past_system_calls;
  gboolean segment;
  PspPrecision precision;

  /* The pacing thread's own. */
  PspSpin spin;
  GstPspRouteWatch route;
  gint64 mtu_at;                /* the path's MTU is asked for then */
  int wakeful;                  /* keeps the CPUs so, or negative */
  gboolean try_wakeful;
  PspUdpDatagram datagrams[PSP_UDP_BATCH];
  guint8 *datagram_data;
};

/* With the lock. */

/* Something that threads wait for may have come about. */
void gst_psp_engine_signal (GstPspTransmitter * t);
/* The lock is dropped meanwhile. */
void gst_psp_engine_wait (GstPspTransmitter * t);
/* … until no more than so many packets are queued; not woken for each packet
 * that leaves, which would cost a switch of threads for each. */
void gst_psp_engine_wait_queued (GstPspTransmitter * t, guint packets);
/* … an eighth of the queue at a time. */
void gst_psp_engine_wait_room (GstPspTransmitter * t);
/* Ends the pacing thread's sleep. */
void gst_psp_engine_wake (GstPspTransmitter * t);
/* After whatever may have changed the core's target or link: a link that is
 * stopped is warned of once. */
void gst_psp_engine_follow (GstPspTransmitter * t, gint64 now);
/* The streaming thread has queued: it sends itself where all may leave now
 * and the pacing thread has nothing to do. Drops the lock meanwhile. */
void gst_psp_engine_kick (GstPspTransmitter * t, gint64 now);
/* Of pictures that were dropped others may be coded: asks upstream for a key
 * frame, so that these do not stay undecodable for the rest of the group. */
void gst_psp_engine_mourn (GstPspTransmitter * t, gint64 now);
/* Drops the lock meanwhile. RTCP never waits for the socket: the next report
 * makes up for one lost. */
void gst_psp_engine_send_rtcp (GstPspTransmitter * t, gint64 now, gboolean bye);

/* The pacing thread: data is the transmitter. */
gpointer gst_psp_engine_run (gpointer data);

G_END_DECLS

#endif
