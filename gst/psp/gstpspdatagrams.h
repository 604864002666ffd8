/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Feedback on its way from a socket to an engine.
 */
#ifndef __GST_PSP_DATAGRAMS_H__
#define __GST_PSP_DATAGRAMS_H__

#include "gstpspengine.h"

G_BEGIN_DECLS

typedef struct
{
  PspUdpDatagram datagrams[PSP_UDP_BATCH];
  guint8 *data;                 /* theirs */
  guint n;                      /* received */
} GstPspDatagrams;

void gst_psp_datagrams_init (GstPspDatagrams * d);
/* Receives what waits at the socket, or a part of it. */
void gst_psp_datagrams_receive (GstPspDatagrams * d, int fd);
/* As many came as ever may at once: there are more, likely. */
gboolean gst_psp_datagrams_is_flooded (const GstPspDatagrams * d);
/* Gives to the engine what was received. */
void gst_psp_datagrams_deliver (GstPspDatagrams * d, GstPspEngine * engine,
    gint64 now);
void gst_psp_datagrams_clear (GstPspDatagrams * d);

G_END_DECLS

#endif
