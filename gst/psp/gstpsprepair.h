/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Repairs: sends again the packets that a receiver requests by generic NACK
 * (RFC 4585), as a retransmission stream (RFC 4588) that is made here or by an
 * element upstream. A packet is repaired
 *
 * - if it left less than the deadline ago, because a later repair is useless,
 * - once in a round trip, or up to four times if much is lost,
 * - while repairs stay within their share of all payload that leaves, so that
 *   they do not increase loss by congestion.
 *
 * `now` is ns of a monotonic clock. Not thread-safe.
 */
#ifndef __GST_PSP_REPAIR_H__
#define __GST_PSP_REPAIR_H__

#include <gst/gst.h>

#include "gstpsppacket.h"

G_BEGIN_DECLS

typedef struct
{
  /* payload type of retransmissions; 0 = an element upstream makes them */
  guint payload_type;
  gdouble share;                /* repairs' share of all payload; below 1 */
  GstClockTime deadline;        /* counts from when the packet left */
} GstPspRepairConfig;

typedef struct
{
  guint64 requested;            /* packets that NACKs ask for */
  guint64 refused;              /* requested packets that are not repaired */
  guint64 sent;                 /* repairs */
  guint64 sent_bytes;           /* payload of repairs */
} GstPspRepairStats;

/* A packet that upstream must send again. */
typedef struct
{
  guint32 ssrc;
  guint16 seq;
} GstPspRepairRequest;

typedef struct _GstPspRepair GstPspRepair;

GstPspRepair *gst_psp_repair_new (const GstPspRepairConfig * config);
void gst_psp_repair_free (GstPspRepair * r);
/* Changes all settings but the payload type. */
void gst_psp_repair_configure (GstPspRepair * r,
    const GstPspRepairConfig * config);

/* Notes that a media packet leaves with this header. Keeps a reference to the
 * buffer if it may have to make repairs of it. */
void gst_psp_repair_note_sent (GstPspRepair * r, const GstPspPacket * packet,
    gint64 now);
/* Takes the NACKs of an authentic datagram from the receiver. A negative `rtt`
 * is unknown. */
void gst_psp_repair_receive (GstPspRepair * r, const guint8 * data, gsize size,
    gint64 rtt, gint64 now);
/* Queues a retransmission that upstream made; it leaves like those made here.
 * Takes the buffer. */
void gst_psp_repair_add (GstPspRepair * r, const GstPspPacket * packet,
    gint64 now);
/* True if media of this SSRC has left. */
gboolean gst_psp_repair_knows (GstPspRepair * r, guint32 ssrc);

/* True if the datagram holds a NACK. */
gboolean gst_psp_repair_is_asked_for (const guint8 * data, gsize size);

/* Returns the number of packets that wait to be taken. */
guint gst_psp_repair_waiting (const GstPspRepair * r);
/* Takes the next packet to send, which becomes the caller's. Returns FALSE if
 * there is none. */
gboolean gst_psp_repair_take (GstPspRepair * r, GstPspPacket * packet,
    gint64 now);
/* Takes the next request for upstream. Returns FALSE if there is none. */
gboolean gst_psp_repair_take_request (GstPspRepair * r,
    GstPspRepairRequest * request, gint64 now);

/* Forgets all packets that left, after a flush or a change of the path. */
void gst_psp_repair_forget (GstPspRepair * r);
void gst_psp_repair_stats (const GstPspRepair * r, GstPspRepairStats * stats);

/* Returns a retransmission of the RTP packet (RFC 4588 section 4), with the
 * same header and extension, without padding; it shares the payload. `header`
 * is the original's, and becomes the retransmission's. NULL = the buffer is no
 * RTP, or cannot be read. */
GstBuffer *gst_psp_repair_make (GstBuffer * original, PspRtpHeader * header,
    guint payload_type, guint32 ssrc, guint16 seq);

G_END_DECLS

#endif
