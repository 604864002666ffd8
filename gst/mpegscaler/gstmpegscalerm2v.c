/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscalercodec.h"

#include "gstmpegscalerm2vbuffer.h"
#include "gstmpegscalerm2vprocessor.h"

GST_DEBUG_CATEGORY_EXTERN (gst_mpeg_scaler_debug);
#define GST_CAT_DEFAULT gst_mpeg_scaler_debug

/* The most bytes of headers that are kept for a picture that may never come. */
#define MAX_HEADERS_SIZE (64 * 1024)
/* The most bytes after a first field that are kept until the second comes. */
#define MAX_STRAYS_SIZE (1024 * 1024)

/* The buffer that the chain function has taken. */
typedef struct
{
  GstBuffer *buffer;            /* NULL once it has been passed on */
  GstMapInfo map;
  GstClockTime pts, dts;        /* times of the buffer's first picture */
  gboolean leads;               /* the first picture is still to come */
} Input;

typedef struct
{
  GstMpegScalerOutput *output;
  GstMpegScalerControl *control;

  M2vSplitter splitter;
  M2vAssembler *assembler;
  GstMpegScalerM2vProcessor *processor;
  gint caps_version, caps_width, caps_height;
  gboolean discont;             /* the next picture follows a DISCONT */

  GstBuffer *headers;           /* headers at the end of the last buffer */
  GstMpegScalerM2vPlace waiting;        /* first field; buffer NULL = none */
  GstMapInfo waiting_map;
  GstBuffer *strays;            /* bytes that came after the first field */

  guint64 n_frames;             /* frames in; the id of the last one */
  guint64 anchors[2];           /* ids of the last I and P that left */

  GstClockTime position;        /* greatest end of a frame that left */
  GstClockTime dts;             /* the last DTS that left */
  GstClockTime anchor_pts;      /* PTS of the last I or P that left */
} GstMpegScalerM2v;

/* Times */

static gint64
to_mpeg_time (GstClockTime time)
{
  return time <= (GstClockTime) G_MAXINT64 ? (gint64) time : M2V_TIME_NONE;
}

static GstClockTime
to_clock_time (gint64 time)
{
  return time >= 0 ? (GstClockTime) time : GST_CLOCK_TIME_NONE;
}

/* Forgets times, because what comes next has others. */
static void
begin_times (GstMpegScalerM2v * s)
{
  GstMpegScalerOutput *o = s->output;

  gst_mpeg_scaler_gap_init (&o->gap);
  s->position = s->dts = s->anchor_pts = GST_CLOCK_TIME_NONE;
  m2v_assembler_reset (s->assembler, gst_mpeg_scaler_output_is_timed (o) ?
      to_mpeg_time (o->segment.start) : 0);
}

/* Pushing */

/* Returns a DTS for a frame that has no time of its own, because muxers would
 * take the PTS for it. An anchor is decoded when the one before it is shown, a
 * B when it is shown itself. */
static GstClockTime
make_dts (const GstMpegScalerM2v * s, const M2vFrame * frame, GstClockTime pts)
{
  GstClockTime dts = m2v_frame_is_anchor (frame) ? s->anchor_pts : pts;

  if (!GST_CLOCK_TIME_IS_VALID (dts) || dts < s->output->segment.start)
    dts = s->output->segment.start;
  dts = MIN (dts, pts);
  if (GST_CLOCK_TIME_IS_VALID (s->dts))
    dts = MAX (dts, s->dts);
  return dts <= pts ? dts : GST_CLOCK_TIME_NONE;
}

/* Returns the DTS with which a frame leaves. If the source gave the DTS as
 * PTS, the true PTS of a B frame is before it; then the DTS is the PTS, or
 * none. */
static GstClockTime
decoding_time (GstMpegScalerM2v * s, GstClockTime dts, GstClockTime pts)
{
  gboolean is_known = GST_CLOCK_TIME_IS_VALID (s->dts);

  if (GST_CLOCK_TIME_IS_VALID (dts) && dts > pts
      && gst_mpeg_scaler_output_is_in_segment (s->output, pts))
    dts = is_known && pts < s->dts ? GST_CLOCK_TIME_NONE : pts;
  if (GST_CLOCK_TIME_IS_VALID (dts))
    s->dts = dts;
  return dts;
}

/* Sets the times of a frame. Computed times must not clip the frame, so it
 * gets no PTS outside the segment, and no duration if its PTS is outside. */
static GstBuffer *
stamp_frame (GstMpegScalerM2v * s, GstBuffer * out, const M2vFrame * frame)
{
  GstClockTime pts = to_clock_time (frame->pts), dts;
  GstClockTime duration = frame->duration;

  if (!gst_mpeg_scaler_output_is_timed (s->output) || !frame->valid)
    return out;
  if (!gst_mpeg_scaler_output_is_in_segment (s->output, pts))
    pts = GST_BUFFER_PTS (out);
  dts = GST_BUFFER_DTS (out);
  if (!GST_CLOCK_TIME_IS_VALID (dts) && pts != GST_BUFFER_PTS (out))
    dts = make_dts (s, frame, pts);
  dts = decoding_time (s, dts, pts);
  if (m2v_frame_is_anchor (frame))
    s->anchor_pts = pts;
  if (!gst_mpeg_scaler_output_is_in_segment (s->output, pts))
    duration = GST_BUFFER_DURATION (out);
  if (pts != GST_BUFFER_PTS (out) || dts != GST_BUFFER_DTS (out)
      || duration != GST_BUFFER_DURATION (out)) {
    out = gst_buffer_make_writable (out);
    GST_BUFFER_PTS (out) = pts;
    GST_BUFFER_DTS (out) = dts;
    GST_BUFFER_DURATION (out) = duration;
  }
  if (GST_CLOCK_TIME_IS_VALID (pts) && (pts + frame->duration > s->position
          || !GST_CLOCK_TIME_IS_VALID (s->position)))
    s->position = pts + frame->duration;
  return out;
}

/* Marks a frame. An unreadable frame becomes an anchor, because others may
 * refer to it. The source's DELTA_UNIT counts only for unreadable frames,
 * because mpegvideoparse regards the last picture of a stream as a key
 * frame. */
static GstBuffer *
mark_frame (GstMpegScalerM2v * s, GstBuffer * out, const M2vFrame * frame,
    const M2vDecision * decision)
{
  GstMpegScalerPicture picture = {
    .id = s->n_frames,
    .references = s->anchors,
    .n_references = decision->n_references,
    .unreadable = !frame->valid
  };
  gboolean delta = frame->valid ? decision->n_references > 0
      : GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_DELTA_UNIT);

  if (frame->valid && !delta)
    picture.flags |= GST_CODED_PICTURE_FLAG_KEY;
  if (frame->valid && !m2v_frame_is_anchor (frame))
    picture.flags |= GST_CODED_PICTURE_FLAG_DISPOSABLE;
  out = gst_mpeg_scaler_output_mark (s->output, out, &picture, delta);
  if (!frame->valid || m2v_frame_is_anchor (frame)) {
    s->anchors[1] = frame->valid ? s->anchors[0] : s->n_frames;
    s->anchors[0] = s->n_frames;
  }
  return out;
}

static GstFlowReturn
push_frame (GstMpegScalerM2v * s, GstBuffer * out, const M2vFrame * frame,
    const M2vDecision * decision)
{
  out = stamp_frame (s, mark_frame (s, out, frame, decision), frame);
  return gst_mpeg_scaler_output_push (s->output, out);
}

/* Pushes bytes that are no frame. */
static GstFlowReturn
push_region (GstMpegScalerM2v * s, Input * input, gsize begin, gsize size)
{
  GstBuffer *out;

  if (size == input->map.size) {
    gst_buffer_unmap (input->buffer, &input->map);
    out = g_steal_pointer (&input->buffer);
  } else {
    out = gst_mpeg_scaler_m2v_region (input->buffer, begin, size);
  }
  return gst_mpeg_scaler_output_push (s->output, out);
}

/* The first field that waits */

static void
release_field (GstMpegScalerM2v * s)
{
  if (s->waiting.buffer) {
    gst_buffer_unmap (s->waiting.buffer, &s->waiting_map);
    gst_clear_buffer (&s->waiting.buffer);
  }
  gst_clear_buffer (&s->strays);
}

static gboolean
hold_field (GstMpegScalerM2v * s, const GstMpegScalerM2vPlace * place)
{
  release_field (s);
  if (!gst_buffer_map (place->buffer, &s->waiting_map, GST_MAP_READ))
    return FALSE;
  s->waiting = *place;
  gst_buffer_ref (place->buffer);
  return TRUE;
}

static GstFlowReturn
take_unpaired (GstMpegScalerM2v * s, const M2vFrame * frame)
{
  GstMpegScalerM2vPlace places[2] = { s->waiting, s->waiting };
  const guint8 *data[2] = { NULL, NULL };
  M2vDecision decision;
  GstBuffer *out;

  g_return_val_if_fail (s->waiting.buffer != NULL, GST_FLOW_OK);

  s->n_frames++;
  data[0] = s->waiting_map.data + s->waiting.begin;
  if (!gst_mpeg_scaler_m2v_processor_unpaired (s->processor, frame, data,
          &decision)) {
    GST_DEBUG_OBJECT (s->output->element,
        "dropping a field without its second");
    release_field (s);
    return GST_FLOW_OK;
  }
  GST_DEBUG_OBJECT (s->output->element, "passing a field without its second");
  out = gst_mpeg_scaler_m2v_assemble (&decision, frame, places, s->strays);
  release_field (s);
  return push_frame (s, out, frame, &decision);
}

static void
finish_field (GstMpegScalerM2v * s)
{
  M2vFrame frame;

  if (m2v_assembler_finish (s->assembler, &frame))
    take_unpaired (s, &frame);
}

/* Reports the latency if the second field comes in another buffer: the
 * first field waits for one field period. */
static void
note_wait (GstMpegScalerM2v * s)
{
  GstClockTime latency;

  if (!s->splitter.has_sequence)
    return;
  latency = m2v_fields_time (&s->splitter.sequence, 1) + 1;
  if (latency > gst_follower_latency (&s->control->follower)
      && gst_follower_set_latency (&s->control->follower, latency))
    gst_element_post_message (s->output->element,
        gst_message_new_latency (GST_OBJECT (s->output->element)));
}

/* Spans */

static GstFlowReturn
emit (GstMpegScalerM2v * s, Input * input,
    const M2vFrame * frame, const M2vDecision * decision,
    const GstMpegScalerM2vPlace * places)
{
  GstBuffer *between = decision->action == M2V_PASS ? s->strays : NULL;
  GstBuffer *out;

  if (!between && gst_mpeg_scaler_m2v_is_whole (decision, places)
      && places[0].buffer == input->buffer) {
    release_field (s);
    gst_buffer_unmap (input->buffer, &input->map);
    out = g_steal_pointer (&input->buffer);
  } else {
    out = gst_mpeg_scaler_m2v_assemble (decision, frame, places, between);
    release_field (s);
  }
  return push_frame (s, out, frame, decision);
}

static void
note_gap (GstMpegScalerM2v * s, const M2vFrame * frame)
{
  if (frame->discont)
    gst_mpeg_scaler_gap_init (&s->output->gap);
  if (frame->valid)
    gst_mpeg_scaler_output_dropped (s->output, to_clock_time (frame->pts),
        frame->duration, frame->type != M2V_PICTURE_B);
}

static GstFlowReturn
take_frame (GstMpegScalerM2v * s, Input * input,
    const M2vFrame * frame, const GstMpegScalerM2vPlace * place)
{
  static const gchar *const actions[] = {
    [M2V_PASS] = "pass",
    [M2V_DROP] = "drop",
    [M2V_REPLACE] = "replace"
  };
  GstMpegScalerM2vPlace places[2] = { *place, *place };
  const guint8 *data[2] = { NULL, NULL };
  M2vDecision decision;

  s->n_frames++;
  if (frame->n_pictures > 1)
    places[0] = s->waiting;
  data[0] = frame->n_pictures > 1 ? s->waiting_map.data : input->map.data;
  data[0] += places[0].begin;
  data[1] = input->map.data + places[1].begin;

  gst_mpeg_scaler_m2v_processor_frame (s->processor, frame, data, &decision);
  GST_LOG_OBJECT (s->output->element,
      "%s %c frame %u at %" GST_TIME_FORMAT " of %" G_GSIZE_FORMAT
      " bytes: needs scale %u, in force is %d", actions[decision.action],
      frame->valid ? "?IPBD"[frame->type] : '?', frame->temporal_reference,
      GST_TIME_ARGS (to_clock_time (frame->pts)), frame->size,
      decision.lowest_scale, decision.scale);

  if (decision.action == M2V_DROP) {
    release_field (s);
    note_gap (s, frame);
    return GST_FLOW_OK;
  }
  return emit (s, input, frame, &decision, places);
}

static GstFlowReturn
take_picture (GstMpegScalerM2v * s, Input * input, const M2vPicture * span)
{
  GstMpegScalerM2vPlace place = { input->buffer, span->begin, input->leads };
  M2vStamp stamp = { M2V_TIME_NONE, M2V_TIME_NONE, s->discont };
  GstFlowReturn ret = GST_FLOW_OK;
  M2vFrame before, frame;
  guint got;

  if (input->leads) {
    stamp.pts = to_mpeg_time (input->pts);
    stamp.dts = to_mpeg_time (input->dts);
  }
  input->leads = FALSE;
  s->discont = FALSE;

  got = m2v_assembler_push (s->assembler, &s->splitter, span, &stamp,
      &before, &frame);
  if (got & M2V_ASSEMBLED_UNPAIRED)
    ret = take_unpaired (s, &before);
  if (ret != GST_FLOW_OK)
    return ret;
  if (got & M2V_ASSEMBLED_FRAME)
    return take_frame (s, input, &frame, &place);
  if (!hold_field (s, &place))
    return gst_mpeg_scaler_output_refuse (s->output);
  return GST_FLOW_OK;
}

static GstFlowReturn
take_stray (GstMpegScalerM2v * s, Input * input, const M2vPicture * span)
{
  const guint8 *data = input->map.data + span->begin;
  M2vPiece headers;
  GstBuffer *out;

  if (s->waiting.buffer) {
    /* These are slices of that field, and go where it goes. */
    gsize have = s->strays ? gst_buffer_get_size (s->strays) : 0;

    if (!s->strays)
      s->strays = gst_buffer_new ();
    if (have + span->size <= MAX_STRAYS_SIZE)
      gst_buffer_copy_into (s->strays, input->buffer, GST_BUFFER_COPY_MEMORY,
          span->begin, span->size);
    return GST_FLOW_OK;
  }
  if (!gst_mpeg_scaler_m2v_processor_span (s->processor, span, data))
    return GST_FLOW_OK;
  if (gst_mpeg_scaler_m2v_processor_headers (s->processor, span, data,
          &headers) == 0)
    return push_region (s, input, span->begin, span->size);
  /* These are slices of a picture whose header is missing. */
  out = gst_buffer_new_memdup (headers.literal + headers.offset, headers.size);
  gst_buffer_copy_into (out, input->buffer, GST_BUFFER_COPY_MEMORY,
      span->begin, span->size);
  GST_BUFFER_FLAG_SET (out, GST_BUFFER_FLAG_DELTA_UNIT);
  return gst_mpeg_scaler_output_push (s->output, out);
}

static GstFlowReturn
take_span (GstMpegScalerM2v * s, Input * input,
    const M2vPicture * span, gboolean more_comes)
{
  gboolean is_last = span->begin + span->size == input->map.size;

  switch (span->kind) {
    case M2V_SPAN_PICTURE:
      return take_picture (s, input, span);
    case M2V_SPAN_HEADERS:
      if (is_last && more_comes && span->size <= MAX_HEADERS_SIZE) {
        s->headers = gst_mpeg_scaler_m2v_region (input->buffer, span->begin,
            span->size);
        return GST_FLOW_OK;
      }
      break;
    case M2V_SPAN_SEQUENCE_END:
      finish_field (s);
      break;
    case M2V_SPAN_STRAY:
      return take_stray (s, input, span);
  }
  if (gst_mpeg_scaler_m2v_processor_span (s->processor, span,
          input->map.data + span->begin))
    return push_region (s, input, span->begin, span->size);
  return GST_FLOW_OK;
}

/* Removes stuffing if the rate is to be lower, because stuffing carries no
 * information. Takes the buffer. */
static GstBuffer *
remove_stuffing (GstMpegScalerM2v * s, GstBuffer * buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  GstMpegScalerRule rule;

  gst_mpeg_scaler_control_rule (s->control, &rule);
  if (!gst_mpeg_scaler_rule_lowers (&rule))
    return buffer;
  buffer = gst_mpeg_scaler_m2v_remove_stuffing (buffer);
  gst_mpeg_scaler_m2v_processor_stuffing (s->processor,
      size - gst_buffer_get_size (buffer));
  return buffer;
}

/* Takes the buffer. */
static GstFlowReturn
take_buffer (GstMpegScalerM2v * s, GstBuffer * buffer, gboolean more_comes)
{
  GstFlowReturn ret = GST_FLOW_OK;
  Input input;
  M2vPicture span;
  gsize position = 0;

  if (!gst_buffer_map (buffer, &input.map, GST_MAP_READ)) {
    gst_buffer_unref (buffer);
    return gst_mpeg_scaler_output_refuse (s->output);
  }
  input.buffer = buffer;
  input.pts = GST_BUFFER_PTS (buffer);
  input.dts = GST_BUFFER_DTS (buffer);
  input.leads = TRUE;
  while (ret == GST_FLOW_OK && input.buffer
      && m2v_splitter_next (&s->splitter, input.map.data, input.map.size,
          &position, &span))
    ret = take_span (s, &input, &span, more_comes);

  if (s->waiting.buffer)
    note_wait (s);
  if (input.buffer) {
    gst_buffer_unmap (input.buffer, &input.map);
    gst_buffer_unref (input.buffer);
  }
  return ret;
}

/* Pushes headers that no picture follows. */
static void
finish_headers (GstMpegScalerM2v * s)
{
  if (s->headers)
    take_buffer (s, g_steal_pointer (&s->headers), FALSE);
}

static GstFlowReturn
take (gpointer stream, GstBuffer * buffer, gboolean discont)
{
  GstMpegScalerM2v *s = stream;

  s->discont |= discont;
  if (s->headers)
    buffer = gst_mpeg_scaler_m2v_join (g_steal_pointer (&s->headers), buffer);
  return take_buffer (s, remove_stuffing (s, buffer), TRUE);
}

/* Beginnings and ends */

static void
flush (gpointer stream)
{
  GstMpegScalerM2v *s = stream;

  m2v_splitter_flush (&s->splitter);
  gst_clear_buffer (&s->headers);
  release_field (s);
  s->discont = FALSE;
  begin_times (s);
  gst_mpeg_scaler_m2v_processor_flush (s->processor);
}

/* Pushes all that waits for input that will not come. */
static void
drain (gpointer stream)
{
  GstMpegScalerM2v *s = stream;
  M2vPiece piece;
  GstBuffer *out;

  finish_headers (s);
  finish_field (s);
  if (gst_mpeg_scaler_m2v_processor_finish (s->processor, &piece) == 0
      || !piece.literal)
    return;

  GST_DEBUG_OBJECT (s->output->element,
      "passing on %" G_GSIZE_FORMAT " bytes of a dropped " "frame", piece.size);
  out = gst_buffer_new_allocate (NULL, piece.size, NULL);
  gst_buffer_fill (out, 0, piece.literal, piece.size);
  GST_BUFFER_PTS (out) = s->position;
  GST_BUFFER_FLAG_SET (out, GST_BUFFER_FLAG_DELTA_UNIT);
  gst_mpeg_scaler_output_push (s->output, out);
}

static void
read_codec_data (GstMpegScalerM2v * s, const GstStructure * structure)
{
  const GValue *value = gst_structure_get_value (structure, "codec_data");
  GstBuffer *buffer;
  GstMapInfo map;
  M2vPicture span;
  gsize position = 0;

  if (value == NULL || !GST_VALUE_HOLDS_BUFFER (value))
    return;
  buffer = gst_value_get_buffer (value);
  if (buffer == NULL || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  while (m2v_splitter_next (&s->splitter, map.data, map.size, &position,
          &span));
  m2v_splitter_flush (&s->splitter);
  gst_buffer_unmap (buffer, &map);
}

/* Takes caps. Only another version or size begins another stream, because
 * caps also change for lesser reasons. */
static void
begin (gpointer stream, const GstCaps * caps, gboolean anew)
{
  GstMpegScalerM2v *s = stream;
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  gint version = 0, width = 0, height = 0;

  gst_structure_get_int (structure, "mpegversion", &version);
  gst_structure_get_int (structure, "width", &width);
  gst_structure_get_int (structure, "height", &height);
  gst_mpeg_scaler_control_set_only_drops (s->control, FALSE);
  if (!anew && version == s->caps_version && width == s->caps_width
      && height == s->caps_height)
    return;

  if (s->caps_version != 0) {
    drain (s);
    gst_mpeg_scaler_gap_init (&s->output->gap);
    gst_mpeg_scaler_m2v_processor_restart (s->processor);
  }
  m2v_splitter_init (&s->splitter);
  read_codec_data (s, structure);
  s->caps_version = version;
  s->caps_width = width;
  s->caps_height = height;
}

static void
segment (gpointer stream, const GstSegment * segment)
{
  GstMpegScalerM2v *s = stream;

  finish_field (s);
  s->output->segment = *segment;
  begin_times (s);
}

static void
free_stream (gpointer stream)
{
  GstMpegScalerM2v *s = stream;

  release_field (s);
  gst_clear_buffer (&s->headers);
  m2v_assembler_free (s->assembler);
  gst_mpeg_scaler_m2v_processor_free (s->processor);
  g_free (s);
}

static gpointer
new_stream (GstMpegScalerOutput * output, GstMpegScalerControl * control)
{
  GstMpegScalerM2v *s = g_new0 (GstMpegScalerM2v, 1);

  s->output = output;
  s->control = control;
  m2v_splitter_init (&s->splitter);
  s->assembler = m2v_assembler_new ();
  s->processor = gst_mpeg_scaler_m2v_processor_new (control);
  if (!s->assembler || !s->processor) {
    free_stream (s);
    return NULL;
  }
  begin_times (s);
  return s;
}

static gboolean
reads (const GstStructure * caps)
{
  return gst_structure_has_name (caps, "video/mpeg");
}

const GstMpegScalerCodec gst_mpeg_scaler_m2v = {
  .reads = reads,
  .new = new_stream,
  .free = free_stream,
  .begin = begin,
  .take = take,
  .segment = segment,
  .drain = drain,
  .flush = flush
};
