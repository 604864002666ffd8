/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The data that the threads of mpegtranscoder share: the application's
 * settings, the last congestion event, and what the streaming thread reports.
 * Every function may be called from any thread.
 */
#ifndef __GST_MPEG_TRANSCODER_CONTROL_H__
#define __GST_MPEG_TRANSCODER_CONTROL_H__

#include "gstmpegtranscodersettings.h"

G_BEGIN_DECLS

/* Counts begin with PAUSED. */
typedef struct
{
  guint64 frames_in, frames_out;
  guint64 frames_dropped;       /* while stopped, or without a reference */
  guint64 frames_undecodable;
  /* Frames out: coarser than the source, or not. */
  guint64 recoded, passed;
  guint64 bytes_in, bytes_out;
  /* mean quantiser_scale of the last picture */
  gdouble quantiser_in, quantiser_out;
  gboolean floor;
  GstClockTime wait;
  guint64 picture_target;       /* bits */
  guint64 source_bitrate;
} GstMpegTranscoderReport;

/* Content of a GstForceKeyUnit event. */
typedef struct
{
  gboolean asked;
  gboolean all_headers;
  guint count;
} GstMpegTranscoderForce;

typedef struct
{
  GstFollower follower;         /* its lock protects all members below */
  GstMpegTranscoderSettings settings;
  GstMpegTranscoderReport report;
  GstMpegTranscoderForce force;
} GstMpegTranscoderControl;

void gst_mpeg_transcoder_control_init (GstMpegTranscoderControl * c);
void gst_mpeg_transcoder_control_clear (GstMpegTranscoderControl * c);
/* Forgets what a new stream must not inherit. */
void gst_mpeg_transcoder_control_forget (GstMpegTranscoderControl * c);

void gst_mpeg_transcoder_control_settings (GstMpegTranscoderControl * c,
    GstMpegTranscoderSettings * settings);

/* Returns the bits per second that may leave: 0 = none, G_MAXINT64 = no
 * target. */
gint64 gst_mpeg_transcoder_control_target (GstMpegTranscoderControl * c,
    guint * max_quantiser);

/* Makes the next picture an I. */
void gst_mpeg_transcoder_control_force_intra (GstMpegTranscoderControl * c,
    GstEvent * event);
/* Returns TRUE if the next picture is to be an I, and forgets it. */
gboolean gst_mpeg_transcoder_control_take_intra (GstMpegTranscoderControl * c,
    GstMpegTranscoderForce * force);

void gst_mpeg_transcoder_control_report (GstMpegTranscoderControl * c,
    const GstMpegTranscoderReport * report);
GstStructure *gst_mpeg_transcoder_control_stats (GstMpegTranscoderControl * c);

G_END_DECLS

#endif
