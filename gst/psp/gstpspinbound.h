/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What comes in at pspsrc: which datagrams are the peer's media, and what the
 * peer is answered. It reads no socket and no clock, and has no lock; times
 * are monotonic, in ns.
 */
#ifndef __GST_PSP_INBOUND_H__
#define __GST_PSP_INBOUND_H__

#include <gst/gst.h>

#include <rtpfeedback/answerlimit.h>
#include <rtpfeedback/receiver.h>
#include "gstpspheld.h"
#include "gstpsppeer.h"
#include "gstpspsrcstats.h"
#include "gstpspsrtp.h"
#include "net/udp.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;          /* whose name the log has */
  gboolean multicast;           /* a group sends here; it gets no feedback */
  PspReceiver *receiver;        /* NULL while stopped */
  GstClockTime feedback_interval;       /* 0 = no feedback */
  GstPspPeer peer;
  gboolean answers;             /* the peer gets feedback; FALSE for a group */
  PspAddress answers_from;      /* where its media came to; size 0 = any */
  PspAnswerLimit answer_limit;  /* limits RTCP to the peer's address */
  guint8 transport_id;          /* extension with packet numbers; 0 = none */
  GstPspSrcCounters counters;

  GstPspSrtp *srtp;             /* NULL = packets are not protected */
  GstPspHeld *held;             /* packets without a key; NULL = never any */
  gboolean told;                /* keys were set since the last take_held() */
  gboolean authentic;           /* a packet was authentic, or the application
                                   has been told that none is */

  GQueue rtcp;                  /* of GstBuffer: what the peer reported last */
  guint32 byes[PSP_UDP_BATCH];  /* SSRCs of streams that ended */
  guint n_byes;
} GstPspInbound;

/* Forgets the peer and all counts. Settings stay, and what stop() frees. */
void gst_psp_inbound_reset (GstPspInbound * in);
/* Frees the receiver, the keys and the packets that wait for keys. */
void gst_psp_inbound_stop (GstPspInbound * in);

/* Sets the keys. Returns FALSE if they cannot be used. */
gboolean gst_psp_inbound_set_srtp (GstPspInbound * in,
    const GstPspSrtpKeys * keys);

/* Datagrams */

/* True if the datagram's key is unknown, and may become known. */
gboolean gst_psp_inbound_lacks_key (GstPspInbound * in, const guint8 * data,
    gsize size);
/* Keeps such a datagram, with its buffer, which it takes. */
void gst_psp_inbound_hold (GstPspInbound * in, const GstPspHeldPacket * packet);
/* Returns TRUE with the next kept packet whose key is known now, and that is to
 * be pushed; it is decrypted, and the caller owns its buffer. */
gboolean gst_psp_inbound_take_held (GstPspInbound * in,
    GstPspHeldPacket * packet);
/* Drops packets that waited for their keys for too long. */
void gst_psp_inbound_expire_held (GstPspInbound * in, gint64 now);

/* Decrypts a datagram in place, if there are keys. Returns FALSE if it is to be
 * dropped, because it is not authentic or not the peer's. */
gboolean gst_psp_inbound_decrypt (GstPspInbound * in, const PspAddress * from,
    guint8 * data, gsize * size, gint64 now);
/* Handles a datagram that is decrypted. Returns TRUE if it is to be pushed. */
gboolean gst_psp_inbound_datagram (GstPspInbound * in, const PspUdpDatagram * d,
    const guint8 * data, gint64 arrived_at);
/* Ends the streams that fell silent after a BYE from another port. */
void gst_psp_inbound_believe_byes (GstPspInbound * in, gint64 now);
/* Returns, once, how many packets came of which none was authentic, if they are
 * more than a stranger's few; else 0. */
guint64 gst_psp_inbound_none_authentic (GstPspInbound * in);

/* Answers */

/* True if there is a peer that gets feedback. */
gboolean gst_psp_inbound_may_answer (const GstPspInbound * in);
/* Returns when feedback is due: never while the answer limit leaves no room,
 * until more comes from the peer. */
gint64 gst_psp_inbound_next_answer (GstPspInbound * in, gint64 now);
/* Writes RTCP by `pack`, which is psp_receiver_pack() or similar, and protects
 * it; data has PSP_RECEIVER_USUAL_RTCP_SIZE + PSP_SRTP_ROOM. Returns its bytes,
 * 0 = nothing is to be sent. */
gsize gst_psp_inbound_pack_answer (GstPspInbound * in, gint64 now, guint64 ntp,
    guint8 * data, size_t (*pack) (PspReceiver *, int64_t, uint64_t, uint8_t *,
        size_t));

G_END_DECLS

#endif
