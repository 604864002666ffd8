/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsinkstats.h"

#include <parameters/senderstats.h>

void
gst_psp_sink_stats_init (GstPspDriverStats * stats, const gchar * controller)
{
  memset (stats, 0, sizeof *stats);
  stats->engine.controller = controller;
  gst_psp_sender_stats_init (&stats->engine.sender);
  stats->precision = PSP_PRECISION_SLEEP;
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
feedback_name (PspReportKind feedback)
{
  static const gchar *const names[] = {
    [PSP_REPORT_NONE] = "none",
    [PSP_REPORT_CCFB] = "ccfb",
    [PSP_REPORT_TWCC] = "twcc",
    [PSP_REPORT_RR] = "rr"
  };

  return names[feedback];
}

GstStructure *
gst_psp_sink_stats_to_structure (const GstPspDriverStats * stats)
{
  const GstPspEngineStats *e = &stats->engine;
  const PspSenderStats *s = &e->sender;
  GstStructure *structure =
      gst_psp_sender_stats_to_structure ("application/x-psp-sink-stats",
      e->controller, s);

  gst_structure_set (structure,
      "bytes-sent", G_TYPE_UINT64, s->bytes_sent,
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
      "feedback-bytes", G_TYPE_UINT64, e->feedback_bytes,
      "feedback-malformed", G_TYPE_UINT64, e->feedback_malformed,
      "feedback-unknown-ssrc", G_TYPE_UINT64, s->feedback_unknown_series,
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
  return structure;
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
