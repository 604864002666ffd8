/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Tells the pipeline and the application, from a thread of its own: their
 * handlers may block, whoever has the news may not.
 */
#ifndef __GST_NOTIFIER_H__
#define __GST_NOTIFIER_H__

#include <gst/congestion/congestion.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstNotifier GstNotifier;

typedef struct
{
  const gchar *thread;          /* its name */
  /* Once the queue is empty, with the lock, which it drops while it tells;
   * FALSE: there is nothing. Or NULL. */
  gboolean (*tell_next) (GstNotifier *);
} GstNotifierClass;

/* The first member of what an element makes of it. */
struct _GstNotifier
{
  const GstNotifierClass *klass;
  GstElement *element;
  GstPad *pad;
  GThread *thread;

  GMutex lock;                  /* never held while telling */
  GCond cond;
  gboolean stop, ended;
  GQueue items;

  gint missed;                  /* atomic */
};

/* Of `size` bytes, zero behind the first member. */
gpointer gst_notifier_new (gsize size, const GstNotifierClass * klass,
    GstElement * element, GstPad * pad);
/* Begins to tell, once the pad is active. */
void gst_notifier_start (GstNotifier * n);
/* Ends the thread and drops the notifier; what has not been told is dropped.
 * Waits for a handler that runs, but for no more than a second: it may itself
 * wait for whoever stops. Then, and from within a handler, the thread ends once
 * that returns. */
void gst_notifier_stop (GstNotifier * n);

/* None of these blocks. In the order of the calls; of too many that wait the
 * oldest are dropped, but never an error. */

/* To the application, and with upstream to the pipeline too; takes the info. */
void gst_notifier_tell (GstNotifier * n, GstCongestionInfo * info,
    gboolean upstream);
/* Upstream; takes the event. */
void gst_notifier_push (GstNotifier * n, GstEvent * event);
void gst_notifier_notify (GstNotifier * n, GParamSpec * pspec);
/* An element error or warning; takes both texts, debug may be NULL. */
void gst_notifier_post (GstNotifier * n, GstMessageType type, GQuark domain,
    gint code, gchar * text, gchar * debug);

/* TRUE: the last news upstream found nobody who took it. */
gboolean gst_notifier_missed (GstNotifier * n);
/* For tell_next, without the lock: at once. */
void gst_notifier_tell_now (GstNotifier * n, const GstCongestionInfo * info,
    gboolean upstream);

G_END_DECLS

#endif
