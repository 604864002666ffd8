/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpsprecording.h"

#include <control/call.h>

GST_DEBUG_CATEGORY_STATIC (gst_psp_calls_debug);
#define GST_CAT_DEFAULT gst_psp_calls_debug

static gint n_sessions;

/* Logs a call, as the sender's observer. */
static void
record (void *data, const PspCall * call)
{
  const GstPspRecording *r = data;
  gsize room = PSP_CALL_LINE_SIZE (call->n_acknowledgements);
  gchar *line = g_malloc (room + 1);
  gsize size = psp_call_format (call, line, room);

  line[size] = '\0';
  GST_TRACE_OBJECT (r->log, "psp-call %u %s", r->number, line);
  g_free (line);
}

static gboolean
is_recording (void)
{
#ifndef GST_DISABLE_GST_DEBUG
  return gst_debug_category_get_threshold (GST_CAT_DEFAULT) >= GST_LEVEL_TRACE;
#else
  return FALSE;
#endif
}

void
gst_psp_recording_init (GstPspRecording * r, GstObject * log,
    PspSender * sender, gint64 now)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (gst_psp_calls_debug, "pspcalls", 0,
        "calls of the sender core, to be replayed");
    g_once_init_leave (&once, 1);
  }
  r->log = log;
  r->number = (guint) g_atomic_int_add (&n_sessions, 1);
  if (is_recording ())
    psp_sender_observe (sender, record, r, now);
}
