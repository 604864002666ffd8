/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <parameters/senderstats.h>

#include <string.h>

void
gst_psp_sender_stats_init (PspSenderStats * stats)
{
  memset (stats, 0, sizeof *stats);
  stats->rtt = stats->rtt_min = stats->period = PSP_TIME_UNKNOWN;
  stats->loss = -1.0;
  stats->window = PSP_WINDOW_NONE;
  stats->target_bitrate = PSP_BITRATE_UNKNOWN;
  stats->delivered_bitrate = PSP_BITRATE_UNKNOWN;
  stats->link = PSP_LINK_WAITING;
}

/* G_MAXUINT64, which is GST_CLOCK_TIME_NONE too: unknown. */
static guint64
known (gint64 value)
{
  return value < 0 ? G_MAXUINT64 : (guint64) value;
}

GstStructure *
gst_psp_sender_stats_to_structure (const gchar * name,
    const gchar * controller, const PspSenderStats * s)
{
  return gst_structure_new (name,
      "controller", G_TYPE_STRING, controller,
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
      "feedback-received", G_TYPE_UINT64, s->feedback_received,
      "feedback-never-sent", G_TYPE_UINT64, s->feedback_never_sent, NULL);
}
