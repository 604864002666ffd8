/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpspsrcstats.h"

static GstStructure *
stream_new (const PspReceiverStreamStats * s, guint32 clock_rate)
{
  GstClockTime jitter = clock_rate ?
      gst_util_uint64_scale_int (GST_SECOND, s->jitter, clock_rate) :
      GST_CLOCK_TIME_NONE;

  return gst_structure_new ("application/x-psp-source-stream-stats",
      "ssrc", G_TYPE_UINT, s->ssrc,
      "packets", G_TYPE_UINT64, s->packets,
      "bytes", G_TYPE_UINT64, s->bytes,
      "payload-bytes", G_TYPE_UINT64, s->payload_bytes,
      "lost", G_TYPE_INT64, s->lost,
      "duplicates", G_TYPE_UINT64, s->duplicates,
      "reordered", G_TYPE_UINT64, s->reordered,
      "jitter", G_TYPE_UINT64, jitter, "bye", G_TYPE_BOOLEAN, s->bye, NULL);
}

GstStructure *
gst_psp_src_stats_new (const PspReceiverStats * r,
    const GstPspSrcCounters * counters, const PspAddress * peer,
    guint32 clock_rate)
{
  GValue streams = G_VALUE_INIT;
  gchar peer_text[PSP_ADDRESS_TEXT];
  gint64 lost = 0;
  guint64 duplicates = 0, reordered = 0;
  GstStructure *stats;
  guint i;

  g_value_init (&streams, GST_TYPE_ARRAY);
  for (i = 0; i < r->n_streams; i++) {
    GValue value = G_VALUE_INIT;

    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, stream_new (&r->streams[i], clock_rate));
    gst_value_array_append_and_take_value (&streams, &value);
    lost += r->streams[i].lost;
    duplicates += r->streams[i].duplicates;
    reordered += r->streams[i].reordered;
  }
  psp_address_text (peer, peer_text);

  stats = gst_structure_new ("application/x-psp-source-stats",
      "packets", G_TYPE_UINT64, r->packets,
      "bytes", G_TYPE_UINT64, r->bytes,
      "payload-bytes", G_TYPE_UINT64, r->payload_bytes,
      "lost", G_TYPE_INT64, lost,
      "duplicates", G_TYPE_UINT64, duplicates,
      "reordered", G_TYPE_UINT64, reordered,
      "malformed", G_TYPE_UINT64, counters->malformed,
      "foreign-packets", G_TYPE_UINT64, counters->foreign_packets,
      "unauthenticated", G_TYPE_UINT64, counters->unauthenticated,
      "replayed", G_TYPE_UINT64, counters->replayed,
      "feedback", G_TYPE_STRING, r->feedback_sent == 0 ? "none" :
      counters->by_numbers ? "twcc" : "ccfb",
      "feedback-sent", G_TYPE_UINT64, r->feedback_sent,
      "feedback-bytes", G_TYPE_UINT64, r->feedback_bytes,
      "feedback-throttled", G_TYPE_UINT64, r->feedback_throttled,
      "feedback-errors", G_TYPE_UINT64, counters->feedback_errors,
      "packets-requested", G_TYPE_UINT64, r->packets_requested,
      "requests-refused", G_TYPE_UINT64, counters->requests_refused,
      "rtcp-received", G_TYPE_UINT64, r->rtcp_received,
      "rtcp-malformed", G_TYPE_UINT64, r->rtcp_malformed,
      "peer-address", G_TYPE_STRING, peer_text, NULL);
  gst_structure_take_value (stats, "streams", &streams);
  return stats;
}
