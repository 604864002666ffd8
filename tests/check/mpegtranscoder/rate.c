/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The committed streams at 75, 50 and 35 % of their rates: the rate is kept, the
 * pictures are all there, at their times and of the types of the source, and
 * they are near the source's.
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include "transcode.h"
#include <ratecontrol/vbv.h>

/* Windows of whole groups. */
#define WINDOW (2 * GST_SECOND)
#define TOLERANCE .05
/* Those with less in the source cannot be judged: it may not use the target. */
#define PLENTY 1.25
/* Nor can those that follow a group of which little was needed. */
#define SCARCE .7

static const guint percents[] = { 75, 50, 35 };

/* dB that is reached, rounded down by about half a one. */
static const gdouble bounds[N_STREAMS][G_N_ELEMENTS (percents)] = {
  {39.0, 34.9, 32.7},           /* walk */
  {42.1, 39.5, 37.2},           /* fields */
  {46.8, 44.1, 41.8},           /* sintel */
  {32.4, 29.1, 27.3},           /* ocean */
  {41.3, 35.5, 33.0},           /* MPEG-1 */
};

typedef struct
{
  GstClockTime duration;
  gdouble bits, source_bits;
} Group;

/* Groups as coded; the last one may not be whole. */
static GArray *
find_groups (const TestStream * s, const Output * o)
{
  GArray *groups = g_array_new (FALSE, TRUE, sizeof (Group));
  guint i;

  for (i = 0; i < s->frames->len; i++) {
    const TestFrame *f = test_stream_frame (s, i);
    const Coded *c = output_picture (o, i);
    Group *g;

    fail_unless_equals_int (c->intra, f->type == M2V_PICTURE_I);
    if (c->intra)
      g_array_set_size (groups, groups->len + 1);
    g = &g_array_index (groups, Group, groups->len - 1);
    g->duration += c->duration;
    g->bits += 8. * c->size;
    g->source_bits += 8. * f->size;
  }
  g_array_set_size (groups, groups->len - 1);
  return groups;
}

static gboolean
is_scarce (const Group * g, gdouble target)
{
  return g->source_bits < SCARCE * target * g->duration / GST_SECOND;
}

/* The number of windows that could be judged. */
static guint
check_windows (const TestStream * s, const Output * o, gdouble target)
{
  GArray *groups = find_groups (s, o);
  guint i, k, judged = 0;

  for (i = 0; i < groups->len; i++) {
    gdouble bits = 0, source = 0, allowed;
    GstClockTime duration = 0;
    gboolean scarce = FALSE;

    for (k = i; k < groups->len && duration < WINDOW; k++) {
      const Group *g = &g_array_index (groups, Group, k);

      scarce |= is_scarce (g, target) || (k > 0 && is_scarce (g - 1, target));
      bits += g->bits;
      source += g->source_bits;
      duration += g->duration;
    }
    allowed = target * duration / GST_SECOND;
    if (duration < WINDOW || scarce || source < PLENTY * allowed)
      continue;
    judged++;
    fail_unless (fabs (bits / allowed - 1) <= TOLERANCE,
        "groups %u to %u have %.3f of the target", i, k - 1, bits / allowed);
  }
  g_array_unref (groups);
  return judged;
}

/* A queue that empties at the target holds at most half a second. */
static void
check_bucket (const Output * o, gdouble target)
{
  VbvBucket bucket;
  guint i;

  vbv_bucket_init (&bucket, target);
  for (i = 0; i < o->pictures->len; i++) {
    const Coded *c = output_picture (o, i);

    vbv_bucket_picture (&bucket, 8 * c->size, c->duration);
  }
  fail_unless (bucket.need <= .55, "%.3f s wait", bucket.need);
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  GstClockTime x = *(const GstClockTime *) a, y = *(const GstClockTime *) b;

  return x < y ? -1 : x > y;
}

/* Each frame at its time: in display order they follow each other without gap,
 * for as long as the source shows them. */
static void
check_times (const TestStream * s, const Output * o)
{
  GArray *order = test_stream_display_order (s, NULL);
  GArray *times = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  gint64 fields = 0;
  guint i;

  for (i = 0; i < o->pictures->len; i++) {
    const Coded *c = output_picture (o, i);

    fail_unless (c->dts <= c->pts);
    fail_unless (i == 0 || c->dts >= output_picture (o, i - 1)->dts);
    g_array_append_val (times, c->pts);
  }
  g_array_sort (times, compare_times);
  for (i = 0; i < times->len; i++) {
    GstClockTime t = g_array_index (times, GstClockTime, i)
        - g_array_index (times, GstClockTime, 0);

    fail_unless (ABS ((gint64) t - m2v_fields_time (&s->sequence,
                fields)) <= 2, "frame %u at %" GST_TIME_FORMAT, i,
        GST_TIME_ARGS (t));
    fields += test_stream_frame (s, g_array_index (order, guint, i))->n_fields;
  }
  g_array_unref (times);
  g_array_unref (order);
}

/* repeat_first_field is still there. */
static void
check_fields (const TestStream * s, const TestStream * out)
{
  guint i;

  for (i = 0; i < s->frames->len; i++) {
    fail_unless_equals_int (test_stream_frame (out, i)->n_fields,
        test_stream_frame (s, i)->n_fields);
    fail_unless_equals_int (test_stream_frame (out, i)->type,
        test_stream_frame (s, i)->type);
  }
}

GST_START_TEST (test_streams_keep_rate)
{
  guint stream = __i__ / G_N_ELEMENTS (percents);
  guint k = __i__ % G_N_ELEMENTS (percents), n, judged;
  TestStream *s = test_stream_load (test_streams[stream]), *out;
  gdouble target = stream_rate (s) * percents[k] / 100, db;
  GstHarness *h = transcode_start (s, target);
  Output *o = output_new ();

  transcode_push (h, s, 0, s->frames->len);
  transcode_eos (h);
  output_take (o, h);
  fail_unless_equals_int (o->pictures->len, s->frames->len);
  out = output_stream (o);
  fail_unless_equals_int (out->frames->len, s->frames->len);
  fail_unless_equals_int (out->sequence.mpeg2, s->sequence.mpeg2);
  fail_unless_equals_int64 (out->sequence.bit_rate, s->sequence.bit_rate);
  fail_unless_equals_int64 (out->sequence.vbv_buffer_size,
      s->sequence.vbv_buffer_size);
  check_fields (s, out);
  check_times (s, o);
  judged = check_windows (s, o, target);
  fail_unless (judged > 0);
  check_bucket (o, target);
  db = output_psnr (s, out, &n);
  fail_unless_equals_int (n, s->frames->len);
  g_print ("%s at %u %%: %.3f of the target, %u windows, %.2f dB\n",
      test_streams[stream], percents[k], stream_rate (out) / target, judged,
      db);
  fail_unless (db >= bounds[stream][k], "%.2f dB", db);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (out);
  test_stream_free (s);
}

GST_END_TEST;

/* Other structures keep it as well. */
GST_START_TEST (test_structures_keep_rate)
{
  static const struct
  {
    guint gop_size;
    gint b_frames;
    gboolean closed;
    gdouble share;              /* of the source's rate */
  } rows[] = {
    {15, 2, FALSE, .6}, {12, 0, FALSE, .6}, {12, 3, TRUE, .6},
    {1, -1, FALSE, 1}, {0, 1, FALSE, .6}, {20, -1, TRUE, .6},
  };
  TestStream *s = test_stream_load (test_streams[0]), *out;
  gdouble target = stream_rate (s) * rows[__i__].share;
  gchar *launch = g_strdup_printf ("mpegtranscoder follow-events=false "
      "target-bitrate=%u gop-size=%u b-frames=%d closed-gop=%d",
      (guint) target, rows[__i__].gop_size, rows[__i__].b_frames,
      rows[__i__].closed);
  GstHarness *h = gst_harness_new_parse (launch);
  Output *o = output_new ();
  guint n, i, since = 0;

  g_free (launch);
  gst_harness_set_src_caps (h, test_stream_caps (s));
  transcode_push (h, s, 0, s->frames->len);
  transcode_eos (h);
  output_take (o, h);
  out = output_stream (o);
  fail_unless_equals_int (out->frames->len, s->frames->len);
  for (i = 0; i < out->frames->len; i++) {
    const TestFrame *f = test_stream_frame (out, i);

    if (f->starts_group && rows[__i__].closed)
      fail_unless (f->closed_group);
    if (rows[__i__].b_frames == 0)
      fail_if (f->type == M2V_PICTURE_B);
    since = f->type == M2V_PICTURE_I ? 0 : since + 1;
    if (rows[__i__].gop_size)
      fail_unless (since <= rows[__i__].gop_size + 3);
  }
  output_psnr (s, out, &n);
  fail_unless (fabs (stream_rate (out) / target - 1) < .05, "%f",
      stream_rate (out) / target);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (out);
  test_stream_free (s);
}

GST_END_TEST;

/* Without a target nothing becomes finer, and little is lost. */
GST_START_TEST (test_untouched)
{
  TestStream *s = test_stream_load (test_streams[__i__]), *out;
  GstHarness *h = transcode_start (s, 0);
  Output *o = output_new ();
  gdouble db;
  guint n;

  transcode_push (h, s, 0, s->frames->len);
  transcode_eos (h);
  output_take (o, h);
  out = output_stream (o);
  db = output_psnr (s, out, &n);
  g_print ("%s: %.3f of the source, %.2f dB\n", test_streams[__i__],
      (gdouble) out->size / s->size, db);
  fail_unless (out->size < 1.15 * s->size);
  fail_unless (db > 36);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (out);
  test_stream_free (s);
}

GST_END_TEST;

static Suite *
rate_suite (void)
{
  Suite *s = suite_create ("rate");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 300);
  tcase_add_loop_test (tc, test_streams_keep_rate, 0,
      N_STREAMS * G_N_ELEMENTS (percents));
  tcase_add_loop_test (tc, test_structures_keep_rate, 0, 6);
  tcase_add_loop_test (tc, test_untouched, 0, N_STREAMS);
  return s;
}

GST_CHECK_MAIN (rate);
