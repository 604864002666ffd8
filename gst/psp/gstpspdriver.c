/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspdriver.h"
#include "gstpsproutewatch.h"
#include "gstpspsinksocket.h"

#include <rtpfeedback/rtcp.h>

GST_DEBUG_CATEGORY_EXTERN (gst_psp_sink_debug);
#define GST_CAT_DEFAULT gst_psp_sink_debug

/* ns; longest time between two reads of the socket while packets leave one
 * after another. */
#define POLL_INTERVAL PSP_MSECOND
/* ns; longest sleep while packets leave. */
#define ACTIVE_SLEEP (100 * PSP_MSECOND)
/* Most datagrams received at once: reports come one by one, and each has room
 * for the largest. */
#define N_DATAGRAMS 8
/* ns without reading after N_DATAGRAMS came at once, so that a flood leaves
 * time for other work. */
#define FLOOD_INTERVAL (POLL_INTERVAL / 4)
/* ns between two queries of the path's MTU, because nothing notifies of its
 * changes. */
#define MTU_INTERVAL PSP_SECOND

struct _GstPspDriver
{
  GstElement *element;
  GstNotifier *notifier;
  GstPspPacing pacing;
  WaitWaker waker;

  /* Set by start(), constant while the thread runs. */
  int fd;                       /* the owner serializes start(), end(), join() */
  PspAddress destination, rtcp_destination;
  guint16 rtcp_port;            /* 0 = the destination's */

  GMutex lock;                  /* guards all members below */
  GThread *thread;              /* only the owner may read it without the lock */
  /* Signals room in the queue, an empty queue, the end of a system call that
   * sends, or a change of `unlocked`. */
  GCond cond;
  guint waiters;                /* threads that wait for the condition */
  gboolean queued;              /* the streaming thread waits for room */
  guint queued_at;              /* packets in the queue that end its wait */

  GstPspEngine *engine;
  gboolean running;             /* FALSE asks the thread to end */
  guint unlocked;               /* GstPrerollUnlock */
  gboolean dead;                /* the socket cannot be read */

  /* The thread that sends the engine's batch uses the batch and the UDP sender
   * also without the lock. */
  GstPspBatch batch;
  PspUdpSender udp;
  guint sending;                /* threads in a system call that sends */
  gboolean socket_changed;      /* the socket's DSCP must be read again */

  /* The pacing thread's sleep. */
  gboolean waiting;
  gboolean idle;                /* it sleeps, and began with an empty queue */
  gint64 wait_until;
  gboolean active;              /* something left since the last sleep */
  gint64 polled_at;             /* ns; when the socket was last polled */
  gint64 read_after;            /* ns; no read before, after a flood */

  guint64 system_calls, past_system_calls;
  gboolean segment;
  PspPrecision precision;
  gint max_packet;              /* bytes; atomic */

  /* Only the pacing thread uses the members below. */
  PspSpin spin;
  GstPspRouteWatch route;
  gint64 mtu_at;                /* ns; when the path's MTU is queried next */
  int idle_lock;                /* keeps CPUs out of idle states, or negative */
  gboolean may_lock_idle;
  PspUdpDatagram datagrams[N_DATAGRAMS];
  guint n_datagrams;            /* received and not yet handled */
  guint8 *datagram_data;
};

/* Called without a lock of the element: the pipeline's clock may be the
 * application's, which may ask for its properties. */
static gint64
media_now (GstPspDriver * d)
{
  GstClockTime time = gst_element_get_current_running_time (d->element);

  return GST_CLOCK_TIME_IS_VALID (time) ? (gint64) time : PSP_TIME_UNKNOWN;
}

/* The functions from here to the pacing thread's need the lock. */

/* Wakes the threads that wait for the condition. */
static void
signal_waiters (GstPspDriver * d)
{
  if (d->waiters > 0)
    g_cond_broadcast (&d->cond);
}

/* Releases the lock during the wait. */
static void
wait_signal (GstPspDriver * d)
{
  d->waiters++;
  g_cond_wait (&d->cond, &d->lock);
  d->waiters--;
}

/* Waits until at most this many packets are queued. A packet that leaves before
 * that does not wake the thread, because a switch of threads for each packet
 * would cost too much. */
static void
wait_queued (GstPspDriver * d, guint packets)
{
  d->queued_at = packets;
  d->queued = TRUE;
  wait_signal (d);
  d->queued = FALSE;
}

/* Waits until an eighth of the queue has left. */
static void
wait_room (GstPspDriver * d)
{
  guint n = gst_psp_engine_queued (d->engine);

  wait_queued (d, n - MIN (n, MAX (n / 8, 1)));
}

static void
signal_sent (GstPspDriver * d)
{
  if (!d->queued || d->waiters > 1 ||
      gst_psp_engine_queued (d->engine) <= d->queued_at)
    signal_waiters (d);
}

/* Ends the pacing thread's sleep. */
static void
wake (GstPspDriver * d)
{
  if (!d->waiting)
    return;
  d->waiting = d->idle = FALSE;
  wait_waker_wake (&d->waker);
}

/* Releases the lock while it sends. */
static void
send_batch (GstPspDriver * d, gint64 now)
{
  d->active = TRUE;
  if (d->socket_changed)
    psp_udp_sender_read_dscp (&d->udp);
  d->socket_changed = FALSE;
  d->sending++;
  g_mutex_unlock (&d->lock);
  gst_psp_batch_send (&d->batch, &d->udp, &d->destination);
  g_mutex_lock (&d->lock);
  d->sending--;
  d->system_calls = d->past_system_calls + d->udp.system_calls;
  d->segment = psp_udp_sender_segments (&d->udp);
  gst_psp_engine_sent (d->engine, &d->batch, now);
  signal_sent (d);
}

/* Releases the lock while it sends. RTCP never waits for the socket, because
 * the next report replaces a lost one. */
static void
send_rtcp (GstPspDriver * d, gint64 now, gint64 media, gboolean bye)
{
  guint32 words[GST_PSP_RTCP_SIZE / 4];
  guint8 *data = (guint8 *) words;
  PspUdpPacket packet = {.n_iov = 1 };
  PspUdpSender udp;
  int error;

  psp_udp_sender_init (&udp, d->fd);
  packet.iov[0].iov_base = data;
  while ((packet.size = gst_psp_engine_pack_rtcp (d->engine, now,
              psp_rtcp_ntp (wait_wall_now ()), media, bye, data)) > 0) {
    packet.iov[0].iov_len = packet.size;
    d->sending++;
    g_mutex_unlock (&d->lock);
    psp_udp_send (&udp, &d->rtcp_destination, &packet, 1, &error);
    g_mutex_lock (&d->lock);
    d->sending--;
    signal_waiters (d);
  }
}

/* Releases the lock while it asks for the running time and sends. Returns FALSE
 * if the session has ended meanwhile. */
static gboolean
send_reports (GstPspDriver * d, gint64 now)
{
  gint64 media;

  g_mutex_unlock (&d->lock);
  media = media_now (d);
  g_mutex_lock (&d->lock);
  if (!d->running)
    return FALSE;
  send_rtcp (d, now, media, FALSE);
  return TRUE;
}

/* Takes both texts. */
static void
warn (GstPspDriver * d, gint code, gchar * text, gchar * debug)
{
  GST_WARNING_OBJECT (d->element, "%s", text);
  gst_notifier_post (d->notifier, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR,
      code, text, debug);
}

/* Does what the engine replies. Returns FALSE if the reply is to wait, or the
 * session has ended. */
static gboolean
step (GstPspDriver * d, gint64 now, GstPspReply * reply)
{
  guint queued = gst_psp_engine_queued (d->engine);
  gboolean drained = gst_psp_engine_is_drained (d->engine);

  gst_psp_engine_poll (d->engine, now, &d->batch, reply);
  /* The engine may have dropped packets, or repairs that came too late. */
  if (reply->kind != GST_PSP_REPLY_SEND &&
      (gst_psp_engine_queued (d->engine) < queued ||
          gst_psp_engine_is_drained (d->engine) != drained))
    signal_waiters (d);
  switch (reply->kind) {
    case GST_PSP_REPLY_SEND:
      send_batch (d, now);
      return TRUE;
    case GST_PSP_REPLY_RTCP:
      return send_reports (d, now);
    case GST_PSP_REPLY_NOTICE:
      gst_notifier_replace (d->notifier, reply->info);
      return TRUE;
    case GST_PSP_REPLY_KEY_FRAME:
      gst_notifier_key_frame (d->notifier);
      return TRUE;
    case GST_PSP_REPLY_RETRANSMISSION:
      gst_notifier_retransmission (d->notifier, reply->request.ssrc,
          reply->request.seq);
      return TRUE;
    case GST_PSP_REPLY_WARNING:
      warn (d, reply->code, reply->text, reply->debug);
      return TRUE;
    case GST_PSP_REPLY_WAIT:
      break;
  }
  return FALSE;
}

/* Waits for the pacing thread, which sends what was queued while it was awake.
 * An unpaced streaming thread must not run ahead of it: it would keep the
 * queue full and the pacing thread awake, and two threads at one socket cost
 * more than one. */
static void
wait_sent (GstPspDriver * d)
{
  while (gst_psp_engine_is_sending (d->engine) && !d->unlocked &&
      gst_psp_engine_is_unpaced (d->engine))
    wait_signal (d);
}

/* Sends what the streaming thread has queued from this thread if all may leave
 * now and the pacing thread sleeps; otherwise leaves it to the pacing thread.
 * Releases the lock while it sends or waits. */
static void
send_queued (GstPspDriver * d, gint64 now)
{
  GstPspReply reply;

  if (gst_psp_engine_is_drained (d->engine))
    return;
  if (!d->idle) {
    wait_sent (d);
    return;
  }
  if (gst_psp_engine_may_send_all (d->engine, now)) {
    while (step (d, now, &reply))
      now = wait_monotonic_now ();
    if (gst_psp_engine_is_drained (d->engine) &&
        MIN (reply.slot, reply.timer) >= d->wait_until)
      return;
  } else {
    gst_psp_engine_note_waiting (d->engine, now);
  }
  wake (d);
}

/* The pacing thread */

static void
allow_idle (GstPspDriver * d)
{
  psp_idle_allow (d->idle_lock);
  d->idle_lock = -1;
}

/* Waits until the slot, or until an event comes; spins just before the slot.
 * Called without the lock. */
static int
wait_slot (GstPspDriver * d, int fd, gboolean blocked, gint64 slot)
{
  gint64 now = wait_monotonic_now ();
  gint64 until = psp_spin_affordable (now) ?
      slot - psp_spin_margin (&d->spin, slot - now) : slot;
  int result;

  if (d->may_lock_idle && d->idle_lock < 0 && slot - now < ACTIVE_SLEEP) {
    d->idle_lock = psp_idle_forbid ();
    d->may_lock_idle = d->idle_lock >= 0;
  }
  result = psp_wait (fd, blocked, &d->waker, until);
  if (result != PSP_WAIT_TIMEOUT)
    return result;
  if (now < until)
    psp_spin_learn (&d->spin, wait_monotonic_now () - until);
  psp_spin_until (slot);
  return result;
}

/* Returns TRUE if the path's MTU has changed. The kernel learns of it by ICMP
 * and does not notify, so it is queried from time to time. Called without the
 * lock. */
static gboolean
look_at_mtu (GstPspDriver * d, gint64 now)
{
  gint max_packet, before = g_atomic_int_get (&d->max_packet);

  if (now < d->mtu_at)
    return FALSE;
  d->mtu_at = now + MTU_INTERVAL;
  max_packet = gst_psp_socket_max_packet (&d->destination);
  g_atomic_int_set (&d->max_packet, max_packet);
  return max_packet != before;
}

/* Called without the lock. */
static void
receive_datagrams (GstPspDriver * d, int fd)
{
  int n = psp_udp_receive (fd, d->datagrams, N_DATAGRAMS);

  d->n_datagrams = n > 0 ? n : 0;
}

/* Hands the datagrams to the engine. A truncated one counts as malformed. */
static void
handle_datagrams (GstPspDriver * d, gint64 now)
{
  for (guint i = 0; i < d->n_datagrams; i++) {
    const PspUdpDatagram *g = &d->datagrams[i];

    gst_psp_engine_receive (d->engine, &g->from, g->data,
        g->size > g->capacity ? 0 : g->size, now);
  }
  if (d->n_datagrams == N_DATAGRAMS)
    d->read_after = now + FLOOD_INTERVAL;
  d->n_datagrams = 0;
}

/* Handles the events that ended a sleep, or a negative errno. */
static void
handle_events (GstPspDriver * d, int fd, int events, gint64 now)
{
  if (fd >= 0)
    d->polled_at = now;
  if (events < 0 && !d->dead) {
    d->dead = TRUE;
    gst_psp_engine_failed (d->engine, -events, now);
  }
  if (events > 0 && events & PSP_WAIT_WRITABLE)
    gst_psp_engine_writable (d->engine);
  handle_datagrams (d, now);
}

/* Sleeps without the lock until the reply's time, feedback or a wake, and
 * handles the feedback. */
static void
wait_for (GstPspDriver * d, gint64 now, const GstPspReply * reply)
{
  gint64 slot = reply->slot, until = MIN (reply->timer, slot);
  gboolean spin = d->precision == PSP_PRECISION_REALTIME && slot < reply->timer;
  gboolean rest = !d->active && slot - now > ACTIVE_SLEEP;
  gboolean blocked = reply->blocked, moved, resized;
  int fd = d->fd, events;

  if (d->dead || (now < d->read_after && !blocked)) {
    fd = -1;
    if (!d->dead)
      until = MIN (until, d->read_after);
  }
  /* While the streaming thread sends, each packet changes the timers: a
   * periodic look is cheaper than a wake for each packet. */
  if (d->active)
    until = MIN (until, now + ACTIVE_SLEEP);
  d->active = FALSE;
  d->waiting = TRUE;
  d->idle = gst_psp_engine_queued (d->engine) == 0;
  d->wait_until = until;
  g_mutex_unlock (&d->lock);

  if (rest)
    allow_idle (d);
  events = spin && until == slot ? wait_slot (d, fd, blocked, slot) :
      psp_wait (fd, blocked, &d->waker, until);
  if (events > 0 && events & PSP_WAIT_WOKEN)
    wait_waker_clear (&d->waker);
  if (events > 0 && events & PSP_WAIT_READABLE)
    receive_datagrams (d, fd);
  now = wait_monotonic_now ();
  moved = gst_psp_route_watch_look (&d->route, &d->destination, now);
  resized = look_at_mtu (d, now);

  g_mutex_lock (&d->lock);
  d->waiting = d->idle = FALSE;
  if (moved) {
    gst_psp_engine_path_changed (d->engine, now);
    signal_waiters (d);
  }
  if (resized && !gst_psp_engine_is_sending (d->engine))
    psp_udp_sender_retry (&d->udp);
  handle_events (d, fd, events, now);
}

static void
set_precision (GstPspDriver * d, PspPrecision precision)
{
  d->precision = precision;
  gst_psp_engine_set_pairs (d->engine, precision != PSP_PRECISION_REALTIME);
  if (d->pacing == GST_PSP_PACING_REALTIME &&
      precision != PSP_PRECISION_REALTIME)
    warn (d, GST_RESOURCE_ERROR_SETTINGS, g_strdup ("The system does not grant "
            "real-time scheduling, so packets leave less evenly; give the "
            "process CAP_SYS_NICE or an rtprio limit, or choose "
            "pacing=auto."), NULL);
}

static gpointer
run (gpointer data)
{
  GstPspDriver *d = data;
  PspPrecision precision =
      psp_precision_request (d->pacing != GST_PSP_PACING_SLEEP);

  psp_spin_init (&d->spin);
  d->idle_lock = -1;
  d->may_lock_idle = d->pacing == GST_PSP_PACING_REALTIME;
  if (gst_psp_route_watch_start (&d->route, &d->destination,
          wait_monotonic_now ()) < 0)
    GST_INFO_OBJECT (d->element, "changes of the route go unnoticed");
  g_mutex_lock (&d->lock);
  set_precision (d, precision);
  while (d->running) {
    gint64 now = wait_monotonic_now ();
    GstPspReply reply;

    if (step (d, now, &reply)) {
      if (reply.kind != GST_PSP_REPLY_SEND
          || now - d->polled_at < POLL_INTERVAL)
        continue;
      reply.slot = now;         /* polls the socket without a sleep */
    }
    if (d->running)
      wait_for (d, now, &reply);
  }
  g_mutex_unlock (&d->lock);
  gst_psp_route_watch_stop (&d->route);
  allow_idle (d);
  return NULL;
}

/* Any thread may call the functions below, without the lock. */

/* Allocates all datagrams as one block. The system gives a block of this size
 * as pages that cost nothing until they are touched, so memory use follows the
 * number of datagrams that come at once. */
static void
init_datagrams (GstPspDriver * d)
{
  d->datagram_data = g_malloc (N_DATAGRAMS * GST_PSP_FEEDBACK_SIZE);
  for (guint i = 0; i < N_DATAGRAMS; i++) {
    d->datagrams[i].data = d->datagram_data + i * GST_PSP_FEEDBACK_SIZE;
    d->datagrams[i].capacity = GST_PSP_FEEDBACK_SIZE;
  }
}

GstPspDriver *
gst_psp_driver_new (GstElement * element, GstNotifier * notifier,
    const PspControllerClass * controller, const gdouble * parameters,
    const PspLimits * limits, GstPspPacing pacing)
{
  GstPspEngineConfig config = {
    .controller = controller,
    .parameters = parameters,
    .limits = *limits,
    .log = GST_OBJECT (element)
  };
  GstPspEngine *engine = gst_psp_engine_new (&config, wait_monotonic_now ());
  GstPspDriver *d;
  WaitWaker waker;

  if (!engine)
    return NULL;
  if (wait_waker_open (&waker) < 0) {
    gst_psp_engine_free (engine);
    return NULL;
  }
  d = g_new0 (GstPspDriver, 1);
  d->element = element;
  d->notifier = notifier;
  d->pacing = pacing;
  d->waker = waker;
  d->engine = engine;
  g_mutex_init (&d->lock);
  g_cond_init (&d->cond);
  init_datagrams (d);
  d->fd = -1;
  return d;
}

void
gst_psp_driver_free (GstPspDriver * d)
{
  gst_psp_engine_free (d->engine);
  gst_psp_batch_clear (&d->batch);
  g_free (d->datagram_data);
  wait_waker_close (&d->waker);
  g_mutex_clear (&d->lock);
  g_cond_clear (&d->cond);
  g_free (d);
}

void
gst_psp_driver_start (GstPspDriver * d, int fd, const PspAddress * destination)
{
  gint64 now = wait_monotonic_now ();

  g_mutex_lock (&d->lock);
  d->fd = fd;
  d->destination = d->rtcp_destination = *destination;
  if (d->rtcp_port > 0)
    psp_address_set_port (&d->rtcp_destination, d->rtcp_port);
  d->past_system_calls = d->system_calls;
  psp_udp_sender_init (&d->udp, fd);
  d->segment = psp_udp_sender_segments (&d->udp);
  d->dead = FALSE;
  d->polled_at = d->read_after = d->mtu_at = now;
  g_atomic_int_set (&d->max_packet, gst_psp_socket_max_packet (destination));
  gst_psp_engine_open (d->engine, destination, now);
  d->running = TRUE;
  d->thread = g_thread_new ("pspsink:pace", run, d);
  g_mutex_unlock (&d->lock);
}

void
gst_psp_driver_set_rtcp_port (GstPspDriver * d, guint16 port)
{
  d->rtcp_port = port;
}

gboolean
gst_psp_driver_is_running (GstPspDriver * d)
{
  gboolean running;

  g_mutex_lock (&d->lock);
  running = d->thread != NULL;
  g_mutex_unlock (&d->lock);
  return running;
}

void
gst_psp_driver_end (GstPspDriver * d)
{
  gboolean bye;

  if (!d->thread)
    return;
  g_mutex_lock (&d->lock);
  d->running = FALSE;
  bye = gst_psp_engine_needs_bye (d->engine);
  gst_psp_engine_close (d->engine);
  wake (d);
  while (d->sending > 0)
    wait_signal (d);
  /* No media can follow it now. The caller may hold a lock, so the running time
   * is not asked for. */
  if (bye)
    send_rtcp (d, wait_monotonic_now (), PSP_TIME_UNKNOWN, TRUE);
  g_mutex_unlock (&d->lock);
}

void
gst_psp_driver_join (GstPspDriver * d)
{
  if (!d->thread)
    return;
  g_thread_join (d->thread);
  g_mutex_lock (&d->lock);
  d->thread = NULL;
  signal_waiters (d);
  g_mutex_unlock (&d->lock);
}

void
gst_psp_driver_socket_changed (GstPspDriver * d)
{
  g_mutex_lock (&d->lock);
  d->socket_changed = TRUE;
  g_mutex_unlock (&d->lock);
}

GstPspEngine *
gst_psp_driver_lock (GstPspDriver * d)
{
  g_mutex_lock (&d->lock);
  return d->engine;
}

void
gst_psp_driver_unlock (GstPspDriver * d)
{
  wake (d);
  signal_waiters (d);
  g_mutex_unlock (&d->lock);
}

gint
gst_psp_driver_max_packet (GstPspDriver * d)
{
  return g_atomic_int_get (&d->max_packet);
}

void
gst_psp_driver_set_playing (GstPspDriver * d, gboolean playing)
{
  g_mutex_lock (&d->lock);
  gst_psp_engine_set_playing (d->engine, playing, wait_monotonic_now ());
  if (playing)
    wake (d);
  while (!playing && d->sending > 0)
    wait_signal (d);
  g_mutex_unlock (&d->lock);
}

void
gst_psp_driver_set_unlocked (GstPspDriver * d, GstPrerollUnlock why,
    gboolean unlocked)
{
  g_mutex_lock (&d->lock);
  if (unlocked)
    d->unlocked |= why;
  else
    d->unlocked &= ~(guint) why;
  signal_waiters (d);
  g_mutex_unlock (&d->lock);
}

guint
gst_psp_driver_push (GstPspDriver * d, const GstPspPacket * packets, guint n)
{
  gint64 now = wait_monotonic_now ();
  gboolean soft_limit;
  guint taken = 0;

  g_mutex_lock (&d->lock);
  if (!gst_psp_engine_is_playing (d->engine) && !d->unlocked) {
    gst_psp_engine_set_playing (d->engine, TRUE, now);
    wake (d);
  }
  while (taken < n && !d->unlocked) {
    if (gst_psp_engine_queue (d->engine, &packets[taken], now) !=
        GST_PSP_QUEUE_FULL) {
      taken++;
      continue;
    }
    send_queued (d, now);
    /* If that sent everything, no thread would signal that there is room. */
    if (!d->unlocked && gst_psp_engine_queued (d->engine) > 0)
      wait_room (d);
    now = wait_monotonic_now ();
  }
  send_queued (d, now);
  if (gst_psp_engine_take_key_frame (d->engine, now))
    gst_notifier_key_frame (d->notifier);
  soft_limit = gst_psp_protection_take_soft_limit (gst_psp_engine_protection
      (d->engine));
  g_mutex_unlock (&d->lock);
  if (soft_limit)
    g_signal_emit_by_name (d->element, "soft-limit");
  return taken;
}

gboolean
gst_psp_driver_drain (GstPspDriver * d)
{
  gboolean drained;

  g_mutex_lock (&d->lock);
  while (!(drained = gst_psp_engine_is_drained (d->engine)) && !d->unlocked)
    wait_queued (d, 0);
  g_mutex_unlock (&d->lock);
  return drained;
}

void
gst_psp_driver_bye (GstPspDriver * d)
{
  gint64 media = media_now (d);

  g_mutex_lock (&d->lock);
  if (gst_psp_engine_needs_bye (d->engine))
    send_rtcp (d, wait_monotonic_now (), media, TRUE);
  g_mutex_unlock (&d->lock);
}

void
gst_psp_driver_stats (GstPspDriver * d, GstPspDriverStats * stats)
{
  gint64 now = wait_monotonic_now ();

  g_mutex_lock (&d->lock);
  gst_psp_engine_stats (d->engine, now, &stats->engine);
  stats->precision = d->precision;
  stats->segment = d->segment;
  stats->system_calls = d->system_calls;
  g_mutex_unlock (&d->lock);
  stats->events = gst_notifier_count (d->notifier);
}
