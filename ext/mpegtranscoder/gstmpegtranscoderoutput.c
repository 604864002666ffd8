/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegtranscoderoutput.h"

#include "core/amend.h"
#include "core/cadence.h"
#include "core/resizer.h"
#include "gstmpegtranscoderformat.h"
#include "gstmpegtranscoderpush.h"

GST_DEBUG_CATEGORY_EXTERN (gst_mpeg_transcoder_debug);
#define GST_CAT_DEFAULT gst_mpeg_transcoder_debug

/* More than an encoder ever holds back, and the one before. */
#define N_RECORDS 32

/* A picture that the encoder has. */
typedef struct
{
  GstMpegTranscoderPicture picture;
  gint64 pts, duration;
  gboolean again;               /* it has been given before */
} Record;

struct _GstMpegTranscoderOutput
{
  GstElement *element;
  GstPad *srcpad;
  GstMpegTranscoderControl *control;
  GstMpegTranscoderSettings settings;   /* as they were at the start */
  GstMpegTranscoderReport report;
  GstMpegTranscoderPush push;

  gboolean has_format;
  GstMpegTranscoderFormat in, out;
  TranscoderCadence cadence;
  TranscoderResizer *resizer;
  AVFrame *resized;

  TranscoderEncoder *encoder;   /* NULL: opened with the next picture */
  gboolean caps_due;            /* it has coded nothing yet */
  guint max_b;
  TranscoderStructure structure;
  TranscoderRate rate;
  Record records[N_RECORDS];    /* by number */
  gint64 n_coded;
};

static Record *
record (GstMpegTranscoderOutput * o, gint64 number)
{
  return &o->records[(guint64) number % N_RECORDS];
}

/* Format */

static void
describe (const AVFrame * frame, const MpegSequence * sequence,
    GstMpegTranscoderFormat * f)
{
  gboolean has_rate = sequence->frame_rate_num > 0
      && sequence->frame_rate_den > 0;
  gboolean has_aspect = frame->sample_aspect_ratio.num > 0
      && frame->sample_aspect_ratio.den > 0;

  f->version = sequence->mpeg2 ? 2 : 1;
  f->width = frame->width;
  f->height = frame->height;
  f->rate_num = has_rate ? (gint) sequence->frame_rate_num : 25;
  f->rate_den = has_rate ? (gint) sequence->frame_rate_den : 1;
  f->par_num = has_aspect ? frame->sample_aspect_ratio.num : 1;
  f->par_den = has_aspect ? frame->sample_aspect_ratio.den : 1;
  f->interlaced = sequence->mpeg2 && !sequence->progressive;
  f->pixel_format = frame->format;
}

/* MPEG-1 cannot repeat fields: it needs a picture for each of its frames. */
static void
begin_cadence (GstMpegTranscoderOutput * o)
{
  gboolean same = !o->has_format || (o->in.version <= o->out.version
      && gst_util_fraction_compare (o->in.rate_num, o->in.rate_den,
          o->out.rate_num, o->out.rate_den) == 0);

  transcoder_cadence_init (&o->cadence, same ? 0 : o->out.rate_num,
      o->out.rate_den);
}

static GstFlowReturn
refuse_format (GstMpegTranscoderOutput * o)
{
  GST_ELEMENT_ERROR (o->element, STREAM, FORMAT,
      ("What is behind mpegtranscoder takes no MPEG video that could be made of "
          "this one; change or remove the caps there."),
      ("source: MPEG-%d, %dx%d, %d/%d frames/s", o->in.version, o->in.width,
          o->in.height, o->in.rate_num, o->in.rate_den));
  return GST_FLOW_NOT_NEGOTIATED;
}

static void
close_encoder (GstMpegTranscoderOutput * o)
{
  g_clear_pointer (&o->encoder, transcoder_encoder_free);
}

static GstFlowReturn
negotiate (GstMpegTranscoderOutput * o, const AVFrame * frame,
    const GstMpegTranscoderPicture * picture)
{
  gboolean asked = gst_pad_check_reconfigure (o->srcpad);
  GstMpegTranscoderFormat in, out;
  GstFlowReturn ret = GST_FLOW_OK;

  describe (frame, &picture->sequence, &in);
  if (o->has_format && !asked && gst_mpeg_transcoder_format_equal (&in, &o->in))
    return GST_FLOW_OK;

  o->in = in;
  if (!gst_mpeg_transcoder_format_choose (o->srcpad, &in, &out))
    return refuse_format (o);
  if (!o->has_format || !gst_mpeg_transcoder_format_equal (&out, &o->out)) {
    ret = gst_mpeg_transcoder_output_drain (o);
    o->out = out;
  }
  o->has_format = TRUE;
  begin_cadence (o);
  return ret;
}

/* Encoder */

static void
tell_latency (GstMpegTranscoderOutput * o)
{
  GstClockTime latency = gst_util_uint64_scale_int_ceil (GST_SECOND,
      o->in.rate_den * (gint) (o->max_b + 1), o->in.rate_num);

  if (gst_mpeg_transcoder_control_set_latency (o->control, latency))
    gst_element_post_message (o->element,
        gst_message_new_latency (GST_OBJECT (o->element)));
}

static GstFlowReturn
open_encoder (GstMpegTranscoderOutput * o, const AVFrame * frame, guint max_b)
{
  const TranscoderGop gop = { o->settings.gop_size, o->settings.b_frames,
    o->settings.closed_gop
  };
  TranscoderEncoderSettings s = { 0 };
  gchar reason[128];

  s.mpeg2 = o->out.version == 2;
  s.width = o->out.width;
  s.height = o->out.height;
  s.pixel_format = o->out.pixel_format;
  s.rate_num = o->out.rate_num;
  s.rate_den = o->out.rate_den;
  s.sample_aspect = (AVRational) {
  o->out.par_num, o->out.par_den};
  s.interlaced = o->out.interlaced;
  s.primaries = frame->color_primaries;
  s.transfer = frame->color_trc;
  s.matrix = frame->colorspace;
  s.max_b = max_b;
  s.closed = o->settings.closed_gop;
  s.threads = o->settings.threads;
  s.decision = o->settings.decision;
  s.trellis = o->settings.trellis;
  o->encoder = transcoder_encoder_new (&s, reason, sizeof reason);
  if (!o->encoder) {
    GST_ELEMENT_ERROR (o->element, STREAM, ENCODE,
        ("libavcodec does not encode MPEG-%d video of %dx%d at %d/%d frames/s; "
            "ask for others by caps behind mpegtranscoder.", o->out.version,
            s.width, s.height, s.rate_num, s.rate_den), ("%s", reason));
    return GST_FLOW_ERROR;
  }
  transcoder_structure_init (&o->structure, &gop, max_b);
  o->n_coded = 0;
  o->max_b = max_b;
  o->caps_due = TRUE;
  tell_latency (o);
  return GST_FLOW_OK;
}

static guint
wanted_max_b (GstMpegTranscoderOutput * o,
    const GstMpegTranscoderPicture * picture)
{
  if (o->settings.gop_size == 1)
    return 0;
  return o->settings.b_frames >= 0 ? (guint) o->settings.b_frames :
      MIN (picture->max_b, TRANSCODER_MAX_B);
}

/* Where the source has more B in a row than it had, from its next I on. */
static GstFlowReturn
prepare_encoder (GstMpegTranscoderOutput * o, const AVFrame * frame,
    const GstMpegTranscoderPicture * picture)
{
  guint max_b = wanted_max_b (o, picture);
  GstFlowReturn ret = GST_FLOW_OK;

  if (o->encoder && max_b > o->max_b && picture->source.type == TM5_I)
    ret = gst_mpeg_transcoder_output_drain (o);
  if (ret == GST_FLOW_OK && !o->encoder)
    ret = open_encoder (o, frame, max_b);
  return ret;
}

/* Coding */

static void
note_quantisers (GstMpegTranscoderOutput * o)
{
  Tm5Stats stats;

  tm5_get_stats (&o->rate.tm5, &stats);
  o->report.quantiser_in = o->rate.source.quantiser;
  o->report.quantiser_out = 2 * o->rate.code;
  o->report.floor = stats.floor;
  o->report.wait = stats.wait;
  if (stats.passing)
    o->report.passed++;
  else
    o->report.recoded++;
}

static guint
choose_code (GstMpegTranscoderOutput * o, const TranscoderCoded * coded)
{
  const Record *r = record (o, coded->number);
  const MpegSequence *sequence = &r->picture.sequence;
  TranscoderSource source = r->picture.source;
  guint max_code;
  gint64 target = gst_mpeg_transcoder_control_target (o->control, &max_code);

  /* costs what its type does, not what it did */
  if (r->again)
    source.type = TM5_N_TYPES;
  tm5_set_source (&o->rate.tm5, sequence->bit_rate, sequence->vbv_buffer_size);
  tm5_set_target (&o->rate.tm5, target);
  return transcoder_rate_begin (&o->rate, coded->type, &source, r->duration,
      max_code);
}

static void
amend (GstMpegTranscoderOutput * o, const Record * r, guint8 * data, gsize size,
    gsize * header_size)
{
  const MpegSequence *sequence = &r->picture.sequence;
  TranscoderAmendment a = { 0 };

  a.bit_rate = sequence->bit_rate;
  a.vbv_buffer_size = sequence->vbv_buffer_size;
  a.progressive_sequence = !o->out.interlaced;
  a.n_fields = o->cadence.num ? 2 : r->picture.n_fields;
  a.progressive_frame = r->picture.progressive_frame;
  a.is_420 = o->out.pixel_format == AV_PIX_FMT_YUV420P;
  a.top_field_first = r->picture.top_field_first;
  transcoder_amend (data, size, &a, header_size);
}

static gint64
decoding_time (GstMpegTranscoderOutput * o)
{
  gint64 shift = o->max_b > 0 ? 1 : 0;

  if (o->n_coded >= shift)
    return record (o, o->n_coded - shift)->pts;
  return record (o, 0)->pts - record (o, 0)->duration;
}

/* The picture that the encoder has coded. */
static GstFlowReturn
take_coded (GstMpegTranscoderOutput * o, const TranscoderCoded * coded)
{
  GstMpegTranscoderCoded c = { 0 };
  const Record *r = record (o, coded->number);
  guint8 *data;
  gsize header_size;
  gint64 number;
  bool intra;

  if (!transcoder_encoder_receive (o->encoder, &data, &c.size, &number, &intra)
      || number != coded->number) {
    GST_ELEMENT_ERROR (o->element, STREAM, ENCODE,
        ("libavcodec has failed to encode a picture; another version of it may "
            "help."), ("picture %" G_GINT64_FORMAT " is missing",
            coded->number));
    return GST_FLOW_ERROR;
  }
  transcoder_rate_end (&o->rate, 8 * (gint64) c.size);
  amend (o, r, data, c.size, &header_size);
  c.data = data;
  c.intra = intra;
  c.pts = r->pts;
  c.dts = decoding_time (o);
  c.duration = r->duration;
  o->n_coded++;
  GST_LOG_OBJECT (o->element, "%c of %" G_GSIZE_FORMAT " bytes at %"
      GST_TIME_FORMAT ", quantiser_scale_code %u", "IPB"[coded->type], c.size,
      GST_TIME_ARGS (c.pts), o->rate.code);

  if (o->caps_due) {
    o->caps_due = FALSE;
    if (!gst_mpeg_transcoder_push_caps (&o->push,
            gst_mpeg_transcoder_format_caps (&o->out, data, header_size)))
      return GST_FLOW_NOT_NEGOTIATED;
  }
  o->report.frames_out++;
  o->report.bytes_out += c.size;
  note_quantisers (o);
  gst_mpeg_transcoder_control_report (o->control, &o->report);
  return gst_mpeg_transcoder_push_picture (&o->push, &c);
}

static GstFlowReturn
encode (GstMpegTranscoderOutput * o, AVFrame * frame, const Record * r)
{
  TranscoderCoded coded;
  gint64 number = o->structure.next_number;
  Tm5Type type = r->picture.source.type;
  guint code = 0;
  gboolean codes;

  if (gst_mpeg_transcoder_control_take_intra (o->control))
    transcoder_structure_force (&o->structure);
  if (r->again && type == TM5_I)
    type = TM5_P;
  type = transcoder_structure_type (&o->structure, type);
  *record (o, number) = *r;
  codes = transcoder_structure_give (&o->structure, type, &coded);
  if (codes)
    code = choose_code (o, &coded);
  if (!transcoder_encoder_send (o->encoder, frame, type, number,
          codes ? &coded : NULL, code)) {
    GST_ELEMENT_ERROR (o->element, STREAM, ENCODE,
        ("libavcodec takes no more pictures; there may be too little memory."),
        (NULL));
    return GST_FLOW_ERROR;
  }
  return codes ? take_coded (o, &coded) : GST_FLOW_OK;
}

GstFlowReturn
gst_mpeg_transcoder_output_drain (GstMpegTranscoderOutput * o)
{
  GstFlowReturn ret = GST_FLOW_OK;
  TranscoderCoded coded;

  while (o->encoder && ret == GST_FLOW_OK
      && transcoder_structure_drain (&o->structure, &coded)) {
    transcoder_encoder_send (o->encoder, NULL, coded.type, 0, &coded,
        choose_code (o, &coded));
    ret = take_coded (o, &coded);
  }
  close_encoder (o);
  return ret;
}

/* Frames */

static GstFlowReturn
encode_times (GstMpegTranscoderOutput * o, AVFrame * frame, Record * r)
{
  const GstMpegTranscoderFormat *f = &o->out;
  GstFlowReturn ret = GST_FLOW_OK;
  guint n = transcoder_cadence_frame (&o->cadence, r->picture.pts,
      r->picture.duration);

  if (n == 0 && r->picture.source.type == TM5_I && o->settings.gop_size == 0)
    transcoder_structure_force (&o->structure);
  if (n > 0 && transcoder_resizer_is_needed (frame, f->width, f->height,
          f->pixel_format)) {
    if (!transcoder_resizer_picture (o->resizer, frame, o->resized, f->width,
            f->height, f->pixel_format)) {
      GST_ELEMENT_ERROR (o->element, STREAM, FORMAT,
          ("libswscale cannot make pictures of %dx%d of these; ask for others "
              "by caps behind mpegtranscoder.", f->width, f->height), (NULL));
      return GST_FLOW_ERROR;
    }
    frame = o->resized;
  }
  for (; n > 0 && ret == GST_FLOW_OK; n--) {
    transcoder_cadence_next (&o->cadence, &r->pts, &r->duration);
    ret = encode (o, frame, r);
    r->again = TRUE;
  }
  av_frame_unref (o->resized);
  return ret;
}

/* The target is 0: what waits does not leave either. */
static void
stop (GstMpegTranscoderOutput * o, const GstMpegTranscoderPicture * picture)
{
  if (o->encoder)
    o->report.frames_dropped += o->structure.next_number - o->n_coded;
  close_encoder (o);
  begin_cadence (o);
  o->report.frames_dropped++;
  gst_mpeg_transcoder_control_report (o->control, &o->report);
  gst_mpeg_transcoder_push_gap (&o->push, picture->pts, picture->duration);
}

GstFlowReturn
gst_mpeg_transcoder_output_frame (GstMpegTranscoderOutput * o, AVFrame * frame,
    const GstMpegTranscoderPicture * picture)
{
  Record r = { *picture, 0, 0, FALSE };
  GstFlowReturn ret;
  guint max_code;

  if (gst_mpeg_transcoder_control_target (o->control, &max_code) == 0) {
    stop (o, picture);
    return GST_FLOW_OK;
  }
  ret = negotiate (o, frame, picture);
  if (ret == GST_FLOW_OK)
    ret = prepare_encoder (o, frame, picture);
  if (ret == GST_FLOW_OK)
    ret = encode_times (o, frame, &r);
  return ret;
}

/* Beginnings and ends */

GstMpegTranscoderOutput *
gst_mpeg_transcoder_output_new (GstElement * element, GstPad * srcpad,
    GstMpegTranscoderControl * control)
{
  GstMpegTranscoderOutput *o = g_new0 (GstMpegTranscoderOutput, 1);

  o->element = element;
  o->srcpad = srcpad;
  o->control = control;
  gst_mpeg_transcoder_control_settings (control, &o->settings);
  gst_mpeg_transcoder_push_init (&o->push, srcpad);
  transcoder_rate_init (&o->rate);
  o->resizer = transcoder_resizer_new ();
  o->resized = av_frame_alloc ();
  if (!o->resizer || !o->resized) {
    gst_mpeg_transcoder_output_free (o);
    return NULL;
  }
  return o;
}

void
gst_mpeg_transcoder_output_free (GstMpegTranscoderOutput * o)
{
  close_encoder (o);
  if (o->resizer)
    transcoder_resizer_free (o->resizer);
  av_frame_free (&o->resized);
  gst_mpeg_transcoder_push_clear (&o->push);
  g_free (o);
}

/* Targets and what is known of types stay, debts and credits go. */
void
gst_mpeg_transcoder_output_flush (GstMpegTranscoderOutput * o)
{
  close_encoder (o);
  begin_cadence (o);
  transcoder_rate_init (&o->rate);
  gst_mpeg_transcoder_push_flush (&o->push);
}

void
gst_mpeg_transcoder_output_set_timed (GstMpegTranscoderOutput * o,
    gboolean timed)
{
  o->push.timed = timed;
}

void
gst_mpeg_transcoder_output_set_discont (GstMpegTranscoderOutput * o)
{
  o->push.discont = TRUE;
}

gboolean
gst_mpeg_transcoder_output_event (GstMpegTranscoderOutput * o, GstEvent * event)
{
  return gst_mpeg_transcoder_push_event (&o->push, event);
}

GstMpegTranscoderReport *
gst_mpeg_transcoder_output_report (GstMpegTranscoderOutput * o)
{
  return &o->report;
}
