/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "headerwriter.h"
#include <mpeg2/coding.h>

/* Bits of the extension before its first f_code. */
#define BEFORE 36

static void
write_fields (HeaderWriter * w, unsigned f_code, unsigned dc_precision,
    unsigned structure, unsigned flags)
{
  CodingFields f = { {f_code, f_code ^ 15, f_code ^ 5, f_code ^ 10},
  dc_precision, structure, flags, 0x12345
  };

  header_writer_init (w);
  write_coding (w, &f);
}

static void
read_back (HeaderWriter * w, M2vPictureCoding * coding)
{
  M2vBitReader r;

  memset (coding, 0, sizeof *coding);
  m2v_bit_reader_init (&r, w->data, sizeof w->data);
  m2v_skip_bits (&r, BEFORE);
  m2v_read_coding (&r, coding);
  fail_unless_equals_int (m2v_bit_reader_position (&r), BEFORE + 30);
}

/* Any fields are written as they were read. */
GST_START_TEST (test_as_read)
{
  for (unsigned i = 0; i < 1024; i++) {
    HeaderWriter w;
    M2vPictureCoding coding;
    M2vBitWriter out;
    uint8_t data[16] = { 0 };

    write_fields (&w, i & 15, i & 3, i >> 2 & 3, i);
    read_back (&w, &coding);
    m2v_bit_writer_init (&out, data, sizeof data);
    m2v_write_start_code (&out, 0xb5);
    m2v_write_bits (&out, 8, 4);
    m2v_write_coding (&out, &coding);
    fail_unless_equals_int (m2v_write_align (&out), 9);
    /* of the ninth byte, two bits */
    fail_unless (memcmp (data, w.data, 8) == 0
        && data[8] == (w.data[8] & 0xc0), "%u", i);
  }
}

GST_END_TEST;

/* Each flag is where clause 6.2.3.1 has it. */
GST_START_TEST (test_flags)
{
  static const size_t flags[] = {
    offsetof (M2vPictureCoding, top_field_first),
    offsetof (M2vPictureCoding, frame_pred_frame_dct),
    offsetof (M2vPictureCoding, concealment_motion_vectors),
    offsetof (M2vPictureCoding, q_scale_type),
    offsetof (M2vPictureCoding, intra_vlc_format),
    offsetof (M2vPictureCoding, alternate_scan),
    offsetof (M2vPictureCoding, repeat_first_field),
    offsetof (M2vPictureCoding, chroma_420_type),
    offsetof (M2vPictureCoding, progressive_frame),
    offsetof (M2vPictureCoding, composite_display),
  };
  HeaderWriter w;
  M2vPictureCoding coding;

  for (unsigned i = 0; i < G_N_ELEMENTS (flags); i++) {
    write_fields (&w, 3, 2, 1, 1 << (9 - i));
    read_back (&w, &coding);
    for (unsigned k = 0; k < G_N_ELEMENTS (flags); k++)
      fail_unless (*(bool *) ((char *) &coding + flags[k]) == (i == k));
    fail_unless_equals_int (coding.intra_dc_precision, 2);
    fail_unless_equals_int (coding.structure, M2V_TOP_FIELD);
    fail_unless_equals_int (coding.f_code[0][0], 3);
    fail_unless_equals_int (coding.f_code[0][1], 3 ^ 15);
    fail_unless_equals_int (coding.f_code[1][0], 3 ^ 5);
    fail_unless_equals_int (coding.f_code[1][1], 3 ^ 10);
  }
}

GST_END_TEST;

static Suite *
coding_suite (void)
{
  Suite *s = suite_create ("coding");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_as_read);
  tcase_add_test (tc, test_flags);
  return s;
}

GST_CHECK_MAIN (coding);
