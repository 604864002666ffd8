/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Turns a sender's notices into what upstream and the application receive. For
 * elements that have a sender of control/sender.h.
 */
#ifndef NOTIFY_NOTICE_H
#define NOTIFY_NOTICE_H

#include <control/sender.h>
#include <gst/congestion/congestion.h>

G_BEGIN_DECLS

/* Returns a new info, in which the caller may set more. Below 0, the
 * notice's target, round trip, loss and spacing are unknown, and so is
 * pace, in bits/s of RTP payload. A frame may take max_frame_time, in ns,
 * to leave; the info has the largest such frame if that and the pace are
 * above 0. */
GstCongestionInfo *gst_notice_to_info (const PspNotice * notice, gint64 pace,
    GstClockTime max_frame_time, const gchar * controller);

G_END_DECLS

#endif
