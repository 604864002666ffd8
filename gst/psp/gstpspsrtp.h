/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * SRTP at one end of a session: what leaves under the key in use, what comes
 * under it or the one before, and how keys follow each other. docs/wire.md has
 * the rules. Only gst_psp_srtp_protect() may run beside the other functions, in
 * one thread and, of them, beside protect_rtcp() and unprotect() alone.
 */
#ifndef __GST_PSP_SRTP_H__
#define __GST_PSP_SRTP_H__

#include <gst/gst.h>

#include "gstpspsrtpkeys.h"

G_BEGIN_DECLS

typedef struct _GstPspSrtp GstPspSrtp;

/* sender: pspsink's end. NULL where libsrtp refuses. */
GstPspSrtp *gst_psp_srtp_new (const GstPspSrtpKeys * keys, gboolean sender);
void gst_psp_srtp_free (GstPspSrtp * s);

/* Other keys while playing; FALSE where they were in use before, and nothing has
 * changed: packets would repeat numbers under them. A receiver goes on taking
 * the keys before, and answers under the new ones once media has come under
 * them. */
gboolean gst_psp_srtp_set_keys (GstPspSrtp * s, const GstPspSrtpKeys * keys);
/* One of them was in use before. */
gboolean gst_psp_srtp_was_used (const GstPspSrtp * s,
    const GstPspSrtpKeys * keys);
/* Sender: another session salt, so other keys, where they follow from
 * a passphrase; else FALSE. */
gboolean gst_psp_srtp_renew (GstPspSrtp * s);

/* Bytes that protecting adds to a packet that this end sends. */
gsize gst_psp_srtp_overhead (const GstPspSrtp * s, gboolean rtcp);
/* As psp_srtp_protect(). */
PspSrtpResult gst_psp_srtp_protect (GstPspSrtp * s, guint8 * data, gsize * size);
PspSrtpResult gst_psp_srtp_protect_rtcp (GstPspSrtp * s, guint8 * data,
    gsize * size);
/* As psp_srtp_unprotect(); what is authentic has taken effect, as far as it is
 * about keys and roll-over counters. */
PspSrtpResult gst_psp_srtp_unprotect (GstPspSrtp * s, guint8 * data,
    gsize * size, gboolean rtcp, gint64 now);
/* Receiver: the MKI of a packet of RTP where nobody has told its key, which the
 * application may do; NULL: that is not so. It has so many bytes as the keys have. */
const guint8 *gst_psp_srtp_unknown_mki (const GstPspSrtp * s,
    const guint8 * data, gsize size);
/* Bytes of an MKI, 0: packets carry none. */
gsize gst_psp_srtp_mki_size (const GstPspSrtp * s);
/* Receiver: of the keys told last. */
const guint8 *gst_psp_srtp_newest_mki (const GstPspSrtp * s);

/* Sender: packets of RTP protected under the key in use. */
guint64 gst_psp_srtp_uses (const GstPspSrtp * s);
/* Sender: RTCP with the roll-over counters that are not 0. Returns its bytes; 0 =
 * all are 0. */
gsize gst_psp_srtp_pack_roc (const GstPspSrtp * s, guint8 * data, gsize size);

G_END_DECLS

#endif
