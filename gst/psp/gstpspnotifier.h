/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Delivers what the sender decided, from another thread: handlers of the
 * pipeline and of the application may block, the pacing thread may not.
 */
#ifndef __GST_PSP_NOTIFIER_H__
#define __GST_PSP_NOTIFIER_H__

#include <gst/gst.h>

#include <control/sender.h>

G_BEGIN_DECLS

typedef struct _GstPspNotifier GstPspNotifier;

/* A notice goes upstream from `pad` as an event, to the bus as a message, and
 * `estimate`, a property of the element, notifies when it changes. */
GstPspNotifier *gst_psp_notifier_new (GstElement * element, GstPad * pad,
    GParamSpec * estimate);
/* Begins to deliver, once the pad is active. */
void gst_psp_notifier_start (GstPspNotifier * n);
/* As gst_notifier_stop(). */
void gst_psp_notifier_stop (GstPspNotifier * n);

/* By the streaming thread: packets come, or another stream begins. What nobody
 * upstream got before its first packet comes again with it. */
void gst_psp_notifier_stream (GstPspNotifier * n, gboolean streams);

/* None of these blocks. */

/* With the time that the queue takes to empty, and the controller's name, of
 * static storage. The newest notice replaces what has not been delivered yet,
 * save that the lowest target below the last one delivered goes first. */
void gst_psp_notifier_notice (GstPspNotifier * n, const PspNotice * notice,
    GstClockTime queue_time, const gchar * controller);
/* Posts an element warning; takes both strings. */
void gst_psp_notifier_warn (GstPspNotifier * n, GQuark domain, gint code,
    gchar * text, gchar * debug);
/* Asks upstream for a key frame. */
void gst_psp_notifier_key_frame (GstPspNotifier * n);

/* The last target delivered, in bits/s; 0 = none yet. */
guint gst_psp_notifier_estimate (GstPspNotifier * n);
/* Events sent. */
guint gst_psp_notifier_count (GstPspNotifier * n);

G_END_DECLS

#endif
