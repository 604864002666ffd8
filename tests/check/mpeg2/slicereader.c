/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Slices bit by bit: what is forbidden is an error, and what is cut short, and
 * what is right is not.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include <mpeg2/blockreader.h>
#include <mpeg2/slicereader.h>
#include "madestream.h"

/* quantiser_scale_code 8, no extra_bit_slice. */
#define HEADER "01000 0 "

/* Intra blocks with DC difference 0 and no coefficients. */
#define LUMA "100 10 "
#define CHROMA "00 10 "
#define BLOCKS LUMA LUMA LUMA LUMA CHROMA CHROMA
#define BLOCKS_422 BLOCKS CHROMA CHROMA
#define INTRA_I "1 " BLOCKS
#define INTRA_P "00011 " BLOCKS

/* Table B.14, as they stand there. */
#define ESCAPE "000001 "

typedef enum
{
  MPEG1,
  MPEG2,
  INTERLACED,                   /* not frame_pred_frame_dct */
  CONCEALED,
  FIELD,
  YUV422,
  HIGH,
  LARGE                         /* MPEG-1 */
} Kind;

typedef struct
{
  const gchar *what;
  Kind kind;
  M2vPictureType type;
  const gchar *bits;
  gint n;                       /* macroblocks; -1: an error */
} Row;

#define I M2V_PICTURE_I
#define P M2V_PICTURE_P
#define B M2V_PICTURE_B

/* Pictures are two macroblocks across, two down. */
static const Row rows[] = {
  {"two of them", MPEG2, I, HEADER "1 " INTRA_I "1 " INTRA_I, 2},
  {"4:2:2", YUV422, I, HEADER "1 1 " BLOCKS_422 "1 1 " BLOCKS_422, 2},
  {"a block is missing", YUV422, I, HEADER "1 1 " BLOCKS, -1},
  {"information", MPEG2, I, "01000 1 10101010 1 11111111 0 1 " INTRA_I, 1},
  {"information without end", MPEG2, I, "01000 1 10101010 1 11111111 1", -1},
  {"quantiser 0", MPEG2, I, "00000 0 1 " INTRA_I, -1},
  {"quantiser 0 later", MPEG2, I, HEADER "1 01 00000 " BLOCKS, -1},
  {"no macroblock", MPEG2, I, HEADER, -1},
  {"only the last of the row", MPEG2, I, HEADER "011 " INTRA_I, 1},
  {"beyond the row", MPEG2, I, HEADER "010 " INTRA_I, -1},
  {"beyond it later", MPEG2, I, HEADER "1 " INTRA_I "1 " INTRA_I "1 " INTRA_I,
      -1},
  {"across rows", MPEG1, I, HEADER "1 " INTRA_I "1 " INTRA_I "1 " INTRA_I, 3},
  {"beyond the picture", MPEG1, I, HEADER "00011 " INTRA_I, -1},
  {"far beyond", MPEG1, P, HEADER "00000001000 00000001000 1 " INTRA_P, -1},
  {"no such increment", MPEG2, I, HEADER "00000010111 " INTRA_I, -1},
  {"stuffing", MPEG1, I, HEADER "00000001111 00000001111 1 " INTRA_I, 1},
  {"stuffing in MPEG-2", MPEG2, I, HEADER "00000001111 1 " INTRA_I, -1},
  {"stuffing before escape", LARGE, P,
      HEADER "00000001111 00000001000 1 " INTRA_P, 1},
  {"stuffing behind escape", LARGE, P,
      HEADER "00000001000 00000001111 1 " INTRA_P, -1},
  {"stuffing alone", MPEG1, I, HEADER "1 " INTRA_I "00000001111", -1},
  {"skipped in I", MPEG1, I, HEADER "1 " INTRA_I "011 " INTRA_I, -1},
  {"skipped in P", MPEG1, P, HEADER "1 " INTRA_P "011 " INTRA_P, 2},
  {"skipped behind intra in B", MPEG1, B, HEADER "1 " INTRA_P "011 0010 1 1",
      -1},
  {"skipped in B", MPEG1, B, HEADER "1 0010 1 1 011 0010 1 1", 2},
  {"no such type in I", MPEG2, I, HEADER "1 00 " BLOCKS, -1},
  {"no such type in P", MPEG2, P, HEADER "1 000000 " BLOCKS, -1},
  {"cbp 0", MPEG2, P, HEADER "1 01 000000001 ", -1},
  {"cbp 0 in 4:2:2", YUV422, P, HEADER "1 01 000000001 01 1 0 10", 1},
  {"no such cbp", YUV422, P, HEADER "1 01 000000000 01 1 0 10", -1},
  {"no such motion_code", MPEG2, P, HEADER "1 001 00000010 1", -1},
  {"field motion", INTERLACED, P, HEADER "1 001 01 0 1 1 1 1 1", 1},
  {"motion_type 0", INTERLACED, P, HEADER "1 001 00 1 1 1 1 1", -1},
  {"dual prime", INTERLACED, P, HEADER "1 001 11 1 10 1 0", 1},
  {"dual prime in B", INTERLACED, B, HEADER "1 0010 11 1 10 1 0", -1},
  {"16x8", FIELD, P, HEADER "1 001 10 0 1 1 1 1 1", 1},
  {"concealment vectors", CONCEALED, I, HEADER "1 1 1 1 1 " BLOCKS, 1},
  {"their marker", CONCEALED, I, HEADER "1 1 1 1 0 " BLOCKS, -1},
  /* Backward has no f_code here. */
  {"f_code not in use", FIELD, B, HEADER "1 010 01 0 1 1", -1},
  {"up to 63", MPEG2, P, HEADER "1 01 1010 " ESCAPE "111111 000000000001 10",
      1},
  {"beyond 63", MPEG2, P,
      HEADER "1 01 1010 " ESCAPE "111111 000000000001 110 10", -1},
  {"far beyond 63", MPEG2, P, HEADER "1 01 1010 " ESCAPE
        "111111 000000000001 " ESCAPE "111111 000000000001 10", -1},
  {"intra up to 63", MPEG2, I, HEADER "1 1 100 " ESCAPE
        "111110 000000000001 10 " LUMA LUMA LUMA CHROMA CHROMA, 1},
  {"intra beyond 63", MPEG2, I, HEADER "1 1 100 " ESCAPE
        "111111 000000000001 10 " LUMA LUMA LUMA CHROMA CHROMA, -1},
  {"level 0", MPEG2, P, HEADER "1 01 1010 " ESCAPE "000000 000000000000 10",
      -1},
  {"level -2047", MPEG2, P, HEADER "1 01 1010 " ESCAPE
        "000000 100000000001 10", 1},
  {"level -2048", MPEG2, P, HEADER "1 01 1010 " ESCAPE
        "000000 100000000000 10", -1},
  {"level 127", MPEG1, P, HEADER "1 01 1010 " ESCAPE "000000 01111111 10", 1},
  {"level 255", MPEG1, P, HEADER "1 01 1010 " ESCAPE
        "000000 00000000 11111111 10", 1},
  {"level -255", MPEG1, P, HEADER "1 01 1010 " ESCAPE
        "000000 10000000 00000001 10", 1},
  {"level 0, long", MPEG1, P, HEADER "1 01 1010 " ESCAPE
        "000000 00000000 00000000 10", -1},
  {"level -256", MPEG1, P, HEADER "1 01 1010 " ESCAPE
        "000000 10000000 00000000 10", -1},
  {"no such coefficient", MPEG2, P, HEADER "1 01 1010 000000000000", -1},
  {"end of block first", MPEG2, P, HEADER "1 01 1010 0110 10", 1},
  /* From 128: 127 up, 128 down. */
  {"DC 255", MPEG2, I, HEADER "1 1 111110 1111111 10 "
        LUMA LUMA LUMA CHROMA CHROMA, 1},
  {"DC 256", MPEG2, I, HEADER "1 1 1111110 10000000 10 "
        LUMA LUMA LUMA CHROMA CHROMA, -1},
  {"DC 0", MPEG2, I, HEADER "1 1 1111110 01111111 10 "
        LUMA LUMA LUMA CHROMA CHROMA, 1},
  {"DC -1", MPEG2, I, HEADER "1 1 1111110 01111110 10 "
        LUMA LUMA LUMA CHROMA CHROMA, -1},
  {"zero bytes behind", MPEG2, I, HEADER "1 " INTRA_I
        "0000000 00000000 00000000 00000000 00000000", 1},
  {"something behind zeros", MPEG2, I, HEADER "1 " INTRA_I
        "0000000 00000000 00000000 00000000 00000010", -1},
  {"extended", HIGH, I, "000 " HEADER "1 " INTRA_I, 1},
  {"beyond the height", HIGH, I, "111 " HEADER "1 " INTRA_I, -1},
};

static M2vVlc vlc;

static void
setup (void)
{
  m2v_vlc_init (&vlc);
}

static void
init_picture (M2vPictureParams * p, const Row * row)
{
  memset (p, 0, sizeof *p);
  p->mpeg2 = row->kind != MPEG1 && row->kind != LARGE;
  p->type = row->type;
  p->structure = row->kind == FIELD ? M2V_TOP_FIELD : M2V_FRAME_PICTURE;
  p->columns = 2;
  p->rows = row->kind == HIGH ? 180 : row->kind == LARGE ? 20 : 2;
  p->extended = row->kind == HIGH;
  p->n_blocks = row->kind == YUV422 ? 8 : 6;
  p->f_code[0][0] = p->f_code[0][1] = 1;
  p->frame_pred_frame_dct = row->kind != INTERLACED;
  p->concealment_motion_vectors = row->kind == CONCEALED;
}

/* In memory of just its size. */
static guint8 *
slice_new (const gchar * bits, guint code, gsize * size)
{
  GByteArray *bytes = g_byte_array_new ();
  const guint8 start[] = { 0, 0, 1, code };
  guint8 byte = 0, n = 0;

  g_byte_array_append (bytes, start, sizeof start);
  for (; *bits != '\0' || n != 0; bits += *bits != '\0') {
    if (*bits == ' ')
      continue;
    byte = byte << 1 | (*bits == '1');
    if (++n == 8) {
      g_byte_array_append (bytes, &byte, 1);
      n = 0;
    }
  }
  *size = bytes->len;
  return g_realloc (g_byte_array_free (bytes, FALSE), *size);
}

/* The number of macroblocks, -1: an error. */
static gint
read_slice (const M2vPictureParams * p, const guint8 * data, gsize size)
{
  M2vMacroblock mb;
  M2vSliceReader r;
  gint n = 0;

  if (!m2v_slice_reader_begin (&r, p, &vlc, data, size)) {
    fail_unless (r.error);
    fail_if (m2v_slice_reader_next (&r, &mb));
    return -1;
  }
  while (m2v_slice_reader_next (&r, &mb)) {
    fail_unless (mb.first == (n == 0));
    fail_unless (mb.end <= size * 8 && mb.begin < mb.body && mb.body < mb.end);
    n++;
  }
  fail_if (m2v_slice_reader_next (&r, &mb));
  return r.error ? -1 : n;
}

GST_START_TEST (test_rows)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const Row *row = &rows[i];
    M2vPictureParams p;
    gsize size;
    guint8 *data = slice_new (row->bits, 1, &size);

    init_picture (&p, row);
    fail_unless (read_slice (&p, data, size) == row->n, "%s: %d", row->what,
        read_slice (&p, data, size));
    g_free (data);
  }
}

GST_END_TEST;

/* Cut short anywhere there is less, or an error, and nothing read behind. */
GST_START_TEST (test_cut_short)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const Row *row = &rows[i];
    M2vPictureParams p;
    gsize size;
    guint8 *data = slice_new (row->bits, 1, &size);

    init_picture (&p, row);
    for (gsize cut = 0; cut < size && row->n > 0; cut++) {
      guint8 *copy = g_memdup2 (data, MAX (cut, 1));
      gint n = read_slice (&p, copy, cut);

      fail_unless (n < row->n || data[cut] == 0, "%s, %" G_GSIZE_FORMAT,
          row->what, cut);
      g_free (copy);
    }
    g_free (data);
  }
}

GST_END_TEST;

/* A reader that stands before blocks. */
static guint8 *
blocks_new (const gchar * bits, M2vSliceReader * r, M2vPictureParams * p)
{
  const Row row = { "", MPEG2, I, "", 0 };
  gsize size;
  guint8 *data = slice_new (bits, 1, &size);

  init_picture (p, &row);
  memset (r, 0, sizeof *r);
  r->picture = p;
  r->vlc = &vlc;
  m2v_prediction_reset (p, &r->prediction, 8);
  m2v_bit_reader_init (&r->bits, data, size);
  m2v_skip_bits (&r->bits, 32);
  return data;
}

/* Codes of table B.14: run 0 and level 1, as the first and a later one; run 1
 * and level -1; an escape. */
GST_START_TEST (test_blocks)
{
  M2vMacroblock mb = {.type = M2V_PATTERN,.pattern = 1 << 0 | 1 << 5 };
  M2vPictureParams p;
  M2vSliceReader r;
  guint8 *data = blocks_new ("1 0 110 0111 10 " ESCAPE "000010 111111111110 10 "
      "0110", &r, &p);

  mb.n_coefficients[1] = 9;
  fail_unless (m2v_read_blocks (&r, &mb));
  for (guint i = 0; i < 6; i++)
    fail_unless_equals_int (mb.n_coefficients[i], i == 0 ? 3 : i == 5);
  for (guint k = 0; k < 3; k++) {
    fail_unless_equals_int (mb.coefficients[0][k].level, k < 2 ? 1 : -1);
    fail_unless_equals_int (mb.coefficients[0][k].position, k < 2 ? k : 3);
  }
  fail_unless_equals_int (mb.coefficients[5][0].level, -2);
  fail_unless_equals_int (mb.coefficients[5][0].position, 2);
  fail_unless_equals_int (m2v_read_bits (&r.bits, 4), 6);
  g_free (data);
}

GST_END_TEST;

/* Tables B.12 and B.13: DC sizes 1 and 0 of luminance, 2 of chrominance; each
 * is a difference to the last of its component, the first to 128. */
GST_START_TEST (test_intra_blocks)
{
  static const gint dc[] = { 129, 129, 128, 128, 125, 130 };
  M2vMacroblock mb = {.type = M2V_INTRA };
  M2vPictureParams p;
  M2vSliceReader r;
  guint8 *data = blocks_new ("00 1 10 100 10 00 0 10 100 110 10 "
      "10 00 10 10 10 10", &r, &p);

  fail_unless (m2v_read_blocks (&r, &mb));
  for (guint i = 0; i < 6; i++) {
    fail_unless_equals_int (mb.dc[i], dc[i]);
    fail_unless_equals_int (mb.n_coefficients[i], i == 3);
  }
  fail_unless_equals_int (mb.coefficients[3][0].position, 1);
  g_free (data);
}

GST_END_TEST;

/* What skipped ones are predicted from (clause 7.6.6). */
GST_START_TEST (test_skipped)
{
  static const struct
  {
    Row row;
    guint type;
    gint16 vector[2];
  } skips[] = {
    {{"P", LARGE, P, HEADER "1 " INTRA_P "011 " INTRA_P, 2}, M2V_FORWARD,
        {0, 0}},
    {{"P behind a vector", LARGE, P, HEADER "1 001 010 011 011 " INTRA_P, 2},
        M2V_FORWARD, {0, 0}},
    {{"B", LARGE, B, HEADER "1 0010 010 011 011 " INTRA_P, 2}, M2V_FORWARD,
        {1, -1}},
  };

  for (guint i = 0; i < G_N_ELEMENTS (skips); i++) {
    M2vMacroblock mb;
    M2vSliceReader r;
    M2vPictureParams p;
    gsize size;
    guint8 *data = slice_new (skips[i].row.bits, 1, &size);

    init_picture (&p, &skips[i].row);
    fail_unless (m2v_slice_reader_begin (&r, &p, &vlc, data, size));
    fail_unless (m2v_slice_reader_next (&r, &mb));
    fail_unless (mb.n_skipped == 0 && !mb.last);
    fail_unless (m2v_slice_reader_next (&r, &mb));
    fail_unless (mb.n_skipped == 1 && mb.last && mb.address == 2);
    fail_unless_equals_int (mb.skipped_type, skips[i].type);
    fail_unless (memcmp (mb.skipped_vectors[0], skips[i].vector,
            sizeof skips[i].vector) == 0, "%s", skips[i].row.what);
    g_free (data);
  }
}

GST_END_TEST;

/* What is said behind each macroblock: n none is skipped, s some are, or there is
 * stuffing. */
static const struct
{
  Row row;
  const gchar *answers;
} neighbours[] = {
  {{"adjacent", MPEG2, I, HEADER "1 " INTRA_I "1 " INTRA_I, 2}, "nn"},
  {{"across rows", MPEG1, I, HEADER "1 " INTRA_I "1 " INTRA_I "1 " INTRA_I, 3},
      "nnn"},
  {{"zero bytes behind", MPEG2, I, HEADER "1 " INTRA_I
        "0000000 00000000 00000000 00000000", 1}, "n"},
  {{"one", MPEG1, P, HEADER "1 " INTRA_P "011 " INTRA_P, 2}, "sn"},
  {{"two", LARGE, P, HEADER "1 " INTRA_P "010 " INTRA_P "1 " INTRA_P, 3},
      "snn"},
  {{"in B", MPEG1, B, HEADER "1 0010 1 1 011 0010 1 1", 2}, "sn"},
  {{"as many as one code says", LARGE, P,
          HEADER "1 " INTRA_P "00000011000 " INTRA_P, 2}, "sn"},
  {{"by an escape", LARGE, P,
          HEADER "1 " INTRA_P "00000001000 1 " INTRA_P, 2}, "sn"},
  {{"the first of the slice is not", LARGE, P,
          HEADER "00000001000 1 " INTRA_P "1 " INTRA_P, 2}, "nn"},
  {{"stuffing before it", LARGE, P,
          HEADER "1 " INTRA_P "00000001111 011 " INTRA_P, 2}, "sn"},
  {{"stuffing and an escape", LARGE, P,
          HEADER "1 " INTRA_P "00000001111 00000001000 1 " INTRA_P, 2}, "sn"},
  {{"stuffing only", LARGE, P,
          HEADER "1 " INTRA_P "00000001111 1 " INTRA_P, 2}, "sn"},
};

/* And asking twice is as asking once. */
GST_START_TEST (test_neighbours)
{
  for (guint i = 0; i < G_N_ELEMENTS (neighbours); i++) {
    const Row *row = &neighbours[i].row;
    const gchar *answers = neighbours[i].answers;
    M2vMacroblock mb;
    M2vSliceReader r;
    M2vPictureParams p;
    gsize size;
    guint8 *data = slice_new (row->bits, 1, &size);

    init_picture (&p, row);
    fail_unless (m2v_slice_reader_begin (&r, &p, &vlc, data, size));
    for (; m2v_slice_reader_next (&r, &mb); answers++) {
      for (guint times = 0; times < 2; times++)
        fail_unless (m2v_slice_reader_skips_none (&r) == (*answers == 'n'),
            "%s: %s", row->what, answers);
    }
    fail_unless (*answers == '\0' && !r.error, "%s", row->what);
    fail_unless (m2v_slice_reader_skips_none (&r));
    g_free (data);
  }
}

GST_END_TEST;

/* How often the next macroblock was of each kind. */
typedef struct
{
  guint n_adjacent, n_skipped, n_escaped, n_last, n_stuffed;
} Answers;

static void
check_answer (Answers * a, gboolean none, const M2vMacroblock * mb,
    const M2vMacroblock * next)
{
  if (mb->last) {
    fail_unless (none);
    a->n_last++;
  } else if (next->n_skipped > 0) {
    fail_if (none);
    a->n_skipped++;
    a->n_escaped += next->n_skipped >= M2V_MAX_ADDRESS_INCREMENT;
  } else if (next->n_stuffing > 0) {
    a->n_stuffed++;
  } else {
    fail_unless (none);
    a->n_adjacent++;
  }
}

/* Two readers of one slice, of which only one is asked. */
static void
ask_slice (const M2vPictureParams * p, const guint8 * data, gsize size,
    Answers * answers)
{
  static M2vMacroblock mb, next;
  M2vSliceReader asked, plain;
  gboolean more;

  memset (&mb, 0, sizeof mb);
  memset (&next, 0, sizeof next);
  fail_unless (m2v_slice_reader_begin (&asked, p, &vlc, data, size));
  fail_unless (m2v_slice_reader_begin (&plain, p, &vlc, data, size));
  more = m2v_slice_reader_next (&plain, &next);
  fail_unless (more);
  while (m2v_slice_reader_next (&asked, &mb)) {
    gboolean none = m2v_slice_reader_skips_none (&asked);

    fail_unless (more && memcmp (&mb, &next, sizeof mb) == 0);
    more = m2v_slice_reader_next (&plain, &next);
    fail_unless (more == !mb.last);
    check_answer (answers, none, &mb, &next);
  }
  fail_unless (!more && !asked.error && !plain.error);
  fail_unless_equals_uint64 (asked.n_trailing, plain.n_trailing);
}

static void
ask_stream (const GByteArray * bytes, Answers * answers)
{
  M2vSplitter splitter;
  M2vPicture span;
  gsize position = 0;

  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, bytes->data, bytes->len, &position,
          &span)) {
    const guint8 *slices = bytes->data + span.begin + span.slices.offset;
    M2vPictureParams p;
    gsize from = 0;
    M2vRange range;

    if (span.kind != M2V_SPAN_PICTURE)
      continue;
    fail_unless (m2v_picture_params_init (&p, &splitter.sequence, &span));
    while (m2v_slices_next (slices, span.slices.size, &from, &range)) {
      if (m2v_is_slice (slices + range.offset, range.size))
        ask_slice (&p, slices + range.offset, range.size, answers);
    }
  }
}

GST_START_TEST (test_asked)
{
  Answers answers = { 0 };

  for (guint i = 0; i < MADE_N_STRUCTURES; i++) {
    MadeStream *s = made_stream_new (&made_structures[i], i);

    ask_stream (s->bytes, &answers);
    made_stream_free (s);
  }
  GST_INFO ("%u adjacent, %u skipped, %u escaped, %u last, %u stuffed",
      answers.n_adjacent, answers.n_skipped, answers.n_escaped,
      answers.n_last, answers.n_stuffed);
  fail_unless (answers.n_adjacent > 100 && answers.n_skipped > 100
      && answers.n_escaped > 0 && answers.n_last > 100
      && answers.n_stuffed > 0);
}

GST_END_TEST;

/* Start codes: those of the picture's rows. */
GST_START_TEST (test_vertical_position)
{
  static const struct
  {
    Kind kind;
    const gchar *bits;
    guint code;
    gint row;
  } positions[] = {
    {MPEG2, HEADER "1 " INTRA_I, 1, 0},
    {MPEG2, HEADER "1 " INTRA_I, 2, 1},
    {MPEG2, HEADER "1 " INTRA_I, 3, -1},
    {MPEG2, HEADER "1 " INTRA_I, 0xaf, -1},
    {MPEG2, HEADER "1 " INTRA_I, 0, -1},
    {MPEG2, HEADER "1 " INTRA_I, 0xb0, -1},
    {HIGH, "000 " HEADER "1 " INTRA_I, 128, 127},
    {HIGH, "001 " HEADER "1 " INTRA_I, 1, 128},
    {HIGH, "001 " HEADER "1 " INTRA_I, 52, 179},
    {HIGH, "001 " HEADER "1 " INTRA_I, 53, -1},
    {HIGH, "000 " HEADER "1 " INTRA_I, 129, -1},
  };

  for (guint i = 0; i < G_N_ELEMENTS (positions); i++) {
    const Row row = { "", positions[i].kind, I, "", 0 };
    M2vSliceReader r;
    M2vPictureParams p;
    gsize size;
    guint8 *data = slice_new (positions[i].bits, positions[i].code, &size);
    gboolean ok;

    init_picture (&p, &row);
    ok = m2v_slice_reader_begin (&r, &p, &vlc, data, size);
    fail_unless (ok == (positions[i].row >= 0), "%u", i);
    fail_unless (!ok || r.slice.row == (guint) positions[i].row);
    g_free (data);
  }
}

GST_END_TEST;

/* Pieces that put together give all, cut where start codes are. */
GST_START_TEST (test_slices)
{
  static const guint8 data[] = { 9, 9, 0, 0, 1, 1, 5, 0, 0, 0, 1, 2, 7, 0, 0, 1,
    0xb2, 0, 0, 0, 1
  };
  static const struct
  {
    gsize size;
    gboolean slice;
  } pieces[] = { {2, FALSE}, {6, TRUE}, {5, TRUE}, {8, FALSE} };
  gsize position = 0, end = 0;
  M2vRange range;
  guint n = 0;

  for (; m2v_slices_next (data, sizeof data, &position, &range); n++) {
    fail_unless (n < G_N_ELEMENTS (pieces));
    fail_unless_equals_uint64 (range.offset, end);
    fail_unless_equals_uint64 (range.size, pieces[n].size);
    fail_unless (m2v_is_slice (data + range.offset, range.size)
        == pieces[n].slice);
    end += range.size;
    fail_unless_equals_uint64 (position, end);
  }
  fail_unless_equals_uint64 (end, sizeof data);
}

GST_END_TEST;

/* What headers make of a picture (clauses 6.2.4, 6.3.3). */
static const struct
{
  gboolean mpeg2;
  guint width, height;
  gboolean progressive;
  guint chroma_format;
  M2vPictureType type;
  M2vStructure structure;
  guint f_code[2];              /* forward, backward */
  guint columns, rows, n_blocks;        /* 0: refused */
  gboolean extended;
} pictures[] = {
  {FALSE, 352, 288, TRUE, 1, P, 3, {1, 0}, 22, 18, 6, FALSE},
  {FALSE, 353, 289, TRUE, 1, P, 3, {7, 0}, 23, 19, 6, FALSE},
  {FALSE, 352, 288, TRUE, 1, P, 3, {0, 1}, 0, 0, 0, FALSE},
  {FALSE, 352, 288, TRUE, 1, B, 3, {1, 0}, 0, 0, 0, FALSE},
  {FALSE, 352, 288, TRUE, 1, I, 3, {0, 0}, 22, 18, 6, FALSE},
  {FALSE, 352, 288, TRUE, 1, M2V_PICTURE_D, 3, {0, 0}, 0, 0, 0, FALSE},
  {FALSE, 32, 2816, TRUE, 1, I, 3, {0, 0}, 2, 176, 6, FALSE},
  {TRUE, 1920, 1080, TRUE, 1, I, 3, {15, 15}, 120, 68, 6, FALSE},
  {TRUE, 720, 72, FALSE, 1, P, 3, {9, 15}, 45, 6, 6, FALSE},
  {TRUE, 720, 72, FALSE, 2, P, 1, {9, 15}, 45, 3, 8, FALSE},
  {TRUE, 720, 72, TRUE, 2, P, 1, {9, 15}, 0, 0, 0, FALSE},
  {TRUE, 720, 72, TRUE, 1, P, 3, {9, 15}, 45, 5, 6, FALSE},
  {TRUE, 720, 72, TRUE, 3, P, 3, {9, 15}, 0, 0, 0, FALSE},
  {TRUE, 720, 72, TRUE, 1, P, 3, {10, 1}, 0, 0, 0, FALSE},
  {TRUE, 720, 72, TRUE, 1, B, 3, {1, 15}, 0, 0, 0, FALSE},
  {TRUE, 32, 2800, TRUE, 1, I, 3, {15, 15}, 2, 175, 6, FALSE},
  {TRUE, 32, 2801, TRUE, 1, I, 3, {15, 15}, 2, 176, 6, TRUE},
};

GST_START_TEST (test_pictures)
{
  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++) {
    M2vSequence sequence = {.mpeg2 = pictures[i].mpeg2,
      .width = pictures[i].width,.height = pictures[i].height,
      .progressive = pictures[i].progressive,
      .chroma_format = pictures[i].chroma_format
    };
    M2vPicture picture = {.mpeg2 = pictures[i].mpeg2 };
    M2vPictureParams p;

    picture.header.type = pictures[i].type;
    m2v_picture_coding_init (&picture.coding);
    picture.coding.structure = pictures[i].structure;
    for (guint s = 0; s < 2; s++) {
      picture.header.f_code[s] = pictures[i].f_code[s];
      picture.coding.f_code[s][0] = picture.coding.f_code[s][1] =
          pictures[i].f_code[s];
    }
    fail_unless (m2v_picture_params_init (&p, &sequence, &picture)
        == (pictures[i].columns > 0), "%u", i);
    if (pictures[i].columns > 0)
      fail_unless (p.columns == pictures[i].columns
          && p.rows == pictures[i].rows && p.n_blocks == pictures[i].n_blocks
          && p.extended == pictures[i].extended, "%u", i);
    sequence.mpeg2 = !sequence.mpeg2;
    fail_if (m2v_picture_params_init (&p, &sequence, &picture));
  }
}

GST_END_TEST;

/* Table 7-6. */
GST_START_TEST (test_quantiser_scale)
{
  static const guint8 scales[] = { 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18,
    20, 22, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 72, 80, 88, 96, 104, 112
  };
  M2vPictureParams p = { 0 };

  for (guint code = 1; code <= 31; code++) {
    p.q_scale_type = FALSE;
    fail_unless_equals_int (m2v_quantiser_scale (&p, code), 2 * code);
    p.q_scale_type = TRUE;
    fail_unless_equals_int (m2v_quantiser_scale (&p, code), scales[code - 1]);
  }
}

GST_END_TEST;

static Suite *
slicereader_suite (void)
{
  Suite *s = suite_create ("mpeg2-slicereader");
  TCase *tc = tcase_create ("bits");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, test_rows);
  tcase_add_test (tc, test_cut_short);
  tcase_add_test (tc, test_blocks);
  tcase_add_test (tc, test_intra_blocks);
  tcase_add_test (tc, test_skipped);
  tcase_add_test (tc, test_neighbours);
  tcase_add_test (tc, test_asked);
  tcase_add_test (tc, test_vertical_position);
  tcase_add_test (tc, test_slices);
  tcase_add_test (tc, test_pictures);
  tcase_add_test (tc, test_quantiser_scale);
  return s;
}

GST_CHECK_MAIN (slicereader);
