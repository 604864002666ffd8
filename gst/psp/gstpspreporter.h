/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The receiver whose feedback counts. In the clear it is one port of the
 * destination's host, for somebody else on that host could forge what moves the
 * rate. Another port takes over where the old one has fallen silent, and only if
 * it knows of packets that left since: a receiver behind a NAT that moved it, or
 * one that was started again.
 */
#ifndef __GST_PSP_REPORTER_H__
#define __GST_PSP_REPORTER_H__

#include <glib.h>

#include <rtpfeedback/rtcpfeedback.h>

#include "net/udp.h"

G_BEGIN_DECLS

/* Another port of the receiver's host takes over after this silence, ns. */
#define GST_PSP_RECEIVER_SILENCE PSP_SECOND

typedef struct
{
  PspAddress address;           /* of size 0: nobody's feedback has come yet */
  gint64 heard_at;
} GstPspReporter;

/* What a datagram from an address is. */
typedef enum
{
  GST_PSP_REPORTER_FOREIGN,     /* not the receiver's: it is not read */
  GST_PSP_REPORTER_UNPROVED,    /* of the receiver's host; it reports nothing */
  GST_PSP_REPORTER_KNOWN,       /* the receiver's */
  GST_PSP_REPORTER_FIRST,       /* the first of a receiver */
  GST_PSP_REPORTER_OTHER        /* of another one, which takes over */
} GstPspReporterResult;

/* Nobody's feedback has come. */
void gst_psp_reporter_forget (GstPspReporter * r);
/* Looks at a datagram that came in the clear. *oldest is when the oldest packet
 * left that it reports; only for FIRST and OTHER. */
GstPspReporterResult gst_psp_reporter_receive (GstPspReporter * r,
    const PspRtcpFeedback * feedback, const PspSender * sender,
    const PspAddress * destination, const PspAddress * from,
    const guint8 * data, gsize size, gint64 now, gint64 * oldest);
/* Looks at one that was authentic, which says more than an address: KNOWN or
 * FIRST. */
GstPspReporterResult gst_psp_reporter_receive_authentic (GstPspReporter * r,
    const PspRtcpFeedback * feedback, const PspSender * sender,
    const PspAddress * from, const guint8 * data, gsize size, gint64 now,
    gint64 * oldest);

G_END_DECLS

#endif
