/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * SRTP of a sending session: its keys and when they change, SSRCs that leave
 * changed, roll-over counters for those who join late, and what comes back.
 */
#ifndef __GST_PSP_PROTECTION_H__
#define __GST_PSP_PROTECTION_H__

#include <gst/gst.h>

#include <rtpfeedback/rtp.h>

#include "gstpspsrtp.h"

G_BEGIN_DECLS

typedef struct
{
  GstPspSrtp *srtp;             /* NULL: all is in the clear */
  GstPspSrtpKeys *next_keys;    /* wait for a batch to be sent */
  gboolean keep_ssrc;           /* SSRCs leave as they come; set before keys */
  guint32 ssrc_mask;            /* SSRCs leave changed by it */
  guint64 soft_limit;           /* packets under a key; may be set */
  gboolean at_soft_limit;       /* the key is */
  gboolean report_soft_limit;   /* to the application */
  PspRtpHeader probe;           /* a stream without media, for probes */
  gint64 roc_at;                /* roll-over counters are sent then */
  guint64 unauthenticated, replayed;    /* datagrams that came */
} GstPspProtection;

void gst_psp_protection_init (GstPspProtection * p);
void gst_psp_protection_clear (GstPspProtection * p);

/* Protects from now on. Later calls change the keys, which wait for update().
 * FALSE: the former keys stay, see gst_psp_srtp_set_keys(). */
gboolean gst_psp_protection_set_keys (GstPspProtection * p,
    const GstPspSrtpKeys * keys);
/* Changes keys where it is time; not while a driver protects packets. Keys that
 * follow from a passphrase change by themselves, others when the application sets
 * new ones. */
void gst_psp_protection_update (GstPspProtection * p);
/* TRUE once for each key that has reached the soft limit. */
gboolean gst_psp_protection_take_soft_limit (GstPspProtection * p);
/* Bytes that protecting adds to a packet. */
gsize gst_psp_protection_overhead (const GstPspProtection * p);

/* When roll-over counters are sent, or PSP_TIME_NEVER. */
gint64 gst_psp_protection_next (const GstPspProtection * p);
/* Bytes of RTCP that sends roll-over counters; 0: not now. `busy`: a driver
 * protects packets, which changes them. */
gsize gst_psp_protection_pack_roc (GstPspProtection * p, gboolean busy,
    gint64 now, guint8 * data, gsize room);
/* Bytes of the RTCP that was authentic, in the clear; 0: it was not, or is longer
 * than `plain` has room for. */
gsize gst_psp_protection_unprotect (GstPspProtection * p, const guint8 * data,
    gsize size, guint8 * plain, gsize room, gint64 now);
/* A packet that says nothing but that the path carries it, like the last one of
 * media. Under SRTP no packet leaves twice: a receiver takes a copy for a replay,
 * whoever made it. The buffer is the caller's, and *header its header. */
GstBuffer *gst_psp_protection_make_probe (GstPspProtection * p,
    const PspRtpHeader * last, PspRtpHeader * header);

G_END_DECLS

#endif
