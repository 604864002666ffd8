/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The element pspsink: gstpspsinkrun.c has its running session, gstpspsink.c
 * its interface to GStreamer.
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

  /* The object lock guards these members. */
  GstPspSinkSettings settings;
  gboolean applying_uri;        /* host, port, controller change together */
  gchar *uri_error;             /* message about the last URI, or NULL */
  GError *refused;              /* warning to post once there is a bus */
  gboolean limits_changed;      /* they must be checked */
  GSocket *used_socket;

  /* Guards opening and redirecting; held while a name resolves. */
  GMutex open_lock;
  /* Guards the running session below; never held for long. */
  GMutex run_lock;
  GstPspDriver *driver;
  GstNotifier *notifier;
  PspAddress destination;
  gboolean redirecting;         /* its thread is awaited, without the lock */
  GCond redirected;

  /* Only the streaming thread uses these members. */
  GArray *packets;              /* of GstPspPacket */
  gint warned_of_size;          /* bytes; the limit in the last warning */
  gint overhead;                /* bytes that encryption adds to a packet */
  /* payload type of the session's repairs, written at the start; 0 = none */
  gint rtx_payload_type;
};

/* Posts an error or a warning. Takes the error. */
void gst_psp_sink_post (GstPspSink * self, GstMessageType type, GError * error);

/* Returns FALSE after it has posted an error. */
gboolean gst_psp_sink_start (GstBaseSink * sink);
void gst_psp_sink_stop (GstBaseSink * sink);

/* Locks and returns the engine. Returns NULL and locks nothing if none runs. */
GstPspEngine *gst_psp_sink_lock_engine (GstPspSink * self);
void gst_psp_sink_unlock_engine (GstPspSink * self);

/* True from start to stop. */
gboolean gst_psp_sink_is_running (GstPspSink * self);
/* Warns if limits that have changed since the last call contradict each
 * other. */
void gst_psp_sink_check_limits (GstPspSink * self);

/* The functions below apply changed properties to the running session. */

/* Applies host and port. */
void gst_psp_sink_redirect (GstPspSink * self);
void gst_psp_sink_update_socket (GstPspSink * self);
/* `anew` restarts the controller even if it is the one in force. */
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
