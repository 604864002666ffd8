/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Buffers for one go at the network: an engine fills a batch, a driver sends
 * it. Memory for the mappings grows with the buffers that come.
 */
#ifndef __GST_PSP_BATCH_H__
#define __GST_PSP_BATCH_H__

#include <gst/gst.h>

#include "gstpspsrtp.h"
#include "net/udp.h"

G_BEGIN_DECLS

/* Packets: what one message with UDP_SEGMENT can carry. */
#define GST_PSP_BATCH_SIZE 64

typedef struct _GstPspMapping GstPspMapping;

typedef struct
{
  GstBuffer *buffers[GST_PSP_BATCH_SIZE];       /* owned */
  guint n;                      /* buffers */
  gint ecn;                     /* as in PspUdpSender */
  guint sent;                   /* those of them that left or were lost */
  guint lost;                   /* those of them that the system refused */
  int error;                    /* errno of the last one refused */
  GstBuffer *released;          /* owned, not to be sent; may be NULL */
  GstPspSrtp *srtp;             /* protects packets; NULL: nothing does */
  guint32 ssrc_mask;            /* with it: SSRCs leave changed by it */
  gboolean is_protected;        /* the buffers are what is left of a batch that
                                   was protected */

  /* Of gst_psp_batch_send() only; kept from one batch to the next. */
  PspUdpPacket packets[GST_PSP_BATCH_SIZE];
  GstPspMapping *maps;
  guint n_maps, allocated;      /* maps used, and there */
  guint8 *slab;                 /* protected packets */
  gsize slab_size;
} GstPspBatch;

/* What of a batch has not left. */
typedef struct
{
  guint n;                      /* buffers */
  GstBuffer *buffers[GST_PSP_BATCH_SIZE];       /* owned; not while the batch
                                                   is being sent */
  gint ecn;
  gboolean is_protected;
} GstPspUnsent;

/* Sends what it holds, and releases what left. The socket's buffer may be full
 * before that: buffers from `sent` on remain, for their owner to take back, and
 * are then what was protected. A packet that is refused otherwise is lost, and
 * so is one that cannot be mapped or protected (EALREADY: its number was
 * protected before). */
void gst_psp_batch_send (GstPspBatch * b, PspUdpSender * udp,
    const PspAddress * to);
/* Takes back what was not sent. */
void gst_psp_unsent_keep (GstPspUnsent * u, const GstPspBatch * b);
/* Fills an empty batch with it. */
void gst_psp_unsent_restore (const GstPspUnsent * u, GstPspBatch * b);
void gst_psp_unsent_drop (GstPspUnsent * u);
/* Releases the memory of an empty batch. */
void gst_psp_batch_clear (GstPspBatch * b);

G_END_DECLS

#endif
