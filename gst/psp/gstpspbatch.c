/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspbatch.h"

void
gst_psp_batch_add (GstPspBatch * b, GstBuffer * buffer)
{
  b->merged[b->n] = NULL;
  b->buffers[b->n++] = buffer;
}

static gboolean
map_memory (GstPspBatch * b, PspUdpPacket * p, GstMemory * memory)
{
  GstMapInfo *map = &b->maps[b->n_maps];

  if (!gst_memory_map (memory, map, GST_MAP_READ))
    return FALSE;
  b->n_maps++;
  p->iov[p->n_iov].iov_base = map->data;
  p->iov[p->n_iov++].iov_len = map->size;
  p->size += map->size;
  return TRUE;
}

static void
map_packet (GstPspBatch * b, guint i)
{
  GstBuffer *buffer = b->buffers[i];
  PspUdpPacket *p = &b->packets[i];
  guint n = gst_buffer_n_memory (buffer);
  gboolean ok = TRUE;

  p->n_iov = 0;
  p->size = 0;
  if (n > GST_PSP_BATCH_PIECES) {
    b->merged[i] = gst_buffer_get_all_memory (buffer);
    ok = b->merged[i] && map_memory (b, p, b->merged[i]);
  } else {
    for (guint k = 0; ok && k < n; k++)
      ok = map_memory (b, p, gst_buffer_peek_memory (buffer, k));
  }
  if (!ok)
    p->size = p->n_iov = 0;
}

void
gst_psp_batch_map (GstPspBatch * b)
{
  while (b->n_mapped < b->n)
    map_packet (b, b->n_mapped++);
}

void
gst_psp_batch_clear (GstPspBatch * b)
{
  for (guint i = 0; i < b->n_maps; i++)
    gst_memory_unmap (b->maps[i].memory, &b->maps[i]);
  for (guint i = 0; i < b->n; i++) {
    if (b->merged[i])
      gst_memory_unref (b->merged[i]);
    gst_buffer_unref (b->buffers[i]);
  }
  b->n = b->n_mapped = b->sent = b->n_maps = 0;
}
