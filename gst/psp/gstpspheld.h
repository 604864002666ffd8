/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Datagrams under keys that nobody has told yet: they wait, in a bounded number,
 * until the application has been asked for the key. Anybody can write an MKI, so
 * the one that most datagrams carry is asked for first, and one that was asked for
 * in vain makes room for others.
 */
#ifndef __GST_PSP_HELD_H__
#define __GST_PSP_HELD_H__

#include <gst/gst.h>

#include <control/types.h>

#include "net/udp.h"
#include "srtp/session.h"

G_BEGIN_DECLS

/* Datagrams that wait at most. */
#define GST_PSP_HELD_MAX 128
/* Different MKIs among them. */
#define GST_PSP_HELD_MAX_MKIS 8
/* ns, for how long: then whoever plays has done without. */
#define GST_PSP_HELD_TIME PSP_SECOND
/* ns. The application is asked for a key so often at most. */
#define GST_PSP_HELD_ASK_INTERVAL (100 * PSP_MSECOND)

typedef struct _GstPspHeld GstPspHeld;

typedef struct
{
  GstBuffer *buffer;            /* writable */
  PspUdpDatagram datagram;      /* its data and spill are not valid */
  gint64 arrived_at;
  GstClockTime clock_time;      /* of its arrival, or GST_CLOCK_TIME_NONE */
} GstPspHeldPacket;

GstPspHeld *gst_psp_held_new (void);
void gst_psp_held_free (GstPspHeld * h);

/* Takes the packet's buffer. mki_size is 1 to PSP_SRTP_MAX_MKI. Returns how many
 * datagrams were given up for it, of which it may be one. */
guint gst_psp_held_add (GstPspHeld * h, const guint8 * mki, gsize mki_size,
    const GstPspHeldPacket * packet);
/* Gives up what has waited too long; how many. */
guint gst_psp_held_expire (GstPspHeld * h, gint64 now);
/* What to ask for now; NULL: nothing, or it is too early. */
GBytes *gst_psp_held_ask (GstPspHeld * h, gint64 now);
/* When expire() or ask() have something to do; PSP_TIME_NEVER. */
gint64 gst_psp_held_next (const GstPspHeld * h);
/* The first that waits for a key with this MKI; its buffer is the caller's. FALSE:
 * there is none. */
gboolean gst_psp_held_take (GstPspHeld * h, const guint8 * mki, gsize mki_size,
    GstPspHeldPacket * packet);

G_END_DECLS

#endif
