/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Where pspsink sends to and the socket that it sends from.
 */
#ifndef __GST_PSP_SINK_SOCKET_H__
#define __GST_PSP_SINK_SOCKET_H__

#include <gio/gio.h>
#include <gst/gst.h>

#include "net/udp.h"

G_BEGIN_DECLS

typedef struct
{
  gchar *host;
  gint port;
  gchar *bind_address;          /* NULL = any */
  gint bind_port;
  gint ttl, ttl_mc;
  gchar *multicast_iface;       /* NULL = the system's choice */
  gboolean loop;
  gint dscp;                    /* −1 = the system's */
  GSocket *socket;              /* handed in; NULL = open one */
} GstPspSocketConfig;

/* All below give errors of GST_RESOURCE_ERROR with a sentence for the user. */

/* Blocks while it resolves. */
gboolean gst_psp_socket_resolve (const GstPspSocketConfig * config,
    PspAddress * destination, GError ** error);
/* A prepared socket for that destination, a new reference. */
GSocket *gst_psp_socket_open (const GstPspSocketConfig * config,
    const PspAddress * destination, GError ** error);
/* TTL, DSCP and multicast options, now. */
gboolean gst_psp_socket_apply (const GstPspSocketConfig * config,
    GSocket * socket, GError ** error);
/* The largest RTP packet that the path carries unfragmented. */
gint gst_psp_socket_max_packet (const PspAddress * destination);

G_END_DECLS

#endif
