/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscalerprocessor.h"

struct _GstMpegScalerProcessor
{
  GstMpegScalerControl *control;
  M2vDropper *dropper;
  M2vRecoder *recoder;
  gboolean recodes;             /* the mode of the last frame */
  gint scale;                   /* in force for it */
  gint64 saved;                 /* bytes, by recoding */
  guint64 stuffing;             /* bytes that were removed before */
  M2vRecoderStats before;       /* counts of streams before this one */
};

GstMpegScalerProcessor *
gst_mpeg_scaler_processor_new (GstMpegScalerControl * control)
{
  GstMpegScalerProcessor *r = g_new0 (GstMpegScalerProcessor, 1);

  r->control = control;
  r->scale = -1;
  r->dropper = m2v_dropper_new ();
  r->recoder = m2v_recoder_new ();
  if (!r->dropper || !r->recoder) {
    gst_mpeg_scaler_processor_free (r);
    return NULL;
  }
  return r;
}

void
gst_mpeg_scaler_processor_free (GstMpegScalerProcessor * r)
{
  if (!r)
    return;
  m2v_dropper_free (r->dropper);
  m2v_recoder_free (r->recoder);
  g_free (r);
}

void
gst_mpeg_scaler_processor_flush (GstMpegScalerProcessor * r)
{
  m2v_dropper_reset (r->dropper, true);
  m2v_recoder_discont (r->recoder);
}

static void
count_recoded (const GstMpegScalerProcessor * r, M2vRecoderStats * stats)
{
  M2vRecoderStats before = r->before;

  m2v_recoder_stats (r->recoder, stats);
  stats->recoded += before.recoded;
  stats->passed += before.passed;
  stats->unreadable += before.unreadable;
}

void
gst_mpeg_scaler_processor_restart (GstMpegScalerProcessor * r)
{
  count_recoded (r, &r->before);
  m2v_dropper_reset (r->dropper, true);
  m2v_recoder_reset (r->recoder);
}

static void
report (GstMpegScalerProcessor * r)
{
  GstMpegScalerReport report;
  guint i;

  m2v_dropper_stats (r->dropper, &report.counts);
  report.counts.bytes_in += r->stuffing;
  report.counts.bytes_out -= r->saved;
  report.stuffing = r->stuffing;
  count_recoded (r, &report.recoded);
  for (i = 0; i < SCALING_N_SCALES; i++)
    report.rates[i] = m2v_dropper_rate (r->dropper, i);
  report.scale = r->scale;
  gst_mpeg_scaler_control_report (r->control, &report);
}

void
gst_mpeg_scaler_processor_stuffing (GstMpegScalerProcessor * r, gsize size)
{
  r->stuffing += size;
}

static gint64
size_of (const M2vDecision * decision)
{
  return m2v_decision_size (decision, 0) + m2v_decision_size (decision, 1);
}

static void
recode (GstMpegScalerProcessor * r, const M2vFrame * frame,
    const guint8 * const data[2], M2vDecision * decision)
{
  r->saved += size_of (decision);
  m2v_recoder_frame (r->recoder, frame, data, decision);
  r->saved -= size_of (decision);
}

/* For frames that were not recoded there is nothing to make good. */
static void
obey (GstMpegScalerProcessor * r, const M2vFrame * frame,
    const guint8 * const data[2])
{
  GstMpegScalerRule rule;
  ScalingCost cost;
  gboolean recodes;

  gst_mpeg_scaler_control_rule (r->control, &rule);
  recodes = rule.mode != GST_MPEG_SCALER_MODE_DROP;
  if (frame->discont || recodes != r->recodes)
    m2v_recoder_discont (r->recoder);
  r->recodes = recodes;

  m2v_recoder_set (r->recoder, &rule.recoder);
  m2v_dropper_set (r->dropper, &rule.dropper);
  if (rule.mode == GST_MPEG_SCALER_MODE_AUTO)
    m2v_recoder_cost (r->recoder, frame, data, &cost);
  m2v_dropper_set_cost (r->dropper,
      rule.mode == GST_MPEG_SCALER_MODE_AUTO ? &cost : NULL);
}

void
gst_mpeg_scaler_processor_frame (GstMpegScalerProcessor * r,
    const M2vFrame * frame, const guint8 * const data[2],
    M2vDecision * decision)
{
  obey (r, frame, data);
  m2v_dropper_frame (r->dropper, frame, data, decision);
  if (r->recodes)
    recode (r, frame, data, decision);
  r->scale = decision->scale;
  report (r);
}

gboolean
gst_mpeg_scaler_processor_unpaired (GstMpegScalerProcessor * r,
    const M2vFrame * frame, const guint8 * const data[2],
    M2vDecision * decision)
{
  *decision = (M2vDecision) {
  .action = M2V_DROP};
  obey (r, frame, data);
  if (!m2v_dropper_pass_unpaired (r->dropper, frame, data, decision))
    m2v_dropper_unpaired (r->dropper, frame, data);
  if (r->recodes)
    recode (r, frame, data, decision);
  report (r);
  return decision->action != M2V_DROP;
}

gboolean
gst_mpeg_scaler_processor_span (GstMpegScalerProcessor * r,
    const M2vPicture * span, const guint8 * data)
{
  return m2v_dropper_span (r->dropper, span, data);
}

guint
gst_mpeg_scaler_processor_headers (GstMpegScalerProcessor * r,
    const M2vPicture * span, const guint8 * data, M2vPiece * piece)
{
  return m2v_dropper_headers (r->dropper, span, data, piece);
}

guint
gst_mpeg_scaler_processor_finish (GstMpegScalerProcessor * r, M2vPiece * piece)
{
  return m2v_dropper_finish (r->dropper, piece);
}
