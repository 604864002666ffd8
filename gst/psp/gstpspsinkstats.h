/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The `stats` property of pspsink; its fields are documented with the
 * element.
 */
#ifndef __GST_PSP_SINK_STATS_H__
#define __GST_PSP_SINK_STATS_H__

#include <gst/base/gstbasesink.h>

#include "gstpspdriver.h"

G_BEGIN_DECLS

/* Sets the values for a session that does not run. */
void gst_psp_sink_stats_init (GstPspDriverStats * stats,
    const gchar * controller);
GstStructure *gst_psp_sink_stats_to_structure (const GstPspDriverStats *
    stats);
/* Adds the fields of GstBaseSink's statistics. */
void gst_psp_sink_stats_add_base (GstStructure * structure, GstBaseSink * sink);

G_END_DECLS

#endif
