/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Reads rtpsession's event RTPTWCCPackets.
 */
#ifndef __GST_RTP_BANDWIDTH_FEEDBACK_H__
#define __GST_RTP_BANDWIDTH_FEEDBACK_H__

#include <gst/gst.h>

#include "core/transportfeedback.h"

G_BEGIN_DECLS

gboolean gst_rtp_bandwidth_is_feedback (const GstStructure * s);
/* Returns the `n` statuses, or NULL if the event is malformed. Free them
 * with g_free(). */
PspTransportStatus *gst_rtp_bandwidth_read_feedback (const GstStructure * s,
    gsize * n);

G_END_DECLS

#endif
