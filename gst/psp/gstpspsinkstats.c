/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsinkstats.h"

void
gst_psp_sink_stats_init (GstPspDriverStats * stats, const gchar * controller)
{
  memset (stats, 0, sizeof *stats);
  stats->engine.controller = controller;
  stats->engine.sender.rtt = stats->engine.sender.rtt_min = PSP_TIME_UNKNOWN;
  stats->engine.sender.loss = -1.0;
  stats->engine.sender.period = PSP_TIME_UNKNOWN;
  stats->engine.sender.window = PSP_WINDOW_NONE;
  stats->engine.sender.target_bitrate = PSP_BITRATE_UNKNOWN;
  stats->engine.sender.delivered_bitrate = PSP_BITRATE_UNKNOWN;
  stats->engine.sender.link = PSP_LINK_WAITING;
  stats->precision = PSP_PRECISION_SLEEP;
}

/* G_MAXUINT64, which is GST_CLOCK_TIME_NONE too: unknown. */
static guint64
known (gint64 value)
{
  return value < 0 ? G_MAXUINT64 : (guint64) value;
}

static const gchar *
link_name (PspLinkState link)
{
  static const gchar *const names[] = {
    [PSP_LINK_WAITING] = "waiting",
    [PSP_LINK_ALIVE] = "alive",
    [PSP_LINK_SILENT] = "silent",
    [PSP_LINK_STOPPED] = "stopped"
  };

  return names[link];
}

static const gchar *
feedback_name (GstPspFeedback feedback)
{
  static const gchar *const names[] = {
    [GST_PSP_FEEDBACK_NONE] = "none",
    [GST_PSP_FEEDBACK_CCFB] = "ccfb",
    [GST_PSP_FEEDBACK_TWCC] = "twcc",
    [GST_PSP_FEEDBACK_RR] = "rr"
  };

  return names[feedback];
}

GstStructure *
gst_psp_sink_stats_to_structure (const GstPspDriverStats * stats)
{
  const GstPspEngineStats *e = &stats->engine;
  const PspSenderStats *s = &e->sender;

  return gst_structure_new ("application/x-psp-sink-stats",
      "controller", G_TYPE_STRING, e->controller,
      "target-bitrate", G_TYPE_UINT64, known (s->target_bitrate),
      "delivered-bitrate", G_TYPE_UINT64, known (s->delivered_bitrate),
      "rtt", G_TYPE_UINT64, known (s->rtt),
      "rtt-min", G_TYPE_UINT64, known (s->rtt_min),
      "loss", G_TYPE_DOUBLE, s->loss,
      "in-flight", G_TYPE_UINT64, (guint64) s->in_flight,
      "window", G_TYPE_UINT64,
      s->window == PSP_WINDOW_NONE ? G_MAXUINT64 : known (s->window),
      "spacing", G_TYPE_UINT64, s->period > 0 ? (guint64) s->period :
      G_MAXUINT64,
      "packets-sent", G_TYPE_UINT64, s->packets_sent,
      "bytes-sent", G_TYPE_UINT64, s->bytes_sent,
      "payload-bytes-sent", G_TYPE_UINT64, s->payload_bytes_sent,
      "packets-acked", G_TYPE_UINT64, s->packets_acked,
      "packets-lost", G_TYPE_UINT64, s->packets_lost,
      "packets-recovered", G_TYPE_UINT64, s->packets_recovered,
      "packets-ect", G_TYPE_UINT64, s->packets_ect,
      "packets-ce", G_TYPE_UINT64, s->packets_ce,
      "ecn", G_TYPE_STRING, psp_ecn_verdict_name (s->ecn),
      "queue-packets", G_TYPE_UINT, e->queue_packets,
      "queue-bytes", G_TYPE_UINT64, e->queue_bytes,
      "queue-time", G_TYPE_UINT64, e->queue_time,
      "dropped-packets", G_TYPE_UINT64, e->dropped_packets,
      "dropped-pictures", G_TYPE_UINT64, e->dropped_pictures,
      "repairs-requested", G_TYPE_UINT64, e->repairs.requested,
      "repairs-refused", G_TYPE_UINT64, e->repairs.refused,
      "repairs-sent", G_TYPE_UINT64, e->repairs.sent,
      "repair-bytes-sent", G_TYPE_UINT64, e->repairs.sent_bytes,
      "reserved-bitrate", G_TYPE_UINT64, e->reserved_bitrate,
      "send-errors", G_TYPE_UINT64, e->send_errors,
      "feedback-received", G_TYPE_UINT64, s->feedback_received,
      "feedback-bytes", G_TYPE_UINT64, e->feedback_bytes,
      "feedback-malformed", G_TYPE_UINT64, e->feedback_malformed,
      "feedback-unknown-ssrc", G_TYPE_UINT64, s->feedback_unknown_series,
      "feedback-never-sent", G_TYPE_UINT64, s->feedback_never_sent,
      "feedback-foreign", G_TYPE_UINT64, e->feedback_foreign,
      "feedback-unauthenticated", G_TYPE_UINT64, e->feedback_unauthenticated,
      "feedback-replayed", G_TYPE_UINT64, e->feedback_replayed,
      "feedback", G_TYPE_STRING, feedback_name (e->feedback),
      "link-state", G_TYPE_STRING, link_name (s->link),
      "gap-mean", G_TYPE_DOUBLE, s->gap_mean,
      "gap-deviation", G_TYPE_DOUBLE, s->gap_deviation,
      "gap-p99", G_TYPE_UINT64, (guint64) MAX (s->gap_p99, 0),
      "precision", G_TYPE_STRING,
      stats->precision == PSP_PRECISION_REALTIME ? "realtime" : "sleep",
      "segment", G_TYPE_BOOLEAN, stats->segment,
      "system-calls", G_TYPE_UINT64, stats->system_calls,
      "events", G_TYPE_UINT, stats->events, NULL);
}

void
gst_psp_sink_stats_add_base (GstStructure * structure, GstBaseSink * sink)
{
  GstStructure *base = gst_base_sink_get_stats (sink);
  gdouble rate = 0.0;
  guint64 dropped = 0, rendered = 0;

  gst_structure_get (base, "average-rate", G_TYPE_DOUBLE, &rate,
      "dropped", G_TYPE_UINT64, &dropped, "rendered", G_TYPE_UINT64, &rendered,
      NULL);
  gst_structure_free (base);
  gst_structure_set (structure, "average-rate", G_TYPE_DOUBLE, rate,
      "dropped", G_TYPE_UINT64, dropped, "rendered", G_TYPE_UINT64, rendered,
      NULL);
}
