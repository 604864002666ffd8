/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <notify/notice.h>

/* The controllers' reasons must equal the library's, in the same order. */
#define SAME_REASON(name) \
  G_STATIC_ASSERT ((gint) PSP_REASON_##name == GST_CONGESTION_REASON_##name)
SAME_REASON (START);
SAME_REASON (INCREASE);
SAME_REASON (LOSS);
SAME_REASON (TIMEOUT);
SAME_REASON (DUPACK);
SAME_REASON (REXMT);
SAME_REASON (BACKLOG);
SAME_REASON (ECN);
SAME_REASON (DELAY);
SAME_REASON (LIMIT);
SAME_REASON (RESET);

/* Returns the largest frame, in bytes, that may leave within the time. 0.8
 * of the time is the frame's own; the rest is for what waits before it. A
 * controller's pace may be that of a short burst, but a long frame leaves
 * at the target. */
static guint64
largest_frame (const PspNotice * notice, gint64 pace, GstClockTime max_time)
{
  if (notice->target_bitrate > 0)
    pace = MIN (pace, notice->target_bitrate);
  return gst_util_uint64_scale (pace, max_time, 10 * GST_SECOND);
}

GstCongestionInfo *
gst_notice_to_info (const PspNotice * notice, gint64 pace,
    GstClockTime max_frame_time, const gchar * controller)
{
  GstCongestionInfo *info =
      gst_congestion_info_new ((GstCongestionReason) notice->reason);

  if (notice->target_bitrate >= 0)
    gst_congestion_info_set_target_bitrate (info, notice->target_bitrate);
  gst_congestion_info_set_scale (info, notice->scale);
  if (notice->rtt >= 0)
    gst_congestion_info_set_rtt (info, notice->rtt);
  gst_congestion_info_set_loss (info, notice->loss);
  if (notice->spacing >= 0)
    gst_congestion_info_set_spacing (info, notice->spacing);
  if (pace > 0) {
    gst_congestion_info_set_pace (info, pace);
    gst_congestion_info_set_max_frame_size (info,
        largest_frame (notice, pace, max_frame_time));
  }
  gst_congestion_info_set_controller (info, controller);
  return info;
}
