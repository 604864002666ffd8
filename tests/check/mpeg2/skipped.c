/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What skipped pictures show, asked of real decoders: bit for bit the picture
 * that they repeat, and all others as before.
 */
#include "decoding.h"

#include <mpeg2/addressincrement.h>
#include <mpeg2/skipped.h>

/* --- the code table --- */

/* 13818-2 table B.1 as printed. */
static const gchar *const increment_codes[] = {
  NULL,
  "1", "011", "010", "0011", "0010", "00011", "00010", "0000111", "0000110",
  "00001011", "00001010", "00001001", "00001000", "00000111", "00000110",
  "0000010111", "0000010110", "0000010101", "0000010100", "0000010011",
  "0000010010", "00000100011", "00000100010", "00000100001", "00000100000",
  "00000011111", "00000011110", "00000011101", "00000011100", "00000011011",
  "00000011010", "00000011001", "00000011000",
  "00000001000"                 /* escape */
};

#define ESCAPE 34

static M2vVlcCode
vlc (guint i)
{
  return i == ESCAPE ? m2v_address_escape : m2v_address_increments[i];
}

GST_START_TEST (increments_are_a_prefix_code)
{
  guint space = 0;

  for (guint i = 1; i <= ESCAPE; i++) {
    guint length = strlen (increment_codes[i]), code = 0;

    for (guint k = 0; k < length; k++)
      code = code << 1 | (increment_codes[i][k] == '1');
    fail_unless_equals_int (vlc (i).length, length);
    fail_unless_equals_int (vlc (i).code, code);
    space += 1 << (11 - length);
    for (guint k = 1; k <= ESCAPE; k++)
      fail_unless (i == k || !g_str_has_prefix (increment_codes[k],
              increment_codes[i]));
  }
  /* Of 11 bits, all from 0000 0011 000 on are codes; below it, one is. */
  fail_unless_equals_int (space, (1 << 11) - 24 + 1);
}

GST_END_TEST;

/* --- the slices, read back --- */

typedef struct
{
  const guint8 *data;
  gsize position;
} Bits;

static guint
get (Bits * b, guint n)
{
  guint value = 0;

  for (; n > 0; n--, b->position++)
    value = value << 1 | (b->data[b->position / 8] >> (7 - b->position % 8)
        & 1);
  return value;
}

static guint
get_increment (Bits * b)
{
  gchar code[12] = "";
  guint increment = 0;

  for (guint n = 0; n < 11; n++) {
    code[n] = get (b, 1) ? '1' : '0';
    code[n + 1] = '\0';
    for (guint i = 1; i <= ESCAPE; i++) {
      if (strcmp (code, increment_codes[i]) != 0)
        continue;
      if (i < ESCAPE)
        return increment + i;
      increment += 33;
      n = -1;
      break;
    }
  }
  fail ("no such code: %s", code);
  return 0;
}

static const struct
{
  const gchar *what;
  gboolean mpeg2, progressive, frame_pred_frame_dct;
  M2vStructure structure;
  M2vPictureType type;
  gboolean backward;
  const gchar *macroblock;      /* after the address increment */
} syntaxes[] = {
  {"MPEG-1 P", 0, 1, 1, M2V_FRAME_PICTURE, M2V_PICTURE_P, 0, "001" "1" "1"},
  {"MPEG-1 B", 0, 1, 1, M2V_FRAME_PICTURE, M2V_PICTURE_B, 0, "0010" "1" "1"},
  {"MPEG-1 B backward", 0, 1, 1, M2V_FRAME_PICTURE, M2V_PICTURE_B, 1,
      "010" "1" "1"},
  {"progressive P", 1, 1, 1, M2V_FRAME_PICTURE, M2V_PICTURE_P, 0,
      "001" "1" "1"},
  {"P takes no notice of backward", 1, 1, 1, M2V_FRAME_PICTURE,
      M2V_PICTURE_P, 1, "001" "1" "1"},
  {"frame_pred_frame_dct 0, P", 1, 0, 0, M2V_FRAME_PICTURE, M2V_PICTURE_P, 0,
      "001" "10" "1" "1"},
  {"frame_pred_frame_dct 0, B", 1, 0, 0, M2V_FRAME_PICTURE, M2V_PICTURE_B, 0,
      "0010" "10" "1" "1"},
  {"top field P", 1, 0, 0, M2V_TOP_FIELD, M2V_PICTURE_P, 0,
      "001" "01" "0" "1" "1"},
  {"bottom field P", 1, 0, 0, M2V_BOTTOM_FIELD, M2V_PICTURE_P, 0,
      "001" "01" "1" "1" "1"},
  {"bottom field B backward", 1, 0, 0, M2V_BOTTOM_FIELD, M2V_PICTURE_B, 1,
      "010" "01" "1" "1" "1"},
};

static void
set_up (guint i, M2vSequence * sequence, M2vPicture * picture)
{
  memset (sequence, 0, sizeof *sequence);
  memset (picture, 0, sizeof *picture);
  sequence->mpeg2 = picture->mpeg2 = syntaxes[i].mpeg2;
  sequence->progressive = syntaxes[i].progressive;
  picture->header.type = syntaxes[i].type;
  picture->coding.structure = syntaxes[i].structure;
  picture->coding.frame_pred_frame_dct = syntaxes[i].frame_pred_frame_dct;
}

/* Reads one slice; false at the end. */
static void
check_slice (Bits * b, guint i, const M2vSequence * sequence, guint row)
{
  guint n = (sequence->width + 15) / 16, column = 0;
  gboolean extended = sequence->mpeg2 && sequence->height > 2800;

  /* One slice has them all. */
  if (!sequence->mpeg2)
    n *= (sequence->height + 15) / 16;
  fail_unless_equals_int (get (b, 24), 1);
  fail_unless_equals_int (get (b, 8), 1 + (extended ? row % 128 : row));
  if (extended)
    fail_unless_equals_int (get (b, 3), row / 128);
  fail_unless (get (b, 5) != 0);
  fail_unless_equals_int (get (b, 1), 0);
  while (column < n) {
    guint increment = get_increment (b);

    if (column == 0)
      fail_unless_equals_int (increment, 1);
    column += increment;
    for (const gchar * c = syntaxes[i].macroblock; *c != '\0'; c++)
      fail_unless_equals_int (get (b, 1), *c == '1');
  }
  fail_unless_equals_int (column, n);
  while (b->position % 8 != 0)
    fail_unless_equals_int (get (b, 1), 0);
}

static guint
expected_slices (guint i, guint height)
{
  if (!syntaxes[i].mpeg2)
    return 1;
  if (syntaxes[i].progressive)
    return (height + 15) / 16;
  return syntaxes[i].structure == M2V_FRAME_PICTURE ?
      2 * ((height + 31) / 32) : (height + 31) / 32;
}

static void
check_size (guint i, guint width, guint height)
{
  static guint8 out[1 << 16];
  M2vSequence sequence;
  M2vPicture picture;
  guint n = expected_slices (i, height);
  Bits b = { out, 0 };
  gsize size;

  set_up (i, &sequence, &picture);
  sequence.width = width;
  sequence.height = height;
  size = m2v_write_skipped_slices (out, sizeof out, &sequence, &picture,
      syntaxes[i].backward);
  /* slice_start_code has no value for more. */
  if (n > 175 && height <= 2800) {
    fail_unless_equals_int (size, 0);
    return;
  }
  fail_unless (size > 0 && size <= m2v_skipped_size (&sequence));
  for (guint row = 0; row < n; row++)
    check_slice (&b, i, &sequence, row);
  fail_unless_equals_int (b.position, size * 8);
}

GST_START_TEST (widths_and_heights)
{
  static const guint heights[] = { 1, 16, 17, 32, 33, 2799, 2800, 2801, 2849,
    4095, 16383
  };

  for (guint k = 1; k < 1200; k += 15)
    check_size (__i__, k, 1);
  check_size (__i__, 16383, 40);
  for (guint k = 0; k < G_N_ELEMENTS (heights); k++)
    check_size (__i__, 20, heights[k]);
}

GST_END_TEST;

GST_START_TEST (capacity)
{
  M2vSequence sequence;
  M2vPicture picture;
  guint8 out[300];
  gsize size;

  set_up (3, &sequence, &picture);
  sequence.width = 720;
  sequence.height = 480;
  memset (out, 0x55, sizeof out);
  size = m2v_write_skipped_slices (out, sizeof out, &sequence, &picture, false);
  fail_unless (size > 0 && size <= 288);
  fail_unless_equals_int (out[size], 0x55);
  for (gsize n = 0; n < size; n++) {
    memset (out, 0x55, sizeof out);
    fail_unless_equals_int (m2v_write_skipped_slices (out, n, &sequence,
            &picture, false), 0);
    fail_unless_equals_int (out[n], 0x55);
  }
  fail_unless_equals_int (m2v_write_skipped_slices (out, size, &sequence,
          &picture, false), size);
}

GST_END_TEST;

/* As little as an encoder writes where nothing moves. */
GST_START_TEST (least)
{
  M2vSequence sequence;
  M2vPicture picture;
  guint8 out[100];

  set_up (1, &sequence, &picture);
  sequence.width = 352;
  sequence.height = 288;
  fail_unless_equals_int (m2v_write_skipped_slices (out, sizeof out, &sequence,
          &picture, false), 23);
}

GST_END_TEST;

GST_START_TEST (refusals)
{
  M2vSequence sequence;
  M2vPicture picture;
  guint8 out[4096];

#define REFUSED (m2v_write_skipped_slices (out, sizeof out, &sequence, \
          &picture, false) == 0)
  set_up (0, &sequence, &picture);
  sequence.width = 16;
  sequence.height = 4095;
  fail_if (REFUSED);
  picture.header.type = M2V_PICTURE_I;
  fail_unless (REFUSED);
  picture.header.type = M2V_PICTURE_D;
  fail_unless (REFUSED);
  picture.header.type = M2V_PICTURE_B;
  sequence.height = 0;
  fail_unless (REFUSED);
  sequence.height = 16;
  fail_if (REFUSED);
  sequence.width = 0;
  fail_unless (REFUSED);
  sequence.width = 16;
  picture.mpeg2 = true;
  fail_unless (REFUSED);
  sequence.mpeg2 = true;
  fail_if (REFUSED);
  picture.coding.structure = M2V_TOP_FIELD;
  fail_unless (REFUSED);
  sequence.progressive = false;
  fail_if (REFUSED);
  /* slice_start_code has no value for more rows. */
  picture.coding.structure = M2V_FRAME_PICTURE;
  sequence.height = 2800;
  fail_unless (REFUSED);
}

GST_END_TEST;

/* --- real streams --- */

typedef enum
{
  NO_PICTURE,
  EVERY_B,
  EVERY_B_BACKWARD,
  EVERY_SECOND_B,
  EVERY_SECOND_P,
  EVERY_P_AND_B,
  N_MODES
} Mode;

static gboolean
replaces (Mode mode, const StreamFrame * f, guint i)
{
  switch (stream_type (f)) {
    case M2V_PICTURE_P:
      return mode == EVERY_P_AND_B || (mode == EVERY_SECOND_P
          && i / 3 % 2 == 1);
    case M2V_PICTURE_B:
      return mode == EVERY_B || mode == EVERY_B_BACKWARD
          || mode == EVERY_P_AND_B || (mode == EVERY_SECOND_B && i % 2 == 0);
    default:
      return FALSE;
  }
}

static void
append_replaced (const Stream * s, const StreamFrame * f, guint i,
    gboolean backward, GByteArray * out)
{
  const M2vPicture *p = &f->pictures[i];
  const guint8 *data = stream_picture (s, f, i);
  gsize after = p->slices.offset + p->slices.size, size;
  gsize most = m2v_skipped_size (&f->sequence);
  guint8 *slices = g_malloc (most);

  size = m2v_write_skipped_slices (slices, most, &f->sequence, p, backward);
  fail_unless (size > 0);
  g_byte_array_append (out, data, p->slices.offset);
  g_byte_array_append (out, slices, size);
  g_byte_array_append (out, data + after, p->size - after);
  g_free (slices);
}

static GByteArray *
rewrite (const Stream * s, Mode mode)
{
  GByteArray *out = g_byte_array_new ();

  for (guint i = 0; i < s->frames->len; i++) {
    const StreamFrame *f = stream_frame (s, i);

    for (guint k = 0; k < f->n_pictures; k++) {
      if (replaces (mode, f, i))
        append_replaced (s, f, k, mode == EVERY_B_BACKWARD, out);
      else
        g_byte_array_append (out, stream_picture (s, f, k),
            f->pictures[k].size);
    }
  }
  if (memcmp (out->data + out->len - 4, stream_end, 4) != 0)
    g_byte_array_append (out, stream_end, sizeof stream_end);
  return out;
}

static const gchar *
shown (const Stream * s, const GPtrArray * decoded, gint i)
{
  gint missing = s->frames->len - decoded->len;
  gint place = (gint) stream_frame (s, i)->display - missing;

  return place < 0 ? NULL : g_ptr_array_index (decoded, place);
}

static void
check_decoded (const Stream * s, Mode mode, const GPtrArray * before,
    const GPtrArray * after)
{
  gboolean *touched = g_new0 (gboolean, s->frames->len);
  guint n_same = 0, n_repeated = 0;

  fail_unless_equals_int (after->len, before->len);
  for (guint i = 0; i < s->frames->len; i++) {
    const StreamFrame *f = stream_frame (s, i);
    gboolean backward = mode == EVERY_B_BACKWARD
        || stream_type (f) == M2V_PICTURE_P;
    gint repeated = backward ? f->last : f->past;
    const gchar *checksum = shown (s, after, i);

    touched[i] = replaces (mode, f, i) || (f->past >= 0 && touched[f->past])
        || (f->last >= 0 && touched[f->last]);
    /* Leading B of an open group at the start: not shown. */
    if (checksum == NULL)
      continue;
    if (replaces (mode, f, i) && repeated >= 0) {
      fail_unless_equals_string (checksum, shown (s, after, repeated));
      n_repeated += strcmp (checksum, shown (s, before, i)) != 0;
    } else if (!touched[i]) {
      fail_unless_equals_string (checksum, shown (s, before, i));
      n_same++;
    }
  }
  fail_unless (n_repeated > 0 && n_same > 0);
  g_free (touched);
}

static void
check_stream (Stream * s)
{
  for (Decoder decoder = 0; decoder < N_DECODERS; decoder++) {
    GByteArray *bytes = rewrite (s, NO_PICTURE);
    GPtrArray *before;

    if (!decoder_present (decoder)) {
      g_byte_array_unref (bytes);
      continue;
    }
    before = decode (decoder, bytes);
    g_byte_array_unref (bytes);
    fail_unless (before->len <= s->frames->len
        && before->len + 2 >= s->frames->len);
    for (Mode mode = EVERY_B; mode < N_MODES; mode++) {
      GPtrArray *after;

      bytes = rewrite (s, mode);
      after = decode (decoder, bytes);
      check_decoded (s, mode, before, after);
      g_byte_array_unref (bytes);
      g_ptr_array_unref (after);
    }
    g_ptr_array_unref (before);
  }
}

/* Most frames of each: a few groups. */
#define N_FRAMES 20

static const gchar *const committed[] = {
  "walk-720x480p30-4M.m2v", "sintel-720x480-pulldown-4M.m2v",
  "bbb-352x576i25-fields-3M.m2v", "bbb-352x288p25-1100k.m1v",
  "ocean-176x96p30-500k.m2v"
};

GST_START_TEST (committed_streams)
{
  Stream *s = stream_load (TEST_FILES_DIR, committed[__i__], N_FRAMES);

  check_stream (s);
  stream_free (s);
}

GST_END_TEST;

/* Interlaced frame pictures, 4:2:2, MPEG-1 of another encoder, mixed
 * structures. */
static const gchar *const media[] = {
  "p01_m1_cif25_g9open_1150k_ff_walk.m1v",
  "p05_m2_720x576i25_g12open_5M_ff_alt_ivlc_nlq_motorway.m2v",
  "p06_m2_720x480i30_g9open_6M_m2e_walk2x.m2v",
  "p08_m2_422_720x576i25_g12open_6M_ff_bbb60.m2v",
  "t03_m2_352x288i25_fieldpics_pb_470k.m2v",
  "t01_m2_720x576i25_g12open_4500k_dvbt_rai_a.m2v"
};

GST_START_TEST (media_streams)
{
  const gchar *directory = g_getenv ("MPEG_MEDIA_DIR");
  Stream *s;

  if (directory == NULL) {
    g_print ("SKIP: MPEG_MEDIA_DIR is not set\n");
    return;
  }
  s = stream_load (directory, media[__i__], N_FRAMES);
  check_stream (s);
  stream_free (s);
}

GST_END_TEST;

/* --- streams of any size: I pictures of DC coefficients only --- */

static const struct
{
  guint width, height;
  gboolean mpeg2, progressive, fields, frame_pred_frame_dct;
} shapes[] = {
  {16, 16, 0, 1, 0, 1},
  {32, 48, 0, 1, 0, 1},
  {560, 32, 0, 1, 0, 1},
  {352, 288, 0, 1, 0, 1},
  {16, 2800, 0, 1, 0, 1},
  {16, 16, 1, 1, 0, 1},
  {32, 16, 1, 1, 0, 1},
  {48, 32, 1, 1, 0, 1},
  {528, 16, 1, 1, 0, 1},
  {544, 16, 1, 1, 0, 1},
  {560, 16, 1, 1, 0, 1},
  {16, 16, 1, 0, 0, 0},
  {48, 48, 1, 0, 0, 0},
  {40, 52, 1, 0, 0, 1},
  {32, 32, 1, 0, 1, 0},
  {48, 48, 1, 0, 1, 0},
  {1920, 1080, 1, 1, 0, 1},
  {1920, 1088, 1, 0, 0, 0},
  {1920, 1080, 1, 0, 1, 0},
  {16, 2816, 1, 1, 0, 1},
  {4080, 3072, 1, 1, 0, 1},
  {4080, 3072, 1, 0, 0, 0},
  {2048, 2848, 1, 0, 1, 0},
};

/* Coded order; displayed: I, P like it, a B like it, a B like the other I, and
 * that I. */
static const struct
{
  M2vPictureType type;
  guint temporal_reference;
  gboolean backward;
} coded[] = {
  {M2V_PICTURE_I, 0, FALSE},
  {M2V_PICTURE_P, 1, FALSE},
  {M2V_PICTURE_I, 4, FALSE},
  {M2V_PICTURE_B, 2, FALSE},
  {M2V_PICTURE_B, 3, TRUE},
};

static void
write_sequence (M2vBitWriter * w, guint i)
{
  guint width = shapes[i].width, height = shapes[i].height;

  m2v_write_start_code (w, M2V_CODE_SEQUENCE);
  m2v_write_bits (w, width & 0xfff, 12);
  m2v_write_bits (w, height & 0xfff, 12);
  m2v_write_bits (w, 0x13, 8);  /* square samples, 25 frames/s */
  m2v_write_bits (w, 20000 << 1 | 1, 19);
  m2v_write_bits (w, 112 << 3, 13);
  if (shapes[i].mpeg2) {
    m2v_write_start_code (w, M2V_CODE_EXTENSION);
    m2v_write_bits (w, M2V_EXTENSION_SEQUENCE, 4);
    m2v_write_bits (w, 0x44, 8);        /* main profile, high level */
    m2v_write_bits (w, shapes[i].progressive, 1);
    m2v_write_bits (w, 1, 2);   /* 4:2:0 */
    m2v_write_bits (w, width >> 12, 2);
    m2v_write_bits (w, height >> 12, 2);
    m2v_write_bits (w, 1, 13);
    m2v_write_bits (w, 0, 16);
  }
  m2v_write_start_code (w, M2V_CODE_GROUP);
  m2v_write_bits (w, 1 << 12 | 1 << 6 >> 6, 25);
  m2v_write_bits (w, 2, 2);     /* closed */
}

static void
write_headers (M2vBitWriter * w, guint i, guint n, M2vStructure structure)
{
  M2vPictureType type = coded[n].type;
  guint n_vectors = type - M2V_PICTURE_I;

  m2v_write_start_code (w, M2V_CODE_PICTURE);
  m2v_write_bits (w, coded[n].temporal_reference, 10);
  m2v_write_bits (w, type, 3);
  m2v_write_bits (w, 0xffff, 16);
  for (guint k = 0; k < n_vectors; k++)
    m2v_write_bits (w, shapes[i].mpeg2 ? 7 : 1, 4);
  m2v_write_bits (w, 0, 1);
  if (!shapes[i].mpeg2)
    return;
  m2v_write_start_code (w, M2V_CODE_EXTENSION);
  m2v_write_bits (w, M2V_EXTENSION_PICTURE_CODING, 4);
  m2v_write_bits (w, n_vectors > 0 ? 0x11 : 0xff, 8);
  m2v_write_bits (w, n_vectors > 1 ? 0x11 : 0xff, 8);
  m2v_write_bits (w, 0, 2);
  m2v_write_bits (w, structure, 2);
  m2v_write_bits (w, 0, 1);
  m2v_write_bits (w, shapes[i].frame_pred_frame_dct, 1);
  m2v_write_bits (w, 0, 5);
  m2v_write_bits (w, shapes[i].progressive, 1);
  m2v_write_bits (w, shapes[i].progressive, 1);
  m2v_write_bits (w, 0, 1);
}

/* A block of one DC difference (13818-2 tables B.12, B.13), which moves `dc`
 * within its range. */
static void
write_block (M2vBitWriter * w, GRand * rand, gint * dc, gboolean chroma)
{
  static const M2vVlcCode luma_sizes[] = { {4, 3}, {0, 2}, {1, 2}, {5, 3} };
  static const M2vVlcCode chroma_sizes[] = { {0, 2}, {1, 2}, {2, 2}, {6, 3} };
  guint size = g_rand_int_range (rand, 0, 4);
  M2vVlcCode v = chroma ? chroma_sizes[size] : luma_sizes[size];
  gint magnitude = (1 << size) - 1;
  gint difference = *dc > 192 || (*dc > 64 && g_rand_boolean (rand)) ?
      -magnitude : magnitude;

  *dc += difference;
  m2v_write_bits (w, v.code, v.length);
  if (size > 0)
    m2v_write_bits (w, difference > 0 ? magnitude : 0, size);
  m2v_write_bits (w, 2, 2);     /* end of block */
}

static void
write_intra (M2vBitWriter * w, guint i, GRand * rand, gboolean field)
{
  guint height = shapes[i].height;
  guint n_rows = shapes[i].progressive ? (height + 15) / 16
      : (height + 31) / 32 * (field ? 1 : 2);

  for (guint row = 0; row < n_rows; row++) {
    gint dc[3] = { 128, 128, 128 };
    gboolean extended = height > 2800;

    m2v_write_start_code (w, 1 + (extended ? row % 128 : row));
    if (extended)
      m2v_write_bits (w, row / 128, 3);
    m2v_write_bits (w, 1 << 1, 6);
    for (guint column = 0; column < (shapes[i].width + 15) / 16; column++) {
      m2v_write_bits (w, 3, 2); /* increment 1, type intra */
      if (!shapes[i].frame_pred_frame_dct && !field)
        m2v_write_bits (w, 0, 1);       /* dct_type */
      for (guint block = 0; block < 6; block++)
        write_block (w, rand, &dc[block < 4 ? 0 : block - 3], block >= 4);
    }
  }
}

static Stream *
synthesize (guint i)
{
  gsize capacity = 1 << 20;
  guint8 *data = g_malloc (capacity);
  GRand *rand = g_rand_new_with_seed (i);
  M2vBitWriter w;

  m2v_bit_writer_init (&w, data, capacity);
  write_sequence (&w, i);
  for (guint n = 0; n < G_N_ELEMENTS (coded); n++) {
    for (guint k = 0; k <= (guint) shapes[i].fields; k++) {
      M2vStructure structure = shapes[i].fields ? k + 1 : M2V_FRAME_PICTURE;

      write_headers (&w, i, n, structure);
      if (coded[n].type == M2V_PICTURE_I) {
        write_intra (&w, i, rand, shapes[i].fields);
      } else {
        /* To be replaced. */
        m2v_write_start_code (&w, M2V_CODE_SLICE_MIN);
        m2v_write_bits (&w, 1, 5);
      }
    }
  }
  m2v_write_align (&w);
  fail_if (w.error);
  g_rand_free (rand);
  return stream_new (data, m2v_write_align (&w), 100);
}

GST_START_TEST (any_size)
{
  Stream *s = synthesize (__i__);
  GByteArray *bytes = g_byte_array_new ();

  fail_unless_equals_int (s->frames->len, G_N_ELEMENTS (coded));
  for (guint n = 0; n < s->frames->len; n++) {
    const StreamFrame *f = stream_frame (s, n);

    for (guint k = 0; k < f->n_pictures; k++) {
      if (coded[n].type == M2V_PICTURE_I)
        g_byte_array_append (bytes, stream_picture (s, f, k),
            f->pictures[k].size);
      else
        append_replaced (s, f, k, coded[n].backward, bytes);
    }
  }
  g_byte_array_append (bytes, stream_end, sizeof stream_end);

  for (Decoder decoder = 0; decoder < N_DECODERS; decoder++) {
    GPtrArray *shown_frames;

    if (!decoder_present (decoder))
      continue;
    shown_frames = decode (decoder, bytes);
    fail_unless_equals_int (shown_frames->len, G_N_ELEMENTS (coded));
    for (guint n = 1; n < shown_frames->len; n++) {
      gboolean same = strcmp (g_ptr_array_index (shown_frames, n),
          g_ptr_array_index (shown_frames, n - 1)) == 0;

      fail_unless (same == (n != 3), "%s: frame %u", decoder_names[decoder], n);
    }
    g_ptr_array_unref (shown_frames);
  }
  g_byte_array_unref (bytes);
  stream_free (s);
}

GST_END_TEST;

static Suite *
skipped_suite (void)
{
  Suite *s = suite_create ("mpeg2-skipped");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, increments_are_a_prefix_code);
  tcase_add_loop_test (tc, widths_and_heights, 0, G_N_ELEMENTS (syntaxes));
  tcase_add_test (tc, capacity);
  tcase_add_test (tc, least);
  tcase_add_test (tc, refusals);
  tcase_add_loop_test (tc, committed_streams, 0, G_N_ELEMENTS (committed));
  tcase_add_loop_test (tc, media_streams, 0, G_N_ELEMENTS (media));
  tcase_add_loop_test (tc, any_size, 0, G_N_ELEMENTS (shapes));
  return s;
}

GST_CHECK_MAIN (skipped);
