/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Pictures in display order, in the output's format, → coded ones in coded
 * order, each with its quantiser by rate control, pushed downstream.
 */
#ifndef __GST_MPEG_TRANSCODER_CODING_H__
#define __GST_MPEG_TRANSCODER_CODING_H__

#include "core/ratecontrol.h"
#include "gstmpegtranscodercontrol.h"
#include "gstmpegtranscoderformat.h"
#include "gstmpegtranscoderpush.h"
#include <mpeg2/headers.h>

G_BEGIN_DECLS

/* More than an encoder ever holds back, and the one before. */
#define GST_MPEG_TRANSCODER_N_RECORDS 32

/* What is known of a picture of the source. */
typedef struct
{
  TranscoderSource source;
  M2vSequence sequence;
  gint64 pts, duration;
  guint n_fields;
  gboolean progressive_frame, top_field_first;
  gboolean decoded;
  guint max_b;                  /* B in a row in the source so far */
} GstMpegTranscoderPicture;

/* And of one that the encoder has. */
typedef struct
{
  GstMpegTranscoderPicture picture;
  gint64 pts, duration;
  guint n_fields;               /* that it is shown */
  gboolean again;               /* it has been given before */
  GstMpegTranscoderForce force; /* what made it an I */
} GstMpegTranscoderRecord;

typedef struct
{
  GstElement *element;
  GstMpegTranscoderControl *control;
  GstMpegTranscoderSettings settings;   /* as they were at the start */
  GstMpegTranscoderReport report;
  GstMpegTranscoderPush push;

  TranscoderEncoder *encoder;   /* NULL: closed */
  GstMpegTranscoderFormat format;
  guint max_b;
  gdouble finer;                /* than the source's may quantisers be */
  gboolean caps_due;            /* it has coded nothing yet */
  GBytes *sequence_header;      /* the last encoder's; NULL: none */
  TranscoderStructure structure;
  TranscoderRate rate;
  GstMpegTranscoderRecord records[GST_MPEG_TRANSCODER_N_RECORDS]; /* by number */
  gint64 n_coded;
} GstMpegTranscoderCoding;

void gst_mpeg_transcoder_coding_init (GstMpegTranscoderCoding * c,
    GstElement * element, GstPad * srcpad, GstMpegTranscoderControl * control);
void gst_mpeg_transcoder_coding_clear (GstMpegTranscoderCoding * c);

/* Opens an encoder of the format for frames that were like this one. */
GstFlowReturn gst_mpeg_transcoder_coding_open (GstMpegTranscoderCoding * c,
    const GstMpegTranscoderFormat * format, const AVFrame * frame,
    guint max_b);

/* What waits in it does not leave. */
void gst_mpeg_transcoder_coding_close (GstMpegTranscoderCoding * c);

/* How many pictures wait in it. */
guint gst_mpeg_transcoder_coding_waiting (const GstMpegTranscoderCoding * c);

GstFlowReturn gst_mpeg_transcoder_coding_picture (GstMpegTranscoderCoding * c,
    AVFrame * frame, const GstMpegTranscoderRecord * record);

/* All that waits leaves; then it is closed. */
GstFlowReturn gst_mpeg_transcoder_coding_drain (GstMpegTranscoderCoding * c);

G_END_DECLS

#endif
