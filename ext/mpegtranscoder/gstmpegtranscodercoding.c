/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegtranscodercoding.h"

#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#include <libavutil/pixfmt.h>

#include "core/amend.h"

GST_DEBUG_CATEGORY_EXTERN (gst_mpeg_transcoder_debug);
#define GST_CAT_DEFAULT gst_mpeg_transcoder_debug

static GstMpegTranscoderRecord *
find_record (GstMpegTranscoderCoding * c, gint64 number)
{
  return &c->records[(guint64) number % GST_MPEG_TRANSCODER_N_RECORDS];
}

/* Opening and closing */

void
gst_mpeg_transcoder_coding_init (GstMpegTranscoderCoding * c,
    GstElement * element, GstPad * srcpad, GstMpegTranscoderControl * control)
{
  memset (c, 0, sizeof *c);
  c->element = element;
  c->control = control;
  gst_mpeg_transcoder_control_settings (control, &c->settings);
  gst_mpeg_transcoder_push_init (&c->push, srcpad);
  transcoder_rate_init (&c->rate);
}

void
gst_mpeg_transcoder_coding_close (GstMpegTranscoderCoding * c)
{
  g_clear_pointer (&c->encoder, transcoder_encoder_free);
}

void
gst_mpeg_transcoder_coding_clear (GstMpegTranscoderCoding * c)
{
  gst_mpeg_transcoder_coding_close (c);
  g_clear_pointer (&c->sequence_header, g_bytes_unref);
  gst_mpeg_transcoder_push_clear (&c->push);
}

static void
describe (GstMpegTranscoderCoding * c, const AVFrame * frame,
    TranscoderEncoderSettings * s)
{
  const GstMpegTranscoderFormat *f = &c->format;
  const AVRational aspect = { f->par_num, f->par_den };

  memset (s, 0, sizeof *s);
  s->mpeg2 = f->version == 2;
  s->width = f->width;
  s->height = f->height;
  s->pixel_format = f->pixel_format;
  s->rate_num = f->rate_num;
  s->rate_den = f->rate_den;
  s->sample_aspect = aspect;
  s->interlaced = f->interlaced;
  s->primaries = frame->color_primaries;
  s->transfer = frame->color_trc;
  s->matrix = frame->colorspace;
  s->max_b = c->max_b;
  s->closed = c->settings.closed_gop;
  s->threads = c->settings.threads;
  s->decision = c->settings.decision;
  s->trellis = c->settings.trellis;
}

/* Returns the share of the source's coding noise that remains. A smaller
 * picture is a mean of the source's, so it has less. */
static gdouble
noise_left (const GstMpegTranscoderFormat * f, gint width, gint height)
{
  return sqrt (MIN (1, (gdouble) f->width * f->height / width / height));
}

GstFlowReturn
gst_mpeg_transcoder_coding_open (GstMpegTranscoderCoding * c,
    const GstMpegTranscoderFormat * format, const AVFrame * frame, guint max_b)
{
  const TranscoderGop gop = { c->settings.gop_size, c->settings.b_frames,
    c->settings.closed_gop
  };
  TranscoderEncoderSettings settings;
  gchar reason[128];

  c->format = *format;
  c->max_b = max_b;
  c->finer = noise_left (format, frame->width, frame->height);
  describe (c, frame, &settings);
  c->encoder = transcoder_encoder_new (&settings, reason, sizeof reason);
  if (!c->encoder) {
    GST_ELEMENT_ERROR (c->element, STREAM, ENCODE,
        ("libavcodec does not encode MPEG-%d video of %dx%d at %d/%d frames/s; "
            "ask for others by caps behind mpegtranscoder.", format->version,
            format->width, format->height, format->rate_num,
            format->rate_den), ("%s", reason));
    return GST_FLOW_ERROR;
  }
  transcoder_structure_init (&c->structure, &gop, max_b,
      transcoder_encoder_delay (&settings));
  c->n_coded = 0;
  c->caps_due = TRUE;
  return GST_FLOW_OK;
}

guint
gst_mpeg_transcoder_coding_waiting (const GstMpegTranscoderCoding * c)
{
  return c->encoder ? c->structure.next_number - c->n_coded : 0;
}

/* Rate */

static void
report (GstMpegTranscoderCoding * c, gdouble quantiser_in, gsize size)
{
  GstMpegTranscoderReport *r = &c->report;
  Tm5Stats stats;

  tm5_get_stats (&c->rate.tm5, &stats);
  r->frames_out++;
  r->bytes_out += size;
  r->quantiser_in = quantiser_in;
  r->quantiser_out = 2 * c->rate.code;
  r->floor = stats.floor;
  r->wait = (GstClockTime) (stats.wait * GST_SECOND);
  r->picture_target = stats.picture_target;
  if (stats.passing)
    r->passed++;
  else
    r->recoded++;
  gst_mpeg_transcoder_control_report (c->control, r);
}

static guint
choose_code (GstMpegTranscoderCoding * c, const TranscoderCoded * coded)
{
  const GstMpegTranscoderRecord *r = find_record (c, coded->number);
  const M2vSequence *sequence = &r->picture.sequence;
  TranscoderSource source = r->picture.source;
  guint max_code;
  gint64 target = gst_mpeg_transcoder_control_target (c->control, &max_code);

  source.quantiser *= c->finer;
  /* A repeated picture costs what its type does, not what it did. */
  if (r->again)
    source.type = TM5_N_TYPES;
  tm5_set_source (&c->rate.tm5, sequence->bit_rate, sequence->vbv_buffer_size);
  transcoder_rate_set_target (&c->rate, MAX (target, 1));
  return transcoder_rate_begin (&c->rate, coded->type, &source, r->duration,
      max_code);
}

/* What was coded */

/* True if no sequence will ever have B. The source's low_delay does not say
 * so: B may come with the next of its sequences, and where low_delay ends,
 * decoders such as libavcodec show a picture twice. */
static gboolean
is_low_delay (const GstMpegTranscoderCoding * c)
{
  return c->settings.b_frames == 0 || c->settings.gop_size == 1;
}

static gsize
amend_headers (GstMpegTranscoderCoding * c, const GstMpegTranscoderRecord * r,
    guint8 * data, gsize size)
{
  const M2vSequence *sequence = &r->picture.sequence;
  TranscoderAmendment a = { 0 };
  gsize header_size;

  a.bit_rate = sequence->bit_rate;
  a.vbv_buffer_size = sequence->vbv_buffer_size;
  a.low_delay = is_low_delay (c);
  a.progressive_sequence = !c->format.interlaced;
  a.n_fields = r->n_fields;
  a.progressive_frame = r->picture.progressive_frame;
  a.is_420 = c->format.pixel_format == AV_PIX_FMT_YUV420P;
  a.top_field_first = r->picture.top_field_first;
  transcoder_amend (data, size, &a, &header_size);
  return header_size;
}

/* Returns the decoding time. With B, the first of them is shown one
 * picture after the first picture is decoded. */
static gint64
decoding_time (GstMpegTranscoderCoding * c)
{
  gint64 shift = c->max_b > 0 ? 1 : 0;

  if (c->n_coded >= shift)
    return find_record (c, c->n_coded - shift)->pts;
  return find_record (c, 0)->pts - find_record (c, 0)->duration;
}

/* Begins a sequence. The encoder's first picture begins another one if its
 * header differs. */
static void
begin_sequence (GstMpegTranscoderCoding * c, GstMpegTranscoderCoded * out,
    gsize header_size)
{
  GBytes *header = g_bytes_new (out->data, header_size);

  out->ends_sequence = c->sequence_header
      && !g_bytes_equal (header, c->sequence_header);
  g_clear_pointer (&c->sequence_header, g_bytes_unref);
  c->sequence_header = header;
}

/* Announces a key unit downstream, as encoders do, for the elements that
 * asked. */
static void
announce_key_unit (GstMpegTranscoderCoding * c, GstClockTime pts,
    const GstMpegTranscoderForce * force)
{
  GstEvent *event = gst_pad_get_sticky_event (c->push.srcpad,
      GST_EVENT_SEGMENT, 0);
  GstClockTime stream_time = GST_CLOCK_TIME_NONE;
  GstClockTime running_time = GST_CLOCK_TIME_NONE;
  const GstSegment *segment;

  if (event && GST_CLOCK_TIME_IS_VALID (pts)) {
    gst_event_parse_segment (event, &segment);
    stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, pts);
    running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts);
  }
  g_clear_pointer (&event, gst_event_unref);
  gst_pad_push_event (c->push.srcpad,
      gst_video_event_new_downstream_force_key_unit (pts, stream_time,
          running_time, force->all_headers, force->count));
}

static GstFlowReturn
push (GstMpegTranscoderCoding * c, GstMpegTranscoderCoded * out,
    gsize header_size, const GstMpegTranscoderForce * force)
{
  if (c->caps_due) {
    c->caps_due = FALSE;
    begin_sequence (c, out, header_size);
    if (!gst_mpeg_transcoder_push_caps (&c->push,
            gst_mpeg_transcoder_format_caps (&c->format, out->data,
                header_size)))
      return GST_PAD_IS_FLUSHING (c->push.srcpad) ? GST_FLOW_FLUSHING :
          GST_FLOW_NOT_NEGOTIATED;
  }
  gst_mpeg_transcoder_push_waiting (&c->push, out->number);
  if (force->asked)
    announce_key_unit (c, c->push.timed ? MAX (out->pts, 0)
        : GST_CLOCK_TIME_NONE, force);
  return gst_mpeg_transcoder_push_picture (&c->push, out);
}

static GstFlowReturn
take_coded (GstMpegTranscoderCoding * c, const TranscoderCoded * coded)
{
  const GstMpegTranscoderRecord *r = find_record (c, coded->number);
  GstMpegTranscoderCoded out = { 0 };
  gint64 number;
  gsize header_size;
  guint8 *data;
  bool intra;

  if (!transcoder_encoder_receive (c->encoder, &data, &out.size, &number,
          &intra) || number != coded->number) {
    GST_ELEMENT_ERROR (c->element, STREAM, ENCODE,
        ("libavcodec has failed to encode a picture; another version of it may "
            "help."), ("picture %" G_GINT64_FORMAT " is missing",
            coded->number));
    return GST_FLOW_ERROR;
  }
  transcoder_rate_end (&c->rate, 8 * (gint64) out.size);
  header_size = amend_headers (c, r, data, out.size);
  out.data = data;
  out.intra = intra;
  out.number = r->picture.number;
  out.pts = r->pts;
  out.given_pts = r->picture.given_pts;
  out.dts = decoding_time (c);
  out.duration = r->duration;
  c->n_coded++;
  GST_LOG_OBJECT (c->element, "%c of %" G_GSIZE_FORMAT " bytes at %"
      GST_TIME_FORMAT ", quantiser_scale_code %u", "IPB"[coded->type],
      out.size, GST_TIME_ARGS (out.pts), c->rate.code);
  report (c, r->picture.source.quantiser, out.size);
  return push (c, &out, header_size, &r->force);
}

/* Pictures */

GstFlowReturn
gst_mpeg_transcoder_coding_picture (GstMpegTranscoderCoding * c,
    AVFrame * frame, const GstMpegTranscoderRecord * record)
{
  gint64 number = c->structure.next_number;
  Tm5Type type = record->picture.source.type;
  GstMpegTranscoderForce force;
  TranscoderCoded coded;
  gboolean codes;
  guint code = 0;

  if (gst_mpeg_transcoder_control_take_intra (c->control, &force))
    transcoder_structure_force (&c->structure);
  if (record->again && type == TM5_I)
    type = TM5_P;
  type = transcoder_structure_type (&c->structure, type);
  *find_record (c, number) = *record;
  find_record (c, number)->force = force;
  codes = transcoder_structure_give (&c->structure, type, &coded);
  if (codes)
    code = choose_code (c, &coded);
  if (!transcoder_encoder_send (c->encoder, frame, type, number,
          codes ? &coded : NULL, code)) {
    GST_ELEMENT_ERROR (c->element, STREAM, ENCODE,
        ("libavcodec takes no more pictures; there may be too little memory."),
        (NULL));
    return GST_FLOW_ERROR;
  }
  return codes ? take_coded (c, &coded) : GST_FLOW_OK;
}

GstFlowReturn
gst_mpeg_transcoder_coding_drain (GstMpegTranscoderCoding * c)
{
  GstFlowReturn ret = GST_FLOW_OK;
  TranscoderCoded coded;

  while (c->encoder && ret == GST_FLOW_OK
      && transcoder_structure_drain (&c->structure, &coded)) {
    transcoder_encoder_send (c->encoder, NULL, coded.type, 0, &coded,
        choose_code (c, &coded));
    ret = take_coded (c, &coded);
  }
  gst_mpeg_transcoder_coding_close (c);
  return ret;
}
