/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Delivers reports to the pipeline and to the application from another thread:
 * their handlers may block, but the thread that reports may not.
 *
 * All GLib thread pools share the threads. A notifier has a thread only while
 * it has something to deliver, so there are as many threads as running
 * handlers. The reports of one notifier arrive in order.
 */
#ifndef NOTIFY_NOTIFIER_H
#define NOTIFY_NOTIFIER_H

#include <gst/congestion/congestion.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstNotifier GstNotifier;

/* Who receives a congestion info: the application as a message, upstream
 * elements as an event. */
typedef enum
{
  GST_NOTIFIER_APPLICATION = 1 << 0,
  GST_NOTIFIER_UPSTREAM = 1 << 1
} GstNotifierReceivers;

/* Delivers one report that comes after those in the queue. The caller holds the
 * lock; the function releases it during the delivery. Returns FALSE if nothing
 * waits. */
typedef gboolean (*GstNotifierDeliver) (GstNotifier * n);

/* An element's own notifier struct begins with this struct. */
struct _GstNotifier
{
  GstElement *element;
  GstPad *pad;
  GstNotifierDeliver deliver_next;      /* NULL = none */

  GMutex lock;                  /* never held during a delivery */
  /* signalled to gst_notifier_stop when `scheduled` has changed */
  GCond cond;
  gboolean started, stop;
  gboolean scheduled;           /* a thread delivers or has been asked to */
  gboolean abandoned;           /* that thread frees the notifier */
  GThread *thread;              /* the thread that delivers, or NULL */
  GQueue items;

  gint missed;                  /* atomic; see gst_notifier_missed */
};

/* Allocates `size` bytes, all zero after the GstNotifier at the start.
 * deliver_next may be NULL. */
gpointer gst_notifier_new (gsize size, GstNotifierDeliver deliver_next,
    GstElement * element, GstPad * pad);
/* Starts the delivery; the pad must be active. */
void gst_notifier_start (GstNotifier * n);
/* Ends the delivery and frees the notifier with all undelivered reports. It
 * waits at most a second for a running handler of this notifier, because the
 * handler may itself wait for the thread that stops. After that second, or if a
 * handler calls this, delivery ends when the handler returns. */
void gst_notifier_stop (GstNotifier * n);

/* The functions below do not block. They deliver in the order of the calls. If
 * too many reports wait, the oldest are dropped, but never an error. */

/* Reports to the GstNotifierReceivers; takes the info. */
void gst_notifier_congestion (GstNotifier * n, GstCongestionInfo * info,
    guint receivers);
/* Pushes an event upstream; takes the event. */
void gst_notifier_push (GstNotifier * n, GstEvent * event);
void gst_notifier_notify (GstNotifier * n, GParamSpec * pspec);
/* Posts an element error or warning; takes both texts. debug may be NULL. */
void gst_notifier_post (GstNotifier * n, GstMessageType type, GQuark domain,
    gint code, gchar * text, gchar * debug);

/* Returns TRUE if no upstream element handled the last congestion event. */
gboolean gst_notifier_missed (GstNotifier * n);

/* deliver_next has something to deliver. The caller holds the lock. */
void gst_notifier_schedule (GstNotifier * n);
/* Delivers at once. deliver_next calls it without the lock. */
void gst_notifier_deliver_congestion (GstNotifier * n,
    const GstCongestionInfo * info, guint receivers);

G_END_DECLS

#endif
