/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <mpeg2/headers.h>
#include "headerwriter.h"
#include <mpeg2/patch.h>

/* 13818-2 clause 6.3.11, by rows. */
static const uint8_t default_intra[8][8] = {
  {8, 16, 19, 22, 26, 27, 29, 34},
  {16, 16, 22, 24, 27, 29, 34, 37},
  {19, 22, 26, 27, 29, 34, 34, 38},
  {22, 22, 26, 27, 29, 34, 37, 40},
  {22, 26, 27, 29, 32, 35, 40, 48},
  {26, 27, 29, 32, 35, 40, 48, 58},
  {26, 27, 29, 34, 38, 46, 56, 69},
  {27, 29, 35, 38, 46, 56, 69, 83},
};

/* Along the diagonals, up those whose number is even. */
GST_START_TEST (test_default_matrices)
{
  M2vMatrices m;
  unsigned i = 0;

  m2v_matrices_init (&m);
  for (unsigned diagonal = 0; diagonal < 15; diagonal++) {
    for (unsigned k = 0; k <= diagonal; k++) {
      unsigned row = diagonal % 2 ? k : diagonal - k;
      unsigned column = diagonal - row;

      if (row > 7 || column > 7)
        continue;
      fail_unless_equals_int (m.matrix[0][i], default_intra[row][column]);
      fail_unless_equals_int (m.matrix[2][i], default_intra[row][column]);
      fail_unless_equals_int (m.matrix[1][i], 16);
      fail_unless_equals_int (m.matrix[3][i], 16);
      i++;
    }
  }
  fail_unless_equals_int (i, 64);
}

GST_END_TEST;

static const struct
{
  unsigned code, num, den;
} frame_rates[] = {
  {1, 24000, 1001}, {2, 24, 1}, {3, 25, 1}, {4, 30000, 1001}, {5, 30, 1},
  {6, 50, 1}, {7, 60000, 1001}, {8, 60, 1},
};

GST_START_TEST (test_frame_rates)
{
  HeaderWriter w;
  SequenceFields f = default_sequence;
  SequenceExtensionFields e = default_sequence_extension;
  M2vSequence s;
  M2vMatrices m;
  size_t size;

  f.frame_rate_code = frame_rates[__i__].code;
  for (e.rate_n = 0; e.rate_n < 4; e.rate_n++) {
    for (e.rate_d = 0; e.rate_d < 32; e.rate_d++) {
      header_writer_init (&w);
      write_sequence (&w, &f);
      size = m2v_bit_writer_size (&w.bits);
      write_sequence_extension (&w, &e);
      fail_unless (m2v_parse_sequence_header (w.data, size, &s, &m));
      fail_unless_equals_int (s.frame_rate_num, frame_rates[__i__].num);
      fail_unless_equals_int (s.frame_rate_den, frame_rates[__i__].den);
      fail_unless (m2v_parse_sequence_extension (w.data + size,
              m2v_bit_writer_size (&w.bits) - size, &s));
      fail_unless_equals_int (s.frame_rate_num,
          frame_rates[__i__].num * (e.rate_n + 1));
      fail_unless_equals_int (s.frame_rate_den,
          frame_rates[__i__].den * (e.rate_d + 1));
    }
  }
}

GST_END_TEST;

/* bit_rate and vbv_buffer_size fields of header and extension, and what they
 * say in MPEG-1 and MPEG-2. */
static const struct
{
  unsigned bit_rate, bit_rate_extension, vbv, vbv_extension;
  int64_t bits_mpeg1, bits, vbv_bits;
} rates[] = {
  {1, 0, 1, 0, 400, 400, 16384},
  {10000, 0, 112, 0, 4000000, 4000000, 1835008},
  {0x3fffe, 0, 0x3ff, 0, 104856800, 104856800, 16760832},
  {0x3ffff, 0, 0, 0, 0, 104857200, 0},
  {0, 1, 0, 1, 0, INT64_C (209714800), 16777216},
  {1, 1, 1, 1, 400, 104858000, 16793600},
  {0x3ffff, 0xfff, 0x3ff, 0xff, 0, INT64_C (429496729200),
      INT64_C (4294950912)},
};

GST_START_TEST (test_rates)
{
  HeaderWriter w;
  SequenceFields f = default_sequence;
  SequenceExtensionFields e = default_sequence_extension;
  M2vSequence s;
  M2vMatrices m;
  size_t size;

  f.bit_rate = rates[__i__].bit_rate;
  f.vbv = rates[__i__].vbv;
  e.bit_rate = rates[__i__].bit_rate_extension;
  e.vbv = rates[__i__].vbv_extension;
  header_writer_init (&w);
  write_sequence (&w, &f);
  size = m2v_bit_writer_size (&w.bits);
  write_sequence_extension (&w, &e);
  fail_unless (m2v_parse_sequence_header (w.data, size, &s, &m));
  fail_unless_equals_int64 (s.bit_rate, rates[__i__].bits_mpeg1);
  fail_unless_equals_int64 (s.vbv_buffer_size,
      INT64_C (16384) * rates[__i__].vbv);
  fail_unless (m2v_parse_sequence_extension (w.data + size,
          m2v_bit_writer_size (&w.bits) - size, &s));
  fail_unless_equals_int64 (s.bit_rate, rates[__i__].bits);
  fail_unless_equals_int64 (s.vbv_buffer_size, rates[__i__].vbv_bits);
}

GST_END_TEST;

GST_START_TEST (test_sequence_mpeg1)
{
  HeaderWriter w;
  M2vSequence s;
  M2vMatrices m, defaults;

  header_writer_init (&w);
  write_sequence (&w, &default_sequence);
  fail_unless (m2v_parse_sequence_header (w.data, m2v_bit_writer_size (&w.bits),
          &s, &m));
  fail_if (s.mpeg2);
  fail_unless_equals_int (s.width, 352);
  fail_unless_equals_int (s.height, 288);
  fail_unless_equals_int (s.aspect_ratio, 2);
  fail_unless_equals_int64 (s.bit_rate, 1150000);
  fail_unless_equals_int64 (s.vbv_buffer_size, 327680);
  fail_unless (s.progressive && !s.low_delay && s.chroma_format == 1);
  m2v_matrices_init (&defaults);
  fail_unless (memcmp (&m, &defaults, sizeof m) == 0);
}

GST_END_TEST;

GST_START_TEST (test_sequence_extension)
{
  HeaderWriter w;
  SequenceFields f = default_sequence;
  SequenceExtensionFields e = default_sequence_extension;
  M2vSequence s;
  M2vMatrices m;
  size_t size;

  f.width = 0xabc;
  f.height = 0x123;
  e.profile_and_level = 0x85;
  e.width = 2;
  e.height = 1;
  e.progressive = __i__ & 1;
  e.low_delay = __i__ >> 1 & 1;
  e.chroma_format = 1 + (unsigned) __i__ % 3;
  header_writer_init (&w);
  write_sequence (&w, &f);
  size = m2v_bit_writer_size (&w.bits);
  write_sequence_extension (&w, &e);
  fail_unless (m2v_parse_sequence_header (w.data, size, &s, &m));
  fail_unless (m2v_parse_sequence_extension (w.data + size,
          m2v_bit_writer_size (&w.bits) - size, &s));
  fail_unless (s.mpeg2);
  fail_unless_equals_int (s.width, 0x2abc);
  fail_unless_equals_int (s.height, 0x1123);
  fail_unless_equals_int (s.profile_and_level, 0x85);
  fail_unless (s.progressive == (__i__ & 1));
  fail_unless (s.low_delay == (__i__ >> 1));
  fail_unless_equals_int (s.chroma_format, 1 + __i__ % 3);
}

GST_END_TEST;

/* A matrix whose entries are all different, none zero. */
static void
make_matrix (uint8_t matrix[64], unsigned first)
{
  for (unsigned i = 0; i < 64; i++)
    matrix[i] = (uint8_t) (1 + (first + i) % 255);
}

GST_START_TEST (test_sequence_matrices)
{
  HeaderWriter w;
  SequenceFields f = default_sequence;
  M2vSequence s;
  M2vMatrices m, expected;
  uint8_t matrix[2][64];

  make_matrix (matrix[0], 7);
  make_matrix (matrix[1], 200);
  f.intra = __i__ & 1 ? matrix[0] : NULL;
  f.non_intra = __i__ & 2 ? matrix[1] : NULL;
  header_writer_init (&w);
  write_sequence (&w, &f);
  m2v_matrices_init (&expected);
  for (unsigned i = 0; i < 2; i++) {
    if (__i__ >> i & 1) {
      memcpy (expected.matrix[i], matrix[i], 64);
      memcpy (expected.matrix[i + 2], matrix[i], 64);
    }
  }
  memset (&m, 0xff, sizeof m);
  fail_unless (m2v_parse_sequence_header (w.data, m2v_bit_writer_size (&w.bits),
          &s, &m));
  fail_unless (memcmp (&m, &expected, sizeof m) == 0);
}

GST_END_TEST;

GST_START_TEST (test_group)
{
  HeaderWriter w;
  M2vGroup g;

  header_writer_init (&w);
  write_group (&w, 0x1abcde5, __i__ & 1, __i__ >> 1);
  fail_unless (m2v_parse_group (w.data, m2v_bit_writer_size (&w.bits), &g));
  fail_unless_equals_int (g.time_code, 0x1abcde5);
  fail_unless (g.closed == (__i__ & 1) && g.broken_link == (__i__ >> 1));
}

GST_END_TEST;

static const struct
{
  unsigned type, forward, backward, n_extra;
  unsigned f_code[2], full_pel[2];
} pictures[] = {
  {1, 0, 0, 0, {0, 0}, {0, 0}},
  {2, 5, 0, 0, {5, 0}, {0, 0}},
  {2, 8 | 3, 0, 0, {3, 0}, {1, 0}},
  {3, 7, 7, 0, {7, 7}, {0, 0}},
  {3, 8 | 1, 2, 0, {1, 2}, {1, 0}},
  {3, 1, 8 | 6, 0, {1, 6}, {0, 1}},
  {4, 0, 0, 0, {0, 0}, {0, 0}},
  {1, 0, 0, 1, {0, 0}, {0, 0}},
  {3, 1, 2, 7, {1, 2}, {0, 0}},
  {2, 1, 0, 300, {1, 0}, {0, 0}},
  {2, 0, 0, 0, {0, 0}, {0, 0}},
};

GST_START_TEST (test_picture)
{
  HeaderWriter w;
  M2vPictureHeader h;

  header_writer_init (&w);
  write_picture (&w, 0x2a5, pictures[__i__].type, 0xbeef,
      pictures[__i__].forward, pictures[__i__].backward,
      pictures[__i__].n_extra);
  fail_unless (m2v_parse_picture_header (w.data, m2v_bit_writer_size (&w.bits),
          &h));
  fail_unless_equals_int (h.temporal_reference, 0x2a5);
  fail_unless_equals_int (h.type, pictures[__i__].type);
  fail_unless_equals_int (h.vbv_delay, 0xbeef);
  for (unsigned i = 0; i < 2; i++) {
    fail_unless_equals_int (h.f_code[i], pictures[__i__].f_code[i]);
    fail_unless (h.full_pel[i] == pictures[__i__].full_pel[i]);
  }
}

GST_END_TEST;

/* Each flag at its place. */
GST_START_TEST (test_coding)
{
  HeaderWriter w;
  CodingFields f = default_coding;
  M2vPictureCoding c;

  f.f_code[0] = 9, f.f_code[1] = 4, f.f_code[2] = 15, f.f_code[3] = 1;
  f.dc_precision = (unsigned) __i__ % 4;
  f.structure = 1 + (unsigned) __i__ % 3;
  f.flags = 1u << __i__;
  f.composite = 0xa5a5c;
  header_writer_init (&w);
  write_coding (&w, &f);
  fail_unless (m2v_parse_picture_coding (w.data, m2v_bit_writer_size (&w.bits),
          &c));
  for (unsigned i = 0; i < 4; i++)
    fail_unless_equals_int (c.f_code[i / 2][i % 2], f.f_code[i]);
  fail_unless_equals_int (c.intra_dc_precision, f.dc_precision);
  fail_unless_equals_int (c.structure, f.structure);
  fail_unless (c.top_field_first == (__i__ == 9));
  fail_unless (c.frame_pred_frame_dct == (__i__ == 8));
  fail_unless (c.concealment_motion_vectors == (__i__ == 7));
  fail_unless (c.q_scale_type == (__i__ == 6));
  fail_unless (c.intra_vlc_format == (__i__ == 5));
  fail_unless (c.alternate_scan == (__i__ == 4));
  fail_unless (c.repeat_first_field == (__i__ == 3));
  fail_unless (c.chroma_420_type == (__i__ == 2));
  fail_unless (c.progressive_frame == (__i__ == 1));
  fail_unless (c.composite_display == (__i__ == 0));
  fail_unless_equals_int (c.composite_display_info, __i__ == 0 ? 0xa5a5c : 0);
}

GST_END_TEST;

GST_START_TEST (test_coding_init)
{
  M2vPictureCoding c;

  memset (&c, 0xff, sizeof c);
  m2v_picture_coding_init (&c);
  fail_unless (c.structure == M2V_FRAME_PICTURE && c.progressive_frame
      && c.frame_pred_frame_dct && c.chroma_420_type);
  fail_if (c.repeat_first_field || c.top_field_first || c.q_scale_type
      || c.intra_vlc_format || c.alternate_scan || c.composite_display
      || c.concealment_motion_vectors || c.intra_dc_precision);
}

GST_END_TEST;

/* Each header written in full, and its last bit that matters. */
enum
{ SEQUENCE, SEQUENCE_EXTENSION, GROUP, PICTURE, CODING, MATRIX, N_HEADERS };

static size_t
write_header (HeaderWriter * w, unsigned which)
{
  M2vMatrices m;
  SequenceFields f = default_sequence;
  CodingFields coding = default_coding;

  header_writer_init (w);
  m2v_matrices_init (&m);
  f.intra = m.matrix[0];
  f.non_intra = m.matrix[1];
  coding.flags |= 1;
  switch (which) {
    case SEQUENCE:
      write_sequence (w, &f);
      return 32 + 64 + 2 * 512;
    case SEQUENCE_EXTENSION:
      write_sequence_extension (w, &default_sequence_extension);
      return 32 + 48;
    case GROUP:
      write_group (w, 0, 0, 0);
      return 32 + 27;
    case PICTURE:
      write_picture (w, 3, 3, 4, 5, 6, 2);
      return 32 + 29 + 8 + 18 + 1;
    case CODING:
      write_coding (w, &coding);
      return 32 + 34 + 20;
    default:
      w->bits.next = w->data + m2v_write_quant_matrix (w->data, &m, 0xf);
      return 32 + 8 + 4 * 512;
  }
}

static bool
parse_header (const uint8_t * data, size_t size, unsigned which)
{
  M2vSequence s = {.width = 1,.height = 1 };
  M2vMatrices m;
  M2vGroup g;
  M2vPictureHeader h;
  M2vPictureCoding c;
  unsigned loaded;

  switch (which) {
    case SEQUENCE:
      return m2v_parse_sequence_header (data, size, &s, &m);
    case SEQUENCE_EXTENSION:
      return m2v_parse_sequence_extension (data, size, &s);
    case GROUP:
      return m2v_parse_group (data, size, &g);
    case PICTURE:
      return m2v_parse_picture_header (data, size, &h);
    case CODING:
      return m2v_parse_picture_coding (data, size, &c);
    default:
      return m2v_parse_quant_matrix (data, size, &m, &loaded);
  }
}

GST_START_TEST (test_cut_short)
{
  HeaderWriter w;
  size_t bits = write_header (&w, __i__);

  for (size_t size = 0; size <= m2v_bit_writer_size (&w.bits); size++) {
    uint8_t *copy = g_memdup2 (w.data, size);

    fail_unless (parse_header (copy, size, __i__) == (size * 8 >= bits),
        "header %d of %zu bytes", __i__, size);
    g_free (copy);
  }
}

GST_END_TEST;

/* Another start code, extension, or none. */
GST_START_TEST (test_other_header)
{
  HeaderWriter w;
  unsigned n_bits = __i__ == SEQUENCE || __i__ == GROUP || __i__ == PICTURE
      ? 32 : 36;

  write_header (&w, __i__);
  for (unsigned i = 0; i < n_bits; i++) {
    w.data[i / 8] ^= (uint8_t) (0x80 >> i % 8);
    fail_if (parse_header (w.data, m2v_bit_writer_size (&w.bits), __i__),
        "bit %u", i);
    w.data[i / 8] ^= (uint8_t) (0x80 >> i % 8);
  }
  for (unsigned i = 0; i < N_HEADERS; i++)
    fail_unless (parse_header (w.data, m2v_bit_writer_size (&w.bits),
            i) == (i == (unsigned)
            __i__));
}

GST_END_TEST;

static const struct
{
  const char *what;
  unsigned header;
  size_t position;              /* after the start code */
  unsigned n;
  uint32_t value;
  bool ok;
} value_rows[] = {
  {"width 0", SEQUENCE, 0, 12, 0, false},
  {"width 1", SEQUENCE, 0, 12, 1, true},
  {"height 0", SEQUENCE, 12, 12, 0, false},
  {"height 1", SEQUENCE, 12, 12, 1, true},
  {"aspect_ratio 0", SEQUENCE, 24, 4, 0, true},
  {"aspect_ratio 15", SEQUENCE, 24, 4, 15, true},
  {"frame_rate_code 0", SEQUENCE, 28, 4, 0, false},
  {"frame_rate_code 8", SEQUENCE, 28, 4, 8, true},
  {"frame_rate_code 9", SEQUENCE, 28, 4, 9, false},
  {"frame_rate_code 15", SEQUENCE, 28, 4, 15, false},
  {"marker 0", SEQUENCE, 50, 1, 0, true},
  {"first entry 0", SEQUENCE, 63, 8, 0, false},
  {"last entry 0", SEQUENCE, 63 + 63 * 8, 8, 0, false},
  {"last entry 1", SEQUENCE, 63 + 63 * 8, 8, 1, true},
  {"first non-intra entry 0", SEQUENCE, 64 + 512, 8, 0, false},
  {"last non-intra entry 0", SEQUENCE, 64 + 512 + 63 * 8, 8, 0, false},
  {"chroma_format 0", SEQUENCE_EXTENSION, 13, 2, 0, false},
  {"chroma_format 3", SEQUENCE_EXTENSION, 13, 2, 3, true},
  {"marker 0", SEQUENCE_EXTENSION, 31, 1, 0, true},
  {"picture_coding_type 0", PICTURE, 10, 3, 0, false},
  {"picture_coding_type 5", PICTURE, 10, 3, 5, false},
  {"picture_coding_type 6", PICTURE, 10, 3, 6, false},
  {"picture_coding_type 7", PICTURE, 10, 3, 7, false},
  {"extra information without end", PICTURE, 37 + 18, 1, 1, false},
  {"picture_structure 0", CODING, 22, 2, 0, false},
  {"picture_structure 2", CODING, 22, 2, 2, true},
  {"first entry 0", MATRIX, 5, 8, 0, false},
  {"last entry 0", MATRIX, 8 + 4 * 512 - 8, 8, 0, false},
};

GST_START_TEST (test_values)
{
  HeaderWriter w;

  write_header (&w, value_rows[__i__].header);
  fail_unless (parse_header (w.data, m2v_bit_writer_size (&w.bits),
          value_rows[__i__].header));
  m2v_patch_bits (w.data, 32 + value_rows[__i__].position, value_rows[__i__].n,
      value_rows[__i__].value);
  fail_unless (parse_header (w.data, m2v_bit_writer_size (&w.bits),
          value_rows[__i__].header)
      == value_rows[__i__].ok, "%s", value_rows[__i__].what);
}

GST_END_TEST;

/* The row gives a set of matrices to load: what each is afterwards. */
GST_START_TEST (test_quant_matrix)
{
  uint8_t out[M2V_QUANT_MATRIX_MAX_SIZE + 1];
  M2vMatrices from, to, expected;
  unsigned loaded = 99;
  size_t size;

  m2v_matrices_init (&from);
  for (unsigned i = 0; i < M2V_N_MATRICES; i++)
    make_matrix (to.matrix[i], 60 * i);
  expected = from;
  for (unsigned i = 0; i < M2V_N_MATRICES; i++) {
    if (!(__i__ >> i & 1))
      continue;
    memcpy (expected.matrix[i], to.matrix[i], 64);
    if (i < 2)
      memcpy (expected.matrix[i + 2], to.matrix[i], 64);
  }
  memset (out, 0x55, sizeof out);
  size = m2v_write_quant_matrix (out, &to, (unsigned) __i__);
  fail_unless_equals_uint64 (size,
      5 + 64 * (unsigned) __builtin_popcount ((unsigned) __i__));
  fail_unless_equals_int (out[size], 0x55);
  fail_unless_equals_int (m2v_extension_id (out, size), 3);
  fail_unless (m2v_parse_quant_matrix (out, size, &from, &loaded));
  fail_unless_equals_int (loaded, __i__);
  fail_unless (memcmp (&from, &expected, sizeof from) == 0);
}

GST_END_TEST;

/* Sending the difference makes both equal, with nothing loaded in vain, and no
 * chrominance matrices where they are the luminance's. */
GST_START_TEST (test_matrices_difference)
{
  for (unsigned bits = 0; bits < 256; bits++) {
    uint8_t out[M2V_QUANT_MATRIX_MAX_SIZE];
    M2vMatrices m[2];
    unsigned mask, loaded, n_needed = 0;

    /* Two choices a matrix and side. */
    for (unsigned i = 0; i < 8; i++)
      make_matrix (m[i / 4].matrix[i % 4], bits >> i & 1);
    for (unsigned i = 0; i < 2; i++) {
      bool luma = memcmp (m[0].matrix[i], m[1].matrix[i], 64) != 0;
      bool chroma = memcmp (luma ? m[1].matrix[i] : m[0].matrix[i + 2],
          m[1].matrix[i + 2], 64) != 0;

      n_needed += luma + chroma;
    }
    mask = m2v_matrices_difference (&m[0], &m[1]);
    fail_unless_equals_int (__builtin_popcount (mask), n_needed);
    if (memcmp (m[1].matrix[0], m[1].matrix[2], 128) == 0)
      fail_unless ((mask & ~3u) == 0);
    if (mask) {
      fail_unless (m2v_parse_quant_matrix (out, m2v_write_quant_matrix (out,
                  &m[1], mask), &m[0], &loaded));
    }
    fail_unless (memcmp (&m[0], &m[1], sizeof m[0]) == 0);
  }
}

GST_END_TEST;

GST_START_TEST (test_extension_id)
{
  static const uint8_t data[] = { 0, 0, 1, 0xb5, 0x8f };
  static const uint8_t user_data[] = { 0, 0, 1, 0xb2, 0x8f };

  fail_unless_equals_int (m2v_extension_id (data, 5), 8);
  fail_unless_equals_int (m2v_extension_id (data, 4), 0);
  fail_unless_equals_int (m2v_extension_id (data, 0), 0);
  fail_unless_equals_int (m2v_extension_id (user_data, 5), 0);
}

GST_END_TEST;

static Suite *
headers_suite (void)
{
  Suite *s = suite_create ("mpeg2-headers");
  TCase *tc = tcase_create ("headers");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_default_matrices);
  tcase_add_loop_test (tc, test_frame_rates, 0, G_N_ELEMENTS (frame_rates));
  tcase_add_loop_test (tc, test_rates, 0, G_N_ELEMENTS (rates));
  tcase_add_test (tc, test_sequence_mpeg1);
  tcase_add_loop_test (tc, test_sequence_extension, 0, 4);
  tcase_add_loop_test (tc, test_sequence_matrices, 0, 4);
  tcase_add_loop_test (tc, test_group, 0, 4);
  tcase_add_loop_test (tc, test_picture, 0, G_N_ELEMENTS (pictures));
  tcase_add_loop_test (tc, test_coding, 0, 10);
  tcase_add_test (tc, test_coding_init);
  tcase_add_loop_test (tc, test_cut_short, 0, N_HEADERS);
  tcase_add_loop_test (tc, test_other_header, 0, N_HEADERS);
  tcase_add_loop_test (tc, test_values, 0, G_N_ELEMENTS (value_rows));
  tcase_add_loop_test (tc, test_quant_matrix, 0, 16);
  tcase_add_test (tc, test_matrices_difference);
  tcase_add_test (tc, test_extension_id);
  return s;
}

GST_CHECK_MAIN (headers);
