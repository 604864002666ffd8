/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A batch of buffers that are sent together: an engine fills it, a driver sends
 * it. Memory for the mappings grows with the number of memories.
 */
#ifndef __GST_PSP_BATCH_H__
#define __GST_PSP_BATCH_H__

#include <gst/gst.h>

#include "gstpspsrtp.h"
#include "net/udp.h"

G_BEGIN_DECLS

/* Most packets of a batch: one message with UDP_SEGMENT carries no more. */
#define GST_PSP_BATCH_SIZE 64

typedef struct _GstPspMapping GstPspMapping;

typedef struct
{
  GstBuffer *buffers[GST_PSP_BATCH_SIZE];       /* owned */
  guint n;                      /* buffers */
  gint ecn;                     /* as in PspUdpSender */
  guint sent;                   /* buffers that left or were lost */
  guint lost;                   /* buffers that the system refused */
  int error;                    /* errno of the last refusal */
  GstBuffer *released;          /* owned, freed but not sent; may be NULL */
  GstPspSrtp *srtp;             /* protects packets; NULL = none does */
  guint32 ssrc_mask;            /* under SRTP, is XORed with SSRCs */
  gboolean is_protected;        /* the buffers hold protected packets, the rest
                                   of an earlier batch */

  /* The members below belong to gst_psp_batch_send(), which keeps them from one
   * batch to the next. */
  PspUdpPacket packets[GST_PSP_BATCH_SIZE];
  GstPspMapping *maps;
  guint n_maps, allocated;      /* maps used and maps allocated */
  guint8 *slab;                 /* protected packets */
  gsize slab_size;
} GstPspBatch;

/* The buffers of a batch that have not left. */
typedef struct
{
  guint n;                      /* buffers */
  GstBuffer *buffers[GST_PSP_BATCH_SIZE];       /* owned; not while the batch
                                                   is being sent */
  gint ecn;
  gboolean is_protected;
} GstPspUnsent;

/* Sends the buffers, and releases those that left. If the socket's buffer is
 * full, the buffers from `sent` on remain for their owner to take back; under
 * SRTP they are then protected. A packet that is refused for another reason is
 * lost, and so is one that cannot be mapped or protected (EALREADY: its number
 * was protected before). */
void gst_psp_batch_send (GstPspBatch * b, PspUdpSender * udp,
    const PspAddress * to);
/* Takes back the buffers that were not sent. */
void gst_psp_unsent_keep (GstPspUnsent * u, const GstPspBatch * b);
/* Fills an empty batch with these buffers. */
void gst_psp_unsent_restore (const GstPspUnsent * u, GstPspBatch * b);
void gst_psp_unsent_drop (GstPspUnsent * u);
/* Releases the memory of an empty batch. */
void gst_psp_batch_clear (GstPspBatch * b);

G_END_DECLS

#endif
