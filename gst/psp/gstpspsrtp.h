/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * SRTP at one end of a session: it protects packets under the current key,
 * unprotects those under the current or the previous key, and changes keys.
 * docs/wire.md has the rules. Only gst_psp_srtp_protect() may run at the same
 * time as other functions: in one thread, and only beside protect_rtcp() and
 * unprotect().
 */
#ifndef __GST_PSP_SRTP_H__
#define __GST_PSP_SRTP_H__

#include <gst/gst.h>

#include "gstpspsrtpkeys.h"

G_BEGIN_DECLS

typedef struct _GstPspSrtp GstPspSrtp;

/* `sender` is TRUE at pspsink's end. Returns NULL if libsrtp refuses. */
GstPspSrtp *gst_psp_srtp_new (const GstPspSrtpKeys * keys, gboolean sender);
void gst_psp_srtp_free (GstPspSrtp * s);

/* Changes the keys while playing. Returns FALSE and changes nothing if they
 * were in use before, because packets would repeat numbers under them. A
 * receiver still accepts the previous keys, and sends RTCP under the new ones
 * once media has come under them. */
gboolean gst_psp_srtp_set_keys (GstPspSrtp * s, const GstPspSrtpKeys * keys);
/* True if one of the keys was in use before. */
gboolean gst_psp_srtp_was_used (const GstPspSrtp * s,
    const GstPspSrtpKeys * keys);
/* Sender: takes another session salt, and so other keys. Returns FALSE if the
 * keys are not derived from a passphrase. */
gboolean gst_psp_srtp_renew (GstPspSrtp * s);

/* Returns the bytes that protecting adds to a packet that this end sends. */
gsize gst_psp_srtp_overhead (const GstPspSrtp * s, gboolean rtcp);
/* Works as psp_srtp_protect(). */
PspSrtpResult gst_psp_srtp_protect (GstPspSrtp * s, guint8 * data, gsize * size);
PspSrtpResult gst_psp_srtp_protect_rtcp (GstPspSrtp * s, guint8 * data,
    gsize * size);
/* Works as psp_srtp_unprotect(), and applies key changes and roll-over counters
 * of authentic packets. */
PspSrtpResult gst_psp_srtp_unprotect (GstPspSrtp * s, guint8 * data,
    gsize * size, gboolean rtcp, gint64 now);
/* Receiver: returns the MKI of an RTP packet if its key is unknown and the
 * application may set it; otherwise NULL. It has the size of the keys' MKIs. */
const guint8 *gst_psp_srtp_unknown_mki (const GstPspSrtp * s,
    const guint8 * data, gsize size);
/* Returns the bytes of an MKI; 0 = packets carry none. */
gsize gst_psp_srtp_mki_size (const GstPspSrtp * s);
/* Receiver: returns the MKI of the keys that were set last. */
const guint8 *gst_psp_srtp_newest_mki (const GstPspSrtp * s);

/* Sender: returns the number of RTP packets protected under the current key. */
guint64 gst_psp_srtp_uses (const GstPspSrtp * s);
/* Sender: writes RTCP with the roll-over counters that are not 0. Returns its
 * bytes; 0 = all are 0. */
gsize gst_psp_srtp_pack_roc (const GstPspSrtp * s, guint8 * data, gsize size);

G_END_DECLS

#endif
