/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Receives datagrams in batches, straight into pooled buffers. A datagram that
 * is larger than a buffer also arrives whole, at the cost of a copy. The size
 * of the next batch follows the number of datagrams that came.
 */
#ifndef __GST_PSP_INBOX_H__
#define __GST_PSP_INBOX_H__

#include <gst/gst.h>

#include "net/udp.h"

G_BEGIN_DECLS

/* Bytes of a pooled buffer: it has room for any packet on Ethernet. */
#define GST_PSP_INBOX_BUFFER_SIZE 2048

typedef struct
{
  GstBufferPool *pool;
  GstBuffer *buffers[PSP_UDP_BATCH];
  GstMapInfo maps[PSP_UDP_BATCH];
  PspUdpDatagram datagrams[PSP_UDP_BATCH];
  guint8 *spill;

  guint ask;                    /* datagrams to ask for at once */
  guint alone;                  /* receptions of one datagram in a row */
  gboolean emptied;             /* the last reception emptied the socket */
  gboolean more;                /* datagrams probably wait in the socket */
} GstPspInbox;

gboolean gst_psp_inbox_open (GstPspInbox * inbox);
void gst_psp_inbox_close (GstPspInbox * inbox);

/* Makes the next reception ask for at least n datagrams, because they may
 * wait. */
void gst_psp_inbox_expect (GstPspInbox * inbox, guint n);
/* Receives datagrams. Returns their number or a negative errno; -ENOMEM = the
 * pool gives no buffer. */
int gst_psp_inbox_receive (GstPspInbox * inbox, int fd);
/* Returns the bytes of datagram i in one piece; valid until take or receive. */
guint8 *gst_psp_inbox_data (GstPspInbox * inbox, guint i);
/* Notes that the bytes of datagram i were changed in place; `size` of them are
 * left. */
void gst_psp_inbox_changed (GstPspInbox * inbox, guint i, gsize size);
/* Returns datagram i as a buffer; at most once after each receive. */
GstBuffer *gst_psp_inbox_take (GstPspInbox * inbox, guint i);

G_END_DECLS

#endif
