/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "header.h"

#include <string.h>

/* The fields as RFC 2250's figures place them. */
static const struct
{
  const char *what;
  size_t size;
  uint8_t bytes[RTP_MPEG_HEADER_MAX_SIZE];
  RtpMpegHeader header;
} rows[] = {
  /* *INDENT-OFF* */
  {"nothing", 4, {0}, {.type = 0}},
  {"TR, all ones", 4, {0x03, 0xff, 0x00, 0x00}, {.temporal_reference = 1023}},
  {"TR, first bit", 4, {0x02, 0x00, 0x00, 0x00}, {.temporal_reference = 512}},
  {"TR, last bit", 4, {0x00, 0x01, 0x00, 0x00}, {.temporal_reference = 1}},
  {"AN", 4, {0, 0, 0x80, 0}, {.active_n = true}},
  {"N", 4, {0, 0, 0x40, 0}, {.new_header = true}},
  {"S", 4, {0, 0, 0x20, 0}, {.sequence = true}},
  {"B", 4, {0, 0, 0x10, 0}, {.begin_slice = true}},
  {"E", 4, {0, 0, 0x08, 0}, {.end_slice = true}},
  {"P, I", 4, {0, 0, 0x01, 0}, {.type = 1}},
  {"P, D", 4, {0, 0, 0x04, 0}, {.type = 4}},
  {"FBV", 4, {0, 0, 0, 0x80}, {.full_pel = {false, true}}},
  {"BFC", 4, {0, 0, 0, 0x50}, {.f_code = {0, 5}}},
  {"FFV", 4, {0, 0, 0, 0x08}, {.full_pel = {true, false}}},
  {"FFC", 4, {0, 0, 0, 0x06}, {.f_code = {6, 0}}},
  {"T, nothing", 8, {0x04}, {.has_extension = true}},
  {"f_code[0][0]", 8, {4, 0, 0, 0, 0x3c}, {.has_extension = true,
      .coding.f_code[0][0] = 15}},
  {"f_code[0][1]", 8, {4, 0, 0, 0, 0x03, 0xc0}, {.has_extension = true,
      .coding.f_code[0][1] = 15}},
  {"f_code[1][0]", 8, {4, 0, 0, 0, 0, 0x3c}, {.has_extension = true,
      .coding.f_code[1][0] = 15}},
  {"f_code[1][1]", 8, {4, 0, 0, 0, 0, 0x03, 0xc0}, {.has_extension = true,
      .coding.f_code[1][1] = 15}},
  {"DC", 8, {4, 0, 0, 0, 0, 0, 0x30}, {.has_extension = true,
      .coding.intra_dc_precision = 3}},
  {"PS", 8, {4, 0, 0, 0, 0, 0, 0x08}, {.has_extension = true,
      .coding.structure = M2V_BOTTOM_FIELD}},
  {"T", 8, {4, 0, 0, 0, 0, 0, 0x02}, {.has_extension = true,
      .coding.top_field_first = true}},
  {"P", 8, {4, 0, 0, 0, 0, 0, 0x01}, {.has_extension = true,
      .coding.frame_pred_frame_dct = true}},
  {"C", 8, {4, 0, 0, 0, 0, 0, 0, 0x80}, {.has_extension = true,
      .coding.concealment_motion_vectors = true}},
  {"Q", 8, {4, 0, 0, 0, 0, 0, 0, 0x40}, {.has_extension = true,
      .coding.q_scale_type = true}},
  {"V", 8, {4, 0, 0, 0, 0, 0, 0, 0x20}, {.has_extension = true,
      .coding.intra_vlc_format = true}},
  {"A", 8, {4, 0, 0, 0, 0, 0, 0, 0x10}, {.has_extension = true,
      .coding.alternate_scan = true}},
  {"R", 8, {4, 0, 0, 0, 0, 0, 0, 0x08}, {.has_extension = true,
      .coding.repeat_first_field = true}},
  {"H", 8, {4, 0, 0, 0, 0, 0, 0, 0x04}, {.has_extension = true,
      .coding.chroma_420_type = true}},
  {"G", 8, {4, 0, 0, 0, 0, 0, 0, 0x02}, {.has_extension = true,
      .coding.progressive_frame = true}},
  {"D", 12, {4, 0, 0, 0, 0, 0, 0, 0x01, 0x00, 0x0a, 0xbc, 0xde},
      {.has_extension = true, .coding.composite_display = true,
      .coding.composite_display_info = 0xabcde}},
  {"together", 8, {0x05, 0x55, 0xf9, 0x7b, 0x08, 0x90, 0xfb, 0xaa},
      {.has_extension = true, .temporal_reference = 0x155, .active_n = true,
      .new_header = true, .sequence = true, .begin_slice = true,
      .end_slice = true, .type = 1, .full_pel = {true, false},
      .f_code = {3, 7}, .coding = {.f_code = {{2, 2}, {4, 3}},
      .intra_dc_precision = 3, .structure = M2V_BOTTOM_FIELD,
      .top_field_first = true, .frame_pred_frame_dct = true,
      .concealment_motion_vectors = true, .intra_vlc_format = true,
      .repeat_first_field = true, .progressive_frame = true}}},
  /* *INDENT-ON* */
};

static void
assert_same (const RtpMpegHeader * a, const RtpMpegHeader * b)
{
  const M2vPictureCoding *x = &a->coding, *y = &b->coding;

  fail_unless_equals_int (a->has_extension, b->has_extension);
  fail_unless_equals_int (a->temporal_reference, b->temporal_reference);
  fail_unless_equals_int (a->active_n, b->active_n);
  fail_unless_equals_int (a->new_header, b->new_header);
  fail_unless_equals_int (a->sequence, b->sequence);
  fail_unless_equals_int (a->begin_slice, b->begin_slice);
  fail_unless_equals_int (a->end_slice, b->end_slice);
  fail_unless_equals_int (a->type, b->type);
  for (unsigned i = 0; i < 2; i++) {
    fail_unless_equals_int (a->full_pel[i], b->full_pel[i]);
    fail_unless_equals_int (a->f_code[i], b->f_code[i]);
    for (unsigned k = 0; k < 2; k++)
      fail_unless_equals_int (x->f_code[i][k], y->f_code[i][k]);
  }
  fail_unless_equals_int (x->intra_dc_precision, y->intra_dc_precision);
  fail_unless_equals_int (x->structure, y->structure);
  fail_unless_equals_int (x->top_field_first, y->top_field_first);
  fail_unless_equals_int (x->frame_pred_frame_dct, y->frame_pred_frame_dct);
  fail_unless_equals_int (x->concealment_motion_vectors,
      y->concealment_motion_vectors);
  fail_unless_equals_int (x->q_scale_type, y->q_scale_type);
  fail_unless_equals_int (x->intra_vlc_format, y->intra_vlc_format);
  fail_unless_equals_int (x->alternate_scan, y->alternate_scan);
  fail_unless_equals_int (x->repeat_first_field, y->repeat_first_field);
  fail_unless_equals_int (x->chroma_420_type, y->chroma_420_type);
  fail_unless_equals_int (x->progressive_frame, y->progressive_frame);
  fail_unless_equals_int (x->composite_display, y->composite_display);
  fail_unless_equals_int (x->composite_display_info, y->composite_display_info);
  fail_unless_equals_int (a->extensions_size, b->extensions_size);
}

GST_START_TEST (test_write)
{
  uint8_t out[RTP_MPEG_HEADER_MAX_SIZE];

  memset (out, 0xee, sizeof out);
  fail_unless_equals_int (rtp_mpeg_header_write (&rows[__i__].header, out),
      rows[__i__].size);
  fail_unless (memcmp (out, rows[__i__].bytes, rows[__i__].size) == 0, "%s",
      rows[__i__].what);
  for (size_t i = rows[__i__].size; i < sizeof out; i++)
    fail_unless_equals_int (out[i], 0xee);
}

GST_END_TEST;

/* Whole, and with its end missing. */
GST_START_TEST (test_parse)
{
  RtpMpegHeader h;

  fail_unless_equals_int (rtp_mpeg_header_parse (rows[__i__].bytes,
          sizeof rows[__i__].bytes, &h), rows[__i__].size);
  assert_same (&h, &rows[__i__].header);
  for (size_t size = 0; size < rows[__i__].size; size++) {
    uint8_t *cut = g_memdup2 (rows[__i__].bytes, size);

    fail_unless_equals_int (rtp_mpeg_header_parse (cut, size, &h), 0);
    g_free (cut);
  }
}

GST_END_TEST;

/* Reserved bits are not ours to judge; out of range values do not spill into
 * other fields. */
GST_START_TEST (test_tolerance)
{
  static const uint8_t reserved[] = { 0xf8, 0, 1, 0, };
  static const uint8_t reserved_extension[] = {
    0xfc, 0, 1, 0, 0x80, 0, 0, 1, 0xff, 0xf0, 0, 0
  };
  RtpMpegHeader wide = {.temporal_reference = 0x7ff,.type = 15,.f_code =
        {15, 15},.has_extension = true,
  };
  uint8_t out[RTP_MPEG_HEADER_MAX_SIZE];
  RtpMpegHeader h;

  fail_unless_equals_int (rtp_mpeg_header_parse (reserved, 4, &h), 4);
  fail_unless_equals_int (h.type, 1);
  fail_unless_equals_int (rtp_mpeg_header_parse (reserved_extension, 12, &h),
      12);
  fail_unless_equals_int (h.coding.composite_display_info, 0);

  wide.coding.f_code[0][0] = 31;
  wide.coding.composite_display = true;
  wide.coding.composite_display_info = 0xffffffff;
  fail_unless_equals_int (rtp_mpeg_header_write (&wide, out), 12);
  fail_unless (memcmp (out, "\x07\xff\x07\x77\x3c\0\0\1\0\x0f\xff\xff",
          12) == 0);
}

GST_END_TEST;

/* Section 3.4.1, E: a length in words, itself included. */
static const struct
{
  uint8_t length;
  bool composite;
  size_t size, expected;
} extensions[] = {
  /* *INDENT-OFF* */
  {0, false, 64, 0},
  {1, false, 64, 12},
  {1, false, 12, 12},
  {1, false, 11, 0},
  {1, false, 8, 0},
  {1, true, 64, 16},
  {13, true, 64, 64},
  {14, true, 64, 0},
  {14, false, 64, 64},
  {255, false, 64, 0},
  /* *INDENT-ON* */
};

GST_START_TEST (test_extensions)
{
  uint8_t *data = g_malloc0 (extensions[__i__].size);
  size_t at = extensions[__i__].composite ? 12 : 8;
  RtpMpegHeader h;

  data[0] = 0x04;
  data[4] = 0x40;
  data[7] = extensions[__i__].composite;
  if (at < extensions[__i__].size)
    data[at] = extensions[__i__].length;
  fail_unless_equals_int (rtp_mpeg_header_parse (data,
          extensions[__i__].size, &h), extensions[__i__].expected);
  if (extensions[__i__].expected > 0)
    fail_unless_equals_int (h.extensions_size, 4 * extensions[__i__].length);
  g_free (data);
}

GST_END_TEST;

GST_START_TEST (test_from_picture)
{
  M2vPicture picture = { 0 };
  RtpMpegHeader h, expected = { 0 };

  picture.mpeg2 = true;
  picture.header.temporal_reference = 700;
  picture.header.type = M2V_PICTURE_B;
  picture.header.full_pel[1] = true;
  picture.header.f_code[0] = 7;
  picture.header.f_code[1] = 5;
  picture.coding.f_code[1][0] = 4;
  picture.coding.structure = M2V_TOP_FIELD;

  expected.active_n = true;
  expected.temporal_reference = 700;
  expected.type = 3;
  expected.full_pel[1] = true;
  expected.f_code[0] = 7;
  expected.f_code[1] = 5;
  expected.coding = picture.coding;

  memset (&h, 0xff, sizeof h);
  rtp_mpeg_header_from_picture (&h, &picture);
  assert_same (&h, &expected);

  picture.mpeg2 = expected.active_n = false;
  rtp_mpeg_header_from_picture (&h, &picture);
  assert_same (&h, &expected);
}

GST_END_TEST;

static Suite *
header_suite (void)
{
  Suite *s = suite_create ("header");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_write, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, test_parse, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_tolerance);
  tcase_add_loop_test (tc, test_extensions, 0, G_N_ELEMENTS (extensions));
  tcase_add_test (tc, test_from_picture);
  return s;
}

GST_CHECK_MAIN (header);
