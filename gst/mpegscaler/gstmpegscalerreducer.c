/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscalerreducer.h"

struct _GstMpegScalerReducer
{
  GstMpegScalerControl *control;
  ScalerDropper *dropper;
  ScalerRecoder *recoder;
  gboolean recodes;             /* the mode of the last frame */
  gint scale;                   /* in force for it */
  gint64 saved;                 /* bytes, by recoding */
  ScalerRecoderStats before;    /* counts of streams before this one */
};

GstMpegScalerReducer *
gst_mpeg_scaler_reducer_new (GstMpegScalerControl * control)
{
  GstMpegScalerReducer *r = g_new0 (GstMpegScalerReducer, 1);

  r->control = control;
  r->scale = -1;
  r->dropper = scaler_dropper_new ();
  r->recoder = scaler_recoder_new ();
  if (!r->dropper || !r->recoder) {
    gst_mpeg_scaler_reducer_free (r);
    return NULL;
  }
  return r;
}

void
gst_mpeg_scaler_reducer_free (GstMpegScalerReducer * r)
{
  if (!r)
    return;
  scaler_dropper_free (r->dropper);
  scaler_recoder_free (r->recoder);
  g_free (r);
}

void
gst_mpeg_scaler_reducer_flush (GstMpegScalerReducer * r)
{
  scaler_dropper_reset (r->dropper, true);
  scaler_recoder_discont (r->recoder);
}

static void
count_recoded (const GstMpegScalerReducer * r, ScalerRecoderStats * stats)
{
  ScalerRecoderStats before = r->before;

  scaler_recoder_stats (r->recoder, stats);
  stats->recoded += before.recoded;
  stats->passed += before.passed;
  stats->unreadable += before.unreadable;
}

void
gst_mpeg_scaler_reducer_restart (GstMpegScalerReducer * r)
{
  count_recoded (r, &r->before);
  scaler_dropper_reset (r->dropper, true);
  scaler_recoder_reset (r->recoder);
}

static void
report (GstMpegScalerReducer * r)
{
  GstMpegScalerReport report;
  guint i;

  scaler_dropper_stats (r->dropper, &report.counts);
  report.counts.bytes_out -= r->saved;
  count_recoded (r, &report.recoded);
  for (i = 0; i < SCALER_N_SCALES; i++)
    report.rates[i] = scaler_dropper_rate (r->dropper, i);
  report.scale = r->scale;
  gst_mpeg_scaler_control_report (r->control, &report);
}

static gint64
size_of (const ScalerDecision * decision)
{
  return scaler_decision_size (decision, 0) +
      scaler_decision_size (decision, 1);
}

static void
recode (GstMpegScalerReducer * r, const MpegFrame * frame,
    const guint8 * const data[2], ScalerDecision * decision)
{
  r->saved += size_of (decision);
  scaler_recoder_frame (r->recoder, frame, data, decision);
  r->saved -= size_of (decision);
}

/* For frames that were not recoded there is nothing to make good. */
static void
obey (GstMpegScalerReducer * r, const MpegFrame * frame,
    const guint8 * const data[2])
{
  GstMpegScalerRule rule;
  gboolean recodes, both;

  gst_mpeg_scaler_control_rule (r->control, &rule);
  recodes = rule.mode != GST_MPEG_SCALER_MODE_DROP;
  both = rule.mode == GST_MPEG_SCALER_MODE_AUTO;
  if (frame->discont || recodes != r->recodes)
    scaler_recoder_discont (r->recoder);
  r->recodes = recodes;

  scaler_recoder_set (r->recoder, &rule.recoder);
  scaler_dropper_set (r->dropper, &rule.dropper);
  scaler_dropper_set_cost (r->dropper, both,
      both ? scaler_recoder_floor (r->recoder, frame, data) : 0);
}

void
gst_mpeg_scaler_reducer_frame (GstMpegScalerReducer * r,
    const MpegFrame * frame, const guint8 * const data[2],
    ScalerDecision * decision)
{
  obey (r, frame, data);
  scaler_dropper_frame (r->dropper, frame, data, decision);
  if (r->recodes)
    recode (r, frame, data, decision);
  r->scale = decision->scale;
  report (r);
}

gboolean
gst_mpeg_scaler_reducer_unpaired (GstMpegScalerReducer * r,
    const MpegFrame * frame, const guint8 * const data[2],
    ScalerDecision * decision)
{
  decision->action = SCALER_DROP;
  decision->n_pieces = 0;
  obey (r, frame, data);
  if (!scaler_dropper_pass_unpaired (r->dropper, frame, data, decision))
    scaler_dropper_unpaired (r->dropper, frame, data);
  if (r->recodes)
    recode (r, frame, data, decision);
  report (r);
  return decision->action != SCALER_DROP;
}

gboolean
gst_mpeg_scaler_reducer_span (GstMpegScalerReducer * r,
    const MpegPicture * span, const guint8 * data)
{
  return scaler_dropper_span (r->dropper, span, data);
}

guint
gst_mpeg_scaler_reducer_headers (GstMpegScalerReducer * r,
    const MpegPicture * span, const guint8 * data, MpegPiece * piece)
{
  return scaler_dropper_headers (r->dropper, span, data, piece);
}

guint
gst_mpeg_scaler_reducer_finish (GstMpegScalerReducer * r, MpegPiece * piece)
{
  return scaler_dropper_finish (r->dropper, piece);
}
