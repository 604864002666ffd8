/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What of a sending session the application is warned of, and how often: of a
 * silent link, of packets that the system refuses, of an outage, of sending
 * without feedback. What comes again with each packet is warned of once.
 */
#ifndef __GST_PSP_WARNINGS_H__
#define __GST_PSP_WARNINGS_H__

#include <gst/gst.h>

#include <control/sender.h>

#include "net/udp.h"

G_BEGIN_DECLS

typedef struct
{
  guint due;                    /* bits of warnings to be posted */
  int packet_error, outage_error;       /* positive errno */
  gboolean warned_of_packet;
  gboolean outage;              /* packets are refused, which was told */
  gint64 last_error_at;
  guint64 send_errors;          /* packets */
} GstPspWarnings;

/* What the texts name. */
typedef struct
{
  const PspAddress *destination;
  PspSender *sender;
  guint64 malformed, foreign;   /* feedback that did not count */
  gint64 no_feedback_bitrate;   /* bits/s */
} GstPspWarningFacts;

/* Packets go to another destination from here on. */
void gst_psp_warnings_begin (GstPspWarnings * w);
/* The link was stopped, because no feedback comes. */
void gst_psp_warnings_note_silence (GstPspWarnings * w);
/* Media goes on without feedback. */
void gst_psp_warnings_note_no_feedback (GstPspWarnings * w);
/* The system refused n packets, for this positive errno; n = 0: it refused to
 * read. */
void gst_psp_warnings_note_error (GstPspWarnings * w, int error, guint n,
    gint64 now);
/* Packets left. */
void gst_psp_warnings_note_sent (GstPspWarnings * w, gint64 now);
/* Takes the next warning: a GST_RESOURCE_ERROR, and texts that are the caller's;
 * *debug may be NULL. FALSE: there is none. */
gboolean gst_psp_warnings_take (GstPspWarnings * w,
    const GstPspWarningFacts * facts, gint64 now, gint * code, gchar ** text,
    gchar ** debug);

G_END_DECLS

#endif
