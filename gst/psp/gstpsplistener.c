/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpsplistener.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>

static void
G_GNUC_PRINTF (2, 3)
set_error (GError ** error, const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  g_propagate_error (error, g_error_new_valist (GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_OPEN_READ, format, args));
  va_end (args);
}

static gboolean
is_set (const gchar * text)
{
  return text && text[0] != '\0';
}

/* Resolves the address to listen on, or the group to receive. */
static gboolean
find_address (const GstPspListenerConfig * config, PspAddress * address,
    GError ** error)
{
  gboolean group = is_set (config->multicast_group);
  const gchar *host = group ? config->multicast_group :
      is_set (config->address) ? config->address : "0.0.0.0";
  const gchar *property = group ? "multicast-group" : "address";
  int err;

  err = psp_address_resolve (host, config->port, AF_UNSPEC, address);
  if (err) {
    set_error (error, "Cannot resolve %s=\"%s\": %s. Set it to an address of "
        "this host, to a multicast group, or to 0.0.0.0 or :: for all "
        "addresses of this host.", property, host, gai_strerror (err));
    return FALSE;
  }
  if (group && !psp_address_is_multicast (address)) {
    set_error (error, "multicast-group=\"%s\" is not a multicast address. "
        "Groups are 224.0.0.0 to 239.255.255.255 and ff00::/8; what is to be "
        "received at an address of this host belongs into address.", host);
    return FALSE;
  }
  return TRUE;
}

static void
set_open_error (GError ** error, const gchar * where, gint port, int err)
{
  switch (-err) {
    case EADDRINUSE:
      set_error (error, "UDP port %d is in use on %s. Set port to a free one, "
          "to 0 for any, or end the program that has it (ss -ulpn shows "
          "which).", port, where);
      break;
    case EADDRNOTAVAIL:
      set_error (error, "%s is not an address of this host. Set address to "
          "one that is (ip addr shows them), or to 0.0.0.0 or :: for all.",
          where);
      break;
    case EACCES:
      set_error (error, "This user may not open UDP port %d on %s. Set port "
          "to one above 1023.", port, where);
      break;
    case EAFNOSUPPORT:
      set_error (error, "This host has no IPv6, which %s needs. Set address "
          "to an IPv4 address, or to 0.0.0.0 for all of them.", where);
      break;
    default:
      set_error (error, "Cannot open UDP port %d on %s: %s.", port, where,
          g_strerror (-err));
  }
}

static gboolean
open_socket (GstPspListener * listener, const GstPspListenerConfig * config,
    const PspAddress * address, GError ** error)
{
  PspUdpConfig udp = { 0 };
  gchar text[PSP_ADDRESS_TEXT];
  gchar *host;
  int err;

  psp_address_text (address, text);
  host = g_strdup (text);
  *strrchr (host, ':') = '\0';
  udp.family = address->storage.ss_family;
  udp.bind_port = config->port;
  /* Two readers must not share a unicast port: only the last one would get the
   * packets. */
  udp.reuse = config->reuse && listener->multicast;
  /* An IPv4 socket is bound to the group, so that other groups and unicast can
   * share the port; IPv6 would need a scope for that. */
  if (!listener->multicast || udp.family == AF_INET)
    udp.bind_address = host;

  err = psp_udp_open (&udp, &listener->fd);
  if (err) {
    set_open_error (error, host, config->port, err);
    g_free (host);
    return FALSE;
  }
  g_free (host);
  listener->socket = g_socket_new_from_fd (listener->fd, error);
  if (!listener->socket) {
    psp_udp_close (listener->fd);
    return FALSE;
  }
  listener->owned = TRUE;
  return TRUE;
}

static gboolean
use_socket (GstPspListener * listener, const GstPspListenerConfig * config,
    GError ** error)
{
  GSocket *socket = config->socket;
  int err;

  if (g_socket_is_closed (socket)) {
    set_error (error, "The socket that was set is closed. Set close-socket to "
        "FALSE to keep it over state changes, or set a new one.");
    return FALSE;
  }
  err = g_socket_get_socket_type (socket) != G_SOCKET_TYPE_DATAGRAM ?
      -ESOCKTNOSUPPORT : psp_udp_prepare (g_socket_get_fd (socket));
  if (err) {
    set_error (error, "The socket that was set is of no use: %s. Set a bound "
        "UDP socket.", g_strerror (-err));
    return FALSE;
  }
  listener->socket = g_object_ref (socket);
  listener->fd = g_socket_get_fd (socket);
  listener->owned = config->close_socket;
  return TRUE;
}

static gboolean
join (GstPspListener * listener, const gchar * interfaces, GError ** error)
{
  gchar text[PSP_ADDRESS_TEXT];
  guint i;

  listener->joined = g_strsplit (is_set (interfaces) ? interfaces : "", ",",
      -1);
  if (!listener->joined[0]) {
    g_strfreev (listener->joined);
    listener->joined = g_new0 (gchar *, 2);
    listener->joined[0] = g_strdup ("");
  }
  psp_address_text (&listener->group, text);
  for (i = 0; listener->joined[i]; i++) {
    const gchar *name = g_strstrip (listener->joined[i]);
    int err = psp_udp_join (listener->fd, &listener->group, name);

    if (err == -ENODEV && name[0])
      set_error (error, "There is no network interface \"%s\". Set "
          "multicast-iface to one that ip link shows.", name);
    else if (err == -ENODEV)
      set_error (error, "No network interface has a route to the group %s. "
          "Set multicast-iface to the one to receive it on.", text);
    else if (err)
      set_error (error, "Cannot join the group %s%s%s: %s. Set "
          "multicast-iface to an interface that is up and takes multicast.",
          text, name[0] ? " on " : "", name, g_strerror (-err));
    if (err) {
      /* Closing leaves only the groups that were joined before. */
      for (; listener->joined[i]; i++)
        g_clear_pointer (&listener->joined[i], g_free);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
gst_psp_listener_open (GstPspListener * listener,
    const GstPspListenerConfig * config, GError ** error)
{
  PspAddress address;

  memset (listener, 0, sizeof *listener);
  if (!find_address (config, &address, error))
    return FALSE;
  listener->multicast = psp_address_is_multicast (&address);
  listener->group = address;

  if (!(config->socket ? use_socket (listener, config, error) :
          open_socket (listener, config, &address, error)))
    return FALSE;

  if (config->buffer_size > 0) {
    int granted = psp_udp_set_receive_buffer (listener->fd,
        config->buffer_size);

    if (granted < config->buffer_size)
      listener->granted = MAX (granted, 1);
  }
  if (listener->multicast && config->auto_multicast &&
      !join (listener, config->multicast_iface, error)) {
    gst_psp_listener_close (listener);
    return FALSE;
  }
  return TRUE;
}

void
gst_psp_listener_close (GstPspListener * listener)
{
  guint i;

  if (!listener->socket)
    return;
  /* The application may already have closed its socket. */
  if (!g_socket_is_closed (listener->socket)) {
    for (i = 0; listener->joined && listener->joined[i]; i++)
      psp_udp_leave (listener->fd, &listener->group, listener->joined[i]);
    if (listener->owned)
      g_socket_close (listener->socket, NULL);
  }
  g_clear_pointer (&listener->joined, g_strfreev);
  g_clear_object (&listener->socket);
  listener->fd = -1;
}
