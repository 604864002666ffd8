/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Logs each call of a session's sender with its answer (control/call.h), if the
 * debug category pspcalls is at TRACE when the session begins. tests/replay
 * repeats the calls of such a log on another sender, which must give the same
 * answers.
 */
#ifndef __GST_PSP_RECORDING_H__
#define __GST_PSP_RECORDING_H__

#include <gst/gst.h>

#include <control/sender.h>

G_BEGIN_DECLS

typedef struct
{
  GstObject *log;               /* the object of debug messages; may be NULL */
  guint number;                 /* number of the session in this process */
} GstPspRecording;

/* The recording must not move or be freed before the sender is freed. */
void gst_psp_recording_init (GstPspRecording * r, GstObject * log,
    PspSender * sender, gint64 now);

G_END_DECLS

#endif
