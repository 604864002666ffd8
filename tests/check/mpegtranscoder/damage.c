/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Damaged video: what can be decoded leaves, and decodes.
 */
#include <gst/check/gstcheck.h>

#include <math.h>

#include "transcode.h"

static const gdouble error_rates[] = { 1e-5, 1e-4, 1e-3 };

static GRand *
make_random (guint seed)
{
  return g_rand_new_with_seed (seed + 1);
}

static GstBuffer *
damage (GstBuffer * buffer, GRand * rand, gdouble rate)
{
  GstMapInfo map;
  gdouble p = rate * 8;
  gsize i;

  gst_buffer_map (buffer, &map, GST_MAP_READWRITE);
  for (i = 0; i < map.size; i++) {
    if (g_rand_double (rand) < p)
      map.data[i] ^= 1 << g_rand_int_range (rand, 0, 8);
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static void
finish (GstHarness * h, const TestStream * s, guint least)
{
  Output *o = output_new ();

  transcode_eos (h);
  output_take (o, h);
  fail_unless (o->pictures->len >= least, "%u pictures of %u",
      o->pictures->len, s->frames->len);
  gst_harness_teardown (h);
  output_free (o);
}

GST_START_TEST (test_bits)
{
  guint stream = __i__ / G_N_ELEMENTS (error_rates) % N_STREAMS;
  gdouble rate = error_rates[__i__ % G_N_ELEMENTS (error_rates)];
  TestStream *s = test_stream_load (test_streams[stream]);
  GstHarness *h = transcode_start (s, stream_rate (s) / 2);
  GRand *rand = make_random (__i__);
  GstFlowReturn ret = GST_FLOW_OK;
  guint half = N_STREAMS * G_N_ELEMENTS (error_rates);
  guint i;

  /* times matter more there */
  if ((guint) __i__ >= half)
    gst_harness_set_sink_caps_str (h, "video/mpeg, framerate=50/1");
  for (i = 0; i < s->frames->len && ret == GST_FLOW_OK; i++)
    ret = gst_harness_push (h, damage (test_stream_buffer (s, i, 1), rand,
            rate));
  /* a damaged header may ask for what no encoder has */
  if (ret == GST_FLOW_OK)
    finish (h, s, rate < 1e-4 ? s->frames->len * 9 / 10 : 0);
  else
    gst_harness_teardown (h);
  g_rand_free (rand);
  test_stream_free (s);
}

GST_END_TEST;

/* Whole pictures are missing, or their ends. Where that is the second field, what
 * refers to the frame goes too. */
GST_START_TEST (test_losses)
{
  TestStream *s = test_stream_load (test_streams[__i__]);
  GstHarness *h = transcode_start (s, stream_rate (s) / 2);
  GRand *rand = make_random (__i__);
  guint i, n = 0;

  for (i = 0; i < s->frames->len; i++) {
    GstBuffer *buffer = test_stream_buffer (s, i, 1);

    if (i > 0 && g_rand_int_range (rand, 0, 10) == 0) {
      gst_buffer_unref (buffer);
      continue;
    }
    if (i > 0 && g_rand_int_range (rand, 0, 10) == 0)
      gst_buffer_resize (buffer, 0,
          g_rand_int_range (rand, 1, gst_buffer_get_size (buffer)));
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    n++;
  }
  finish (h, s, test_stream_frame (s, 0)->second > 0 ? n / 3 : n * 3 / 4);
  g_rand_free (rand);
  test_stream_free (s);
}

GST_END_TEST;

/* Start codes among noise. */
GST_START_TEST (test_noise)
{
  TestStream *s = test_stream_load (test_streams[3]);
  GstHarness *h = transcode_start (s, 100000);
  GRand *rand = make_random (__i__);
  guint i, k;

  transcode_push (h, s, 0, 5);
  for (i = 0; i < 100; i++) {
    guint8 noise[400];

    for (k = 0; k < sizeof noise; k++)
      noise[k] = g_rand_int (rand);
    for (k = 0; k + 4 < sizeof noise; k += 16) {
      noise[k] = noise[k + 1] = 0;
      noise[k + 2] = 1;
      noise[k + 3] = g_rand_int_range (rand, 0, 3) ?
          g_rand_int_range (rand, 0, 8) : g_rand_int_range (rand, 0xb0, 0xbb);
    }
    if (gst_harness_push (h, gst_buffer_new_memdup (noise, sizeof noise))
        != GST_FLOW_OK)
      break;
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  gst_harness_teardown (h);
  g_rand_free (rand);
  test_stream_free (s);
}

GST_END_TEST;

static Suite *
damage_suite (void)
{
  Suite *s = suite_create ("damage");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 300);
  tcase_add_loop_test (tc, test_bits, 0,
      2 * N_STREAMS * G_N_ELEMENTS (error_rates));
  tcase_add_loop_test (tc, test_losses, 0, N_STREAMS);
  tcase_add_loop_test (tc, test_noise, 0, 20);
  return s;
}

GST_CHECK_MAIN (damage);
