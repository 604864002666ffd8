/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The engine room of pspsrc: datagrams in, RTP buffers and feedback out. All
 * but the functions marked so are the streaming thread's, or run while there
 * is none; a lock, never held across a system call, guards what they share.
 */
#ifndef __GST_PSP_RECEPTION_H__
#define __GST_PSP_RECEPTION_H__

#include <gst/gst.h>

#include "gstpspsrtp.h"
#include "net/udp.h"

G_BEGIN_DECLS

typedef struct _GstPspReception GstPspReception;

/* The element, which is not kept alive, gives clock and base time, and its
 * name to the log. */
GstPspReception *gst_psp_reception_new (GstElement * element);
void gst_psp_reception_free (GstPspReception * r);

/* On a prepared socket, which stays the caller's; multicast: it receives a
 * group, which gets no feedback. 0 or negative errno. */
int gst_psp_reception_start (GstPspReception * r, int fd, gboolean multicast);
/* Says BYE and forgets everything. */
void gst_psp_reception_stop (GstPspReception * r);

/* Waits for datagrams until `until` at the latest, receives them if there was
 * nothing left to take, and sends the feedback that is due. 0, or a negative
 * errno where the socket cannot be read any more. */
int gst_psp_reception_run (GstPspReception * r, gint64 until);
/* The next RTP packet received, with time stamps; NULL: run again. */
GstBuffer *gst_psp_reception_take (GstPspReception * r);
/* RTP's payload type of that packet; only where there is one. */
guint8 gst_psp_reception_payload_type (GstPspReception * r);
/* Packets to take. */
guint gst_psp_reception_pending (const GstPspReception * r);
/* All of them. */
GstBufferList *gst_psp_reception_take_list (GstPspReception * r);
/* The next stream of the peer that said BYE. */
gboolean gst_psp_reception_take_bye (GstPspReception * r, guint32 * ssrc,
    gchar address[PSP_ADDRESS_TEXT]);
/* All its streams did. */
gboolean gst_psp_reception_peer_gone (const GstPspReception * r);
/* The MKI of a key that packets wait for, and that it is time to ask for; NULL:
 * there is none. What waits is taken once set_srtp() has told the key. */
GBytes *gst_psp_reception_ask_key (GstPspReception * r);
/* When media came last; PSP_TIME_UNKNOWN: not yet. */
gint64 gst_psp_reception_heard_at (const GstPspReception * r);

/* From any thread. */
void gst_psp_reception_set_flushing (GstPspReception * r, gboolean flushing);
gboolean gst_psp_reception_is_flushing (GstPspReception * r);
/* Ends a wait; run returns. */
void gst_psp_reception_wake (GstPspReception * r);
void gst_psp_reception_set_feedback_interval (GstPspReception * r,
    GstClockTime interval);
GstClockTime gst_psp_reception_feedback_interval (GstPspReception * r);
/* Asks the sender for a key unit of the stream with this SSRC, or of all where it
 * is NULL. FALSE: there is nobody to ask. */
gboolean gst_psp_reception_request_key_unit (GstPspReception * r,
    const guint32 * ssrc, gboolean all_headers);
/* Asks the sender for the packet of this number, of the stream with this SSRC, or
 * of whichever misses it where it is NULL. `interval`: the least time since the last
 * request for it. `in_time`: the repair can be of use. FALSE: it is not asked
 * for, which is counted. */
gboolean gst_psp_reception_request_packet (GstPspReception * r,
    const guint32 * ssrc, guint16 number, GstClockTime interval,
    gboolean in_time);
/* ID of the header extension with the transport-wide numbers that packets are to be
 * reported by; 0 = they are reported by SSRC. */
void gst_psp_reception_set_transport_id (GstPspReception * r, guint8 id);
/* 0 = unknown */
void gst_psp_reception_set_clock_rate (GstPspReception * r, guint clock_rate);
/* From here on, until it stops, only what is authentic counts; with other keys
 * later. FALSE: they were in use before, or libsrtp refuses them. */
gboolean gst_psp_reception_set_srtp (GstPspReception * r,
    const GstPspSrtpKeys * keys);
GstStructure *gst_psp_reception_stats (GstPspReception * r);

G_END_DECLS

#endif
