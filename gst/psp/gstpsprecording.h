/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Where the debug category pspcalls is at TRACE when a session begins, each
 * call of its sender and its answer are in the log (control/call.h). What
 * such a log says can be put to another sender, which has to answer the same:
 * tests/replay.
 */
#ifndef __GST_PSP_RECORDING_H__
#define __GST_PSP_RECORDING_H__

#include <gst/gst.h>

#include <control/sender.h>

G_BEGIN_DECLS

typedef struct
{
  GstObject *log;               /* whom the log names; may be NULL */
  guint number;                 /* of the session, in this process */
} GstPspRecording;

/* Must stay where it is for as long as the sender is there. */
void gst_psp_recording_init (GstPspRecording * r, GstObject * log,
    PspSender * sender, gint64 now);

G_END_DECLS

#endif
