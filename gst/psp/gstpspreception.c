/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspreception.h"

#include <errno.h>

#include "gstpsparrivals.h"
#include "gstpspgather.h"
#include "gstpspinbound.h"
#include "gstpspinbox.h"

GST_DEBUG_CATEGORY (gst_psp_reception_debug);
#define GST_CAT_DEFAULT gst_psp_reception_debug

/* ns; shortest time between two requests for one packet. */
#define MIN_REQUEST_INTERVAL (10 * PSP_MSECOND)
/* ns until the next read after memory ran out. */
#define RETRY_DELAY PSP_MSECOND

struct _GstPspReception
{
  GstElement *element;

  GMutex lock;
  GstPspInbound in;             /* guarded by the lock */
  guint clock_rate;             /* guarded by the lock */

  int fd;
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

  WaitWaker waker;
  WaitAlarm alarm;
  gint flushing;                /* atomic */
};

/* Feedback */

/* Needs the lock. */
static void
update_next_feedback (GstPspReception * r, gint64 now)
{
  r->next_feedback = gst_psp_inbound_next_answer (&r->in, now);
}

static guint64
ntp_at (GstPspReception * r, gint64 now)
{
  return psp_rtcp_ntp (now + r->ntp_offset);
}

/* True if the datagram did not leave because of its source: the address that the
 * media was sent to no longer belongs to this host, or is a broadcast address,
 * which cannot be a source. The next ones have none. */
static gboolean
gives_up_source (GstPspReception * r, int err)
{
  if ((err != EINVAL && err != EADDRNOTAVAIL) || r->sender.source.size == 0)
    return FALSE;
  r->sender.source.size = 0;
  g_mutex_lock (&r->lock);
  r->in.answers_from.size = 0;
  g_mutex_unlock (&r->lock);
  return TRUE;
}

/* Writes RTCP by `pack` and sends it to the peer. Returns FALSE if there was
 * none, or it did not leave. */
static gboolean
send_answer (GstPspReception * r, gint64 now,
    size_t (*pack) (PspReceiver *, int64_t, uint64_t, uint8_t *, size_t))
{
  guint32 words[(PSP_RECEIVER_USUAL_RTCP_SIZE + PSP_SRTP_ROOM) / 4];
  PspUdpPacket packet = {.n_iov = 1 };
  PspAddress to;
  int err = 0;

  g_mutex_lock (&r->lock);
  packet.size = gst_psp_inbound_pack_answer (&r->in, now, ntp_at (r, now),
      (guint8 *) words, pack);
  to = r->in.peer.address;
  r->sender.source = r->in.answers_from;
  update_next_feedback (r, now);
  g_mutex_unlock (&r->lock);
  if (packet.size == 0)
    return FALSE;
  packet.iov[0].iov_base = words;
  packet.iov[0].iov_len = packet.size;
  if (psp_udp_send (&r->sender, &to, &packet, 1, &err) == 1
      || (gives_up_source (r, err)
          && psp_udp_send (&r->sender, &to, &packet, 1, &err) == 1))
    return TRUE;
  /* This is no error: the next report repeats the content of this one, and an
   * interface that is down may come up again. */
  GST_DEBUG_OBJECT (r->element, "feedback did not leave: %s", g_strerror (err));
  g_mutex_lock (&r->lock);
  r->in.counters.feedback_errors++;
  g_mutex_unlock (&r->lock);
  return FALSE;
}

/* Sends at most one datagram for each stream, and the regular report. */
static void
send_feedback (GstPspReception * r, gint64 now)
{
  for (guint i = 0; i <= PSP_MAX_STREAMS && now >= r->next_feedback; i++)
    if (!send_answer (r, now, psp_receiver_pack))
      return;
}

/* Reception */

/* Handles datagram i. Returns TRUE if it must be pushed. Needs the lock. */
static gboolean
handle_datagram (GstPspReception * r, guint i, gint64 arrived_at,
    GstClockTime clock_time)
{
  const PspUdpDatagram *d = &r->inbox.datagrams[i];
  guint8 *data = gst_psp_inbox_data (&r->inbox, i);
  gsize size = d->size;

  if (gst_psp_inbound_lacks_key (&r->in, data, size)) {
    GstPspHeldPacket packet = {.datagram = *d,.arrived_at = arrived_at,
      .clock_time = clock_time
    };

    packet.buffer = gst_psp_inbox_take (&r->inbox, i);
    gst_psp_inbound_hold (&r->in, &packet);
    return FALSE;
  }
  if (!gst_psp_inbound_decrypt (&r->in, &d->from, data, &size, arrived_at))
    return FALSE;
  if (size != d->size)
    gst_psp_inbox_changed (&r->inbox, i, size);
  return gst_psp_inbound_datagram (&r->in, d, data, arrived_at);
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
  while (gst_psp_inbound_take_held (&r->in, &p)) {
    stamp (r, p.buffer, p.clock_time);
    g_queue_push_tail (&r->retried, p.buffer);
    r->heard_at = MAX (r->heard_at, p.arrived_at);
  }
  gst_psp_inbound_expire_held (&r->in, wait_monotonic_now ());
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

  r->n_accepted = r->next_accepted = r->in.n_byes = 0;
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
    if (!handle_datagram (r, i, at, clock_time))
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

GstBuffer *
gst_psp_reception_take_rtcp (GstPspReception * r)
{
  GstBuffer *buffer;

  g_mutex_lock (&r->lock);
  buffer = g_queue_pop_head (&r->in.rtcp);
  g_mutex_unlock (&r->lock);
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
  if (r->in.srtp)
    look_at_held (r);
  if (r->in.held)
    until = MIN (until, gst_psp_held_next (r->in.held));
  until = MIN (until, gst_psp_peer_next (&r->in.peer));
  if (gst_psp_reception_pending (r) == 0)
    err = wait_and_receive (r, MIN (until, r->next_feedback));
  g_mutex_lock (&r->lock);
  gst_psp_inbound_believe_byes (&r->in, wait_monotonic_now ());
  g_mutex_unlock (&r->lock);
  send_feedback (r, r->received_at == PSP_TIME_UNKNOWN ?
      wait_monotonic_now () : r->received_at);
  return err;
}

gboolean
gst_psp_reception_take_bye (GstPspReception * r, guint32 * ssrc,
    gchar address[PSP_ADDRESS_TEXT])
{
  if (r->in.n_byes == 0)
    return FALSE;
  *ssrc = r->in.byes[--r->in.n_byes];
  psp_address_text (&r->in.peer.address, address);
  return TRUE;
}

gboolean
gst_psp_reception_peer_gone (const GstPspReception * r)
{
  return gst_psp_peer_gone (&r->in.peer);
}

GBytes *
gst_psp_reception_ask_key (GstPspReception * r)
{
  return r->in.held ?
      gst_psp_held_ask (r->in.held, wait_monotonic_now ()) : NULL;
}

guint64
gst_psp_reception_none_authentic (GstPspReception * r)
{
  guint64 n;

  g_mutex_lock (&r->lock);
  n = gst_psp_inbound_none_authentic (&r->in);
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
  gst_psp_arrivals_init (&r->arrivals);
  gst_psp_gather_init (&r->gather, 0);
  r->gather_until = 0;
  r->gathered = FALSE;
  r->heard_at = PSP_TIME_UNKNOWN;
  r->next_feedback = PSP_TIME_NEVER;
  r->n_accepted = r->next_accepted = 0;
  gst_psp_inbound_reset (&r->in);
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
  r->element = r->in.element = element;
  g_mutex_init (&r->lock);
  r->fd = r->waker.fd = r->alarm.fd = -1;
  g_queue_init (&r->retried);
  g_queue_init (&r->in.rtcp);
  reset (r);
  return r;
}

void
gst_psp_reception_free (GstPspReception * r)
{
  gst_psp_inbound_stop (&r->in);
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
  config.feedback_interval = r->in.multicast ? 0 : r->in.feedback_interval;
  config.max_rtcp_size = PSP_RECEIVER_USUAL_RTCP_SIZE;
  config.random_seed = g_random_int ();
  return psp_receiver_new (&config);
}

int
gst_psp_reception_start (GstPspReception * r, int fd, gboolean multicast)
{
  int err;

  g_mutex_lock (&r->lock);
  reset (r);
  r->fd = fd;
  r->in.multicast = multicast;
  r->ntp_offset = wait_wall_now () - wait_monotonic_now ();
  psp_udp_sender_init (&r->sender, fd);
  gst_psp_gather_init (&r->gather, MAX (psp_udp_receive_buffer (fd), 0));
  err = wait_waker_open (&r->waker);
  if (!err)
    err = wait_alarm_open (&r->alarm);
  if (!err && (!gst_psp_inbox_open (&r->inbox) ||
          !(r->in.receiver = create_receiver (r)))) {
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
  send_answer (r, wait_monotonic_now (), psp_receiver_pack_bye);
  g_mutex_lock (&r->lock);
  gst_psp_inbound_stop (&r->in);
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
  if (r->in.receiver)
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
  gboolean ok;

  g_mutex_lock (&r->lock);
  ok = gst_psp_inbound_set_srtp (&r->in, keys);
  wake (r);
  g_mutex_unlock (&r->lock);
  return ok;
}

void
gst_psp_reception_set_feedback_interval (GstPspReception * r,
    GstClockTime interval)
{
  g_mutex_lock (&r->lock);
  r->in.feedback_interval = interval;
  if (r->in.receiver && !r->in.multicast)
    psp_receiver_set_feedback_interval (r->in.receiver, interval);
  wake (r);
  g_mutex_unlock (&r->lock);
}

GstClockTime
gst_psp_reception_feedback_interval (GstPspReception * r)
{
  GstClockTime interval;

  g_mutex_lock (&r->lock);
  interval = r->in.feedback_interval;
  g_mutex_unlock (&r->lock);
  return interval;
}

gboolean
gst_psp_reception_request_key_unit (GstPspReception * r, const guint32 * ssrc,
    gboolean all_headers)
{
  gboolean ok;

  g_mutex_lock (&r->lock);
  ok = gst_psp_inbound_may_answer (&r->in)
      && psp_receiver_request_key (r->in.receiver, ssrc, all_headers,
      wait_monotonic_now ());
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
  ok = in_time && gst_psp_inbound_may_answer (&r->in)
      && psp_receiver_request_packet (r->in.receiver, ssrc, number,
      MAX (interval, MIN_REQUEST_INTERVAL), wait_monotonic_now ());
  if (ok)
    wake (r);
  else
    r->in.counters.requests_refused++;
  g_mutex_unlock (&r->lock);
  return ok;
}

void
gst_psp_reception_set_clock_rate (GstPspReception * r, guint clock_rate)
{
  g_mutex_lock (&r->lock);
  r->clock_rate = clock_rate;
  if (r->in.receiver)
    psp_receiver_set_clock_rate (r->in.receiver, clock_rate);
  g_mutex_unlock (&r->lock);
}

void
gst_psp_reception_set_transport_id (GstPspReception * r, guint8 id)
{
  g_mutex_lock (&r->lock);
  if (id == 0 && r->in.receiver)
    psp_receiver_forget_transport_numbers (r->in.receiver);
  r->in.transport_id = id;
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
  if (r->in.receiver)
    psp_receiver_stats (r->in.receiver, &stats);
  counters = r->in.counters;
  peer = r->in.peer.address;
  clock_rate = r->clock_rate;
  g_mutex_unlock (&r->lock);
  return gst_psp_src_stats_new (&stats, &counters, &peer, clock_rate);
}
