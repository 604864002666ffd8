/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "comparing.h"

#include <math.h>
#include <stdlib.h>

#include "../rounds.h"
#include "samples.h"
#include "testdecoder.h"

/* So many are compared, up to the group that is begun then. */
#define MAX_SAMPLES (16u << 20)

/* How far a sample may be from the exact value: FFmpeg's floating point
 * transform rounds to the nearest but for its own error (24 bits of numbers up
 * to 2 ^ 14). mpeg2dec's integer one conforms to IEEE 1180: 1 from the rounded
 * value. */
static const gdouble tolerances[N_DECODERS] = { 0.5 + 0.001, 0.5 + 1 };

/* And all samples, on average, from ours: those round differently that are near
 * the middle of two values, by less than the transform's error. */
static const gdouble means[N_DECODERS] = { 0.001, 0.05 };

typedef struct
{
  const gchar *name;
  Decoder decoder;
  gboolean alone;
  Stream *stream;
  Samples *samples;
  TestDecoder *ours;
  guint generations[2];         /* of the last two anchors */
  guint offset;                 /* frames that the decoder does not show */

  guint n_frames;
  guint64 n_samples;
  gdouble worst;                /* alone: from the exact value */
  gdouble sum;                  /* of the absolute differences */
} Comparison;

/* B frames of an open first group lack a reference. ffmpeg does not show them,
 * mpeg2dec shows something. */
static gboolean
is_undefined (const Comparison * c, const StreamFrame * f)
{
  return stream_type (f) == M2V_PICTURE_B && f->past < 0
      && !stream_frame (c->stream, 0)->pictures[0].group_header.closed;
}

static void
compare_line (Comparison * c, const TestPlane * plane, guint y,
    const guint8 * theirs, gdouble tolerance, const gchar * where)
{
  const gdouble *exact = plane->exact + (gsize) y * plane->width;
  const guint8 *ours = plane->samples + (gsize) y * plane->width;

  for (guint x = 0; x < plane->width; x++) {
    gdouble difference = fabs (theirs[x] - (c->alone ? exact[x] : ours[x]));

    c->worst = MAX (c->worst, difference);
    c->sum += abs (theirs[x] - ours[x]);
    if (difference > tolerance)
      fail ("%s, %s: %s has %u at %u, %u; %f (%u) was expected", c->name,
          where, decoder_names[c->decoder], theirs[x], x, y, exact[x], ours[x]);
  }
  c->n_samples += plane->width;
}

/* Lines of a picture; alone, theirs is what others refer to. */
static void
compare_picture (Comparison * c, const StreamFrame * f, guint i,
    TestFrame * frame, guint generation)
{
  M2vStructure structure = f->pictures[i].mpeg2
      ? f->pictures[i].coding.structure : M2V_FRAME_PICTURE;
  gdouble tolerance = c->alone ? tolerances[c->decoder] : generation;

  for (guint component = 0; component < 3; component++) {
    TestPlane *plane = &frame->planes[component];
    gchar *where = g_strdup_printf ("frame %u shown (type %u), structure %u, "
        "component %u", f->display, stream_type (f), structure, component);

    for (guint y = test_first_line (structure); y < plane->height;
        y += test_line_step (structure)) {
      const guint8 *theirs = samples_line (c->samples,
          f->display - c->offset, component, y);

      compare_line (c, plane, y, theirs, tolerance, where);
      if (c->alone)
        memcpy (plane->samples + (gsize) y * plane->width, theirs,
            plane->width);
    }
    g_free (where);
  }
}

/* How many pictures up to this one were predicted from each other. */
static guint
next_generation (const Comparison * c, const StreamFrame * f)
{
  switch (stream_type (f)) {
    case M2V_PICTURE_I:
      return 1;
    case M2V_PICTURE_P:
      return c->generations[1] + 1;
    default:
      return MAX (c->generations[0], c->generations[1]) + 1;
  }
}

static void
compare_frame (Comparison * c, const StreamFrame * f)
{
  guint generation = next_generation (c, f);
  TestFrame *frame = test_decoder_begin (c->ours, &f->sequence,
      &f->pictures[0]);

  fail_unless (frame != NULL, "%s: frame %u", c->name, f->display);
  for (guint i = 0; i < f->n_pictures; i++) {
    const gchar *error = test_decoder_picture (c->ours, &f->sequence,
        &f->matrices[i], &f->pictures[i], stream_picture (c->stream, f, i));

    if (error)
      fail ("%s: frame %u shown (type %u), picture %u of it: %s", c->name,
          f->display, stream_type (f), i, error);
    /* The second field may refer to the first one. */
    if (i == 1 && stream_type (f) != M2V_PICTURE_B)
      generation++;
    compare_picture (c, f, i, frame, generation);
  }
  c->n_frames++;
  if (stream_type (f) == M2V_PICTURE_B)
    return;
  c->generations[0] = c->generations[1];
  c->generations[1] = generation;
}

/* Where the last frame ends. */
static gsize
stream_used (const Stream * s)
{
  const StreamFrame *f = stream_frame (s, s->frames->len - 1);
  const M2vPicture *p = &f->pictures[f->n_pictures - 1];

  return p->begin + p->size;
}

static Stream *
cut (const guint8 * data, gsize size)
{
  Stream *s = stream_new (g_memdup2 (data, size), size, 1);
  const M2vSequence *sequence = &stream_frame (s, 0)->sequence;
  guint n = test_rounds (MAX_SAMPLES) / (sequence->width * sequence->height);

  stream_free (s);
  return stream_new (g_memdup2 (data, size), size, n);
}

static void
compare (Comparison * c, gboolean alone)
{
  guint n = c->stream->frames->len;

  c->n_frames = c->n_samples = 0;
  c->worst = c->sum = 0;
  c->alone = alone;
  c->ours = test_decoder_new ();
  for (guint i = 0; i < n; i++) {
    if (!is_undefined (c, stream_frame (c->stream, i)))
      compare_frame (c, stream_frame (c->stream, i));
  }
  test_decoder_free (c->ours);
  GST_INFO ("%s, %s, %s: %u frames, worst %f, mean %f", c->name,
      decoder_names[c->decoder], alone ? "alone" : "running", c->n_frames,
      c->worst, c->sum / c->n_samples);
  fail_unless (c->sum / c->n_samples <= means[c->decoder], "%s, %s: mean %f",
      c->name, decoder_names[c->decoder], c->sum / c->n_samples);
}

/* The frame is only to tell the size. */
static Samples *
decode_samples (const Comparison * c, const guint8 * data)
{
  const StreamFrame *first = stream_frame (c->stream, 0);
  TestDecoder *d = test_decoder_new ();
  TestFrame *frame = test_decoder_begin (d, &first->sequence,
      &first->pictures[0]);
  Samples *samples;

  fail_unless (frame != NULL, "%s", c->name);
  samples = samples_decode (c->decoder, data, stream_used (c->stream), frame);
  test_decoder_free (d);
  return samples;
}

void
compare_decoded (const gchar * name, const guint8 * data, gsize size,
    Decoder decoder)
{
  Comparison c = {
    .name = name,
    .decoder = decoder,
    .stream = cut (data, size)
  };
  guint n = c.stream->frames->len, n_undefined = 0;

  fail_unless (n > 0, "%s", name);
  for (guint i = 0; i < n; i++)
    n_undefined += is_undefined (&c, stream_frame (c.stream, i));
  c.samples = decode_samples (&c, data);
  c.offset = n - c.samples->n;
  fail_unless (c.offset == 0 || c.offset == n_undefined,
      "%s: %s shows %u of %u frames", name, decoder_names[decoder],
      c.samples->n, n);
  compare (&c, TRUE);
  compare (&c, FALSE);
  samples_free (c.samples);
  stream_free (c.stream);
}
