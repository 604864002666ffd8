/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Tells the pipeline and the application, from a thread of its own: their
 * handlers may block, whoever watches the connection may not.
 */
#ifndef __GST_ITCP_NOTIFIER_H__
#define __GST_ITCP_NOTIFIER_H__

#include <gst/congestion/congestion.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstItcpNotifier GstItcpNotifier;

GstItcpNotifier *gst_itcp_notifier_new (GstElement * element, GstPad * pad);
/* Begins to tell, once the pad is active. */
void gst_itcp_notifier_start (GstItcpNotifier * n);
/* Ends the thread and frees the notifier; what has not been told is dropped.
 * From within a handler the thread ends once that returns. */
/* TRUE: the last event upstream found nobody who took it. */
gboolean gst_itcp_notifier_missed (GstItcpNotifier * n);
void gst_itcp_notifier_stop (GstItcpNotifier * n);

/* None of these blocks. To the application, and with upstream to the pipeline
 * too; takes the info. */
void gst_itcp_notifier_tell (GstItcpNotifier * n, GstCongestionInfo * info,
    gboolean upstream);
void gst_itcp_notifier_notify (GstItcpNotifier * n, GParamSpec * pspec);
/* An element error or warning; takes the text. */
void gst_itcp_notifier_post (GstItcpNotifier * n, GstMessageType type,
    gint code, gchar * text);

G_END_DECLS

#endif
