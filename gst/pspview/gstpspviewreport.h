/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Writes the lines of a report: one JSON object each. Times are
 * microseconds of the monotonic clock. docs/wire.md describes the lines.
 */
#ifndef GST_PSP_VIEW_REPORT_H
#define GST_PSP_VIEW_REPORT_H

#include <gst/gst.h>
#include <jsonwriter.h>

G_BEGIN_DECLS

/* Each function returns FALSE if its line did not fit; then none of it is
 * written. */

/* Writes who reports. This is the first line to a viewer. */
gboolean gst_psp_view_report_hello (PspJson * json);
/* Writes the statistics of an element that plays. */
gboolean gst_psp_view_report_stats (PspJson * json, guint id,
    GstElement * element, const gchar * type);
/* Writes an event, which `structure` describes. */
gboolean gst_psp_view_report_event (PspJson * json, guint id, gint64 time,
    const GstStructure * structure);
/* Writes that an element no longer exists, or no longer plays. */
gboolean gst_psp_view_report_gone (PspJson * json, guint id);
/* Writes what was left out since the last such line, because the viewer
 * was too slow. */
gboolean gst_psp_view_report_missed (PspJson * json, guint reports,
    guint events);

G_END_DECLS

#endif
