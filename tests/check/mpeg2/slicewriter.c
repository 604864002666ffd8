/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Made streams: what was written is read again, and two decoders make the same
 * of it. And what cannot be written.
 */
#include "rewriting.h"

#include "madestream.h"

static const MadeStreamParams streams[] = {
  {.name = "MPEG-1",.width = 96,.height = 96},
  {.name = "MPEG-1, full samples, wide",.width = 704,.height = 48,
      .full_pel = TRUE,.f_code = 3},
  {.name = "MPEG-1, far vectors",.width = 352,.height = 288,.f_code = 7},
  {.name = "MPEG-1, any residual",.width = 96,.height = 96,.f_code = 2,
      .rough = TRUE,.matrices = TRUE},
  {.name = "progressive frames",.mpeg2 = TRUE,.width = 96,.height = 80,
        .chroma_format = 1,.frame_pred_frame_dct = TRUE,.dc_precision = 1,
      .f_code = 2},
  {.name = "interlaced frames",.mpeg2 = TRUE,.width = 112,.height = 96,
        .interlaced = TRUE,.chroma_format = 1,.concealment = TRUE,
      .q_scale_type = TRUE,.dc_precision = 2,.f_code = 4},
  {.name = "frames, dual prime",.mpeg2 = TRUE,.width = 112,.height = 96,
        .interlaced = TRUE,.chroma_format = 1,.dual_prime = TRUE,
      .dc_precision = 3,.f_code = 2},
  {.name = "fields",.mpeg2 = TRUE,.width = 96,.height = 128,
        .interlaced = TRUE,.chroma_format = 1,.field_pictures = TRUE,
      .q_scale_type = TRUE,.intra_vlc = TRUE,.f_code = 3},
  {.name = "fields, dual prime",.mpeg2 = TRUE,.width = 112,.height = 128,
        .interlaced = TRUE,.chroma_format = 1,.field_pictures = TRUE,
      .dual_prime = TRUE,.concealment = TRUE,.f_code = 2},
  {.name = "wide, matrices that change",.mpeg2 = TRUE,.width = 1280,
        .height = 32,.interlaced = TRUE,.chroma_format = 1,.matrices = TRUE,
      .f_code = 6},
  {.name = "high",.mpeg2 = TRUE,.width = 32,.height = 2848,
      .chroma_format = 1,.frame_pred_frame_dct = TRUE,.f_code = 2},
  {.name = "any residual",.mpeg2 = TRUE,.width = 112,.height = 96,
        .interlaced = TRUE,.chroma_format = 1,.q_scale_type = TRUE,
        .intra_vlc = TRUE,.alternate_scan = TRUE,.dc_precision = 1,
      .f_code = 2,.rough = TRUE},
  {.name = "fields, any residual",.mpeg2 = TRUE,.width = 112,.height = 96,
        .interlaced = TRUE,.chroma_format = 1,.field_pictures = TRUE,
      .matrices = TRUE,.f_code = 2,.rough = TRUE},
  {.name = "4:2:2",.mpeg2 = TRUE,.width = 112,.height = 96,
        .interlaced = TRUE,.chroma_format = 2,.intra_vlc = TRUE,
      .dc_precision = 2,.f_code = 3},
  {.name = "4:2:2 fields",.mpeg2 = TRUE,.width = 112,.height = 128,
        .interlaced = TRUE,.chroma_format = 2,.field_pictures = TRUE,
      .f_code = 2,.rough = TRUE},
};

#define N_SEEDS 4

/* All that says something, and no more. */
static void
assert_same_macroblock (const M2vPictureParams * p, const M2vMacroblock * a,
    const M2vMacroblock * b)
{
  fail_unless_equals_int (a->address, b->address);
  /* The writer may have added it. */
  fail_unless_equals_int (a->type | M2V_QUANT, b->type | M2V_QUANT);
  fail_unless (!(a->type & M2V_QUANT) || (b->type & M2V_QUANT));
  if (a->type & (M2V_INTRA | M2V_PATTERN))
    fail_unless_equals_int (a->quantiser, b->quantiser);
  fail_unless_equals_int (a->motion, b->motion);
  fail_unless_equals_int (a->field_dct, b->field_dct);
  fail_unless_equals_int (a->pattern, b->pattern);
  fail_unless_equals_int (a->n_stuffing, b->n_stuffing);
  for (guint s = 0; s < 2; s++) {
    gboolean there = s == 1 ? a->type & M2V_BACKWARD
        : a->motion != 0 && (a->type != M2V_BACKWARD)
        && !(a->type & M2V_BACKWARD && !(a->type & M2V_FORWARD));

    for (guint r = 0; there && r < m2v_vector_count (p, a->motion); r++) {
      const M2vVector *v = &a->vectors[r][s], *w = &b->vectors[r][s];

      fail_unless (memcmp (v->vector, w->vector, sizeof v->vector) == 0);
      if (a->motion == M2V_MOTION_DUAL_PRIME)
        fail_unless (memcmp (v->dmvector, w->dmvector, 2) == 0);
      if (m2v_has_field_select (p, a->motion))
        fail_unless (v->bottom == w->bottom);
    }
  }
  for (guint i = 0; i < p->n_blocks; i++) {
    fail_unless_equals_int (a->n_coefficients[i], b->n_coefficients[i]);
    fail_unless (!(a->type & M2V_INTRA) || a->dc[i] == b->dc[i]);
    fail_unless (memcmp (a->coefficients[i], b->coefficients[i],
            a->n_coefficients[i] * sizeof (M2vCoefficient)) == 0);
  }
}

typedef struct
{
  const MadeStream *stream;
  guint n;
} Comparison;

static RewriteWay
compare (gpointer data, const M2vSliceWriter * w, M2vMacroblock * mb)
{
  Comparison *c = data;

  fail_unless (c->n < c->stream->macroblocks->len);
  assert_same_macroblock (w->picture,
      &g_array_index (c->stream->macroblocks, M2vMacroblock, c->n), mb);
  c->n++;
  return REWRITE_PUT;
}

GST_START_TEST (test_read_again)
{
  m2v_vlc_init (&rewrite_vlc);
  for (guint seed = 0; seed < N_SEEDS; seed++) {
    MadeStream *s = made_stream_new (&streams[__i__], seed);
    Comparison c = { s, 0 };
    const Rewrite how = {.macroblock = compare,.data = &c };
    GByteArray *again = rewrite (s->bytes->data, s->bytes->len, &how);

    GST_INFO ("%s", streams[__i__].name);
    fail_unless_equals_int (c.n, s->macroblocks->len);
    assert_same_bytes (again, s->bytes->data, s->bytes->len);
    g_byte_array_unref (again);
    made_stream_free (s);
  }
}

GST_END_TEST;

/* What mpeg2dec puts out. */
static guint8 *
decode_pgm (const GByteArray * bytes, gsize * size)
{
  gchar *directory = g_dir_make_tmp ("mpeg-check-XXXXXX", NULL), *samples;
  gchar *in = g_build_filename (directory, "in", NULL);
  gchar *out = g_build_filename (directory, "out", NULL);
  gchar *log = g_build_filename (directory, "log", NULL);
  const gchar *argv[] = { "sh", "-c",
    "mpeg2dec -o pgmpipe in > out 2> log", NULL
  };
  gint status;

  fail_unless (g_file_set_contents (in, (const gchar *) bytes->data,
          bytes->len, NULL));
  fail_unless (g_spawn_sync (directory, (gchar **) argv, NULL,
          G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, NULL));
  fail_unless_equals_int (status, 0);
  fail_unless (g_file_get_contents (out, &samples, size, NULL));
  g_unlink (in);
  g_unlink (out);
  g_unlink (log);
  g_rmdir (directory);
  g_free (in);
  g_free (out);
  g_free (log);
  g_free (directory);
  return (guint8 *) samples;
}

/* FFmpeg's frames one behind the other. */
static guint8 *
decode_planes (const GByteArray * bytes, gsize * size)
{
  GByteArray *samples = g_byte_array_new ();

  fail_unless (avdecode (bytes->data, bytes->len, NULL, avdecode_add_samples,
          samples));
  *size = samples->len;
  return g_byte_array_free (samples, FALSE);
}

/* mpeg2dec's pictures have chrominance below luminance, side by side. */
static void
from_pgm (guint8 * samples, gsize * size, guint width, guint height)
{
  guint8 *from = samples, *to = samples, *end = samples + *size;
  gsize picture = (gsize) width * height;
  guint8 *chroma = g_malloc (picture / 2);

  while (from < end) {
    for (guint lines = 0; lines < 3; from++)
      lines += *from == '\n';
    memcpy (chroma, from + picture, picture / 2);
    memmove (to, from, picture);
    to += picture;
    for (guint c = 0; c < 2; c++) {
      for (guint y = 0; y < height / 2; y++, to += width / 2)
        memcpy (to, chroma + y * width + c * width / 2, width / 2);
    }
    from += picture + picture / 2;
  }
  *size = to - samples;
  g_free (chroma);
}

/* The first samples that differ; rough streams may by what inverse transforms
 * differ in. */
static void
assert_same_samples (const MadeStreamParams * params, const guint8 * a,
    const guint8 * b, gsize size)
{
  gsize first = size;
  gdouble sum = 0;

  for (gsize i = 0; i < size; i++) {
    if (first == size && a[i] != b[i])
      first = i;
    sum += ABS (a[i] - b[i]);
  }
  fail_if (!params->rough && first < size, "frame %" G_GSIZE_FORMAT
      " differs", first / (params->width * params->height * 3 / 2));
  fail_unless (sum / size < 0.5, "%f a sample", sum / size);
}

GST_START_TEST (test_decoded)
{
  const MadeStreamParams *params = &streams[__i__];

  for (guint seed = 0; seed < N_SEEDS; seed++) {
    MadeStream *s = made_stream_new (params, seed);
    guint frame = params->width * params->height * 2;
    guint8 *samples[N_DECODERS] = { NULL };
    gsize sizes[N_DECODERS];

    if (params->chroma_format < 2)
      frame = params->width * params->height * 3 / 2;
    for (Decoder decoder = 0; decoder < N_DECODERS; decoder++) {
      /* mpeg2dec has no output for 4:2:2. */
      if (!decoder_present (decoder)
          || (decoder == DECODER_MPEG2DEC && params->chroma_format == 2))
        continue;
      if (decoder == DECODER_MPEG2DEC) {
        samples[decoder] = decode_pgm (s->bytes, &sizes[decoder]);
        from_pgm (samples[decoder], &sizes[decoder], params->width,
            params->height);
      } else {
        samples[decoder] = decode_planes (s->bytes, &sizes[decoder]);
      }
      fail_unless_equals_uint64 (sizes[decoder], frame * s->n_frames);
    }
    if (samples[0] && samples[1])
      assert_same_samples (params, samples[0], samples[1], sizes[0]);
    for (Decoder decoder = 0; decoder < N_DECODERS; decoder++)
      g_free (samples[decoder]);
    made_stream_free (s);
  }
}

GST_END_TEST;

/* A picture of one kind, and a macroblock of it that can be written. */
typedef struct
{
  M2vPictureParams p;
  M2vMacroblock mb;
} Sample;

static void
init_sample (Sample * s, M2vPictureType type, gboolean mpeg2)
{
  memset (s, 0, sizeof *s);
  s->p.mpeg2 = mpeg2;
  s->p.type = type;
  s->p.structure = M2V_FRAME_PICTURE;
  s->p.columns = s->p.rows = 4;
  s->p.n_blocks = 6;
  s->p.f_code[0][0] = s->p.f_code[0][1] = 2;
  s->p.frame_pred_frame_dct = !mpeg2;
  s->mb.quantiser = 3;
  s->mb.motion = M2V_MOTION_FRAME;
  s->mb.type = M2V_FORWARD | M2V_PATTERN;
  s->mb.pattern = 1 << 5;
  s->mb.n_coefficients[5] = 2;
  s->mb.coefficients[5][0].level = -1;
  s->mb.coefficients[5][1].level = 2;
  s->mb.coefficients[5][1].position = 63;
  if (type != M2V_PICTURE_I)
    return;
  s->mb.type = M2V_INTRA;
  s->mb.motion = 0;
  s->mb.coefficients[5][0].position = 1;
}

/* Whether it can be written, as the second of a slice. */
static gboolean
write_sample (const Sample * s, guint capacity)
{
  const M2vSlice slice = { 0 };
  guint8 *out = g_malloc (capacity);
  M2vSliceWriter w;
  Sample first;
  gsize size;

  init_sample (&first, s->p.type, s->p.mpeg2);
  m2v_slice_writer_init (&w, &s->p, &rewrite_vlc, out, capacity);
  m2v_slice_writer_begin (&w, &slice, 1);
  m2v_slice_writer_put (&w, &first.mb);
  m2v_slice_writer_put (&w, &s->mb);
  m2v_slice_writer_end (&w, 0);
  size = m2v_slice_writer_finish (&w);
  fail_unless ((size == 0) == w.error);
  fail_unless (size + M2V_SLICE_WRITER_RESERVE <= capacity || size == 0);
  g_free (out);
  return size > 0;
}

/* Writes an int into a member at an offset, as its own type. */
#define CASE(kind, is2, field, good, bad) { \
    M2V_PICTURE_##kind, is2, #field, good, bad, \
    G_STRUCT_OFFSET (Sample, field), sizeof (((Sample *) 0)->field) }

static const struct
{
  M2vPictureType type;
  gboolean mpeg2;
  const gchar *what;
  gint good, bad;
  gsize offset, size;
} cases[] = {
  CASE (P, TRUE, mb.coefficients[5][0].level, -2047, 0),
  CASE (P, TRUE, mb.coefficients[5][0].level, 2047, 2048),
  CASE (P, TRUE, mb.coefficients[5][0].level, 2047, -2048),
  CASE (P, FALSE, mb.coefficients[5][0].level, 255, 256),
  CASE (P, FALSE, mb.coefficients[5][0].level, -255, -256),
  CASE (P, TRUE, mb.coefficients[5][1].position, 1, 0),
  CASE (P, TRUE, mb.coefficients[5][1].position, 63, 64),
  CASE (I, TRUE, mb.coefficients[5][0].position, 2, 0),
  CASE (P, TRUE, mb.n_coefficients[5], 1, 0),
  CASE (P, TRUE, mb.n_coefficients[5], 2, 65),
  CASE (P, TRUE, mb.pattern, 1 << 5, 0),
  CASE (P, TRUE, mb.pattern, 1 << 5, 1 << 4),
  CASE (P, TRUE, mb.type, M2V_FORWARD, M2V_FORWARD | M2V_BACKWARD),
  CASE (P, TRUE, mb.type, M2V_PATTERN, 0),
  CASE (P, TRUE, mb.type, M2V_PATTERN, 64),
  CASE (P, TRUE, mb.quantiser, 31, 32),
  CASE (P, TRUE, mb.quantiser, 1, 0),
  CASE (P, TRUE, mb.motion, M2V_MOTION_FIELD, 0),
  CASE (P, TRUE, mb.motion, M2V_MOTION_DUAL_PRIME, 4),
  CASE (B, TRUE, mb.motion, M2V_MOTION_FIELD, M2V_MOTION_DUAL_PRIME),
  CASE (P, FALSE, mb.motion, M2V_MOTION_FRAME, M2V_MOTION_FIELD),
  CASE (P, FALSE, mb.field_dct, 0, 1),
  CASE (P, TRUE, mb.vectors[0][0].vector[0], 31, 32),
  CASE (P, TRUE, mb.vectors[0][0].vector[1], -32, -33),
  CASE (P, TRUE, p.f_code[0][1], 9, 0),
  CASE (I, TRUE, mb.dc[2], 255, 256),
  CASE (I, TRUE, mb.dc[2], 0, -1),
  CASE (I, TRUE, mb.motion, 0, M2V_MOTION_FRAME),
  CASE (P, TRUE, mb.address, 3, 0),
  CASE (P, TRUE, mb.address, 3, 4),
  CASE (P, FALSE, mb.address, 15, 16),
  CASE (I, TRUE, mb.address, 1, 2),
  CASE (B, TRUE, mb.address, 3, -1),
};

static void
set (Sample * s, gsize offset, gsize size, gint value)
{
  const gint8 byte = value;
  const gint16 word = value;
  const void *from = size == 1 ? (const void *) &byte
      : size == 2 ? (const void *) &word : (const void *) &value;

  memcpy ((guint8 *) s + offset, from, size);
}

GST_START_TEST (test_unwritable)
{
  m2v_vlc_init (&rewrite_vlc);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Sample s;

    init_sample (&s, cases[i].type, cases[i].mpeg2);
    s.mb.address = 1;
    set (&s, cases[i].offset, cases[i].size, cases[i].good);
    fail_unless (write_sample (&s, 4096), "%s: %d", cases[i].what,
        cases[i].good);
    set (&s, cases[i].offset, cases[i].size, cases[i].bad);
    fail_if (write_sample (&s, 4096), "%s: %d", cases[i].what, cases[i].bad);
  }
}

GST_END_TEST;

/* Every level that there is, in every form, at several runs. */
GST_START_TEST (test_levels)
{
  static const guint8 positions[] = { 0, 1, 30, 32, 63 };

  m2v_vlc_init (&rewrite_vlc);
  for (gint i = -2047; i <= 2047; i++) {
    for (guint mpeg2 = ABS (i) > 255; mpeg2 < 2 && i != 0; mpeg2++) {
      for (guint k = 0; k < 3 * G_N_ELEMENTS (positions); k++) {
        const M2vSlice slice = { 0 };
        guint8 out[4096];
        M2vSliceWriter w;
        M2vSliceReader r;
        M2vMacroblock mb;
        Sample s;
        gsize size;

        init_sample (&s, M2V_PICTURE_P, mpeg2);
        s.mb.n_coefficients[5] = 1;
        s.mb.coefficients[5][0].level = i;
        s.mb.coefficients[5][0].position = positions[k / 3];
        s.mb.coefficients[5][0].form = k % 3;
        m2v_slice_writer_init (&w, &s.p, &rewrite_vlc, out, sizeof out);
        m2v_slice_writer_begin (&w, &slice, 3);
        m2v_slice_writer_put (&w, &s.mb);
        m2v_slice_writer_end (&w, 0);
        size = m2v_slice_writer_finish (&w);
        if (size == 0
            || !m2v_slice_reader_begin (&r, &s.p, &rewrite_vlc, out, size)
            || !m2v_slice_reader_next (&r, &mb)
            || mb.n_coefficients[5] != 1 || mb.coefficients[5][0].level != i
            || mb.coefficients[5][0].position != positions[k / 3])
          fail ("level %d of MPEG-%u", i, mpeg2 + 1);
      }
    }
  }
}

GST_END_TEST;

/* Two ways lead to the range's lower end: the one wished for is taken. */
GST_START_TEST (test_two_deltas)
{
  static const struct
  {
    gboolean canonical;
    gint wish, delta;
  } ways[] = { {FALSE, 32, 32}, {FALSE, -32, -32}, {FALSE, 5, -32},
  {TRUE, 32, -32}
  };

  m2v_vlc_init (&rewrite_vlc);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    const M2vSlice slice = { 0 };
    guint8 out[4096];
    M2vSliceWriter w;
    M2vSliceReader r;
    M2vMacroblock mb;
    Sample s;

    init_sample (&s, M2V_PICTURE_P, TRUE);
    s.mb.vectors[0][0].vector[1] = -32;
    s.mb.vectors[0][0].delta[1] = ways[i].wish;
    m2v_slice_writer_init (&w, &s.p, &rewrite_vlc, out, sizeof out);
    w.canonical = ways[i].canonical;
    m2v_slice_writer_begin (&w, &slice, 3);
    m2v_slice_writer_put (&w, &s.mb);
    m2v_slice_writer_end (&w, 0);
    fail_unless (m2v_slice_reader_begin (&r, &s.p, &rewrite_vlc, out,
            m2v_slice_writer_finish (&w)));
    fail_unless (m2v_slice_reader_next (&r, &mb));
    fail_unless_equals_int (mb.vectors[0][0].vector[1], -32);
    fail_unless_equals_int (mb.vectors[0][0].delta[1], ways[i].delta);
  }
}

GST_END_TEST;

/* What stays of a macroblock without coefficients. */
GST_START_TEST (test_empty)
{
  for (guint i = 0; i < 12; i++) {
    const guint8 types[] = { M2V_PATTERN, M2V_FORWARD | M2V_PATTERN,
      M2V_BACKWARD | M2V_PATTERN | M2V_QUANT, M2V_INTRA
    };
    Sample s, before;

    init_sample (&s, M2V_PICTURE_P, TRUE);
    s.p.structure = M2V_TOP_FIELD + i / 4;
    s.mb.type = types[i % 4];
    s.mb.motion = M2V_MOTION_DUAL_PRIME;
    s.mb.field_dct = TRUE;
    s.mb.vectors[0][0].vector[0] = 5;
    before = s;
    m2v_macroblock_empty (&s.p, &s.mb);
    if (s.mb.type == M2V_INTRA) {
      fail_unless (memcmp (&s, &before, sizeof s) == 0);
      continue;
    }
    fail_unless (s.mb.pattern == 0 && !s.mb.field_dct
        && s.mb.n_coefficients[5] == 0);
    fail_unless_equals_int (s.mb.type, i % 4 == 2 ? M2V_BACKWARD : M2V_FORWARD);
    if (i % 4 != 0) {
      fail_unless (memcmp (s.mb.vectors, before.mb.vectors,
              sizeof s.mb.vectors) == 0);
      fail_unless_equals_int (s.mb.motion, M2V_MOTION_DUAL_PRIME);
      continue;
    }
    /* "No MC" is zero, from the same parity. */
    fail_unless_equals_int (s.mb.vectors[0][0].vector[0], 0);
    fail_unless (s.mb.vectors[0][0].bottom == (i / 4 == 1));
    fail_unless_equals_int (s.mb.motion, i / 4 == 2 ? M2V_MOTION_FRAME
        : M2V_MOTION_FIELD);
  }
}

GST_END_TEST;

GST_START_TEST (test_no_room)
{
  guint n = 0;
  Sample s;

  m2v_vlc_init (&rewrite_vlc);
  init_sample (&s, M2V_PICTURE_P, FALSE);
  s.mb.address = 1;
  s.mb.n_stuffing = 300;
  for (guint capacity = 0; capacity < 4096; capacity++)
    n += write_sample (&s, capacity);
  fail_unless (n > 0 && n < 4096 - M2V_SLICE_WRITER_RESERVE);
}

GST_END_TEST;

/* Slices of nothing, of other rows, with other quantisers. */
GST_START_TEST (test_bad_slices)
{
  static const struct
  {
    guint row, quantiser;
    gboolean filled, good;
  } slices[] = {
    {0, 1, TRUE, TRUE}, {0, 31, TRUE, TRUE}, {0, 0, TRUE, FALSE},
    {0, 32, TRUE, FALSE}, {0, 1, FALSE, FALSE}, {4, 1, TRUE, FALSE}
  };

  m2v_vlc_init (&rewrite_vlc);
  for (guint i = 0; i < G_N_ELEMENTS (slices); i++) {
    const M2vSlice slice = {.row = slices[i].row };
    guint8 out[4096];
    M2vSliceWriter w;
    Sample s;

    init_sample (&s, M2V_PICTURE_P, TRUE);
    s.mb.address = slices[i].row * 4;
    m2v_slice_writer_init (&w, &s.p, &rewrite_vlc, out, sizeof out);
    m2v_slice_writer_begin (&w, &slice, slices[i].quantiser);
    if (slices[i].filled)
      m2v_slice_writer_put (&w, &s.mb);
    m2v_slice_writer_end (&w, 0);
    fail_unless ((m2v_slice_writer_finish (&w) > 0) == slices[i].good);
  }
}

GST_END_TEST;

static Suite *
slicewriter_suite (void)
{
  Suite *s = suite_create ("mpeg2-slicewriter");
  TCase *tc = tcase_create ("made");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_read_again, 0, G_N_ELEMENTS (streams));
  tcase_add_loop_test (tc, test_decoded, 0, G_N_ELEMENTS (streams));
  tcase_add_test (tc, test_unwritable);
  tcase_add_test (tc, test_levels);
  tcase_add_test (tc, test_two_deltas);
  tcase_add_test (tc, test_empty);
  tcase_add_test (tc, test_no_room);
  tcase_add_test (tc, test_bad_slices);
  return s;
}

GST_CHECK_MAIN (slicewriter);
