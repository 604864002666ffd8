/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The source pad's stream: buffers, and before them caps and the events that
 * must not precede caps.
 */
#ifndef __GST_MPEG_TRANSCODER_PUSH_H__
#define __GST_MPEG_TRANSCODER_PUSH_H__

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstPad *srcpad;
  gboolean timed;               /* the segment is in TIME */
  GstClockTime start, stop;     /* ns, those of the segment */
  gboolean discont;             /* the next buffer is to be DISCONT */
  gboolean has_caps;
  GQueue events;                /* events that wait for caps */
  GstClockTime dts;             /* DTS of the last buffer */
  /* ns; nothing has left for this interval */
  GstClockTime gap_begin, gap_end;
} GstMpegTranscoderPush;

/* A coded picture; times in ns. */
typedef struct
{
  const guint8 *data;
  gsize size;
  gint64 pts, dts, duration;
  gint64 given_pts;             /* the source's own, or M2V_TIME_NONE */
  gboolean intra;
  gboolean ends_sequence;       /* what left before it is another sequence */
} GstMpegTranscoderCoded;

void gst_mpeg_transcoder_push_init (GstMpegTranscoderPush * p,
    GstPad * srcpad);
void gst_mpeg_transcoder_push_clear (GstMpegTranscoderPush * p);

/* Flushes; the next segment is to come. */
void gst_mpeg_transcoder_push_flush (GstMpegTranscoderPush * p);

/* Takes the event. Once there were caps it leaves at once: what comes with a
 * picture that still waits in the decoder or the encoder overtakes that
 * picture. */
gboolean gst_mpeg_transcoder_push_event (GstMpegTranscoderPush * p,
    GstEvent * event);

/* Takes the caps; those in force are not sent again. */
gboolean gst_mpeg_transcoder_push_caps (GstMpegTranscoderPush * p,
    GstCaps * caps);

GstFlowReturn gst_mpeg_transcoder_push_picture (GstMpegTranscoderPush * p,
    const GstMpegTranscoderCoded * coded);

/* Notes that a picture does not leave. Gap events report this each half
 * second. */
void gst_mpeg_transcoder_push_gap (GstMpegTranscoderPush * p, gint64 pts,
    gint64 duration);

G_END_DECLS

#endif
