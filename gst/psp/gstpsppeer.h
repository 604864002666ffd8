/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Whose media pspsrc receives, and thus who gets the feedback and may say
 * goodbye.
 */
#ifndef __GST_PSP_PEER_H__
#define __GST_PSP_PEER_H__

#include <glib.h>

#include <rtpfeedback/rtp.h>
#include "net/udp.h"

G_BEGIN_DECLS

/* Another host, or another stream from another port, takes over from a sender
 * silent for so long. */
#define GST_PSP_PEER_TAKEOVER (500 * PSP_MSECOND)
/* A stream is taken from another port where its own was silent for so long: a NAT
 * moved it. Longer, for then its numbers go on and may be forged; and a sender
 * that probes speaks once a second. */
#define GST_PSP_PEER_REBINDING (2 * PSP_SECOND)
/* Who took over may be a recording for so long: where the one before goes on it is
 * heard again. */
#define GST_PSP_PEER_DOUBT (2 * PSP_SECOND)
/* A stream that was silent for so long when another said BYE is gone too. */
#define GST_PSP_PEER_STREAM_TIMEOUT (5 * PSP_SECOND)

typedef struct
{
  guint32 ssrc;
  gint64 heard_at;
  gint64 bye_at;                /* PSP_TIME_UNKNOWN: it has not said BYE */
  gint64 claimed_at;            /* BYE from another port, not believed yet; or
                                   PSP_TIME_UNKNOWN */
} GstPspPeerStream;

typedef struct
{
  gboolean authentic;           /* what is told of has been authenticated */
  gboolean known;
  PspAddress address;
  PspAddress local;             /* where it sends to */
  PspAddress before;            /* that may come back; without one size is 0 */
  gint64 began_at;
  gint64 heard_at;
  GstPspPeerStream streams[PSP_MAX_STREAMS];
  guint n_streams;
  guint last;                   /* index of the stream heard last */
} GstPspPeer;

typedef enum
{
  GST_PSP_PEER_SAME,
  GST_PSP_PEER_NEW,             /* the first one, a new port, a new host, or it
                                   sends to another address of ours */
  GST_PSP_PEER_FOREIGN          /* another port or host while the peer is not
                                   silent */
} GstPspPeerVerdict;

void gst_psp_peer_init (GstPspPeer * peer, gboolean authentic);

/* What gst_psp_peer_media() would say of a packet: another port or host, and the peer
 * is not silent. Under SRTP the one before is not foreign for GST_PSP_PEER_DOUBT: it
 * has the keys, and who took over may be somebody who recorded it. */
gboolean gst_psp_peer_is_foreign (GstPspPeer * peer, const PspAddress * from,
    guint32 ssrc, gint64 now);
/* A valid RTP packet arrived. */
GstPspPeerVerdict gst_psp_peer_media (GstPspPeer * peer,
    const PspAddress * from, const PspAddress * to, guint32 ssrc, gint64 now);
/* A valid RTP packet of this stream arrived from the peer itself. */
void gst_psp_peer_stream (GstPspPeer * peer, guint32 ssrc, gint64 now);

/* May this address speak for the peer? */
gboolean gst_psp_peer_is (const GstPspPeer * peer, const PspAddress * from);

/* TRUE where the stream said BYE for the first time. Once all have said so from
 * the port of the media, it counts as silent. From another port of its host, as
 * of senders with RTCP on a port of its own, it is believed once the stream has
 * been silent for GST_PSP_PEER_TAKEOVER; at once where it is authentic. */
gboolean gst_psp_peer_bye (GstPspPeer * peer, const PspAddress * from,
    guint32 ssrc, gint64 now);
/* TRUE where a stream's BYE is believed now. */
gboolean gst_psp_peer_believe (GstPspPeer * peer, guint32 * ssrc, gint64 now);
/* When that is the next time; PSP_TIME_NEVER. */
gint64 gst_psp_peer_next (const GstPspPeer * peer);
/* At least one stream said BYE, and all others had, or had fallen silent. */
gboolean gst_psp_peer_gone (const GstPspPeer * peer);

G_END_DECLS

#endif
