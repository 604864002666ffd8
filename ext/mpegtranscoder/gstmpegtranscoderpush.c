/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegtranscoderpush.h"

#include <string.h>

#include <mpeg2/types.h>

/* ns between gap events while nothing leaves */
#define GAP_INTERVAL (GST_SECOND / 2)

typedef struct
{
  GstEvent *event;
  gint64 next;                  /* the source's picture that came after it */
} WaitingEvent;

static void
begin (GstMpegTranscoderPush * p)
{
  p->discont = TRUE;
  p->dts = GST_CLOCK_TIME_NONE;
  p->gap_begin = p->gap_end = GST_CLOCK_TIME_NONE;
}

void
gst_mpeg_transcoder_push_init (GstMpegTranscoderPush * p, GstPad * srcpad)
{
  memset (p, 0, sizeof *p);
  p->srcpad = srcpad;
  p->waiting = g_array_new (FALSE, FALSE, sizeof (WaitingEvent));
  begin (p);
}

/* Forgets those for which `unwanted` is true; all, if it is NULL. */
static void
drop_waiting (GstMpegTranscoderPush * p, gboolean (*unwanted) (GstEvent *))
{
  guint i, n = p->waiting->len, kept = 0;
  WaitingEvent *waiting = (WaitingEvent *) p->waiting->data;

  for (i = 0; i < n; i++) {
    if (!unwanted || unwanted (waiting[i].event))
      gst_event_unref (waiting[i].event);
    else
      waiting[kept++] = waiting[i];
  }
  g_array_set_size (p->waiting, kept);
}

void
gst_mpeg_transcoder_push_clear (GstMpegTranscoderPush * p)
{
  drop_waiting (p, NULL);
  g_array_unref (p->waiting);
}

/* Tags and the like survive a flush. */
static gboolean
is_flushed (GstEvent * event)
{
  return !GST_EVENT_IS_STICKY (event)
      || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT
      || GST_EVENT_TYPE (event) == GST_EVENT_EOS;
}

static void
forget_numbers (GstMpegTranscoderPush * p)
{
  for (guint i = 0; i < p->waiting->len; i++)
    g_array_index (p->waiting, WaitingEvent, i).next = 0;
}

void
gst_mpeg_transcoder_push_flush (GstMpegTranscoderPush * p)
{
  drop_waiting (p, is_flushed);
  forget_numbers (p);
  begin (p);
}

void
gst_mpeg_transcoder_push_waiting (GstMpegTranscoderPush * p, gint64 number)
{
  while (p->waiting->len > 0) {
    WaitingEvent first = g_array_index (p->waiting, WaitingEvent, 0);

    if (first.next > number)
      return;
    g_array_remove_index (p->waiting, 0);
    gst_pad_push_event (p->srcpad, first.event);
  }
}

void
gst_mpeg_transcoder_push_drained (GstMpegTranscoderPush * p)
{
  if (p->has_caps)
    gst_mpeg_transcoder_push_waiting (p, G_MAXINT64);
  forget_numbers (p);
}

gboolean
gst_mpeg_transcoder_push_event (GstMpegTranscoderPush * p, GstEvent * event,
    gint64 next)
{
  const WaitingEvent waiting = { event, next };

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
    case GST_EVENT_FLUSH_STOP:
      return gst_pad_push_event (p->srcpad, event);
    case GST_EVENT_EOS:
      gst_mpeg_transcoder_push_waiting (p, G_MAXINT64);
      return gst_pad_push_event (p->srcpad, event);
    default:
      g_array_append_val (p->waiting, waiting);
      if (p->has_caps && GST_EVENT_TYPE (event) == GST_EVENT_GAP)
        gst_mpeg_transcoder_push_waiting (p, G_MAXINT64);
      return TRUE;
  }
}

/* Returns the caps, with the codec_data of the current ones if nothing else
 * differs. Each picture that needs a sequence header has it, and matroskamux
 * refuses new caps. */
static GstCaps *
keep_codec_data (const GstCaps * current, GstCaps * caps)
{
  const GValue *header =
      gst_structure_get_value (gst_caps_get_structure (current, 0),
      "codec_data");
  GstCaps *kept = gst_caps_copy (caps);

  if (header)
    gst_caps_set_value (kept, "codec_data", header);
  if (!gst_caps_is_equal (current, kept)) {
    gst_caps_unref (kept);
    return caps;
  }
  gst_caps_unref (caps);
  return kept;
}

gboolean
gst_mpeg_transcoder_push_caps (GstMpegTranscoderPush * p, GstCaps * caps)
{
  GstCaps *current = gst_pad_get_current_caps (p->srcpad);
  gboolean ok = FALSE;

  if (current) {
    caps = keep_codec_data (current, caps);
    ok = gst_caps_is_equal (current, caps);
  }
  if (!ok)
    ok = gst_pad_push_event (p->srcpad, gst_event_new_caps (caps));
  if (current)
    gst_caps_unref (current);
  gst_caps_unref (caps);
  p->has_caps = TRUE;
  return ok;
}

static GstClockTime
to_clock_time (gint64 time)
{
  return time >= 0 ? (GstClockTime) time : 0;
}

/* Returns the decoding time: within the segment, not after the PTS, and
 * never earlier than before, unless time itself has jumped. */
static GstClockTime
decoding_time (GstMpegTranscoderPush * p, const GstMpegTranscoderCoded * coded)
{
  GstClockTime pts = to_clock_time (coded->pts);
  GstClockTime dts = MAX (to_clock_time (coded->dts), p->start);

  if (GST_CLOCK_TIME_IS_VALID (p->dts) && dts < p->dts)
    dts = p->dts;
  if (dts > pts)
    dts = pts;
  p->dts = dts;
  return dts;
}

/* Sets the times. Sinks and muxers would drop a picture for a computed time
 * outside the segment, so only the source's own is set there. */
static void
stamp (GstMpegTranscoderPush * p, const GstMpegTranscoderCoded * coded,
    GstBuffer * buffer)
{
  GstClockTime pts = to_clock_time (coded->pts);

  if (pts >= p->start && pts < p->stop) {
    GST_BUFFER_PTS (buffer) = pts;
    GST_BUFFER_DTS (buffer) = decoding_time (p, coded);
    GST_BUFFER_DURATION (buffer) = coded->duration;
  } else if (coded->given_pts != M2V_TIME_NONE) {
    GST_BUFFER_PTS (buffer) = to_clock_time (coded->given_pts);
  }
}

GstFlowReturn
gst_mpeg_transcoder_push_picture (GstMpegTranscoderPush * p,
    const GstMpegTranscoderCoded * coded)
{
  static const guint8 sequence_end[] = { 0, 0, 1, M2V_CODE_SEQUENCE_END };
  gsize begin = coded->ends_sequence ? sizeof sequence_end : 0;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, begin + coded->size,
      NULL);

  gst_buffer_fill (buffer, 0, sequence_end, begin);
  gst_buffer_fill (buffer, begin, coded->data, coded->size);
  if (p->timed)
    stamp (p, coded, buffer);
  if (!coded->intra)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  if (p->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  p->discont = FALSE;
  p->gap_begin = GST_CLOCK_TIME_NONE;
  return gst_pad_push (p->srcpad, buffer);
}

void
gst_mpeg_transcoder_push_gap (GstMpegTranscoderPush * p, gint64 pts,
    gint64 duration)
{
  GstClockTime start = to_clock_time (pts), end = start + duration;

  if (!p->has_caps)
    return;
  gst_mpeg_transcoder_push_waiting (p, G_MAXINT64);
  if (!p->timed)
    return;
  /* The time may have jumped. */
  if (!GST_CLOCK_TIME_IS_VALID (p->gap_begin) || start < p->gap_begin
      || start > p->gap_end + GAP_INTERVAL) {
    p->gap_begin = start;
    p->gap_end = end;
  }
  p->gap_end = MAX (p->gap_end, end);
  if (p->gap_end - p->gap_begin < GAP_INTERVAL)
    return;
  start = p->gap_begin;
  p->gap_begin = p->gap_end;
  gst_pad_push_event (p->srcpad, gst_event_new_gap (start, p->gap_end - start));
}
