/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpsppeer.h"

#include <rtpfeedback/stream.h>

#include <string.h>

void
gst_psp_peer_init (GstPspPeer * peer, gboolean authentic)
{
  memset (peer, 0, sizeof *peer);
  peer->authentic = authentic;
}

static GstPspPeerStream *
find_stream (GstPspPeer * peer, guint32 ssrc)
{
  guint i;

  if (peer->last < peer->n_streams && peer->streams[peer->last].ssrc == ssrc)
    return &peer->streams[peer->last];
  for (i = 0; i < peer->n_streams; i++)
    if (peer->streams[i].ssrc == ssrc) {
      peer->last = i;
      return &peer->streams[i];
    }
  return NULL;
}

static gboolean
comes_back (const GstPspPeer * peer, const PspAddress * from)
{
  return peer->authentic && peer->before.size > 0
      && psp_address_equal (from, &peer->before);
}

gboolean
gst_psp_peer_is_foreign (GstPspPeer * peer, const PspAddress * from,
    guint32 ssrc, gint64 now)
{
  gboolean moves;

  if (!peer->known || psp_address_equal (from, &peer->address)
      || comes_back (peer, from))
    return FALSE;
  moves = psp_address_same_host (from, &peer->address)
      && find_stream (peer, ssrc);
  return now - peer->heard_at <
      (moves ? GST_PSP_PEER_REBINDING : GST_PSP_PEER_TAKEOVER);
}

/* Makes this address the peer. The first peer of several takeovers within
 * GST_PSP_PEER_DOUBT stays the one that may take over again. */
static void
take_over (GstPspPeer * peer, const PspAddress * from, gint64 now)
{
  if (comes_back (peer, from))
    peer->before.size = 0;
  else if (peer->known && peer->before.size == 0)
    peer->before = peer->address;
  peer->began_at = now;
  if (!peer->known || !psp_address_same_host (from, &peer->address))
    peer->n_streams = peer->last = 0;
  peer->known = TRUE;
  peer->address = *from;
}

GstPspPeerVerdict
gst_psp_peer_media (GstPspPeer * peer, const PspAddress * from,
    const PspAddress * to, guint32 ssrc, gint64 now)
{
  if (peer->known && psp_address_equal (from, &peer->address)) {
    if (now - peer->began_at >= GST_PSP_PEER_DOUBT)
      peer->before.size = 0;
    if (to->size == 0 || psp_address_equal (to, &peer->local)) {
      peer->heard_at = now;
      return GST_PSP_PEER_SAME;
    }
  } else if (gst_psp_peer_is_foreign (peer, from, ssrc, now)) {
    return GST_PSP_PEER_FOREIGN;
  } else {
    take_over (peer, from, now);
  }
  peer->local = *to;
  peer->heard_at = now;
  return GST_PSP_PEER_NEW;
}

void
gst_psp_peer_stream (GstPspPeer * peer, guint32 ssrc, gint64 now)
{
  GstPspPeerStream *stream = find_stream (peer, ssrc);
  guint i;

  if (!stream) {
    /* As in the receiver, the stream silent for longest makes room. */
    stream = &peer->streams[0];
    if (peer->n_streams < PSP_MAX_STREAMS)
      stream = &peer->streams[peer->n_streams++];
    else
      for (i = 1; i < PSP_MAX_STREAMS; i++)
        if (peer->streams[i].heard_at < stream->heard_at)
          stream = &peer->streams[i];
    stream->ssrc = ssrc;
    stream->bye_at = stream->claimed_at = PSP_TIME_UNKNOWN;
    peer->last = (guint) (stream - peer->streams);
  } else if (stream->bye_at != PSP_TIME_UNKNOWN &&
      now - stream->bye_at >= PSP_STREAM_SILENCE) {
    stream->bye_at = PSP_TIME_UNKNOWN;
  }
  /* A stream that continues did not send the BYE. */
  if (stream->claimed_at != PSP_TIME_UNKNOWN &&
      now - stream->claimed_at >= GST_PSP_PEER_TAKEOVER)
    stream->claimed_at = PSP_TIME_UNKNOWN;
  stream->heard_at = now;
}

gboolean
gst_psp_peer_is (const GstPspPeer * peer, const PspAddress * from)
{
  return peer->known && psp_address_same_host (from, &peer->address);
}

gboolean
gst_psp_peer_bye (GstPspPeer * peer, const PspAddress * from, guint32 ssrc,
    gint64 now)
{
  GstPspPeerStream *stream = find_stream (peer, ssrc);

  if (!stream || stream->bye_at != PSP_TIME_UNKNOWN)
    return FALSE;
  if (!peer->authentic && !psp_address_equal (from, &peer->address)) {
    stream->claimed_at = now;
    return FALSE;
  }
  stream->bye_at = now;
  stream->claimed_at = PSP_TIME_UNKNOWN;
  if (psp_address_equal (from, &peer->address) && gst_psp_peer_gone (peer))
    peer->heard_at = now - GST_PSP_PEER_REBINDING;
  return TRUE;
}

static gint64
believed_at (const GstPspPeerStream * stream)
{
  return stream->claimed_at == PSP_TIME_UNKNOWN ? PSP_TIME_NEVER :
      MAX (stream->claimed_at, stream->heard_at) + GST_PSP_PEER_TAKEOVER;
}

gboolean
gst_psp_peer_believe (GstPspPeer * peer, guint32 * ssrc, gint64 now)
{
  for (guint i = 0; i < peer->n_streams; i++) {
    GstPspPeerStream *stream = &peer->streams[i];

    if (now < believed_at (stream))
      continue;
    stream->bye_at = stream->claimed_at;
    stream->claimed_at = PSP_TIME_UNKNOWN;
    *ssrc = stream->ssrc;
    return TRUE;
  }
  return FALSE;
}

gint64
gst_psp_peer_next (const GstPspPeer * peer)
{
  gint64 next = PSP_TIME_NEVER;

  for (guint i = 0; i < peer->n_streams; i++)
    next = MIN (next, believed_at (&peer->streams[i]));
  return next;
}

gboolean
gst_psp_peer_gone (const GstPspPeer * peer)
{
  gint64 last_bye = PSP_TIME_UNKNOWN;
  guint i;

  for (i = 0; i < peer->n_streams; i++)
    last_bye = MAX (last_bye, peer->streams[i].bye_at);
  if (last_bye == PSP_TIME_UNKNOWN)
    return FALSE;
  /* The silence counts before the BYE only: later silence may come from a
   * network failure. */
  for (i = 0; i < peer->n_streams; i++)
    if (peer->streams[i].bye_at == PSP_TIME_UNKNOWN &&
        peer->streams[i].heard_at > last_bye - GST_PSP_PEER_STREAM_TIMEOUT)
      return FALSE;
  return TRUE;
}
