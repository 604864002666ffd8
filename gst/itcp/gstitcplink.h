/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Runs the connection: a thread makes it, watches it and makes it again; the
 * streaming thread writes to it.
 */
#ifndef __GST_ITCP_LINK_H__
#define __GST_ITCP_LINK_H__

#include <gst/gst.h>
#include <notify/notifier.h>
#include <preroll/preroll.h>

#include "core/adaptation.h"
#include "core/backlog.h"
#include "core/meter.h"
#include "core/stall.h"
#include "gstitcpsettings.h"
#include "net/source.h"

G_BEGIN_DECLS

typedef struct _GstItcpLink GstItcpLink;

typedef struct
{
  const gchar *state;           /* static string */
  const gchar *source;          /* static string */
  gchar congestion[16];
  guint port;                   /* port listened on; 0 = none */
  guint connections;
  guint64 events[ITCP_N_EVENT_KINDS];
  guint messages;               /* congestion messages so far */
  gint64 target, base;          /* bits/s; -1 = unknown */
  guint estimate;               /* target in bits/s; 0 = unknown */
  guint64 bytes_sent, bytes_acked, dropped;
  guint64 retransmits;          /* segments */
  /* of the current connection; 0 = no connection */
  gint64 rtt, unsent, unacked;
  /* ns from the kernel's event until we found it; -1 = unknown */
  gint64 last_delay;
} GstItcpLinkStats;

/* How far a buffer has been written. */
typedef struct
{
  gsize done;
  /* number of the connection; 0 = written to none yet */
  guint connection;
  /* The buffer's time in the media, if known. The meter uses it, so that the
   * rate is the media's even if we delay the buffer. */
  GstClockTime time;
  gboolean counted;
  gboolean is_rest;             /* a rest, only for the same connection */
} GstItcpProgress;

typedef enum
{
  GST_ITCP_WRITE_DONE,
  /* no receiver is connected, and none is waited for */
  GST_ITCP_WRITE_DROPPED,
  /* interrupted by an unlock; the caller continues later */
  GST_ITCP_WRITE_INTERRUPTED,
  GST_ITCP_WRITE_FAILED         /* an error was posted */
} GstItcpWrite;

/* Starts the link's thread, which makes the connection. Copies the settings.
 * port_pspec and estimate_pspec are the properties of the element that notify.
 * Returns NULL if the process has no file descriptor left. */
GstItcpLink *gst_itcp_link_new (GstElement * element,
    GstNotifier * notifier, const GstItcpSettings * settings,
    GParamSpec * port_pspec, GParamSpec * estimate_pspec);
/* Closes the connection; data that was written still leaves. */
void gst_itcp_link_free (GstItcpLink * link);

/* Writes a buffer. Blocks until all is written, or until
 * gst_itcp_link_set_unlocked. A new connection always starts with the first
 * byte of a buffer. */
GstItcpWrite gst_itcp_link_write (GstItcpLink * link, const guint8 * data,
    gsize size, GstItcpProgress * progress);
/* Blocks until the receiver has acknowledged all data, or is gone. */
GstItcpWrite gst_itcp_link_drain (GstItcpLink * link);
void gst_itcp_link_set_unlocked (GstItcpLink * link, GstPrerollUnlock why,
    gboolean unlocked);

/* Changes the settings events, symbiosis and max_queue_time, which take effect
 * at once. */
void gst_itcp_link_set_settings (GstItcpLink * link,
    const GstItcpSettings * settings);
/* Notes that the media continues at another position, without a gap in time. */
void gst_itcp_link_flushed (GstItcpLink * link);
/* Sends the target again to an upstream that was linked later. */
void gst_itcp_link_repeat_target (GstItcpLink * link);
void gst_itcp_link_stats (GstItcpLink * link, GstItcpLinkStats * stats);

G_END_DECLS

#endif
