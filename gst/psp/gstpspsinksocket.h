/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The destination and the socket of pspsink.
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
  gint dscp;                    /* −1 = the system's default */
  GSocket *socket;              /* the application's; NULL = open one */
} GstPspSocketConfig;

/* The functions below return a GST_RESOURCE_ERROR whose message is a sentence
 * for the user. */

/* Resolves the host's name. Blocks. */
gboolean gst_psp_socket_resolve (const GstPspSocketConfig * config,
    PspAddress * destination, GError ** error);
/* Returns a new reference to a socket that is prepared for the destination. */
GSocket *gst_psp_socket_open (const GstPspSocketConfig * config,
    const PspAddress * destination, GError ** error);
/* Sets TTL, DSCP and the multicast options. */
gboolean gst_psp_socket_apply (const GstPspSocketConfig * config,
    GSocket * socket, GError ** error);
/* Returns the bytes of the largest RTP packet that the path does not
 * fragment. */
gint gst_psp_socket_max_packet (const PspAddress * destination);

G_END_DECLS

#endif
