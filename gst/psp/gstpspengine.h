/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A sending session without a socket, a clock, a thread or a lock: packets are
 * queued, datagrams are received, time goes by, and poll() says what is to be
 * done about it. Who does that is a driver, which also serializes the calls:
 * gstpspdriver.h is a thread for one engine, tests/check/psp/shareddriver.h one
 * for many.
 *
 * `now` is nanoseconds of a clock that only goes on.
 */
#ifndef __GST_PSP_ENGINE_H__
#define __GST_PSP_ENGINE_H__

#include <gst/congestion/congestion.h>
#include <gst/gst.h>

#include <control/sender.h>

#include "gstpspbatch.h"
#include "gstpspcontrol.h"
#include "gstpspenums.h"
#include "gstpspqueue.h"

G_BEGIN_DECLS

/* Another port of the receiver's host takes over after this silence, ns. */
#define GST_PSP_RECEIVER_SILENCE PSP_SECOND
/* Bytes of an RTCP datagram that is sent, which fits every path's MTU. */
#define GST_PSP_RTCP_SIZE 1200
/* Bytes of the largest that is received: it fills a jumbo frame. */
#define GST_PSP_FEEDBACK_SIZE 9216

typedef struct _GstPspEngine GstPspEngine;

typedef struct
{
  const PspControllerClass *controller;
  const gdouble *parameters;    /* as in PspSenderConfig */
  PspLimits limits;
  GstObject *log;               /* whom the log names; may be NULL */
} GstPspEngineConfig;

typedef enum
{
  GST_PSP_REPLY_WAIT,           /* until a time, or until the engine is given
                                   something */
  GST_PSP_REPLY_SEND,           /* the batch, then gst_psp_engine_sent() */
  GST_PSP_REPLY_RTCP,           /* gst_psp_engine_pack_rtcp() until 0 */
  GST_PSP_REPLY_NOTICE,         /* a congestion event goes upstream */
  GST_PSP_REPLY_KEY_FRAME,      /* upstream is asked for one */
  GST_PSP_REPLY_WARNING         /* the application is warned */
} GstPspReplyKind;

typedef struct
{
  GstPspReplyKind kind;

  /* WAIT: times, or PSP_TIME_NEVER. */
  gint64 slot;                  /* a packet leaves, which is worth spinning */
  gint64 timer;                 /* something else is due */
  gboolean blocked;             /* also until the socket is writable */

  GstCongestionInfo *info;      /* NOTICE: the event's; the receiver's */

  /* WARNING, a GST_RESOURCE_ERROR; the texts are the receiver's. */
  gint code;
  gchar *text, *debug;
} GstPspReply;

typedef struct
{
  PspSenderStats sender;
  GstPspFeedback feedback;
  guint64 feedback_bytes, feedback_malformed, feedback_foreign;
  guint64 feedback_unauthenticated, feedback_replayed;
  const gchar *controller;
  guint queue_packets;
  guint64 queue_bytes;
  GstClockTime queue_time;
  guint64 dropped_packets, dropped_pictures;
  guint64 send_errors;
} GstPspEngineStats;

/* NULL when out of memory. */
GstPspEngine *gst_psp_engine_new (const GstPspEngineConfig * config,
    gint64 now);
void gst_psp_engine_free (GstPspEngine * e);

/* From here on packets go there; the controller starts anew if it ran before.
 * In the beginning the engine is paused. */
void gst_psp_engine_open (GstPspEngine * e, const PspAddress * destination,
    gint64 now);
/* From here on nothing is sent, not even a batch that the socket had no room
 * for. */
void gst_psp_engine_close (GstPspEngine * e);

/* What is to be done now; to be called again, with the time then, until it is
 * WAIT. Only SEND uses the batch, which is not to be touched until sent(), and
 * until then SEND does not come again. */
GstPspReplyKind gst_psp_engine_poll (GstPspEngine * e, gint64 now,
    GstPspBatch * batch, GstPspReply * reply);
/* What became of the batch. What the socket had no room for goes back to the
 * engine, which sends nothing until it is writable. */
void gst_psp_engine_sent (GstPspEngine * e, const GstPspBatch * batch,
    gint64 now);
gboolean gst_psp_engine_is_sending (const GstPspEngine * e);
void gst_psp_engine_writable (GstPspEngine * e);
/* The socket cannot be read any more: a positive errno. */
void gst_psp_engine_failed (GstPspEngine * e, int error, gint64 now);
/* Bytes of the next RTCP datagram that is due, or that says good-bye; 0: there
 * is none. data is aligned to 4 bytes. ntp: the wall clock, 32.32; media_now: the pipeline's time, or
 * PSP_TIME_UNKNOWN. */
gsize gst_psp_engine_pack_rtcp (GstPspEngine * e, gint64 now, guint64 ntp,
    gint64 media_now, gboolean bye, guint8 data[GST_PSP_RTCP_SIZE]);
/* The receiver does not know yet that the session ends. */
gboolean gst_psp_engine_needs_bye (const GstPspEngine * e);

/* A datagram came, whole or cut to `size` bytes of 0. */
void gst_psp_engine_receive (GstPspEngine * e, const PspAddress * from,
    const guint8 * data, gsize size, gint64 now);
/* Packets leave through another interface. */
void gst_psp_engine_path_changed (GstPspEngine * e, gint64 now);

/* Takes the buffer unless the result is FULL. */
GstPspQueueResult gst_psp_engine_queue (GstPspEngine * e,
    const GstPspPacket * packet, gint64 now);
/* Upstream is to be asked for a key frame: pictures were dropped of which others
 * may be coded, which would stay undecodable for the rest of the group, the
 * receiver asks, or it is another one. TRUE counts as asked. poll() says it, too,
 * but drops come by queue(). */
gboolean gst_psp_engine_needs_key_frame (GstPspEngine * e, gint64 now);
/* All that waits may leave now. To ask is to say that it waits. */
gboolean gst_psp_engine_may_send_all (GstPspEngine * e, gint64 now);
void gst_psp_engine_flush (GstPspEngine * e);
/* Packets that wait in the queue. */
guint gst_psp_engine_queued (const GstPspEngine * e);
/* No packet waits, neither there nor for the socket. */
gboolean gst_psp_engine_is_drained (const GstPspEngine * e);

/* While paused nothing leaves, and no timer runs. */
void gst_psp_engine_set_playing (GstPspEngine * e, gboolean playing,
    gint64 now);
gboolean gst_psp_engine_is_playing (const GstPspEngine * e);
/* FALSE when out of memory: the old one stays. */
gboolean gst_psp_engine_set_controller (GstPspEngine * e,
    const PspControllerClass * klass, const gdouble * parameters, gint64 now);
/* Of the present controller. */
void gst_psp_engine_set_parameters (GstPspEngine * e,
    const gdouble * parameters, gint64 now);
const PspControllerClass *gst_psp_engine_controller (const GstPspEngine * e);
/* No schedule holds packets up. */
gboolean gst_psp_engine_is_unpaced (const GstPspEngine * e);
void gst_psp_engine_set_limits (GstPspEngine * e, const PspLimits * limits,
    gint64 now);
void gst_psp_engine_set_queue_limits (GstPspEngine * e, GstPspLeaky leaky,
    GstClockTime max_time);
/* How long a frame may take to leave; 0 = not announced. */
void gst_psp_engine_set_max_frame_time (GstPspEngine * e,
    GstClockTime max_time);
/* As in sender.h. Where another receiver takes over, it is verified anew. */
void gst_psp_engine_set_ecn (GstPspEngine * e, PspEcn ecn, gint64 now);
/* Bits/s of payload that may leave where no feedback has ever come; 0 = none. */
void gst_psp_engine_set_no_feedback_bitrate (GstPspEngine * e, guint64 bitrate,
    gint64 now);
/* As in PspSenderConfig. */
void gst_psp_engine_set_pairs (GstPspEngine * e, gboolean pairs);
/* From here on all is protected, and only what is authentic counts; with other
 * keys later. FALSE: the keys before stay, see gst_psp_srtp_set_keys(). While
 * a driver has a batch, keys wait for the next one. */
gboolean gst_psp_engine_set_srtp (GstPspEngine * e,
    const GstPspSrtpKeys * keys);
/* SSRCs leave as they come. Before set_srtp(). */
void gst_psp_engine_set_keep_ssrc (GstPspEngine * e, gboolean keep);
/* Packets under one key, after which it is to change. */
void gst_psp_engine_set_soft_limit (GstPspEngine * e, guint64 packets);
/* TRUE once for each key that has reached it. */
gboolean gst_psp_engine_take_soft_limit (GstPspEngine * e);
/* Bytes that protecting adds to a packet. */
gsize gst_psp_engine_overhead (const GstPspEngine * e);
/* Of RTP, Hz; 0 = unknown. */
void gst_psp_engine_set_clock_rate (GstPspEngine * e, guint clock_rate);
void gst_psp_engine_reset (GstPspEngine * e, gint64 now);

void gst_psp_engine_stats (GstPspEngine * e, gint64 now,
    GstPspEngineStats * stats);

G_END_DECLS

#endif
