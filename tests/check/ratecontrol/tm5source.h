/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests of the rate control: sources, and what a requantizer would make of
 * them. Sizes, types and durations are those of real streams or of a structure
 * that is asked for; quantisers and how bits fall with them are modelled.
 */
#ifndef TEST_TM5_SOURCE_H
#define TEST_TM5_SOURCE_H

#include <gst/check/gstcheck.h>

#include <math.h>

#include <mpeg2/clock.h>
#include <mpeg2/splitter.h>
#include <ratecontrol/tm5.h>

/* Macroblocks of a picture, or runs of them. */
#define N_UNITS 60

typedef struct
{
  Tm5Picture picture;
  gboolean starts_group;
  double overhead;              /* share of its bits that no quantiser lowers */
  double slope;                 /* bits ~ quantiser^-slope */
  guint32 seed;                 /* of what its units are */
} SourcePicture;

typedef struct
{
  GArray *pictures;
  gint64 bit_rate, vbv_size;    /* of its header */
  gint64 bits, duration;
} Source;

static inline SourcePicture *
source_picture (const Source * s, guint i)
{
  return &g_array_index (s->pictures, SourcePicture, i);
}

static inline double
source_rate (const Source * s)
{
  return (double) s->bits * RATECONTROL_SECOND / s->duration;
}

static inline void
source_free (Source * s)
{
  g_array_unref (s->pictures);
  g_free (s);
}

static inline void
source_add (Source * s, Tm5Type type, gboolean second, gint64 bits,
    gint64 duration, GRand * r)
{
  static const double quantiser[] = { 6, 7, 9 };
  static const double overhead[] = { .05, .10, .14 };
  SourcePicture p = { 0 };

  p.picture.type = type;
  p.picture.second_field = second;
  p.picture.bits = bits;
  p.picture.duration = duration;
  p.picture.quantiser = quantiser[type] * g_rand_double_range (r, .8, 1.2);
  p.starts_group = type == TM5_I && !second;
  p.overhead = overhead[type] * g_rand_double_range (r, .8, 1.2);
  p.slope = g_rand_double_range (r, .95, 1.25);
  p.seed = g_rand_int (r);
  g_array_append_val (s->pictures, p);
  s->bits += bits;
  s->duration += duration;
}

static inline Source *
source_new (void)
{
  Source *s = g_new0 (Source, 1);

  s->pictures = g_array_new (FALSE, TRUE, sizeof (SourcePicture));
  return s;
}

/* From picture i on, where the group begins that picture i - 1 is of. */
static inline guint
source_group (const Source * s, guint i)
{
  while (i > 0 && !source_picture (s, --i)->starts_group);
  return i;
}

static inline void
source_remove (Source * s, guint from, guint to)
{
  for (guint i = from; i < to; i++) {
    s->bits -= source_picture (s, i)->picture.bits;
    s->duration -= source_picture (s, i)->picture.duration;
  }
  g_array_remove_range (s->pictures, from, to - from);
}

/* A stream, over and over until it is as long. The last group may be cut and
 * is left out, and when repeated also the first, which has no B that lead its
 * I. */
static inline Source *
source_load (const gchar * path, gint64 duration, guint32 seed)
{
  Source *s = source_new ();
  GRand *r = g_rand_new_with_seed (seed);
  gchar *data;
  gsize size;

  fail_unless (g_file_get_contents (path, &data, &size, NULL), "%s", path);
  do {
    M2vStructure first = M2V_FRAME_PICTURE;
    M2vSplitter splitter;
    M2vPicture p;
    gsize position = 0;
    guint n = s->pictures->len, second = n + 1;

    m2v_splitter_init (&splitter);
    while (m2v_splitter_next (&splitter, (const guint8 *) data, size,
            &position, &p)) {
      gint64 time;
      gboolean is_second;

      if (p.kind != M2V_SPAN_PICTURE || !p.valid)
        continue;
      is_second = p.coding.structure != M2V_FRAME_PICTURE &&
          first + p.coding.structure == M2V_FRAME_PICTURE;
      first = is_second ? M2V_FRAME_PICTURE : p.coding.structure;
      time = m2v_fields_time (&splitter.sequence,
          m2v_display_fields (splitter.sequence.progressive, &p.coding));
      if (p.coding.structure != M2V_FRAME_PICTURE)
        time /= 2;
      source_add (s, (Tm5Type) (p.header.type - M2V_PICTURE_I), is_second,
          (gint64) p.size * 8, time, r);
    }
    source_remove (s, source_group (s, s->pictures->len), s->pictures->len);
    fail_unless (s->pictures->len > second, "%s has but one group", path);
    while (!source_picture (s, second)->starts_group)
      second++;
    if (n > 0)
      source_remove (s, n, second);
    s->bit_rate = splitter.sequence.bit_rate;
    s->vbv_size = splitter.sequence.vbv_buffer_size;
  } while (s->duration < duration);
  g_rand_free (r);
  g_free (data);
  return s;
}

/* Groups as the letters say, over and over: i, p, b are second fields. `rate`
 * is met by each group but for `noise`. */
static inline Source *
source_make (const gchar * groups, gint64 period, double rate, double noise,
    gint64 duration, guint32 seed)
{
  static const double share[] = { 4, 1.6, .8 };
  Source *s = source_new ();
  GRand *r = g_rand_new_with_seed (seed);
  double sum = 0, scene = 1;

  for (const gchar * c = groups; *c; c++)
    sum += share[strchr ("IPBipb", *c) - "IPBipb" - 3 * (*c >= 'a')];
  while (s->duration < duration) {
    for (const gchar * c = groups; *c; c++) {
      guint type = (guint) (strchr ("IPBipb", *c) - "IPBipb") % 3;
      double bits = share[type] / sum * strlen (groups) * rate * period /
          RATECONTROL_SECOND;

      if (*c == 'I')
        scene = g_rand_double_range (r, 1 - noise, 1 + noise);
      source_add (s, (Tm5Type) type, *c >= 'a',
          (gint64) (bits * scene * g_rand_double_range (r, 1 - noise,
                  1 + noise)), period, r);
    }
  }
  g_rand_free (r);
  return s;
}

/* How the picture's bits are spread over its units, and their quantisers. */
static inline void
source_units (const SourcePicture * p, double share[N_UNITS],
    double quantiser[N_UNITS])
{
  GRand *r = g_rand_new_with_seed (p->seed);
  double walk = 1, sum = 0, mean = 0;

  for (guint i = 0; i < N_UNITS; i++) {
    walk = CLAMP (walk * g_rand_double_range (r, .7, 1.42), .2, 5);
    share[i] = walk;
    sum += walk;
    quantiser[i] = g_rand_double_range (r, .75, 1.25);
    mean += quantiser[i] / N_UNITS;
  }
  for (guint i = 0; i < N_UNITS; i++) {
    share[i] /= sum;
    quantiser[i] *= p->picture.quantiser / mean;
  }
  g_rand_free (r);
}

/* Runs the picture through the rate control. */
static inline gint64
source_recode (const SourcePicture * p, Tm5 * tm5, gboolean profile,
    double *mean)
{
  double share[N_UNITS], quantiser[N_UNITS], bits = 0, done = 0;

  source_units (p, share, quantiser);
  *mean = 0;
  for (guint i = 0; i < N_UNITS; i++) {
    guint code = tm5_macroblock (tm5, profile ? done : (double) i / N_UNITS,
        (gint64) bits, 1);
    double q = tm5_quantiser_scale (p->picture.q_scale_type, code), left = 1;

    if (code < 1 || code > 31)
      fail ("code %u", code);
    if (q > quantiser[i])
      left = .97 * pow (quantiser[i] / q, p->slope);
    else
      q = quantiser[i];
    bits += p->picture.bits * share[i] * (p->overhead + (1 -
            p->overhead) * left);
    done += share[i];
    *mean += q / N_UNITS;
  }
  return (gint64) bits;
}

#endif
