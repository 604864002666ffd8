/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A sending session without a socket, a clock, a thread or a lock. Its driver
 * queues packets, hands in datagrams and the time, and does what poll()
 * returns. The driver also serializes the calls: gstpspdriver.h is a thread for
 * one engine, tests/check/psp/shareddriver.h is a thread for many.
 *
 * `now` is ns of a monotonic clock.
 */
#ifndef __GST_PSP_ENGINE_H__
#define __GST_PSP_ENGINE_H__

#include <gst/congestion/congestion.h>
#include <gst/gst.h>

#include <control/sender.h>

#include "gstpspbatch.h"
#include "gstpspcontrol.h"
#include "gstpspenums.h"
#include "gstpspprotection.h"
#include "gstpspqueue.h"
#include "gstpsprepair.h"
#include "gstpspreporter.h"

G_BEGIN_DECLS

/* Most bytes of an RTCP datagram that is sent: it fits every path's MTU. */
#define GST_PSP_RTCP_SIZE 1200
/* Most bytes of an RTCP datagram that is received: it fills a jumbo frame. */
#define GST_PSP_FEEDBACK_SIZE 9216

typedef struct _GstPspEngine GstPspEngine;

typedef struct
{
  const PspControllerClass *controller;
  const gdouble *parameters;    /* as in PspSenderConfig */
  PspLimits limits;
  GstObject *log;               /* the object of debug messages; may be NULL */
} GstPspEngineConfig;

typedef enum
{
  /* Wait until slot or timer, or until there is something for the engine. */
  GST_PSP_REPLY_WAIT,
  /* Send the batch, then call gst_psp_engine_sent(). */
  GST_PSP_REPLY_SEND,
  /* Send what gst_psp_engine_pack_rtcp() returns, until it returns 0. */
  GST_PSP_REPLY_RTCP,
  /* Push a congestion event upstream. */
  GST_PSP_REPLY_NOTICE,
  /* Ask upstream for a key frame. */
  GST_PSP_REPLY_KEY_FRAME,
  /* Ask upstream to send a packet again. */
  GST_PSP_REPLY_RETRANSMISSION,
  /* Post a warning. */
  GST_PSP_REPLY_WARNING
} GstPspReplyKind;

typedef struct
{
  GstPspReplyKind kind;

  /* WAIT: */
  gint64 slot;                  /* when a packet leaves, or PSP_TIME_NEVER;
                                   worth spinning for */
  gint64 timer;                 /* when a timer is due, or PSP_TIME_NEVER */
  gboolean blocked;             /* wait also until the socket is writable */

  GstCongestionInfo *info;      /* for NOTICE; the caller frees it */

  GstPspRepairRequest request;  /* for RETRANSMISSION */

  /* WARNING; the caller frees the texts: */
  gint code;                    /* a GstResourceError */
  gchar *text;                  /* the cause and the remedy */
  gchar *debug;                 /* details, may be NULL */
} GstPspReply;

typedef struct
{
  PspSenderStats sender;
  PspReportKind feedback;      /* the kind that the receiver sends */
  guint64 feedback_bytes;       /* bytes of valid RTCP */
  guint64 feedback_malformed;   /* RTCP that breaks the format */
  guint64 feedback_foreign;     /* datagrams from other addresses or ports */
  guint64 feedback_unauthenticated;     /* datagrams that SRTCP refused */
  guint64 feedback_replayed;    /* repeated datagrams, under SRTCP */
  const gchar *controller;      /* name of the requested controller */
  guint queue_packets;          /* packets that wait */
  guint64 queue_bytes;          /* payload of waiting packets */
  GstClockTime queue_time;      /* time to send it at the present rate */
  guint64 dropped_packets;      /* by a full queue, or while stopped */
  guint64 dropped_pictures;     /* pictures of the dropped packets */
  guint64 send_errors;          /* packets that the system refused */
  GstPspRepairStats repairs;
  guint64 reserved_bitrate;     /* bits/s for repairs and redundancy, a part of
                                   the target */
} GstPspEngineStats;

/* Returns NULL if memory runs out. */
GstPspEngine *gst_psp_engine_new (const GstPspEngineConfig * config,
    gint64 now);
void gst_psp_engine_free (GstPspEngine * e);

/* Sends packets to the destination from now on. The controller starts anew if
 * it has run before. A new engine is paused. */
void gst_psp_engine_open (GstPspEngine * e, const PspAddress * destination,
    gint64 now);
/* Sends nothing from now on. Drops the packets that wait for the socket. */
void gst_psp_engine_close (GstPspEngine * e);

/* Returns what must be done now. The driver does it and calls again, with the
 * new time, until the reply is WAIT. Only SEND uses the batch. The driver does
 * not change the batch before it calls sent(), and SEND is not returned again
 * before that call. */
GstPspReplyKind gst_psp_engine_poll (GstPspEngine * e, gint64 now,
    GstPspBatch * batch, GstPspReply * reply);
/* Takes the result of sending the batch. Packets that the socket had no room
 * for go back to the engine, which sends nothing until the socket is
 * writable. */
void gst_psp_engine_sent (GstPspEngine * e, const GstPspBatch * batch,
    gint64 now);
/* True while a driver has a batch for which it has not called sent(). */
gboolean gst_psp_engine_is_sending (const GstPspEngine * e);
/* Notes that the socket has room again. */
void gst_psp_engine_writable (GstPspEngine * e);
/* Notes that the socket cannot be read any more. `error` is a positive
 * errno. */
void gst_psp_engine_failed (GstPspEngine * e, int error, gint64 now);
/* Writes the next RTCP datagram that is due, or with `bye` the one that ends
 * the session. Returns its bytes, 0 = there is none. `data` is aligned to 4
 * bytes. `ntp` is the wall clock (32.32 s), `media_now` the pipeline's running
 * time in ns or PSP_TIME_UNKNOWN. */
gsize gst_psp_engine_pack_rtcp (GstPspEngine * e, gint64 now, guint64 ntp,
    gint64 media_now, gboolean bye, guint8 data[GST_PSP_RTCP_SIZE]);
/* True if media has left since the last RTCP BYE, so that pack_rtcp() with
 * `bye` returns one. */
gboolean gst_psp_engine_needs_bye (const GstPspEngine * e);

/* Takes a received datagram. `size` is 0 if the datagram was truncated. */
void gst_psp_engine_receive (GstPspEngine * e, const PspAddress * from,
    const guint8 * data, gsize size, gint64 now);
/* Starts the controller anew, because packets leave through another
 * interface. */
void gst_psp_engine_path_changed (GstPspEngine * e, gint64 now);

/* Takes the buffer unless the result is FULL. */
GstPspQueueResult gst_psp_engine_queue (GstPspEngine * e,
    const GstPspPacket * packet, gint64 now);
/* Takes the request for a key frame that is due, if any; the caller asks
 * upstream. It is due if pictures were dropped that others refer to, if the
 * receiver asks, or if another receiver took over. poll() takes it, too, but
 * queue() drops pictures between two polls. */
gboolean gst_psp_engine_take_key_frame (GstPspEngine * e, gint64 now);
/* True if all packets that wait may leave now. */
gboolean gst_psp_engine_may_send_all (const GstPspEngine * e, gint64 now);
/* Reports to the sender that packets wait: the schedule or the window holds
 * them back, not the application. */
void gst_psp_engine_note_waiting (GstPspEngine * e, gint64 now);
/* Drops all packets that wait. */
void gst_psp_engine_flush (GstPspEngine * e);
/* Returns the number of packets that wait in the queue. */
guint gst_psp_engine_queued (const GstPspEngine * e);
/* True if no packet waits in the queue or for the socket. */
gboolean gst_psp_engine_is_drained (const GstPspEngine * e);

/* While the engine is paused, nothing leaves and no timer runs. */
void gst_psp_engine_set_playing (GstPspEngine * e, gboolean playing,
    gint64 now);
gboolean gst_psp_engine_is_playing (const GstPspEngine * e);
/* Returns FALSE and keeps the old controller if memory runs out. */
gboolean gst_psp_engine_set_controller (GstPspEngine * e,
    const PspControllerClass * klass, const gdouble * parameters, gint64 now);
/* Sets the parameters of the present controller. */
void gst_psp_engine_set_parameters (GstPspEngine * e,
    const gdouble * parameters, gint64 now);
const PspControllerClass *gst_psp_engine_controller (const GstPspEngine * e);
/* True if the controller has no schedule: packets leave as they come. */
gboolean gst_psp_engine_is_unpaced (const GstPspEngine * e);
void gst_psp_engine_set_limits (GstPspEngine * e, const PspLimits * limits,
    gint64 now);
void gst_psp_engine_set_queue_limits (GstPspEngine * e, GstPspLeaky leaky,
    GstClockTime max_time);
/* Sets how lost packets are repaired, and which payload type in the queue is
 * redundancy (0 = none). The bitrate of both is subtracted from the target in
 * notices. The payload type of repairs cannot be changed. */
void gst_psp_engine_set_repair (GstPspEngine * e,
    const GstPspRepairConfig * config, guint fec_payload_type);
/* Sets the ns that a frame may take to leave; 0 = no largest frame is
 * announced. */
void gst_psp_engine_set_max_frame_time (GstPspEngine * e,
    GstClockTime max_time);
/* Calls psp_sender_set_ecn(), and again when another receiver takes over, so
 * that the path is verified anew. */
void gst_psp_engine_set_ecn (GstPspEngine * e, PspEcn ecn, gint64 now);
/* Sets the bits/s of payload that may leave if no feedback has ever come; 0 =
 * none. */
void gst_psp_engine_set_no_feedback_bitrate (GstPspEngine * e, guint64 bitrate,
    gint64 now);
/* Sets `pairs` of PspSenderConfig. */
void gst_psp_engine_set_pairs (GstPspEngine * e, gboolean pairs);
/* Returns the SRTP of the session, to set its keys. With keys, all packets are
 * protected, and feedback that is not authentic is ignored. */
GstPspProtection *gst_psp_engine_protection (GstPspEngine * e);
/* Sets the ID of the header extension for transport-wide numbers, 1 to 255: the
 * receiver may report by these numbers. 0 = packets get no number. */
void gst_psp_engine_set_transport_id (GstPspEngine * e, guint8 id);
/* Sets RTP's clock rate in Hz; 0 = unknown. */
void gst_psp_engine_set_clock_rate (GstPspEngine * e, guint clock_rate);
/* Starts the controller anew, as the action signal reset-controller asks. */
void gst_psp_engine_reset (GstPspEngine * e, gint64 now);

void gst_psp_engine_stats (GstPspEngine * e, gint64 now,
    GstPspEngineStats * stats);

G_END_DECLS

#endif
