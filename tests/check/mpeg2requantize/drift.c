/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The errors that the closed loop believes frames to have against those that
 * they have: source and output decoded by the test decoder, which has nothing
 * in common with the loop.
 */
#include <math.h>

#include "../mpeg2/madestream.h"
#include "requantizing.h"
#include <mpeg2requantize/slicerewriter.h>
#include "../mpeg2/testdecoder.h"

#define N_FRAMES 24
#define N_SEEDS 3

/* Of one picture. Both decoders round their predictions: a half sample in both
 * directions by -1/4 to 1/2, the average of two such by as much and, itself, by
 * 1/2, so that they differ by 1.25 at most. What the loop itself rounds are
 * 32nds. */
#define MAX_PREDICTION (1.25 + 3 / 32.0)

/* A coefficient is rounded to an integer, and F[7][7] by mismatch control, so by
 * less than 1 (MPEG-1: 2), in either; that is a quarter of it in a sample. There
 * are mostly some few coefficients, and more than that of real errors anywhere
 * where something is reckoned wrongly. */
#define MAX_ALONE 5

/* In the mean, where all is predicted from half samples: two numbers that are
 * 0 or 1/2 by chance differ by 1/4; averages have more of it. */
#define MAX_MEAN_ALONE 0.35

/* Of a chain of them, where such errors add up as random ones do. */
#define MAX_MEAN 0.5

/* How much more errors B may have if vectors are chosen: those of real streams,
 * and of flat ones, which have few others. */
#define MAX_FACTOR 1.1
#define MAX_FACTOR_FLAT 4

typedef enum
{
  /* All pictures are requantized, B too. */
  WAY_RUNNING,
  /* After each picture the loop is told the true errors. Then what it gets
   * wrong is one picture's rounding. */
  WAY_ALONE,
  /* All are, and choose their vectors. */
  WAY_VECTORS,
  /* The same, and the loop is told the true errors. */
  WAY_VECTORS_ALONE,
  /* Only I pictures are requantized. */
  WAY_PASSED,
  /* None are, but the output's decoder has random references. So all that is
   * compared is prediction. */
  WAY_NOISE,
  N_WAYS
} Way;

typedef enum
{
  CONTENT_REAL,
  CONTENT_RANDOM,               /* no vectors but its own predict anything */
  CONTENT_FLAT                  /* all do */
} Content;

typedef struct
{
  const gchar *name;
  Way way;
  Content content;
  M2vRequantizer *requantizer;
  M2vDriftLoop *drift;
  GRand *rand;
  TestDecoder *source, *output;
  guint columns;
  guint n_grown;                /* slices larger than the source's */
  gdouble sum, worst;           /* of differences */
  gdouble errors;               /* sum of what they should be */
  guint64 n;
  gdouble b_errors;             /* sum of those of requantized B */
  guint64 b_n;
  gsize p_size;                 /* of requantized P */
} Loop;

/* True if errors do not add up from picture to picture. */
static gboolean
is_alone (Way way)
{
  return way == WAY_ALONE || way == WAY_VECTORS_ALONE || way == WAY_NOISE;
}

/* True if B pictures are requantized. In the others what they are predicted
 * from is compared. */
static gboolean
takes_b (Way way)
{
  return way == WAY_RUNNING || way == WAY_VECTORS;
}

/* True if levels are left out as the recoder has it. */
static gboolean
is_real_use (Way way)
{
  return takes_b (way) || way == WAY_VECTORS_ALONE;
}

static gboolean
is_clipped (gdouble sample)
{
  return sample <= 0 || sample >= 255;
}

/* n samples in a line of both frames; errors NULL: all 0. */
static void
compare_samples (Loop * l, const TestPlane * a, const TestPlane * b, gsize at,
    const gint16 * errors, guint n)
{
  for (guint x = 0; x < n; x++) {
    gdouble difference = a->exact[at + x] - b->exact[at + x];
    gdouble off = fabs (difference - (errors ? errors[x] / 32.0 : 0));

    /* The loop does not know of these. */
    if (is_clipped (a->exact[at + x]) || is_clipped (b->exact[at + x]))
      continue;
    l->sum += off;
    l->worst = MAX (l->worst, off);
    l->errors += fabs (difference);
    l->n++;
  }
}

/* What pictures after it are predicted from. */
static void
tell_line (Loop * l, const TestPlane * a, TestPlane * b, gsize at,
    gint16 * errors)
{
  for (guint x = 0; x < a->width; x++) {
    if (l->way == WAY_NOISE)
      b->samples[at + x] = g_rand_int_range (l->rand, 64, 192);
    errors[x] = (a->samples[at + x] - b->samples[at + x]) * 32;
  }
}

static M2vStructure
structure_of (const M2vPicture * picture)
{
  return picture->mpeg2 ? picture->coding.structure : M2V_FRAME_PICTURE;
}

static void
compare_stored (Loop * l, const M2vPicture * picture, TestFrame * a,
    TestFrame * b)
{
  M2vErrorFrame *frame = &l->drift->frames[l->drift->newest];
  M2vStructure structure = structure_of (picture);

  for (guint i = 0; i < 3; i++) {
    TestPlane *plane = &a->planes[i];

    for (guint y = test_first_line (structure); y < plane->height;
        y += test_line_step (structure)) {
      gsize at = (gsize) y * plane->width;

      compare_samples (l, plane, &b->planes[i], at, frame->zero ? NULL
          : frame->planes[i] + at, plane->width);
      if (!is_alone (l->way))
        continue;
      m2v_drift_touch (l->drift);
      tell_line (l, plane, &b->planes[i], at, frame->planes[i] + at);
    }
  }
}

/* Of a macroblock of B, which are not stored. */
static void
compare_macroblock (Loop * l, const M2vPicture * picture, guint address,
    TestFrame * a, TestFrame * b)
{
  M2vStructure structure = structure_of (picture);

  for (guint i = 0; i < 3; i++) {
    TestPlane *plane = &a->planes[i];
    guint width = test_block_width (i), height = test_block_height (a, i);
    guint left = address % l->columns * width;
    guint top = address / l->columns * height;

    for (guint y = 0; y < height; y++) {
      guint line = test_first_line (structure) + (top + y)
          * test_line_step (structure);

      compare_samples (l, plane, &b->planes[i], line * plane->width + left,
          l->drift->macroblock[i].samples + y * l->drift->macroblock[i].stride,
          width);
    }
  }
}

static void
add_errors (Loop * l, const M2vPicture * picture, const TestFrame * a,
    const TestFrame * b)
{
  M2vStructure structure = structure_of (picture);

  for (guint i = 0; i < 3; i++) {
    const TestPlane *p = &a->planes[i], *q = &b->planes[i];

    for (guint y = test_first_line (structure); y < p->height;
        y += test_line_step (structure)) {
      gsize at = (gsize) y * p->width;

      for (guint x = 0; x < p->width; x++)
        l->b_errors += fabs (p->exact[at + x] - q->exact[at + x]);
      l->b_n += p->width;
    }
  }
}

static void
compare_bidirectional (Loop * l, const M2vSource * source, TestFrame * a,
    TestFrame * b)
{
  static M2vMacroblock mb;
  const M2vRange *slices = &source->picture->slices;
  const guint8 *data = source->data + slices->offset;
  gsize position = 0;
  M2vPictureParams picture;
  M2vRange range;

  fail_unless (m2v_picture_params_init (&picture, source->sequence,
          source->picture));
  fail_unless (m2v_drift_begin (l->drift, &picture,
          source->picture->coding.top_field_first));
  while (m2v_slices_next (data, slices->size, &position, &range)) {
    M2vSliceReader r;

    if (!m2v_is_slice (data + range.offset, range.size))
      continue;
    m2v_slice_reader_begin (&r, &picture, &rewrite_vlc, data + range.offset,
        range.size);
    while (m2v_slice_reader_next (&r, &mb)) {
      if (m2v_drift_macroblock (l->drift, &mb))
        compare_macroblock (l, source->picture, mb.address, a, b);
    }
  }
  m2v_drift_end (l->drift);
}

/* Every other row is to stay as it is, and would come out larger for the
 * errors that it inherits: some are copied after all. What is flat is to lose
 * most vectors. */
static guint
unevenly (gpointer user, const M2vRequest * request)
{
  const Loop *l = user;
  guint row = request->address / l->columns;

  if (row % 2 == 0)
    return request->code;
  return l->content == CONTENT_FLAT ? 31 : request->code * 2 + 1;
}

static void
count_grown (Loop * l, const guint8 * a, gsize a_size, const guint8 * b,
    gsize b_size)
{
  gsize a_position = 0, b_position = 0;
  M2vRange from, to;

  while (m2v_slices_next (a, a_size, &a_position, &from)) {
    fail_unless (m2v_slices_next (b, b_size, &b_position, &to));
    l->n_grown += to.size > from.size;
  }
}

static void
decode_picture (TestDecoder * d, const M2vSource * source,
    const guint8 * slices, gsize size)
{
  M2vPicture picture = *source->picture;
  const gchar *error;

  picture.slices.offset = 0;
  picture.slices.size = size;
  error = test_decoder_picture (d, source->sequence, source->matrices,
      &picture, slices);
  fail_unless (error == NULL, "%s", error);
}

static void
do_picture (Loop * l, const M2vSource * source, TestFrame * a, TestFrame * b)
{
  const M2vPicture *picture = source->picture;
  const guint8 *slices = source->data + picture->slices.offset;
  gsize size = picture->slices.size;
  gsize capacity = size + M2V_REQUANTIZER_RESERVE;
  const Controller controller = { unevenly, l };
  guint8 *out = g_memdup2 (slices, capacity);
  M2vRequantized result = {.size_out = size };

  if (picture->header.type == M2V_PICTURE_B && !takes_b (l->way)) {
  } else if (l->way == WAY_NOISE || (l->way == WAY_PASSED
          && picture->header.type == M2V_PICTURE_P)) {
    fail_unless (requantizer_pass (l->requantizer, source));
  } else {
    fail_unless (requantize_with (l->requantizer, source,
            &controller, out, capacity, &result));
    fail_unless (result.size_out <= size);
    if (picture->header.type != M2V_PICTURE_B && !is_real_use (l->way))
      count_grown (l, slices, size, out, result.size_out);
    if (picture->header.type == M2V_PICTURE_P)
      l->p_size += result.size_out;
  }
  decode_picture (l->source, source, slices, size);
  decode_picture (l->output, source, out, result.size_out);
  if (picture->header.type == M2V_PICTURE_B && takes_b (l->way))
    add_errors (l, picture, a, b);
  else if (picture->header.type == M2V_PICTURE_B)
    compare_bidirectional (l, source, a, b);
  else
    compare_stored (l, picture, a, b);
  g_free (out);
}

static void
do_stream (Loop * l, const guint8 * data, gsize size)
{
  /* Bytes behind it, so that a picture can be copied with room. */
  guint8 *bytes = g_malloc0 (size + M2V_REQUANTIZER_RESERVE);
  Stream *s;

  memcpy (bytes, data, size);
  s = stream_new (bytes, size, N_FRAMES);
  l->columns = (stream_frame (s, 0)->sequence.width + 15) / 16;
  for (guint k = 0; k < s->frames->len; k++) {
    const StreamFrame *f = stream_frame (s, k);
    TestFrame *a, *b;

    if (stream_type (f) == M2V_PICTURE_B && (f->past < 0 || f->last < 0))
      continue;
    a = test_decoder_begin (l->source, &f->sequence, &f->pictures[0]);
    b = test_decoder_begin (l->output, &f->sequence, &f->pictures[0]);
    for (guint i = 0; i < f->n_pictures; i++) {
      const M2vSource source = { &f->sequence, &f->pictures[i],
        stream_picture (s, f, i), NULL, &f->matrices[i]
      };

      do_picture (l, &source, a, b);
    }
  }
  stream_free (s);
}

static void
assert_loop (const Loop * l)
{
  gdouble off = l->sum / l->n;

  GST_INFO ("%s, way %u: errors of %.3f, off by %.3f, at worst %.3f, %u grown",
      l->name, l->way, l->errors / l->n, off, l->worst, l->n_grown);
  /* There is something to be right about. */
  fail_unless (l->errors / l->n > (l->way == WAY_NOISE ? 10 : 0.04),
      "%s, way %u: errors of %g", l->name, l->way, l->errors / l->n);
  fail_unless (off < (is_alone (l->way) ? MAX_MEAN_ALONE : MAX_MEAN),
      "%s, way %u: off by %g", l->name, l->way, off);
  fail_if (is_alone (l->way) && l->worst > MAX_ALONE,
      "%s, way %u: off by %g at worst", l->name, l->way, l->worst);
  fail_if (l->way == WAY_NOISE && l->worst > MAX_PREDICTION,
      "%s: predicted %g off at worst", l->name, l->worst);
}

static guint n_grown;

/* Vectors that are chosen take fewer bits; in what is flat others predict better,
 * too. In B they make little difference: what they lack is coded, or not worth
 * its bits. */
static void
compare_vectors (const Loop * without, const Loop * with)
{
  gdouble before = without->b_errors / without->b_n;
  gdouble after = with->b_errors / with->b_n;

  fail_unless (with->content == CONTENT_FLAT
      ? with->p_size != without->p_size : with->p_size < without->p_size
      || with->content == CONTENT_RANDOM, "%s: P have %" G_GSIZE_FORMAT
      " bytes, %" G_GSIZE_FORMAT, with->name, with->p_size, without->p_size);
  if (without->b_n == 0)
    return;
  GST_INFO ("%s: errors of B %.3f, with vectors chosen %.3f", with->name,
      before, after);
  fail_unless (after < before * (with->content == CONTENT_FLAT
          ? MAX_FACTOR_FLAT : MAX_FACTOR),
      "%s: %g, %g with vectors chosen", with->name, before, after);
}

static void
check_ways (const gchar * name, const guint8 * data, gsize size,
    Content content)
{
  Loop running = { 0, };

  for (Way way = 0; way < N_WAYS; way++) {
    M2vRequantizerSettings settings = m2v_requantizer_defaults;
    Loop l = {.name = name,.way = way,.content = content };

    settings.drift = takes_b (way) ? M2V_DRIFT_ALL : M2V_DRIFT_P;
    settings.selective = is_real_use (way);
    settings.rate_distortion = way == WAY_VECTORS_ALONE;
    if (way == WAY_VECTORS || way == WAY_VECTORS_ALONE)
      settings.vector_share = 0;
    l.requantizer = m2v_requantizer_new ();
    l.drift = m2v_requantizer_drift (l.requantizer);
    l.source = test_decoder_new ();
    l.output = test_decoder_new ();
    l.rand = g_rand_new_with_seed (way);
    m2v_requantizer_set (l.requantizer, &settings);
    do_stream (&l, data, size);
    assert_loop (&l);
    if (way == WAY_RUNNING)
      running = l;
    else if (way == WAY_VECTORS)
      compare_vectors (&running, &l);
    n_grown += l.n_grown;
    g_rand_free (l.rand);
    test_decoder_free (l.source);
    test_decoder_free (l.output);
    m2v_requantizer_free (l.requantizer);
  }
}

static void
check_stream (const gchar * name, const guint8 * data, gsize size)
{
  check_ways (name, data, size, CONTENT_REAL);
}

GST_START_TEST (test_real)
{
  n_grown = 0;
  for_each_stream (__i__, check_stream);
  /* Errors are taken out even if that takes more than the source had. */
  fail_unless (n_grown > 0 || __i__);
}

GST_END_TEST;

GST_START_TEST (test_made)
{
  MadeStreamParams params = made_structures[__i__ / 2];

  params.flat = __i__ % 2;
  m2v_vlc_init (&rewrite_vlc);
  for (guint seed = 0; seed < N_SEEDS; seed++) {
    MadeStream *s = made_stream_new (&params, seed);
    GRand *rand = g_rand_new_with_seed (seed);
    GByteArray *varied = made_stream_vary (s, rand, TRUE);

    check_ways (params.name, varied->data, varied->len, params.flat
        ? CONTENT_FLAT : CONTENT_RANDOM);
    g_byte_array_unref (varied);
    g_rand_free (rand);
    made_stream_free (s);
  }
}

GST_END_TEST;

/* A field whose second one never comes: the other lines have no errors. */
GST_START_TEST (test_unpaired)
{
  M2vPictureParams picture = {
    .type = M2V_PICTURE_P,.structure = M2V_TOP_FIELD,
    .columns = 2,.rows = 1,.n_blocks = 6
  };
  M2vDriftLoop drift = {.kernels = m2v_kernels_best () };

  fail_unless (m2v_drift_begin (&drift, &picture, TRUE));
  for (guint i = 0; i < 2; i++) {
    drift.frames[i].zero = FALSE;
    for (guint k = 0; k < 32 * 32; k++)
      drift.frames[i].planes[0][k] = 7;
  }
  drift.first_field = 0;
  fail_unless (m2v_drift_begin (&drift, &picture, TRUE));
  m2v_drift_end (&drift);
  for (guint k = 0; k < 32 * 32; k++)
    fail_unless_equals_int (drift.frames[drift.newest].planes[0][k],
        k / 32 % 2 == 0 ? 7 : 0);
  m2v_drift_free (&drift);
}

GST_END_TEST;

/* To where the macroblock is, in each picture: in a frame without errors, over
 * what it inherits, and of a B without references instead of what was there.
 * Errors elsewhere can take their place. */
GST_START_TEST (test_add)
{
  M2vPictureParams picture = {
    .type = M2V_PICTURE_I,.structure = M2V_FRAME_PICTURE,
    .columns = 3,.rows = 1,.n_blocks = 6
  };
  M2vMacroblock mb = {.address = 1,.type = M2V_INTRA };
  M2vDriftLoop drift = {.kernels = m2v_kernels_best () };
  static M2vSamples more;
  gint16 *luma;

  for (guint k = 0; k < 256; k++)
    more.planes[0][k] = k;
  more.planes[2][63] = 7;
  more.planes[1][5] = 8160;
  more.planes[1][6] = -8160;
  fail_unless (m2v_drift_begin (&drift, &picture, TRUE));
  fail_if (m2v_drift_macroblock (&drift, &mb));
  fail_unless (drift.frames[drift.newest].zero);
  for (gint round = 1; round <= 2; round++) {
    m2v_drift_add (&drift, &more);
    fail_if (drift.frames[drift.newest].zero);
    luma = drift.frames[drift.newest].planes[0];
    for (gint k = 0; k < 48 * 16; k++) {
      gint x = k % 48 - 16, y = k / 48;

      fail_unless_equals_int (luma[k], x < 0 || x > 15 ? 0
          : round * (y * 16 + x));
    }
    fail_unless_equals_int (drift.frames[drift.newest].planes[2][7 * 24 + 15],
        round * 7);
    luma = drift.frames[drift.newest].planes[1];
    fail_unless_equals_int (luma[8 + 5], MIN (round * 8160, M2V_ERROR_MAX));
    fail_unless_equals_int (luma[8 + 6], -MIN (round * 8160, M2V_ERROR_MAX));
  }
  m2v_drift_lost (&drift);
  picture.type = M2V_PICTURE_B;
  mb.type = M2V_FORWARD;
  mb.motion = M2V_MOTION_FRAME;
  fail_unless (m2v_drift_begin (&drift, &picture, TRUE));
  for (gint round = 0; round < 2; round++) {
    fail_if (m2v_drift_macroblock (&drift, &mb));
    m2v_drift_add (&drift, &more);
    for (gint k = 0; k < 256; k++)
      fail_unless_equals_int (drift.macroblock[0].samples[k], k);
  }
  m2v_drift_use (&drift, &more);
  for (guint i = 0; i < 6; i++)
    fail_unless (m2v_drift_block (&drift, FALSE, i).samples == (i < 4
            ? more.planes[0] + i / 2 * 8 * 16 + i % 2 * 8
            : more.planes[i - 3]));
  m2v_drift_free (&drift);
}

GST_END_TEST;

#define COLUMNS 3
#define ROWS 2

/* Half samples; of the first macroblock, and of the last. */
static const gint16 outside[][2] = {
  {0, 0}, {-1, 0}, {0, -1}, {-7, -9}, {-31, 5}, {3, -33}, {-200, -301},
  {66, 35}, {67, 34}, {120, 120}, {4000, 3}, {1, 4001}, {-4096, 4095},
};

/* Clause 7.6.4, with samples beyond the edges like these. */
static gint
interpolate (const gint16 * plane, gint width, gint height, gint x, gint y,
    gboolean up)
{
  gint values[4], n = 0;

  /* In half samples: those that are around it, twice where it is one. */
  for (gint k = 0; k < 4; k++) {
    gint i = (x + k % 2 * (x & 1)) >> 1, j = (y + k / 2 * (y & 1)) >> 1;

    values[n++] = plane[CLAMP (j, 0, height - 1) * width
        + CLAMP (i, 0, width - 1)];
  }
  n = values[0] + values[1] + values[2] + values[3];
  if ((x & 1) && (y & 1))
    return (n + 1 + up) >> 2;
  return (x & 1) || (y & 1) ? (n / 2 + up) >> 1 : n / 4;
}

static void
assert_inherited (const M2vDriftLoop * d, const M2vMacroblock * mb)
{
  for (guint component = 0; component < 3; component++) {
    const gint16 *plane = d->frames[!d->newest].planes[component];
    gint size = component > 0 ? 8 : 16, width = COLUMNS * size;
    gint left = mb->address % COLUMNS * size;
    gint top = mb->address / COLUMNS * size;
    const gint16 *v = mb->vectors[0][0].vector;
    gint dx = component > 0 ? v[0] / 2 : v[0];
    gint dy = component > 0 ? v[1] / 2 : v[1];

    for (gint y = 0; y < size; y++) {
      for (gint x = 0; x < size; x++)
        fail_unless_equals_int (d->frames[d->newest].planes[component]
            [(top + y) * width + left + x], interpolate (plane, width,
                ROWS * size, 2 * (left + x) + dx, 2 * (top + y) + dy, d->up));
    }
  }
}

GST_START_TEST (test_outside)
{
  M2vPictureParams picture = {
    .type = M2V_PICTURE_P,.structure = M2V_FRAME_PICTURE,
    .columns = COLUMNS,.rows = ROWS,.n_blocks = 6
  };
  M2vDriftLoop d = {.kernels = m2v_kernels_best () };
  GRand *rand = g_rand_new_with_seed (1);
  static M2vMacroblock mb;

  for (guint i = 0; i < G_N_ELEMENTS (outside); i++) {
    fail_unless (m2v_drift_begin (&d, &picture, TRUE));
    for (guint k = 0; k < COLUMNS * ROWS * 6 * 64; k++)
      d.frames[d.newest].planes[0][k] = 4 * g_rand_int_range (rand, -2000,
          2000);
    d.frames[d.newest].zero = FALSE;
    fail_unless (m2v_drift_begin (&d, &picture, TRUE));
    memset (&mb, 0, sizeof mb);
    mb.type = M2V_FORWARD;
    mb.motion = M2V_MOTION_FRAME;
    mb.address = i < G_N_ELEMENTS (outside) / 2 ? 0 : COLUMNS * ROWS - 1;
    memcpy (mb.vectors[0][0].vector, outside[i], sizeof outside[i]);
    fail_unless (m2v_drift_macroblock (&d, &mb));
    assert_inherited (&d, &mb);
  }
  m2v_drift_free (&d);
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
drift_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-drift");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 900);
  tcase_add_loop_test (tc, test_real, FALSE, TRUE + 1);
  tcase_add_loop_test (tc, test_made, 0, 2 * MADE_N_SMALL);
  tcase_add_test (tc, test_unpaired);
  tcase_add_test (tc, test_add);
  tcase_add_test (tc, test_outside);
  return s;
}

GST_CHECK_MAIN (drift);
