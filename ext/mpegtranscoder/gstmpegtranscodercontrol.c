/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegtranscodercontrol.h"

#include <string.h>

#define NO_BITRATE G_MAXUINT64

void
gst_mpeg_transcoder_control_init (GstMpegTranscoderControl * c)
{
  memset (c, 0, sizeof *c);
  g_mutex_init (&c->lock);
  gst_mpeg_transcoder_settings_init (&c->settings);
}

void
gst_mpeg_transcoder_control_clear (GstMpegTranscoderControl * c)
{
  g_clear_pointer (&c->info, gst_congestion_info_free);
  g_mutex_clear (&c->lock);
}

void
gst_mpeg_transcoder_control_forget (GstMpegTranscoderControl * c)
{
  g_mutex_lock (&c->lock);
  g_clear_pointer (&c->info, gst_congestion_info_free);
  c->events = 0;
  c->latency = 0;
  c->force_intra = FALSE;
  memset (&c->report, 0, sizeof c->report);
  g_mutex_unlock (&c->lock);
}

gboolean
gst_mpeg_transcoder_control_set (GstMpegTranscoderControl * c, guint id,
    const GValue * value)
{
  gboolean known;

  g_mutex_lock (&c->lock);
  known = gst_mpeg_transcoder_settings_set (&c->settings, id, value);
  g_mutex_unlock (&c->lock);
  return known;
}

gboolean
gst_mpeg_transcoder_control_get (GstMpegTranscoderControl * c, guint id,
    GValue * value)
{
  gboolean known;

  g_mutex_lock (&c->lock);
  known = gst_mpeg_transcoder_settings_get (&c->settings, id, value);
  g_mutex_unlock (&c->lock);
  return known;
}

void
gst_mpeg_transcoder_control_settings (GstMpegTranscoderControl * c,
    GstMpegTranscoderSettings * settings)
{
  g_mutex_lock (&c->lock);
  *settings = c->settings;
  g_mutex_unlock (&c->lock);
}

/* An event without a target changes nothing. */
void
gst_mpeg_transcoder_control_follow (GstMpegTranscoderControl * c,
    GstEvent * event)
{
  GstCongestionInfo *info, *last;
  gboolean news;

  if (!gst_congestion_event_parse (event, &info))
    return;

  last = info;
  news = gst_congestion_info_get_target_bitrate (info, NULL);
  g_mutex_lock (&c->lock);
  c->events++;
  if (news) {
    last = c->info;
    c->info = info;
  }
  g_mutex_unlock (&c->lock);
  if (last)
    gst_congestion_info_free (last);
}

gint64
gst_mpeg_transcoder_control_target (GstMpegTranscoderControl * c,
    guint * max_quantiser)
{
  gint64 target;

  g_mutex_lock (&c->lock);
  target = gst_mpeg_transcoder_settings_target (&c->settings, c->info);
  *max_quantiser = c->settings.max_quantiser;
  g_mutex_unlock (&c->lock);
  return target;
}

void
gst_mpeg_transcoder_control_force_intra (GstMpegTranscoderControl * c)
{
  g_mutex_lock (&c->lock);
  c->force_intra = TRUE;
  g_mutex_unlock (&c->lock);
}

gboolean
gst_mpeg_transcoder_control_take_intra (GstMpegTranscoderControl * c)
{
  gboolean force;

  g_mutex_lock (&c->lock);
  force = c->force_intra;
  c->force_intra = FALSE;
  g_mutex_unlock (&c->lock);
  return force;
}

void
gst_mpeg_transcoder_control_report (GstMpegTranscoderControl * c,
    const GstMpegTranscoderReport * report)
{
  g_mutex_lock (&c->lock);
  c->report = *report;
  g_mutex_unlock (&c->lock);
}

GstStructure *
gst_mpeg_transcoder_control_stats (GstMpegTranscoderControl * c)
{
  GstMpegTranscoderReport r;
  guint64 events, session = NO_BITRATE;
  gint64 target;

  g_mutex_lock (&c->lock);
  target = gst_mpeg_transcoder_settings_target (&c->settings, c->info);
  if (c->info)
    gst_congestion_info_get_target_bitrate (c->info, &session);
  events = c->events;
  r = c->report;
  g_mutex_unlock (&c->lock);

  return gst_structure_new ("mpegtranscoder/stats",
      "events", G_TYPE_UINT64, events,
      "event-bitrate", G_TYPE_UINT64, session,
      "target-bitrate", G_TYPE_UINT64,
      target == G_MAXINT64 ? NO_BITRATE : (guint64) target,
      "source-bitrate", G_TYPE_UINT64, r.source_bitrate,
      "frames-in", G_TYPE_UINT64, r.frames_in,
      "frames-out", G_TYPE_UINT64, r.frames_out,
      "frames-dropped", G_TYPE_UINT64, r.frames_dropped,
      "frames-undecodable", G_TYPE_UINT64, r.frames_undecodable,
      "pictures-recoded", G_TYPE_UINT64, r.recoded,
      "pictures-passed", G_TYPE_UINT64, r.passed,
      "quantiser-in", G_TYPE_DOUBLE, r.quantiser_in,
      "quantiser-out", G_TYPE_DOUBLE, r.quantiser_out,
      "floor", G_TYPE_BOOLEAN, r.floor,
      "wait", G_TYPE_UINT64, r.wait,
      "picture-target", G_TYPE_UINT64, r.picture_target,
      "bytes-in", G_TYPE_UINT64, r.bytes_in,
      "bytes-out", G_TYPE_UINT64, r.bytes_out, NULL);
}

gboolean
gst_mpeg_transcoder_control_set_latency (GstMpegTranscoderControl * c,
    GstClockTime latency)
{
  gboolean is_other;

  g_mutex_lock (&c->lock);
  is_other = latency != c->latency;
  c->latency = latency;
  g_mutex_unlock (&c->lock);
  return is_other;
}

GstClockTime
gst_mpeg_transcoder_control_latency (GstMpegTranscoderControl * c)
{
  GstClockTime latency;

  g_mutex_lock (&c->lock);
  latency = c->latency;
  g_mutex_unlock (&c->lock);
  return latency;
}
