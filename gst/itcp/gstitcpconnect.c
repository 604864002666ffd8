/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The part of the link's thread that makes a connection.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstitcplinkprivate.h"

#include <errno.h>

GST_DEBUG_CATEGORY_EXTERN (gst_itcp_sink_debug);
#define GST_CAT_DEFAULT gst_itcp_sink_debug

/* ns. An address that does not answer must not delay the next one for
 * longer. */
#define CONNECT_TIME (10 * PSP_SECOND)

static void
add_address (GArray * addresses, GSocketAddress * from)
{
  gssize size = g_socket_address_get_native_size (from);
  ItcpAddress a = { 0 };

  if (size > 0 && (gsize) size <= sizeof a.storage &&
      g_socket_address_to_native (from, &a.storage, sizeof a.storage, NULL)) {
    a.size = (socklen_t) size;
    g_array_append_val (addresses, a);
  }
}

/* Returns at least one address of the host, or NULL and an error. "[::1]" means
 * "::1". */
static GArray *
resolve (GstItcpLink * link, GError ** error)
{
  GArray *addresses = g_array_new (FALSE, FALSE, sizeof (ItcpAddress));
  GResolver *resolver = g_resolver_get_default ();
  guint port = link->port ? link->port : link->settings.port;
  gchar *host = g_strdup (link->settings.host);
  gsize length = strlen (host);
  GSocketAddress *address;
  GList *list;

  if (length > 2 && host[0] == '[' && host[length - 1] == ']') {
    host[length - 1] = '\0';
    memmove (host, host + 1, length - 1);
  }
  address = g_inet_socket_address_new_from_string (host, port);
  if (address) {
    add_address (addresses, address);
    g_object_unref (address);
  } else {
    list = g_resolver_lookup_by_name (resolver, host, link->cancellable, error);
    for (GList * l = list; l; l = l->next) {
      address = g_inet_socket_address_new (l->data, (guint16) port);
      add_address (addresses, address);
      g_object_unref (address);
    }
    g_resolver_free_addresses (list);
  }
  g_object_unref (resolver);
  g_free (host);
  if (addresses->len == 0)
    g_clear_pointer (&addresses, g_array_unref);
  return addresses;
}

static void
get_config (GstItcpLink * link, ItcpTcpConfig * config)
{
  config->congestion = link->settings.congestion;
  config->user_timeout_ms = (unsigned) (link->settings.timeout / GST_MSECOND);
  if (link->settings.timeout > 0 && config->user_timeout_ms == 0)
    config->user_timeout_ms = 1;
}

/* Waits for the events, or until the time is over (-ETIMEDOUT) or the link
 * stops (-ECANCELED). */
static int
wait_for (GstItcpLink * link, int fd, int events, gint64 until)
{
  /* This check comes first, because the waker may have been cleared for another
   * reason. */
  while (!gst_itcp_link_stops (link)) {
    int got = itcp_wait (fd, events, &link->waker, until);

    if (got > 0 && got & ITCP_WAIT_WOKEN)
      wait_waker_clear (&link->waker);
    if (got < 0 || got & ~ITCP_WAIT_WOKEN)
      return MIN (got, 0);
    if (until != INT64_MAX && wait_monotonic_now () >= until)
      return -ETIMEDOUT;
  }
  return -ECANCELED;
}

static int
call_address (GstItcpLink * link, const ItcpAddress * address)
{
  gint64 until = wait_monotonic_now () + CONNECT_TIME;
  ItcpTcpConfig config;
  int fd, err;

  if (link->settings.timeout > 0)
    until = wait_monotonic_now () +
        MIN (CONNECT_TIME, (gint64) link->settings.timeout);
  get_config (link, &config);
  err = itcp_tcp_connect ((const struct sockaddr *) &address->storage,
      address->size, &config, &fd);
  if (err < 0)
    return err;
  err = wait_for (link, fd, ITCP_WAIT_WRITABLE, until);
  if (err == 0)
    err = itcp_tcp_take_error (fd);
  if (err == 0 && itcp_tcp_is_own_peer (fd))
    err = -ECONNREFUSED;        /* only we ourselves listened */
  if (err == 0)
    return fd;
  itcp_tcp_close (fd);
  return err;
}

static int
call (GstItcpLink * link, GArray * addresses)
{
  int result = -EHOSTUNREACH;

  for (guint i = 0; i < addresses->len; i++) {
    result = call_address (link, &g_array_index (addresses, ItcpAddress, i));
    if (result >= 0 || result == -ECANCELED)
      break;
  }
  return result;
}

static int
accept_one (GstItcpLink * link, const ItcpListeners * listeners)
{
  ItcpTcpConfig config;
  int fd, err;

  get_config (link, &config);
  do {
    err = wait_for (link, listeners->wait_fd, ITCP_WAIT_READABLE, INT64_MAX);
    if (err == 0)
      err = itcp_listeners_accept (listeners, &config, &fd);
  } while (err == -EAGAIN);
  return err < 0 ? err : fd;
}

/* Listens at every address of the host, because a receiver may try only one. */
static int
listen_and_accept (GstItcpLink * link, GArray * addresses)
{
  ItcpListeners listeners;
  gboolean new_port;
  int fd, err;

  err = itcp_listeners_open (&listeners, (const ItcpAddress *) addresses->data,
      addresses->len);
  if (err < 0)
    return err;
  g_mutex_lock (&link->lock);
  new_port = link->port == 0;
  link->port = (guint) itcp_listeners_port (&listeners);
  link->state = STATE_LISTENING;
  g_mutex_unlock (&link->lock);
  GST_INFO_OBJECT (link->element, "listening on port %u", link->port);
  if (new_port)
    gst_notifier_notify (link->notifier, link->port_pspec);
  fd = accept_one (link, &listeners);
  /* There is one receiver; others are refused while it is connected. */
  itcp_listeners_close (&listeners);
  return fd;
}

static void
post_algorithm_error (GstItcpLink * link, int err)
{
  const gchar *remedy = err == -EPERM ?
      "takes privilege; choose one of "
      "/proc/sys/net/ipv4/tcp_allowed_congestion_control." :
      "is not in this kernel; "
      "/proc/sys/net/ipv4/tcp_available_congestion_control lists what is.";

  gst_itcp_link_post (link, TRUE, GST_RESOURCE_ERROR_SETTINGS, NULL,
      g_strdup_printf ("The congestion-algorithm %s cannot be had: %s. It %s",
          link->settings.congestion, g_strerror (-err), remedy));
}

static void
post_attempt (GstItcpLink * link, int err, const GError * unresolved)
{
  const GstItcpSettings *s = &link->settings;
  gboolean listener = s->mode == GST_ITCP_MODE_LISTENER;
  const gchar *remedy;
  gchar *text;

  if (err == -EPERM || err == -EACCES)
    remedy = "See that this user may use that port, and that no firewall or "
        "sandbox of this machine forbids it.";
  else if (listener)
    remedy = "Set host to an address of this machine and port to one that "
        "is free.";
  else
    remedy = "See that the receiver listens there.";
  text = g_strdup_printf ("Cannot %s %s, port %u: %s. %s%s",
      listener ? "listen on" : "connect to", s->host,
      link->port ? link->port : s->port,
      unresolved ? unresolved->message : g_strerror (-err), remedy,
      s->auto_reconnect ? " Trying on." : "");
  gst_itcp_link_post (link, !s->auto_reconnect,
      listener ? GST_RESOURCE_ERROR_OPEN_READ_WRITE :
      GST_RESOURCE_ERROR_OPEN_WRITE, &link->attempt_warnings, text);
}

/* Tries once to connect; posts a message about the first failure in a row. */
static int
attempt (GstItcpLink * link)
{
  GError *error = NULL;
  GArray *addresses = resolve (link, &error);
  int result;

  if (addresses) {
    result = link->settings.mode == GST_ITCP_MODE_LISTENER ?
        listen_and_accept (link, addresses) : call (link, addresses);
    g_array_unref (addresses);
  } else {
    result = -EHOSTUNREACH;
  }
  if (gst_itcp_link_stops (link) && result < 0)
    result = -ECANCELED;
  if (result < 0 && result != -ECANCELED && link->attempts++ == 0)
    post_attempt (link, result, error);
  g_clear_error (&error);
  return result;
}

int
gst_itcp_link_establish (GstItcpLink * link)
{
  /* This check comes first, because a second attempt would not help, and later
   * errors do not concern the algorithm. */
  int result = itcp_tcp_check_congestion (link->settings.congestion);

  if (result < 0) {
    post_algorithm_error (link, result);
    return result;
  }
  for (;;) {
    gst_itcp_link_set_state (link, STATE_CONNECTING);
    if (wait_monotonic_now () < link->not_before) {
      result = wait_for (link, -1, 0, link->not_before);
      if (result != -ETIMEDOUT)
        return result;
    }
    result = attempt (link);
    if (result >= 0)
      link->attempts = 0;
    if (result >= 0 || result == -ECANCELED || !link->settings.auto_reconnect)
      return result;
    link->not_before = wait_monotonic_now () +
        (gint64) link->settings.reconnect_interval;
  }
}
