/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The peer whose media pspsrc receives. It gets the feedback, and only its RTCP
 * BYE counts.
 */
#ifndef __GST_PSP_PEER_H__
#define __GST_PSP_PEER_H__

#include <glib.h>

#include <rtpfeedback/rtp.h>
#include "net/udp.h"

G_BEGIN_DECLS

/* ns of the peer's silence after which another host, or another stream from
 * another port, takes over. */
#define GST_PSP_PEER_TAKEOVER (500 * PSP_MSECOND)
/* ns of the peer's silence after which its own stream is accepted from another
 * port, because a NAT may have moved it. This is longer than
 * GST_PSP_PEER_TAKEOVER, because its packet numbers continue and may be forged,
 * and because a sender that probes sends only once a second. */
#define GST_PSP_PEER_REBINDING (2 * PSP_SECOND)
/* ns after a takeover during which the new peer may be a replayed recording: if
 * the previous peer sends again, it takes over again. */
#define GST_PSP_PEER_DOUBT (2 * PSP_SECOND)
/* ns; a stream that was silent for this time before another stream's BYE has
 * also ended. */
#define GST_PSP_PEER_STREAM_TIMEOUT (5 * PSP_SECOND)

typedef struct
{
  guint32 ssrc;
  gint64 heard_at;
  gint64 bye_at;                /* PSP_TIME_UNKNOWN = no BYE was accepted */
  gint64 claimed_at;            /* BYE from another port that is not accepted
                                   yet, or PSP_TIME_UNKNOWN */
} GstPspPeerStream;

typedef struct
{
  gboolean authentic;           /* SRTP authenticates all packets */
  gboolean known;
  PspAddress address;
  PspAddress local;             /* the address of this host it sends to */
  PspAddress before;            /* previous peer, which may take over again;
                                   size 0 = none */
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
                                   sends to another address of this host */
  GST_PSP_PEER_FOREIGN          /* another port or host while the peer is not
                                   silent */
} GstPspPeerVerdict;

void gst_psp_peer_init (GstPspPeer * peer, gboolean authentic);

/* True if gst_psp_peer_media() would return FOREIGN for a packet: it comes from
 * another port or host, and the peer is not silent. Under SRTP the previous
 * peer is not foreign for GST_PSP_PEER_DOUBT: it has the keys, and the new peer
 * may be an attacker who recorded it. */
gboolean gst_psp_peer_is_foreign (GstPspPeer * peer, const PspAddress * from,
    guint32 ssrc, gint64 now);
/* Takes a valid RTP packet. */
GstPspPeerVerdict gst_psp_peer_media (GstPspPeer * peer,
    const PspAddress * from, const PspAddress * to, guint32 ssrc, gint64 now);
/* Notes a valid RTP packet of this stream from the peer itself. */
void gst_psp_peer_stream (GstPspPeer * peer, guint32 ssrc, gint64 now);

/* True if this address belongs to the peer's host. */
gboolean gst_psp_peer_is (const GstPspPeer * peer, const PspAddress * from);

/* Takes an RTCP BYE. Returns TRUE if it is the stream's first one and is
 * accepted. Once all streams have sent a BYE from the port of the media, the
 * peer counts as silent. A BYE from another port of its host, as of senders
 * with a separate RTCP port, is accepted after the stream has been silent for
 * GST_PSP_PEER_TAKEOVER, or at once if it is authentic. */
gboolean gst_psp_peer_bye (GstPspPeer * peer, const PspAddress * from,
    guint32 ssrc, gint64 now);
/* Returns TRUE and the SSRC if the BYE of a stream is accepted now. */
gboolean gst_psp_peer_believe (GstPspPeer * peer, guint32 * ssrc, gint64 now);
/* Returns when gst_psp_peer_believe() is due, or PSP_TIME_NEVER. */
gint64 gst_psp_peer_next (const GstPspPeer * peer);
/* True if at least one stream sent a BYE, and all others had done so or had
 * fallen silent. */
gboolean gst_psp_peer_gone (const GstPspPeer * peer);

G_END_DECLS

#endif
