/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Takes pictures in display order, in the output's format, and pushes coded
 * ones downstream in coded order, each with its quantiser by rate control.
 */
#ifndef __GST_MPEG_TRANSCODER_CODING_H__
#define __GST_MPEG_TRANSCODER_CODING_H__

#include "core/ratecontrol.h"
#include "gstmpegtranscodercontrol.h"
#include "gstmpegtranscoderformat.h"
#include "gstmpegtranscoderpush.h"
#include <mpeg2/headers.h>

G_BEGIN_DECLS

/* More pictures than an encoder ever holds back, and the one before. */
#define GST_MPEG_TRANSCODER_N_RECORDS 32

/* A picture of the source. */
typedef struct
{
  gint64 number;                /* in the source's coded order */
  TranscoderSource source;
  M2vSequence sequence;
  gint64 pts, duration;
  gint64 given_pts;             /* the source's own, or M2V_TIME_NONE */
  guint n_fields;
  gboolean progressive_frame, top_field_first;
  gboolean decoded;
  guint max_b;                  /* most B in a row in the source so far */
} GstMpegTranscoderPicture;

/* A picture that the encoder has. */
typedef struct
{
  GstMpegTranscoderPicture picture;
  gint64 pts, duration;
  guint n_fields;               /* field periods that it is shown */
  gboolean again;               /* it has been given to the encoder before */
  GstMpegTranscoderForce force; /* the event that made it an I */
} GstMpegTranscoderRecord;

typedef struct
{
  GstElement *element;
  GstMpegTranscoderControl *control;
  GstMpegTranscoderSettings settings;   /* settings as of the start */
  GstMpegTranscoderReport report;
  GstMpegTranscoderPush push;

  TranscoderEncoder *encoder;   /* NULL = closed */
  GstMpegTranscoderFormat format;
  guint max_b;
  /* Our quantisers may be as fine as the source's times this, 0..1. */
  gdouble finer;
  gboolean caps_due;            /* the encoder has coded nothing yet */
  GBytes *sequence_header;      /* header of the last encoder; NULL = none */
  TranscoderStructure structure;
  TranscoderRate rate;
  /* Indexed by the number. */
  GstMpegTranscoderRecord records[GST_MPEG_TRANSCODER_N_RECORDS];
  gint64 n_coded;
} GstMpegTranscoderCoding;

void gst_mpeg_transcoder_coding_init (GstMpegTranscoderCoding * c,
    GstElement * element, GstPad * srcpad, GstMpegTranscoderControl * control);
void gst_mpeg_transcoder_coding_clear (GstMpegTranscoderCoding * c);

/* Opens an encoder of the format for frames like this one. */
GstFlowReturn gst_mpeg_transcoder_coding_open (GstMpegTranscoderCoding * c,
    const GstMpegTranscoderFormat * format, const AVFrame * frame,
    guint max_b);

/* Closes the encoder and drops what waits in it. */
void gst_mpeg_transcoder_coding_close (GstMpegTranscoderCoding * c);

/* Returns how many pictures wait in the encoder. */
guint gst_mpeg_transcoder_coding_waiting (const GstMpegTranscoderCoding * c);

GstFlowReturn gst_mpeg_transcoder_coding_picture (GstMpegTranscoderCoding * c,
    AVFrame * frame, const GstMpegTranscoderRecord * record);

/* Codes and pushes all that waits; then closes the encoder. */
GstFlowReturn gst_mpeg_transcoder_coding_drain (GstMpegTranscoderCoding * c);

G_END_DECLS

#endif
