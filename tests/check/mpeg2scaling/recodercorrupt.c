/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Damaged streams, recoded: a decoder gets no less from them than before.
 * The committed ones, and those of MPEG_MEDIA_DIR.
 */
#include "../mpeg2/rewriting.h"

#include <math.h>

#include "damage.h"
#include "recoding.h"

#define N_FRAMES 24
#define SEED 1
#define MIN_SLICES 6

/* How far from its place in the clean stream a frame is looked for: whole
 * pictures may have gone. */
#define WINDOW 6
#define MAX_PSNR 60.

/* Of the source's size, more than was asked for: of a group or two. */
#define MAX_EXCESS 0.15
/* More than both errors; more where others pay for whole pictures that pass as
 * they are. */
#define MAX_ADDED 1.25
#define MAX_ADDED_SEVERE 2.5
/* Short streams may pass as they are, and with a bit more in them not. */
#define LITTLE 1

/* Luminance of all frames that FFmpeg shows. */
typedef struct
{
  guint8 *samples;
  gsize frame_size;
  guint n;
} Shown;

static Shown
show (const GByteArray * stream, gsize frame_size)
{
  Shown shown = {.frame_size = frame_size };
  GByteArray *samples = g_byte_array_new ();

  avdecode (stream->data, stream->len, NULL, avdecode_add_luminance, samples);
  shown.n = samples->len / frame_size;
  fail_unless_equals_uint64 (samples->len % frame_size, 0);
  shown.samples = g_byte_array_free (samples, FALSE);
  return shown;
}

static gdouble
squared_error (const guint8 * a, const guint8 * b, gsize size)
{
  guint64 sum = 0;

  for (gsize i = 0; i < size;) {
    gsize end = MIN (size, i + 4096);
    guint32 part = 0;

    for (; i < end; i++)
      part += (guint32) ((a[i] - b[i]) * (a[i] - b[i]));
    sum += part;
  }
  return (gdouble) sum / size;
}

/* Of all frames, each compared with what it is most like near its place. */
typedef struct
{
  gdouble psnr;                 /* mean */
  gdouble error;                /* mean squared error */
} Quality;

static Quality
compare (const Shown * shown, const Shown * clean)
{
  Quality quality = { 0, 0 };
  gint lag = 0;

  for (guint i = 0; i < shown->n; i++) {
    const guint8 *frame = shown->samples + i * shown->frame_size;
    gint first = MAX ((gint) i + lag - 1, 0), at = first;
    gdouble best = G_MAXDOUBLE;

    for (gint k = first; k <= (gint) i + lag + WINDOW; k++) {
      gdouble error;

      if (k >= (gint) clean->n)
        break;
      error = squared_error (frame, clean->samples + k * clean->frame_size,
          clean->frame_size);
      if (error < best) {
        best = error;
        at = k;
      }
    }
    lag = at - (gint) i;
    quality.error += best / shown->n;
    quality.psnr += MIN (MAX_PSNR, 10 * log10 (255 * 255 / MAX (best, 1e-9)))
        / shown->n;
  }
  return quality;
}

static const gdouble shares[] = { 1, .75, .5 };

typedef struct
{
  const gchar *name;
  GByteArray *stream;
  gsize frame_size;
  gint64 rate;                  /* bits/s */
  /* Long enough for a rate, and a slice a row: what one error hits is little. */
  gboolean has_rate;
  Shown clean;
  gdouble errors[G_N_ELEMENTS (shares)];        /* of recoding the clean one */
} Source;

/* The stream at hand, damaged. */
typedef struct
{
  const Source *source;
  const Damage *damage;
  GByteArray *stream;
  guint n_shown;
  Quality quality;
} Damaged;

static Recoded
recode_share (const Source * s, const GByteArray * stream, gdouble share)
{
  Recode how = recode_all (share < 1 ? (gint64) (s->rate * share) : -1);

  return recode (&how, stream->data, stream->len);
}

static guint
count_slices (const guint8 * data, const M2vPicture * picture)
{
  gsize position = 0;
  M2vRange range;
  guint n = 0;

  while (m2v_slices_next (data + picture->slices.offset,
          picture->slices.size, &position, &range))
    n++;
  return n;
}

static void
load (Source * s, const gchar * name, const guint8 * data, gsize size)
{
  Stream *stream = stream_new (g_memdup2 (data, size), size, N_FRAMES);
  const StreamFrame *last = stream_frame (stream, stream->frames->len - 1);
  const M2vPicture *p = &last->pictures[last->n_pictures - 1];

  memset (s, 0, sizeof *s);
  s->name = name;
  s->stream = g_byte_array_new ();
  g_byte_array_append (s->stream, data, p->begin + p->size);
  s->frame_size = last->sequence.width * last->sequence.height;
  s->has_rate = stream->frames->len >= N_FRAMES
      && count_slices (stream_picture (stream, last, last->n_pictures - 1),
      p) >= MIN_SLICES;
  stream_free (stream);
  s->clean = show (s->stream, s->frame_size);
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
    Recoded r = recode_share (s, s->stream, shares[i]);
    Shown shown = show (r.out, s->frame_size);

    s->rate = gst_util_uint64_scale (s->stream->len * 8, GST_SECOND,
        r.duration);
    s->errors[i] = compare (&shown, &s->clean).error;
    g_free (shown.samples);
    g_byte_array_unref (r.out);
  }
}

static void
unload (Source * s)
{
  g_free (s->clean.samples);
  g_byte_array_unref (s->stream);
}

/* Nothing is added to what the damage does. */
static void
assert_passed (const Damaged * d, const Recoded * r, const Quality * q)
{
  fail_unless (r->out->len == d->stream->len);
  fail_unless (q->psnr >= d->quality.psnr - 0.5, "%s, %s: %f dB, was %f",
      d->source->name, d->damage->name, q->psnr, d->quality.psnr);
}

/* As much as is asked for, and little is added to what damage and recoding do
 * each for itself. */
static void
assert_reduced (const Damaged * d, const Recoded * r, const Quality * q,
    guint share)
{
  gdouble size = (gdouble) r->out->len / d->stream->len;
  gdouble error = d->quality.error + d->source->errors[share];
  gdouble most = d->damage->slight ? MAX_ADDED : MAX_ADDED_SEVERE;

  if (d->damage->slight && d->source->has_rate)
    fail_unless (size < shares[share] + MAX_EXCESS, "%s, %s: %f of the size",
        d->source->name, d->damage->name, size);
  fail_unless (q->error < most * error + LITTLE, "%s, %s: error %f, not %f",
      d->source->name, d->damage->name, q->error, error);
}

static void
check_share (const Damaged * d, guint share)
{
  const Source *s = d->source;
  Recoded r = recode_share (s, d->stream, shares[share]);
  Shown shown = show (r.out, s->frame_size);
  Quality q = compare (&shown, &s->clean);

  GST_INFO ("%s, %s at %.2f: %.3f of the size, %u of %u frames, %.2f of %.2f "
      "dB, error %.1f of %.1f + %.1f", s->name, d->damage->name, shares[share],
      (gdouble) r.out->len / d->stream->len, shown.n, d->n_shown, q.psnr,
      d->quality.psnr, q.error, d->quality.error, s->errors[share]);
  fail_unless (r.n_pictures_out <= r.n_pictures);
  fail_unless (r.out->len <= d->stream->len);
  fail_unless (shown.n >= d->n_shown, "%s, %s: %u frames, were %u", s->name,
      d->damage->name, shown.n, d->n_shown);
  if (share == 0)
    assert_passed (d, &r, &q);
  else
    assert_reduced (d, &r, &q, share);
  g_free (shown.samples);
  g_byte_array_unref (r.out);
}

static void
check_source (const gchar * name, const guint8 * data, gsize size)
{
  Source s;

  load (&s, name, data, size);
  for (guint i = 0; i < n_damages; i++) {
    Damaged d = {.source = &s,.damage = &damages[i] };
    Shown shown;

    d.stream = damage_apply (d.damage, s.stream->data, s.stream->len, SEED);
    shown = show (d.stream, s.frame_size);
    d.n_shown = shown.n;
    d.quality = compare (&shown, &s.clean);
    g_free (shown.samples);
    for (guint k = 0; k < G_N_ELEMENTS (shares); k++)
      check_share (&d, k);
    g_byte_array_unref (d.stream);
  }
  unload (&s);
}

GST_START_TEST (test_damaged)
{
  if (decoder_present (DECODER_FFMPEG))
    for_each_stream (__i__, check_source);
}

GST_END_TEST;

static Suite *
recodercorrupt_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-recodercorrupt");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_loop_test (tc, test_damaged, 0, 2);
  return s;
}

GST_CHECK_MAIN (recodercorrupt);
