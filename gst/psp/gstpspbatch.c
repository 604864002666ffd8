/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspbatch.h"

#include <errno.h>

/* Memories that a packet has room for; those of a buffer with more are
 * merged. */
#define MAX_PIECES G_N_ELEMENTS (((PspUdpPacket *) 0)->iov)
/* Fewest maps allocated: payloaders put header and payload into two
 * memories. */
#define MIN_MAPS (2 * GST_PSP_BATCH_SIZE)

struct _GstPspMapping
{
  GstMapInfo info;
  gboolean merged;              /* the batch owns the memory, a merged copy */
};

static void
grow (GstPspBatch * b)
{
  guint n = 0;

  for (guint i = 0; i < b->n; i++)
    n += MIN (gst_buffer_n_memory (b->buffers[i]), MAX_PIECES);
  if (n <= b->allocated)
    return;
  b->allocated = MAX (n, MIN_MAPS);
  b->maps = g_renew (GstPspMapping, b->maps, b->allocated);
}

static gboolean
map_memory (GstPspBatch * b, PspUdpPacket * p, GstMemory * memory,
    gboolean merged)
{
  GstPspMapping *map = &b->maps[b->n_maps];

  if (!gst_memory_map (memory, &map->info, GST_MAP_READ))
    return FALSE;
  map->merged = merged;
  b->n_maps++;
  p->iov[p->n_iov].iov_base = map->info.data;
  p->iov[p->n_iov++].iov_len = map->info.size;
  p->size += map->info.size;
  return TRUE;
}

static gboolean
map_merged (GstPspBatch * b, PspUdpPacket * p, GstBuffer * buffer)
{
  GstMemory *memory = gst_buffer_get_all_memory (buffer);

  if (memory && map_memory (b, p, memory, TRUE))
    return TRUE;
  if (memory)
    gst_memory_unref (memory);
  return FALSE;
}

/* A buffer that cannot be mapped becomes a packet of no size. */
static void
map_packet (GstPspBatch * b, PspUdpPacket * p, GstBuffer * buffer)
{
  guint n = gst_buffer_n_memory (buffer);
  gboolean ok = TRUE;

  p->n_iov = 0;
  p->size = 0;
  if (n > MAX_PIECES)
    ok = map_merged (b, p, buffer);
  for (guint i = 0; ok && n <= MAX_PIECES && i < n; i++)
    ok = map_memory (b, p, gst_buffer_peek_memory (buffer, i), FALSE);
  if (!ok)
    p->size = p->n_iov = 0;
}

/* SRTP */

/* Returns the bytes of a packet's place in the slab: aligned, with room for
 * what protecting writes behind the packet. */
static gsize
slab_room (const PspUdpPacket * p)
{
  return (p->size + PSP_SRTP_ROOM + 15) & ~(gsize) 15;
}

static void
protect_packet (GstPspBatch * b, PspUdpPacket * p, guint8 * place)
{
  gsize size = 0;

  for (guint i = 0; i < p->n_iov; i++) {
    memcpy (place + size, p->iov[i].iov_base, p->iov[i].iov_len);
    size += p->iov[i].iov_len;
  }
  GST_WRITE_UINT32_BE (place + 8,
      GST_READ_UINT32_BE (place + 8) ^ b->ssrc_mask);
  if (gst_psp_srtp_protect (b->srtp, place, &size) != PSP_SRTP_OK)
    size = 0;
  p->iov[0].iov_base = place;
  p->iov[0].iov_len = p->size = size;
  p->n_iov = 1;
}

/* Protects copies of the packets: other elements may share the buffers. */
static void
protect (GstPspBatch * b)
{
  gsize size = 0, used = 0;

  for (guint i = 0; i < b->n; i++)
    size += slab_room (&b->packets[i]);
  if (size > b->slab_size) {
    g_free (b->slab);
    b->slab = g_malloc (b->slab_size = size);
  }
  for (guint i = 0; i < b->n; i++) {
    gsize room = slab_room (&b->packets[i]);

    if (b->packets[i].size > 0)
      protect_packet (b, &b->packets[i], b->slab + used);
    used += room;
  }
}

/* Replaces the buffers that have not left by protected copies, because no
 * packet number may be protected twice. */
static void
keep_protected (GstPspBatch * b)
{
  for (guint i = b->sent; i < b->n; i++) {
    gst_buffer_unref (b->buffers[i]);
    b->buffers[i] = b->packets[i].size == 0 ? gst_buffer_new () :
        gst_buffer_new_memdup (b->packets[i].iov[0].iov_base,
        b->packets[i].size);
  }
  b->is_protected = TRUE;
}

/* Returns the number of mapped packets in a row, from the first unsent one. */
static guint
mapped_run (const GstPspBatch * b)
{
  guint n = b->sent;

  while (n < b->n && b->packets[n].size > 0)
    n++;
  return n - b->sent;
}

static void
unmap (GstPspBatch * b)
{
  for (guint i = 0; i < b->n_maps; i++) {
    GstMemory *memory = b->maps[i].info.memory;

    gst_memory_unmap (memory, &b->maps[i].info);
    if (b->maps[i].merged)
      gst_memory_unref (memory);
  }
  b->n_maps = 0;
}

void
gst_psp_batch_send (GstPspBatch * b, PspUdpSender * udp, const PspAddress * to)
{
  int error = 0;

  udp->ecn = b->ecn;
  grow (b);
  for (guint i = 0; i < b->n; i++)
    map_packet (b, &b->packets[i], b->buffers[i]);
  if (b->srtp && !b->is_protected)
    protect (b);
  b->sent = b->lost = 0;
  while (b->sent < b->n) {
    guint run = mapped_run (b);

    error = b->srtp && b->packets[b->sent].n_iov > 0 ? EALREADY : ENOMEM;
    if (run > 0) {
      guint sent = psp_udp_send (udp, to, b->packets + b->sent, run, &error);

      b->sent += sent;
      if (sent == run)
        continue;
      if (error == EAGAIN)
        break;
    }
    b->error = error;
    b->lost++;
    b->sent++;
  }
  unmap (b);
  for (guint i = 0; i < b->sent; i++)
    gst_buffer_unref (b->buffers[i]);
  if (b->srtp && !b->is_protected)
    keep_protected (b);
  gst_clear_buffer (&b->released);
}

void
gst_psp_unsent_keep (GstPspUnsent * u, const GstPspBatch * b)
{
  u->n = b->n - b->sent;
  memcpy (u->buffers, b->buffers + b->sent, u->n * sizeof *u->buffers);
  u->ecn = b->ecn;
  u->is_protected = b->is_protected;
}

void
gst_psp_unsent_restore (const GstPspUnsent * u, GstPspBatch * b)
{
  b->n = u->n;
  memcpy (b->buffers, u->buffers, u->n * sizeof *u->buffers);
  b->ecn = u->ecn;
  b->is_protected = u->is_protected;
}

void
gst_psp_unsent_drop (GstPspUnsent * u)
{
  for (guint i = 0; i < u->n; i++)
    gst_buffer_unref (u->buffers[i]);
  u->n = 0;
}

void
gst_psp_batch_clear (GstPspBatch * b)
{
  g_clear_pointer (&b->maps, g_free);
  g_clear_pointer (&b->slab, g_free);
  b->slab_size = 0;
  b->allocated = 0;
}
