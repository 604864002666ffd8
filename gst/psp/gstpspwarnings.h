/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The warnings of a sending session to the application: of a silent link, of
 * packets that the system refuses, of an outage, and of sending without
 * feedback. A problem that recurs with each packet causes one warning.
 */
#ifndef __GST_PSP_WARNINGS_H__
#define __GST_PSP_WARNINGS_H__

#include <gst/gst.h>

#include <control/sender.h>

#include "net/udp.h"

G_BEGIN_DECLS

typedef struct
{
  guint due;                    /* bits of warnings that must be posted */
  int packet_error, outage_error;       /* positive errno */
  gboolean warned_of_packet, warned_of_streams;
  gboolean outage;              /* packets are refused, and a warning is due or
                                   posted */
  gint64 last_error_at;
  guint64 send_errors;          /* packets that the system refused */
} GstPspWarnings;

/* The facts that the texts contain. */
typedef struct
{
  const PspAddress *destination;
  PspSender *sender;
  guint64 malformed, foreign;   /* feedback that did not count */
  gint64 no_feedback_bitrate;   /* bits/s */
} GstPspWarningFacts;

/* Notes that packets leave to another destination from now on. */
void gst_psp_warnings_begin (GstPspWarnings * w);
/* Notes that the link was stopped, because no feedback comes. */
void gst_psp_warnings_note_silence (GstPspWarnings * w);
/* Notes that media leaves without feedback. */
void gst_psp_warnings_note_no_feedback (GstPspWarnings * w);
/* Notes that more streams leave than are accounted for. */
void gst_psp_warnings_note_overlooked (GstPspWarnings * w);
/* Notes that the system refused n packets with this positive errno; n = 0: the
 * socket could not be read. */
void gst_psp_warnings_note_error (GstPspWarnings * w, int error, guint n,
    gint64 now);
/* Notes that packets left. */
void gst_psp_warnings_note_sent (GstPspWarnings * w, gint64 now);
/* Takes the next warning: a GST_RESOURCE_ERROR, and texts that the caller
 * frees; *debug may be NULL. Returns FALSE if there is none. */
gboolean gst_psp_warnings_take (GstPspWarnings * w,
    const GstPspWarningFacts * facts, gint64 now, gint * code, gchar ** text,
    gchar ** debug);

G_END_DECLS

#endif
