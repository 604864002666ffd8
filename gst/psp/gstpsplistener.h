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
  gchar *multicast_group;       /* NULL: address, where it is one */
  gchar *multicast_iface;       /* NULL, or names separated by commas */
  gboolean auto_multicast;
  gboolean reuse;
  gint buffer_size;             /* bytes, 0 = system's */
  GSocket *socket;              /* handed in, or NULL */
  gboolean close_socket;
} GstPspListenerConfig;

typedef struct
{
  GSocket *socket;              /* NULL while closed */
  int fd;
  gboolean owned;               /* to be closed with the listener */
  gboolean multicast;           /* receives a group */
  PspAddress group;
  gchar **joined;               /* interfaces, "" = the system's choice */
  gint granted;                 /* bytes of receive buffer where fewer than
                                   asked, else 0 */
} GstPspListener;

/* FALSE with an error whose message names cause and remedy. */
gboolean gst_psp_listener_open (GstPspListener * listener,
    const GstPspListenerConfig * config, GError ** error);
/* Leaves what it joined; closes the socket if it is to be. */
void gst_psp_listener_close (GstPspListener * listener);

G_END_DECLS

#endif
