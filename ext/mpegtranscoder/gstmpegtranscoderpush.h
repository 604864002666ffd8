/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The source pad's stream: caps, pictures, and the events that came between them.
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
  GArray *waiting;              /* events that wait for caps or a picture */
  GstClockTime dts;             /* DTS of the last buffer */
  /* ns; nothing has left for this interval */
  GstClockTime gap_begin, gap_end;
} GstMpegTranscoderPush;

/* A coded picture; times in ns. */
typedef struct
{
  const guint8 *data;
  gsize size;
  gint64 number;                /* the source's, in its coded order */
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

/* Takes an event that came before the source's picture `next`. It leaves before
 * that picture or a later one does, as pictures wait in the decoder and the
 * encoder. A gap does not wait, nor what came before it, for no picture may come
 * for long. */
gboolean gst_mpeg_transcoder_push_event (GstMpegTranscoderPush * p,
    GstEvent * event, gint64 next);

/* No picture waits any longer, and numbers begin anew. */
void gst_mpeg_transcoder_push_drained (GstMpegTranscoderPush * p);

/* Takes the caps; those in force are not sent again. */
gboolean gst_mpeg_transcoder_push_caps (GstMpegTranscoderPush * p,
    GstCaps * caps);

/* Pushes the events that came before the source's picture `number`. */
void gst_mpeg_transcoder_push_waiting (GstMpegTranscoderPush * p,
    gint64 number);

GstFlowReturn gst_mpeg_transcoder_push_picture (GstMpegTranscoderPush * p,
    const GstMpegTranscoderCoded * coded);

/* Notes that a picture does not leave, nor those that wait: events do. Gap events report this each half
 * second. */
void gst_mpeg_transcoder_push_gap (GstMpegTranscoderPush * p, gint64 pts,
    gint64 duration);

G_END_DECLS

#endif
