/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Delivers notices to the pipeline and to the application from another thread:
 * their handlers may block, but the thread that sends them may not.
 *
 * All GLib thread pools share the threads. A notifier has a thread only while
 * it has something to deliver, so there are as many threads as running
 * handlers. The notices of one notifier arrive in order.
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

/* Events leave upstream from `pad`. `estimate` is the element's property that
 * shows the target of gst_notifier_replace; NULL = none. */
GstNotifier *gst_notifier_new (GstElement * element, GstPad * pad,
    GParamSpec * estimate);
/* Starts the delivery; the pad must be active. */
void gst_notifier_start (GstNotifier * n);
/* Ends the delivery and frees the notifier with all undelivered notices. It
 * waits at most a second for a running handler of this notifier, because the
 * handler may itself wait for the thread that stops. After that second, or if a
 * handler calls this, delivery ends when the handler returns. */
void gst_notifier_stop (GstNotifier * n);

/* The functions below do not block. They deliver in the order of the calls. If
 * too many notices wait, the oldest are dropped, but never an error. */

/* Tells the GstNotifierReceivers; takes the info. */
void gst_notifier_congestion (GstNotifier * n, GstCongestionInfo * info,
    guint receivers);
/* Asks upstream for a key frame. */
void gst_notifier_key_frame (GstNotifier * n);
/* Asks upstream to send an RTP packet again, as rtprtxsend does. */
void gst_notifier_retransmission (GstNotifier * n, guint32 ssrc, guint16 seq);
void gst_notifier_notify (GstNotifier * n, GParamSpec * pspec);
/* Stops the estimate from notifying while `hold` is TRUE. Afterwards it
 * notifies if it has changed. */
void gst_notifier_hold_estimate (GstNotifier * n, gboolean hold);
/* Posts an element error or warning; takes both texts. debug may be NULL. */
void gst_notifier_post (GstNotifier * n, GstMessageType type, GQuark domain,
    gint code, gchar * text, gchar * debug);

/* Returns TRUE if no upstream element handled the last congestion event. */
gboolean gst_notifier_missed (GstNotifier * n);

/* Tells a decision to both receivers, after what else waits; takes the info
 * and counts it. The newest decision replaces one that has not been delivered
 * yet, but the lowest target below the last one delivered goes first. The
 * estimate notifies if it changes. Does not block. */
void gst_notifier_replace (GstNotifier * n, GstCongestionInfo * info);
/* For the streaming thread: packets come, or another stream starts. A
 * decision that no upstream element handled before the stream's first
 * packet is delivered again with that packet. Does not block. */
void gst_notifier_stream (GstNotifier * n, gboolean streams);
/* Returns the target of the last decision delivered, in bits/s; 0 = none. */
guint gst_notifier_estimate (GstNotifier * n);
/* Returns the number of decisions delivered. */
guint gst_notifier_count (GstNotifier * n);

G_END_DECLS

#endif
