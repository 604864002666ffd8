/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Buffer models by hand: a picture a line, at 25 pictures/s unless said.
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include <mpeg2/clock.h>
#include <mpeg2/splitter.h>
#include <ratecontrol/vbv.h>

#define PERIOD (RATECONTROL_SECOND / 25)
#define VARIABLE VBV_DELAY_VARIABLE

typedef struct
{
  gint64 rate, size;
  guint delay;
  gint64 bits[4];               /* of the pictures, -1 ends */
  VbvResult results[4];
  gint64 room;                  /* after them */
  guint next_delay;
} VbvRow;

/* At 1 Mb/s 40000 bits arrive from picture to picture, and 9000 / 90 kHz are
 * 100000 bits. */
static const VbvRow vbv_rows[] = {
  /* Variable rate: the first is taken from a full buffer. */
  {1000000, 200000, VARIABLE, {-1}, {0}, 200000, VARIABLE},
  {1000000, 200000, VARIABLE, {150000, -1}, {0}, 90000, VARIABLE},
  {1000000, 200000, VARIABLE, {200000, 40000, 40000, -1}, {0}, 40000, VARIABLE},
  {1000000, 200000, VARIABLE, {200001, -1}, {VBV_UNDERFLOW}, 40000,
      VARIABLE},
  {1000000, 200000, VARIABLE, {200000, 40001, 40000, -1},
      {VBV_OK, VBV_UNDERFLOW}, 40000, VARIABLE},
  /* It stops when full, and never overflows. */
  {1000000, 200000, VARIABLE, {30000, 0, 0, -1}, {0}, 200000, VARIABLE},
  /* Constant rate. */
  {1000000, 200000, 9000, {-1}, {0}, 100000, 9000},
  {1000000, 200000, 9000, {100000, 30000, -1}, {0}, 50000, 4500},
  {1000000, 200000, 9000, {100001, 40000, -1}, {VBV_UNDERFLOW}, 40000,
      3600},
  {1000000, 100000, 9000, {40000, 40000, 39999, -1}, {0}, 100000, 9000},
  {1000000, 100000, 9000, {39000, 40000, -1},
      {VBV_OK, VBV_OVERFLOW}, 100000, 9000},
  {1000000, 100000, 9001, {0, -1}, {VBV_OVERFLOW}, 100000, 12600},
  /* Hostile: nothing overflows, an empty buffer holds nothing. */
  {INT64_MAX, INT64_MAX, VARIABLE, {INT64_MAX, INT64_MIN, -1}, {0},
      G_GINT64_CONSTANT (40000000000) * 2, VARIABLE},
  {INT64_MIN, INT64_MIN, VARIABLE, {1, -1}, {VBV_UNDERFLOW}, 0, VARIABLE},
  {0, 1000, 0, {0, -1}, {0}, 0, VARIABLE},
  {1000000, G_GINT64_CONSTANT (900000000000), 9000,
      {0, -1}, {0}, 140000, 12600},
};

GST_START_TEST (test_vbv)
{
  const VbvRow *row = &vbv_rows[__i__];
  guint n_underflows = 0, n_overflows = 0;
  Vbv vbv;

  vbv_init (&vbv, row->rate, row->size, row->delay);
  for (guint i = 0; row->bits[i] != -1; i++) {
    fail_unless_equals_int (vbv_picture (&vbv, row->bits[i], PERIOD),
        row->results[i]);
    n_underflows += row->results[i] == VBV_UNDERFLOW;
    n_overflows += row->results[i] == VBV_OVERFLOW;
  }
  fail_unless_equals_int64 (vbv_room (&vbv), row->room);
  fail_unless_equals_int (vbv_delay (&vbv), row->next_delay);
  fail_unless_equals_int (vbv.n_underflows, n_underflows);
  fail_unless_equals_int (vbv.n_overflows, n_overflows);
}

GST_END_TEST;

/* 30000/1001 pictures/s of just the rate: no drift in an hour. */
GST_START_TEST (test_drift)
{
  const gint64 duration = RATECONTROL_SECOND * 1001 / 30000;
  VbvBucket bucket;
  Vbv vbv;
  gint64 sent = 0;

  vbv_init (&vbv, 4000000, 1835008, 36000);
  vbv_bucket_init (&bucket, 4000000);
  for (gint64 i = 1; i <= 3600 * 30; i++) {
    gint64 bits = i * duration / 250 - sent;

    sent += bits;
    fail_unless_equals_int (vbv_picture (&vbv, bits, duration), VBV_OK);
    vbv_bucket_picture (&bucket, bits, duration);
  }
  fail_unless (fabs (vbv.level - 1600000) < 2);
  fail_unless (bucket.level < 2);
}

GST_END_TEST;

typedef struct
{
  gint64 rate;                  /* in force from this picture on */
  gint64 bits;
  gint64 duration;
  double wait;                  /* behind it */
  double peak, need;            /* so far, bits and seconds */
} BucketRow;

static const BucketRow bucket_rows[] = {
  {1000000, 200000, PERIOD, .2, 200000, .2},
  {1000000, 20000, PERIOD, .18, 200000, .2},
  {1000000, 0, 5 * PERIOD, .14, 200000, .2},
  /* Empty: time without pictures is no credit. */
  {1000000, 0, 25 * PERIOD, 0, 200000, .2},
  {1000000, 100000, PERIOD, .1, 200000, .2},
  /* 60000 left, at half the rate twice as long. */
  {500000, 40000, PERIOD, .2, 200000, .2},
  {250000, 0, PERIOD, .32, 200000, .32},
  {1000000, 0, PERIOD, .07, 200000, .32},
  {INT64_MIN, 0, INT64_MIN, 30000, 200000, 30000},
};

GST_START_TEST (test_bucket)
{
  VbvBucket bucket;

  vbv_bucket_init (&bucket, 1);
  for (guint i = 0; i < G_N_ELEMENTS (bucket_rows); i++) {
    const BucketRow *row = &bucket_rows[i];

    vbv_bucket_set_rate (&bucket, row->rate);
    fail_unless (fabs (vbv_bucket_picture (&bucket, row->bits,
                row->duration) - row->wait) < 1e-9, "row %u", i);
    fail_unless (fabs (bucket.peak - row->peak) < 1e-6, "row %u", i);
    fail_unless (fabs (bucket.need - row->need) < 1e-9, "row %u", i);
  }
}

GST_END_TEST;

/* The committed streams keep the buffer that their headers promise. */
static const gchar *const files[] = {
  "bbb-352x288p25-1100k.m1v", "bbb-352x576i25-fields-3M.m2v",
  "sintel-720x480-pulldown-4M.m2v", "walk-720x480p30-4M.m2v",
};

GST_START_TEST (test_real)
{
  gchar *path = g_build_filename (TEST_FILES_DIR, files[__i__], NULL), *data;
  gsize size, position = 0;
  gboolean started = FALSE;
  M2vSplitter splitter;
  M2vPicture p;
  Vbv vbv;

  fail_unless (g_file_get_contents (path, &data, &size, NULL));
  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, (const uint8_t *) data, size,
          &position, &p)) {
    const M2vSequence *s = &splitter.sequence;
    gint64 duration;

    if (p.kind != M2V_SPAN_PICTURE)
      continue;
    duration = m2v_fields_time (s, m2v_display_fields (s->progressive,
            &p.coding));
    if (p.coding.structure != M2V_FRAME_PICTURE)
      duration /= 2;
    if (!started)
      vbv_init (&vbv, s->bit_rate, s->vbv_buffer_size, p.header.vbv_delay);
    started = TRUE;
    fail_unless_equals_int (vbv_picture (&vbv, (gint64) p.size * 8,
            duration), VBV_OK);
  }
  fail_unless (started);
  g_free (data);
  g_free (path);
}

GST_END_TEST;

static Suite *
vbv_suite (void)
{
  Suite *s = suite_create ("ratecontrol-vbv");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_vbv, 0, G_N_ELEMENTS (vbv_rows));
  tcase_add_test (tc, test_drift);
  tcase_add_test (tc, test_bucket);
  tcase_add_loop_test (tc, test_real, 0, G_N_ELEMENTS (files));
  return s;
}

GST_CHECK_MAIN (vbv);
