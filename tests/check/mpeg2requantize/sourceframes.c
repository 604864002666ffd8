/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The source's frames against what the test decoder, which has nothing in
 * common with them, makes of whole streams; and when they are known.
 */
#include <math.h>

#include "../mpeg2/madestream.h"
#include "../mpeg2/rewriting.h"
#include "../mpeg2/testdecoder.h"
#include <mpeg2requantize/sourceframes.h>

#define N_FRAMES 24
#define N_SEEDS 4

/* Of one picture, whose references are the same, at worst. A coefficient is
 * rounded to an integer by decoders, and F[7][7] by mismatch control, so by
 * less than 1 (MPEG-1: 2); that is a quarter of it in a sample. There are
 * mostly some few coefficients. The sum is rounded. */
#define MAX_ALONE 6

/* In the mean. Rounding of up to 0.2 (as the mean coefficient's of a half is,
 * of some in a block) leads to another integer as often; many blocks have no
 * coefficients, and no difference. */
#define MAX_ABSOLUTE_ALONE 0.2

/* With its sign. What is less than half by less than 1/64 is rounded to a half
 * by the transform, and then up: by 1/64 in the mean if all fractions are as
 * frequent, and they are not quite. Coefficients that are rounded have either
 * sign. */
#define MAX_MEAN_ALONE (2 / 64.0)

/* From an I picture on, where random differences add up, and half of them by
 * each interpolation. */
#define MAX_RUNNING 12
#define MAX_ABSOLUTE 0.5
/* In the mean half of the pictures are before one. */
#define MAX_MEAN (N_FRAMES / 2 / 64.0)

typedef enum
{
  /* After each picture the frames are given the test decoder's samples. Then
   * what differs comes from one picture. */
  WAY_ALONE,
  WAY_RUNNING,
  N_WAYS
} Way;

/* What differs, in samples. */
typedef struct
{
  gdouble sum, absolute, worst;
  guint64 n;
} Differences;

typedef struct
{
  const gchar *name;
  Way way;
  TestDecoder *decoder;
  M2vSourceFrames frames;
  M2vLevels levels;
  M2vPictureParams picture;
  Differences stored, predicted;        /* of I and P, and of B */
} Decoding;

static void
add_difference (Differences * d, gint difference)
{
  d->sum += difference;
  d->absolute += ABS (difference);
  d->worst = MAX (d->worst, ABS (difference));
  d->n++;
}

/* The lines of I and P, which are stored in the frame. */
static void
compare_stored (Decoding * d, TestFrame * frame)
{
  M2vErrorFrame *stored = &d->frames.loop.frames[d->frames.loop.newest];
  M2vStructure structure = d->picture.structure;

  fail_if (stored->zero);
  for (guint i = 0; i < 3; i++) {
    TestPlane *plane = &frame->planes[i];

    for (guint y = test_first_line (structure); y < plane->height;
        y += test_line_step (structure)) {
      for (guint x = 0; x < plane->width; x++) {
        gsize at = (gsize) y *plane->width + x;

        add_difference (&d->stored, stored->planes[i][at] - plane->samples[at]);
        if (d->way == WAY_ALONE)
          stored->planes[i][at] = plane->samples[at];
      }
    }
  }
}

/* A macroblock of B, which is not stored. */
static void
compare_macroblock (Decoding * d, guint address, const M2vSamples * samples,
    TestFrame * frame)
{
  M2vStructure structure = d->picture.structure;

  for (guint i = 0; i < 3; i++) {
    TestPlane *plane = &frame->planes[i];
    guint width = test_block_width (i), height = test_block_height (frame, i);
    guint left = address % d->picture.columns * width;
    guint top = address / d->picture.columns * height;

    for (guint k = 0; k < width * height; k++) {
      guint line = test_first_line (structure)
          + (top + k / width) * test_line_step (structure);

      add_difference (&d->predicted, samples->planes[i][k]
          - plane->samples[(gsize) line * plane->width + left + k % width]);
    }
  }
}

static void
decode_macroblock (Decoding * d, const M2vMacroblock * mb, TestFrame * frame)
{
  M2vSamples samples, other;

  m2v_source_frames_macroblock (&d->frames, &d->levels, mb);
  if (d->picture.type != M2V_PICTURE_B || mb->type & M2V_INTRA)
    return;
  m2v_drift_predict (&d->frames.loop, mb, &samples);
  /* One that was predicted before the last one may be added to. */
  m2v_drift_predict (&d->frames.loop, mb, &other);
  m2v_source_frames_add (&d->frames, &d->levels, mb, &samples);
  compare_macroblock (d, mb->address, &samples, frame);
}

static void
decode_slices (Decoding * d, const guint8 * slices, gsize size,
    TestFrame * frame)
{
  static M2vMacroblock mb;
  gsize position = 0;
  M2vRange range;

  while (m2v_slices_next (slices, size, &position, &range)) {
    M2vSliceReader r;

    if (!m2v_is_slice (slices + range.offset, range.size))
      continue;
    m2v_slice_reader_begin (&r, &d->picture, &rewrite_vlc,
        slices + range.offset, range.size);
    while (m2v_slice_reader_next (&r, &mb))
      decode_macroblock (d, &mb, frame);
    fail_if (r.error);
  }
}

static void
decode_picture (Decoding * d, const StreamFrame * f, guint i,
    const guint8 * bytes, TestFrame * frame)
{
  static const M2vRounding rounding;
  const M2vPicture *picture = &f->pictures[i];
  const gchar *error = test_decoder_picture (d->decoder, &f->sequence,
      &f->matrices[i], picture, bytes);

  fail_unless (error == NULL, "%s", error);
  fail_unless (m2v_picture_params_init (&d->picture, &f->sequence, picture));
  m2v_levels_init (&d->levels, d->frames.loop.kernels, &d->picture,
      &f->matrices[i], &rounding, NULL);
  fail_unless (m2v_source_frames_begin (&d->frames, &d->picture,
          picture->coding.top_field_first));
  decode_slices (d, bytes + picture->slices.offset, picture->slices.size,
      frame);
  m2v_source_frames_end (&d->frames);
  if (d->picture.type != M2V_PICTURE_B)
    compare_stored (d, frame);
}

static Decoding *
decode_stream (const gchar * name, const guint8 * data, gsize size, Way way)
{
  Decoding *d = g_new0 (Decoding, 1);
  Stream *s = stream_new (g_memdup2 (data, size), size, N_FRAMES);

  d->name = name;
  d->way = way;
  d->decoder = test_decoder_new ();
  m2v_source_frames_init (&d->frames, m2v_kernels_best ());
  for (guint k = 0; k < s->frames->len; k++) {
    const StreamFrame *f = stream_frame (s, k);
    TestFrame *frame;

    if (stream_type (f) == M2V_PICTURE_B && (f->past < 0 || f->last < 0))
      continue;
    frame = test_decoder_begin (d->decoder, &f->sequence, &f->pictures[0]);
    for (guint i = 0; i < f->n_pictures; i++)
      decode_picture (d, f, i, stream_picture (s, f, i), frame);
  }
  stream_free (s);
  return d;
}

static void
decoding_free (Decoding * d)
{
  m2v_source_frames_free (&d->frames);
  test_decoder_free (d->decoder);
  g_free (d);
}

static void
assert_differences (const Decoding * d, const gchar * what,
    const Differences * x)
{
  gdouble mean = x->sum / x->n, absolute = x->absolute / x->n;
  gboolean alone = d->way == WAY_ALONE;

  GST_INFO ("%s, way %u, %s: off by %.3f, in the mean by %.3f, at worst %.0f",
      d->name, d->way, what, absolute, mean, x->worst);
  fail_unless (x->worst <= (alone ? MAX_ALONE : MAX_RUNNING),
      "%s, way %u, %s: off by %.0f at worst", d->name, d->way, what, x->worst);
  fail_unless (absolute < (alone ? MAX_ABSOLUTE_ALONE : MAX_ABSOLUTE),
      "%s, way %u, %s: off by %.3f", d->name, d->way, what, absolute);
  fail_unless (fabs (mean) < (alone ? MAX_MEAN_ALONE : MAX_MEAN),
      "%s, way %u, %s: %.3f in the mean", d->name, d->way, what, mean);
}

static void
check_stream (const gchar * name, const guint8 * data, gsize size)
{
  for (Way way = 0; way < N_WAYS; way++) {
    Decoding *d = decode_stream (name, data, size, way);

    fail_unless (d->stored.n > 0);
    assert_differences (d, "I and P", &d->stored);
    if (d->predicted.n > 0)
      assert_differences (d, "B", &d->predicted);
    decoding_free (d);
  }
}

GST_START_TEST (test_real)
{
  for_each_stream (__i__, check_stream);
}

GST_END_TEST;

GST_START_TEST (test_made)
{
  const MadeStreamParams *params = &made_structures[__i__];

  m2v_vlc_init (&rewrite_vlc);
  for (guint seed = 0; seed < N_SEEDS; seed++) {
    MadeStream *s = made_stream_new (params, seed);
    GRand *rand = g_rand_new_with_seed (seed);
    GByteArray *varied = made_stream_vary (s, rand, TRUE);

    check_stream (params->name, varied->data, varied->len);
    g_byte_array_unref (varied);
    g_rand_free (rand);
    made_stream_free (s);
  }
}

GST_END_TEST;

/* Each sample of a block has the same whole number, and mismatch control adds
 * less than half: nothing is left to rounding, and the frames are the same. */
GST_START_TEST (test_exact)
{
  MadeStreamParams params = made_structures[__i__];

  params.rough = FALSE;
  m2v_vlc_init (&rewrite_vlc);
  for (guint seed = 0; seed < N_SEEDS; seed++) {
    MadeStream *s = made_stream_new (&params, seed);
    Decoding *d = decode_stream (params.name, s->bytes->data, s->bytes->len,
        WAY_RUNNING);

    fail_unless (d->stored.n > 0 && d->stored.worst == 0, "%s: off by %.0f",
        params.name, d->stored.worst);
    fail_unless (d->predicted.n > 0 || params.dual_prime);
    fail_unless (d->predicted.worst == 0, "%s, B: off by %.0f", params.name,
        d->predicted.worst);
    decoding_free (d);
    made_stream_free (s);
  }
}

GST_END_TEST;

#define COLUMNS 3
#define ROWS 4

/* Pictures one after the other, each as type (I, P, B), structure (f frame, t
 * top and b bottom field), what happens, and whether all is known that it may
 * refer to (+, ~ for some, or -). What happens:
 *   !  a macroblock is missing
 *   L  the frames are lost before it
 *   l  they are lost within it
 *   S  it has another size
 *   C  it has 4:2:2 chrominance
 *   H  it is higher than frames may be */
static const struct
{
  const gchar *what, *pictures;
} stories[] = {
  {"the start", "Bf- Pf- Bf- If+ Bf- Pf+ Bf+ Bf+ Pf+ Bf+"},
  {"I after I", "If+ Bf- If+ Bf+"},
  {"lost before B", "If+ Pf+ Bf+ BfL- Pf- Bf- If+ Bf- Pf+ Bf+"},
  {"lost before P", "If+ Pf+ PfL- Bf- Pf- Bf- If+ Bf- If+ Bf+"},
  {"lost before I", "If+ Pf+ IfL+ Bf- Pf+ Bf+"},
  {"lost within I", "If+ Pf+ Ifl+ Bf- Pf- If+ Bf- Pf+ Bf+"},
  {"lost within P", "If+ Pf+ Pfl+ Bf- Pf- If+ Bf- Pf+ Bf+"},
  {"lost within P, then I", "If+ Pf+ Pfl+ If+ Bf- Pf+ Bf+"},
  {"lost within B", "If+ Pf+ Bfl+ Bf- Pf- If+ Bf- Pf+ Bf+"},
  {"missing in I", "If+ If!+ Bf- Pf- Bf- If+ Bf- Pf+ Bf+"},
  {"missing in P", "If+ Pf!+ Bf- Pf- Bf- If+ Bf- Pf+ Bf+"},
  {"missing in B", "If+ Pf+ Bf!+ Bf+ Pf+ Bf+"},
  {"another size", "If+ Pf+ PfS- BfS- PfS- IfS+ BfS- PfS+ BfS+ Bf-"},
  {"another size from I on", "If+ Pf+ IfS+ BfS- PfS+ BfS+ Pf- Bf-"},
  {"another size of B", "If+ Pf+ Bf+ BfS-"},
  {"other chrominance from I on", "If+ Pf+ IfC+ BfC- PfC+ BfC+ Pf- Bf-"},
  {"other chrominance", "If+ Pf+ PfC- BfC- PfC- IfC+ BfC- PfC+ BfC+ Bf-"},
  {"too high", "If+ Pf+ IfH- BfH- PfH- Pf- Bf- If+ Bf- Pf+ Bf+"},
  {"fields", "It+ Ib+ Bt- Pt+ Pb+ Bt+ Bb+ Pb+ Pt+ Bb+ Bt+"},
  {"fields, bottom first", "Ib+ It+ Bb- Pb+ Pt+ Bb+ Bt+"},
  {"frames and fields", "If+ Pt+ Pb+ Bf+ Bt+ Bb+ Pf+ Bb+ Bt+ Bf+"},
  {"I and P field", "If+ It+ Pb+ Bt+ Bb+"},
  {"P field that refers to what is unknown", "It+ Pb~ Bt- Pt- If+ Bf-"},
  {"B between fields", "If+ Pf+ Pt+ Bt- Bf- Pb+ Bf+"},
  {"no second field", "If+ Pf+ Pt+ If+ Bf- Pf+ Bf+"},
  {"no second field, P", "If+ Pf+ Pt+ Pf- Bf- Pf- If+ Bf- Pf+ Bf+"},
  {"no second field of I", "It+ Pf- Bf- If+ Bf- Pf+ Bf+"},
  {"no second field, fields", "If+ Pf+ Pt+ It+ Ib+ Bf- Pt+ Pb+ Bf+"},
  {"a field twice", "If+ Pf+ Pt+ Pt- Pb- Bf- If+ Bf- Pf+ Bf+"},
  {"missing in the first field", "If+ Pf+ Pt!+ Pb- Bf- Pf- If+ Bf- Pf+ Bf+"},
  {"missing in the second field", "If+ Pf+ Pt+ Pb!+ Bf- Pf- If+ Bf- Pf+ Bf+"},
  {"I fields out of step", "It!+ Ib+ Pt~ Pb- Bt- It+ Ib+ Bt- Pt+ Pb+ Bt+"},
  {"lost between I fields", "It+ IbL+ It+ Bb- Pb+ Pt+ Bb+"},
  {"lost between fields", "If+ Pf+ Pt+ PbL- Bf- Pf- If+ Bf- Pf+ Bf+"},
};

static void
init_picture (M2vPictureParams * p, const gchar * picture)
{
  memset (p, 0, sizeof *p);
  p->mpeg2 = true;
  p->type = picture[0] == 'I' ? M2V_PICTURE_I : picture[0] == 'P'
      ? M2V_PICTURE_P : M2V_PICTURE_B;
  p->structure = picture[1] == 'f' ? M2V_FRAME_PICTURE : picture[1] == 't'
      ? M2V_TOP_FIELD : M2V_BOTTOM_FIELD;
  p->columns = picture[2] == 'S' ? COLUMNS + 2 : COLUMNS;
  p->rows = picture[1] == 'f' ? ROWS : ROWS / 2;
  if (picture[2] == 'H')
    p->rows = M2V_DRIFT_MAX_MACROBLOCKS / COLUMNS + 1;
  p->n_blocks = picture[2] == 'C' ? 8 : 6;
}

/* All but one: of P, every other one is skipped. */
static void
put_macroblocks (M2vSourceFrames * f, const M2vLevels * levels, guint missing)
{
  const M2vPictureParams *p = levels->picture;
  static M2vMacroblock mb;

  for (guint i = 0; i < p->columns * p->rows; i++) {
    guint skips = p->type == M2V_PICTURE_P ? 2 : 1, column = i % p->columns;

    if (i == missing || column % skips != 0)
      continue;
    memset (&mb, 0, sizeof mb);
    mb.address = i;
    mb.type = p->type == M2V_PICTURE_I ? M2V_INTRA : M2V_FORWARD;
    mb.motion = p->type == M2V_PICTURE_I ? 0 : m2v_implied_motion (p);
    mb.quantiser = 1;
    mb.n_skipped = column > 0 && i - 1 != missing ? skips - 1 : 0;
    m2v_source_frames_macroblock (f, levels, &mb);
  }
}

static void
tell_picture (M2vSourceFrames * f, const gchar * picture, guint missing,
    const gchar * what)
{
  static const M2vRounding rounding;
  static M2vPictureParams p;
  static M2vLevels levels;
  gchar known = picture[2 + (strchr ("+~-", picture[2]) == NULL)];

  init_picture (&p, picture);
  m2v_levels_init (&levels, f->loop.kernels, &p, NULL, &rounding, NULL);
  if (picture[2] == 'L')
    m2v_source_frames_lost (f);
  fail_unless (m2v_source_frames_begin (f, &p, TRUE) == (known != '-'),
      "%s: %s", what, picture);
  fail_unless (known == '-' || m2v_source_frames_know_all (f) == (known == '+'),
      "%s: %s", what, picture);
  if (picture[2] == 'l')
    m2v_source_frames_lost (f);
  put_macroblocks (f, &levels, picture[2] == '!'
      ? missing % (p.columns * p.rows) : G_MAXUINT);
  m2v_source_frames_end (f);
}

/* Each macroblock may be the one that is missing. */
GST_START_TEST (test_known)
{
  gchar **pictures = g_strsplit (stories[__i__].pictures, " ", -1);

  for (guint missing = 0; missing < COLUMNS * ROWS; missing++) {
    M2vSourceFrames f;

    m2v_source_frames_init (&f, m2v_kernels_best ());
    for (guint i = 0; pictures[i] != NULL; i++)
      tell_picture (&f, pictures[i], missing, stories[__i__].what);
    m2v_source_frames_free (&f);
    /* They may be freed twice. */
    m2v_source_frames_free (&f);
  }
  g_strfreev (pictures);
}

GST_END_TEST;

static Suite *
sourceframes_suite (void)
{
  Suite *s = suite_create ("mpeg2requantize-sourceframes");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 900);
  tcase_add_loop_test (tc, test_real, FALSE, TRUE + 1);
  tcase_add_loop_test (tc, test_made, 0, MADE_N_STRUCTURES);
  tcase_add_loop_test (tc, test_exact, 0, MADE_N_STRUCTURES);
  tcase_add_loop_test (tc, test_known, 0, G_N_ELEMENTS (stories));
  return s;
}

GST_CHECK_MAIN (sourceframes);
