/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <mpeg2scaling/picture.h>

/* Frames in coded order; X: unreadable. */
static const struct
{
  gchar type;
  guint temporal_reference;
  gboolean starts_group, discont;
  guint distance;
} rows[] = {
  {'I', 2, TRUE, FALSE, 3},
  {'B', 0, FALSE, FALSE, 2},
  {'B', 1, FALSE, FALSE, 1},
  {'P', 5, FALSE, FALSE, 3},
  {'B', 3, FALSE, FALSE, 2},
  /* Nothing says what is missing. */
  {'P', 8, FALSE, TRUE, 0},
  {'P', 11, FALSE, FALSE, 3},
  {'X', 0, FALSE, FALSE, 0},
  {'P', 17, FALSE, FALSE, 0},
  /* Modulo 1024. */
  {'P', 1022, FALSE, FALSE, 1005},
  {'P', 1, FALSE, FALSE, 3},
  {'B', 1023, FALSE, FALSE, 2},
  {'I', 0, TRUE, FALSE, 1},
  {'P', 0, FALSE, FALSE, 0},
  {'D', 1, FALSE, FALSE, 1023},
};

GST_START_TEST (test_pictures)
{
  M2vLastReference last = { FALSE, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    M2vFrame frame = {.size = 100 + i,.duration = 40 };
    ScalingPicture p;
    gchar type = rows[i].type;

    frame.valid = type != 'X';
    frame.type = frame.valid ? strchr ("IPBD", type) - "IPBD" + 1 : 0;
    frame.temporal_reference = rows[i].temporal_reference;
    frame.starts_group = rows[i].starts_group;
    frame.discont = rows[i].discont;
    m2v_scaling_picture (&last, &frame, &p);
    fail_unless_equals_int (p.readable, type != 'X');
    fail_unless_equals_int (p.key, type == 'I' || type == 'D');
    fail_unless_equals_int (p.reference, type == 'I' || type == 'P');
    fail_unless_equals_int (p.discont, rows[i].discont);
    fail_unless_equals_uint64 (p.bytes, 100 + i);
    fail_unless_equals_int64 (p.duration, 40);
    if (frame.valid)
      fail_unless (p.distance == rows[i].distance, "row %u: %u", i, p.distance);
  }
}

GST_END_TEST;

static Suite *
picture_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-picture");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_pictures);
  return s;
}

GST_CHECK_MAIN (picture);
