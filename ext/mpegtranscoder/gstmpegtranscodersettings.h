/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The properties of mpegtranscoder: their IDs and values.
 */
#ifndef __GST_MPEG_TRANSCODER_SETTINGS_H__
#define __GST_MPEG_TRANSCODER_SETTINGS_H__

#include <gst/gst.h>

#include "core/encoder.h"
#include <follow/follower.h>
#include <settings/settings.h>

G_BEGIN_DECLS

/**
 * GstMpegTranscoderDecision:
 * @TRANSCODER_DECISION_SIMPLE: by the least difference to code
 * @TRANSCODER_DECISION_BITS: by the fewest bits
 * @TRANSCODER_DECISION_RD: by bits and distortion
 *
 * How the coding of each macroblock is chosen.
 */
#define GST_TYPE_MPEG_TRANSCODER_DECISION \
    (gst_mpeg_transcoder_decision_get_type ())
GType gst_mpeg_transcoder_decision_get_type (void);

enum
{
  GST_MPEG_TRANSCODER_MAX_QUANTISER = GST_FOLLOW_N_WITH_TARGET,
  GST_MPEG_TRANSCODER_GOP_SIZE,
  GST_MPEG_TRANSCODER_B_FRAMES,
  GST_MPEG_TRANSCODER_CLOSED_GOP,
  GST_MPEG_TRANSCODER_DECISION,
  GST_MPEG_TRANSCODER_TRELLIS,
  GST_MPEG_TRANSCODER_THREADS,
  GST_MPEG_TRANSCODER_STATS,
  GST_MPEG_TRANSCODER_N_PROPERTIES
};

/* Values of those properties that can be set, except what every follower
 * has. */
typedef struct
{
  guint max_quantiser;
  guint gop_size;
  gint b_frames;
  gboolean closed_gop;
  gint decision;
  gboolean trellis;
  guint threads;
} GstMpegTranscoderSettings;

void gst_mpeg_transcoder_settings_install (GObjectClass * klass);

/* Sets the defaults. */
void gst_mpeg_transcoder_settings_init (GstMpegTranscoderSettings * s);

/* Fields of GstMpegTranscoderSettings. */
extern const GstSettingsField gst_mpeg_transcoder_fields[];

G_END_DECLS

#endif
