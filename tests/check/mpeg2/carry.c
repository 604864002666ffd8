/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "decoding.h"

#include <mpeg2/carry.h>
#include "headerwriter.h"
#include <mpeg2/tracker.h>
#include <startcode/startcode.h>

/* --- streams as words, one a buffer, in coded order ---
 *
 * Before the word: '-' the frame is dropped; '*' the sequence header is to be
 * repeated. Then
 *   S0..S9   sequence header with its extension; 0: default matrices, else an
 *            intra matrix of that number
 *   U, V     user data of 8 and of 700 bytes
 *   W        an extension of 300 bytes
 *   Z        1000 zeros
 *   G        group header
 *   I P B D  picture header to slice; with '/' before it, the second field
 *   X        a picture without slice
 *   Q        quant_matrix_extension of the picture before it, of i1..i9 and
 *            n1..n9; 0: the default matrix; I, N: for chrominance
 *   E        sequence_end_code
 */

#define SHORT_DATA 8
#define LONG_DATA 700
#define EXTENSION_DATA 300
#define N_ZEROS 1000

static void
fill_matrix (guint8 matrix[64], gboolean intra, guint number)
{
  M2vMatrices m;

  m2v_matrices_init (&m);
  if (number > 0)
    memset (matrix, 20 + number, 64);
  else
    memcpy (matrix, m.matrix[intra ? M2V_MATRIX_INTRA :
            M2V_MATRIX_NON_INTRA], 64);
}

static guint
matrix_number (const guint8 * matrix)
{
  return matrix[63] == 83 || matrix[63] == 16 ? 0 : matrix[63] - 20;
}

static void
build_sequence (HeaderWriter * w, gboolean mpeg2, guint number)
{
  SequenceFields f = default_sequence;
  SequenceExtensionFields x = default_sequence_extension;
  guint8 matrix[64];

  f.bit_rate = 1000 + number;
  fill_matrix (matrix, TRUE, number);
  if (number > 0)
    f.intra = matrix;
  write_sequence (w, &f);
  if (mpeg2)
    write_sequence_extension (w, &x);
}

static void
build_filled (HeaderWriter * w, guint code, guint byte, guint size)
{
  m2v_write_start_code (&w->bits, code);
  for (guint i = 4; i < size; i++)
    m2v_write_bits (&w->bits, byte, 8);
}

static const gchar *
build_quant_matrix (HeaderWriter * w, const gchar * word)
{
  static const gchar letters[] = "inIN";

  m2v_write_start_code (&w->bits, M2V_CODE_EXTENSION);
  m2v_write_bits (&w->bits, M2V_EXTENSION_QUANT_MATRIX, 4);
  for (guint i = 0; i < 4; i++) {
    guint8 matrix[64];

    if (*word != letters[i]) {
      m2v_write_bits (&w->bits, 0, 1);
      continue;
    }
    fill_matrix (matrix, i % 2 == 0, word[1] - '0');
    write_matrix (w, matrix);
    word += 2;
  }
  m2v_write_align (&w->bits);
  return word;
}

static const gchar *
build_picture (HeaderWriter * w, gboolean mpeg2, gboolean fields,
    gboolean second, const gchar * word)
{
  static const gchar types[] = " IPBD";
  static guint serial;
  CodingFields f = default_coding;
  guint type = *word == 'X' ? 2 : strchr (types, *word) - types;

  write_picture (w, 0, type, 0xffff, mpeg2 ? 7 : 1, mpeg2 ? 7 : 1, 0);
  if (fields) {
    f.structure = second ? M2V_BOTTOM_FIELD : M2V_TOP_FIELD;
    f.flags = 0;
  }
  if (mpeg2)
    write_coding (w, &f);
  word++;
  while (*word == 'Q')
    word = build_quant_matrix (w, word + 1);
  if (word[-1] == 'X')
    return word;
  m2v_write_start_code (&w->bits, M2V_CODE_SLICE_MIN);
  serial++;
  for (guint i = 0; i < 4; i++)
    m2v_write_bits (&w->bits, 0x80 | (serial >> (7 * i) & 0x7f), 8);
  return word;
}

static gsize
build (HeaderWriter * w, gboolean mpeg2, const gchar * word)
{
  gboolean fields = strchr (word, '/') != NULL, second = FALSE;

  header_writer_init (w);
  while (*word != '\0') {
    switch (*word) {
      case 'S':
        build_sequence (w, mpeg2, *++word - '0');
        break;
      case 'U':
        build_filled (w, M2V_CODE_USER_DATA, 'u', SHORT_DATA);
        break;
      case 'V':
        build_filled (w, M2V_CODE_USER_DATA, 'u', LONG_DATA);
        break;
      case 'W':
        build_filled (w, M2V_CODE_EXTENSION,
            M2V_EXTENSION_SEQUENCE_SCALABLE << 4, EXTENSION_DATA);
        break;
      case 'Z':
        for (guint i = 0; i < N_ZEROS; i++)
          m2v_write_bits (&w->bits, 0, 8);
        break;
      case 'G':
        write_group (w, 1 << 12, 0, 0);
        break;
      case 'E':
        m2v_write_start_code (&w->bits, M2V_CODE_SEQUENCE_END);
        break;
      case '/':
        second = TRUE;
        break;
      default:
        word = build_picture (w, mpeg2, fields, second, word);
        continue;
    }
    word++;
  }
  m2v_write_align (&w->bits);
  fail_if (w->bits.error);
  return m2v_bit_writer_size (&w->bits);
}

static void
render_quant_matrix (GString * s, const guint8 * data, gsize size)
{
  static const gchar letters[] = "inIN";
  M2vMatrices m;
  guint loaded;

  fail_unless (m2v_parse_quant_matrix (data, size, &m, &loaded));
  g_string_append_c (s, 'Q');
  for (guint i = 0; i < 4; i++) {
    if (loaded >> i & 1)
      g_string_append_printf (s, "%c%u", letters[i],
          matrix_number (m.matrix[i]));
  }
}

static void
render_extension (GString * s, const guint8 * data, gsize size)
{
  M2vPictureCoding coding;

  if (m2v_extension_id (data, size) == M2V_EXTENSION_QUANT_MATRIX)
    render_quant_matrix (s, data, size);
  if (m2v_extension_id (data, size) == M2V_EXTENSION_SEQUENCE_SCALABLE)
    g_string_append_c (s, 'W');
  if (m2v_parse_picture_coding (data, size, &coding)
      && coding.structure == M2V_BOTTOM_FIELD)
    g_string_insert_c (s, s->len - 1, '/');
}

/* As a word again. */
static void
render (GString * s, const GByteArray * bytes)
{
  const guint8 *data = bytes->data;
  gsize size = bytes->len, end;
  M2vPictureHeader header;

  for (gsize i = start_code_find (data, size, 0); i < size; i = end) {
    end = start_code_find (data, size, i + 4);
    switch (data[i + 3]) {
      case M2V_CODE_SEQUENCE:
        g_string_append_printf (s, "S%u",
            (data[i + 8] << 10 | data[i + 9] << 2 | data[i + 10] >> 6) - 1000);
        break;
      case M2V_CODE_USER_DATA:
        g_string_append_c (s, end - i == SHORT_DATA ? 'U' : 'V');
        break;
      case M2V_CODE_GROUP:
        g_string_append_c (s, 'G');
        break;
      case M2V_CODE_SEQUENCE_END:
        g_string_append_c (s, 'E');
        break;
      case M2V_CODE_PICTURE:
        fail_unless (m2v_parse_picture_header (data + i, end - i, &header));
        g_string_append_c (s, " IPBD"[header.type]);
        break;
      case M2V_CODE_EXTENSION:
        render_extension (s, data + i, end - i);
        break;
      default:
        break;
    }
  }
}

/* --- a run of words through the carry --- */

typedef struct
{
  M2vSplitter splitter;
  M2vCarry *carry;
  gboolean mpeg2;
  HeaderWriter source;          /* the buffer at hand */
  M2vFrame frame;
  const guint8 *data[2];
  GByteArray *output;           /* of this word */
  guint n_pieces;
} Run;

static void
run_init (Run * r, gboolean mpeg2)
{
  memset (r, 0, sizeof *r);
  m2v_splitter_init (&r->splitter);
  r->carry = m2v_carry_new ();
  r->mpeg2 = mpeg2;
  r->output = g_byte_array_new ();
}

static void
run_clear (Run * r)
{
  m2v_carry_free (r->carry);
  g_byte_array_unref (r->output);
}

static void
append_pieces (Run * r, const M2vPiece * pieces, guint n)
{
  for (guint i = 0; i < n; i++) {
    const M2vPiece *p = &pieces[i];

    fail_unless (p->size > 0);
    fail_unless (i == 0 || p->picture >= pieces[i - 1].picture);
    if (p->literal != NULL) {
      g_byte_array_append (r->output, p->literal + p->offset, p->size);
      continue;
    }
    fail_unless (p->picture < r->frame.n_pictures);
    fail_unless (p->offset + p->size <= r->frame.pictures[p->picture].size);
    g_byte_array_append (r->output, r->data[p->picture] + p->offset, p->size);
  }
  r->n_pieces += n;
}

static void
add_picture (Run * r, const M2vPicture * p)
{
  M2vFrame *f = &r->frame;

  if (f->n_pictures == 0) {
    f->valid = p->valid;
    f->type = p->header.type;
    f->has_sequence = r->splitter.has_sequence;
    f->sequence = r->splitter.sequence;
    f->starts_group = p->has_group;
  }
  f->pictures[f->n_pictures] = *p;
  f->matrices[f->n_pictures] = r->splitter.matrices;
  r->data[f->n_pictures] = r->source.data + p->begin;
  f->n_pictures++;
}

/* Reads the word's buffer: the frame, other spans go through at once. */
static void
run_read (Run * r, const gchar * word)
{
  gsize size = build (&r->source, r->mpeg2, word), at = 0;
  M2vPicture p;

  g_byte_array_set_size (r->output, 0);
  memset (&r->frame, 0, sizeof r->frame);
  r->n_pieces = 0;
  while (m2v_splitter_next (&r->splitter, r->source.data, size, &at, &p)) {
    if (p.kind == M2V_SPAN_PICTURE)
      add_picture (r, &p);
    else if (m2v_carry_span (r->carry, &p, r->source.data + p.begin))
      g_byte_array_append (r->output, r->source.data + p.begin, p.size);
  }
}

static void
run_emit (Run * r)
{
  M2vPiece pieces[M2V_CARRY_MAX_PIECES];

  append_pieces (r, pieces, m2v_carry_emit (r->carry, &r->frame, r->data,
          pieces));
}

static void
run_finish (Run * r)
{
  M2vPiece piece;

  g_byte_array_set_size (r->output, 0);
  append_pieces (r, &piece, m2v_carry_finish (r->carry, &piece));
}

static const struct
{
  const gchar *what;
  gboolean mpeg2;
  const gchar *source, *output;
} rows[] = {
  {"nothing dropped", 1, "S1GI PQi2 BQn3 I/PQi4 P/P B/BQi1n2 E S2UGI P E",
      "S1GI PQi2 BQn3 I/PQi4 P/P B/BQi1n2 E S2UGI P E"},
  {"B with matrices dropped", 1, "S0GI P -BQi5 B P", "S0GI P BQi5 P"},
  {"both matrices", 1, "S0GI -PQi5 -PQn6 P P", "S0GI PQi5n6 P"},
  {"back to the default", 1, "S4GI -PQi0n2 P -BQi0n0 P",
      "S4GI PQi0n2 PQn0"},
  {"what came back by itself needs nothing", 1, "S0GI -BQi5 -BQi0 P",
      "S0GI P"},
  {"a sequence header has reset them", 1, "S0GI -BQi5 S1GI P",
      "S0GI S1GI P"},
  {"merged with the picture's own", 1, "S0GI -BQi5 PQn6 P",
      "S0GI PQi5n6 P"},
  {"the picture's own sets all", 1, "S0GI -BQi5 PQi6 P", "S0GI PQi6 P"},
  {"two of the picture's own, though that is forbidden", 1,
      "S0GI -BQn3 PQi5Qi0 P", "S0GI PQi5Qi0n3 P"},
  {"chrominance", 1, "S0GI -BQi5n6I7N8 P -BQI2 P -BQi3 P",
      "S0GI PQi5n6I7N8 PQI2 PQi3"},
  {"own luminance resets chrominance", 1, "S0GI PQi5I7 -BQI8 PQi6 P",
      "S0GI PQi5I7 PQi6 P"},
  {"second fields", 1, "S0GI/P -B/BQi5 B/B -BQi6/BQi7 BQn1/BQn2",
      "S0GI/P BQi5/B BQi7n1/BQn2"},
  {"a first field's matrices", 1, "S0GI/P -BQi5/B P/P", "S0GI/P PQi5/P"},
  {"at the start", 1, "-S3GI -PQi5 P", "S3PQi5"},
  {"unreadable pictures pass unchanged", 1, "S0GI -BQi5 X P", "S0GI P PQi5"},

  {"sequence header to the next I", 1, "S0GI -S1GI -P GI P",
      "S0GI S1GI P"},
  {"which has its own", 1, "S0GI -S1GI -P S2GI P", "S0GI S2GI P"},
  {"a later one replaces it", 1, "S0GI -S1GI -S2UGI GI", "S0GI S2UGI"},
  {"to a P, never a B", 1, "S0GI -S1GI B P B", "S0GI BQi1 S1P B"},
  {"nor before what may be one", 1, "S0GI -S1GI X P", "S0GI P S1P"},
  {"with what has changed since", 1, "S0GI -S1GI PQi2 -PQn3 I",
      "S0GI S1PQi2 IQn3"},
  {"long user data is left out, the rest is kept", 1,
      "S0GI -S1UVVUGI P", "S0GI S1UVUP"},
  {"user data leaves room for the extensions", 1, "S1GI -S0UVWGI P",
      "S1GI S0UWP"},
  {"more extensions than there is room for", 1, "S0GI -S1WWWWGI P",
      "S0GI S1WWWP"},
  {"stuffing is left out", 0, "S0GI -S1ZGI P", "S0GI S1P"},
  {"MPEG-1", 0, "S0GI -S1GI P B", "S0GI S1P B"},
  {"MPEG-1: D", 0, "S0D -S1D D", "S0D S1D"},
  {"MPEG-1: nothing but the sequence header changes matrices", 0,
      "S0GI -S1GI B P", "S0GI B S1P"},

  {"sequence end to the next frame", 1, "S0GI -BE S1GI P", "S0GI ES1GI P"},
  {"whose sequence header was dropped too", 1, "S0GI -BE -S1GI GI",
      "S0GI ES1GI"},
  {"a frame without one gets that in force", 1, "S0GI -BE GI P",
      "S0GI ES0GI P"},
  {"before a B it waits", 1, "S0GI -BE BE", "S0GI BE"},
  {"and waits", 1, "S0GI -BE B P", "S0GI B ES0P"},
  {"to the end of the stream", 1, "S0GI -BE", "S0GI E"},
  {"once", 1, "S0GI -BE -S1GIE S2GI", "S0GI ES2GI"},
  {"none at the beginning", 1, "-S0GIE -S1GIE S2GI", "S2GI"},
  {"none at all", 1, "-S0GIE", ""},
  {"in a buffer by itself", 1, "S0GI E S1GI", "S0GI E S1GI"},
  {"by itself, after a drop", 1, "S0GI -B E S1GI -P E", "S0GI ES1GI E"},
  {"by itself, the drop before the last", 1, "S0GI -B P E S1GI",
      "S0GI P E S1GI"},
  {"by itself, and another dropped", 1, "S0GI E -S1GIE S2GI",
      "S0GI E S2GI"},
  {"by itself, nothing before it", 1, "-S0GI E S1GI", "S1GI"},
  {"after one that was passed on, nothing", 1, "S0GIE -S1GIE S2GI",
      "S0GIE S2GI"},

  {"headers by themselves", 1, "S0U GU I P", "S0UGUI P"},
  {"their picture dropped: the sequence header stays", 1, "S0G -I B S1G -I P",
      "BQi0n0 S1P"},
  {"their picture dropped: the group header goes", 1, "S0GI G -I P",
      "S0GI P"},
  {"in front of a picture with its own", 1, "S0GI S1 S2GI", "S0GI S1S2GI"},
  {"matrices since", 1, "S0GI S1 PQi3 P", "S0GI S1PQi3 P"},
  {"end, header, picture", 1, "S0GI -B E S1G I", "S0GI ES1GI"},
  {"more than there is room for", 1, "S0VVG I", "S0VGI"},
  {"several, more than there is room for", 1, "S0VG S1VG I", "S1VGI"},

  {"several, the one with the sequence header gone", 1, "S0V GVV I",
      "S0VGVI"},
  {"before the end of the sequence", 1, "S0GI G E S1GI", "S0GI E S1GI"},

  {"repetition", 1, "S3UGI P *GI P GI", "S3UGI P S3UGI P GI"},
  {"repetition waits for an I", 1, "S3GI *P B GI", "S3GI P B S3GI"},
  {"and is none where there is one", 1, "S3GI *S3GI GI", "S3GI S3GI GI"},
  {"repetition with what has changed", 1, "S3GI PQi4n5 *GI P",
      "S3GI PQi4n5 S3GIQi4n5 P"},
  {"and the picture's own", 1, "S3GI PQi4n5 *GIQi6 P",
      "S3GI PQi4n5 S3GIQi6n5 P"},
  {"repetition in MPEG-1", 0, "S3GI P *GI P", "S3GI P S3GI P"},
  {"repetition after a flush", 1, "S3UGI P +*GI P +GI",
      "S3UGI P S3UGI P GI"},
  {"which forgets one that was due, and headers", 1, "S3GI *P G +I",
      "S3GI P I"},
  {"and not what a dropped one had", 1, "S0GI -S1PE +GI P", "S0GI S1GI P"},
  {"repetition with none known", 1, "GI *GI S1GI GI", "GI GI S1GI GI"},
};

GST_START_TEST (words)
{
  gchar **source = g_strsplit (rows[__i__].source, " ", -1);
  GString *output = g_string_new (NULL);
  Run r;

  run_init (&r, rows[__i__].mpeg2);
  for (guint i = 0; source[i] != NULL; i++) {
    const gchar *word = source[i];
    gboolean flushed = *word == '+', dropped, repeat;

    if (flushed)
      m2v_carry_flush (r.carry);
    word += flushed;
    dropped = *word == '-';
    repeat = *word == '*';
    run_read (&r, word + (dropped || repeat));
    if (repeat)
      m2v_carry_repeat_sequence (r.carry);
    if (dropped)
      m2v_carry_drop (r.carry, &r.frame, r.data);
    else if (r.frame.n_pictures > 0)
      run_emit (&r);
    if (r.output->len > 0 && output->len > 0)
      g_string_append_c (output, ' ');
    render (output, r.output);
  }
  run_finish (&r);
  if (r.output->len > 0 && output->len > 0)
    g_string_append_c (output, ' ');
  render (output, r.output);
  fail_unless (strcmp (output->str, rows[__i__].output) == 0,
      "%s: %s instead of %s", rows[__i__].what, output->str,
      rows[__i__].output);
  run_clear (&r);
  g_string_free (output, TRUE);
  g_strfreev (source);
}

GST_END_TEST;

GST_START_TEST (reset_forgets)
{
  GString *output = g_string_new (NULL);
  Run r;

  run_init (&r, TRUE);
  run_read (&r, "S1GI");
  run_emit (&r);
  run_read (&r, "BQi5E");
  m2v_carry_drop (r.carry, &r.frame, r.data);
  m2v_carry_repeat_sequence (r.carry);
  run_read (&r, "S2G");
  m2v_carry_reset (r.carry);
  run_read (&r, "GI");
  run_emit (&r);
  render (output, r.output);
  run_finish (&r);
  render (output, r.output);
  fail_unless_equals_string (output->str, "GI");
  g_string_free (output, TRUE);
  run_clear (&r);
}

GST_END_TEST;

/* Slices whose picture header is missing take them along: the picture behind
 * needs them no more. */
GST_START_TEST (headers_before_slices)
{
  GString *output = g_string_new (NULL);
  M2vPiece piece;
  Run r;

  run_init (&r, TRUE);
  run_read (&r, "S1GI");
  run_emit (&r);
  render (output, r.output);
  fail_unless_equals_int (m2v_carry_headers (r.carry, &piece), 0);
  run_read (&r, "S2G");
  fail_unless_equals_int (m2v_carry_headers (r.carry, &piece), 1);
  g_byte_array_append (r.output, piece.literal + piece.offset, piece.size);
  render (output, r.output);
  fail_unless_equals_int (m2v_carry_headers (r.carry, &piece), 0);
  run_read (&r, "P");
  run_emit (&r);
  render (output, r.output);
  fail_unless_equals_string (output->str, "S1GIS2GP");
  g_string_free (output, TRUE);
  run_clear (&r);
}

GST_END_TEST;

/* --- random streams: what a reader of the output finds --- */

typedef struct
{
  M2vMatrices matrices;
  gint64 bit_rate;              /* tells the sequence */
  M2vPictureType type;
  gboolean follows_end;         /* a sequence_end_code since the one before */
  guint8 slice[8];
} Expected;

static void
random_word (GRand * rand, gboolean mpeg2, gchar type, gboolean sequence,
    gboolean end, GString * word)
{
  gboolean fields = mpeg2 && g_rand_int_range (rand, 0, 4) == 0;

  g_string_truncate (word, 0);
  if (sequence)
    g_string_append_printf (word, "S%d%s", g_rand_int_range (rand, 0, 10),
        g_rand_boolean (rand) ? "U" : "");
  if (type == 'I' && g_rand_boolean (rand))
    g_string_append_c (word, 'G');
  for (guint i = 0; i <= (guint) fields; i++) {
    g_string_append_printf (word, "%s%c", i > 0 ? "/" : "",
        i > 0 && type == 'I' && g_rand_boolean (rand) ? 'P' : type);
    if (!mpeg2 || g_rand_int_range (rand, 0, 4) > 0)
      continue;
    g_string_append_c (word, 'Q');
    for (const gchar * c = "inIN"; *c != '\0'; c++) {
      if (g_rand_boolean (rand))
        g_string_append_printf (word, "%c%d", *c,
            g_rand_int_range (rand, 0, 10));
    }
  }
  if (end)
    g_string_append_c (word, 'E');
}

static void
expect_frame (const Run * r, gboolean * ended, GArray * expected)
{
  for (guint i = 0; i < r->frame.n_pictures; i++) {
    const M2vPicture *p = &r->frame.pictures[i];
    Expected e;

    memset (&e, 0, sizeof e);
    e.matrices = r->frame.matrices[i];
    e.bit_rate = r->frame.sequence.bit_rate;
    e.type = r->frame.type;
    e.follows_end = *ended;
    memcpy (e.slice, r->data[i] + p->slices.offset, sizeof e.slice);
    g_array_append_val (expected, e);
    *ended = FALSE;
  }
}

/* A stream's frames, dropped at random but so that none lacks a reference. */
static void
random_run (GRand * rand, Run * r, gdouble share, GByteArray * source,
    GByteArray * output, GArray * expected)
{
  GString *word = g_string_new (NULL);
  gboolean sequence = TRUE, ended = FALSE;
  M2vTracker tracker;

  m2v_tracker_init (&tracker);
  for (guint i = 0; i < 300; i++) {
    gchar type = i % 12 == 0 ? 'I' : i % 3 == 0 ? 'P' : 'B';
    gboolean end = i % 12 == 11 && g_rand_int_range (rand, 0, 3) == 0;
    gboolean passes;

    random_word (rand, r->mpeg2, type, sequence || (type == 'I'
            && g_rand_boolean (rand)), end, word);
    run_read (r, word->str);
    fail_unless (r->frame.valid);
    g_byte_array_append (source, r->source.data,
        m2v_bit_writer_size (&r->source.bits));
    passes = m2v_tracker_decodable (&tracker, &r->frame)
        && g_rand_double (rand) >= share;
    m2v_tracker_note (&tracker, &r->frame, passes);
    if (passes) {
      if (share > 0 && g_rand_int_range (rand, 0, 20) == 0)
        m2v_carry_repeat_sequence (r->carry);
      expect_frame (r, &ended, expected);
      run_emit (r);
      fail_unless (share > 0 || r->n_pieces == r->frame.n_pictures);
    } else {
      m2v_carry_drop (r->carry, &r->frame, r->data);
    }
    g_byte_array_append (output, r->output->data, r->output->len);
    ended |= end && expected->len > 0;
    sequence = end;
  }
  run_finish (r);
  g_byte_array_append (output, r->output->data, r->output->len);
  g_string_free (word, TRUE);
}

static void
check_output (const GByteArray * output, const GArray * expected)
{
  M2vSplitter splitter;
  M2vPicture p;
  gsize position = 0;
  gboolean ended = FALSE;
  guint n = 0;

  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, output->data, output->len, &position,
          &p)) {
    const Expected *e = &g_array_index (expected, Expected, n);

    fail_unless_equals_int (p.kind, M2V_SPAN_PICTURE);
    fail_unless (p.valid);
    fail_unless (n++ < expected->len);
    fail_unless (memcmp (&splitter.matrices, &e->matrices,
            sizeof e->matrices) == 0);
    fail_unless_equals_int64 (splitter.sequence.bit_rate, e->bit_rate);
    fail_unless (p.sequence.size == 0 || e->type != M2V_PICTURE_B);
    fail_unless_equals_int (ended, e->follows_end);
    fail_if (ended && p.sequence.size == 0);
    fail_unless (memcmp (output->data + p.begin + p.slices.offset, e->slice,
            sizeof e->slice) == 0);
    ended = p.sequence_end.size > 0;
  }
  fail_unless_equals_int (n, expected->len);
}

GST_START_TEST (random_streams)
{
  GRand *rand = g_rand_new_with_seed (__i__);
  GByteArray *source = g_byte_array_new (), *output = g_byte_array_new ();
  GArray *expected = g_array_new (FALSE, FALSE, sizeof (Expected));
  gdouble share = __i__ % 5 * 0.15;
  Run r;

  run_init (&r, __i__ % 3 != 0);
  random_run (rand, &r, share, source, output, expected);
  fail_unless (expected->len > 0);
  check_output (output, expected);
  if (share == 0) {
    fail_unless_equals_int (output->len, source->len);
    fail_unless (memcmp (output->data, source->data, source->len) == 0);
  }
  run_clear (&r);
  g_array_unref (expected);
  g_byte_array_unref (source);
  g_byte_array_unref (output);
  g_rand_free (rand);
}

GST_END_TEST;

/* --- and what real decoders show --- */

/* The stream with other matrices from one of its B on. */
static Stream *
with_matrices (const Stream * s, guint changed)
{
  const StreamFrame *f = stream_frame (s, changed);
  gsize at = f->pictures[0].begin + f->pictures[0].after_coding;
  guint8 extension[M2V_QUANT_MATRIX_MAX_SIZE];
  GByteArray *bytes = g_byte_array_new ();
  M2vMatrices m;
  gsize size;

  memset (&m, 40, sizeof m);
  size = m2v_write_quant_matrix (extension, &m, 1 << M2V_MATRIX_INTRA
      | 1 << M2V_MATRIX_NON_INTRA);
  g_byte_array_append (bytes, s->data, at);
  g_byte_array_append (bytes, extension, size);
  g_byte_array_append (bytes, s->data + at, s->size - at);
  g_byte_array_append (bytes, stream_end, sizeof stream_end);
  size = bytes->len;
  return stream_new (g_byte_array_free (bytes, FALSE), size, G_MAXUINT);
}

/* Drops all B, with or without the carry. */
static GByteArray *
without_b (const Stream * s, gboolean carries)
{
  GByteArray *out = g_byte_array_new ();
  M2vCarry *carry = m2v_carry_new ();

  for (guint i = 0; i < s->frames->len; i++) {
    const StreamFrame *f = stream_frame (s, i);
    const guint8 *data[2] = { stream_picture (s, f, 0), NULL };
    M2vPiece pieces[M2V_CARRY_MAX_PIECES];
    M2vFrame frame;
    guint n = 0;

    memset (&frame, 0, sizeof frame);
    frame.n_pictures = 1;
    frame.pictures[0] = f->pictures[0];
    frame.matrices[0] = f->matrices[0];
    frame.valid = true;
    frame.type = stream_type (f);
    if (frame.type == M2V_PICTURE_B)
      m2v_carry_drop (carry, &frame, data);
    else if (carries)
      n = m2v_carry_emit (carry, &frame, data, pieces);
    else
      g_byte_array_append (out, data[0], f->pictures[0].size);
    for (guint k = 0; k < n; k++)
      g_byte_array_append (out, pieces[k].literal ? pieces[k].literal :
          data[0] + pieces[k].offset, pieces[k].size);
  }
  m2v_carry_free (carry);
  g_byte_array_append (out, stream_end, sizeof stream_end);
  return out;
}

/* Frames that come out otherwise than in the source. */
static guint
count_spoiled (Decoder decoder, const Stream * s, const GPtrArray * all,
    GByteArray * thinned)
{
  GPtrArray *shown = decode (decoder, thinned);
  guint n = 0, n_spoiled = 0;

  for (guint place = 0; place < s->frames->len; place++) {
    for (guint i = 0; i < s->frames->len; i++) {
      const StreamFrame *f = stream_frame (s, i);

      if (f->display != place || stream_type (f) == M2V_PICTURE_B)
        continue;
      fail_unless (n < shown->len);
      n_spoiled += strcmp (g_ptr_array_index (shown, n++),
          g_ptr_array_index (all, place)) != 0;
    }
  }
  fail_unless_equals_int (n, shown->len);
  g_ptr_array_unref (shown);
  g_byte_array_unref (thinned);
  return n_spoiled;
}

GST_START_TEST (matrices_of_dropped_b)
{
  Stream *plain = stream_load (TEST_FILES_DIR, "walk-720x480p30-4M.m2v",
      G_MAXUINT);
  Stream *s = with_matrices (plain, 15);
  Decoder decoder = __i__;
  GByteArray *bytes = g_byte_array_new ();
  GPtrArray *all;

  fail_unless (stream_type (stream_frame (plain, 15)) == M2V_PICTURE_B);
  g_byte_array_append (bytes, s->data, s->size);
  if (decoder_present (decoder)) {
    all = decode (decoder, bytes);
    fail_unless_equals_int (all->len, s->frames->len);
    fail_unless (count_spoiled (decoder, s, all, without_b (s, FALSE)) > 0);
    fail_unless_equals_int (count_spoiled (decoder, s, all, without_b (s,
                TRUE)), 0);
    g_ptr_array_unref (all);
  }
  g_byte_array_unref (bytes);
  stream_free (plain);
  stream_free (s);
}

GST_END_TEST;

static Suite *
carry_suite (void)
{
  Suite *s = suite_create ("mpeg2-carry");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, words, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, reset_forgets);
  tcase_add_test (tc, headers_before_slices);
  tcase_add_loop_test (tc, random_streams, 0, 60);
  tcase_add_loop_test (tc, matrices_of_dropped_b, 0, N_DECODERS);
  return s;
}

GST_CHECK_MAIN (carry);
