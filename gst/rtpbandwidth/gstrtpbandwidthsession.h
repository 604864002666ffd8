/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds the session behind an element: rtpsession's own object, which emits
 * "on-feedback-rtcp".
 */
#ifndef __GST_RTP_BANDWIDTH_SESSION_H__
#define __GST_RTP_BANDWIDTH_SESSION_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns the internal session of the rtpsession downstream of this source
 * pad, or NULL. Only bins and elements with one source pad may be between
 * them. The caller owns the reference. */
GObject *gst_rtp_bandwidth_find_session (GstPad * srcpad);

G_END_DECLS

#endif
