/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Repairs: packets that a receiver asks for again by generic NACK (RFC 4585) leave
 * once more, as a retransmission stream (RFC 4588) made of what was sent, or as
 * one that an element upstream makes. A packet is repaired
 *
 * - if it left less than the deadline ago, because a later repair is of no use,
 * - once in a round trip, where much is lost up to four times,
 * - while repairs stay within their share of all that leaves, so that loss by
 *   congestion is not made worse.
 *
 * `now` is nanoseconds of a clock that only goes on. Not thread-safe.
 */
#ifndef __GST_PSP_REPAIR_H__
#define __GST_PSP_REPAIR_H__

#include <gst/gst.h>

#include "gstpspqueue.h"

G_BEGIN_DECLS

typedef struct
{
  guint payload_type;           /* of retransmissions; 0 = upstream makes them */
  gdouble share;                /* of all payload that leaves; below 1 */
  GstClockTime deadline;        /* after a packet has left */
} GstPspRepairConfig;

typedef struct
{
  guint64 requested;            /* packets that NACKs ask for */
  guint64 refused;              /* of these, not repaired: see above */
  guint64 sent;                 /* repairs */
  guint64 sent_bytes;           /* payload of these */
} GstPspRepairStats;

/* What upstream is to send again. */
typedef struct
{
  guint32 ssrc;
  guint16 seq;
} GstPspRepairRequest;

typedef struct _GstPspRepair GstPspRepair;

GstPspRepair *gst_psp_repair_new (const GstPspRepairConfig * config);
void gst_psp_repair_free (GstPspRepair * r);
/* The payload type stays as it was. */
void gst_psp_repair_configure (GstPspRepair * r,
    const GstPspRepairConfig * config);

/* A packet of media leaves, its header as it does; refers to the buffer if it has
 * to make repairs of it. */
void gst_psp_repair_note_sent (GstPspRepair * r, const GstPspPacket * packet,
    gint64 now);
/* An authentic datagram came from the receiver: its NACKs count. `rtt` may be
 * negative, which is unknown. */
void gst_psp_repair_receive (GstPspRepair * r, const guint8 * data, gsize size,
    gint64 rtt, gint64 now);
/* Upstream made a retransmission, which leaves like those made here. Takes the
 * buffer. */
void gst_psp_repair_add (GstPspRepair * r, const GstPspPacket * packet,
    gint64 now);
/* Media of this SSRC has left. */
gboolean gst_psp_repair_knows (GstPspRepair * r, guint32 ssrc);

/* A datagram holds a NACK. */
gboolean gst_psp_repair_is_asked_for (const guint8 * data, gsize size);

/* Packets that wait to be taken. */
guint gst_psp_repair_waiting (const GstPspRepair * r);
/* The next packet to send, now the caller's. FALSE: there is none. */
gboolean gst_psp_repair_take (GstPspRepair * r, GstPspPacket * packet,
    gint64 now);
/* The next request for upstream. FALSE: there is none. */
gboolean gst_psp_repair_take_request (GstPspRepair * r,
    GstPspRepairRequest * request, gint64 now);

/* What left on another path, or before a flush, is no longer repaired. */
void gst_psp_repair_forget (GstPspRepair * r);
void gst_psp_repair_stats (const GstPspRepair * r, GstPspRepairStats * stats);

/* A retransmission of the RTP packet (RFC 4588 section 4), whose payload it shares:
 * header and extension as there, without padding. `header` is the original's, and
 * becomes the retransmission's. NULL: it is no RTP, or cannot be read. */
GstBuffer *gst_psp_repair_make (GstBuffer * original, PspRtpHeader * header,
    guint payload_type, guint32 ssrc, guint16 seq);

G_END_DECLS

#endif
