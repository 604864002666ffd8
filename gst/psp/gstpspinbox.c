/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpspinbox.h"

#include <errno.h>
#include <string.h>

/* Bytes of a datagram's share of the spill. It has room for the whole datagram,
 * so that the pieces of a large one can be joined there. Pages that no large
 * datagram touches cost nothing. */
#define SPILL_SIZE 65536
/* Fewest datagrams to ask the socket for: the second shows whether there is
 * another one. */
#define MIN_ASK 2
/* Receptions of one datagram in a row after which the next one probably is
 * alone, too: a second one is asked for only once in this number. */
#define LOOK_INTERVAL 16

static guint8 *
joined (GstPspInbox * inbox, guint i)
{
  return inbox->spill + (gsize) i *SPILL_SIZE;
}

gboolean
gst_psp_inbox_open (GstPspInbox * inbox)
{
  GstStructure *config;
  guint i;

  memset (inbox, 0, sizeof *inbox);
  inbox->ask = MIN_ASK;
  inbox->pool = gst_buffer_pool_new ();
  config = gst_buffer_pool_get_config (inbox->pool);
  gst_buffer_pool_config_set_params (config, NULL, GST_PSP_INBOX_BUFFER_SIZE,
      0, 0);
  if (!gst_buffer_pool_set_config (inbox->pool, config) ||
      !gst_buffer_pool_set_active (inbox->pool, TRUE)) {
    gst_clear_object (&inbox->pool);
    return FALSE;
  }
  inbox->spill = g_malloc ((gsize) PSP_UDP_BATCH * SPILL_SIZE);
  for (i = 0; i < PSP_UDP_BATCH; i++) {
    inbox->datagrams[i].capacity = GST_PSP_INBOX_BUFFER_SIZE;
    inbox->datagrams[i].spill = joined (inbox, i) + GST_PSP_INBOX_BUFFER_SIZE;
    inbox->datagrams[i].spill_capacity = SPILL_SIZE - GST_PSP_INBOX_BUFFER_SIZE;
  }
  return TRUE;
}

static void
unmap (GstPspInbox * inbox, guint i)
{
  gst_memory_unmap (inbox->maps[i].memory, &inbox->maps[i]);
  inbox->datagrams[i].data = NULL;
}

void
gst_psp_inbox_close (GstPspInbox * inbox)
{
  guint i;

  if (!inbox->pool)
    return;
  for (i = 0; i < PSP_UDP_BATCH; i++) {
    if (inbox->buffers[i])
      unmap (inbox, i);
    gst_clear_buffer (&inbox->buffers[i]);
  }
  gst_buffer_pool_set_active (inbox->pool, FALSE);
  gst_clear_object (&inbox->pool);
  g_clear_pointer (&inbox->spill, g_free);
}

/* Gives every datagram of the batch a mapped buffer. Each of the pool's buffers
 * has one memory, which is cheaper to map than the buffer. */
static gboolean
fill_up (GstPspInbox * inbox, guint n)
{
  guint i;

  for (i = 0; i < n; i++) {
    if (inbox->buffers[i])
      continue;
    if (gst_buffer_pool_acquire_buffer (inbox->pool, &inbox->buffers[i],
            NULL) != GST_FLOW_OK)
      return FALSE;
    if (!gst_memory_map (gst_buffer_peek_memory (inbox->buffers[i], 0),
            &inbox->maps[i], GST_MAP_WRITE)) {
      gst_clear_buffer (&inbox->buffers[i]);
      return FALSE;
    }
    inbox->datagrams[i].data = inbox->maps[i].data;
  }
  return TRUE;
}

/* Adapts the next batch to the number of datagrams that came. If they come one
 * by one, it asks for a second one only from time to time, because that costs
 * more than it gains. */
static void
adapt (GstPspInbox * inbox, guint count)
{
  guint ask = MAX (2 * count, inbox->ask - inbox->ask / 4);

  inbox->alone = count > 1 ? 0 : inbox->alone + 1;
  inbox->ask = inbox->alone >= LOOK_INTERVAL &&
      inbox->alone % LOOK_INTERVAL != 0 ? 1 :
      CLAMP (ask, MIN_ASK, PSP_UDP_BATCH);
}

void
gst_psp_inbox_expect (GstPspInbox * inbox, guint n)
{
  inbox->ask = CLAMP (n, inbox->ask, PSP_UDP_BATCH);
}

int
gst_psp_inbox_receive (GstPspInbox * inbox, int fd)
{
  int ask = (int) inbox->ask, count = -ENOMEM;

  if (fill_up (inbox, inbox->ask))
    count = psp_udp_receive (fd, inbox->datagrams, inbox->ask);
  inbox->more = count == ask && count > 1;
  inbox->emptied = count < ask;
  if (count >= 0)
    adapt (inbox, count);
  return count;
}

guint8 *
gst_psp_inbox_data (GstPspInbox * inbox, guint i)
{
  const PspUdpDatagram *d = &inbox->datagrams[i];

  if (d->size <= d->capacity)
    return d->data;
  /* The spilled bytes lie behind room for the first ones. */
  memcpy (joined (inbox, i), d->data, d->capacity);
  return joined (inbox, i);
}

void
gst_psp_inbox_changed (GstPspInbox * inbox, guint i, gsize size)
{
  PspUdpDatagram *d = &inbox->datagrams[i];

  if (d->size > d->capacity)
    memcpy (d->data, joined (inbox, i), d->capacity);
  d->size = size;
}

GstBuffer *
gst_psp_inbox_take (GstPspInbox * inbox, guint i)
{
  const PspUdpDatagram *d = &inbox->datagrams[i];
  GstBuffer *buffer;

  if (d->size > d->capacity) {
    buffer = gst_buffer_new_allocate (NULL, d->size, NULL);
    gst_buffer_fill (buffer, 0, gst_psp_inbox_data (inbox, i), d->size);
    return buffer;
  }
  buffer = inbox->buffers[i];
  unmap (inbox, i);
  inbox->buffers[i] = NULL;
  gst_memory_resize (gst_buffer_peek_memory (buffer, 0), 0, d->size);
  return buffer;
}
