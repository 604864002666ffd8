/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * pspsink itself: what of it runs (gstpspsinkrun.c) and what GStreamer sees of
 * that (gstpspsink.c).
 */
#ifndef __GST_PSP_SINK_PRIVATE_H__
#define __GST_PSP_SINK_PRIVATE_H__

#include "gstpspsink.h"
#include "gstpspdriver.h"
#include "gstpspsinksettings.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_psp_sink_debug);

struct _GstPspSink
{
  GstBaseSink parent;

  /* With the object lock. */
  GstPspSinkSettings settings;
  gboolean applying_uri;        /* host, port, controller change together */
  gchar *uri_error;             /* of the URI set last */
  GError *refused;              /* setting, of which nobody could be told */
  GSocket *used_socket;

  /* Opening, redirecting; held while a name resolves. */
  GMutex open_lock;
  /* What runs; never held across anything that blocks for long. */
  GMutex run_lock;
  GstPspDriver *driver;
  GstNotifier *notifier;
  PspAddress destination;

  /* The streaming thread's. */
  GArray *packets;              /* of GstPspPacket */
  gint warned_of_size;          /* the smallest that a packet exceeded */
  gint overhead;                /* bytes that encryption adds to a packet */
};

/* Posts an error or a warning. Takes the error. */
void gst_psp_sink_post (GstPspSink * self, GstMessageType type, GError * error);

/* FALSE: said why. */
gboolean gst_psp_sink_start (GstPspSink * self);
void gst_psp_sink_stop (GstPspSink * self);

/* The engine, until it is unlocked; NULL, and nothing locked, where none runs. */
GstPspEngine *gst_psp_sink_lock_engine (GstPspSink * self);
void gst_psp_sink_unlock_engine (GstPspSink * self);

/* A property changed, which takes effect at once where it can. */
void gst_psp_sink_redirect (GstPspSink * self);
void gst_psp_sink_update_socket (GstPspSink * self);
/* @anew: even where it is the one in force. */
void gst_psp_sink_update_controller (GstPspSink * self, gboolean anew);
void gst_psp_sink_update_limits (GstPspSink * self);
void gst_psp_sink_update_parameters (GstPspSink * self);
void gst_psp_sink_update_ecn (GstPspSink * self);
void gst_psp_sink_update_queue (GstPspSink * self);
void gst_psp_sink_update_repair (GstPspSink * self);
void gst_psp_sink_update_srtp (GstPspSink * self);
void gst_psp_sink_reset_controller (GstPspSink * self);

G_END_DECLS

#endif
