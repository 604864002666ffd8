/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The socket of pspsrc: opened from its properties or handed in by the
 * application, and the groups joined on it.
 */
#ifndef __GST_PSP_LISTENER_H__
#define __GST_PSP_LISTENER_H__

#include <gio/gio.h>
#include <gst/gst.h>

#include "net/udp.h"

G_BEGIN_DECLS

typedef struct
{
  gchar *address;
  gint port;
  gchar *multicast_group;       /* NULL = `address`, which may be a group */
  gchar *multicast_iface;       /* NULL, or names separated by commas */
  gboolean auto_multicast;
  gboolean reuse;
  gint buffer_size;             /* bytes; 0 = the system's default */
  GSocket *socket;              /* the application's socket, or NULL */
  gboolean close_socket;
} GstPspListenerConfig;

typedef struct
{
  GSocket *socket;              /* NULL while closed */
  int fd;
  gboolean owned;               /* the listener closes the socket */
  gboolean multicast;           /* the socket receives a group */
  PspAddress group;
  gchar **joined;               /* interfaces, "" = the system's choice */
  gint granted;                 /* bytes of receive buffer, if fewer than
                                   requested; otherwise 0 */
} GstPspListener;

/* Returns FALSE with an error whose message names cause and remedy. */
gboolean gst_psp_listener_open (GstPspListener * listener,
    const GstPspListenerConfig * config, GError ** error);
/* Leaves the joined groups, and closes the socket if the listener owns it. */
void gst_psp_listener_close (GstPspListener * listener);

G_END_DECLS

#endif
