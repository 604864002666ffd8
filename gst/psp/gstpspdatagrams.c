/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspdatagrams.h"

/* So much at once comes from the system as pages that cost nothing until they
 * are touched: memory follows how many datagrams come at once. */
void
gst_psp_datagrams_init (GstPspDatagrams * d)
{
  memset (d, 0, sizeof *d);
  d->data = g_malloc (PSP_UDP_BATCH * GST_PSP_FEEDBACK_SIZE);
  for (guint i = 0; i < PSP_UDP_BATCH; i++) {
    d->datagrams[i].data = d->data + i * GST_PSP_FEEDBACK_SIZE;
    d->datagrams[i].capacity = GST_PSP_FEEDBACK_SIZE;
  }
}

void
gst_psp_datagrams_receive (GstPspDatagrams * d, int fd)
{
  int n = psp_udp_receive (fd, d->datagrams, PSP_UDP_BATCH);

  d->n = n > 0 ? n : 0;
}

gboolean
gst_psp_datagrams_is_flooded (const GstPspDatagrams * d)
{
  return d->n == PSP_UDP_BATCH;
}

void
gst_psp_datagrams_deliver (GstPspDatagrams * d, GstPspEngine * engine,
    gint64 now)
{
  /* Of a datagram that is cut nothing is used: it counts as malformed. */
  for (guint i = 0; i < d->n; i++) {
    const PspUdpDatagram *g = &d->datagrams[i];

    gst_psp_engine_receive (engine, &g->from, g->data,
        g->size > g->capacity ? 0 : g->size, now);
  }
  d->n = 0;
}

void
gst_psp_datagrams_clear (GstPspDatagrams * d)
{
  g_free (d->data);
}
