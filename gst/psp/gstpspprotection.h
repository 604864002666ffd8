/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * SRTP of a sending session: its keys and their changes, masked SSRCs,
 * roll-over counters for receivers that join late, and received SRTCP.
 */
#ifndef __GST_PSP_PROTECTION_H__
#define __GST_PSP_PROTECTION_H__

#include <gst/gst.h>

#include <rtpfeedback/rtp.h>

#include "gstpspsrtp.h"

G_BEGIN_DECLS

typedef struct
{
  GstPspSrtp *srtp;             /* NULL = nothing is protected */
  GstPspSrtpKeys *next_keys;    /* wait until no batch is being sent */
  gboolean keep_ssrc;           /* SSRCs are not masked; set before keys */
  guint32 ssrc_mask;            /* is XORed with the SSRCs that leave */
  guint64 soft_limit;           /* packets under a key; the caller may set it */
  gboolean at_soft_limit;       /* the key has reached the soft limit */
  gboolean report_soft_limit;   /* the application must be notified of it */
  PspRtpHeader probe;           /* header of the stream of probes */
  gint64 roc_at;                /* ns; when roll-over counters are sent next */
  guint64 unauthenticated, replayed;    /* received datagrams */
} GstPspProtection;

void gst_psp_protection_init (GstPspProtection * p);
void gst_psp_protection_clear (GstPspProtection * p);

/* Protects packets from now on. Later calls change the keys at the next
 * update(). Returns FALSE if the old keys stay, see gst_psp_srtp_set_keys(). */
gboolean gst_psp_protection_set_keys (GstPspProtection * p,
    const GstPspSrtpKeys * keys);
/* Changes keys if a change is due; not while a driver protects packets. Keys
 * that are derived from a passphrase change by themselves, others when the
 * application sets new ones. */
void gst_psp_protection_update (GstPspProtection * p);
/* Returns TRUE once for each key that has reached the soft limit. */
gboolean gst_psp_protection_take_soft_limit (GstPspProtection * p);
/* Returns the bytes that protecting adds to a packet. */
gsize gst_psp_protection_overhead (const GstPspProtection * p);

/* Returns when roll-over counters are sent next, or PSP_TIME_NEVER. */
gint64 gst_psp_protection_next (const GstPspProtection * p);
/* Writes RTCP with roll-over counters. Returns its bytes, 0 = none is due.
 * `busy` is TRUE while a driver protects packets: this changes the counters. */
gsize gst_psp_protection_pack_roc (GstPspProtection * p, gboolean busy,
    gint64 now, guint8 * data, gsize room);
/* Decrypts authentic RTCP into `plain`. Returns its bytes; 0 = it is not
 * authentic, or is longer than `room`. */
gsize gst_psp_protection_unprotect (GstPspProtection * p, const guint8 * data,
    gsize size, guint8 * plain, gsize room, gint64 now);
/* Returns a packet without payload that probes the path, with payload type and
 * timestamp of the last media packet. Under SRTP no packet leaves twice,
 * because a receiver treats every copy as a replay. The caller owns the buffer;
 * *header is its header. */
GstBuffer *gst_psp_protection_make_probe (GstPspProtection * p,
    const PspRtpHeader * last, PspRtpHeader * header);

G_END_DECLS

#endif
