/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Datagrams received in batches straight into pooled buffers. A datagram that
 * is larger than those arrives whole too, at the price of a copy. How many are asked
 * for at once follows how many came.
 */
#ifndef __GST_PSP_INBOX_H__
#define __GST_PSP_INBOX_H__

#include <gst/gst.h>

#include "net/udp.h"

G_BEGIN_DECLS

/* Bytes of a pooled buffer: a packet of Ethernet's, and some more. */
#define GST_PSP_INBOX_BUFFER_SIZE 2048

typedef struct
{
  GstBufferPool *pool;
  GstBuffer *buffers[PSP_UDP_BATCH];
  GstMapInfo maps[PSP_UDP_BATCH];
  PspUdpDatagram datagrams[PSP_UDP_BATCH];
  guint8 *spill;

  guint ask;                    /* so many datagrams at once */
  guint alone;                  /* receptions of one datagram in a row */
  /* After the last reception: */
  gboolean emptied;             /* no datagram waited in the socket any more */
  gboolean more;                /* likely, some do */
} GstPspInbox;

gboolean gst_psp_inbox_open (GstPspInbox * inbox);
void gst_psp_inbox_close (GstPspInbox * inbox);

/* So many datagrams may wait: the next reception asks for them. */
void gst_psp_inbox_expect (GstPspInbox * inbox, guint n);
/* Receives datagrams: count or negative errno; -ENOMEM where the pool gives no
 * buffer. */
int gst_psp_inbox_receive (GstPspInbox * inbox, int fd);
/* The bytes of datagram i in one piece; valid until take or receive. */
guint8 *gst_psp_inbox_data (GstPspInbox * inbox, guint i);
/* Datagram i was changed where it lies, and has so many bytes left. */
void gst_psp_inbox_changed (GstPspInbox * inbox, guint i, gsize size);
/* Datagram i as a buffer; at most once a receive. */
GstBuffer *gst_psp_inbox_take (GstPspInbox * inbox, guint i);

G_END_DECLS

#endif
