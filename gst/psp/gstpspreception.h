/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The receiving session of pspsrc: it turns datagrams into RTP buffers and
 * sends feedback. Only the streaming thread calls the functions, or any thread
 * while there is none, except those marked "From any thread". A lock guards the
 * shared state; it is never held during a system call that sends, receives or
 * waits.
 */
#ifndef __GST_PSP_RECEPTION_H__
#define __GST_PSP_RECEPTION_H__

#include <gst/gst.h>

#include "gstpspsrtp.h"
#include "net/udp.h"

G_BEGIN_DECLS

typedef struct _GstPspReception GstPspReception;

/* The element gives the clock, the base time and the name in the log; the
 * reception keeps no reference to it. */
GstPspReception *gst_psp_reception_new (GstElement * element);
void gst_psp_reception_free (GstPspReception * r);

/* Starts on a prepared socket, which the caller still owns. `multicast` is TRUE
 * if it receives a group, which gets no feedback. Returns 0 or a negative
 * errno. */
int gst_psp_reception_start (GstPspReception * r, int fd, gboolean multicast);
/* Sends a BYE and forgets everything. */
void gst_psp_reception_stop (GstPspReception * r);

/* Waits for datagrams until `until` at the latest, receives them if no packet
 * is pending, and sends the feedback that is due. Returns 0, or a negative
 * errno if the socket cannot be read any more. */
int gst_psp_reception_run (GstPspReception * r, gint64 until);
/* Returns the next RTP packet received, with time stamps; NULL = none is
 * pending. */
GstBuffer *gst_psp_reception_take (GstPspReception * r);
/* Returns the RTP payload type of the next packet; one must be pending. */
guint8 gst_psp_reception_payload_type (GstPspReception * r);
/* Returns the number of pending packets. */
guint gst_psp_reception_pending (const GstPspReception * r);
/* Returns the next RTCP of the sender; NULL = none. */
GstBuffer *gst_psp_reception_take_rtcp (GstPspReception * r);
/* Returns all pending packets. */
GstBufferList *gst_psp_reception_take_list (GstPspReception * r);
/* Returns TRUE with the SSRC of the next stream that the peer ended by a BYE,
 * and the peer's address. */
gboolean gst_psp_reception_take_bye (GstPspReception * r, guint32 * ssrc,
    gchar address[PSP_ADDRESS_TEXT]);
/* True if all streams of the peer have ended, see gst_psp_peer_gone(). */
gboolean gst_psp_reception_peer_gone (const GstPspReception * r);
/* Returns the MKI of a key to ask for now, because packets wait for it; NULL =
 * none. They are decrypted after set_srtp() has set the key. */
GBytes *gst_psp_reception_ask_key (GstPspReception * r);
/* Returns, once, how many packets came of which none was authentic, if they are
 * more than a stranger's few; else 0. */
guint64 gst_psp_reception_none_authentic (GstPspReception * r);
/* Returns when media came last; PSP_TIME_UNKNOWN = never. */
gint64 gst_psp_reception_heard_at (const GstPspReception * r);

/* From any thread: all functions below. */
void gst_psp_reception_set_flushing (GstPspReception * r, gboolean flushing);
gboolean gst_psp_reception_is_flushing (GstPspReception * r);
/* Ends a wait of run(), which then returns. */
void gst_psp_reception_wake (GstPspReception * r);
void gst_psp_reception_set_feedback_interval (GstPspReception * r,
    GstClockTime interval);
GstClockTime gst_psp_reception_feedback_interval (GstPspReception * r);
/* Asks the sender for a key unit of the stream with this SSRC, NULL = of all
 * streams. Returns FALSE if there is no sender to ask. */
gboolean gst_psp_reception_request_key_unit (GstPspReception * r,
    const guint32 * ssrc, gboolean all_headers);
/* Asks the sender for a lost packet by its number, of the stream with this
 * SSRC, NULL = of the stream that misses it. `interval` is the shortest time
 * since the last request for it. `in_time` is TRUE if a repair can still be
 * used. Returns FALSE and counts a refusal if the packet is not requested. */
gboolean gst_psp_reception_request_packet (GstPspReception * r,
    const guint32 * ssrc, guint16 number, GstClockTime interval,
    gboolean in_time);
/* Sets the ID of the header extension for transport-wide numbers, by which
 * packets are reported; 0 = they are reported by SSRC. */
void gst_psp_reception_set_transport_id (GstPspReception * r, guint8 id);
/* Sets RTP's clock rate in Hz; 0 = unknown. */
void gst_psp_reception_set_clock_rate (GstPspReception * r, guint clock_rate);
/* Accepts only authentic packets from now on until the stop. Later calls change
 * the keys. Returns FALSE if the keys were in use before, or if libsrtp refuses
 * them. */
gboolean gst_psp_reception_set_srtp (GstPspReception * r,
    const GstPspSrtpKeys * keys);
GstStructure *gst_psp_reception_stats (GstPspReception * r);

G_END_DECLS

#endif
