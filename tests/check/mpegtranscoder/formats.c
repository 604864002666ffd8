/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What caps behind mpegtranscoder ask for: size, frame rate, version of MPEG.
 */
#include <gst/check/gstcheck.h>

#include <math.h>
#include <string.h>

#include "../rounds.h"
#include "transcode.h"

typedef struct
{
  const gchar *stream, *caps;   /* behind it */
  gint version, width, height, rate_num, rate_den, par_num, par_den;
} Row;

#define WALK "walk-720x480p30-4M.m2v"
#define FIELDS "bbb-352x576i25-fields-3M.m2v"
#define PULLDOWN "sintel-720x480-pulldown-4M.m2v"
#define OCEAN "ocean-176x96p30-500k.m2v"
#define MPEG1 "bbb-352x288p25-1100k.m1v"

/* par 0: as the source */
static const Row rows[] = {
  {OCEAN, "video/mpeg", 2, 176, 96, 30, 1, 0, 0},
  {OCEAN, "video/mpeg, width=88, height=48", 2, 88, 48, 30, 1, 0, 0},
  {OCEAN, "video/mpeg, width=352", 2, 352, 96, 30, 1, 1, 2},
  {OCEAN, "video/mpeg, framerate=25/1", 2, 176, 96, 25, 1, 0, 0},
  {OCEAN, "video/mpeg, framerate=60000/1001", 2, 176, 96, 60000, 1001, 0, 0},
  {OCEAN, "video/mpeg, framerate=[ 0/1, 24/1 ]", 2, 176, 96, 24, 1, 0, 0},
  {OCEAN, "video/mpeg, mpegversion=1", 1, 176, 96, 30, 1, 0, 0},
  {OCEAN, "video/mpeg, width=[ 16, 150 ], height=[ 16, 75 ]", 2, 150, 75, 30,
      1, 0, 0},
  {WALK, "video/mpeg, width=352, height=240, framerate=24000/1001", 2, 352,
      240, 24000, 1001, 0, 0},
  {FIELDS, "video/mpeg, height=288", 2, 352, 288, 25, 1, 0, 0},
  {FIELDS, "video/mpeg, mpegversion=1, width=352, height=288", 1, 352, 288,
      25, 1, 0, 0},
  {PULLDOWN, "video/mpeg, mpegversion=1, width=352, height=240", 1, 352, 240,
      30000, 1001, 0, 0},
  {MPEG1, "video/mpeg, mpegversion=2", 2, 352, 288, 25, 1, 0, 0},
  {MPEG1, "video/mpeg, framerate=50/1, width=176, height=144", 1, 176, 144,
      50, 1, 0, 0},
};

static void
check_caps (GstHarness * h, const Row * r)
{
  GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);
  const GstStructure *s;
  gint version, width, height, n, d;

  fail_unless (caps != NULL);
  s = gst_caps_get_structure (caps, 0);
  fail_unless (gst_structure_get (s, "mpegversion", G_TYPE_INT, &version,
          "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height,
          "framerate", GST_TYPE_FRACTION, &n, &d, NULL));
  fail_unless_equals_int (version, r->version);
  fail_unless_equals_int (width, r->width);
  fail_unless_equals_int (height, r->height);
  fail_unless (n == r->rate_num && d == r->rate_den);
  fail_unless (gst_structure_get_fraction (s, "pixel-aspect-ratio", &n, &d));
  if (r->par_num)
    fail_unless (n == r->par_num && d == r->par_den, "%d/%d", n, d);
  fail_unless (gst_structure_has_field_typed (s, "codec_data",
          GST_TYPE_BUFFER));
  gst_caps_unref (caps);
}

/* Without gap, at the asked rate, for as long as the source. */
static void
check_times (const TestStream * s, const Output * o, const Row * r)
{
  gint64 fields = 0;
  GstClockTime start = GST_CLOCK_TIME_NONE, end = 0;
  gdouble expected;
  guint i;

  for (i = 0; i < s->frames->len; i++)
    fields += test_stream_frame (s, i)->n_fields;
  expected = (gdouble) m2v_fields_time (&s->sequence, fields) / GST_SECOND
      * r->rate_num / r->rate_den;
  for (i = 0; i < o->pictures->len; i++) {
    const Coded *c = output_picture (o, i);

    start = MIN (start, c->pts);
    end = MAX (end, c->pts + c->duration);
    fail_unless (c->dts <= c->pts);
  }
  if (gst_util_fraction_compare (r->rate_num, r->rate_den,
          s->sequence.frame_rate_num, s->sequence.frame_rate_den) == 0
      && r->version == (s->sequence.mpeg2 ? 2 : 1)) {
    fail_unless_equals_int (o->pictures->len, s->frames->len);
    return;
  }
  fail_unless (fabs (o->pictures->len - expected) <= 1, "%u pictures, not %f",
      o->pictures->len, expected);
  expected =
      (gdouble) o->pictures->len * GST_SECOND * r->rate_den / r->rate_num;
  fail_unless (fabs (end - start - expected) < 1000);
}

GST_START_TEST (test_rows)
{
  const Row *r = &rows[__i__];
  TestStream *s, *out;
  gdouble target;
  GstHarness *h;
  Output *o;

  /* Of large frames only some, where everything takes long. */
  if (strcmp (r->stream, OCEAN) != 0 && !test_taken (__i__))
    return;
  s = test_stream_load (r->stream);
  target = stream_rate (s) / 2;
  h = transcode_start (s, target);
  o = output_new ();
  gst_harness_set_sink_caps_str (h, r->caps);
  transcode_push (h, s, 0, s->frames->len);
  transcode_eos (h);
  output_take (o, h);
  check_caps (h, r);
  check_times (s, o, r);
  out = output_stream (o);
  fail_unless_equals_int (out->frames->len, o->pictures->len);
  fail_unless_equals_int (out->sequence.mpeg2, r->version == 2);
  fail_unless (gst_util_fraction_compare (out->sequence.frame_rate_num,
          out->sequence.frame_rate_den, r->rate_num, r->rate_den) == 0);
  fail_unless_equals_int (stream_count_decoded (out, r->width, r->height),
      o->pictures->len);
  g_print ("%s, %s: %.3f of the target\n", r->stream, r->caps,
      stream_rate (out) / target);
  fail_unless (stream_rate (out) < 1.1 * target);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (out);
  test_stream_free (s);
}

GST_END_TEST;

/* Other caps while it runs: from the next picture on, with nothing lost. */
GST_START_TEST (test_renegotiation)
{
  TestStream *s = test_stream_load (OCEAN);
  GstHarness *h =
      gst_harness_new_parse ("mpegtranscoder ! capsfilter name=filter");
  GstElement *filter = gst_bin_get_by_name (GST_BIN (h->element), "filter");
  GstCaps *caps = gst_caps_from_string ("video/mpeg, width=88, height=48");
  Output *o = output_new (), *rest = output_new ();
  gint width;

  gst_harness_set_src_caps (h, test_stream_caps (s));
  transcode_push (h, s, 0, 40);
  g_object_set (filter, "caps", caps, NULL);
  transcode_push (h, s, 40, 41);
  output_take (o, h);
  transcode_push (h, s, 41, s->frames->len);
  transcode_eos (h);
  output_take (rest, h);
  fail_unless_equals_int (o->pictures->len + rest->pictures->len,
      s->frames->len);
  gst_caps_unref (caps);
  caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_structure_get_int (gst_caps_get_structure (caps, 0),
          "width", &width) && width == 88);
  gst_caps_unref (caps);
  gst_object_unref (filter);
  gst_harness_teardown (h);
  output_free (o);
  output_free (rest);
  test_stream_free (s);
}

GST_END_TEST;

GST_START_TEST (test_refused)
{
  TestStream *s = test_stream_load (OCEAN);
  GstHarness *h = transcode_start (s, 0);
  GstFlowReturn ret = GST_FLOW_OK;
  guint i;

  gst_harness_set_sink_caps_str (h, "video/mpeg, framerate=7/1");
  for (i = 0; i < 10 && ret == GST_FLOW_OK; i++)
    ret = gst_harness_push (h, test_stream_buffer (s, i, 1));
  fail_unless_equals_int (ret, GST_FLOW_NOT_NEGOTIATED);
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

static Suite *
formats_suite (void)
{
  Suite *s = suite_create ("formats");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 300);
  tcase_add_loop_test (tc, test_rows, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_renegotiation);
  tcase_add_test (tc, test_refused);
  return s;
}

GST_CHECK_MAIN (formats);
