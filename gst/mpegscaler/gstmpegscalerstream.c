/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscalerstream.h"

#include "gstmpegscalercodec.h"

/* Number of families of codecs. */
#define N_CODECS 2

static const GstMpegScalerCodec *const codecs[N_CODECS] = {
  &gst_mpeg_scaler_m2v, &gst_mpeg_scaler_h26x
};

struct _GstMpegScalerStream
{
  GstMpegScalerControl *control;
  GstMpegScalerOutput output;
  const GstMpegScalerCodec *codec;      /* codec of the caps; NULL = no caps */
  gpointer coded;               /* stream of the codec */
  /* Streams of all codecs so far, which keep their counts. */
  gpointer all[N_CODECS];
  gboolean started;             /* there has been a buffer */
};

static void
drain (GstMpegScalerStream * s)
{
  if (s->codec)
    s->codec->drain (s->coded);
}

static void
flush (GstMpegScalerStream * s)
{
  gst_segment_init (&s->output.segment, GST_FORMAT_UNDEFINED);
  if (s->codec)
    s->codec->flush (s->coded);
}

/* Refuses buffers without caps. A source without caps links to any
 * element, and its buffers begin anywhere. */
static GstFlowReturn
refuse_unparsed (GstMpegScalerStream * s)
{
  GST_ELEMENT_ERROR (s->output.element, CORE, NEGOTIATION,
      ("The video has not been parsed; put mpegvideoparse, "
          "h264parse or h265parse before mpegscaler."),
      ("buffer without caps"));
  return GST_FLOW_NOT_NEGOTIATED;
}

GstFlowReturn
gst_mpeg_scaler_stream_chain (GstMpegScalerStream * s, GstBuffer * buffer)
{
  gboolean discont = FALSE;

  if (!s->codec) {
    gst_buffer_unref (buffer);
    return refuse_unparsed (s);
  }
  if (GST_BUFFER_IS_DISCONT (buffer)) {
    discont = s->started;
    s->output.discont = TRUE;
  }
  s->started = TRUE;
  return s->codec->take (s->coded, buffer, discont);
}

static guint
find_codec (const GstStructure * caps)
{
  guint i = 0;

  while (i < N_CODECS && !codecs[i]->reads (caps))
    i++;
  return i;
}

static void
replace_caps (GstEvent ** event, GstCaps * caps)
{
  GstEvent *replaced = gst_event_new_caps (caps);

  gst_event_set_seqnum (replaced, gst_event_get_seqnum (*event));
  gst_event_unref (*event);
  *event = replaced;
}

/* Takes caps. The pad's template lets only caps of known codecs through. */
static gboolean
take_caps (GstMpegScalerStream * s, GstEvent ** event)
{
  GstCaps *caps, *replaced = NULL;
  gboolean anew;
  guint i;

  gst_event_parse_caps (*event, &caps);
  i = find_codec (gst_caps_get_structure (caps, 0));
  g_return_val_if_fail (i < N_CODECS, FALSE);
  anew = s->codec != codecs[i];
  if (anew) {
    drain (s);
    if (!s->all[i])
      s->all[i] = codecs[i]->new (&s->output, s->control);
    s->coded = s->all[i];
    s->codec = s->coded ? codecs[i] : NULL;
    if (!s->codec) {
      GST_ELEMENT_ERROR (s->output.element, RESOURCE, FAILED,
          ("There is not enough memory to begin: end other programs."), (NULL));
      return FALSE;
    }
  }
  s->codec->begin (s->coded, caps, anew);
  if (s->codec->replace_caps)
    replaced = s->codec->replace_caps (s->coded);
  if (replaced)
    replace_caps (event, replaced);
  gst_clear_caps (&replaced);
  return TRUE;
}

/* Takes a segment. Another end of the same segment leaves the times as
 * they are. */
static void
take_segment (GstMpegScalerStream * s, GstEvent * event)
{
  GstSegment *old = &s->output.segment, new;

  gst_event_copy_segment (event, &new);
  old->stop = new.stop;
  old->position = new.position;
  old->duration = new.duration;
  if (gst_segment_is_equal (old, &new))
    return;
  if (s->codec)
    s->codec->segment (s->coded, &new);
  else
    *old = new;
}

gboolean
gst_mpeg_scaler_stream_event (GstMpegScalerStream * s, GstEvent ** event)
{
  switch (GST_EVENT_TYPE (*event)) {
    case GST_EVENT_FLUSH_STOP:
      flush (s);
      break;
    case GST_EVENT_STREAM_START:
      drain (s);
      gst_segment_init (&s->output.segment, GST_FORMAT_UNDEFINED);
      break;
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
      drain (s);
      break;
    case GST_EVENT_CAPS:
      return take_caps (s, event);
    case GST_EVENT_SEGMENT:
      take_segment (s, *event);
      break;
    default:
      break;
  }
  return TRUE;
}

GstMpegScalerStream *
gst_mpeg_scaler_stream_new (GstElement * element, GstPad * srcpad,
    GstMpegScalerControl * control)
{
  GstMpegScalerStream *s = g_new0 (GstMpegScalerStream, 1);

  s->control = control;
  s->output.element = element;
  s->output.srcpad = srcpad;
  gst_segment_init (&s->output.segment, GST_FORMAT_UNDEFINED);
  gst_mpeg_scaler_gap_init (&s->output.gap);
  return s;
}

void
gst_mpeg_scaler_stream_free (GstMpegScalerStream * s)
{
  for (guint i = 0; i < N_CODECS; i++)
    if (s->all[i])
      codecs[i]->free (s->all[i]);
  g_free (s);
}
