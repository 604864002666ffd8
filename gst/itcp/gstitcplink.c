/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstitcplinkprivate.h"

#include <errno.h>

GST_DEBUG_CATEGORY_EXTERN (gst_itcp_sink_debug);
#define GST_CAT_DEFAULT gst_itcp_sink_debug

/* Warnings of one kind: on average one per second, up to four at once. */
static const ItcpRateLimitParams warnings = { PSP_SECOND, 4 };

static void
connection_clear (gpointer data)
{
  Connection *c = data;

  itcp_tcp_close (c->fd);
}

static void
connection_unref (Connection * c)
{
  g_atomic_rc_box_release_full (c, connection_clear);
}

/* Makes the connection visible to the writer; takes the descriptor. */
static Connection *
publish (GstItcpLink * link, int fd)
{
  Connection *c = g_atomic_rc_box_new0 (Connection);

  c->fd = fd;
  if (link->source.klass->by_segment)
    c->segment = (gint) MAX (link->source.info.mss, ITCP_LEAST_SEGMENT);
  c->acked_before = link->source.info.bytes_acked;
  g_mutex_lock (&link->lock);
  c->number = ++link->stats.connections;
  link->connection = g_atomic_rc_box_acquire (c);
  link->state = STATE_CONNECTED;
  g_cond_broadcast (&link->cond);
  g_mutex_unlock (&link->lock);
  GST_INFO_OBJECT (link->element, "connection %u", c->number);
  return c;
}

/* Withdraws the connection from the writer. */
static void
withdraw (GstItcpLink * link)
{
  Connection *c;

  g_mutex_lock (&link->lock);
  c = g_steal_pointer (&link->connection);
  link->state = STATE_CONNECTING;
  link->stats.rtt = link->stats.unsent = link->stats.unacked = 0;
  g_cond_broadcast (&link->cond);
  g_mutex_unlock (&link->lock);
  if (c)
    connection_unref (c);
}

/* Posts that the connection has ended. Receivers that disconnect at once and
 * come again may be many, so warnings are limited. */
static void
post_end (GstItcpLink * link, int err)
{
  const gchar *remedy = "", *next;

  if (err == -ETIMEDOUT)
    remedy = " See that the receiver runs and reads, or set a longer timeout.";
  if (!link->settings.auto_reconnect)
    next = "With auto-reconnect=true itcpsink would connect again.";
  else if (link->settings.mode == GST_ITCP_MODE_LISTENER)
    next = "Listening for the next one.";
  else
    next = "Connecting again.";
  gst_itcp_link_post (link, !link->settings.auto_reconnect,
      GST_RESOURCE_ERROR_WRITE, &link->end_warnings,
      g_strdup_printf ("The connection to the receiver has ended: %s.%s %s",
          err == -EPIPE ? "it was closed there" : g_strerror (-err), remedy,
          next));
}

/* Returns why the connection has ended. The kernel reports its error once, to
 * the thread that asks first: a write that is under way may have it, and the
 * watching thread then sees no more than an end. */
static int
reason_of_end (GstItcpLink * link, const Connection * c, int err)
{
  itcp_tcp_shutdown (c->fd);    /* also ends that write */
  g_mutex_lock (&link->lock);
  link->ending = TRUE;
  while (link->writing)
    g_cond_wait (&link->cond, &link->lock);
  link->ending = FALSE;
  if (err == -EPIPE && link->write_error < 0)
    err = link->write_error;
  link->write_error = 0;
  g_mutex_unlock (&link->lock);
  return err;
}

static gpointer
link_run (gpointer data)
{
  GstItcpLink *link = data;
  int fd, err;

  while ((fd = gst_itcp_link_establish (link)) >= 0) {
    Connection *c;

    gst_itcp_link_open_source (link, fd);
    c = publish (link, fd);
    /* A receiver that always disconnects at once is not called without a
     * pause. */
    if (link->settings.mode == GST_ITCP_MODE_CALLER)
      link->not_before = wait_monotonic_now () +
          (gint64) link->settings.reconnect_interval;
    err = gst_itcp_link_watch (link, c);
    itcp_source_close (&link->source);
    if (err < 0)
      err = reason_of_end (link, c, err);
    withdraw (link);
    connection_unref (c);
    if (err == 0)
      break;
    post_end (link, err);
    if (!link->settings.auto_reconnect)
      break;
  }
  gst_itcp_link_set_state (link, STATE_FAILED);
  return NULL;
}

GstItcpLink *
gst_itcp_link_new (GstElement * element, GstNotifier * notifier,
    const GstItcpSettings * settings, GParamSpec * port_pspec,
    GParamSpec * estimate_pspec)
{
  GstItcpLink *link = g_new0 (GstItcpLink, 1);

  if (wait_waker_open (&link->waker) < 0 || wait_alarm_open (&link->alarm) < 0) {
    if (link->waker.fd >= 0)
      wait_waker_close (&link->waker);
    g_free (link);
    return NULL;
  }
  link->element = element;
  link->notifier = notifier;
  link->port_pspec = port_pspec;
  link->estimate_pspec = estimate_pspec;
  link->cancellable = g_cancellable_new ();
  g_mutex_init (&link->lock);
  g_cond_init (&link->cond);
  link->settings = *settings;
  gst_settings_dup (gst_itcp_fields, &link->settings);
  itcp_adaptation_init (&link->adaptation, &settings->symbiosis);
  itcp_rate_limit_init (&link->end_warnings, &warnings);
  itcp_rate_limit_init (&link->attempt_warnings, &warnings);
  itcp_meter_init (&link->meter);
  itcp_media_clock_init (&link->media_clock);
  link->stats.last_delay = -1;
  link->asked_at = PSP_TIME_UNKNOWN;
  link->thread = g_thread_new ("itcpsink:link", link_run, link);
  return link;
}

void
gst_itcp_link_free (GstItcpLink * link)
{
  g_atomic_int_set (&link->stop, TRUE);
  g_cancellable_cancel (link->cancellable);
  wait_waker_wake (&link->waker);
  g_thread_join (link->thread);

  g_object_unref (link->cancellable);
  wait_waker_close (&link->waker);
  wait_alarm_close (&link->alarm);
  gst_settings_clear (gst_itcp_fields, &link->settings);
  g_mutex_clear (&link->lock);
  g_cond_clear (&link->cond);
  g_free (link);
}

/* Returns the connection to write to, or NULL and the reason. The caller holds
 * the lock. */
static Connection *
wait_for_connection (GstItcpLink * link, gboolean wait, GstItcpWrite * why)
{
  while (wait && !link->unlocked && !link->connection
      && link->state != STATE_FAILED && link->settings.wait_for_connection)
    g_cond_wait (&link->cond, &link->lock);
  if (link->unlocked)
    *why = GST_ITCP_WRITE_INTERRUPTED;
  else if (link->connection)
    return g_atomic_rc_box_acquire (link->connection);
  else if (link->state == STATE_FAILED)
    *why = GST_ITCP_WRITE_FAILED;
  else
    *why = GST_ITCP_WRITE_DROPPED;
  return NULL;
}

/* Returns 0, -EAGAIN, or another negative errno if the connection is broken. */
static int
write_some (Connection * c, const guint8 * data, gsize size,
    GstItcpProgress * p)
{
  gssize n;

  if (p->connection != c->number) {
    p->connection = c->number;
    p->done = 0;
  }
  n = itcp_tcp_write (c->fd, data + p->done, size - p->done,
      (unsigned) g_atomic_int_get (&c->segment));
  if (n > 0)
    p->done += (gsize) n;
  return n < 0 ? (int) n : 0;
}

/* Waits until the link's thread sees room for more, or the end of the
 * connection. The caller holds the lock. Only that thread polls the socket,
 * because time stamps in the error queue would wake another poller again and
 * again until it has read them. */
static void
wait_for_room (GstItcpLink * link, Connection * c, int err)
{
  if (link->connection != c)
    return;
  if (err != -EAGAIN && err != -EPIPE)
    /* only the first caller to see the error gets it */
    link->write_error = err;
  g_atomic_int_set (&link->wants_room, TRUE);
  wait_waker_wake (&link->waker);
  while (g_atomic_int_get (&link->wants_room) && link->connection == c
      && !link->unlocked)
    g_cond_wait (&link->cond, &link->lock);
  g_atomic_int_set (&link->wants_room, FALSE);
}

/* Counts the input; the caller holds the lock. */
static void
count_input (GstItcpLink * link, gsize size, GstItcpProgress * p)
{
  gint64 stamp;

  if (p->counted)
    return;
  p->counted = TRUE;
  stamp = GST_CLOCK_TIME_IS_VALID (p->time) ? (gint64) p->time :
      PSP_TIME_UNKNOWN;
  if (stamp != PSP_TIME_UNKNOWN && link->media_clock.time == PSP_TIME_UNKNOWN)
    itcp_meter_init (&link->meter);
  itcp_media_clock_buffer (&link->media_clock, stamp, wait_monotonic_now ());
  itcp_meter_add (&link->meter, gst_itcp_link_meter_now (link), (gint64) size);
}

GstItcpWrite
gst_itcp_link_write (GstItcpLink * link, const guint8 * data, gsize size,
    GstItcpProgress * p)
{
  GstItcpWrite result = GST_ITCP_WRITE_DONE;

  g_mutex_lock (&link->lock);
  count_input (link, size, p);
  do {
    Connection *c = wait_for_connection (link, !p->is_rest, &result);
    gsize before;
    int err;

    if (!c)
      break;
    if (p->is_rest && p->connection != c->number) {
      result = GST_ITCP_WRITE_DROPPED;
      connection_unref (c);
      break;
    }
    before = p->connection == c->number ? p->done : 0;
    link->writing = TRUE;
    g_mutex_unlock (&link->lock);
    err = write_some (c, data, size, p);
    g_mutex_lock (&link->lock);
    link->writing = FALSE;
    if (link->ending)
      g_cond_broadcast (&link->cond);
    link->written += p->done - before;
    if (err < 0)
      wait_for_room (link, c, err);
    connection_unref (c);
  } while (p->done < size);
  if (p->done == size)
    link->stats.bytes_sent += size;
  if (result == GST_ITCP_WRITE_DROPPED && !p->is_rest)
    link->stats.dropped++;
  g_mutex_unlock (&link->lock);
  return p->done == size ? GST_ITCP_WRITE_DONE : result;
}

GstItcpWrite
gst_itcp_link_drain (GstItcpLink * link)
{
  GstItcpWrite result = GST_ITCP_WRITE_DONE;
  Connection *c;

  g_mutex_lock (&link->lock);
  c = link->connection;
  link->drains = TRUE;
  while (c && link->connection == c && !link->unlocked
      && itcp_tcp_unacked (c->fd) > 0)
    g_cond_wait (&link->cond, &link->lock);
  link->drains = FALSE;
  if (link->unlocked)
    result = GST_ITCP_WRITE_INTERRUPTED;
  g_mutex_unlock (&link->lock);
  return result;
}

void
gst_itcp_link_set_unlocked (GstItcpLink * link, GstPrerollUnlock why,
    gboolean unlocked)
{
  g_mutex_lock (&link->lock);
  if (unlocked)
    link->unlocked |= why;
  else
    link->unlocked &= ~(guint) why;
  g_cond_broadcast (&link->cond);
  g_mutex_unlock (&link->lock);
}

void
gst_itcp_link_set_settings (GstItcpLink * link,
    const GstItcpSettings * settings)
{
  g_mutex_lock (&link->lock);
  link->settings.events = settings->events;
  link->settings.symbiosis = settings->symbiosis;
  link->settings.max_queue_time = settings->max_queue_time;
  link->settings_changed = TRUE;
  g_mutex_unlock (&link->lock);
  wait_waker_wake (&link->waker);
}

void
gst_itcp_link_flushed (GstItcpLink * link)
{
  g_mutex_lock (&link->lock);
  itcp_meter_restart (&link->meter);
  g_mutex_unlock (&link->lock);
}

void
gst_itcp_link_repeat_target (GstItcpLink * link)
{
  g_mutex_lock (&link->lock);
  link->repeats_target = TRUE;
  g_mutex_unlock (&link->lock);
  wait_waker_wake (&link->waker);
}

void
gst_itcp_link_stats (GstItcpLink * link, GstItcpLinkStats * stats)
{
  static const gchar *const names[] = {
    [STATE_CONNECTING] = "connecting",
    [STATE_LISTENING] = "listening",
    [STATE_CONNECTED] = "connected",
    [STATE_FAILED] = "failed"
  };

  g_mutex_lock (&link->lock);
  *stats = link->stats;
  stats->state = names[link->state];
  stats->port = link->port;
  stats->estimate = gst_itcp_link_estimate (link);
  if (itcp_symbiosis_is_known (&link->adaptation.symbiosis)) {
    stats->target = link->adaptation.symbiosis.rate;
    stats->base = itcp_symbiosis_base (&link->adaptation.symbiosis);
  } else {
    stats->target = stats->base = -1;
  }
  g_mutex_unlock (&link->lock);
}
