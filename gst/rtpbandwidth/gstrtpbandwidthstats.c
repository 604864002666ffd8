/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpbandwidthstats.h"

#include <parameters/senderstats.h>

void
gst_rtp_bandwidth_stats_init (GstRtpBandwidthStats * stats,
    const gchar * controller)
{
  memset (stats, 0, sizeof *stats);
  stats->controller = controller;
  gst_psp_sender_stats_init (&stats->sender);
}

static const gchar *
link_name (const GstRtpBandwidthStats * stats)
{
  if (!stats->controlled)
    return "uncontrolled";
  switch (stats->sender.link) {
    case PSP_LINK_WAITING:
      return "waiting";
    case PSP_LINK_ALIVE:
      return "alive";
    default:
      return "silent";
  }
}

static const gchar *
feedback_name (GstRtpBandwidthNames names)
{
  switch (names) {
    case GST_RTP_BANDWIDTH_NAMES_TRANSPORT:
      return "twcc";
    case GST_RTP_BANDWIDTH_NAMES_STREAM:
      return "ccfb";
    default:
      return "none";
  }
}

GstStructure *
gst_rtp_bandwidth_stats_to_structure (const GstRtpBandwidthStats * stats)
{
  GstStructure *structure =
      gst_psp_sender_stats_to_structure ("application/x-rtpbandwidth-stats",
      stats->controller, &stats->sender);

  gst_structure_set (structure,
      "packets-unnumbered", G_TYPE_UINT64, stats->unnumbered_packets,
      "queue-packets", G_TYPE_UINT, stats->queue_packets,
      "queue-time", G_TYPE_UINT64, stats->queue_time,
      "dropped-packets", G_TYPE_UINT64, stats->dropped_packets,
      "dropped-pictures", G_TYPE_UINT64, stats->dropped_pictures,
      "feedback", G_TYPE_STRING, feedback_name (stats->names),
      "feedback-malformed", G_TYPE_UINT64, stats->feedback_malformed,
      "link-state", G_TYPE_STRING, link_name (stats),
      "events", G_TYPE_UINT, stats->events, NULL);
  return structure;
}
