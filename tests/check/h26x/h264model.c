/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <h26x/h264model.h>

#include "testslice.h"

/* A stream: of each picture the kind (test_slice; r is an I picture that is a
 * recovery point and reference), frame_num, order count, what it refers to, and
 * what a decoder makes of it if those passed that say so. */
typedef struct
{
  gchar kind;
  guint frame_num, order;
  const gchar *references;
  gboolean passes;
  H264Verdict verdict;
} Row;

#define PASS TRUE, H264_DECODES
#define DROP FALSE, H264_DECODES
#define GAPS FALSE, H264_DECODES_WITH_GAPS
#define GONE FALSE, H264_DIFFERS

static const H26xPicture *
read_picture (H264Model * m, const H264Sps * sps, const H264Slice * slice,
    gboolean recovery)
{
  h264_model_begin (m, false);
  h264_model_slice (m, sps, slice);
  return h264_model_end (m, recovery, 0);
}

static void
check_references (const H26xPicture * picture, const gchar * expected)
{
  gchar **ids = g_strsplit (expected, " ", -1);

  fail_unless_equals_int (picture->n_references, g_strv_length (ids));
  for (guint i = 0; ids[i]; i++) {
    guint k = 0;

    while (k < picture->n_references
        && picture->references[k] != g_ascii_strtoull (ids[i], NULL, 10))
      k++;
    fail_unless (k < picture->n_references, "%s of %s", ids[i], expected);
  }
  g_strfreev (ids);
}

static H264Slice
row_slice (const Row * row, guint n_active)
{
  H264Slice slice = test_slice (row->kind == 'r' ? 'I' : row->kind,
      H264_FRAME, row->frame_num, row->order);

  slice.n_active[0] = n_active;
  slice.n_active[1] = 1;
  return slice;
}

static void
check_rows (const Row * rows, const H264Sps * sps, guint n_active)
{
  H264Model m;

  h264_model_init (&m);
  for (guint i = 0; rows[i].kind; i++) {
    H264Slice slice = row_slice (&rows[i], n_active);
    const H26xPicture *picture =
        read_picture (&m, sps, &slice, rows[i].kind == 'r');

    fail_unless (picture->readable);
    fail_unless_equals_int64 (picture->id, i + 1);
    fail_unless_equals_int (picture->random_access,
        strchr ("Dr", rows[i].kind) != NULL);
    fail_unless_equals_int (picture->idr, rows[i].kind == 'D');
    fail_unless_equals_int (picture->disposable, !slice.reference);
    fail_unless_equals_int (picture->counts, slice.reference);
    if (rows[i].references)
      check_references (picture, rows[i].references);
    fail_unless_equals_int (h264_model_verdict (&m), rows[i].verdict);
    if (rows[i].passes)
      h264_model_passed (&m);
  }
}

GST_START_TEST (test_disposable)
{
  static const Row rows[] = {
    {'D', 0, 0, "", PASS}, {'P', 1, 8, "1", PASS}, {'b', 2, 4, "1 2", DROP},
    {'P', 2, 16, "2", PASS}, {'b', 3, 12, "2 4", PASS},
    {'P', 3, 24, "4", PASS}, {0}
  };
  H264Sps sps = test_sps (2);

  check_rows (rows, &sps, 1);
}

GST_END_TEST;

/* Where most of a sequence has gone, a decoder counts otherwise from a
 * random-access picture on: as good, if that is shown after all before it, and
 * but for what leads it. */
GST_START_TEST (test_shift)
{
  static const Row later[] = {
    {'D', 0, 0, "", PASS}, {'P', 1, 8, "1", PASS}, {'P', 2, 32, "2", DROP},
    {'P', 3, 56, "3", GONE}, {'r', 4, 16, "", TRUE, H264_DECODES_WITH_GAPS},
    {'b', 5, 12, NULL, GONE}, {'P', 5, 24, "5", PASS},
    {'P', 6, 40, "7", DROP}, {'P', 7, 60, "8", GONE},
    {'r', 8, 20, "", GONE}, {'r', 9, 40, "", TRUE, H264_DECODES_WITH_GAPS},
    {'P', 10, 44, "11", PASS}, {'D', 0, 0, "", PASS}, {'P', 1, 8, "13", PASS},
    {0}
  };
  H264Sps sps = test_sps (4);

  check_rows (later, &sps, 1);
}

GST_END_TEST;

GST_START_TEST (test_tail)
{
  static const Row closed[] = {
    {'D', 0, 0, "", PASS}, {'P', 1, 8, "1", PASS}, {'P', 2, 16, "2 1", DROP},
    {'P', 3, 24, "3 2", GONE}, {'p', 4, 26, "4 3", GONE},
    {'D', 0, 0, "", PASS}, {'P', 1, 4, "6", PASS}, {0}
  };
  /* Before I 5, frame_num skips 3; B 6 lacks 3 and 4, and so does P 7. */
  static const Row open[] = {
    {'D', 0, 0, "", PASS}, {'P', 1, 8, "1", PASS}, {'P', 2, 16, "2 1", DROP},
    {'P', 3, 24, "3 2", GONE}, {'r', 4, 32, "", GAPS},
    {'b', 5, 28, "4 3 5", GONE}, {'P', 5, 40, "5 4", GONE}, {0}
  };
  H264Sps sps = test_sps (4);

  check_rows (closed, &sps, 2);
  check_rows (open, &sps, 2);
}

GST_END_TEST;

GST_START_TEST (test_open_with_gaps)
{
  static const Row rows[] = {
    {'D', 0, 0, "", PASS}, {'P', 1, 8, "1", DROP}, {'P', 2, 16, "2", GONE},
    {'r', 3, 24, "", PASS}, {'b', 4, 20, "3 4", GONE},
    {'P', 4, 32, "4", PASS}, {'b', 5, 28, "4 6", PASS}, {0}
  };
  H264Sps sps = test_sps (4);

  sps.gaps_allowed = true;
  check_rows (rows, &sps, 1);
}

GST_END_TEST;

/* Pictures that an IDR picture precedes in coded order, and not in output order,
 * are shown after all of the sequence before. */
GST_START_TEST (test_before_idr)
{
  static const Row rows[] = {
    {'D', 0, 0, NULL, PASS}, {'P', 1, 8, NULL, PASS}, {'D', 0, 0, NULL, PASS},
    {'b', 1, 60, NULL, PASS}, {0}
  };
  H264Sps sps = test_sps (2);
  gint64 orders[4];
  H264Model m;

  h264_model_init (&m);
  for (guint i = 0; i < 4; i++) {
    H264Slice slice = row_slice (&rows[i], 1);

    slice.idr_id = (guint16) (i / 2);
    orders[i] = read_picture (&m, &sps, &slice, false)->order;
    h264_model_passed (&m);
  }
  fail_unless_equals_int64 (orders[1] - orders[0], 8);
  fail_unless_equals_int64 (orders[2] - orders[3], 4);
  fail_unless (orders[3] > orders[1]);
}

GST_END_TEST;

GST_START_TEST (test_cycles)
{
  /* Order counts may move by half of 64, or back to what is shown later than all
   * before; frame_num not by all of 16. */
  static const Row far[] = {
    {'D', 0, 0, "", PASS}, {'P', 1, 30, "1", DROP}, {'r', 2, 33, "", GONE},
    {0}
  };
  static const Row near[] = {
    {'D', 0, 0, "", PASS}, {'P', 1, 30, "1", DROP}, {'r', 2, 32, "", PASS},
    {0}
  };
  H264Sps sps = test_sps (4);
  H264Model m;

  sps.gaps_allowed = true;
  check_rows (far, &sps, 1);
  check_rows (near, &sps, 1);

  sps.order_type = 2;
  for (guint skipped = 14; skipped < 18; skipped++) {
    h264_model_init (&m);
    for (guint i = 0; i <= skipped + 1; i++) {
      H264Slice slice = test_slice (i == 0 ? 'D' : 'I', H264_FRAME, i & 15, 0);

      read_picture (&m, &sps, &slice, true);
      if (i == 0)
        h264_model_passed (&m);
    }
    /* after a whole cycle the decoder takes it for the first one */
    fail_unless_equals_int (h264_model_verdict (&m),
        skipped == 15 ? H264_DIFFERS : H264_DECODES);
  }
}

GST_END_TEST;

GST_START_TEST (test_leading)
{
  static const Row rows[] = {
    {'D', 0, 0, "", PASS}, {'P', 1, 8, "1", PASS}, {'r', 2, 24, "", PASS},
    {'B', 3, 16, "2 3", PASS}, {'b', 4, 20, "4 3", PASS},
    {'P', 4, 32, "4", PASS}, {'D', 0, 0, "", PASS}, {'P', 1, 8, "7", PASS},
    {0}
  };
  H264Sps sps = test_sps (4);
  H264Model m;
  gint64 last = -1;

  check_rows (rows, &sps, 1);

  h264_model_init (&m);
  for (guint i = 0; rows[i].kind; i++) {
    H264Slice slice = row_slice (&rows[i], 1);
    const H26xPicture *picture =
        read_picture (&m, &sps, &slice, rows[i].kind == 'r');

    fail_unless_equals_int (picture->leading, i == 3 || i == 4);
    /* order counts grow beyond an IDR picture */
    if (i == 6)
      fail_unless (picture->order > last);
    last = MAX (last, picture->order);
    fail_unless_equals_int (picture->order_cycle, 64);
    fail_unless_equals_int (picture->frame_num_gap_limit, 16);
  }
}

GST_END_TEST;

GST_START_TEST (test_markings)
{
  H264Sps sps = test_sps (4);
  H264Slice slice;
  H264Model m;

  /* P 4 marks 3 as unused. Without it 5 would refer to 3. */
  h264_model_init (&m);
  for (guint i = 0; i < 3; i++) {
    slice = test_slice (i == 0 ? 'D' : 'P', H264_FRAME, i, 4 * i);
    read_picture (&m, &sps, &slice, false);
    h264_model_passed (&m);
  }
  slice = test_slice ('P', H264_FRAME, 3, 12);
  slice.n_active[0] = 1;
  test_mark (&slice, 1, 0, 0);
  read_picture (&m, &sps, &slice, false);
  sps.gaps_allowed = false;
  slice = test_slice ('P', H264_FRAME, 4, 16);
  slice.n_active[0] = 2;
  check_references (read_picture (&m, &sps, &slice, false), "4 2");
  fail_unless_equals_int (h264_model_verdict (&m), H264_DIFFERS);
}

GST_END_TEST;

GST_START_TEST (test_fields)
{
  H264Sps sps = test_sps (4);
  H264Slice slice = test_slice ('D', H264_TOP, 0, 0);
  const H26xPicture *picture;
  H264Model m;

  /* both in one access unit, or each in its own: one picture */
  h264_model_init (&m);
  h264_model_begin (&m, true);
  h264_model_slice (&m, &sps, &slice);
  slice = test_slice ('P', H264_BOTTOM, 0, 1);
  h264_model_slice (&m, &sps, &slice);
  picture = h264_model_end (&m, false, 2);
  fail_unless (picture->readable && picture->idr && picture->random_access);
  fail_unless_equals_int (picture->n_references, 0);
  fail_unless_equals_int (picture->layer, 2);
  h264_model_passed (&m);

  slice = test_slice ('P', H264_TOP, 1, 4);
  picture = read_picture (&m, &sps, &slice, false);
  fail_unless_equals_int (picture->id, 2);
  check_references (picture, "1");
  h264_model_passed (&m);
  slice = test_slice ('P', H264_BOTTOM, 1, 5);
  picture = read_picture (&m, &sps, &slice, false);
  fail_unless_equals_int (picture->id, 2);
  check_references (picture, "1");
  fail_unless_equals_int (h264_model_verdict (&m), H264_DECODES);
  h264_model_passed (&m);

  /* a second field without the first */
  slice = test_slice ('p', H264_TOP, 2, 8);
  fail_unless_equals_int (read_picture (&m, &sps, &slice, false)->id, 3);
  slice = test_slice ('p', H264_BOTTOM, 2, 9);
  fail_unless_equals_int (read_picture (&m, &sps, &slice, false)->id, 3);
  fail_unless_equals_int (h264_model_verdict (&m), H264_DIFFERS);

  /* a first field whose second one may refer to what is missing */
  h264_model_init (&m);
  sps.gaps_allowed = true;
  for (guint together = 0; together < 2; together++) {
    h264_model_init (&m);
    slice = test_slice ('D', H264_FRAME, 0, 0);
    read_picture (&m, &sps, &slice, false);
    h264_model_passed (&m);
    slice = test_slice ('P', H264_FRAME, 1, 4);
    read_picture (&m, &sps, &slice, false);
    h264_model_begin (&m, true);
    slice = test_slice ('I', H264_TOP, 2, 8);
    h264_model_slice (&m, &sps, &slice);
    /* the first field alone */
    slice = test_slice ('P', H264_BOTTOM, 2, 9);
    slice.n_active[0] = 1;
    test_modify (&slice, 0, 0, 0);
    if (together)
      h264_model_slice (&m, &sps, &slice);
    h264_model_end (&m, true, 0);
    fail_unless_equals_int (h264_model_verdict (&m),
        together ? H264_DECODES : H264_DIFFERS);
  }
  sps.gaps_allowed = false;

  /* fields of other frames do not belong together */
  h264_model_init (&m);
  h264_model_begin (&m, true);
  slice = test_slice ('p', H264_TOP, 2, 10);
  h264_model_slice (&m, &sps, &slice);
  slice = test_slice ('p', H264_BOTTOM, 3, 11);
  h264_model_slice (&m, &sps, &slice);
  fail_if (h264_model_end (&m, false, 0)->readable);
}

GST_END_TEST;

GST_START_TEST (test_idr_alike)
{
  H264Sps sps = test_sps (4);
  H264Slice slice = test_slice ('D', H264_FRAME, 0, 0);
  H264Slice p = test_slice ('P', H264_FRAME, 1, 2);
  H264Model m;

  /* Between IDR pictures with the same idr_pic_id there was a P. */
  for (guint id = 0; id < 2; id++)
    for (guint delimited = 0; delimited < 2; delimited++) {
      h264_model_init (&m);
      slice.idr_id = 0;
      read_picture (&m, &sps, &slice, false);
      h264_model_passed (&m);
      read_picture (&m, &sps, &p, false);
      h264_model_begin (&m, delimited);
      slice.idr_id = id;
      h264_model_slice (&m, &sps, &slice);
      h264_model_end (&m, false, 0);
      fail_unless_equals_int (h264_model_verdict (&m),
          id == 0 && !delimited ? H264_DIFFERS : H264_DECODES);
    }
}

GST_END_TEST;

GST_START_TEST (test_unreadable)
{
  H264Sps sps = test_sps (4), other = test_sps (3);
  H264Slice idr = test_slice ('D', H264_FRAME, 0, 0);
  H264Slice p = test_slice ('P', H264_FRAME, 1, 2);
  const H26xPicture *picture;
  H264Model m;

  h264_model_init (&m);
  h264_model_begin (&m, false);
  fail_unless (h264_model_end (&m, false, 0) == NULL);
  fail_unless_equals_int (read_picture (&m, &sps, &idr, false)->id, 1);
  h264_model_passed (&m);

  /* all up to the next IDR picture is unknown, and passes */
  h264_model_begin (&m, false);
  h264_model_unreadable (&m);
  picture = h264_model_end (&m, false, 0);
  fail_if (picture->readable);
  fail_unless_equals_int (picture->id, 2);
  picture = read_picture (&m, &sps, &p, false);
  fail_if (picture->readable);
  fail_unless_equals_int (picture->id, 3);
  fail_unless_equals_int (h264_model_verdict (&m), H264_DECODES);
  h264_model_passed (&m);
  fail_unless (read_picture (&m, &sps, &idr, false)->readable);

  /* parameter sets that change without an IDR picture */
  fail_if (read_picture (&m, &other, &p, false)->readable);
  fail_unless (read_picture (&m, &other, &idr, false)->readable);
  fail_unless (read_picture (&m, &other, &p, false)->readable);

  /* slices that are not of one picture */
  h264_model_begin (&m, false);
  h264_model_slice (&m, &other, &p);
  p.frame_num = 2;
  h264_model_slice (&m, &other, &p);
  fail_if (h264_model_end (&m, false, 0)->readable);
}

GST_END_TEST;

static Suite *
h264model_suite (void)
{
  Suite *s = suite_create ("h264model");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_disposable);
  tcase_add_test (tc, test_tail);
  tcase_add_test (tc, test_shift);
  tcase_add_test (tc, test_before_idr);
  tcase_add_test (tc, test_open_with_gaps);
  tcase_add_test (tc, test_cycles);
  tcase_add_test (tc, test_leading);
  tcase_add_test (tc, test_markings);
  tcase_add_test (tc, test_fields);
  tcase_add_test (tc, test_idr_alike);
  tcase_add_test (tc, test_unreadable);
  return s;
}

GST_CHECK_MAIN (h264model);
