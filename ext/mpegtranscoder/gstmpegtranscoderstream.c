/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegtranscoderstream.h"

#include <gst/video/video.h>
#include <math.h>

#include "core/decoder.h"
#include "gstmpegtranscoderinput.h"
#include "gstmpegtranscoderoutput.h"
#include <mpeg2/tracker.h>

GST_DEBUG_CATEGORY_EXTERN (gst_mpeg_transcoder_debug);
#define GST_CAT_DEFAULT gst_mpeg_transcoder_debug

/* More pictures than the decoder ever holds back. */
#define N_PICTURES 32
/* Seconds over which the source's rate is measured. */
#define RATE_TIME 2.

struct _GstMpegTranscoderStream
{
  GstElement *element;
  GstMpegTranscoderControl *control;
  GstMpegTranscoderOutput output;

  GstMpegTranscoderInput input;
  M2vTracker tracker;
  TranscoderDecoder *decoder;
  AVFrame *decoded;
  gboolean low_delay;           /* as the last frame's sequence header has it */
  gboolean begun;               /* the stream's caps have come */
  gint version, width, height;  /* those of the last caps; 0 = none */
  GstSegment segment;

  /* Indexed by the number. */
  GstMpegTranscoderPicture pictures[N_PICTURES];
  gint64 n_pictures;

  /* B in a row, now and at most, in the source's coded order, with those
   * that references announce. */
  guint run, max_b;
  guint anchor_reference;
  gboolean has_anchor;

  gdouble rate_bits, rate_time;
};

/* What is known of the source */

static void
note_structure (GstMpegTranscoderStream * s, const M2vFrame * frame)
{
  guint ahead;

  if (!frame->valid)
    return;
  if (frame->type == M2V_PICTURE_B) {
    s->run++;
    s->max_b = MAX (s->max_b, MIN (s->run, TRANSCODER_MAX_B));
    return;
  }
  /* The number of B that are displayed before it. */
  ahead = frame->starts_group ? frame->temporal_reference :
      (frame->temporal_reference - s->anchor_reference - 1) & 1023;
  if (s->n_pictures > 0 && (frame->starts_group || s->has_anchor)
      && ahead <= TRANSCODER_MAX_B)
    s->max_b = MAX (s->max_b, ahead);
  s->run = 0;
  s->has_anchor = TRUE;
  s->anchor_reference = frame->temporal_reference;
}

static void
note_rate (GstMpegTranscoderStream * s, gsize size, gint64 duration)
{
  GstMpegTranscoderReport *report = &s->output.coding.report;
  gdouble seconds = (gdouble) duration / GST_SECOND;
  gdouble keep = exp (-seconds / RATE_TIME);

  s->rate_bits = s->rate_bits * keep + 8. * size;
  s->rate_time = s->rate_time * keep + seconds;
  report->frames_in++;
  report->bytes_in += size;
  if (s->rate_time > 0)
    report->source_bitrate = (guint64) (s->rate_bits / s->rate_time);
}

static void
describe (GstMpegTranscoderStream * s, const M2vFrame * frame, gsize size,
    GstMpegTranscoderPicture * p)
{
  static const Tm5Type types[] = {
    [0] = TM5_P,                /* type could not be read */
    [M2V_PICTURE_I] = TM5_I,
    [M2V_PICTURE_P] = TM5_P,
    [M2V_PICTURE_B] = TM5_B,
    [M2V_PICTURE_D] = TM5_I
  };
  const M2vPictureCoding *coding = &frame->pictures[0].coding;

  memset (p, 0, sizeof *p);
  p->number = s->n_pictures;
  p->source.type = types[frame->valid ? frame->type : 0];
  p->source.bits = 8 * (gint64) size;
  if (frame->has_sequence)
    p->sequence = frame->sequence;
  p->pts = frame->pts;
  p->given_pts = frame->given_pts;
  p->duration = frame->duration;
  p->n_fields = 2;
  p->max_b = s->max_b;
  if (!frame->valid)
    return;
  p->n_fields = frame->n_fields;
  p->progressive_frame = frame->n_pictures == 1 && coding->progressive_frame;
  p->top_field_first = coding->structure == M2V_FRAME_PICTURE ?
      coding->top_field_first : coding->structure == M2V_TOP_FIELD;
}

/* Decoding */

/* Takes a decoded picture. When low_delay ends, libavcodec returns the
 * last picture once more. */
static GstFlowReturn
take_decoded (GstMpegTranscoderStream * s)
{
  gint64 number = s->decoded->pts;
  GstMpegTranscoderPicture *p;

  if (number < 0 || number >= s->n_pictures
      || number < s->n_pictures - N_PICTURES)
    number = s->n_pictures - 1;
  p = &s->pictures[number % N_PICTURES];
  if (p->decoded)
    return GST_FLOW_OK;
  p->decoded = TRUE;
  p->max_b = s->max_b;          /* as known now */
  p->source.quantiser = transcoder_decoder_quantiser (s->decoded);
  av_frame_remove_side_data (s->decoded, AV_FRAME_DATA_VIDEO_ENC_PARAMS);
  return gst_mpeg_transcoder_output_frame (&s->output, s->decoded, p);
}

static void
note_undecodable (GstMpegTranscoderStream * s)
{
  GST_DEBUG_OBJECT (s->element, "a frame that cannot be decoded");
  s->output.coding.report.frames_undecodable++;
}

/* Counts a picture that the decoder should have returned by now, but has
 * not. */
static void
note_unless_returned (GstMpegTranscoderStream * s, gint64 number)
{
  if (!s->pictures[number % N_PICTURES].decoded)
    note_undecodable (s);
}

static GstFlowReturn
receive (GstMpegTranscoderStream * s)
{
  GstFlowReturn ret = GST_FLOW_OK;

  while (ret == GST_FLOW_OK
      && transcoder_decoder_receive (s->decoder, s->decoded)) {
    ret = take_decoded (s);
    av_frame_unref (s->decoded);
  }
  return ret;
}

/* True for a field without its second. libavcodec would pair it with the
 * next frame's first field, and so on to the end. */
static gboolean
is_unpaired (const M2vFrame * frame)
{
  return frame->valid && frame->n_pictures == 1
      && frame->pictures[0].coding.structure != M2V_FRAME_PICTURE;
}

/* True if libavcodec would refuse the frame, with a message on stderr for
 * each. */
static gboolean
is_too_large (const M2vFrame * frame)
{
  const M2vSequence *s = &frame->sequence;

  return frame->has_sequence
      && (guint64) s->width * s->height > TRANSCODER_MAX_PIXELS;
}

/* Takes what waits in the decoder before low_delay begins, because libavcodec
 * would lose it. The I then needs nothing of what has been. */
static GstFlowReturn
begin_low_delay (GstMpegTranscoderStream * s, const M2vFrame * frame)
{
  gboolean begins = frame->has_sequence && frame->sequence.low_delay
      && !s->low_delay;
  GstFlowReturn ret;

  if (frame->has_sequence)
    s->low_delay = frame->sequence.low_delay;
  if (!begins || frame->type != M2V_PICTURE_I)
    return GST_FLOW_OK;
  transcoder_decoder_drain (s->decoder);
  ret = receive (s);
  transcoder_decoder_flush (s->decoder);
  return ret;
}

static GstFlowReturn
decode_frame (GstMpegTranscoderStream * s, const M2vFrame * frame,
    const guint8 * data, gsize size)
{
  GstMpegTranscoderReport *report = &s->output.coding.report;
  gboolean decodable = m2v_tracker_decodable (&s->tracker, frame);
  gboolean whole = !is_unpaired (frame);
  GstFlowReturn ret;

  note_structure (s, frame);
  note_rate (s, size, frame->duration);
  m2v_tracker_note (&s->tracker, frame, decodable && whole);
  if (!decodable || !whole) {
    GST_DEBUG_OBJECT (s->element, "a frame without %s",
        decodable ? "its second field" : "its reference");
    report->frames_dropped++;
    return GST_FLOW_OK;
  }
  if (is_too_large (frame)) {
    note_undecodable (s);
    return GST_FLOW_OK;
  }
  if (s->n_pictures >= N_PICTURES)
    note_unless_returned (s, s->n_pictures - N_PICTURES);
  ret = begin_low_delay (s, frame);
  if (ret != GST_FLOW_OK)
    return ret;
  describe (s, frame, size, &s->pictures[s->n_pictures % N_PICTURES]);
  transcoder_decoder_send (s->decoder, data, size, s->n_pictures++);
  return receive (s);
}

static void
publish (GstMpegTranscoderStream * s)
{
  gst_mpeg_transcoder_control_report (s->control, &s->output.coding.report);
}

/* Takes a frame. The statistics count it even if nothing leaves. */
static GstFlowReturn
take_frame (GstMpegTranscoderStream * s, const M2vFrame * frame,
    const guint8 * data, gsize size)
{
  GstFlowReturn ret = decode_frame (s, frame, data, size);

  publish (s);
  return ret;
}

/* Refuses a stream without caps, because a source without caps links to
 * any element. */
static GstFlowReturn
refuse_unparsed (GstMpegTranscoderStream * s)
{
  GST_ELEMENT_ERROR (s->element, CORE, NEGOTIATION,
      ("The video has not been parsed; put mpegvideoparse before "
          "mpegtranscoder."), ("buffer without caps"));
  return GST_FLOW_NOT_NEGOTIATED;
}

GstFlowReturn
gst_mpeg_transcoder_stream_chain (GstMpegTranscoderStream * s,
    GstBuffer * buffer)
{
  GstFlowReturn ret = GST_FLOW_OK;
  const guint8 *data;
  M2vFrame frame;
  gsize size;

  if (s->version == 0) {
    gst_buffer_unref (buffer);
    return refuse_unparsed (s);
  }
  if (GST_BUFFER_IS_DISCONT (buffer))
    s->output.coding.push.discont = TRUE;
  if (!gst_mpeg_transcoder_input_push (&s->input, buffer)) {
    GST_ELEMENT_ERROR (s->element, RESOURCE, READ,
        ("The video's memory cannot be read; it must come in memory that the "
            "processor can access."), ("mapping a buffer failed"));
    return GST_FLOW_ERROR;
  }
  while (ret == GST_FLOW_OK
      && gst_mpeg_transcoder_input_next (&s->input, &frame, &data, &size))
    ret = take_frame (s, &frame, data, size);
  s->output.fields_wait |= s->input.field_waits;
  return ret;
}

/* Beginnings and ends */

/* Pushes all that waits in the decoder and the encoder. */
static void
drain_pictures (GstMpegTranscoderStream * s)
{
  gint64 i;

  transcoder_decoder_drain (s->decoder);
  if (receive (s) == GST_FLOW_OK) {
    for (i = MAX (s->n_pictures - N_PICTURES, 0); i < s->n_pictures; i++)
      note_unless_returned (s, i);
    gst_mpeg_transcoder_output_drain (&s->output);
  }
  publish (s);
  transcoder_decoder_flush (s->decoder);
  m2v_tracker_discont (&s->tracker);
  s->n_pictures = 0;
  s->has_anchor = FALSE;
}

/* Pushes all that waits. What comes next must not need what has been. */
static void
drain (GstMpegTranscoderStream * s)
{
  const guint8 *data;
  M2vFrame frame;
  gsize size;

  if (gst_mpeg_transcoder_input_finish (&s->input, &frame, &data, &size))
    take_frame (s, &frame, data, size);
  if (s->n_pictures > 0)
    drain_pictures (s);
  gst_mpeg_transcoder_push_drained (&s->output.coding.push);
}

static void
flush (GstMpegTranscoderStream * s)
{
  gst_mpeg_transcoder_input_flush (&s->input);
  transcoder_decoder_flush (s->decoder);
  gst_mpeg_transcoder_output_flush (&s->output);
  if (s->n_pictures > 0)
    m2v_tracker_discont (&s->tracker);
  s->n_pictures = 0;
  s->has_anchor = FALSE;
  s->rate_bits = s->rate_time = 0;
}

/* Takes the caps. They begin another stream, but caps also change for
 * lesser reasons. */
static void
take_caps (GstMpegTranscoderStream * s, GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const GValue *value = gst_structure_get_value (structure, "codec_data");
  GstBuffer *codec_data = value && GST_VALUE_HOLDS_BUFFER (value) ?
      gst_value_get_buffer (value) : NULL;
  gint version = 0, width = 0, height = 0;

  gst_structure_get_int (structure, "mpegversion", &version);
  gst_structure_get_int (structure, "width", &width);
  gst_structure_get_int (structure, "height", &height);
  if (s->begun && version == s->version && width == s->width
      && height == s->height)
    return;

  drain (s);
  m2v_tracker_init (&s->tracker);
  gst_mpeg_transcoder_input_begin (&s->input, codec_data);
  s->max_b = s->run = 0;
  s->begun = TRUE;
  s->version = version;
  s->width = width;
  s->height = height;
}

/* Takes the segment. What waits is of the old segment and leaves first,
 * unless its times mean the same in the new one. */
static void
take_segment (GstMpegTranscoderStream * s, GstEvent * event)
{
  GstSegment *old = &s->segment, new;

  gst_event_copy_segment (event, &new);
  old->stop = new.stop;
  old->position = new.position;
  old->duration = new.duration;
  if (!gst_segment_is_equal (old, &new)) {
    drain (s);
    gst_mpeg_transcoder_input_start_at (&s->input,
        new.format == GST_FORMAT_TIME ? new.start : 0);
  }
  *old = new;
  s->output.coding.push.timed = new.format == GST_FORMAT_TIME;
  s->output.coding.push.start = s->input.start;
  s->output.coding.push.stop = new.stop;
}

gboolean
gst_mpeg_transcoder_stream_event (GstMpegTranscoderStream * s, GstEvent * event)
{
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      take_caps (s, caps);
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_FLUSH_STOP:
      flush (s);
      break;
    case GST_EVENT_STREAM_START:
      s->begun = FALSE;
      drain (s);
      break;
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
      drain (s);
      break;
    case GST_EVENT_SEGMENT:
      take_segment (s, event);
      break;
    default:
      if (gst_video_event_is_force_key_unit (event)) {
        gst_mpeg_transcoder_control_force_intra (s->control, event);
        gst_event_unref (event);
        return TRUE;
      }
      break;
  }
  /* A first field is of the picture before. */
  return gst_mpeg_transcoder_push_event (&s->output.coding.push, event,
      s->n_pictures + s->input.field_waits);
}

GstMpegTranscoderStream *
gst_mpeg_transcoder_stream_new (GstElement * element, GstPad * srcpad,
    GstMpegTranscoderControl * control)
{
  GstMpegTranscoderStream *s = g_new0 (GstMpegTranscoderStream, 1);
  gboolean has_output;

  s->element = element;
  s->control = control;
  has_output = gst_mpeg_transcoder_output_init (&s->output, element, srcpad,
      control);
  s->decoder = transcoder_decoder_new (s->output.coding.settings.threads);
  s->decoded = av_frame_alloc ();
  m2v_tracker_init (&s->tracker);
  gst_segment_init (&s->segment, GST_FORMAT_UNDEFINED);
  if (!gst_mpeg_transcoder_input_init (&s->input) || !has_output || !s->decoder
      || !s->decoded) {
    gst_mpeg_transcoder_stream_free (s);
    return NULL;
  }
  return s;
}

void
gst_mpeg_transcoder_stream_free (GstMpegTranscoderStream * s)
{
  gst_mpeg_transcoder_input_clear (&s->input);
  gst_mpeg_transcoder_output_clear (&s->output);
  if (s->decoder)
    transcoder_decoder_free (s->decoder);
  av_frame_free (&s->decoded);
  g_free (s);
}
