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

gboolean
gst_itcp_link_stops (GstItcpLink * link)
{
  gboolean stop;

  g_mutex_lock (&link->lock);
  stop = link->stop;
  g_mutex_unlock (&link->lock);
  return stop;
}

void
gst_itcp_link_set_state (GstItcpLink * link, LinkState state)
{
  g_mutex_lock (&link->lock);
  link->state = state;
  g_cond_broadcast (&link->cond);
  g_mutex_unlock (&link->lock);
}

void
gst_itcp_link_complain (GstItcpLink * link, gboolean fatal, gint code,
    gchar * text)
{
  GST_WARNING_OBJECT (link->element, "%s", text);
  gst_notifier_post (link->notifier,
      fatal ? GST_MESSAGE_ERROR : GST_MESSAGE_WARNING, GST_RESOURCE_ERROR,
      code, text, NULL);
}

/* Shows it to the writer; takes the descriptor. */
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

/* No more writes to it. */
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

static void
complain_about_end (GstItcpLink * link, int err)
{
  gboolean fatal = !link->settings.auto_reconnect;
  gboolean timeout = err == -ETIMEDOUT;

  gst_itcp_link_complain (link, fatal, GST_RESOURCE_ERROR_WRITE,
      g_strdup_printf ("The connection to the receiver has ended: %s.%s%s",
          err == -EPIPE ? "it was closed there" : g_strerror (-err),
          timeout ? " See that the receiver runs and reads, or set a longer "
          "timeout." : "", fatal ? " With auto-reconnect=true itcpsink would "
          "connect again." : link->settings.mode == GST_ITCP_MODE_LISTENER ?
          " Listening for the next one." : " Connecting again."));
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
    /* A receiver that only ever hangs up is not called without a pause. */
    if (link->settings.mode == GST_ITCP_MODE_CALLER)
      link->not_before = wait_monotonic_now () +
          (gint64) link->settings.reconnect_interval;
    err = gst_itcp_link_watch (link, c);
    itcp_source_close (&link->source);
    g_mutex_lock (&link->lock);
    if (err == -EPIPE && link->write_error < 0)
      err = link->write_error;
    link->write_error = 0;
    g_mutex_unlock (&link->lock);
    if (err < 0)
      itcp_tcp_shutdown (c->fd);        /* whoever still writes to it */
    withdraw (link);
    connection_unref (c);
    if (err == 0)
      break;
    complain_about_end (link, err);
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
  gst_itcp_settings_copy (&link->settings, settings);
  itcp_symbiosis_init (&link->symbiosis, &settings->symbiosis);
  itcp_meter_init (&link->meter);
  link->media_time = GST_CLOCK_TIME_NONE;
  link->stats.last_delay = link->told_target = -1;
  link->asked_at = ITCP_TIME_UNKNOWN;
  link->thread = g_thread_new ("itcpsink:link", link_run, link);
  return link;
}

void
gst_itcp_link_free (GstItcpLink * link)
{
  g_mutex_lock (&link->lock);
  link->stop = TRUE;
  g_mutex_unlock (&link->lock);
  g_cancellable_cancel (link->cancellable);
  wait_waker_wake (&link->waker);
  g_thread_join (link->thread);

  g_object_unref (link->cancellable);
  wait_waker_close (&link->waker);
  wait_alarm_close (&link->alarm);
  gst_itcp_settings_clear (&link->settings);
  g_mutex_clear (&link->lock);
  g_cond_clear (&link->cond);
  g_free (link);
}

/* With the lock: the connection to write to, or NULL and why not. */
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

/* 0, -EAGAIN, or another negative errno: the connection is broken. */
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

/* With the lock: until the link's thread sees that more can be written, or
 * that the connection has ended. That thread alone polls the socket, for time
 * stamps in the error queue would wake whoever else does again and again until
 * it has read them. */
static void
wait_for_room (GstItcpLink * link, Connection * c, int err)
{
  if (link->connection != c)
    return;
  if (err != -EAGAIN && err != -EPIPE)
    link->write_error = err;    /* who is told of it first has it alone */
  link->wants_room = TRUE;
  wait_waker_wake (&link->waker);
  while (link->wants_room && link->connection == c && !link->unlocked)
    g_cond_wait (&link->cond, &link->lock);
  link->wants_room = FALSE;
}

/* With the lock. */
static void
count_input (GstItcpLink * link, gsize size, GstItcpProgress * p)
{
  if (p->counted)
    return;
  p->counted = TRUE;
  if (GST_CLOCK_TIME_IS_VALID (p->time)) {
    if (!GST_CLOCK_TIME_IS_VALID (link->media_time))
      itcp_meter_init (&link->meter);
    link->media_time = p->time;
  }
  itcp_meter_add (&link->meter, gst_itcp_link_meter_now (link), (gint64) size);
}

gint64
gst_itcp_link_meter_now (GstItcpLink * link)
{
  return GST_CLOCK_TIME_IS_VALID (link->media_time) ?
      (gint64) link->media_time : wait_monotonic_now ();
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
    g_mutex_unlock (&link->lock);
    before = p->connection == c->number ? p->done : 0;
    err = write_some (c, data, size, p);
    g_mutex_lock (&link->lock);
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
gst_itcp_link_set_unlocked (GstItcpLink * link, GstItcpUnlock why,
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
gst_itcp_link_tell_again (GstItcpLink * link)
{
  g_mutex_lock (&link->lock);
  link->tells_again = TRUE;
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
  if (itcp_symbiosis_is_known (&link->symbiosis)) {
    stats->target = link->symbiosis.rate;
    stats->base = itcp_symbiosis_base (&link->symbiosis);
  } else {
    stats->target = stats->base = -1;
  }
  g_mutex_unlock (&link->lock);
}

guint
gst_itcp_link_port (GstItcpLink * link)
{
  guint port;

  g_mutex_lock (&link->lock);
  port = link->port;
  g_mutex_unlock (&link->lock);
  return port;
}

guint
gst_itcp_link_estimate (GstItcpLink * link)
{
  gint64 rate;

  g_mutex_lock (&link->lock);
  rate = link->symbiosis.rate;
  g_mutex_unlock (&link->lock);
  return (guint) MIN (rate, (gint64) G_MAXUINT);
}
