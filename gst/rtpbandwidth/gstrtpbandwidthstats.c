/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpbandwidthstats.h"

void
gst_rtp_bandwidth_stats_init (GstRtpBandwidthStats * stats,
    const gchar * controller)
{
  memset (stats, 0, sizeof *stats);
  stats->controller = controller;
  stats->sender.rtt = stats->sender.rtt_min = PSP_TIME_UNKNOWN;
  stats->sender.loss = -1.0;
  stats->sender.window = PSP_WINDOW_NONE;
  stats->sender.target_bitrate = PSP_BITRATE_UNKNOWN;
  stats->sender.delivered_bitrate = PSP_BITRATE_UNKNOWN;
}

/* G_MAXUINT64, which is GST_CLOCK_TIME_NONE too: unknown. */
static guint64
known (gint64 value)
{
  return value < 0 ? G_MAXUINT64 : (guint64) value;
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
  const PspSenderStats *s = &stats->sender;

  return gst_structure_new ("application/x-rtpbandwidth-stats",
      "controller", G_TYPE_STRING, stats->controller,
      "target-bitrate", G_TYPE_UINT64, known (s->target_bitrate),
      "delivered-bitrate", G_TYPE_UINT64, known (s->delivered_bitrate),
      "rtt", G_TYPE_UINT64, known (s->rtt),
      "rtt-min", G_TYPE_UINT64, known (s->rtt_min),
      "loss", G_TYPE_DOUBLE, s->loss,
      "in-flight", G_TYPE_UINT64, (guint64) s->in_flight,
      "window", G_TYPE_UINT64,
      s->window == PSP_WINDOW_NONE ? G_MAXUINT64 : known (s->window),
      "spacing", G_TYPE_UINT64,
      s->period > 0 ? (guint64) s->period : G_MAXUINT64,
      "packets-sent", G_TYPE_UINT64, s->packets_sent,
      "payload-bytes-sent", G_TYPE_UINT64, s->payload_bytes_sent,
      "packets-acked", G_TYPE_UINT64, s->packets_acked,
      "packets-lost", G_TYPE_UINT64, s->packets_lost,
      "packets-recovered", G_TYPE_UINT64, s->packets_recovered,
      "packets-unnumbered", G_TYPE_UINT64, stats->unnumbered_packets,
      "queue-packets", G_TYPE_UINT, stats->queue_packets,
      "queue-time", G_TYPE_UINT64, stats->queue_time,
      "dropped-packets", G_TYPE_UINT64, stats->dropped_packets,
      "dropped-pictures", G_TYPE_UINT64, stats->dropped_pictures,
      "feedback", G_TYPE_STRING, feedback_name (stats->names),
      "feedback-received", G_TYPE_UINT64, s->feedback_received,
      "feedback-malformed", G_TYPE_UINT64, stats->feedback_malformed,
      "feedback-never-sent", G_TYPE_UINT64, s->feedback_never_sent,
      "link-state", G_TYPE_STRING, link_name (stats),
      "events", G_TYPE_UINT, stats->events, NULL);
}
