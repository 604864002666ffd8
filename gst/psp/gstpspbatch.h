/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Buffers mapped for one go at the network.
 */
#ifndef __GST_PSP_BATCH_H__
#define __GST_PSP_BATCH_H__

#include <gst/gst.h>

#include "net/udp.h"

G_BEGIN_DECLS

#define GST_PSP_BATCH_SIZE 64
#define GST_PSP_BATCH_PIECES 8  /* memories a packet; more are merged */

typedef struct
{
  guint n;                      /* buffers */
  guint n_mapped;               /* … of which packets[] is filled in */
  guint sent;                   /* … and which have left or were given up */
  GstBuffer *buffers[GST_PSP_BATCH_SIZE];       /* owned */
  PspUdpPacket packets[GST_PSP_BATCH_SIZE];
  GstMemory *merged[GST_PSP_BATCH_SIZE];        /* owned, mostly NULL */
  GstMapInfo maps[GST_PSP_BATCH_SIZE * GST_PSP_BATCH_PIECES];
  guint n_maps;
} GstPspBatch;

/* Takes the buffer. */
void gst_psp_batch_add (GstPspBatch * b, GstBuffer * buffer);
/* A buffer that cannot be mapped becomes a packet of no size. */
void gst_psp_batch_map (GstPspBatch * b);
/* Unmaps and releases all. */
void gst_psp_batch_clear (GstPspBatch * b);

static inline gboolean
gst_psp_batch_is_done (const GstPspBatch * b)
{
  return b->sent == b->n;
}

G_END_DECLS

#endif
