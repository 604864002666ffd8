/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The lines of a report: one JSON object each. Times are microseconds of the
 * monotonic clock. docs/wire.md describes them.
 */
#ifndef GST_PSP_VIEW_REPORT_H
#define GST_PSP_VIEW_REPORT_H

#include <gst/gst.h>
#include <jsonwriter.h>

G_BEGIN_DECLS

/* Each returns FALSE where the line did not fit; nothing of it is written. */

/* Who reports: the first line to a viewer. */
gboolean gst_psp_view_report_hello (PspJson * json);
/* The statistics of an element that plays. */
gboolean gst_psp_view_report_stats (PspJson * json, guint id,
    GstElement * element, const gchar * type);
/* Something happened, `structure` says what. */
gboolean gst_psp_view_report_event (PspJson * json, guint id, gint64 time,
    const GstStructure * structure);
/* The element is no more, or does not play any longer. */
gboolean gst_psp_view_report_gone (PspJson * json, guint id);
/* What was left out since the last such line, as the viewer was too slow. */
gboolean gst_psp_view_report_missed (PspJson * json, guint reports,
    guint events);

G_END_DECLS

#endif
