/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegtranscodercontrol.h"

#include <string.h>

void
gst_mpeg_transcoder_control_init (GstMpegTranscoderControl * c)
{
  memset (c, 0, sizeof *c);
  gst_follower_init (&c->follower, GST_FOLLOWER_HAS_TARGET);
  gst_mpeg_transcoder_settings_init (&c->settings);
}

void
gst_mpeg_transcoder_control_clear (GstMpegTranscoderControl * c)
{
  gst_follower_clear (&c->follower);
}

void
gst_mpeg_transcoder_control_forget (GstMpegTranscoderControl * c)
{
  g_mutex_lock (&c->follower.lock);
  gst_follower_forget (&c->follower);
  memset (&c->force, 0, sizeof c->force);
  memset (&c->report, 0, sizeof c->report);
  g_mutex_unlock (&c->follower.lock);
}

void
gst_mpeg_transcoder_control_settings (GstMpegTranscoderControl * c,
    GstMpegTranscoderSettings * settings)
{
  g_mutex_lock (&c->follower.lock);
  *settings = c->settings;
  g_mutex_unlock (&c->follower.lock);
}

gint64
gst_mpeg_transcoder_control_target (GstMpegTranscoderControl * c,
    guint * max_quantiser)
{
  gint64 target = G_MAXINT64;

  g_mutex_lock (&c->follower.lock);
  gst_follower_target (&c->follower, &target);
  *max_quantiser = c->settings.max_quantiser;
  g_mutex_unlock (&c->follower.lock);
  return target;
}

void
gst_mpeg_transcoder_control_force_intra (GstMpegTranscoderControl * c,
    GstEvent * event)
{
  GstMpegTranscoderForce force = { TRUE, FALSE, 0 };

  /* The fields are the same from either side. */
  gst_structure_get (gst_event_get_structure (event), "all-headers",
      G_TYPE_BOOLEAN, &force.all_headers, "count", G_TYPE_UINT, &force.count,
      NULL);
  g_mutex_lock (&c->follower.lock);
  c->force = force;
  g_mutex_unlock (&c->follower.lock);
}

gboolean
gst_mpeg_transcoder_control_take_intra (GstMpegTranscoderControl * c,
    GstMpegTranscoderForce * force)
{
  g_mutex_lock (&c->follower.lock);
  *force = c->force;
  c->force.asked = FALSE;
  g_mutex_unlock (&c->follower.lock);
  return force->asked;
}

void
gst_mpeg_transcoder_control_report (GstMpegTranscoderControl * c,
    const GstMpegTranscoderReport * report)
{
  g_mutex_lock (&c->follower.lock);
  c->report = *report;
  g_mutex_unlock (&c->follower.lock);
}

GstStructure *
gst_mpeg_transcoder_control_stats (GstMpegTranscoderControl * c)
{
  GstMpegTranscoderReport r;
  guint64 events, session;
  gint64 target = G_MAXINT64;

  g_mutex_lock (&c->follower.lock);
  gst_follower_target (&c->follower, &target);
  session = gst_follower_event_bitrate (&c->follower);
  events = c->follower.events;
  r = c->report;
  g_mutex_unlock (&c->follower.lock);

  return gst_structure_new ("mpegtranscoder/stats",
      "events", G_TYPE_UINT64, events,
      "event-bitrate", G_TYPE_UINT64, session,
      "target-bitrate", G_TYPE_UINT64,
      target == G_MAXINT64 ? GST_FOLLOWER_NO_BITRATE : (guint64) target,
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
