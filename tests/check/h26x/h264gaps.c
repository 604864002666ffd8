/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <string.h>

#include <gst/check/gstcheck.h>
#include <h26x/h264gaps.h>

/* Parameter sets as strings of bits, spaces ignored; g is the flag. */
static const struct
{
  const gchar *bits;
  gboolean settable;
} rows[] = {
  /* Baseline; order type 0; 3 references */
  {"01100111 01000010 00000000 00011110 1 00101 1 00101 00100 g 1111", TRUE},
  /* order type 2 */
  {"01100111 01000010 00000000 00011110 1 00101 011 1 g 00000000", TRUE},
  /* order type 1 with a cycle of 2 */
  {"01100111 01000010 00000000 00011110 1 1 010 0 1 00101 011 010 011 1 g 11",
      TRUE},
  /* High, with an escaped zero, and scaling lists: of 16 values, cut short, and
   * of 64 */
  {"01100111 01100100 00000000 00000000 00000011 00000001 0000000 010 1 1 0 1 "
        "1 11111111 11111111 1 000010001 0000 1 000010001 0 1 011 010 g 1111",
      TRUE},
  /* the byte that has it is escaped */
  {"01100111 01000010 00000000 00000000 00000011 00000001", FALSE},
  /* cut short, and of another type */
  {"01100111 01000010 00000000 00011110 1", FALSE},
  {"01101000 01000010 00000000 00011110 1 00101 011 1 g 00000000", FALSE},
};

static gsize
write_bits (const gchar * bits, gboolean flag, guint8 * data)
{
  gsize n = 0;

  memset (data, 0, 64);
  for (; *bits; bits++) {
    if (*bits == ' ')
      continue;
    if (*bits == '1' || (*bits == 'g' && flag))
      data[n / 8] |= 0x80 >> n % 8;
    n++;
  }
  return (n + 7) / 8;
}

GST_START_TEST (test_flag)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    guint8 data[64], expected[64];
    gsize size = write_bits (rows[i].bits, FALSE, data);

    write_bits (rows[i].bits, rows[i].settable, expected);
    fail_unless_equals_int (h264_sps_allow_gaps (data, size), rows[i].settable);
    fail_unless (memcmp (data, expected, size) == 0, "row %u", i);
    if (rows[i].settable)
      fail_unless (h264_sps_allow_gaps (data, size));
    fail_unless (memcmp (data, expected, size) == 0, "row %u", i);
  }
}

GST_END_TEST;

GST_START_TEST (test_hostile)
{
  GRand *random = g_rand_new_with_seed (1);

  for (guint i = 0; i < 20000; i++) {
    guint8 data[24], copy[24];
    gsize size = g_rand_int_range (random, 0, sizeof data);
    guint changed = 0;

    for (guint k = 0; k < size; k++)
      data[k] = g_rand_boolean (random) ? 0 : g_rand_int (random);
    if (size > 1) {
      data[0] = 0x67;
      data[1] = g_rand_boolean (random) ? 100 : 66;
    }
    memcpy (copy, data, size);
    h264_sps_allow_gaps (data, size);
    for (guint k = 0; k < 8 * size; k++)
      changed += (data[k / 8] ^ copy[k / 8]) >> k % 8 & 1;
    fail_unless (changed <= 1);
  }
  g_rand_free (random);
}

GST_END_TEST;

static Suite *
h264gaps_suite (void)
{
  Suite *s = suite_create ("h264gaps");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_flag);
  tcase_add_test (tc, test_hostile);
  return s;
}

GST_CHECK_MAIN (h264gaps);
