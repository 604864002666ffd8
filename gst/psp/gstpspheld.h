/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Holds a bounded number of datagrams whose key is unknown until the
 * application has been asked for the key. An attacker can invent MKIs, so the
 * MKI of the most datagrams is asked for first, and an MKI that the application
 * did not know makes room for others.
 */
#ifndef __GST_PSP_HELD_H__
#define __GST_PSP_HELD_H__

#include <gst/gst.h>

#include <control/types.h>

#include "net/udp.h"
#include "srtp/session.h"

G_BEGIN_DECLS

/* Most datagrams that wait. */
#define GST_PSP_HELD_MAX 128
/* Most different MKIs among them. */
#define GST_PSP_HELD_MAX_MKIS 8
/* ns; longest wait of a datagram: later it comes too late for playback. */
#define GST_PSP_HELD_TIME PSP_SECOND
/* ns; shortest time between two requests for a key to the application. */
#define GST_PSP_HELD_ASK_INTERVAL (100 * PSP_MSECOND)

typedef struct _GstPspHeld GstPspHeld;

typedef struct
{
  GstBuffer *buffer;            /* writable */
  PspUdpDatagram datagram;      /* its data and spill are not valid */
  gint64 arrived_at;
  GstClockTime clock_time;      /* arrival, or GST_CLOCK_TIME_NONE */
} GstPspHeldPacket;

GstPspHeld *gst_psp_held_new (void);
void gst_psp_held_free (GstPspHeld * h);

/* Takes the packet's buffer. mki_size is 1 to PSP_SRTP_MAX_MKI. Returns how
 * many datagrams were dropped to make room. */
guint gst_psp_held_add (GstPspHeld * h, const guint8 * mki, gsize mki_size,
    const GstPspHeldPacket * packet);
/* Drops the datagrams that have waited too long. Returns how many. */
guint gst_psp_held_expire (GstPspHeld * h, gint64 now);
/* Returns the MKI to ask for now; NULL = none waits, or it is too early. */
GBytes *gst_psp_held_ask (GstPspHeld * h, gint64 now);
/* Returns when expire() or ask() is due, or PSP_TIME_NEVER. */
gint64 gst_psp_held_next (const GstPspHeld * h);
/* Takes the first datagram that waits for a key with this MKI; its buffer
 * becomes the caller's. Returns FALSE if there is none. */
gboolean gst_psp_held_take (GstPspHeld * h, const guint8 * mki, gsize mki_size,
    GstPspHeldPacket * packet);

G_END_DECLS

#endif
