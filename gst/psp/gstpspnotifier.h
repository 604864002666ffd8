/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Tells the pipeline and the application what the sender decided, from
 * a thread of its own: their handlers may block, the pacing thread may not.
 */
#ifndef __GST_PSP_NOTIFIER_H__
#define __GST_PSP_NOTIFIER_H__

#include <gst/gst.h>

#include "core/sender.h"

G_BEGIN_DECLS

typedef struct
{
  PspNotice notice;
  GstClockTime queue_time;
  const gchar *controller;      /* of static storage */
} GstPspNews;

typedef struct _GstPspNotifier GstPspNotifier;

/* News goes upstream from `pad` as an event, to the bus as a message, and
 * `estimate`, a property of the element, notifies when it changes. */
GstPspNotifier *gst_psp_notifier_new (GstElement * element, GstPad * pad,
    GParamSpec * estimate);
/* Begins to tell, once the pad is active. */
void gst_psp_notifier_start (GstPspNotifier * n);
/* As gst_notifier_stop(). */
void gst_psp_notifier_stop (GstPspNotifier * n);

/* By the streaming thread: packets come, or another stream begins. What nobody
 * upstream heard before its first packet is told again with it. */
void gst_psp_notifier_stream (GstPspNotifier * n, gboolean streams);

/* The newest news replaces what has not been told yet, save that the lowest
 * target below the last one told goes first. Never blocks. */
void gst_psp_notifier_tell (GstPspNotifier * n, const GstPspNews * news);
/* Posts an element warning; takes both strings. Never blocks. */
void gst_psp_notifier_warn (GstPspNotifier * n, GQuark domain, gint code,
    gchar * text, gchar * debug);

/* Upstream; takes the event. Never blocks. */
void gst_psp_notifier_push (GstPspNotifier * n, GstEvent * event);

/* The last target told, in bits/s; 0 = none yet. */
guint gst_psp_notifier_estimate (GstPspNotifier * n);
/* Events sent. */
guint gst_psp_notifier_count (GstPspNotifier * n);

G_END_DECLS

#endif
