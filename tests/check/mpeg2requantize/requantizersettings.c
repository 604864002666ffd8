/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a controller is asked and what becomes of its answers; what cannot be
 * requantized.
 */
#include <math.h>

#include "requantizing.h"

#define WALK "walk-720x480p30-4M.m2v"
#define OCEAN "ocean-176x96p30-500k.m2v"
#define MPEG1 "bbb-352x288p25-1100k.m1v"
#define FIELDS "bbb-352x576i25-fields-3M.m2v"

/* The start of a committed stream, through what `how` says; returns the output,
 * and its source where source is not NULL. */
static GByteArray *
run (Requantize * how, const gchar * name, GByteArray ** source)
{
  gchar *path = g_build_filename (TEST_FILES_DIR, name, NULL), *data;
  GByteArray *out;
  gsize size;

  m2v_vlc_init (&rewrite_vlc);
  fail_unless (g_file_get_contents (path, &data, &size, NULL), "%s", path);
  if (how->n_frames == 0)
    how->n_frames = 12;
  out = requantize_stream (how, (guint8 *) data, size);
  if (source)
    *source = g_byte_array_append (g_byte_array_new (), (guint8 *) data,
        MIN (size, out->len));
  g_free (data);
  g_free (path);
  return out;
}

static void
run_away (Requantize * how, const gchar * name)
{
  how->requantizer = m2v_requantizer_new ();
  g_byte_array_unref (run (how, name, NULL));
  m2v_requantizer_free (how->requantizer);
}

typedef struct
{
  Wanted wanted;
  const Requantized *picture;
  M2vRequest last;
  guint n;
} Asked;

static void
start_asking (gpointer user, const Requantized * picture)
{
  Asked *a = user;

  memset (&a->last, 0, sizeof a->last);
  a->picture = picture;
}

static guint
ask (gpointer user, const M2vRequest * request)
{
  Asked *a = user;
  const M2vPictureParams *p = &a->picture->picture;

  fail_unless (request->address < p->columns * p->rows);
  fail_unless (a->last.bits_in == 0 || request->address > a->last.address);
  fail_unless (request->bits_in > a->last.bits_in);
  fail_unless (request->bits_in < 8 * a->picture->size);
  fail_unless (request->code >= 1 && request->code <= 31);
  fail_unless_equals_int (request->scale, m2v_quantiser_scale (p,
          request->code));
  if (a->wanted.factor <= 1) {
    fail_unless_equals_uint64 (request->bits_out, request->bits_in);
  } else {
    fail_unless (request->bits_out >= a->last.bits_out);
  }
  a->last = *request;
  a->n++;
  return wanted_code (&a->wanted, request);
}

static void
stop_asking (gpointer user, const Requantized * picture)
{
  const Asked *a = user;

  fail_unless (a->last.bits_out > 0.8 * 8 * picture->result.size_out);
  fail_unless (a->last.bits_out < 8 * picture->result.size_out);
}

static const struct
{
  const gchar *name;
  gdouble factor;
} asked[] = { {WALK, 0}, {WALK, 1}, {WALK, 2}, {FIELDS, 1}, {FIELDS, 2},
{MPEG1, 2}
};

GST_START_TEST (test_requests)
{
  Asked a = {.wanted = {asked[__i__].factor, 0} };
  Requantize how = {
    .controller = {ask, &a},
    .before = start_asking,
    .after = stop_asking,
    .user = &a
  };

  run_away (&how, asked[__i__].name);
  fail_unless (a.n > 100);
}

GST_END_TEST;

/* Never finer than the source; 0 is nothing. */
GST_START_TEST (test_untouched)
{
  static const Wanted wanted[] = { {0, 0}, {0, 1}, {0.5, 0}, {1, 0} };
  Requantize how = {
    .requantizer = m2v_requantizer_new (),
    .controller = {wanted_code, (gpointer) & wanted[__i__ / 5]}
  };
  GByteArray *source, *out = run (&how, committed_streams[__i__ % 5], &source);

  fail_unless (out->len > 10000);
  fail_unless (memcmp (out->data, source->data, out->len) == 0);
  g_byte_array_unref (source);
  g_byte_array_unref (out);
  m2v_requantizer_free (how.requantizer);
}

GST_END_TEST;

/* One of two codes, by place. */
typedef struct
{
  guint codes[2];
} Either;

static guint
either (gpointer user, const M2vRequest * request)
{
  return ((Either *) user)->codes[request->address % 2];
}

static guint n_changes, n_slices;

static void
count_changes (gpointer user G_GNUC_UNUSED, const Requantized * q)
{
  static M2vMacroblock mb;
  gsize position = 0;
  M2vRange range;

  while (m2v_slices_next (q->out, q->result.size_out, &position, &range)) {
    M2vSliceReader r;

    fail_unless (m2v_slice_reader_begin (&r, &q->picture, &rewrite_vlc,
            q->out + range.offset, range.size));
    n_slices++;
    while (m2v_slice_reader_next (&r, &mb))
      n_changes += (mb.type & M2V_QUANT) > 0;
  }
}

/* The source of these never is coarser than 16; with q_scale_type 0 a code is a
 * scale of 2. */
static const struct
{
  guint codes[2];
  guint hysteresis, from;
  gboolean changes;
} near[] = {
  {{20, 20}, 0, 0, FALSE},
  {{20, 21}, 0, 0, TRUE},
  {{20, 21}, 1, 0, TRUE},
  {{20, 21}, 2, 0, FALSE},
  {{20, 22}, 4, 8, FALSE},
  {{20, 23}, 4, 8, TRUE},
  {{23, 20}, 4, 8, TRUE},
  {{23, 21}, 4, 8, FALSE},
  {{20, 22}, 4, 40, FALSE},
  {{20, 22}, 4, 41, TRUE},
  {{20, 22}, 4, 45, TRUE},
};

GST_START_TEST (test_hysteresis)
{
  M2vRequantizerSettings settings = m2v_requantizer_defaults;
  Either codes = { {near[__i__].codes[0], near[__i__].codes[1]} };
  Requantize how = {
    .requantizer = m2v_requantizer_new (),
    .controller = {either, &codes},
    .after = count_changes
  };

  settings.hysteresis = near[__i__].hysteresis;
  settings.hysteresis_from = near[__i__].from;
  m2v_requantizer_set (how.requantizer, &settings);
  n_changes = n_slices = 0;
  g_byte_array_unref (run (&how, MPEG1, NULL));
  m2v_requantizer_free (how.requantizer);
  fail_unless ((n_changes > 0) == near[__i__].changes,
      "%u changes in %u slices", n_changes, n_slices);
}

GST_END_TEST;

/* Changes that cost more than they save. */
static guint
every_other (gpointer user G_GNUC_UNUSED, const M2vRequest * request)
{
  return request->address % 2 ? request->code + 1 : request->code;
}

static void
assert_no_larger (gpointer user, const Requantized * q)
{
  gsize position = 0, other = 0;
  guint *n_copied = user;
  M2vRange from, to;

  while (m2v_slices_next (q->slices, q->size, &position, &from)) {
    fail_unless (m2v_slices_next (q->out, q->result.size_out, &other, &to));
    fail_unless (to.size <= from.size);
    if (to.size == from.size)
      fail_unless (memcmp (q->slices + from.offset, q->out + to.offset,
              to.size) == 0);
  }
  fail_unless_equals_uint64 (other, q->result.size_out);
  *n_copied += q->result.n_copied;
}

GST_START_TEST (test_no_slice_grows)
{
  M2vRequantizerSettings settings = m2v_requantizer_defaults;
  guint n_copied = 0;
  Requantize how = {
    .requantizer = m2v_requantizer_new (),
    .controller = {every_other, NULL},
    .after = assert_no_larger,
    .user = &n_copied
  };

  settings.hysteresis = 0;
  m2v_requantizer_set (how.requantizer, &settings);
  g_byte_array_unref (run (&how, OCEAN, NULL));
  m2v_requantizer_free (how.requantizer);
  fail_unless (n_copied > 0);
}

GST_END_TEST;

/* Slices that are not touched stay as they are. */
static guint
odd_rows (gpointer user, const M2vRequest * request)
{
  return request->address / *(guint *) user % 2 ? 31 : 0;
}

static void
set_columns (gpointer user, const Requantized * q)
{
  *(guint *) user = q->picture.columns;
}

static void
assert_even_rows (gpointer user, const Requantized * q)
{
  gsize position = 0, other = 0;
  M2vRange from, to;
  guint n_same = 0;

  while (m2v_slices_next (q->slices, q->size, &position, &from)) {
    gboolean same;

    fail_unless (m2v_slices_next (q->out, q->result.size_out, &other, &to));
    same = to.size == from.size && memcmp (q->slices + from.offset,
        q->out + to.offset, to.size) == 0;
    if (q->slices[from.offset + 3] % 2)
      fail_unless (same);
    n_same += same;
  }
  fail_unless_equals_int (q->result.n_copied, n_same);
  fail_if (q->result.floor);
  fail_unless (n_same < q->result.n_slices);
  fail_if (user == NULL);
}

GST_START_TEST (test_untouched_slices)
{
  guint columns;
  Requantize how = {
    .controller = {odd_rows, &columns},
    .before = set_columns,
    .after = assert_even_rows,
    .user = &columns
  };

  run_away (&how, WALK);
}

GST_END_TEST;

static const struct
{
  guint max_code;
  guint wanted;
  gboolean floor;
  guint highest;
} limits[] = {
  {31, 31, TRUE, 31},
  {31, 1000, TRUE, 31},
  {31, 30, FALSE, 30},
  {25, 31, TRUE, 25},
  {25, 25, TRUE, 25},
  {25, 24, FALSE, 24},
  {0, 24, TRUE, 0},
  {40, 31, TRUE, 31},
};

static guint highest, n_floors, n_pictures;

static void
find_highest (gpointer user G_GNUC_UNUSED, const Requantized * q)
{
  static M2vMacroblock mb;
  gsize position = 0;
  M2vRange range;

  while (m2v_slices_next (q->out, q->result.size_out, &position, &range)) {
    M2vSliceReader r;

    m2v_slice_reader_begin (&r, &q->picture, &rewrite_vlc,
        q->out + range.offset, range.size);
    while (m2v_slice_reader_next (&r, &mb))
      highest = MAX (highest, mb.quantiser);
  }
  n_floors += q->result.floor;
  n_pictures++;
}

GST_START_TEST (test_limits)
{
  M2vRequantizerSettings settings = m2v_requantizer_defaults;
  Wanted wanted = { 0, limits[__i__].wanted };
  Requantize how = {
    .requantizer = m2v_requantizer_new (),
    .controller = {wanted_code, &wanted},
    .after = find_highest
  };

  settings.max_code = limits[__i__].max_code;
  m2v_requantizer_set (how.requantizer, &settings);
  highest = n_floors = n_pictures = 0;
  g_byte_array_unref (run (&how, MPEG1, NULL));
  m2v_requantizer_free (how.requantizer);
  fail_unless_equals_int (n_floors, limits[__i__].floor ? n_pictures : 0);
  if (limits[__i__].highest > 0)
    fail_unless_equals_int (highest, limits[__i__].highest);
}

GST_END_TEST;

/* The mean that is told before each picture, against what it turns out to be:
 * exact for the first of each type. */
typedef struct
{
  M2vRequantizer *requantizer;
  gboolean seen[4];
  gdouble mean;
  gdouble sum, n;
} Analysed;

static void
analyse (gpointer user, const Requantized * q)
{
  Analysed *a = user;

  a->mean = requantizer_analyse (a->requantizer, &q->source);
  fail_unless (a->mean > 0);
}

static void
assert_mean (gpointer user, const Requantized * q)
{
  Analysed *a = user;
  gdouble error = fabs (a->mean / q->result.mean_in - 1);

  if (!a->seen[q->picture.type])
    fail_unless (error < 1e-9);
  a->seen[q->picture.type] = TRUE;
  fail_unless (error < 0.5, "%g instead of %g", a->mean, q->result.mean_in);
  a->sum += error;
  a->n++;
}

GST_START_TEST (test_analysis)
{
  static const Wanted wanted = { 2, 0 };
  Analysed a = { m2v_requantizer_new (), {FALSE,}, 0, 0, 0 };
  Requantize how = {
    .requantizer = a.requantizer,
    .controller = {wanted_code, (gpointer) & wanted},
    .n_frames = 48,
    .before = analyse,
    .after = assert_mean,
    .user = &a
  };

  g_byte_array_unref (run (&how, committed_streams[__i__], NULL));
  fail_unless (a.sum / a.n < 0.1, "off by %g", a.sum / a.n);

  /* Nothing is left of it: the first ones are exact again. */
  m2v_requantizer_reset (a.requantizer);
  memset (a.seen, 0, sizeof a.seen);
  g_byte_array_unref (run (&how, committed_streams[(__i__ + 1) % 5], NULL));
  m2v_requantizer_free (a.requantizer);
}

GST_END_TEST;

/* Vectors */

/* Bytes of the pictures, in B and in others, of the first group and later. */
typedef struct
{
  guint n_intra;
  gsize size[2][2];             /* [later][not B] */
  M2vRequantizer *omits;        /* is told of B that are left out; may be NULL */
} Sizes;

static void
add_picture (gpointer user, const Requantized * p)
{
  Sizes *s = user;

  s->n_intra += p->picture.type == M2V_PICTURE_I;
  if (s->omits)
    m2v_requantizer_omit (s->omits);
  s->size[s->n_intra > 1][p->picture.type != M2V_PICTURE_B] +=
      p->result.size_out;
}

static Sizes
choosing (M2vDrift drift, gdouble share, gdouble factor, gboolean omits)
{
  M2vRequantizerSettings settings = m2v_requantizer_defaults;
  Wanted wanted = { factor, 0 };
  Sizes sizes = { 0, };
  Requantize how = {
    .requantizer = m2v_requantizer_new (),
    .controller = {wanted_code, &wanted},
    .n_frames = 36,
    .after = add_picture,
    .user = &sizes
  };

  settings.drift = drift;
  settings.vector_share = share;
  m2v_requantizer_set (how.requantizer, &settings);
  sizes.omits = omits ? how.requantizer : NULL;
  g_byte_array_unref (run (&how, WALK, NULL));
  m2v_requantizer_free (how.requantizer);
  sizes.omits = NULL;
  return sizes;
}

/* A macroblock that may change its vectors is skipped if it can be, though it
 * keeps them. */
static void
assert_near (gsize a, gsize b)
{
  fail_unless (ABS ((gdouble) a - b) < .01 * b, "%" G_GSIZE_FORMAT ", not %"
      G_GSIZE_FORMAT, a, b);
}

/* Where there is no room for all B, more than vectors must go. */
GST_START_TEST (test_omit)
{
  const Sizes always = choosing (M2V_DRIFT_P, 0, 2, FALSE);
  const Sizes omitted = choosing (M2V_DRIFT_P, .99, 2, TRUE);

  assert_near (omitted.size[1][0], always.size[1][0]);
}

GST_END_TEST;

/* Where vectors take much, B pictures get smaller, and P by little. In the first
 * group that is not known yet, and B do where few levels stay. Later all do where
 * most quantisers are the coarsest. */
GST_START_TEST (test_vector_share)
{
  for (guint coarse = 0; coarse < 2; coarse++) {
    const gdouble factor = coarse ? 5 : 2;
    const Sizes never = choosing (M2V_DRIFT_P, 1, factor, FALSE);
    const Sizes always = choosing (M2V_DRIFT_P, 0, factor, FALSE);
    const Sizes measured = choosing (M2V_DRIFT_P, .01, factor, FALSE);
    const Sizes rarely = choosing (M2V_DRIFT_P, .99, factor, FALSE);
    const Sizes open_loop = choosing (M2V_DRIFT_OFF, 0, factor, FALSE);
    const Sizes open_never = choosing (M2V_DRIFT_OFF, 1, factor, FALSE);
    const gsize first_b = coarse ? always.size[0][0] : never.size[0][0];

    fail_unless (never.n_intra > 2);
    for (guint later = 0; later < 2; later++) {
      fail_unless (always.size[later][0] < .95 * never.size[later][0]);
      fail_unless (always.size[later][1] < never.size[later][1]);
    }
    assert_near (measured.size[0][0], first_b);
    assert_near (measured.size[1][0], always.size[1][0]);
    assert_near (rarely.size[0][0], first_b);
    fail_unless_equals_uint64 (rarely.size[0][1], never.size[0][1]);
    if (coarse)
      fail_unless (rarely.size[1][0] < .95 * never.size[1][0]);
    else
      fail_unless_equals_uint64 (rarely.size[1][0], never.size[1][0]);
    fail_unless (memcmp (&open_loop, &open_never, sizeof open_never) == 0);
  }
}

GST_END_TEST;

typedef struct
{
  M2vRequantizer *never, *always;
  const Controller *controller;
  guint n_pictures;             /* since the I */
  guint n_other;                /* later ones that differ */
} SecondField;

static void
lose_at_intra (gpointer user, const Requantized * p)
{
  SecondField *f = user;

  f->n_pictures++;
  if (p->picture.type != M2V_PICTURE_I)
    return;
  f->n_pictures = 0;
  m2v_requantizer_lost (f->never);
  m2v_requantizer_lost (f->always);
}

static void
assert_second_field (gpointer user, const Requantized * p)
{
  SecondField *f = user;
  gsize capacity = p->size + M2V_REQUANTIZER_RESERVE;
  guint8 *out = g_malloc (capacity);
  M2vRequantized result;
  gboolean same;

  fail_unless (requantize_with (f->never, &p->source, f->controller, out,
          capacity, &result));
  same = result.size_out == p->result.size_out
      && memcmp (out, p->out, result.size_out) == 0;
  fail_unless (same || f->n_pictures > 1);
  f->n_other += !same && p->picture.type == M2V_PICTURE_P;
  g_free (out);
}

/* A P field behind an I field may refer to the frame before, which is not known:
 * its vectors stay. Those of the next P need not. */
GST_START_TEST (test_second_field)
{
  M2vRequantizerSettings settings = m2v_requantizer_defaults;
  Wanted wanted = { 3, 0 };
  const Controller controller = { wanted_code, &wanted };
  SecondField f = { m2v_requantizer_new (), m2v_requantizer_new (),
    &controller, 0, 0
  };
  Requantize how = {
    .requantizer = f.always,.controller = controller,.n_frames = 48,
    .before = lose_at_intra,.after = assert_second_field,.user = &f
  };

  settings.drift = M2V_DRIFT_P;
  m2v_requantizer_set (f.never, &settings);
  settings.vector_share = 0;
  m2v_requantizer_set (f.always, &settings);
  g_byte_array_unref (run (&how, FIELDS, NULL));
  fail_unless (f.n_other > 0);
  m2v_requantizer_free (f.never);
  m2v_requantizer_free (f.always);
}

GST_END_TEST;

static Suite *
requantizersettings_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-requantizersettings");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_requests, 0, G_N_ELEMENTS (asked));
  tcase_add_loop_test (tc, test_untouched, 0, 20);
  tcase_add_loop_test (tc, test_hysteresis, 0, G_N_ELEMENTS (near));
  tcase_add_test (tc, test_no_slice_grows);
  tcase_add_test (tc, test_untouched_slices);
  tcase_add_loop_test (tc, test_limits, 0, G_N_ELEMENTS (limits));
  tcase_add_loop_test (tc, test_analysis, 0, 5);
  tcase_add_test (tc, test_vector_share);
  tcase_add_test (tc, test_second_field);
  tcase_add_test (tc, test_omit);
  return s;
}

GST_CHECK_MAIN (requantizersettings);
