/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspengine.h"
#include "gstpspsinksocket.h"

#include "core/call.h"

/* As much as can be recorded. Pages that no large datagram needs are never
 * touched. */
#define FEEDBACK_SIZE PSP_CALL_OCTETS

/* Any thread, without the lock. */

GstPspTransmitter *
gst_psp_transmitter_new (GstElement * element, GstPspNotifier * notifier,
    const PspControllerClass * controller, const PspLimits * limits,
    GstPspPacing pacing)
{
  GstPspTransmitter *t = g_new0 (GstPspTransmitter, 1);
  gchar *cname = g_strdup_printf ("%08x%08x%08x", g_random_int (),
      g_random_int (), g_random_int ());        /* RFC 7022 section 4.2 */
  PspSenderConfig config = {
    .controller = controller,
    .limits = *limits,
    .random_seed = g_random_int (),
    .cname = cname
  };
  gint64 now = wait_monotonic_now ();
  gboolean ok;

  ok = gst_psp_core_init (&t->core, element, &config, now);
  g_free (cname);
  if (!ok || wait_waker_open (&t->waker) < 0) {
    gst_psp_core_clear (&t->core);
    g_free (t);
    return NULL;
  }
  t->element = element;
  t->notifier = notifier;
  t->pacing = pacing;
  g_mutex_init (&t->lock);
  g_cond_init (&t->cond);
  t->queue = gst_psp_queue_new ();
  t->batch = g_new0 (GstPspBatch, 1);
  t->datagram_data = g_malloc (PSP_UDP_BATCH * FEEDBACK_SIZE);
  for (guint i = 0; i < PSP_UDP_BATCH; i++) {
    t->datagrams[i].data = t->datagram_data + i * FEEDBACK_SIZE;
    t->datagrams[i].capacity = FEEDBACK_SIZE;
  }
  t->said_bye = TRUE;
  t->fd = -1;
  gst_psp_engine_follow (t, now);
  return t;
}

void
gst_psp_transmitter_free (GstPspTransmitter * t)
{
  gst_psp_queue_free (t->queue);
  gst_psp_batch_clear (t->batch);
  gst_clear_buffer (&t->last.buffer);
  g_free (t->batch);
  g_free (t->datagram_data);
  g_free (t->name);
  gst_psp_core_clear (&t->core);
  wait_waker_close (&t->waker);
  g_mutex_clear (&t->lock);
  g_cond_clear (&t->cond);
  g_free (t);
}

void
gst_psp_transmitter_start (GstPspTransmitter * t, int fd,
    const PspAddress * destination, const gchar * name)
{
  gint64 now = wait_monotonic_now ();

  g_mutex_lock (&t->lock);
  t->fd = fd;
  t->destination = *destination;
  t->multicast = psp_address_is_multicast (destination);
  g_free (t->name);
  t->name = g_strdup (name);
  t->past_system_calls = t->system_calls;
  psp_udp_sender_init (&t->udp, fd);
  t->segment = psp_udp_sender_segments (&t->udp);
  t->dead = t->outage = t->told_of_packet = FALSE;
  t->polled_at = t->read_after = t->mtu_at = now;
  g_atomic_int_set (&t->max_packet, gst_psp_socket_max_packet (destination));
  if (t->started)
    gst_psp_core_reset (&t->core, now);
  gst_psp_engine_follow (t, now);
  t->started = t->running = TRUE;
  g_mutex_unlock (&t->lock);

  t->thread = g_thread_new ("pspsink:pace", gst_psp_engine_run, t);
}

gboolean
gst_psp_transmitter_is_running (GstPspTransmitter * t)
{
  return t->thread != NULL;
}

gint
gst_psp_transmitter_max_packet (GstPspTransmitter * t)
{
  return g_atomic_int_get (&t->max_packet);
}

void
gst_psp_transmitter_stop (GstPspTransmitter * t)
{
  if (!t->thread)
    return;
  g_mutex_lock (&t->lock);
  t->running = FALSE;
  gst_psp_engine_wake (t);
  while (t->sending > 0)
    gst_psp_engine_wait (t);
  g_mutex_unlock (&t->lock);

  g_thread_join (t->thread);
  t->thread = NULL;
  g_mutex_lock (&t->lock);
  gst_psp_batch_clear (t->batch);
  gst_clear_buffer (&t->last.buffer);
  t->batch_left = 0;
  t->blocked = FALSE;
  gst_psp_engine_signal (t);
  g_mutex_unlock (&t->lock);
}

/* With the lock. */
static void
play (GstPspTransmitter * t, gint64 now)
{
  if (!t->playing)
    gst_psp_core_resume (&t->core, now);
  t->playing = TRUE;
  gst_psp_engine_wake (t);
}

void
gst_psp_transmitter_set_playing (GstPspTransmitter * t, gboolean playing)
{
  g_mutex_lock (&t->lock);
  if (playing)
    play (t, wait_monotonic_now ());
  t->playing = playing;
  while (!playing && t->sending > 0)
    gst_psp_engine_wait (t);
  g_mutex_unlock (&t->lock);
}

void
gst_psp_transmitter_set_unlocked (GstPspTransmitter * t, GstPspUnlock why,
    gboolean unlocked)
{
  g_mutex_lock (&t->lock);
  if (unlocked)
    t->unlocked |= why;
  else
    t->unlocked &= ~(guint) why;
  gst_psp_engine_signal (t);
  g_mutex_unlock (&t->lock);
}

guint
gst_psp_transmitter_push (GstPspTransmitter * t, const GstPspPacket * packets,
    guint n)
{
  gint64 now = wait_monotonic_now ();
  guint taken = 0;

  g_mutex_lock (&t->lock);
  if (!t->playing && !t->unlocked)
    play (t, now);
  while (taken < n && !t->unlocked) {
    GstPspQueueLimits limits = {
      .leaky = t->leaky,
      .max_time = t->max_time,
      .bitrate = t->target,
      .now = now
    };

    if (gst_psp_queue_offer (t->queue, &packets[taken], &limits) !=
        GST_PSP_QUEUE_FULL) {
      taken++;
      continue;
    }
    gst_psp_engine_kick (t, now);
    /* Where that sent everything, nobody would tell of room. */
    if (!t->unlocked && gst_psp_queue_packets (t->queue) > 0)
      gst_psp_engine_wait_room (t);
    now = wait_monotonic_now ();
  }
  gst_psp_engine_kick (t, now);
  gst_psp_engine_mourn (t, now);
  g_mutex_unlock (&t->lock);
  return taken;
}

gboolean
gst_psp_transmitter_drain (GstPspTransmitter * t)
{
  gboolean drained;

  g_mutex_lock (&t->lock);
  for (;;) {
    drained = gst_psp_queue_packets (t->queue) == 0 && t->batch_left == 0;
    if (drained || t->unlocked)
      break;
    gst_psp_engine_wait_queued (t, 0);
  }
  g_mutex_unlock (&t->lock);
  return drained;
}

void
gst_psp_transmitter_flush (GstPspTransmitter * t)
{
  g_mutex_lock (&t->lock);
  gst_psp_queue_flush (t->queue);
  gst_psp_engine_signal (t);
  g_mutex_unlock (&t->lock);
}

void
gst_psp_transmitter_bye (GstPspTransmitter * t)
{
  g_mutex_lock (&t->lock);
  if (!t->said_bye && t->running)
    gst_psp_engine_send_rtcp (t, wait_monotonic_now (), TRUE);
  t->said_bye = TRUE;
  g_mutex_unlock (&t->lock);
}

const PspControllerClass *
gst_psp_transmitter_controller (GstPspTransmitter * t)
{
  const PspControllerClass *klass;

  g_mutex_lock (&t->lock);
  klass = gst_psp_core_controller (&t->core);
  g_mutex_unlock (&t->lock);
  return klass;
}

gboolean
gst_psp_transmitter_set_controller (GstPspTransmitter * t,
    const PspControllerClass * klass)
{
  gint64 now;
  gboolean ok;

  g_mutex_lock (&t->lock);
  now = wait_monotonic_now ();
  ok = gst_psp_core_set_controller (&t->core, klass, now);
  gst_psp_engine_follow (t, now);
  gst_psp_engine_wake (t);
  gst_psp_engine_signal (t);
  g_mutex_unlock (&t->lock);
  return ok;
}

void
gst_psp_transmitter_set_limits (GstPspTransmitter * t, const PspLimits * limits)
{
  gint64 now;

  g_mutex_lock (&t->lock);
  now = wait_monotonic_now ();
  gst_psp_core_set_limits (&t->core, limits, now);
  gst_psp_engine_follow (t, now);
  gst_psp_engine_wake (t);
  gst_psp_engine_signal (t);
  g_mutex_unlock (&t->lock);
}

void
gst_psp_transmitter_set_queue_limits (GstPspTransmitter * t, GstPspLeaky leaky,
    GstClockTime max_time)
{
  g_mutex_lock (&t->lock);
  t->leaky = leaky;
  t->max_time = max_time;
  gst_psp_engine_signal (t);
  g_mutex_unlock (&t->lock);
}

void
gst_psp_transmitter_set_clock_rate (GstPspTransmitter * t, guint clock_rate)
{
  g_mutex_lock (&t->lock);
  gst_psp_core_set_clock_rate (&t->core, clock_rate);
  g_mutex_unlock (&t->lock);
}

void
gst_psp_transmitter_reset (GstPspTransmitter * t)
{
  gint64 now;

  g_mutex_lock (&t->lock);
  now = wait_monotonic_now ();
  gst_psp_core_reset (&t->core, now);
  gst_psp_engine_follow (t, now);
  gst_psp_engine_wake (t);
  gst_psp_engine_signal (t);
  g_mutex_unlock (&t->lock);
}

void
gst_psp_transmitter_stats (GstPspTransmitter * t,
    GstPspTransmitterStats * stats)
{
  gint64 now = wait_monotonic_now ();

  g_mutex_lock (&t->lock);
  gst_psp_core_stats (&t->core, now, &stats->sender);
  stats->controller = gst_psp_core_controller (&t->core)->name;
  stats->queue_packets = gst_psp_queue_packets (t->queue) + t->batch_left;
  stats->queue_bytes = gst_psp_queue_payload_bytes (t->queue);
  stats->queue_time = gst_psp_queue_time (t->queue, t->target, now);
  stats->dropped_packets = gst_psp_queue_dropped_packets (t->queue);
  stats->dropped_pictures = gst_psp_queue_dropped_pictures (t->queue);
  stats->send_errors = t->send_errors;
  stats->feedback_foreign = t->feedback_foreign;
  stats->precision = t->precision;
  stats->segment = t->segment;
  stats->system_calls = t->system_calls;
  g_mutex_unlock (&t->lock);
  stats->events = gst_psp_notifier_count (t->notifier);
}
