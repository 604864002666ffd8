/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsinksocket.h"

#include <errno.h>
#include <netdb.h>

#define UDP_HEADER 8            /* bytes */
#define IPV4_HEADER 20          /* bytes, without options */
#define IPV6_HEADER 40          /* bytes, without extension headers */

static int
preferred_family (const GstPspSocketConfig * config)
{
  PspAddress bind;

  if (config->socket)
    return g_socket_get_family (config->socket) == G_SOCKET_FAMILY_IPV6 ?
        AF_INET6 : AF_INET;
  if (config->bind_address &&
      psp_address_resolve (config->bind_address, 0, AF_UNSPEC, &bind) == 0)
    return bind.storage.ss_family;
  /* The name often has both families, IPv6 first, and receivers listen to IPv4
   * unless told otherwise. */
  if (config->host && g_ascii_strcasecmp (config->host, "localhost") == 0)
    return AF_INET;
  return AF_UNSPEC;
}

gboolean
gst_psp_socket_resolve (const GstPspSocketConfig * config,
    PspAddress * destination, GError ** error)
{
  const gchar *host = config->host ? config->host : "";
  int err;

  if (!*host || config->port == 0) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "There is nowhere to send to; set host and port.");
    return FALSE;
  }
  err = psp_address_resolve (host, (guint16) config->port,
      preferred_family (config), destination);
  if (err == 0)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
      "Host \"%s\" cannot be resolved: %s. Check its spelling and the name "
      "service, or give an address.", host, gai_strerror (err));
  return FALSE;
}

/* Name of a socket's object data: TRUE if qos-dscp has set its DSCP. */
#define MARKED "gst-psp-marked"

/* Sets the DSCP. A negative one resets a DSCP that was set here, but keeps one
 * that the application gave its socket. */
static int
apply_dscp (GSocket * socket, int family, gint dscp)
{
  GObject *object = G_OBJECT (socket);
  int err;

  if (dscp < 0 && !g_object_get_data (object, MARKED))
    return 0;
  err = psp_udp_set_dscp (g_socket_get_fd (socket), family, MAX (dscp, 0));
  if (err == 0)
    g_object_set_data (object, MARKED, GINT_TO_POINTER (dscp >= 0));
  return err;
}

gboolean
gst_psp_socket_apply (const GstPspSocketConfig * config, GSocket * socket,
    GError ** error)
{
  int fd = g_socket_get_fd (socket);
  int family = g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6 ?
      AF_INET6 : AF_INET;
  const gchar *what = "ttl";
  int err = psp_udp_set_ttl (fd, family, config->ttl);

  if (err == 0) {
    what = config->multicast_iface ? "multicast-iface" : "ttl-mc or loop";
    err = psp_udp_set_multicast (fd, family, config->ttl_mc, config->loop,
        config->multicast_iface);
  }
  if (err == 0) {
    what = "qos-dscp";
    err = apply_dscp (socket, family, config->dscp);
  }
  if (err == 0)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "The system refuses the value of %s: %s.", what, g_strerror (-err));
  return FALSE;
}

static GSocket *
open_own (const GstPspSocketConfig * config, const PspAddress * destination,
    GError ** error)
{
  PspUdpConfig udp = {
    .family = destination->storage.ss_family,
    .bind_address = config->bind_address,
    .bind_port = (guint16) config->bind_port
  };
  GError *why = NULL;
  GSocket *socket;
  int fd, err;

  err = psp_udp_open (&udp, &fd);
  if (err < 0) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE,
        "Cannot open a UDP socket on %s port %d to reach %s: %s. Choose "
        "another bind-address or bind-port.",
        config->bind_address ? config->bind_address : "any address",
        config->bind_port, config->host, g_strerror (-err));
    return NULL;
  }
  socket = g_socket_new_from_fd (fd, &why);
  if (!socket) {
    psp_udp_close (fd);
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE,
        "Cannot use the UDP socket: %s.", why->message);
    g_error_free (why);
  }
  return socket;
}

static gboolean
prepare_given (GSocket * socket, const PspAddress * destination,
    GError ** error)
{
  int err;

  if (g_socket_is_closed (socket) ||
      g_socket_get_socket_type (socket) != G_SOCKET_TYPE_DATAGRAM) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "The socket given is closed or not a datagram socket; give an open "
        "UDP socket, or none.");
    return FALSE;
  }
  /* An IPv6 socket can also send to IPv4. */
  if (destination->storage.ss_family == AF_INET6 &&
      g_socket_get_family (socket) != G_SOCKET_FAMILY_IPV6) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "The socket given is for IPv4 and the host has only an IPv6 address; "
        "give a socket for IPv6, or none.");
    return FALSE;
  }
  err = psp_udp_prepare (g_socket_get_fd (socket));
  if (err == 0)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "The socket given cannot be used: %s.", g_strerror (-err));
  return FALSE;
}

GSocket *
gst_psp_socket_open (const GstPspSocketConfig * config,
    const PspAddress * destination, GError ** error)
{
  GSocket *socket;

  if (config->socket) {
    if (!prepare_given (config->socket, destination, error))
      return NULL;
    socket = g_object_ref (config->socket);
  } else {
    socket = open_own (config, destination, error);
  }
  if (socket && !gst_psp_socket_apply (config, socket, error))
    g_clear_object (&socket);
  return socket;
}

gint
gst_psp_socket_max_packet (const PspAddress * destination)
{
  int mtu = psp_udp_path_mtu (destination);
  int ip = destination->storage.ss_family == AF_INET6 ?
      IPV6_HEADER : IPV4_HEADER;

  return mtu > ip + UDP_HEADER ? mtu - ip - UDP_HEADER : G_MAXINT;
}
