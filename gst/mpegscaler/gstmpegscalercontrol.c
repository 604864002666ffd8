/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscalercontrol.h"

#include <string.h>

/* The dropper's value for no scale or no target: everything passes. */
#define UNTOUCHED (-1)

void
gst_mpeg_scaler_control_init (GstMpegScalerControl * c)
{
  memset (c, 0, sizeof *c);
  gst_follower_init (&c->follower, GST_FOLLOWER_TAKES_SCALE
      | GST_FOLLOWER_HAS_TARGET);
  gst_mpeg_scaler_settings_init (&c->settings);
  c->report.scale = c->h26x.lowest_scale = -1;
}

void
gst_mpeg_scaler_control_clear (GstMpegScalerControl * c)
{
  gst_follower_clear (&c->follower);
}

void
gst_mpeg_scaler_control_forget (GstMpegScalerControl * c)
{
  g_mutex_lock (&c->follower.lock);
  gst_follower_forget (&c->follower);
  memset (&c->report, 0, sizeof c->report);
  memset (&c->m2v, 0, sizeof c->m2v);
  memset (&c->h26x, 0, sizeof c->h26x);
  c->report.scale = c->h26x.lowest_scale = -1;
  c->only_drops = FALSE;
  g_mutex_unlock (&c->follower.lock);
}

/* Rules */

static M2vDrift
to_drift (GstMpegScalerDrift drift)
{
  return drift == GST_MPEG_SCALER_DRIFT_OFF ? M2V_DRIFT_OFF
      : drift == GST_MPEG_SCALER_DRIFT_ON ? M2V_DRIFT_P : M2V_DRIFT_ALL;
}

static gdouble
to_share (GstMpegScalerVectors vectors)
{
  return vectors == GST_MPEG_SCALER_VECTORS_NEVER ? 1
      : vectors == GST_MPEG_SCALER_VECTORS_AUTO ? M2V_WORTHWHILE_VECTOR_SHARE
      : 0;
}

static void
rule_recoder (const GstMpegScalerSettings * s, gint64 target,
    M2vRecoderSettings * recoder)
{
  *recoder = m2v_recoder_defaults;
  recoder->target = target;
  recoder->max_code = s->max_quantiser;
  recoder->drift = to_drift (s->drift);
  recoder->rate_distortion = s->rate_distortion;
  recoder->vector_share = to_share (s->vectors);
}

/* Sets the dropper's part of a rule. A target of 0 stops the stream, which
 * no scale does. In mode=requantize nothing else drops frames. */
static void
rule_dropper (const GstMpegScalerSettings * s, GstMpegScalerMode mode,
    gint scale, gint64 target, M2vDropperSettings * dropper)
{
  gboolean stops = target == 0;

  if (mode == GST_MPEG_SCALER_MODE_REQUANTIZE || stops)
    scale = UNTOUCHED;
  if (mode == GST_MPEG_SCALER_MODE_REQUANTIZE && !stops)
    target = UNTOUCHED;
  dropper->scale = scale;
  dropper->target = target;
  dropper->repeat_dropped = s->repeat_dropped;
  dropper->fill = s->fill_target;
}

/* The caller holds the lock. */
static void
make_rule (const GstMpegScalerControl * c, GstMpegScalerRule * rule)
{
  const GstMpegScalerSettings *s = &c->settings;
  const GstFollower *f = &c->follower;
  gint64 target = UNTOUCHED;
  gint scale = UNTOUCHED;

  if (!f->follow_events)
    scale = s->scale;
  else if (f->info)
    scale = gst_congestion_info_get_scale (f->info);
  gst_follower_target (f, &target);
  rule->asked = s->mode;
  rule->mode = c->only_drops ? GST_MPEG_SCALER_MODE_DROP : s->mode;
  rule->max_freeze = s->max_freeze > G_MAXINT64 ? -1 : (gint64) s->max_freeze;
  rule->allow_gaps = s->allow_gaps;
  rule_dropper (s, rule->mode, scale, target, &rule->dropper);
  rule->key_requests = c->key_requests;
  rule_recoder (s, target, &rule->recoder);
}

void
gst_mpeg_scaler_control_rule (GstMpegScalerControl * c,
    GstMpegScalerRule * rule)
{
  g_mutex_lock (&c->follower.lock);
  make_rule (c, rule);
  g_mutex_unlock (&c->follower.lock);
}

guint64
gst_mpeg_scaler_rule_target (const GstMpegScalerRule * rule)
{
  gint64 target = rule->recoder.target;

  if (rule->mode == GST_MPEG_SCALER_MODE_DROP && rule->dropper.scale >= 0)
    return GST_FOLLOWER_NO_BITRATE;
  return target >= 0 ? (guint64) target : GST_FOLLOWER_NO_BITRATE;
}

gboolean
gst_mpeg_scaler_rule_lowers (const GstMpegScalerRule * rule)
{
  gint scale = rule->dropper.scale;

  return (scale >= 0 && scale < SCALING_MAX_SCALE)
      || gst_mpeg_scaler_rule_target (rule) != GST_FOLLOWER_NO_BITRATE;
}

void
gst_mpeg_scaler_control_want_key (GstMpegScalerControl * c)
{
  g_mutex_lock (&c->follower.lock);
  c->key_requests++;
  g_mutex_unlock (&c->follower.lock);
}

void
gst_mpeg_scaler_control_set_only_drops (GstMpegScalerControl * c,
    gboolean only_drops)
{
  g_mutex_lock (&c->follower.lock);
  c->only_drops = only_drops;
  g_mutex_unlock (&c->follower.lock);
}

void
gst_mpeg_scaler_control_report (GstMpegScalerControl * c,
    const GstMpegScalerReport * report, const GstMpegScalerM2vReport * m2v,
    const H26xDropperStats * h26x)
{
  g_mutex_lock (&c->follower.lock);
  c->report = *report;
  if (m2v)
    c->m2v = *m2v;
  if (h26x)
    c->h26x = *h26x;
  g_mutex_unlock (&c->follower.lock);
}

static void
set_rates (GstStructure * stats, const gint64 * rates)
{
  static const gchar *const names[SCALING_N_SCALES] = {
    "bitrate-0", "bitrate-1", "bitrate-2", "bitrate-3", "bitrate-4"
  };
  guint i;

  for (i = 0; i < SCALING_N_SCALES; i++)
    gst_structure_set (stats, names[i], G_TYPE_UINT64, (guint64) rates[i],
        NULL);
}

static void
set_counts (GstStructure * stats, const M2vDropperStats * counts,
    const H26xDropperStats * h26x)
{
  gst_structure_set (stats,
      "frames-i", G_TYPE_UINT64, counts->frames[M2V_PICTURE_I],
      "frames-p", G_TYPE_UINT64, counts->frames[M2V_PICTURE_P],
      "frames-b", G_TYPE_UINT64, counts->frames[M2V_PICTURE_B],
      "frames-d", G_TYPE_UINT64, counts->frames[M2V_PICTURE_D],
      "frames-h26x", G_TYPE_UINT64, h26x->pictures - h26x->unreadable,
      "frames-unreadable", G_TYPE_UINT64,
      counts->frames[0] + h26x->unreadable,
      "frames-passed", G_TYPE_UINT64, counts->passed + h26x->passed,
      "frames-filled", G_TYPE_UINT64, counts->filled + h26x->filled,
      "frames-held", G_TYPE_UINT64, h26x->held,
      "frames-replaced", G_TYPE_UINT64, counts->replaced,
      "dropped-policy", G_TYPE_UINT64,
      counts->dropped_policy + h26x->dropped_policy,
      "dropped-reference", G_TYPE_UINT64,
      counts->dropped_reference + h26x->dropped_reference,
      "dropped-unpaired", G_TYPE_UINT64, counts->dropped_unpaired,
      "dropped-group", G_TYPE_UINT64,
      counts->dropped_group + h26x->dropped_group,
      "bytes-in", G_TYPE_UINT64, counts->bytes_in + h26x->bytes_in,
      "bytes-out", G_TYPE_UINT64, counts->bytes_out + h26x->bytes_out, NULL);
}

static void
set_recoded (GstStructure * stats, const M2vRecoderStats * recoded)
{
  const Tm5Stats *control = &recoded->control;

  gst_structure_set (stats,
      "pictures-recoded", G_TYPE_UINT64, recoded->recoded,
      "pictures-passed", G_TYPE_UINT64, recoded->passed,
      "pictures-unreadable", G_TYPE_UINT64, recoded->unreadable,
      "quantiser-in", G_TYPE_DOUBLE, recoded->quantiser_in,
      "quantiser-out", G_TYPE_DOUBLE, recoded->quantiser_out,
      "wait", G_TYPE_UINT64, (guint64) (control->wait * GST_SECOND),
      "source-bitrate", G_TYPE_UINT64, (guint64) control->source_rate,
      "picture-target", G_TYPE_UINT64, (guint64) control->picture_target, NULL);
}

GstStructure *
gst_mpeg_scaler_control_stats (GstMpegScalerControl * c)
{
  GstMpegScalerRule rule;
  GstMpegScalerReport report;
  GstMpegScalerM2vReport m2v;
  H26xDropperStats h26x;
  GstStructure *stats;
  guint64 events, session;

  g_mutex_lock (&c->follower.lock);
  make_rule (c, &rule);
  session = gst_follower_event_bitrate (&c->follower);
  events = c->follower.events;
  report = c->report;
  m2v = c->m2v;
  h26x = c->h26x;
  g_mutex_unlock (&c->follower.lock);

  stats = gst_structure_new ("mpegscaler/stats",
      "mode", GST_TYPE_MPEG_SCALER_MODE, rule.asked,
      "events", G_TYPE_UINT64, events,
      "event-bitrate", G_TYPE_UINT64, session,
      "target-bitrate", G_TYPE_UINT64, gst_mpeg_scaler_rule_target (&rule),
      "target-scale", G_TYPE_INT, rule.dropper.scale,
      "scale", G_TYPE_INT, report.scale,
      "lowest-scale", G_TYPE_INT, h26x.lowest_scale,
      "gaps-allowed", G_TYPE_BOOLEAN, report.gaps,
      "floor", G_TYPE_BOOLEAN, m2v.recoded.control.floor || h26x.exceeded,
      "stuffing-removed", G_TYPE_UINT64, m2v.stuffing + h26x.filler_bytes,
      NULL);
  set_rates (stats, report.rates);
  set_counts (stats, &m2v.counts, &h26x);
  set_recoded (stats, &m2v.recoded);
  return stats;
}
