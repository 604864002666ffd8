/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The codecs H.264 and H.265: takes access units, and pushes those that
 * pass.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscalercodec.h"

#include "gsth264headers.h"
#include "gsth265headers.h"
#include "gstmpegscalerh26xbuffer.h"

GST_DEBUG_CATEGORY_EXTERN (gst_mpeg_scaler_debug);
#define GST_CAT_DEFAULT gst_mpeg_scaler_debug

/* ns; duration of a picture if neither its buffer nor the caps have one. */
#define DEFAULT_DURATION (40 * GST_MSECOND)

/* The functions that read headers; gsth264headers.h and gsth265headers.h
 * describe each of them. */
typedef struct
{
  const gchar *media_type;
    gpointer (*new) (void);
  void (*free) (gpointer headers);
  void (*reset) (gpointer headers);
    gboolean (*set_caps) (gpointer headers, const GstCaps * caps);
  const H26xPicture *(*read) (gpointer headers, const guint8 * data,
      gsize size);
  const GstH26xUnit *(*get_units) (gpointer headers, guint * n_units);
    gboolean (*decodes) (gpointer headers, gboolean allow_gaps);
  void (*passed) (gpointer headers);
  /* NULL = no picture can be made to begin a sequence. */
  GstBuffer *(*splice) (gpointer headers, GstBuffer * buffer, gboolean anew);
  /* NULL = the codec has no frame_num. */
  gboolean (*has_gaps) (gpointer headers);
  /* NULL = the codec has no frame_num. */
  const GstH264Sets *(*get_sets) (gpointer headers);
} Reader;

typedef struct
{
  GstMpegScalerOutput *output;
  GstMpegScalerControl *control;

  const Reader *reader;         /* reader of the caps' codec, or NULL */
  gpointer headers;
  GstCaps *caps;
  GstClockTime frame_duration;  /* ns; from the caps, or NONE */
  gboolean warned;              /* has warned of a mode that it lacks */

  H26xDropper *dropper;
  gboolean begun;               /* there has been a picture */
  guint64 id;                   /* id of the last picture */
  gboolean passes;              /* the last picture passed; at first TRUE */
  guint key_requests;           /* requests up to the last picture */

  /* SPS leave with gaps_in_frame_num_value_allowed_flag set. */
  gboolean allows_gaps;
  gboolean will_allow_gaps;     /* allows_gaps if this picture passes */
  gboolean sets_left;           /* an SPS has left */
  gboolean warned_of_gaps;      /* has warned that the flag cannot be set */

  GPtrArray *carried;           /* parameter sets of dropped pictures */
} GstMpegScalerH26x;

/* Readers */

/* A reader that has the functions gst_`codec`_headers_*. */
#define READER(codec, splice, has_gaps, get_sets) { \
  "video/x-" #codec, \
  (gpointer (*) (void)) gst_ ## codec ## _headers_new, \
  (void (*) (gpointer)) gst_ ## codec ## _headers_free, \
  (void (*) (gpointer)) gst_ ## codec ## _headers_reset, \
  (gboolean (*) (gpointer, const GstCaps *)) gst_ ## codec ## _headers_set_caps, \
  (const H26xPicture * (*) (gpointer, const guint8 *, gsize)) \
      gst_ ## codec ## _headers_read, \
  (const GstH26xUnit * (*) (gpointer, guint *)) \
      gst_ ## codec ## _headers_get_units, \
  (gboolean (*) (gpointer, gboolean)) gst_ ## codec ## _headers_decodes, \
  (void (*) (gpointer)) gst_ ## codec ## _headers_passed, \
  splice, has_gaps, get_sets \
}

static const Reader readers[] = {
  READER (h264, NULL,
      (gboolean (*)(gpointer)) gst_h264_headers_has_gaps,
      (const GstH264Sets * (*)(gpointer)) gst_h264_headers_get_sets),
  READER (h265,
      (GstBuffer * (*)(gpointer, GstBuffer *, gboolean))
      gst_h265_headers_splice, NULL, NULL)
};

static const Reader *
find_reader (const GstStructure * caps)
{
  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    if (gst_structure_has_name (caps, readers[i].media_type))
      return &readers[i];
  return NULL;
}

static gboolean
reads (const GstStructure * caps)
{
  return find_reader (caps) != NULL;
}

/* Rules */

/* True if a decoder decodes the current picture. Gaps before a
 * random-access picture are allowed, because decoders meet them after a
 * loss. */
static bool
decodes (void *stream, const H26xPicture * picture)
{
  const GstMpegScalerH26x *s = stream;

  return s->reader->decodes (s->headers, picture->random_access
      || s->will_allow_gaps);
}

/* Warns once that mode=requantize is only for MPEG-1 and MPEG-2. */
static void
warn_of_mode (GstMpegScalerH26x * s, GstMpegScalerMode asked)
{
  if (asked == GST_MPEG_SCALER_MODE_REQUANTIZE && !s->warned)
    GST_ELEMENT_WARNING (s->output->element, STREAM, NOT_IMPLEMENTED,
        ("Only MPEG-1 and MPEG-2 video can be requantized: pictures are "
            "dropped instead, as with mode=drop."), (NULL));
  s->warned = asked == GST_MPEG_SCALER_MODE_REQUANTIZE;
}

/* Returns whether gaps are allowed: as asked, but it changes only with the
 * first SPS or an IDR picture. */
static gboolean
choose_gaps (GstMpegScalerH26x * s, gboolean asked, gboolean idr)
{
  const GstH264Sets *sets;

  if (!s->reader->get_sets || (s->sets_left && !idr))
    return s->allows_gaps;
  sets = s->reader->get_sets (s->headers);
  if (!asked || sets->sets->len == 0)
    return FALSE;
  if (gst_h264_sets_can_allow_gaps (sets))
    return TRUE;
  if (!s->warned_of_gaps)
    GST_WARNING_OBJECT (s->output->element, "cannot set "
        "gaps_in_frame_num_value_allowed_flag in the sequence parameter sets: "
        "as with allow-gaps=false");
  s->warned_of_gaps = TRUE;
  return FALSE;
}

static void
obey (GstMpegScalerH26x * s, const H26xPicture * picture)
{
  H26xDropperSettings settings = { 0 };
  GstMpegScalerRule rule;

  gst_mpeg_scaler_control_rule (s->control, &rule);
  warn_of_mode (s, rule.asked);
  s->will_allow_gaps = choose_gaps (s, rule.allow_gaps, picture->readable
      && picture->idr);
  settings.allow_gaps = s->will_allow_gaps
      || (s->reader->has_gaps && s->reader->has_gaps (s->headers));
  settings.rule.scale = rule.dropper.scale;
  settings.rule.target = rule.dropper.target;
  settings.rule.fill = rule.dropper.fill;
  settings.max_freeze = rule.max_freeze;
  settings.splices = s->reader->splice != NULL;
  settings.decodes = decodes;
  settings.decodes_data = s;
  h26x_dropper_set (s->dropper, &settings);
  if (rule.key_requests != s->key_requests)
    h26x_dropper_want_key (s->dropper);
  s->key_requests = rule.key_requests;
}

static void
report (GstMpegScalerH26x * s, gint scale)
{
  GstMpegScalerReport report = {.scale = scale,.gaps = s->allows_gaps };
  H26xDropperStats stats;

  for (guint i = 0; i < SCALING_N_SCALES; i++)
    report.rates[i] = h26x_dropper_rate (s->dropper, i);
  h26x_dropper_stats (s->dropper, &stats);
  gst_mpeg_scaler_control_report (s->control, &report, NULL, &stats);
}

/* Access units */

static GstClockTime
get_duration (const GstMpegScalerH26x * s, GstBuffer * buffer)
{
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    return GST_BUFFER_DURATION (buffer);
  return GST_CLOCK_TIME_IS_VALID (s->frame_duration) ? s->frame_duration
      : DEFAULT_DURATION;
}

/* Pushes a picture with its place among those that leave. The flag
 * DELTA_UNIT stays as the parser has set it. */
static GstFlowReturn
pass (GstMpegScalerH26x * s, GstBuffer * out, const H26xPicture * picture)
{
  GstMpegScalerPicture place = {
    .id = picture->id,
    .references = picture->references,
    .n_references = picture->n_references,
    .unreadable = !picture->readable,
    .layer = picture->layer
  };

  if (picture->readable && picture->random_access)
    place.flags |= GST_CODED_PICTURE_FLAG_KEY;
  if (picture->readable && picture->disposable)
    place.flags |= GST_CODED_PICTURE_FLAG_DISPOSABLE;
  s->reader->passed (s->headers);
  out = gst_mpeg_scaler_output_mark (s->output, out, &place,
      GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_DELTA_UNIT));
  return gst_mpeg_scaler_output_push (s->output, out);
}

static GstFlowReturn
drop (GstMpegScalerH26x * s, GstBuffer * buffer, const H26xPicture * picture)
{
  if (picture)
    gst_mpeg_scaler_output_dropped (s->output, GST_BUFFER_PTS (buffer),
        get_duration (s, buffer), !picture->disposable);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* True if this is the second field of the last frame, in a buffer of its
 * own. */
static gboolean
is_second_field (const GstMpegScalerH26x * s, const H26xPicture * picture)
{
  return picture->readable && s->begun && picture->id == s->id;
}

static void
log_decision (const GstMpegScalerH26x * s, const H26xCodedPicture * coded,
    GstClockTime pts, const H26xDecision * decision)
{
  const H26xPicture *picture = coded->picture;

  GST_LOG_OBJECT (s->output->element, "%s %s picture %" G_GUINT64_FORMAT
      " at %" GST_TIME_FORMAT " of %" G_GSIZE_FORMAT " bytes: needs scale %u, "
      "in force is %d", s->passes ? "pass" : "drop", !picture->readable ?
      "unreadable" : picture->random_access ? "random-access" :
      picture->disposable ? "disposable" : "reference", picture->id,
      GST_TIME_ARGS (pts), coded->bytes, decision->lowest_scale,
      decision->scale);
}

/* Returns whether the access unit passes. A second field passes if the
 * first did. */
static gboolean
decide (GstMpegScalerH26x * s, const GstMpegScalerH26xAccessUnit * au,
    const H26xPicture * picture, gboolean discont, H26xDecision * decision)
{
  H26xCodedPicture coded = {
    .picture = picture,
    .bytes = au->size,
    .filler = gst_mpeg_scaler_h26x_filler_size (au),
    .duration = get_duration (s, au->buffer),
    .discont = discont
  };

  if (is_second_field (s, picture)) {
    /* If buffers have no duration, the first field has the frame's. */
    if (!GST_BUFFER_DURATION_IS_VALID (au->buffer))
      coded.duration = 0;
    h26x_dropper_more (s->dropper, &coded, decision);
  } else {
    obey (s, picture);
    h26x_dropper_picture (s->dropper, &coded, decision);
    s->begun = TRUE;
    s->id = picture->id;
    s->passes = decision->verdict == SCALING_PASS
        || decision->verdict == SCALING_FILL;
  }
  log_decision (s, &coded, GST_BUFFER_PTS (au->buffer), decision);
  return s->passes;
}

static GstCaps *
leaving_caps (const GstMpegScalerH26x * s)
{
  return s->allows_gaps ? gst_h264_allow_gaps_in_caps (s->caps)
      : gst_caps_ref (s->caps);
}

/* Begins a sequence with the parameter sets changed, or as in the source
 * again. They leave in codec_data if the caps have it, and before the
 * picture unless the stream-format is avc. */
static void
switch_gaps (GstMpegScalerH26x * s)
{
  const GstStructure *caps = gst_caps_get_structure (s->caps, 0);
  GstCaps *leaving;

  s->allows_gaps = s->will_allow_gaps;
  GST_INFO_OBJECT (s->output->element, "frame_num may %shave gaps from here on",
      s->allows_gaps ? "" : "not ");
  if (gst_structure_has_field (caps, "codec_data")) {
    leaving = leaving_caps (s);
    gst_pad_push_event (s->output->srcpad, gst_event_new_caps (leaving));
    gst_caps_unref (leaving);
  }
  if (g_strcmp0 (gst_structure_get_string (caps, "stream-format"), "avc") == 0)
    return;
  g_ptr_array_set_size (s->carried, 0);
  gst_h264_sets_append (s->reader->get_sets (s->headers), s->carried);
}

/* Sets the flag in the SPS that are carried, and in those of the buffer,
 * which it takes and replaces. */
static void
allow_gaps (GstMpegScalerH26x * s, GstMpegScalerH26xAccessUnit * au)
{
  guint length_size = s->reader->get_sets (s->headers)->length_size;

  for (guint i = 0; i < s->carried->len; i++) {
    GBytes **set = (GBytes **) & g_ptr_array_index (s->carried, i);
    GBytes *changed = gst_h264_allow_gaps_in_set (*set, length_size);

    g_bytes_unref (*set);
    *set = changed;
  }
  au->buffer = gst_h264_allow_gaps_in_buffer (au->buffer, au->units,
      au->n_units, length_size);
}

/* Returns what leaves of the access unit, or NULL if its buffer leaves as
 * it is. */
static GstBuffer *
assemble (GstMpegScalerH26x * s, GstMpegScalerH26xAccessUnit * au,
    const H26xPicture * picture, const H26xDecision * decision)
{
  GstBuffer *whole = au->buffer, *out;

  gst_mpeg_scaler_h26x_uncarry (s->carried, au);
  gst_buffer_ref (whole);
  if (s->allows_gaps)
    allow_gaps (s, au);
  else if (picture && s->reader->splice)
    au->buffer = s->reader->splice (s->headers, whole, decision->splice);
  out = gst_mpeg_scaler_h26x_assemble (s->carried, au,
      decision->without_filler);
  if (!out && au->buffer != whole)
    return au->buffer;
  gst_buffer_unref (au->buffer);
  return out;
}

static gboolean
has_sets (const GstMpegScalerH26x * s)
{
  return s->reader->get_sets
      && s->reader->get_sets (s->headers)->sets->len > 0;
}

static GstBuffer *
leave (GstMpegScalerH26x * s, GstMpegScalerH26xAccessUnit * au,
    const H26xPicture * picture, const H26xDecision * decision)
{
  if (picture && s->will_allow_gaps != s->allows_gaps)
    switch_gaps (s);
  s->sets_left = s->sets_left || has_sets (s);
  return assemble (s, au, picture, decision);
}

/* Passes or drops an access unit. One without a picture goes where the
 * last picture went. */
static GstFlowReturn
take (gpointer stream, GstBuffer * buffer, gboolean discont)
{
  GstMpegScalerH26x *s = stream;
  GstMpegScalerH26xAccessUnit au = { buffer, NULL, 0, NULL, 0 };
  H26xDecision decision = { 0 };
  const H26xPicture *picture;
  GstBuffer *out = NULL;
  GstMapInfo map;
  gboolean passes;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    gst_buffer_unref (buffer);
    return gst_mpeg_scaler_output_refuse (s->output);
  }
  au.data = map.data;
  au.size = map.size;
  picture = s->reader->read (s->headers, map.data, map.size);
  au.units = s->reader->get_units (s->headers, &au.n_units);
  passes = picture ? decide (s, &au, picture, discont, &decision) : s->passes;
  if (passes)
    out = leave (s, &au, picture, &decision);
  else
    gst_mpeg_scaler_h26x_carry (s->carried, &au);
  if (picture)
    report (s, decision.scale);
  gst_buffer_unmap (buffer, &map);

  if (discont)
    gst_mpeg_scaler_gap_init (&s->output->gap);
  if (!passes)
    return drop (s, buffer, picture);
  if (out)
    gst_buffer_unref (buffer);
  else
    out = buffer;
  return picture ? pass (s, out, picture)
      : gst_mpeg_scaler_output_push (s->output, out);
}

/* Beginnings and ends */

static gboolean
is_same_stream (const GstCaps * before, const GstCaps * caps)
{
  static const gchar *const fields[] = { "stream-format", "codec_data",
    "width", "height"
  };
  const GstStructure *a = gst_caps_get_structure (before, 0);
  const GstStructure *b = gst_caps_get_structure (caps, 0);

  if (!gst_structure_has_name (b, gst_structure_get_name (a)))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const GValue *was = gst_structure_get_value (a, fields[i]);
    const GValue *is = gst_structure_get_value (b, fields[i]);

    if (!was != !is || (was && gst_value_compare (was, is) != GST_VALUE_EQUAL))
      return FALSE;
  }
  return TRUE;
}

/* Chooses whether SPS leave with the flag from the beginning. Sets in
 * codec_data leave with the caps. */
static void
begin_gaps (GstMpegScalerH26x * s)
{
  GstMpegScalerRule rule;

  gst_mpeg_scaler_control_rule (s->control, &rule);
  s->sets_left = s->warned_of_gaps = FALSE;
  s->allows_gaps = FALSE;
  s->allows_gaps = choose_gaps (s, rule.allow_gaps, FALSE);
  s->will_allow_gaps = s->allows_gaps;
  s->sets_left = has_sets (s);
}

static void
begin_reading (GstMpegScalerH26x * s, const GstCaps * caps)
{
  if (s->headers)
    s->reader->free (s->headers);
  s->reader = find_reader (gst_caps_get_structure (caps, 0));
  s->headers = s->reader->new ();
  if (!s->reader->set_caps (s->headers, caps))
    GST_WARNING_OBJECT (s->output->element, "cannot read what %" GST_PTR_FORMAT
        " describes: all of it passes", caps);
  begin_gaps (s);
  g_ptr_array_set_size (s->carried, 0);
  gst_mpeg_scaler_gap_init (&s->output->gap);
  h26x_dropper_reset (s->dropper, s->begun);
  s->begun = FALSE;
  s->passes = TRUE;
}

static void
begin (gpointer stream, const GstCaps * caps, gboolean anew)
{
  GstMpegScalerH26x *s = stream;
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  gint rate, per;

  s->frame_duration = GST_CLOCK_TIME_NONE;
  if (gst_structure_get_fraction (structure, "framerate", &rate, &per)
      && rate > 0 && per > 0)
    s->frame_duration = gst_util_uint64_scale (GST_SECOND, per, rate);
  gst_mpeg_scaler_control_set_only_drops (s->control, TRUE);
  if (anew || !s->caps || !is_same_stream (s->caps, caps))
    begin_reading (s, caps);
  gst_caps_replace (&s->caps, (GstCaps *) caps);
}

static GstCaps *
replace_caps (gpointer stream)
{
  const GstMpegScalerH26x *s = stream;

  return s->allows_gaps ? leaving_caps (s) : NULL;
}

static void
segment (gpointer stream, const GstSegment * segment)
{
  GstMpegScalerH26x *s = stream;

  s->output->segment = *segment;
  gst_mpeg_scaler_gap_init (&s->output->gap);
}

/* Does nothing, because nothing waits. */
static void
drain (gpointer stream)
{
  (void) stream;
}

static void
flush (gpointer stream)
{
  GstMpegScalerH26x *s = stream;

  gst_mpeg_scaler_gap_init (&s->output->gap);
  s->reader->reset (s->headers);
  h26x_dropper_reset (s->dropper, true);
  s->begun = FALSE;
  s->passes = TRUE;
}

static void
free_stream (gpointer stream)
{
  GstMpegScalerH26x *s = stream;

  if (s->headers)
    s->reader->free (s->headers);
  gst_clear_caps (&s->caps);
  g_ptr_array_unref (s->carried);
  h26x_dropper_free (s->dropper);
  g_free (s);
}

static gpointer
new_stream (GstMpegScalerOutput * output, GstMpegScalerControl * control)
{
  GstMpegScalerH26x *s = g_new0 (GstMpegScalerH26x, 1);

  s->output = output;
  s->control = control;
  s->passes = TRUE;
  s->carried = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  s->dropper = h26x_dropper_new ();
  if (!s->dropper) {
    free_stream (s);
    return NULL;
  }
  return s;
}

const GstMpegScalerCodec gst_mpeg_scaler_h26x = {
  .reads = reads,
  .new = new_stream,
  .free = free_stream,
  .begin = begin,
  .replace_caps = replace_caps,
  .take = take,
  .segment = segment,
  .drain = drain,
  .flush = flush
};
