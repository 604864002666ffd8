/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Declarations that only the files of the link share.
 */
#ifndef __GST_ITCP_LINK_PRIVATE_H__
#define __GST_ITCP_LINK_PRIVATE_H__

#include <gio/gio.h>

#include "gstitcplink.h"

/* Bytes per write until TCP reports its segment size, and if the receiver makes
 * TCP report less (RFC 9293's default MSS): each write is a system call. */
#define ITCP_LEAST_SEGMENT 536

G_BEGIN_DECLS

typedef enum
{
  STATE_CONNECTING,
  STATE_LISTENING,
  STATE_CONNECTED,
  STATE_FAILED
} LinkState;

/* A connected socket. It is reference counted, because the writer may use it
 * while the link's thread drops it. */
typedef struct
{
  int fd;
  guint number;                 /* counts from 1 */
  /* The receiver has ended its own direction. It is gone unless it acknowledges
   * more by then than had been written; PSP_TIME_NEVER = it has. */
  gboolean half_closed;
  guint64 written_at_close;
  gint64 gone_at;
  gint segment;                 /* bytes per write, atomic; 0 = any */
  /* bytes acknowledged before the first data byte: a caller's SYN */
  guint64 acked_before;
} Connection;

struct _GstItcpLink
{
  GstElement *element;          /* the element that owns the link */
  GstNotifier *notifier;
  GParamSpec *port_pspec, *estimate_pspec;
  GCancellable *cancellable;    /* cancels name resolution */
  GThread *thread;
  WaitWaker waker;              /* wakes the thread */
  WaitAlarm alarm;              /* only the thread uses it */

  gint stop;                    /* atomic */

  /* The lock is never held across anything that blocks. */
  GMutex lock;
  /* signals a connection, or that there will be none */
  GCond cond;
  GstItcpSettings settings;
  gboolean settings_changed;
  gboolean repeats_target;      /* the target is to be sent upstream again */
  guint unlocked;               /* GstPrerollUnlock */
  /* The streaming thread waits for room. Changed under the lock; atomic, so
   * that it can be read without the lock. */
  gint wants_room;
  /* the streaming thread waits for all data to be acknowledged */
  gboolean drains;
  LinkState state;
  Connection *connection;
  gboolean writing;             /* the streaming thread is in a write */
  gboolean ending;              /* the link's thread waits for a write */
  /* the error that ended the connection, if a write got it; 0 = none */
  int write_error;
  guint port;                   /* port that the thread listens on */
  ItcpAdaptation adaptation;
  ItcpMeter meter;
  /* the meter's clock, once a buffer has had a stamp */
  ItcpMediaClock media_clock;
  guint64 written;              /* bytes written to all connections */
  GstItcpLinkStats stats;

  /* Only the thread uses the members below. */
  guint attempts;               /* failed attempts in a row */
  ItcpRateLimit attempt_warnings, end_warnings;
  gint64 not_before;            /* earliest time of the next attempt */
  ItcpSource source;
  ItcpBacklog backlog;
  ItcpStall stall;
  gint64 stall_due;             /* when a stall could next be found */
  gint64 next_tick;
  guint64 written_before;       /* `written` at the last tick */
  guint notified_estimate;      /* bits/s; 0 = none yet */
  guint unsent_limit;           /* bytes; 0 = the system's limit */
  /* the element has posted that its source is not the one requested */
  gboolean warned_of_source;
  /* when a key frame was last requested; long ago if never */
  gint64 asked_at;
  /* when to request the next key frame; PSP_TIME_NEVER = not at all */
  gint64 ask_at;
};

/* Returns a connected socket, or a negative errno if there will be none. */
int gst_itcp_link_establish (GstItcpLink * link);
/* Opens the event source that is available. It posts one warning if that is not
 * the requested one. */
void gst_itcp_link_open_source (GstItcpLink * link, int fd);
/* Watches a connection until it ends. Returns 0 if the link stops, else a
 * negative errno. */
int gst_itcp_link_watch (GstItcpLink * link, Connection * connection);

/* Posts an error if `fatal`, else a warning, which the limit may suppress; NULL
 * = no limit. Takes the text. */
void gst_itcp_link_post (GstItcpLink * link, gboolean fatal, gint code,
    ItcpRateLimit * limit, gchar * text);
void gst_itcp_link_set_state (GstItcpLink * link, LinkState state);
/* Returns the time of the meter's clock. The caller holds the lock. */
gint64 gst_itcp_link_meter_now (GstItcpLink * link);
/* Returns the target in bits/s; 0 = unknown. The caller holds the lock. */
guint gst_itcp_link_estimate (GstItcpLink * link);

static inline gboolean
gst_itcp_link_stops (GstItcpLink * link)
{
  return g_atomic_int_get (&link->stop);
}

G_END_DECLS
#endif
