/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_RTP_BANDWIDTH_STATS_H__
#define __GST_RTP_BANDWIDTH_STATS_H__

#include <gst/gst.h>

#include "gstrtpbandwidthpath.h"

G_BEGIN_DECLS

typedef struct
{
  PspSenderStats sender;
  const gchar *controller;
  gboolean controlled;          /* feedback comes, or may still come */
  guint queue_packets;
  GstClockTime queue_time;
  guint64 dropped_packets, dropped_pictures;
  guint64 unnumbered_packets;
  guint64 feedback_malformed;
  GstRtpBandwidthNames names;
  guint events;
} GstRtpBandwidthStats;

/* Sets the statistics of an element that has not started. */
void gst_rtp_bandwidth_stats_init (GstRtpBandwidthStats * stats,
    const gchar * controller);
GstStructure *gst_rtp_bandwidth_stats_to_structure (const GstRtpBandwidthStats *
    stats);

G_END_DECLS

#endif
