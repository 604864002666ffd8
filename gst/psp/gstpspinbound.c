/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspinbound.h"

#include <string.h>

#include <rtpfeedback/twccwriter.h>

GST_DEBUG_CATEGORY_EXTERN (gst_psp_reception_debug);
#define GST_CAT_DEFAULT gst_psp_reception_debug

/* Bytes of a report of one packet, of any kind; with less room no feedback is
 * due. */
#define MIN_RTCP_SIZE PSP_TWCC_SIZE (1)
/* Datagrams of RTCP that wait for the streaming thread; older ones are
 * dropped. */
#define MAX_RTCP 16
/* So many packets are told of if none before was authentic. */
#define UNAUTHENTICATED_TOLD 20

/* Datagrams */

/* True if the packet counts as received media. */
static gboolean
check_peer (GstPspInbound * in, const PspUdpDatagram * d, guint32 ssrc,
    gint64 now)
{
  switch (gst_psp_peer_media (&in->peer, &d->from, &d->to, ssrc, now)) {
    case GST_PSP_PEER_FOREIGN:
      if (in->multicast)
        return TRUE;            /* but its BYE does not count */
      in->counters.foreign_packets++;
      return FALSE;
    case GST_PSP_PEER_NEW:{
      gchar text[PSP_ADDRESS_TEXT];

      psp_address_text (&d->from, text);
      GST_INFO_OBJECT (in->element, "media comes from %s", text);
      /* An application may have joined groups on its own socket. */
      in->answers = !in->multicast && !psp_address_is_multicast (&d->to);
      in->answers_from = d->to;
      psp_answer_limit_init (&in->answer_limit);
      /* The new peer may write no transport-wide numbers, or other ones. */
      psp_receiver_forget_transport_numbers (in->receiver);
      break;
    }
    case GST_PSP_PEER_SAME:
      break;
  }
  psp_answer_limit_came (&in->answer_limit, d->size, now);
  gst_psp_peer_stream (&in->peer, ssrc, now);
  return TRUE;
}

/* Ends a stream that sent a BYE, and queues its report. */
static void
end_stream (GstPspInbound * in, guint32 ssrc, gint64 at)
{
  psp_receiver_end_stream (in->receiver, ssrc, at);
  in->byes[in->n_byes++] = ssrc;
}

static void
keep_rtcp (GstPspInbound * in, const guint8 * data, gsize size)
{
  if (!psp_rtcp_validate (data, size))
    return;
  if (g_queue_get_length (&in->rtcp) == MAX_RTCP)
    gst_buffer_unref (g_queue_pop_head (&in->rtcp));
  g_queue_push_tail (&in->rtcp, gst_buffer_new_memdup (data, size));
}

static void
handle_rtcp (GstPspInbound * in, const PspUdpDatagram * d, const guint8 * data,
    gint64 now)
{
  gboolean is_peer = gst_psp_peer_is (&in->peer, &d->from);
  guint32 byes[PSP_MAX_STREAMS];
  guint i, n;

  if (in->peer.known && !is_peer && !in->multicast) {
    in->counters.foreign_packets++;
    return;
  }
  if (is_peer || in->multicast)
    keep_rtcp (in, data, d->size);
  n = psp_receiver_rtcp (in->receiver, data, d->size, now, byes);
  for (i = 0; i < n && is_peer; i++)
    if (in->n_byes < G_N_ELEMENTS (in->byes) &&
        gst_psp_peer_bye (&in->peer, &d->from, byes[i], now))
      end_stream (in, byes[i], now);
}

void
gst_psp_inbound_believe_byes (GstPspInbound * in, gint64 now)
{
  guint32 ssrc;

  while (in->n_byes < G_N_ELEMENTS (in->byes) &&
      gst_psp_peer_believe (&in->peer, &ssrc, now))
    end_stream (in, ssrc, now - GST_PSP_PEER_TAKEOVER);
}

/* True if a protected datagram does not come from the peer. A copy from another
 * address must not use up the number of the peer's own packet. */
static gboolean
is_foreign (GstPspInbound * in, const PspAddress * from, const guint8 * data,
    gsize size, gint64 now)
{
  if (in->multicast || size < 12)
    return FALSE;
  if (psp_packet_kind (data, size) == PSP_PACKET_RTCP)
    return in->peer.known && !gst_psp_peer_is (&in->peer, from);
  return gst_psp_peer_is_foreign (&in->peer, from,
      GST_READ_UINT32_BE (data + 8), now);
}

gboolean
gst_psp_inbound_decrypt (GstPspInbound * in, const PspAddress * from,
    guint8 * data, gsize * size, gint64 now)
{
  PspPacketKind kind = psp_packet_kind (data, *size);
  PspSrtpResult result = PSP_SRTP_FAILED;

  if (!in->srtp)
    return TRUE;
  if (is_foreign (in, from, data, *size, now)) {
    in->counters.foreign_packets++;
    return FALSE;
  }
  if (kind != PSP_PACKET_UNKNOWN)
    result = gst_psp_srtp_unprotect (in->srtp, data, size,
        kind == PSP_PACKET_RTCP, now);
  if (result == PSP_SRTP_REPLAYED)
    in->counters.replayed++;
  else if (result == PSP_SRTP_FAILED)
    in->counters.unauthenticated++;
  else
    in->authentic = TRUE;
  return result == PSP_SRTP_OK;
}

/* True if the packet is a sender's probe, which is not pushed downstream. Under
 * SRTP, probes are a stream of empty packets. */
static gboolean
is_probe (GstPspInbound * in, const PspRtpHeader * header)
{
  PspReceiverStats stats;

  if (!in->srtp || header->payload_size > 0)
    return FALSE;
  psp_receiver_stats (in->receiver, &stats);
  for (guint i = 0; i < stats.n_streams; i++)
    if (stats.streams[i].ssrc == header->ssrc)
      return stats.streams[i].payload_bytes == 0;
  return TRUE;
}

static void
note_transport_number (GstPspInbound * in, const PspRtpHeader * header,
    const guint8 * data, gsize size, gint64 arrived_at)
{
  guint16 number;

  in->counters.by_numbers = in->transport_id > 0
      && psp_rtp_read_extension (data, size, in->transport_id, &number);
  if (in->counters.by_numbers
      && psp_receiver_open_transport_numbers (in->receiver))
    psp_receiver_transport_number (in->receiver, header, number, arrived_at);
}

gboolean
gst_psp_inbound_datagram (GstPspInbound * in, const PspUdpDatagram * d,
    const guint8 * data, gint64 arrived_at)
{
  PspRtpHeader header;

  switch (psp_packet_kind (data, d->size)) {
    case PSP_PACKET_RTCP:
      handle_rtcp (in, d, data, arrived_at);
      return FALSE;
    case PSP_PACKET_RTP:
      if (psp_rtp_parse (data, d->size, d->size, &header)) {
        if (!check_peer (in, d, header.ssrc, arrived_at))
          return FALSE;
        psp_receiver_packet (in->receiver, &header, d->ecn, arrived_at);
        note_transport_number (in, &header, data, d->size, arrived_at);
        return !is_probe (in, &header);
      }
      break;
    case PSP_PACKET_UNKNOWN:
      break;
  }
  in->counters.malformed++;
  GST_LOG_OBJECT (in->element,
      "dropped %" G_GSIZE_FORMAT " bytes that are no RTP", d->size);
  return FALSE;
}

/* Packets that wait for their keys */

gboolean
gst_psp_inbound_lacks_key (GstPspInbound * in, const guint8 * data, gsize size)
{
  return in->srtp && psp_packet_kind (data, size) == PSP_PACKET_RTP
      && gst_psp_srtp_unknown_mki (in->srtp, data, size);
}

void
gst_psp_inbound_hold (GstPspInbound * in, const GstPspHeldPacket * packet)
{
  gsize mki_size = gst_psp_srtp_mki_size (in->srtp);
  guint8 mki[PSP_SRTP_MAX_MKI];
  GstMapInfo map;

  if (!gst_buffer_map (packet->buffer, &map, GST_MAP_READ)) {
    gst_buffer_unref (packet->buffer);
    in->counters.unauthenticated++;
    return;
  }
  memcpy (mki, gst_psp_srtp_unknown_mki (in->srtp, map.data,
          packet->datagram.size), mki_size);
  gst_buffer_unmap (packet->buffer, &map);
  if (!in->held)
    in->held = gst_psp_held_new ();
  in->counters.unauthenticated += gst_psp_held_add (in->held, mki, mki_size,
      packet);
}

/* Decrypts and handles a packet that was held. Returns TRUE if it is to be
 * pushed. */
static gboolean
retry (GstPspInbound * in, GstPspHeldPacket * p)
{
  gboolean accepted;
  GstMapInfo map;

  if (!gst_buffer_map (p->buffer, &map, GST_MAP_READWRITE))
    return FALSE;
  accepted = gst_psp_inbound_decrypt (in, &p->datagram.from, map.data,
      &p->datagram.size, p->arrived_at)
      && gst_psp_inbound_datagram (in, &p->datagram, map.data, p->arrived_at);
  gst_buffer_unmap (p->buffer, &map);
  if (accepted)
    gst_buffer_resize (p->buffer, 0, p->datagram.size);
  return accepted;
}

gboolean
gst_psp_inbound_take_held (GstPspInbound * in, GstPspHeldPacket * packet)
{
  while (in->held && in->told
      && gst_psp_held_take (in->held, gst_psp_srtp_newest_mki (in->srtp),
          gst_psp_srtp_mki_size (in->srtp), packet)) {
    if (retry (in, packet))
      return TRUE;
    gst_buffer_unref (packet->buffer);
  }
  in->told = FALSE;
  return FALSE;
}

void
gst_psp_inbound_expire_held (GstPspInbound * in, gint64 now)
{
  if (in->held)
    in->counters.unauthenticated += gst_psp_held_expire (in->held, now);
}

guint64
gst_psp_inbound_none_authentic (GstPspInbound * in)
{
  if (!in->srtp || in->authentic
      || in->counters.unauthenticated < UNAUTHENTICATED_TOLD)
    return 0;
  in->authentic = TRUE;
  return in->counters.unauthenticated;
}

/* Answers */

gboolean
gst_psp_inbound_may_answer (const GstPspInbound * in)
{
  return in->receiver && in->peer.known && in->answers
      && in->feedback_interval > 0;
}

/* Returns the most bytes of plain RTCP in a datagram. */
static gsize
answer_room (GstPspInbound * in, gint64 now)
{
  gsize room = MIN (psp_answer_limit_room (&in->answer_limit, now),
      PSP_RECEIVER_USUAL_RTCP_SIZE);
  gsize overhead = in->srtp ? gst_psp_srtp_overhead (in->srtp, TRUE) : 0;

  return room - MIN (room, overhead);
}

gint64
gst_psp_inbound_next_answer (GstPspInbound * in, gint64 now)
{
  gboolean room = answer_room (in, now) >= MIN_RTCP_SIZE;

  return room && gst_psp_inbound_may_answer (in) ?
      psp_receiver_next (in->receiver, now) : PSP_TIME_NEVER;
}

gsize
gst_psp_inbound_pack_answer (GstPspInbound * in, gint64 now, guint64 ntp,
    guint8 * data, size_t (*pack) (PspReceiver *, int64_t, uint64_t, uint8_t *,
        size_t))
{
  gsize size;

  if (!gst_psp_inbound_may_answer (in))
    return 0;
  size = pack (in->receiver, now, ntp, data, answer_room (in, now));
  if (size > 0 && in->srtp &&
      gst_psp_srtp_protect_rtcp (in->srtp, data, &size) != PSP_SRTP_OK)
    size = 0;
  if (size > 0)
    psp_answer_limit_left (&in->answer_limit, size, now);
  return size;
}

/* Life */

gboolean
gst_psp_inbound_set_srtp (GstPspInbound * in, const GstPspSrtpKeys * keys)
{
  gboolean ok = TRUE;

  /* If all has stopped, the next start takes the keys. */
  if (in->srtp)
    ok = gst_psp_srtp_set_keys (in->srtp, keys);
  else if (in->receiver)
    ok = (in->srtp = gst_psp_srtp_new (keys, FALSE)) != NULL;
  in->peer.authentic = in->srtp != NULL;
  in->told |= ok;
  return ok;
}

void
gst_psp_inbound_reset (GstPspInbound * in)
{
  const GstPspSrcCounters none = { 0 };

  gst_psp_peer_init (&in->peer, FALSE);
  in->answers = in->authentic = FALSE;
  in->answers_from.size = 0;
  psp_answer_limit_init (&in->answer_limit);
  in->counters = none;
  in->n_byes = 0;
}

void
gst_psp_inbound_stop (GstPspInbound * in)
{
  g_clear_pointer (&in->receiver, psp_receiver_free);
  g_clear_pointer (&in->srtp, gst_psp_srtp_free);
  g_clear_pointer (&in->held, gst_psp_held_free);
  g_queue_clear_full (&in->rtcp, (GDestroyNotify) gst_buffer_unref);
}
