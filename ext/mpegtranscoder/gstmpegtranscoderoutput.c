/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegtranscoderoutput.h"

#include <string.h>

#include <mpeg2/clock.h>

GST_DEBUG_CATEGORY_EXTERN (gst_mpeg_transcoder_debug);
#define GST_CAT_DEFAULT gst_mpeg_transcoder_debug

/* Format */

static void
describe (const AVFrame * frame, const M2vSequence * sequence,
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

/* Begins the cadence. MPEG-1 cannot repeat fields, so it needs a picture
 * for each of its frames. */
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
  GST_ELEMENT_ERROR (o->coding.element, STREAM, FORMAT,
      ("What is behind mpegtranscoder takes no MPEG video that could be made of "
          "this one; change or remove the caps there."),
      ("source: MPEG-%d, %dx%d, %d/%d frames/s", o->in.version, o->in.width,
          o->in.height, o->in.rate_num, o->in.rate_den));
  return GST_FLOW_NOT_NEGOTIATED;
}

static GstFlowReturn
negotiate (GstMpegTranscoderOutput * o, const AVFrame * frame,
    const GstMpegTranscoderPicture * picture)
{
  GstPad *srcpad = o->coding.push.srcpad;
  gboolean asked = gst_pad_check_reconfigure (srcpad), same;
  GstMpegTranscoderFormat in, out;
  GstFlowReturn ret = GST_FLOW_OK;

  describe (frame, &picture->sequence, &in);
  same = o->has_format && gst_mpeg_transcoder_format_equal (&in, &o->in);
  if (same && !asked)
    return GST_FLOW_OK;

  o->in = in;
  if (!gst_mpeg_transcoder_format_choose (srcpad, &in, &out))
    return refuse_format (o);
  if (same && gst_mpeg_transcoder_format_equal (&out, &o->out))
    return GST_FLOW_OK;

  GST_DEBUG_OBJECT (o->coding.element, "MPEG-%d, %dx%d, %d/%d frames/s to "
      "MPEG-%d, %dx%d, %d/%d frames/s", in.version, in.width, in.height,
      in.rate_num, in.rate_den, out.version, out.width, out.height,
      out.rate_num, out.rate_den);
  ret = gst_mpeg_transcoder_coding_drain (&o->coding);
  o->out = out;
  o->has_format = TRUE;
  o->longest = 0;
  begin_cadence (o);
  return ret;
}

/* Encoder */

/* Updates the latency. A picture waits until the encoder has been given as
 * many more as it holds back, and a B also for the anchor that is coded
 * before it. The decoder may hold the last of these back until the next
 * one. */
static void
update_latency (GstMpegTranscoderOutput * o,
    const GstMpegTranscoderPicture * picture)
{
  const GstMpegTranscoderCoding *c = &o->coding;
  gboolean paced = o->cadence.num > 0;
  GstElement *element = c->element;
  GstClockTime in, out, latency;

  o->longest = MAX (o->longest, picture->duration);
  in = o->longest + 1;
  out = paced ? gst_util_uint64_scale_ceil (GST_SECOND, o->cadence.den,
      o->cadence.num) : in;
  latency = out * (c->structure.delay + (c->max_b > 0));
  if (!picture->sequence.low_delay)
    latency += in;
  if (o->fields_wait)
    latency += m2v_fields_time (&picture->sequence, 1) + 1;
  if (gst_follower_set_latency (&o->coding.control->follower, latency))
    gst_element_post_message (element,
        gst_message_new_latency (GST_OBJECT (element)));
}

static guint
wanted_max_b (GstMpegTranscoderOutput * o,
    const GstMpegTranscoderPicture * picture)
{
  const GstMpegTranscoderSettings *settings = &o->coding.settings;

  if (settings->gop_size == 1)
    return 0;
  return settings->b_frames >= 0 ? (guint) settings->b_frames :
      MIN (picture->max_b, TRANSCODER_MAX_B);
}

/* Opens an encoder if there is none. If the source has more B in a row
 * than before, a new one begins at its next I. */
static GstFlowReturn
prepare_encoder (GstMpegTranscoderOutput * o, const AVFrame * frame,
    const GstMpegTranscoderPicture * picture)
{
  guint max_b = wanted_max_b (o, picture);
  GstFlowReturn ret = GST_FLOW_OK;

  if (o->coding.encoder && max_b > o->coding.max_b
      && picture->source.type == TM5_I)
    ret = gst_mpeg_transcoder_coding_drain (&o->coding);
  if (ret != GST_FLOW_OK || o->coding.encoder)
    return ret;
  GST_DEBUG_OBJECT (o->coding.element, "opening an encoder for %u B in a row",
      max_b);
  return gst_mpeg_transcoder_coding_open (&o->coding, &o->out, frame, max_b);
}

/* Frames */

/* Returns NULL and posts an error if the picture cannot be resized. */
static AVFrame *
resize (GstMpegTranscoderOutput * o, AVFrame * frame,
    const GstMpegTranscoderPicture * picture)
{
  const GstMpegTranscoderFormat *f = &o->out;

  if (!transcoder_resizer_is_needed (frame, f->width, f->height,
          f->pixel_format))
    return frame;
  if (transcoder_resizer_picture (o->resizer, frame,
          o->in.interlaced && !picture->progressive_frame, o->resized,
          f->width, f->height, f->pixel_format))
    return o->resized;
  GST_ELEMENT_ERROR (o->coding.element, STREAM, FORMAT,
      ("libswscale cannot make pictures of %dx%d of these; ask for others by "
          "caps behind mpegtranscoder.", f->width, f->height), (NULL));
  return NULL;
}

/* Sets the time. A picture whose headers could not be read has no time of
 * its own, so it follows the last one. */
static void
set_time (GstMpegTranscoderOutput * o, GstMpegTranscoderPicture * p)
{
  if (p->duration <= 0)
    p->duration = gst_util_uint64_scale (GST_SECOND, o->in.rate_den,
        o->in.rate_num);
  if (p->pts == M2V_TIME_NONE)
    p->pts = o->end;
  o->end = p->pts + p->duration;
}

static GstFlowReturn
encode (GstMpegTranscoderOutput * o, AVFrame * frame,
    const GstMpegTranscoderPicture * picture)
{
  GstMpegTranscoderRecord r = {.picture = *picture };
  GstFlowReturn ret = GST_FLOW_OK;
  guint n;

  r.n_fields = picture->n_fields;
  set_time (o, &r.picture);
  update_latency (o, &r.picture);
  n = transcoder_cadence_frame (&o->cadence, r.picture.pts, r.picture.duration);
  if (n == 0) {
    if (picture->source.type == TM5_I && o->coding.settings.gop_size == 0)
      transcoder_structure_force (&o->coding.structure);
    return GST_FLOW_OK;
  }
  if (o->cadence.num > 0)
    r.n_fields = 2;
  frame = resize (o, frame, picture);
  if (!frame)
    ret = GST_FLOW_ERROR;
  for (; n > 0 && ret == GST_FLOW_OK; n--) {
    transcoder_cadence_next (&o->cadence, &r.pts, &r.duration);
    ret = gst_mpeg_transcoder_coding_picture (&o->coding, frame, &r);
    r.again = TRUE;
  }
  av_frame_unref (o->resized);
  return ret;
}

/* Stops while the target is 0: pictures that wait do not leave either. */
static void
stop (GstMpegTranscoderOutput * o, const GstMpegTranscoderPicture * picture)
{
  GstMpegTranscoderCoding *c = &o->coding;

  c->report.frames_dropped += 1 + gst_mpeg_transcoder_coding_waiting (c);
  gst_mpeg_transcoder_coding_close (c);
  begin_cadence (o);
  gst_mpeg_transcoder_control_report (c->control, &c->report);
  if (picture->pts != M2V_TIME_NONE)
    gst_mpeg_transcoder_push_gap (&c->push, picture->pts, picture->duration);
}

static gboolean
is_stopped (GstMpegTranscoderOutput * o)
{
  guint max_code;

  return gst_mpeg_transcoder_control_target (o->coding.control, &max_code) == 0;
}

GstFlowReturn
gst_mpeg_transcoder_output_frame (GstMpegTranscoderOutput * o, AVFrame * frame,
    const GstMpegTranscoderPicture * picture)
{
  GstFlowReturn ret;

  if (is_stopped (o)) {
    stop (o, picture);
    return GST_FLOW_OK;
  }
  ret = negotiate (o, frame, picture);
  if (ret == GST_FLOW_OK)
    ret = prepare_encoder (o, frame, picture);
  if (ret == GST_FLOW_OK)
    ret = encode (o, frame, picture);
  return ret;
}

/* Beginnings and ends */

GstFlowReturn
gst_mpeg_transcoder_output_drain (GstMpegTranscoderOutput * o)
{
  if (is_stopped (o)) {
    gst_mpeg_transcoder_coding_close (&o->coding);
    return GST_FLOW_OK;
  }
  return gst_mpeg_transcoder_coding_drain (&o->coding);
}

void
gst_mpeg_transcoder_output_flush (GstMpegTranscoderOutput * o)
{
  gst_mpeg_transcoder_coding_close (&o->coding);
  transcoder_rate_init (&o->coding.rate);
  gst_mpeg_transcoder_push_flush (&o->coding.push);
  begin_cadence (o);
}

gboolean
gst_mpeg_transcoder_output_init (GstMpegTranscoderOutput * o,
    GstElement * element, GstPad * srcpad, GstMpegTranscoderControl * control)
{
  memset (o, 0, sizeof *o);
  gst_mpeg_transcoder_coding_init (&o->coding, element, srcpad, control);
  o->resizer = transcoder_resizer_new ();
  o->resized = av_frame_alloc ();
  return o->resizer && o->resized;
}

void
gst_mpeg_transcoder_output_clear (GstMpegTranscoderOutput * o)
{
  gst_mpeg_transcoder_coding_clear (&o->coding);
  if (o->resizer)
    transcoder_resizer_free (o->resizer);
  av_frame_free (&o->resized);
}
