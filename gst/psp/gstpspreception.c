/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspreception.h"

#include <errno.h>
#include <string.h>

#include <rtpfeedback/answerlimit.h>
#include <rtpfeedback/receiver.h>
#include <rtpfeedback/twccwriter.h>
#include "gstpsparrivals.h"
#include "gstpspgather.h"
#include "gstpspheld.h"
#include "gstpspinbox.h"
#include "gstpsppeer.h"
#include "gstpspsrcstats.h"

GST_DEBUG_CATEGORY_STATIC (gst_psp_reception_debug);
#define GST_CAT_DEFAULT gst_psp_reception_debug

/* Bytes of a report of one packet, of any kind; with less room no feedback is
 * due. */
#define MIN_RTCP_SIZE PSP_TWCC_SIZE (1)
/* ns; shortest time between two requests for one packet. */
#define MIN_REQUEST_INTERVAL (10 * PSP_MSECOND)
/* So many packets are told of if none before was authentic. */
#define UNAUTHENTICATED_TOLD 20
/* ns until the next read after memory ran out. */
#define RETRY_DELAY PSP_MSECOND

struct _GstPspReception
{
  GstElement *element;

  /* The lock guards the members below, which other threads read and set. */
  GMutex lock;
  GstClockTime feedback_interval;
  PspReceiver *receiver;        /* NULL while stopped */
  GstPspPeer peer;
  gboolean answers;             /* the peer gets feedback; FALSE for a group */
  PspAnswerLimit answer_limit;  /* limits RTCP to the peer's address */
  guint clock_rate;
  guint8 transport_id;          /* extension with packet numbers; 0 = none */
  GstPspSrcCounters counters;
  GstPspSrtp *srtp;             /* NULL = packets are not protected */
  GstPspHeld *held;             /* packets without a key; NULL = never any */
  gboolean authentic;           /* a packet was, or that none is was told */
  gboolean told;                /* keys were set since the last retry */

  int fd;
  gboolean multicast;
  GstPspInbox inbox;
  PspUdpSender sender;
  GstPspArrivals arrivals;
  GstPspGather gather;
  gint64 gather_until;          /* ns; packets wait until then; 0 = no wait */
  gboolean gathered;            /* the next packets have waited there */
  gint64 ntp_offset;            /* ns from monotonic to wall clock at the start;
                                   later steps of the latter do no harm */
  gint64 received_at;           /* time of this run's batch; PSP_TIME_UNKNOWN =
                                   none came */
  gint64 heard_at;              /* arrival of the last RTP packet */
  gint64 next_feedback;

  /* The datagrams of the last batch that must be pushed. */
  guint accepted[PSP_UDP_BATCH];
  GstClockTime clock_times[PSP_UDP_BATCH];
  guint n_accepted, next_accepted;
  GQueue retried;               /* decrypted held packets, to push first */
  guint32 byes[PSP_UDP_BATCH];
  guint n_byes;

  WaitWaker waker;
  WaitAlarm alarm;
  gint flushing;                /* atomic */
};

/* Feedback */

static guint64
ntp_at (GstPspReception * r, gint64 now)
{
  return psp_rtcp_ntp (now + r->ntp_offset);
}

static gboolean
send_rtcp (GstPspReception * r, const PspAddress * to, guint8 * data,
    gsize size)
{
  PspUdpPacket packet = {.n_iov = 1 };
  int err;

  packet.iov[0].iov_base = data;
  packet.iov[0].iov_len = packet.size = size;
  if (psp_udp_send (&r->sender, to, &packet, 1, &err) == 1)
    return TRUE;
  /* The address that the media was sent to no longer belongs to this host, or
   * is a broadcast address, which cannot be a source. */
  if ((err == EINVAL || err == EADDRNOTAVAIL) && r->sender.source.size) {
    r->sender.source.size = 0;
    if (psp_udp_send (&r->sender, to, &packet, 1, &err) == 1)
      return TRUE;
  }
  /* This is no error: the next report repeats the content of this one, and an
   * interface that is down may come up again. */
  GST_DEBUG_OBJECT (r->element, "feedback did not leave: %s", g_strerror (err));
  g_mutex_lock (&r->lock);
  r->counters.feedback_errors++;
  g_mutex_unlock (&r->lock);
  return FALSE;
}

/* Needs the lock. */
static gboolean
may_answer (GstPspReception * r)
{
  return r->receiver && r->peer.known && r->answers && r->feedback_interval > 0;
}

/* Returns the most bytes of plain RTCP in a datagram. Needs the lock. */
static gsize
answer_room (GstPspReception * r, gint64 now)
{
  gsize room = MIN (psp_answer_limit_room (&r->answer_limit, now),
      PSP_RECEIVER_USUAL_RTCP_SIZE);
  gsize overhead = r->srtp ? gst_psp_srtp_overhead (r->srtp, TRUE) : 0;

  return room - MIN (room, overhead);
}

/* Updates when feedback is due: never while the answer limit leaves no room,
 * until more comes from the peer. Needs the lock. */
static void
update_next_feedback (GstPspReception * r, gint64 now)
{
  gboolean room = answer_room (r, now) >= MIN_RTCP_SIZE;

  r->next_feedback = room && may_answer (r) ?
      psp_receiver_next (r->receiver, now) : PSP_TIME_NEVER;
}

/* Writes RTCP by `pack`, which is psp_receiver_pack() or similar, and protects
 * it. Returns its bytes. Needs the lock. */
static gsize
pack_answer (GstPspReception * r, gint64 now, guint8 * data,
    size_t (*pack) (PspReceiver *, int64_t, uint64_t, uint8_t *, size_t))
{
  gsize size;

  if (!may_answer (r))
    return 0;
  size = pack (r->receiver, now, ntp_at (r, now), data, answer_room (r, now));
  if (size > 0 && r->srtp &&
      gst_psp_srtp_protect_rtcp (r->srtp, data, &size) != PSP_SRTP_OK)
    size = 0;
  if (size > 0)
    psp_answer_limit_left (&r->answer_limit, size, now);
  return size;
}

static void
send_feedback (GstPspReception * r, gint64 now)
{
  guint32 words[(PSP_RECEIVER_USUAL_RTCP_SIZE + PSP_SRTP_ROOM) / 4];
  guint8 *data = (guint8 *) words;
  PspAddress to;
  guint i;

  if (now < r->next_feedback)
    return;
  /* Sends at most one datagram for each stream, and the regular report. */
  for (i = 0; i <= PSP_MAX_STREAMS; i++) {
    gsize size;

    g_mutex_lock (&r->lock);
    size = pack_answer (r, now, data, psp_receiver_pack);
    to = r->peer.address;
    update_next_feedback (r, now);
    g_mutex_unlock (&r->lock);
    if (size == 0 || !send_rtcp (r, &to, data, size) || now < r->next_feedback)
      return;
  }
}

static void
send_bye (GstPspReception * r)
{
  gint64 now = wait_monotonic_now ();
  guint32 words[(PSP_RECEIVER_USUAL_RTCP_SIZE + PSP_SRTP_ROOM) / 4];
  guint8 *data = (guint8 *) words;
  PspAddress to;
  gsize size;

  g_mutex_lock (&r->lock);
  size = pack_answer (r, now, data, psp_receiver_pack_bye);
  to = r->peer.address;
  g_mutex_unlock (&r->lock);
  if (size)
    send_rtcp (r, &to, data, size);
}

/* Reception */

/* True if the packet counts as received media. Needs the lock. */
static gboolean
check_peer (GstPspReception * r, const PspUdpDatagram * d, guint32 ssrc,
    gint64 now)
{
  switch (gst_psp_peer_media (&r->peer, &d->from, &d->to, ssrc, now)) {
    case GST_PSP_PEER_FOREIGN:
      if (r->multicast)
        return TRUE;            /* but its BYE does not count */
      r->counters.foreign_packets++;
      return FALSE;
    case GST_PSP_PEER_NEW:{
      gchar text[PSP_ADDRESS_TEXT];

      psp_address_text (&d->from, text);
      GST_INFO_OBJECT (r->element, "media comes from %s", text);
      /* An application may have joined groups on its own socket. */
      r->answers = !r->multicast && !psp_address_is_multicast (&d->to);
      r->sender.source = d->to;
      psp_answer_limit_init (&r->answer_limit);
      /* The new peer may write no transport-wide numbers, or other ones. */
      psp_receiver_forget_transport_numbers (r->receiver);
      break;
    }
    case GST_PSP_PEER_SAME:
      break;
  }
  psp_answer_limit_came (&r->answer_limit, d->size, now);
  gst_psp_peer_stream (&r->peer, ssrc, now);
  return TRUE;
}

/* Ends a stream that sent a BYE, and queues its report. Needs the lock. */
static void
end_stream (GstPspReception * r, guint32 ssrc, gint64 at)
{
  psp_receiver_end_stream (r->receiver, ssrc, at);
  r->byes[r->n_byes++] = ssrc;
}

/* Needs the lock. */
static void
handle_rtcp (GstPspReception * r, const PspUdpDatagram * d, const guint8 * data,
    gint64 now)
{
  gboolean is_peer = gst_psp_peer_is (&r->peer, &d->from);
  guint32 byes[PSP_MAX_STREAMS];
  guint i, n;

  if (r->peer.known && !is_peer && !r->multicast) {
    r->counters.foreign_packets++;
    return;
  }
  n = psp_receiver_rtcp (r->receiver, data, d->size, now, byes);
  for (i = 0; i < n && is_peer; i++)
    if (r->n_byes < G_N_ELEMENTS (r->byes) &&
        gst_psp_peer_bye (&r->peer, &d->from, byes[i], now))
      end_stream (r, byes[i], now);
}

/* Ends the streams that fell silent after a BYE from another port. */
static void
believe_byes (GstPspReception * r)
{
  gint64 now = wait_monotonic_now ();
  guint32 ssrc;

  g_mutex_lock (&r->lock);
  while (r->n_byes < G_N_ELEMENTS (r->byes) &&
      gst_psp_peer_believe (&r->peer, &ssrc, now))
    end_stream (r, ssrc, now - GST_PSP_PEER_TAKEOVER);
  g_mutex_unlock (&r->lock);
}

/* True if a protected datagram does not come from the peer. A copy from another
 * address must not use up the number of the peer's own packet. Needs the
 * lock. */
static gboolean
is_foreign (GstPspReception * r, const PspAddress * from, const guint8 * data,
    gsize size, gint64 now)
{
  if (r->multicast || size < 12)
    return FALSE;
  if (psp_packet_kind (data, size) == PSP_PACKET_RTCP)
    return r->peer.known && !gst_psp_peer_is (&r->peer, from);
  return gst_psp_peer_is_foreign (&r->peer, from,
      GST_READ_UINT32_BE (data + 8), now);
}

/* Decrypts a datagram in place. Returns TRUE if it is authentic. Needs the
 * lock. */
static gboolean
unprotect (GstPspReception * r, const PspAddress * from, guint8 * data,
    gsize * size, gint64 now)
{
  PspPacketKind kind = psp_packet_kind (data, *size);
  PspSrtpResult result = PSP_SRTP_FAILED;

  if (is_foreign (r, from, data, *size, now)) {
    r->counters.foreign_packets++;
    return FALSE;
  }
  if (kind != PSP_PACKET_UNKNOWN)
    result = gst_psp_srtp_unprotect (r->srtp, data, size,
        kind == PSP_PACKET_RTCP, now);
  if (result == PSP_SRTP_REPLAYED)
    r->counters.replayed++;
  else if (result == PSP_SRTP_FAILED)
    r->counters.unauthenticated++;
  else
    r->authentic = TRUE;
  return result == PSP_SRTP_OK;
}

/* True if the packet is a sender's probe, which is not pushed downstream. Under
 * SRTP, probes are a stream of empty packets. Needs the lock. */
static gboolean
is_probe (GstPspReception * r, const PspRtpHeader * header)
{
  PspReceiverStats stats;

  if (!r->srtp || header->payload_size > 0)
    return FALSE;
  psp_receiver_stats (r->receiver, &stats);
  for (guint i = 0; i < stats.n_streams; i++)
    if (stats.streams[i].ssrc == header->ssrc)
      return stats.streams[i].payload_bytes == 0;
  return TRUE;
}

/* Needs the lock. */
static void
note_transport_number (GstPspReception * r, const PspRtpHeader * header,
    const guint8 * data, gsize size, gint64 arrived_at)
{
  guint16 number;

  r->counters.by_numbers = r->transport_id > 0
      && psp_rtp_read_extension (data, size, r->transport_id, &number);
  if (r->counters.by_numbers
      && psp_receiver_open_transport_numbers (r->receiver))
    psp_receiver_transport_number (r->receiver, header, number, arrived_at);
}

/* Handles a datagram after decryption. Returns TRUE if it must be pushed. Needs
 * the lock. */
static gboolean
handle_clear (GstPspReception * r, const PspUdpDatagram * d,
    const guint8 * data, gint64 arrived_at)
{
  PspRtpHeader header;

  switch (psp_packet_kind (data, d->size)) {
    case PSP_PACKET_RTCP:
      handle_rtcp (r, d, data, arrived_at);
      return FALSE;
    case PSP_PACKET_RTP:
      if (psp_rtp_parse (data, d->size, d->size, &header)) {
        if (!check_peer (r, d, header.ssrc, arrived_at))
          return FALSE;
        psp_receiver_packet (r->receiver, &header, d->ecn, arrived_at);
        note_transport_number (r, &header, data, d->size, arrived_at);
        return !is_probe (r, &header);
      }
      break;
    case PSP_PACKET_UNKNOWN:
      break;
  }
  r->counters.malformed++;
  GST_LOG_OBJECT (r->element,
      "dropped %" G_GSIZE_FORMAT " bytes that are no RTP", d->size);
  return FALSE;
}

/* Handles datagram i. Returns TRUE if it must be pushed. Needs the lock. */
static gboolean
handle_datagram (GstPspReception * r, guint i, gint64 arrived_at)
{
  guint8 *data = gst_psp_inbox_data (&r->inbox, i);
  gsize size = r->inbox.datagrams[i].size;

  if (r->srtp && !unprotect (r, &r->inbox.datagrams[i].from, data, &size,
          arrived_at))
    return FALSE;
  if (r->srtp)
    gst_psp_inbox_changed (&r->inbox, i, size);
  return handle_clear (r, &r->inbox.datagrams[i], data, arrived_at);
}

/* Holds datagram i and returns TRUE if its key is unknown. Needs the lock. */
static gboolean
hold (GstPspReception * r, guint i, gint64 arrived_at, GstClockTime clock_time)
{
  const PspUdpDatagram *d = &r->inbox.datagrams[i];
  const guint8 *data = gst_psp_inbox_data (&r->inbox, i), *mki;
  guint8 name[PSP_SRTP_MAX_MKI];
  GstPspHeldPacket packet = {.datagram = *d,.arrived_at = arrived_at,
    .clock_time = clock_time
  };

  if (!r->srtp || psp_packet_kind (data, d->size) != PSP_PACKET_RTP ||
      !(mki = gst_psp_srtp_unknown_mki (r->srtp, data, d->size)))
    return FALSE;
  memcpy (name, mki, gst_psp_srtp_mki_size (r->srtp));
  if (!r->held)
    r->held = gst_psp_held_new ();
  packet.buffer = gst_psp_inbox_take (&r->inbox, i);
  r->counters.unauthenticated += gst_psp_held_add (r->held, name,
      gst_psp_srtp_mki_size (r->srtp), &packet);
  return TRUE;
}

/* Handles a held packet whose key is now known. Returns TRUE if it must be
 * pushed. Needs the lock. */
static gboolean
retry (GstPspReception * r, GstPspHeldPacket * p)
{
  gboolean accepted;
  GstMapInfo map;

  if (!gst_buffer_map (p->buffer, &map, GST_MAP_READWRITE))
    return FALSE;
  accepted = unprotect (r, &p->datagram.from, map.data, &p->datagram.size,
      p->arrived_at) && handle_clear (r, &p->datagram, map.data, p->arrived_at);
  gst_buffer_unmap (p->buffer, &map);
  if (accepted)
    gst_buffer_resize (p->buffer, 0, p->datagram.size);
  return accepted;
}

static void
stamp (GstPspReception * r, GstBuffer * buffer, GstClockTime time)
{
  if (GST_CLOCK_TIME_IS_VALID (time)) {
    GstClockTime base = gst_element_get_base_time (r->element);

    time = time > base ? time - base : 0;
  }
  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = time;
}

/* Handles the held packets whose key is now known, and drops those that waited
 * for too long. */
static void
look_at_held (GstPspReception * r)
{
  GstPspHeldPacket p;

  g_mutex_lock (&r->lock);
  while (r->held && r->told &&
      gst_psp_held_take (r->held, gst_psp_srtp_newest_mki (r->srtp),
          gst_psp_srtp_mki_size (r->srtp), &p)) {
    if (retry (r, &p)) {
      stamp (r, p.buffer, p.clock_time);
      g_queue_push_tail (&r->retried, p.buffer);
      r->heard_at = MAX (r->heard_at, p.arrived_at);
    } else {
      gst_buffer_unref (p.buffer);
    }
  }
  r->told = FALSE;
  if (r->held)
    r->counters.unauthenticated += gst_psp_held_expire (r->held,
        wait_monotonic_now ());
  update_next_feedback (r, wait_monotonic_now ());
  g_mutex_unlock (&r->lock);
}

/* Receives a batch of datagrams. Returns 0 or a negative errno. */
static int
receive (GstPspReception * r)
{
  gint64 before = wait_monotonic_now (), wait;
  int count;
  guint i;

  r->n_accepted = r->next_accepted = r->n_byes = 0;
  if (r->gathered)
    gst_psp_inbox_expect (&r->inbox, GST_PSP_GATHER_PACKETS);
  count = gst_psp_inbox_receive (&r->inbox, r->fd);
  if (r->gathered)
    gst_psp_gather_waited (&r->gather, MAX (count, 0));
  r->gathered = FALSE;
  if (count < 0) {
    if (count == -EAGAIN)
      r->arrivals.emptied_at = before;
    return count == -EAGAIN ? 0 : count;
  }

  gst_psp_arrivals_read (&r->arrivals, r->element);
  g_mutex_lock (&r->lock);
  for (i = 0; i < (guint) count; i++) {
    GstClockTime clock_time;
    gint64 at = gst_psp_arrivals_date (&r->arrivals, &r->inbox.datagrams[i],
        &clock_time);

    gst_psp_gather_arrived (&r->gather, r->inbox.datagrams[i].arrived_at,
        r->inbox.datagrams[i].size);
    if (hold (r, i, at, clock_time) || !handle_datagram (r, i, at))
      continue;
    r->clock_times[r->n_accepted] = clock_time;
    r->accepted[r->n_accepted++] = i;
  }
  r->received_at = r->arrivals.now;
  update_next_feedback (r, r->received_at);
  g_mutex_unlock (&r->lock);
  wait = gst_psp_gather_time (&r->gather);
  r->gather_until = wait ? r->received_at + wait : 0;
  if (r->inbox.emptied)
    r->arrivals.emptied_at = before;
  if (r->n_accepted)
    r->heard_at = r->received_at;
  return 0;
}

guint
gst_psp_reception_pending (const GstPspReception * r)
{
  return r->n_accepted - r->next_accepted + g_queue_get_length ((GQueue *)
      & r->retried);
}

guint8
gst_psp_reception_payload_type (GstPspReception * r)
{
  GstBuffer *retried = g_queue_peek_head (&r->retried);
  guint8 second;

  if (retried)
    gst_buffer_extract (retried, 1, &second, 1);
  else
    second = gst_psp_inbox_data (&r->inbox, r->accepted[r->next_accepted])[1];
  return second & 0x7f;
}

GstBuffer *
gst_psp_reception_take (GstPspReception * r)
{
  GstBuffer *buffer = g_queue_pop_head (&r->retried);
  guint i;

  if (buffer || r->next_accepted == r->n_accepted)
    return buffer;
  i = r->next_accepted++;
  buffer = gst_psp_inbox_take (&r->inbox, r->accepted[i]);
  stamp (r, buffer, r->clock_times[i]);
  return buffer;
}

GstBufferList *
gst_psp_reception_take_list (GstPspReception * r)
{
  GstBufferList *list =
      gst_buffer_list_new_sized (gst_psp_reception_pending (r));
  GstBuffer *buffer;

  while ((buffer = gst_psp_reception_take (r)))
    gst_buffer_list_add (list, buffer);
  return list;
}

/* True if reception can continue after the error. The kernel reports errors of
 * sent packets, and of interfaces that go down, to the next read of the
 * socket. */
static gboolean
is_passing (int err)
{
  return err != -EBADF && err != -ENOTSOCK && err != -EFAULT && err != -EINVAL
      && err != -ENOTCONN;
}

/* Waits until a datagram can be received. If many packets come, it lets them
 * gather in the socket until gather_until. */
static int
wait_for_packets (GstPspReception * r, gint64 until)
{
  int events;

  if (r->inbox.more)
    return PSP_WAIT_READABLE;
  if (!r->gather_until)
    return psp_wait_alarm (r->fd, &r->waker, &r->alarm, until);
  events = psp_wait (-1, FALSE, &r->waker, MIN (until, r->gather_until));
  if (events || until < r->gather_until)
    return events;
  r->gather_until = 0;
  r->gathered = TRUE;
  return PSP_WAIT_READABLE;
}

static int
wait_and_receive (GstPspReception * r, gint64 until)
{
  int events = wait_for_packets (r, until), err;

  if (events < 0)
    return events;
  if (events & PSP_WAIT_WOKEN) {
    wait_waker_clear (&r->waker);
    g_mutex_lock (&r->lock);
    update_next_feedback (r, wait_monotonic_now ());
    g_mutex_unlock (&r->lock);
    /* The flag must be read after the waker was cleared, not before. */
    if (gst_psp_reception_is_flushing (r))
      return 0;
  }
  if (!(events & PSP_WAIT_READABLE))
    return 0;
  err = receive (r);
  if (err == 0 || !is_passing (err))
    return err;
  GST_DEBUG_OBJECT (r->element, "receiving: %s", g_strerror (-err));
  if (err == -ENOMEM || err == -ENOBUFS)
    psp_wait (-1, FALSE, &r->waker, wait_monotonic_now () + RETRY_DELAY);
  return 0;
}

int
gst_psp_reception_run (GstPspReception * r, gint64 until)
{
  int err = 0;

  r->received_at = PSP_TIME_UNKNOWN;
  if (r->srtp)
    look_at_held (r);
  if (r->held)
    until = MIN (until, gst_psp_held_next (r->held));
  until = MIN (until, gst_psp_peer_next (&r->peer));
  if (gst_psp_reception_pending (r) == 0)
    err = wait_and_receive (r, MIN (until, r->next_feedback));
  believe_byes (r);
  send_feedback (r, r->received_at == PSP_TIME_UNKNOWN ?
      wait_monotonic_now () : r->received_at);
  return err;
}

gboolean
gst_psp_reception_take_bye (GstPspReception * r, guint32 * ssrc,
    gchar address[PSP_ADDRESS_TEXT])
{
  if (r->n_byes == 0)
    return FALSE;
  *ssrc = r->byes[--r->n_byes];
  psp_address_text (&r->peer.address, address);
  return TRUE;
}

gboolean
gst_psp_reception_peer_gone (const GstPspReception * r)
{
  return gst_psp_peer_gone (&r->peer);
}

GBytes *
gst_psp_reception_ask_key (GstPspReception * r)
{
  return r->held ? gst_psp_held_ask (r->held, wait_monotonic_now ()) : NULL;
}

guint64
gst_psp_reception_none_authentic (GstPspReception * r)
{
  guint64 n = 0;

  g_mutex_lock (&r->lock);
  if (r->srtp && !r->authentic
      && r->counters.unauthenticated >= UNAUTHENTICATED_TOLD) {
    n = r->counters.unauthenticated;
    r->authentic = TRUE;
  }
  g_mutex_unlock (&r->lock);
  return n;
}

gint64
gst_psp_reception_heard_at (const GstPspReception * r)
{
  return r->heard_at;
}

/* Life */

/* Needs the lock, unless no other thread has the reception yet. */
static void
reset (GstPspReception * r)
{
  GstPspSrcCounters none = { 0 };

  gst_psp_arrivals_init (&r->arrivals);
  gst_psp_gather_init (&r->gather, 0);
  r->gather_until = 0;
  r->gathered = FALSE;
  r->heard_at = PSP_TIME_UNKNOWN;
  r->next_feedback = PSP_TIME_NEVER;
  psp_answer_limit_init (&r->answer_limit);
  r->n_accepted = r->next_accepted = r->n_byes = 0;
  r->answers = r->authentic = FALSE;
  gst_psp_peer_init (&r->peer, FALSE);
  r->counters = none;
  r->clock_rate = 0;
}

GstPspReception *
gst_psp_reception_new (GstElement * element)
{
  static gsize category = 0;
  GstPspReception *r = g_new0 (GstPspReception, 1);

  if (g_once_init_enter (&category)) {
    GST_DEBUG_CATEGORY_INIT (gst_psp_reception_debug, "pspreception", 0,
        "pspsrc's datagrams and feedback");
    g_once_init_leave (&category, 1);
  }
  r->element = element;
  g_mutex_init (&r->lock);
  r->fd = r->waker.fd = r->alarm.fd = -1;
  g_queue_init (&r->retried);
  reset (r);
  return r;
}

void
gst_psp_reception_free (GstPspReception * r)
{
  g_clear_pointer (&r->srtp, gst_psp_srtp_free);
  g_mutex_clear (&r->lock);
  g_free (r);
}

/* Needs the lock. */
static PspReceiver *
create_receiver (GstPspReception * r)
{
  PspReceiverConfig config = { 0 };
  gchar cname[32];

  /* RFC 7022 section 4.2: short-term, 96 random bits. */
  g_snprintf (cname, sizeof cname, "%08x%08x%08x", g_random_int (),
      g_random_int (), g_random_int ());
  config.ssrc = g_random_int ();
  config.cname = cname;
  config.feedback_interval = r->multicast ? 0 : r->feedback_interval;
  config.max_rtcp_size = PSP_RECEIVER_USUAL_RTCP_SIZE;
  config.random_seed = g_random_int ();
  return psp_receiver_new (&config, wait_monotonic_now ());
}

int
gst_psp_reception_start (GstPspReception * r, int fd, gboolean multicast)
{
  int err;

  g_mutex_lock (&r->lock);
  reset (r);
  r->fd = fd;
  r->multicast = multicast;
  r->ntp_offset = wait_wall_now () - wait_monotonic_now ();
  psp_udp_sender_init (&r->sender, fd);
  gst_psp_gather_init (&r->gather, MAX (psp_udp_receive_buffer (fd), 0));
  err = wait_waker_open (&r->waker);
  if (!err)
    err = wait_alarm_open (&r->alarm);
  if (!err && (!gst_psp_inbox_open (&r->inbox) ||
          !(r->receiver = create_receiver (r)))) {
    gst_psp_inbox_close (&r->inbox);
    err = -ENOMEM;
  }
  if (err) {
    wait_waker_close (&r->waker);
    wait_alarm_close (&r->alarm);
  }
  g_mutex_unlock (&r->lock);
  return err;
}

void
gst_psp_reception_stop (GstPspReception * r)
{
  send_bye (r);
  g_mutex_lock (&r->lock);
  g_clear_pointer (&r->receiver, psp_receiver_free);
  g_clear_pointer (&r->srtp, gst_psp_srtp_free);
  g_clear_pointer (&r->held, gst_psp_held_free);
  g_queue_clear_full (&r->retried, (GDestroyNotify) gst_buffer_unref);
  wait_waker_close (&r->waker);
  wait_alarm_close (&r->alarm);
  reset (r);
  g_mutex_unlock (&r->lock);
  gst_psp_inbox_close (&r->inbox);
  gst_psp_arrivals_clear (&r->arrivals);
}

/* From any thread */

/* Needs the lock. */
static void
wake (GstPspReception * r)
{
  if (r->receiver)
    wait_waker_wake (&r->waker);
}

void
gst_psp_reception_wake (GstPspReception * r)
{
  g_mutex_lock (&r->lock);
  wake (r);
  g_mutex_unlock (&r->lock);
}

void
gst_psp_reception_set_flushing (GstPspReception * r, gboolean flushing)
{
  g_atomic_int_set (&r->flushing, flushing);
  if (flushing)
    gst_psp_reception_wake (r);
}

gboolean
gst_psp_reception_is_flushing (GstPspReception * r)
{
  return g_atomic_int_get (&r->flushing);
}

gboolean
gst_psp_reception_set_srtp (GstPspReception * r, const GstPspSrtpKeys * keys)
{
  gboolean ok = TRUE;

  g_mutex_lock (&r->lock);
  /* If the reception has stopped, the next start takes the keys. */
  if (r->srtp)
    ok = gst_psp_srtp_set_keys (r->srtp, keys);
  else if (r->receiver)
    ok = (r->srtp = gst_psp_srtp_new (keys, FALSE)) != NULL;
  r->peer.authentic = r->srtp != NULL;
  r->told |= ok;
  wake (r);
  g_mutex_unlock (&r->lock);
  return ok;
}

void
gst_psp_reception_set_feedback_interval (GstPspReception * r,
    GstClockTime interval)
{
  g_mutex_lock (&r->lock);
  r->feedback_interval = interval;
  if (r->receiver && !r->multicast)
    psp_receiver_set_feedback_interval (r->receiver, interval);
  wake (r);
  g_mutex_unlock (&r->lock);
}

GstClockTime
gst_psp_reception_feedback_interval (GstPspReception * r)
{
  GstClockTime interval;

  g_mutex_lock (&r->lock);
  interval = r->feedback_interval;
  g_mutex_unlock (&r->lock);
  return interval;
}

gboolean
gst_psp_reception_request_key_unit (GstPspReception * r, const guint32 * ssrc,
    gboolean all_headers)
{
  gboolean ok;

  g_mutex_lock (&r->lock);
  ok = may_answer (r) && psp_receiver_request_key (r->receiver, ssrc,
      all_headers, wait_monotonic_now ());
  wake (r);
  g_mutex_unlock (&r->lock);
  return ok;
}

gboolean
gst_psp_reception_request_packet (GstPspReception * r, const guint32 * ssrc,
    guint16 number, GstClockTime interval, gboolean in_time)
{
  gboolean ok;

  g_mutex_lock (&r->lock);
  ok = in_time && may_answer (r) && psp_receiver_request_packet (r->receiver,
      ssrc, number, MAX (interval, MIN_REQUEST_INTERVAL),
      wait_monotonic_now ());
  if (ok)
    wake (r);
  else
    r->counters.requests_refused++;
  g_mutex_unlock (&r->lock);
  return ok;
}

void
gst_psp_reception_set_clock_rate (GstPspReception * r, guint clock_rate)
{
  g_mutex_lock (&r->lock);
  r->clock_rate = clock_rate;
  if (r->receiver)
    psp_receiver_set_clock_rate (r->receiver, clock_rate);
  g_mutex_unlock (&r->lock);
}

void
gst_psp_reception_set_transport_id (GstPspReception * r, guint8 id)
{
  g_mutex_lock (&r->lock);
  if (id == 0 && r->receiver)
    psp_receiver_forget_transport_numbers (r->receiver);
  r->transport_id = id;
  g_mutex_unlock (&r->lock);
}

GstStructure *
gst_psp_reception_stats (GstPspReception * r)
{
  PspReceiverStats stats = { 0 };
  GstPspSrcCounters counters;
  PspAddress peer;
  guint clock_rate;

  g_mutex_lock (&r->lock);
  if (r->receiver)
    psp_receiver_stats (r->receiver, &stats);
  counters = r->counters;
  peer = r->peer.address;
  clock_rate = r->clock_rate;
  g_mutex_unlock (&r->lock);
  return gst_psp_src_stats_new (&stats, &counters, &peer, clock_rate);
}
