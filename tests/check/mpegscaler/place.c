/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The place that mpegscaler gives each picture, and what rtpmpegvideopay makes
 * of it.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/congestion/congestion.h>

#include "stream.h"

static const gchar *const streams[] = {
  "walk-720x480p30-4M.m2v", "bbb-352x576i25-fields-3M.m2v",
  "bbb-352x288p25-1100k.m1v", "sintel-720x480-pulldown-4M.m2v"
};

/* What left so far. */
typedef struct
{
  guint n;
  gint last, past;              /* numbers of the last I and P; -1: none */
  const TestFrame *anchor;      /* the last one */
} Left;

static guint64
bit_of (const Left * left, gint number)
{
  guint back = left->n - 1 - number;

  return number < 0 || back > 62 ? GST_CODED_PICTURE_OLDER_REFERENCES
      : G_GUINT64_CONSTANT (1) << back;
}

/* The B of a closed group that are shown before its I refer to nothing else. */
static guint64
expected_references (const Left * left, const TestFrame * f)
{
  const TestFrame *a = left->anchor;

  if (f->type == M2V_PICTURE_I)
    return 0;
  if (f->type == M2V_PICTURE_P || (a && a->type == M2V_PICTURE_I
          && a->starts_group && a->closed_group
          && f->temporal_reference < a->temporal_reference))
    return bit_of (left, left->last);
  return bit_of (left, left->last) | bit_of (left, left->past);
}

static void
check_place (Left * left, const TestFrame * f, GstBuffer * buffer)
{
  const GstCodedPictureMeta *meta = gst_buffer_get_coded_picture_meta (buffer);

  fail_unless (meta != NULL);
  fail_unless_equals_uint64 (meta->id, left->n);
  fail_unless_equals_uint64_hex (meta->references,
      expected_references (left, f));
  fail_unless_equals_int (meta->layer, 0);
  fail_unless_equals_int (meta->flags,
      f->type == M2V_PICTURE_I ? GST_CODED_PICTURE_FLAG_KEY
      : f->type == M2V_PICTURE_B ? GST_CODED_PICTURE_FLAG_DISPOSABLE : 0);
  if (f->type != M2V_PICTURE_B) {
    left->past = left->last;
    left->last = left->n;
    left->anchor = f;
  }
  left->n++;
}

/* At each scale, and with a scale that changes. Another scaler's places, which
 * the buffers bring along, are replaced. */
GST_START_TEST (test_places)
{
  const gchar *name = streams[__i__ / 6];
  gint scale = __i__ % 6;
  TestStream *s = test_stream_load (name);
  GstHarness *h = gst_harness_new ("mpegscaler");
  GRand *rand = g_rand_new_with_seed (__i__);
  Left left = { 0, -1, -1, NULL };

  gst_harness_set_src_caps (h, test_stream_caps (s));
  g_object_set (h->element, "follow-events", FALSE, "scale", scale % 5, NULL);
  for (guint i = 0; i < s->frames->len; i++) {
    GstBuffer *buffer = test_stream_buffer (s, i, 1);

    gst_buffer_add_coded_picture_meta (buffer, 1000 + i, 1, 3, 0);
    if (scale == 5 && i % 9 == 0)
      g_object_set (h->element, "scale", g_rand_int_range (rand, 0, 5), NULL);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    buffer = gst_harness_try_pull (h);
    if (!buffer)
      continue;
    check_place (&left, test_stream_frame (s, i), buffer);
    gst_buffer_unref (buffer);
  }
  fail_unless (left.n > 1);
  g_rand_free (rand);
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Each packet of a picture has its place. */
GST_START_TEST (test_packets)
{
  TestStream *s = test_stream_load (streams[__i__]);
  GstHarness *h = gst_harness_new_parse ("mpegscaler follow-events=false "
      "scale=3 ! rtpmpegvideopay mtu=500");
  guint n_pictures = 0, n_packets = 0;
  GstClockTime pts = GST_CLOCK_TIME_NONE;
  GstBuffer *packet;

  gst_harness_set_src_caps (h, test_stream_caps (s));
  for (guint i = 0; i < s->frames->len; i++) {
    GstBuffer *buffer = test_stream_buffer (s, i, 1);

    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  while ((packet = gst_harness_try_pull (h))) {
    const GstCodedPictureMeta *meta =
        gst_buffer_get_coded_picture_meta (packet);

    if (!meta) {
      /* A sequence end code, behind all pictures. */
      gst_buffer_unref (packet);
      packet = gst_harness_try_pull (h);
      fail_unless (packet == NULL);
      break;
    }
    if (GST_BUFFER_PTS (packet) != pts)
      n_pictures++;
    pts = GST_BUFFER_PTS (packet);
    fail_unless_equals_uint64 (meta->id, n_pictures - 1);
    n_packets++;
    gst_buffer_unref (packet);
  }
  fail_unless (n_pictures > 10 && n_packets > 3 * n_pictures);
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

static Suite *
place_suite (void)
{
  Suite *s = suite_create ("mpegscaler-place");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_places, 0, 6 * G_N_ELEMENTS (streams));
  tcase_add_loop_test (tc, test_packets, 0, G_N_ELEMENTS (streams));
  return s;
}

GST_CHECK_MAIN (place);
