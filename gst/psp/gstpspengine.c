/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspengine.h"
#include "gstpspsinksocket.h"

#include <errno.h>
#include <gst/video/video.h>

GST_DEBUG_CATEGORY_EXTERN (gst_psp_sink_debug);
#define GST_CAT_DEFAULT gst_psp_sink_debug

#define RTCP_SIZE 1200          /* fits every path's MTU */
#define POLL_INTERVAL PSP_MSECOND       /* at least so often while busy, and at
                                           most so often when flooded */
#define MIN_SLEEP (50 * PSP_USECOND)    /* between two timers */
#define ACTIVE_SLEEP (100 * PSP_MSECOND)
#define OUTAGE_END PSP_SECOND   /* what leaves so long after the last error: the
                                   next one warns again */
#define KEY_FRAME_INTERVAL PSP_SECOND
#define MTU_INTERVAL PSP_SECOND

/* All below down to the thread: with the lock. */

void
gst_psp_engine_signal (GstPspTransmitter * t)
{
  if (t->waiters > 0)
    g_cond_broadcast (&t->cond);
}

void
gst_psp_engine_wait (GstPspTransmitter * t)
{
  t->waiters++;
  g_cond_wait (&t->cond, &t->lock);
  t->waiters--;
}

void
gst_psp_engine_wait_queued (GstPspTransmitter * t, guint packets)
{
  t->queued_at = packets;
  t->queued = TRUE;
  gst_psp_engine_wait (t);
  t->queued = FALSE;
}

void
gst_psp_engine_wait_room (GstPspTransmitter * t)
{
  guint n = gst_psp_queue_packets (t->queue);

  gst_psp_engine_wait_queued (t, n - MIN (n, MAX (n / 8, 1)));
}

void
gst_psp_engine_wake (GstPspTransmitter * t)
{
  if (!t->waiting)
    return;
  t->waiting = t->idle = FALSE;
  wait_waker_wake (&t->waker);
}

/* What controller, timers or feedback decided goes to the pipeline. */
static void
tell_news (GstPspTransmitter * t, gint64 now)
{
  GstPspNews news;

  while (gst_psp_core_take_notice (&t->core, now, &news.notice)) {
    t->target = news.notice.target_bitrate;
    news.queue_time = gst_psp_queue_time (t->queue, t->target, now);
    news.controller = gst_psp_core_controller (&t->core)->name;
    GST_DEBUG_OBJECT (t->element, "%s: reason %d, target %" G_GINT64_FORMAT
        " bit/s, spacing %" G_GINT64_FORMAT " ns", news.controller,
        news.notice.reason, news.notice.target_bitrate, news.notice.spacing);
    gst_psp_notifier_tell (t->notifier, &news);
  }
}

static void
warn_of_silence (GstPspTransmitter * t, gint64 now)
{
  PspSenderStats stats;
  gchar *text;

  gst_psp_core_stats (&t->core, now, &stats);
  if (stats.feedback_received == 0)
    text = g_strdup_printf ("No feedback has come from %s: probably no "
        "RFC 8888 receiver such as pspsrc runs there, or a firewall drops its "
        "answers. Media stops; start the receiver, or choose controller=fixed "
        "to send without feedback.", t->name);
  else
    text = g_strdup_printf ("Feedback from %s has ceased: the receiver ended "
        "or the path is broken. Media stops until feedback returns.", t->name);
  gst_psp_notifier_warn (t->notifier, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_READ, text,
      g_strdup_printf ("sent %" G_GUINT64_FORMAT " packets, received %"
          G_GUINT64_FORMAT " reports (%" G_GUINT64_FORMAT " malformed, %"
          G_GUINT64_FORMAT " for unknown SSRCs, %" G_GUINT64_FORMAT
          " from other addresses)", stats.packets_sent,
          stats.feedback_received, stats.feedback_malformed,
          stats.feedback_unknown_ssrc, t->feedback_foreign));
}

void
gst_psp_engine_follow (GstPspTransmitter * t, gint64 now)
{
  gboolean stopped = gst_psp_core_is_stopped (&t->core);
  PspNotice notice;

  gst_psp_core_notice (&t->core, &notice);
  t->target = notice.target_bitrate;
  if (stopped == t->stopped)
    return;
  t->stopped = stopped;
  if (stopped)
    warn_of_silence (t, now);
  else
    GST_INFO_OBJECT (t->element, "media goes on");
}

/* What a packet itself is refused for says nothing of the network, and comes
 * again as often as such packets do: it is told once. */
static void
note_error (GstPspTransmitter * t, int error, guint n, gint64 now)
{
  gboolean of_packet = error == EMSGSIZE || error == ENOMEM;
  gboolean told = of_packet ? t->told_of_packet : t->outage;
  gchar *text;

  t->send_errors += n;
  t->last_error_at = now;
  if (of_packet)
    t->told_of_packet = TRUE;
  else
    t->outage = TRUE;
  if (told)
    return;
  if (error == EMSGSIZE)
    text = g_strdup_printf ("A packet is too large to be sent to %s; set the "
        "payloader's mtu property to what the path carries.", t->name);
  else if (error == ENOMEM)
    text = g_strdup ("A packet's memory cannot be read by the CPU; download "
        "it to system memory before pspsink.");
  else
    text = g_strdup_printf ("Cannot send to %s: %s. Packets are lost until "
        "the network is back; check the route, the interface and the "
        "firewall.", t->name, g_strerror (error));
  gst_psp_notifier_warn (t->notifier, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_WRITE, text, g_strdup_printf ("errno %d", error));
}

static gint64
media_time (GstClockTime running_time)
{
  return GST_CLOCK_TIME_IS_VALID (running_time) ? (gint64) running_time :
      PSP_TIME_UNKNOWN;
}

/* Takes the buffer: from here on it is sent. */
static void
add_to_batch (GstPspTransmitter * t, const GstPspPacket * packet, gint64 now)
{
  gst_psp_core_sent (&t->core, &packet->header,
      media_time (packet->running_time), now,
      gst_psp_queue_packets (t->queue) > 0);
  gst_psp_batch_add (t->batch, packet->buffer);
  t->batch_left++;
}

/* Moves the n oldest packets to the batch. */
static void
fill_batch (GstPspTransmitter * t, guint n, gint64 now)
{
  GstPspPacket packet;

  packet.buffer = NULL;
  while (n-- > 0 && gst_psp_queue_pop (t->queue, &packet))
    add_to_batch (t, &packet, now);
  if (packet.buffer) {
    gst_buffer_ref (packet.buffer);
    gst_clear_buffer (&t->last.buffer);
    t->last = packet;
  }
  t->said_bye = FALSE;
  t->active = TRUE;
}

/* Packets from there on before one that could not be mapped. */
static guint
mapped_run (const GstPspBatch * b)
{
  guint n = b->sent;

  while (n < b->n && b->packets[n].size > 0)
    n++;
  return n - b->sent;
}

/* Drops the lock meanwhile. What the socket has no room for stays in the
 * batch, and blocked is set; what meets another error is lost. */
static void
send_batch (GstPspTransmitter * t, gint64 now)
{
  GstPspBatch *b = t->batch;
  guint before = t->batch_left, errors = 0, run, sent;
  int error, last_error = 0;

  t->batch_busy = TRUE;
  t->sending++;
  g_mutex_unlock (&t->lock);

  gst_psp_batch_map (b);
  while (!gst_psp_batch_is_done (b)) {
    run = mapped_run (b);
    error = ENOMEM;
    if (run > 0) {
      sent = psp_udp_send (&t->udp, &t->destination, b->packets + b->sent, run,
          &error);
      b->sent += sent;
      if (sent == run)
        continue;
      if (error == EAGAIN)
        break;
    }
    last_error = error;
    errors++;
    b->sent++;
  }
  if (gst_psp_batch_is_done (b))
    gst_psp_batch_clear (b);

  g_mutex_lock (&t->lock);
  t->batch_left = b->n - b->sent;
  t->blocked = t->batch_left > 0;
  t->batch_busy = FALSE;
  t->sending--;
  t->system_calls = t->past_system_calls + t->udp.system_calls;
  t->segment = psp_udp_sender_segments (&t->udp);
  if (errors > 0)
    note_error (t, last_error, errors, now);
  else if (t->batch_left < before && now - t->last_error_at >= OUTAGE_END)
    t->outage = FALSE;
  if (!t->queued || t->waiters > 1 ||
      gst_psp_queue_packets (t->queue) <= t->queued_at)
    gst_psp_engine_signal (t);
}

void
gst_psp_engine_send_rtcp (GstPspTransmitter * t, gint64 now, gboolean bye)
{
  guint8 data[RTCP_SIZE];
  PspUdpPacket packet = { 0 };
  PspUdpSender udp;
  gint64 media_now =
      media_time (gst_element_get_current_running_time (t->element));
  int error;

  psp_udp_sender_init (&udp, t->fd);
  packet.iov[0].iov_base = data;
  packet.n_iov = 1;
  while ((packet.size = gst_psp_core_pack_rtcp (&t->core, now,
              psp_rtcp_ntp (wait_wall_now ()), media_now, bye, data,
              sizeof data)) > 0) {
    packet.iov[0].iov_len = packet.size;
    t->sending++;
    g_mutex_unlock (&t->lock);
    psp_udp_send (&udp, &t->destination, &packet, 1, &error);
    g_mutex_lock (&t->lock);
    t->sending--;
    gst_psp_engine_signal (t);
    if (!bye && !t->playing)
      break;
  }
}

static gboolean
may_send (const GstPspTransmitter * t)
{
  return t->running && t->playing && !t->batch_busy && !t->blocked;
}

/* Where upstream obeys the target 0 of a stopped link, nothing comes that could
 * find out when the receiver is back: the last packet goes once more. */
static gboolean
send_probe (GstPspTransmitter * t, gint64 now, gint64 * slot)
{
  if (!t->stopped || !t->last.buffer || t->said_bye
      || gst_psp_core_allowance (&t->core, now, 1, slot) == 0)
    return FALSE;
  gst_buffer_ref (t->last.buffer);
  add_to_batch (t, &t->last, now);
  send_batch (t, now);
  return TRUE;
}

/* Sends what may leave now. FALSE where nothing may; *slot is then when
 * something will. */
static gboolean
send_due (GstPspTransmitter * t, gint64 now, gint64 * slot)
{
  guint n;

  *slot = PSP_TIME_NEVER;
  if (!may_send (t))
    return FALSE;
  if (t->batch_left > 0) {
    send_batch (t, now);
    return TRUE;
  }

  n = MIN (gst_psp_queue_packets (t->queue), GST_PSP_BATCH_SIZE);
  if (n == 0)
    return send_probe (t, now, slot);
  if (!gst_psp_core_media_allowed (&t->core, now)) {
    gst_psp_queue_drop_all (t->queue);
    gst_psp_engine_signal (t);
    return FALSE;
  }
  n = gst_psp_core_allowance (&t->core, now, t->stopped ? 1 : n, slot);
  if (n == 0)
    return FALSE;
  fill_batch (t, MIN (n, GST_PSP_BATCH_SIZE), now);
  send_batch (t, now);
  return TRUE;
}

/* The pacing thread sends what was queued while it was awake. Unpaced, the
 * streaming thread does not run ahead of it: it would keep the queue full and
 * the other awake, and two threads at one socket cost more than one. */
static void
wait_batch (GstPspTransmitter * t)
{
  while (t->batch_busy && !t->blocked && !t->unlocked &&
      gst_psp_core_controller (&t->core) == &psp_cc_none)
    gst_psp_engine_wait (t);
}

void
gst_psp_engine_kick (GstPspTransmitter * t, gint64 now)
{
  guint n = gst_psp_queue_packets (t->queue);
  gint64 slot;

  if (n == 0)
    return;
  if (!t->idle) {
    wait_batch (t);
    return;
  }
  if (may_send (t) && t->batch_left == 0 &&
      gst_psp_core_media_allowed (&t->core, now) && !t->stopped &&
      gst_psp_core_allowance (&t->core, now, n, &slot) >= n) {
    while (send_due (t, now, &slot) && gst_psp_queue_packets (t->queue) > 0)
      now = wait_monotonic_now ();
    tell_news (t, now);
    if (gst_psp_queue_packets (t->queue) == 0 && t->batch_left == 0 &&
        gst_psp_core_next_tick (&t->core, now) >= t->wait_until)
      return;
  }
  gst_psp_engine_wake (t);
}

void
gst_psp_engine_mourn (GstPspTransmitter * t, gint64 now)
{
  guint64 dropped = gst_psp_queue_dropped_pictures (t->queue);

  if (dropped == t->mourned || t->stopped ||
      (t->mourned > 0 && now - t->asked_at < KEY_FRAME_INTERVAL))
    return;
  GST_DEBUG_OBJECT (t->element, "asking for a key frame: %" G_GUINT64_FORMAT
      " pictures dropped", dropped - t->mourned);
  t->mourned = dropped;
  t->asked_at = now;
  gst_psp_notifier_push (t->notifier,
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE,
          0));
}

static void
handle_feedback (GstPspTransmitter * t, int n, gint64 now)
{
  for (int i = 0; i < n; i++) {
    const PspUdpDatagram *d = &t->datagrams[i];
    bool bye = false;

    if (t->multicast || !psp_address_same_host (&d->from, &t->destination)) {
      t->feedback_foreign++;
      continue;
    }
    /* Of one that is cut nothing is used: it counts as malformed. */
    gst_psp_core_rtcp (&t->core, d->data, d->size > d->capacity ? 0 : d->size,
        now, &bye);
    if (bye)
      GST_INFO_OBJECT (t->element, "the receiver said good-bye");
  }
  gst_psp_engine_follow (t, now);
}

/* Timers that are due; returns when the next is. While paused none runs, for
 * what would be sent may not be. */
static gint64
run_timers (GstPspTransmitter * t, gint64 now)
{
  gint64 next;

  tell_news (t, now);
  if (!t->playing)
    return PSP_TIME_NEVER;
  if (gst_psp_core_next_tick (&t->core, now) <= now) {
    gst_psp_core_tick (&t->core, now);
    gst_psp_engine_follow (t, now);
    gst_psp_engine_send_rtcp (t, now, FALSE);
    tell_news (t, now);
  }
  next = gst_psp_core_next_tick (&t->core, now);
  return MAX (next, now + MIN_SLEEP);
}

/* Until the slot, or sooner where something comes; spins before the slot. */
static int
wait_slot (GstPspTransmitter * t, int fd, gboolean blocked, gint64 slot)
{
  gint64 now = wait_monotonic_now ();
  gint64 until = slot - psp_spin_margin (&t->spin, slot - now);
  int result;

  if (t->try_wakeful && t->wakeful < 0 && slot - now < ACTIVE_SLEEP) {
    t->wakeful = psp_idle_forbid ();
    t->try_wakeful = t->wakeful >= 0;
  }
  result = psp_wait (fd, blocked, &t->waker, until);
  if (result != PSP_WAIT_TIMEOUT)
    return result;
  if (now < until)
    psp_spin_learn (&t->spin, wait_monotonic_now () - until);
  psp_spin_until (slot);
  return result;
}

/* The path is another one, of which nothing is known. */
static void
follow_route (GstPspTransmitter * t, gint64 now)
{
  if (!gst_psp_core_controller (&t->core)->needs_feedback)
    return;
  GST_INFO_OBJECT (t->element, "%s is reached through another interface: the "
      "controller starts anew", t->name);
  gst_psp_core_reset (&t->core, now);
  gst_psp_engine_follow (t, now);
  gst_psp_engine_signal (t);
}

/* Without the lock. The kernel learns of the path's MTU by ICMP, and tells
 * nobody: it has to be asked, now and then. TRUE where it is another. */
static gboolean
look_at_mtu (GstPspTransmitter * t, gint64 now)
{
  gint max_packet, before = g_atomic_int_get (&t->max_packet);

  if (now < t->mtu_at)
    return FALSE;
  t->mtu_at = now + MTU_INTERVAL;
  max_packet = gst_psp_socket_max_packet (&t->destination);
  g_atomic_int_set (&t->max_packet, max_packet);
  return max_packet != before;
}

static void
let_cpus_idle (GstPspTransmitter * t)
{
  psp_idle_allow (t->wakeful);
  t->wakeful = -1;
}

/* Sleeps with the lock dropped, until a time, feedback or a wake; handles
 * feedback. */
static void
wait_for (GstPspTransmitter * t, gint64 now, gint64 timer, gint64 slot)
{
  gint64 until = MIN (timer, slot);
  gboolean spin = t->precision == PSP_PRECISION_REALTIME && slot < timer;
  gboolean rest = !t->active && slot - now > ACTIVE_SLEEP;
  gboolean blocked = t->blocked, moved, resized;
  int fd = t->fd, result, n = 0;

  if (t->dead || (now < t->read_after && !blocked)) {
    fd = -1;
    if (!t->dead)
      until = MIN (until, t->read_after);
  }
  /* While the streaming thread sends, timers come and go with each packet: to
   * look now and then is cheaper than to be woken for each. */
  if (t->active)
    until = MIN (until, now + ACTIVE_SLEEP);
  t->active = FALSE;
  t->waiting = TRUE;
  t->idle = gst_psp_queue_packets (t->queue) == 0;
  t->wait_until = until;
  g_mutex_unlock (&t->lock);

  if (rest)
    let_cpus_idle (t);
  result = spin && until == slot ? wait_slot (t, fd, blocked, slot) :
      psp_wait (fd, blocked, &t->waker, until);
  if (result > 0 && result & PSP_WAIT_WOKEN)
    wait_waker_clear (&t->waker);
  if (result > 0 && result & PSP_WAIT_READABLE)
    n = psp_udp_receive (fd, t->datagrams, PSP_UDP_BATCH);
  now = wait_monotonic_now ();
  moved = gst_psp_route_watch_look (&t->route, &t->destination, now);
  resized = look_at_mtu (t, now);

  g_mutex_lock (&t->lock);
  t->waiting = t->idle = FALSE;
  if (moved)
    follow_route (t, now);
  if (resized && !t->batch_busy)
    psp_udp_sender_retry (&t->udp);
  if (fd >= 0)
    t->polled_at = now;
  if (n == PSP_UDP_BATCH)
    t->read_after = now + POLL_INTERVAL;
  if (result > 0 && result & PSP_WAIT_WRITABLE)
    t->blocked = FALSE;
  if (result < 0 && !t->dead) {
    t->dead = TRUE;
    t->blocked = FALSE;
    note_error (t, -result, 0, now);
  }
  if (n > 0)
    handle_feedback (t, n, now);
}

static void
set_precision (GstPspTransmitter * t, PspPrecision precision)
{
  t->precision = precision;
  gst_psp_core_set_pairs (&t->core, precision != PSP_PRECISION_REALTIME);
  if (t->pacing == GST_PSP_PACING_REALTIME &&
      precision != PSP_PRECISION_REALTIME)
    gst_psp_notifier_warn (t->notifier, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SETTINGS, g_strdup ("The system does not grant "
            "real-time scheduling, so packets leave less evenly; give the "
            "process CAP_SYS_NICE or an rtprio limit, or choose "
            "pacing=auto."), NULL);
}

gpointer
gst_psp_engine_run (gpointer data)
{
  GstPspTransmitter *t = data;
  PspPrecision precision =
      psp_precision_request (t->pacing != GST_PSP_PACING_SLEEP);

  psp_spin_init (&t->spin);
  t->wakeful = -1;
  t->try_wakeful = t->pacing == GST_PSP_PACING_REALTIME;
  if (gst_psp_route_watch_start (&t->route, &t->destination,
          wait_monotonic_now ()) < 0)
    GST_INFO_OBJECT (t->element, "changes of the route go unnoticed");
  g_mutex_lock (&t->lock);
  set_precision (t, precision);
  while (t->running) {
    gint64 now = wait_monotonic_now ();
    gint64 timer = run_timers (t, now);
    gint64 slot;

    if (send_due (t, now, &slot)) {
      if (now - t->polled_at < POLL_INTERVAL && !t->blocked)
        continue;
      if (!t->blocked)
        slot = now;             /* only a look at the socket */
    }
    if (t->running)
      wait_for (t, now, timer, slot);
  }
  g_mutex_unlock (&t->lock);
  gst_psp_route_watch_stop (&t->route);
  let_cpus_idle (t);
  return NULL;
}
