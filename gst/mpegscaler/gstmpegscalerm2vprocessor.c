/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscalerm2vprocessor.h"

struct _GstMpegScalerM2vProcessor
{
  GstMpegScalerControl *control;
  M2vDropper *dropper;
  M2vRecoder *recoder;
  gboolean recodes;             /* the mode of the last frame recodes */
  guint key_requests;           /* requests up to the last frame */
  gint scale;                   /* in force for the last frame */
  gint64 saved;                 /* bytes saved by recoding */
  guint64 stuffing;             /* bytes of stuffing that were removed */
  M2vRecoderStats before;       /* counts of streams before this one */
};

GstMpegScalerM2vProcessor *
gst_mpeg_scaler_m2v_processor_new (GstMpegScalerControl * control)
{
  GstMpegScalerM2vProcessor *r = g_new0 (GstMpegScalerM2vProcessor, 1);

  r->control = control;
  r->scale = -1;
  r->dropper = m2v_dropper_new ();
  r->recoder = m2v_recoder_new ();
  if (!r->dropper || !r->recoder) {
    gst_mpeg_scaler_m2v_processor_free (r);
    return NULL;
  }
  return r;
}

void
gst_mpeg_scaler_m2v_processor_free (GstMpegScalerM2vProcessor * r)
{
  if (!r)
    return;
  m2v_dropper_free (r->dropper);
  m2v_recoder_free (r->recoder);
  g_free (r);
}

void
gst_mpeg_scaler_m2v_processor_flush (GstMpegScalerM2vProcessor * r)
{
  m2v_dropper_reset (r->dropper, true);
  m2v_recoder_discont (r->recoder);
}

static void
count_recoded (const GstMpegScalerM2vProcessor * r, M2vRecoderStats * stats)
{
  M2vRecoderStats before = r->before;

  m2v_recoder_stats (r->recoder, stats);
  stats->recoded += before.recoded;
  stats->passed += before.passed;
  stats->unreadable += before.unreadable;
}

void
gst_mpeg_scaler_m2v_processor_restart (GstMpegScalerM2vProcessor * r)
{
  count_recoded (r, &r->before);
  m2v_dropper_reset (r->dropper, true);
  m2v_recoder_reset (r->recoder);
}

static void
report (GstMpegScalerM2vProcessor * r)
{
  GstMpegScalerReport report = {.scale = r->scale };
  GstMpegScalerM2vReport m2v = {.stuffing = r->stuffing };
  guint i;

  m2v_dropper_stats (r->dropper, &m2v.counts);
  m2v.counts.bytes_in += r->stuffing;
  m2v.counts.bytes_out -= r->saved;
  count_recoded (r, &m2v.recoded);
  for (i = 0; i < SCALING_N_SCALES; i++)
    report.rates[i] = m2v_dropper_rate (r->dropper, i);
  gst_mpeg_scaler_control_report (r->control, &report, &m2v, NULL);
}

void
gst_mpeg_scaler_m2v_processor_stuffing (GstMpegScalerM2vProcessor * r,
    gsize size)
{
  r->stuffing += size;
}

static gint64
size_of (const M2vDecision * decision)
{
  return m2v_decision_size (decision, 0) + m2v_decision_size (decision, 1);
}

static void
recode (GstMpegScalerM2vProcessor * r, const M2vFrame * frame,
    const guint8 * const data[2], M2vDecision * decision)
{
  r->saved += size_of (decision);
  m2v_recoder_frame (r->recoder, frame, data, decision);
  r->saved -= size_of (decision);
}

/* Applies the rule to the next frame. The recoder begins again after a
 * change of mode, because frames that it did not recode leave nothing to
 * compensate. */
static void
obey (GstMpegScalerM2vProcessor * r, const M2vFrame * frame,
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
  if (rule.key_requests != r->key_requests)
    m2v_dropper_want_key (r->dropper);
  r->key_requests = rule.key_requests;
  if (rule.mode == GST_MPEG_SCALER_MODE_AUTO)
    m2v_recoder_cost (r->recoder, frame, data, &cost);
  m2v_dropper_set_cost (r->dropper,
      rule.mode == GST_MPEG_SCALER_MODE_AUTO ? &cost : NULL);
}

void
gst_mpeg_scaler_m2v_processor_frame (GstMpegScalerM2vProcessor * r,
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
gst_mpeg_scaler_m2v_processor_unpaired (GstMpegScalerM2vProcessor * r,
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
gst_mpeg_scaler_m2v_processor_span (GstMpegScalerM2vProcessor * r,
    const M2vPicture * span, const guint8 * data)
{
  return m2v_dropper_span (r->dropper, span, data);
}

guint
gst_mpeg_scaler_m2v_processor_headers (GstMpegScalerM2vProcessor * r,
    const M2vPicture * span, const guint8 * data, M2vPiece * piece)
{
  return m2v_dropper_headers (r->dropper, span, data, piece);
}

guint
gst_mpeg_scaler_m2v_processor_finish (GstMpegScalerM2vProcessor * r,
    M2vPiece * piece)
{
  return m2v_dropper_finish (r->dropper, piece);
}
