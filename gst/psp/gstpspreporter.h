/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The receiver whose feedback counts. Without SRTP it is one port of the
 * destination's host, because another program on that host could forge
 * feedback. Another port takes over if the old one has fallen silent, and only
 * if it reports packets that left since then: a NAT has moved the receiver, or
 * the receiver was restarted.
 *
 * Behind the same address, and under SRTP behind any, another receiver has
 * another SSRC, or comes after a BYE. It takes over by the same rule, and at
 * most once in that time, because a forger may change its SSRC with each
 * datagram.
 */
#ifndef __GST_PSP_REPORTER_H__
#define __GST_PSP_REPORTER_H__

#include <glib.h>

#include <rtpfeedback/rtcpfeedback.h>

#include "net/udp.h"

G_BEGIN_DECLS

/* ns of silence after which another port of the receiver's host takes over. */
#define GST_PSP_RECEIVER_SILENCE PSP_SECOND

typedef struct
{
  PspAddress address;           /* size 0 = no feedback has come yet */
  gint64 heard_at;              /* last datagram from the address */
  gint64 taken_at;              /* when this receiver took over */
  gboolean has_ssrc;            /* it has sent congestion feedback */
  guint32 ssrc;                 /* SSRC of that feedback */
  gint64 ssrc_heard_at;         /* last feedback with this SSRC */
  gboolean said_bye;
  gint64 bye_at;
} GstPspReporter;

/* The source of a datagram. */
typedef enum
{
  GST_PSP_REPORTER_FOREIGN,     /* another program or host; it is not read */
  GST_PSP_REPORTER_UNPROVED,    /* the receiver's host; it reports no packet */
  GST_PSP_REPORTER_KNOWN,       /* the receiver */
  GST_PSP_REPORTER_FIRST,       /* the receiver, for the first time */
  GST_PSP_REPORTER_OTHER        /* another receiver, which takes over */
} GstPspReporterResult;

/* Forgets the receiver. */
void gst_psp_reporter_forget (GstPspReporter * r);
/* Classifies a datagram that came without SRTP. *oldest is when the oldest
 * packet left that it reports; only for FIRST and OTHER. */
GstPspReporterResult gst_psp_reporter_receive (GstPspReporter * r,
    const PspRtcpFeedback * feedback, const PspSender * sender,
    const PspAddress * destination, const PspAddress * from,
    const guint8 * data, gsize size, gint64 now, gint64 * oldest);
/* Classifies an authentic datagram as KNOWN, FIRST or OTHER. Its address does
 * not matter, because authentication proves more. */
GstPspReporterResult gst_psp_reporter_receive_authentic (GstPspReporter * r,
    const PspRtcpFeedback * feedback, const PspSender * sender,
    const PspAddress * from, const guint8 * data, gsize size, gint64 now,
    gint64 * oldest);
/* Looks for the receiver's first BYE in a valid compound: one that names the
 * SSRC of its feedback. Returns TRUE if it is there. */
gboolean gst_psp_reporter_receive_bye (GstPspReporter * r,
    const guint8 * data, gsize size, gint64 now);

G_END_DECLS

#endif
