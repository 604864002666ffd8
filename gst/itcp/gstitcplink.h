/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The connection: a thread makes it, watches it and makes it again; the
 * streaming thread writes to it.
 */
#ifndef __GST_ITCP_LINK_H__
#define __GST_ITCP_LINK_H__

#include <gst/gst.h>
#include <gst/notify/notifier.h>

#include "core/backlog.h"
#include "core/meter.h"
#include "core/stall.h"
#include "core/symbiosis.h"
#include "gstitcpsettings.h"
#include "net/source.h"

G_BEGIN_DECLS

typedef struct _GstItcpLink GstItcpLink;

typedef struct
{
  const gchar *state;           /* of static storage */
  const gchar *source;          /* of static storage */
  gchar congestion[16];
  guint connections;
  guint64 events[ITCP_N_EVENT_KINDS];
  guint told;
  gint64 target, base;          /* bits/s; -1 = unknown */
  guint64 bytes_sent, bytes_acked, dropped;
  guint64 retransmits;          /* segments */
  gint64 rtt, unsent, unacked;  /* of the connection; 0 without one */
  gint64 last_delay;            /* ns from kernel to us; -1 = unknown */
} GstItcpLinkStats;

/* How far a buffer has been written. */
typedef struct
{
  gsize done;
  guint connection;             /* 0 = to none yet */
  GstClockTime time;            /* in the media, if known: its rate is what it
                                   is there, however long we keep it waiting */
  gboolean counted;
  gboolean is_rest;             /* for that connection only */
} GstItcpProgress;

typedef enum
{
  GST_ITCP_WRITE_DONE,
  GST_ITCP_WRITE_DROPPED,       /* nobody is there, nor to be waited for */
  GST_ITCP_WRITE_INTERRUPTED,   /* unlocked; go on later */
  GST_ITCP_WRITE_FAILED         /* an error was posted */
} GstItcpWrite;

/* Who may want writes to be interrupted. */
typedef enum
{
  GST_ITCP_UNLOCK_STOP = 1,     /* a pause, a flush */
  GST_ITCP_UNLOCK_START = 2     /* a change to PLAYING */
} GstItcpUnlock;

/* Its thread starts to make the connection. Copies the settings. port_pspec,
 * estimate_pspec: properties of the element that notify. NULL: the process
 * has no file descriptor left. */
GstItcpLink *gst_itcp_link_new (GstElement * element,
    GstNotifier * notifier, const GstItcpSettings * settings,
    GParamSpec * port_pspec, GParamSpec * estimate_pspec);
/* Closes the connection; what was written still goes out. */
void gst_itcp_link_free (GstItcpLink * link);

/* Blocks until all is written, or gst_itcp_link_set_unlocked. Whatever goes
 * to a new connection starts with the first byte of a buffer. */
GstItcpWrite gst_itcp_link_write (GstItcpLink * link, const guint8 * data,
    gsize size, GstItcpProgress * progress);
/* Blocks until the receiver has acknowledged all, or is gone. */
GstItcpWrite gst_itcp_link_drain (GstItcpLink * link);
void gst_itcp_link_set_unlocked (GstItcpLink * link, GstItcpUnlock why,
    gboolean unlocked);

/* events, symbiosis and max_queue_time take effect at once. */
void gst_itcp_link_set_settings (GstItcpLink * link,
    const GstItcpSettings * settings);
/* Media goes on elsewhere, in no time. */
void gst_itcp_link_flushed (GstItcpLink * link);
/* Tells the target once more, to an upstream that has come since. */
void gst_itcp_link_tell_again (GstItcpLink * link);
void gst_itcp_link_stats (GstItcpLink * link, GstItcpLinkStats * stats);
guint gst_itcp_link_port (GstItcpLink * link);
guint gst_itcp_link_estimate (GstItcpLink * link);

G_END_DECLS

#endif
