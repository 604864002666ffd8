/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Buffers that mpegscaler has requantized: what they are made of and come with;
 * what cannot be requantized; behind a real parser.
 */
#define _GNU_SOURCE             /* memmem */

#include <gst/check/gstcheck.h>

#include <string.h>

#include "../rounds.h"
#include "driver.h"

#define WALK "walk-720x480p30-4M.m2v"
#define SINTEL "sintel-720x480-pulldown-4M.m2v"
#define FIELDS "bbb-352x576i25-fields-3M.m2v"
#define MPEG1 "bbb-352x288p25-1100k.m1v"
#define OCEAN "ocean-176x96p30-500k.m2v"

#define REQUANTIZE "mpegscaler mode=requantize follow-events=false "

/* One memory a frame where it was requantized, the source's own where not. */
GST_START_TEST (test_memory)
{
  TestStream *s = test_stream_load (__i__ ? FIELDS : OCEAN);
  TestDriver *d = test_driver_new (s, "requantize", NULL);
  guint n_smaller = 0;

  g_object_set (d->h->element, "target-bitrate",
      (guint64) test_stream_rate (s) / 2, NULL);
  /* the rate is a guess yet, and pictures may pass */
  test_driver_feed (d, 0, 10);
  for (guint i = 10; i < 70; i++) {
    GstBuffer *in = test_stream_buffer (s, i, 1), *out;
    GstMemory *memory = gst_buffer_peek_memory (in, 0);
    guint64 recoded = test_driver_count (d, "pictures-recoded");
    gsize size = gst_buffer_get_size (in);

    GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_MARKER);
    gst_memory_ref (memory);
    fail_unless_equals_int (gst_harness_push (d->h, in), GST_FLOW_OK);
    out = gst_harness_pull (d->h);
    recoded = test_driver_count (d, "pictures-recoded") - recoded;
    fail_unless_equals_int (recoded, __i__ ? 2 : 1);
    fail_unless_equals_int (gst_buffer_n_memory (out), 1);
    fail_unless (gst_buffer_peek_memory (out, 0) != memory);
    fail_unless (gst_buffer_get_size (out) <= size);
    n_smaller += gst_buffer_get_size (out) < size;
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), i);
    fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_MARKER));
    fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (out,
            GST_BUFFER_FLAG_DELTA_UNIT) != 0,
        test_stream_frame (s, i)->type != M2V_PICTURE_I);
    fail_unless (GST_BUFFER_PTS_IS_VALID (out));
    gst_buffer_unref (out);
    gst_memory_unref (memory);
  }
  fail_unless (n_smaller > 50);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* Fields in buffers of their own, or many frames in one, come to the same. */
typedef enum
{
  CUT_FIELDS,
  CUT_FOURS,
  N_CUTS
} Cut;

static void
push_cut (GstHarness * h, const TestStream * s, Cut cut)
{
  for (guint i = 0; i < s->frames->len; i++) {
    const TestFrame *f = test_stream_frame (s, i);
    guint n = MIN (4, s->frames->len - i);

    if (cut == CUT_FIELDS) {
      gst_harness_push (h, gst_buffer_new_memdup (s->data + f->begin,
              f->second));
      gst_harness_push (h, gst_buffer_new_memdup (s->data + f->begin +
              f->second, f->size - f->second));
    } else if (i % 4 == 0) {
      gst_harness_push (h, test_stream_buffer (s, i, n));
    }
  }
}

GST_START_TEST (test_cuts)
{
  TestStream *s = test_stream_load (FIELDS);
  TestDriver *whole = test_driver_new (s, "requantize", NULL);
  TestDriver *d = test_driver_new (s, "requantize", NULL);
  const guint64 target = test_stream_rate (s) / 2;
  GstBuffer *all;

  g_object_set (whole->h->element, "target-bitrate", target, NULL);
  g_object_set (d->h->element, "target-bitrate", target, NULL);
  test_driver_feed (whole, 0, s->frames->len);
  push_cut (d->h, s, __i__);
  fail_unless_equals_int (gst_harness_buffers_in_queue (d->h), s->frames->len);
  all = gst_buffer_new ();
  for (guint i = 0; i < s->frames->len; i++)
    all = gst_buffer_append (all, gst_harness_pull (d->h));
  fail_unless_equals_int (gst_buffer_get_size (all), whole->bytes->len);
  fail_unless (gst_buffer_memcmp (all, 0, whole->bytes->data,
          whole->bytes->len) == 0);
  gst_buffer_unref (all);
  test_driver_free (d);
  test_driver_free (whole);
  test_stream_free (s);
}

GST_END_TEST;

/* Behind mpegvideoparse */

static void
push_file (GstHarness * h, const TestStream * s)
{
  const gsize step = 20000;

  gst_harness_set_src_caps_str (h, s->sequence.mpeg2
      ? "video/mpeg, mpegversion=2, systemstream=false"
      : "video/mpeg, mpegversion=1, systemstream=false");
  for (gsize i = 0; i < s->size; i += step)
    fail_unless_equals_int (gst_harness_push (h,
            gst_buffer_new_memdup (s->data + i, MIN (step, s->size - i))),
        GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_eos ());
}

static gboolean
have_parser (void)
{
  GstElementFactory *factory = gst_element_factory_find ("mpegvideoparse");

  if (!factory) {
    g_print ("SKIP: mpegvideoparse is not installed\n");
    return FALSE;
  }
  gst_object_unref (factory);
  return TRUE;
}

/* What is requantized has the sequence header that codec_data says. */
GST_START_TEST (test_codec_data)
{
  static const gchar *const names[] = { OCEAN, WALK, FIELDS, MPEG1 };
  TestStream *s;
  GstHarness *h;
  GstCaps *caps;
  GstBuffer *codec_data, *out;
  GstMapInfo map;
  M2vSplitter splitter;
  M2vPicture p;
  guint n = 0;

  if (!have_parser () || !test_taken (__i__))
    return;
  s = test_stream_load (names[__i__]);
  h = gst_harness_new_parse ("mpegvideoparse ! " REQUANTIZE
      "target-bitrate=300000");
  push_file (h, s);
  caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_structure_get (gst_caps_get_structure (caps, 0),
          "codec_data", GST_TYPE_BUFFER, &codec_data, NULL));
  m2v_splitter_init (&splitter);
  while ((out = gst_harness_try_pull (h))) {
    gsize position = 0;

    fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
    while (m2v_splitter_next (&splitter, map.data, map.size, &position, &p)) {
      if (p.sequence.size == 0)
        continue;
      fail_unless (gst_buffer_get_size (codec_data) <= p.sequence.size);
      fail_unless (gst_buffer_memcmp (codec_data, 0,
              map.data + p.begin + p.sequence.offset,
              gst_buffer_get_size (codec_data)) == 0);
      n++;
    }
    gst_buffer_unmap (out, &map);
    gst_buffer_unref (out);
  }
  fail_unless (n > 0);
  gst_buffer_unref (codec_data);
  gst_caps_unref (caps);
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

static GstPadProbeReturn
count_metas (GstPad * pad, GstPadProbeInfo * info, gpointer n)
{
  GType api = g_type_from_name ("GstMpegVideoMetaAPI");

  (void) pad;
  if (api && gst_buffer_get_meta (GST_PAD_PROBE_INFO_BUFFER (info), api))
    ++ * (guint *) n;
  return GST_PAD_PROBE_OK;
}

/* mpegvideoparse's own meta says where slices are: only where they still are. */
GST_START_TEST (test_offset_meta)
{
  gboolean recodes = __i__;
  TestStream *s = test_stream_load (SINTEL);
  GstHarness *h;
  GstElement *scaler;
  GstPad *pad;
  GstBuffer *out;
  GType api;
  guint n_in = 0, n_out = 0;

  if (!have_parser ()) {
    test_stream_free (s);
    return;
  }
  h = gst_harness_new_parse ("mpegvideoparse ! " REQUANTIZE "name=scaler");
  scaler = gst_bin_get_by_name (GST_BIN (h->element), "scaler");
  if (recodes)
    g_object_set (scaler, "target-bitrate", (guint64) 1500000, NULL);
  pad = gst_element_get_static_pad (scaler, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_metas, &n_in, NULL);
  push_file (h, s);
  api = g_type_from_name ("GstMpegVideoMetaAPI");
  while ((out = gst_harness_try_pull (h))) {
    n_out += api != 0 && gst_buffer_get_meta (out, api) != NULL;
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (n_in, s->frames->len);
  fail_unless_equals_int (n_out, recodes ? 0 : n_in);
  gst_object_unref (pad);
  gst_object_unref (scaler);
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

/* What cannot be requantized */

static guint8 *
find_code (guint8 * p, guint8 code)
{
  while (p[0] != 0 || p[1] != 0 || p[2] != 1 || p[3] != code)
    p++;
  return p;
}

static gboolean
is_spoiled (const TestStream * s, guint i)
{
  return i % 7 == 3 && test_stream_frame (s, i)->type == M2V_PICTURE_B;
}

/* D pictures pass as they are, and do not end it for others. */
GST_START_TEST (test_d_pictures)
{
  TestStream *s = test_stream_load (MPEG1);
  TestDriver *d = test_driver_new (s, "requantize", NULL);
  guint n_smaller = 0, n = 0;

  for (guint i = 0; i < s->frames->len; i++) {
    guint8 *p = find_code (s->data + test_stream_frame (s, i)->begin, 0);

    if (is_spoiled (s, i))
      p[5] = (p[5] & ~0x38) | (M2V_PICTURE_D << 3);
    n += is_spoiled (s, i);
  }
  g_object_set (d->h->element, "target-bitrate", (guint64) 500000, NULL);
  test_driver_feed (d, 0, s->frames->len);
  for (guint i = 0; i < s->frames->len; i++) {
    const TestFate *fate = test_driver_fate (d, i);

    fail_unless (fate->size_out > 0);
    if (is_spoiled (s, i)) {
      fail_unless_equals_uint64 (fate->size_out, fate->size_in);
    } else {
      n_smaller += fate->size_out < fate->size_in;
    }
  }
  fail_unless (n > 5);
  fail_unless (n_smaller > 100, "%u", n_smaller);
  fail_unless_equals_uint64 (test_driver_count (d, "pictures-recoded"),
      s->frames->len - n);
  fail_unless_equals_uint64 (test_driver_count (d, "pictures-passed"), n);
  fail_unless_equals_uint64 (test_driver_count (d, "frames-d"), n);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* Damaged slices leave as they came, those around them smaller. */
GST_START_TEST (test_damaged_slices)
{
  GRand *rand = g_rand_new_with_seed (5);
  TestStream *s = test_stream_load (MPEG1);
  TestDriver *d = test_driver_new (s, "requantize", NULL);
  GPtrArray *slices = g_ptr_array_new ();
  GArray *sizes = g_array_new (FALSE, FALSE, sizeof (gsize));

  for (guint i = 0; i < s->frames->len; i++) {
    guint8 *p = find_code (s->data + test_stream_frame (s, i)->begin, 2);
    guint8 *end = find_code (p + 4, 3);
    gsize size = end - p;

    if (!is_spoiled (s, i))
      continue;
    for (guint8 * q = p + 6; q < end; q++)
      *q = g_rand_int_range (rand, 1, 256);
    g_ptr_array_add (slices, p);
    g_array_append_val (sizes, size);
  }
  g_object_set (d->h->element, "target-bitrate", (guint64) 500000, NULL);
  test_driver_feed (d, 0, s->frames->len);
  fail_unless (slices->len > 5);
  for (guint i = 0; i < slices->len; i++)
    fail_unless (memmem (d->bytes->data, d->bytes->len,
            g_ptr_array_index (slices, i), g_array_index (sizes, gsize, i)),
        "slice %u", i);
  fail_unless (d->bytes->len < s->size * 6 / 10);
  fail_unless_equals_uint64 (test_driver_count (d, "frames-passed"),
      s->frames->len);
  g_ptr_array_unref (slices);
  g_array_unref (sizes);
  g_rand_free (rand);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* Bits flipped anywhere, in all modes that recode, with events and breaks: nothing
 * crashes, and what goes in is accounted for. */
GST_START_TEST (test_damage)
{
  static const gchar *const names[] = { OCEAN, FIELDS, MPEG1 };
  GRand *rand = g_rand_new_with_seed (__i__);
  TestStream *s = test_stream_load (names[__i__ % G_N_ELEMENTS (names)]);
  TestDriver *d;
  guint64 in, out;

  for (guint i = 0; i < 60; i++)
    s->data[g_rand_int_range (rand, 0, s->size)] ^=
        1 << g_rand_int_range (rand, 0, 8);
  d = test_driver_new (s, __i__ % 2 ? "auto" : "requantize",
      __i__ % 3 ? "drift-compensation=all" : "rate-distortion=true");
  g_object_set (d->h->element, "follow-events", TRUE, NULL);
  for (guint i = 0; i < MIN (70, s->frames->len); i++) {
    if (g_rand_int_range (rand, 0, 10) == 0)
      test_driver_event (d, g_rand_int_range (rand, -1, 5),
          g_rand_int_range (rand, 0, 8) * (gint64) 100000);
    d->discont = g_rand_int_range (rand, 0, 20) == 0;
    test_driver_feed (d, i, i + 1);
  }
  gst_harness_push_event (d->h, gst_event_new_eos ());
  in = test_driver_count (d, "frames-i") + test_driver_count (d, "frames-p")
      + test_driver_count (d, "frames-b") + test_driver_count (d, "frames-d")
      + test_driver_count (d, "frames-unreadable");
  out = test_driver_count (d, "frames-passed")
      + test_driver_count (d, "frames-replaced")
      + test_driver_count (d, "dropped-policy")
      + test_driver_count (d, "dropped-reference")
      + test_driver_count (d, "dropped-unpaired")
      + test_driver_count (d, "dropped-group");
  fail_unless_equals_uint64 (in, out);
  fail_unless (in > 50);
  test_driver_free (d);
  g_rand_free (rand);
  test_stream_free (s);
}

GST_END_TEST;

static Suite *
recoded_suite (void)
{
  Suite *suite = suite_create ("mpegscaler-recoded");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 240);  /* valgrind */
  tcase_add_loop_test (tc, test_memory, 0, 2);
  tcase_add_loop_test (tc, test_cuts, 0, N_CUTS);
  tcase_add_loop_test (tc, test_codec_data, 0, 4);
  tcase_add_loop_test (tc, test_offset_meta, 0, 2);
  tcase_add_test (tc, test_d_pictures);
  tcase_add_test (tc, test_damaged_slices);
  /* of each stream, mode and way one at least */
  tcase_add_loop_test (tc, test_damage, 0, MAX (6, test_rounds (24)));
  return suite;
}

GST_CHECK_MAIN (recoded);
