/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Shared by the files of the link only.
 */
#ifndef __GST_ITCP_LINK_PRIVATE_H__
#define __GST_ITCP_LINK_PRIVATE_H__

#include <gio/gio.h>

#include "gstitcplink.h"

/* Bytes: of a write, until TCP tells, and where the receiver has it tell less
 * (RFC 9293's default MSS): each write is a system call. */
#define ITCP_LEAST_SEGMENT 536

G_BEGIN_DECLS typedef enum
{
  STATE_CONNECTING,
  STATE_LISTENING,
  STATE_CONNECTED,
  STATE_FAILED
} LinkState;

/* Counted, for the writer may use it while the link's thread drops it. */
typedef struct
{
  int fd;
  guint number;                 /* from 1 */
  gint segment;                 /* bytes a write, atomic; 0 = any */
  guint64 acked_before;         /* bytes before the first: a caller's SYN */
} Connection;

struct _GstItcpLink
{
  GstElement *element;          /* owns us */
  GstNotifier *notifier;
  GParamSpec *port_pspec, *estimate_pspec;
  GCancellable *cancellable;    /* of looking names up */
  GThread *thread;
  WaitWaker waker;              /* of the thread */
  WaitAlarm alarm;              /* its own */

  /* Never held across anything that blocks. */
  GMutex lock;
  GCond cond;                   /* a connection, or no more of them */
  GstItcpSettings settings;
  gboolean settings_changed;
  gboolean tells_again;         /* the target */
  gboolean stop;
  guint unlocked;               /* GstItcpUnlock */
  gboolean wants_room;          /* the streaming thread waits for it */
  gboolean drains;              /* and for all to be acknowledged */
  LinkState state;
  Connection *connection;
  int write_error;              /* that ended the connection; 0 = none */
  guint port;                   /* listened on */
  ItcpSymbiosis symbiosis;
  ItcpMeter meter;
  GstClockTime media_time;      /* the newest, if any; the meter's clock then */
  guint64 written;              /* bytes, to all connections */
  gint64 told_target;           /* upstream, last; −1 = none that holds */
  GstItcpLinkStats stats;

  /* The thread's. */
  guint attempts;               /* failed ones in a row */
  gint64 not_before;            /* the next one */
  ItcpSource source;
  ItcpBacklog backlog;
  ItcpStall stall;
  gint64 stall_due;             /* when it could be found */
  gint64 next_tick;
  guint64 written_before;       /* at the last one */
  guint unsent_limit;           /* bytes; 0 = the system's */
  gboolean told_of_source;      /* that it is not the one asked for */
  gint64 asked_at;              /* for a key frame; never: long ago */
  gint64 ask_at;                /* for the next, ITCP_TIME_NEVER = not */
};

/* A connected socket, or a negative errno once there will be none. */
int gst_itcp_link_establish (GstItcpLink * link);
/* Takes the event source that is to be had, and complains once where it is not
 * the one that was asked for. */
void gst_itcp_link_open_source (GstItcpLink * link, int fd);
/* Watches a connection until it ends: with 0 because the link stops, else
 * a negative errno. */
int gst_itcp_link_watch (GstItcpLink * link, Connection * connection);

/* Tells what failed: with an error where there is no trying again. */
void gst_itcp_link_complain (GstItcpLink * link, gboolean fatal,
    gint code, gchar * text);
/* TRUE: the link stops. */
gboolean gst_itcp_link_stops (GstItcpLink * link);
void gst_itcp_link_set_state (GstItcpLink * link, LinkState state);
/* With the lock: the time by the meter's clock. */
gint64 gst_itcp_link_meter_now (GstItcpLink * link);

G_END_DECLS
#endif
