/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What encoderbitrate does about an encoder's output: the size of frames, and
 * what the encoder makes of its bitrate.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/congestion/congestion.h>

#include "testencoder.h"

#define LIVE GST_PARAM_MUTABLE_PLAYING
#define K 1000
#define FPS 30

static const TestEncoder encoders[] = {
  {"testenc", NULL, "bitrate", G_TYPE_UINT, "kbit/s", LIVE, 1, 50 * K},
  /* names that the table knows: kbit */
  {"nvliveenc", NULL, "bitrate", G_TYPE_UINT, NULL, LIVE, 0, 50 * K},
  {"nvreadyenc", NULL, "bitrate", G_TYPE_UINT, NULL, LIVE, 0, 50 * K},
  {"vah264lpenc", NULL, "bitrate", G_TYPE_UINT, NULL, LIVE, 0, 50 * K},
};

static const TestLimit limits[G_N_ELEMENTS (encoders)] = {
  {NULL, 0},
  {"vbv-buffer-size", LIVE},
  {"vbv-buffer-size", 0},
  {"cpb-size", LIVE},
};

typedef struct
{
  GstHarness *h;
  GstElement *eb, *enc;
  guint n_pictures;

  /* changes of current-bitrate */
  GMutex lock;
  GCond cond;
  guint n_notified;
} Rig;

static void
note_bitrate (GObject * object, GParamSpec * pspec, Rig * rig)
{
  (void) object;
  (void) pspec;
  g_mutex_lock (&rig->lock);
  rig->n_notified++;
  g_cond_signal (&rig->cond);
  g_mutex_unlock (&rig->lock);
}

static void
rig_start (Rig * rig, const gchar * encoder)
{
  static gboolean done = FALSE;
  gchar *line = g_strdup_printf ("%s name=enc ! encoderbitrate name=eb",
      encoder);
  guint i;

  for (i = 0; !done && i < G_N_ELEMENTS (encoders); i++)
    test_encoder_register (&encoders[i], &limits[i]);
  done = TRUE;
  rig->h = gst_harness_new_parse (line);
  gst_harness_set_src_caps_str (rig->h, "video/x-h264");
  gst_harness_set_drop_buffers (rig->h, TRUE);
  rig->eb = gst_harness_find_element (rig->h, "encoderbitrate");
  rig->enc = gst_bin_get_by_name (GST_BIN (rig->h->element), "enc");
  rig->n_pictures = rig->n_notified = 0;
  g_mutex_init (&rig->lock);
  g_cond_init (&rig->cond);
  g_signal_connect (rig->eb, "notify::current-bitrate",
      G_CALLBACK (note_bitrate), rig);
  g_free (line);
}

static void
rig_stop (Rig * rig)
{
  gst_object_unref (rig->eb);
  gst_object_unref (rig->enc);
  gst_harness_teardown (rig->h);
  g_mutex_clear (&rig->lock);
  g_cond_clear (&rig->cond);
}

static void
rig_event_waiting (Rig * rig, guint64 target, guint64 max_frame_size,
    GstClockTime waits)
{
  GstCongestionInfo *info = gst_congestion_info_new
      (GST_CONGESTION_REASON_DELAY);

  gst_congestion_info_set_target_bitrate (info, target);
  gst_congestion_info_set_max_frame_size (info, max_frame_size);
  gst_congestion_info_set_queue_time (info, waits);
  gst_harness_push_upstream_event (rig->h, gst_congestion_event_new (info));
  gst_congestion_info_free (info);
}

static void
rig_event (Rig * rig, guint64 target, guint64 max_frame_size)
{
  rig_event_waiting (rig, target, max_frame_size, GST_CLOCK_TIME_NONE);
}

static guint
rig_limit (Rig * rig, const gchar * property)
{
  guint value;

  g_object_get (rig->enc, property, &value, NULL);
  return value;
}

static guint64
rig_bitrate (Rig * rig)
{
  guint64 bitrate;

  g_object_get (rig->eb, "current-bitrate", &bitrate, NULL);
  return bitrate;
}

static guint64
rig_max_frame_size (Rig * rig)
{
  GstStructure *stats;
  guint64 size;

  g_object_get (rig->eb, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "max-frame-size", &size));
  gst_structure_free (stats);
  return size;
}

static gdouble
rig_correction (Rig * rig)
{
  GstStructure *stats;
  gdouble correction;

  g_object_get (rig->eb, "stats", &stats, NULL);
  fail_unless (gst_structure_get_double (stats, "correction", &correction));
  gst_structure_free (stats);
  return correction;
}

#define assert_limit(rig,expect) G_STMT_START { \
  fail_unless_equals_int (rig_limit (rig, "vbv-buffer-size"), expect); \
} G_STMT_END

/* Frames */

/* bytes in, kbit in the property: falls from a sixteenth on, rises from a
 * quarter on */
static const struct
{
  guint64 size;
  guint expect;
} sizes[] = {
  {10000, 80},
  {9600, 80},
  {9000, 72},
  {11000, 72},
  {12000, 96},
  {0, 0},
  {20, 1},
  {G_MAXUINT64, 100 * K},
};

GST_START_TEST (test_sizes)
{
  Rig rig;
  guint i;

  rig_start (&rig, "nvliveenc");
  for (i = 0; i < G_N_ELEMENTS (sizes); i++) {
    rig_event (&rig, 1000 * K, sizes[i].size);
    assert_limit (&rig, sizes[i].expect);
    fail_unless_equals_uint64 (rig_max_frame_size (&rig),
        MIN (sizes[i].size, GST_CONGESTION_MAX_FRAME_SIZE));
  }
  rig_stop (&rig);
}

GST_END_TEST;

/* Two encoders in one session share the largest frame. */
GST_START_TEST (test_share)
{
  Rig rig;

  rig_start (&rig, "vah264lpenc");
  g_object_set (rig.eb, "share", 0.25, NULL);
  rig_event (&rig, 1000 * K, 10000);
  fail_unless_equals_int (rig_limit (&rig, "cpb-size"), 20);
  fail_unless_equals_uint64 (rig_max_frame_size (&rig), 2500);
  rig_stop (&rig);
}

GST_END_TEST;

/* what the application has set, and whether the limit is in force: 80 kbit */
static const struct
{
  guint own;
  const gchar *limit_frames;
  guint expect;
} owners[] = {
  {0, "auto", 80},
  {200, "auto", 200},
  {200, "true", 80},
  {50, "true", 50},
  {0, "true", 80},
  {0, "false", 0},
  {200, "false", 200},
};

GST_START_TEST (test_whose)
{
  guint expect = owners[__i__].expect, own = owners[__i__].own;
  Rig rig;

  rig_start (&rig, "nvliveenc");
  g_object_set (rig.enc, "vbv-buffer-size", own, NULL);
  gst_util_set_object_arg (G_OBJECT (rig.eb), "limit-frames",
      owners[__i__].limit_frames);
  rig_event (&rig, 1000 * K, 10000);
  assert_limit (&rig, expect);
  fail_unless_equals_uint64 (rig_max_frame_size (&rig),
      expect != own ? 10000 : 0);
  rig_event (&rig, 0, 10000);
  assert_limit (&rig, expect);
  rig_stop (&rig);
}

GST_END_TEST;

/* The mean frame at 1 Mb/s has 33 kbit at 30 frames/s, 100 kbit at 10. kbit in
 * the property, bytes in the statistics: */
static const struct
{
  const gchar *caps, *limit_frames;
  guint64 size;
  guint expect;
  guint64 in_force;
} rates[] = {
  {"video/x-h264,framerate=30/1", "auto", 10000, 80, 10000},
  {"video/x-h264,framerate=30/1", "auto", 5000, 66, 8333},
  {"video/x-h264,framerate=10/1", "auto", 10000, 200, 25000},
  {"video/x-h264,framerate=10/1", "auto", 30000, 240, 30000},
  {"video/x-h264,framerate=0/1", "auto", 5000, 40, 5000},
  {"video/x-h264,framerate=30/1", "true", 5000, 40, 5000},
  {"video/x-h264,framerate=10/1", "true", 10000, 100, 12500},
};

/* What is left to the element leaves room for two frames, what is asked for
 * one. */
GST_START_TEST (test_rates)
{
  Rig rig;

  rig_start (&rig, "nvliveenc");
  gst_harness_set_src_caps_str (rig.h, rates[__i__].caps);
  gst_util_set_object_arg (G_OBJECT (rig.eb), "limit-frames",
      rates[__i__].limit_frames);
  rig_event (&rig, 1000 * K, rates[__i__].size);
  assert_limit (&rig, rates[__i__].expect);
  fail_unless_equals_uint64 (rig_max_frame_size (&rig), rates[__i__].in_force);
  rig_stop (&rig);
}

GST_END_TEST;

/* Whatever ends the limit, the encoder gets its own value back. */
GST_START_TEST (test_back)
{
  Rig rig;

  rig_start (&rig, "nvliveenc");
  g_object_set (rig.enc, "vbv-buffer-size", 200, NULL);
  g_object_set (rig.eb, "limit-frames", TRUE, NULL);
  rig_event (&rig, 1000 * K, 10000);
  assert_limit (&rig, 80);
  g_object_set (rig.eb, "limit-frames", FALSE, NULL);
  assert_limit (&rig, 200);
  g_object_set (rig.eb, "limit-frames", TRUE, NULL);
  assert_limit (&rig, 80);
  gst_util_set_object_arg (G_OBJECT (rig.eb), "limit-frames", "auto");
  assert_limit (&rig, 200);
  g_object_set (rig.eb, "limit-frames", TRUE, NULL);
  assert_limit (&rig, 80);
  g_object_set (rig.eb, "follow-events", FALSE, NULL);
  assert_limit (&rig, 200);
  g_object_set (rig.eb, "follow-events", TRUE, NULL);
  assert_limit (&rig, 80);
  g_object_set (rig.eb, "encoder", "nobody", NULL);
  assert_limit (&rig, 200);
  g_object_set (rig.eb, "encoder", "", NULL);
  assert_limit (&rig, 80);
  gst_element_set_state (rig.h->element, GST_STATE_READY);
  assert_limit (&rig, 200);
  fail_unless_equals_uint64 (rig_max_frame_size (&rig), 0);
  rig_stop (&rig);
}

GST_END_TEST;

/* The application sets the property while it is limited: it is the
 * application's from then on. */
GST_START_TEST (test_taken)
{
  Rig rig;

  rig_start (&rig, "nvliveenc");
  rig_event (&rig, 1000 * K, 10000);
  assert_limit (&rig, 80);
  g_object_set (rig.enc, "vbv-buffer-size", 300, NULL);
  rig_event (&rig, 1000 * K, 5000);
  assert_limit (&rig, 300);
  g_object_set (rig.eb, "limit-frames", TRUE, NULL);
  assert_limit (&rig, 40);
  g_object_set (rig.enc, "vbv-buffer-size", 400, NULL);
  gst_element_set_state (rig.h->element, GST_STATE_READY);
  assert_limit (&rig, 400);
  rig_stop (&rig);
}

GST_END_TEST;

GST_START_TEST (test_none)
{
  Rig rig;

  rig_start (&rig, "nvreadyenc");
  rig_event (&rig, 1000 * K, 10000);
  assert_limit (&rig, 0);
  fail_unless_equals_uint64 (rig_bitrate (&rig), 1000 * K);
  rig_stop (&rig);

  rig_start (&rig, "testenc");
  g_object_set (rig.eb, "limit-frames", TRUE, NULL);
  rig_event (&rig, 1000 * K, 10000);
  fail_unless_equals_uint64 (rig_max_frame_size (&rig), 0);
  rig_stop (&rig);
}

GST_END_TEST;

/* What the encoder makes of its bitrate */

/* `part` of 1 Mb/s, whatever it is told. */
static void
rig_encode (Rig * rig, guint seconds, gdouble part, gboolean as_lists)
{
  guint end = rig->n_pictures + seconds * FPS;

  for (; rig->n_pictures < end; rig->n_pictures++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL,
        (gsize) (part * 1000 * K / 8 / FPS), NULL);

    GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (rig->n_pictures,
        GST_SECOND, FPS);
    if (as_lists) {
      GstPad *pad = gst_element_get_static_pad (rig->enc, "src");
      GstBufferList *list = gst_buffer_list_new_sized (1);

      gst_buffer_list_add (list, buffer);
      gst_pad_push_list (pad, list);
      gst_object_unref (pad);
    } else {
      gst_harness_push (rig->h, buffer);
    }
  }
}

/* Another thread sets the encoder. */
static void
rig_await (Rig * rig, guint n_notified)
{
  g_mutex_lock (&rig->lock);
  while (rig->n_notified < n_notified)
    g_cond_wait (&rig->cond, &rig->lock);
  g_mutex_unlock (&rig->lock);
}

/* What the application sets is left to the other thread while that sets the
 * encoder. */
static void
rig_await_bitrate (Rig * rig, guint64 bitrate)
{
  g_mutex_lock (&rig->lock);
  while (rig_bitrate (rig) != bitrate)
    g_cond_wait (&rig->cond, &rig->lock);
  g_mutex_unlock (&rig->lock);
}

GST_START_TEST (test_correction)
{
  guint64 bitrate;
  Rig rig;

  rig_start (&rig, "testenc");
  rig_event (&rig, 1000 * K, 0);
  rig_await (&rig, 1);
  rig_encode (&rig, 2, .9, FALSE);
  fail_unless (rig_correction (&rig) == 1);
  rig_encode (&rig, 20, .9, __i__);
  rig_await (&rig, 2);

  /* The application's limit holds for what is told, too. */
  g_object_set (rig.eb, "max-bitrate", (guint64) 1000 * K, NULL);
  rig_await_bitrate (&rig, 1000 * K);
  g_object_set (rig.eb, "max-bitrate", (guint64) 0, NULL);
  bitrate = (guint64) (1000 * K * rig_correction (&rig)) / K * K;
  fail_unless (bitrate > 1015 * K && bitrate <= 1200 * K, "%" G_GUINT64_FORMAT,
      bitrate);
  rig_await_bitrate (&rig, bitrate);

  g_object_set (rig.eb, "correct-bitrate", FALSE, NULL);
  rig_await_bitrate (&rig, 1000 * K);
  fail_unless (rig_correction (&rig) == 1);
  rig_stop (&rig);
}

GST_END_TEST;

/* Where the caps do not say how many pictures come, they are counted. */
GST_START_TEST (test_counted_pictures)
{
  Rig rig;

  rig_start (&rig, "nvliveenc");
  rig_event (&rig, 1000 * K, 5000);
  assert_limit (&rig, 40);
  rig_encode (&rig, 5, 1, FALSE);
  rig_event (&rig, 1000 * K, 5000);
  fail_unless (ABS ((gint) rig_limit (&rig, "vbv-buffer-size") - 66) <= 3);
  rig_stop (&rig);
}

GST_END_TEST;

/* What waits in the sender takes an increase back at once. */
GST_START_TEST (test_relief)
{
  Rig rig;

  rig_start (&rig, "testenc");
  rig_event (&rig, 1000 * K, 10000);
  rig_encode (&rig, 20, .9, FALSE);
  rig_await (&rig, 2);
  rig_event_waiting (&rig, 1000 * K, 10000, 80 * GST_MSECOND);
  rig_await_bitrate (&rig, 1000 * K);
  fail_unless (rig_correction (&rig) == 1);
  rig_event_waiting (&rig, 1000 * K, 10000, 0);
  fail_unless (rig_correction (&rig) > 1.015);
  rig_stop (&rig);
}

GST_END_TEST;

/* Nothing is corrected where the application says so, nor while events are not
 * followed. */
GST_START_TEST (test_uncorrected)
{
  Rig rig;

  rig_start (&rig, "testenc");
  g_object_set (rig.eb, __i__ ? "follow-events" : "correct-bitrate", FALSE,
      NULL);
  rig_event (&rig, 1000 * K, 0);
  rig_encode (&rig, 60, .9, FALSE);
  fail_unless (rig_correction (&rig) == 1);
  fail_unless_equals_int (rig.n_notified, __i__ ? 0 : 1);
  rig_stop (&rig);
}

GST_END_TEST;

/* Pictures without a time are not counted, and do no harm. */
GST_START_TEST (test_untimed)
{
  Rig rig;
  guint i;

  rig_start (&rig, "testenc");
  rig_event (&rig, 1000 * K, 0);
  for (i = 0; i < 1000; i++)
    gst_harness_push (rig.h, gst_buffer_new_allocate (NULL, 100, NULL));
  fail_unless (rig_correction (&rig) == 1);
  rig_stop (&rig);
}

GST_END_TEST;

static Suite *
output_suite (void)
{
  Suite *suite = suite_create ("encoderbitrate-output");
  TCase *tcase = tcase_create ("frames");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_sizes);
  tcase_add_test (tcase, test_share);
  tcase_add_loop_test (tcase, test_rates, 0, G_N_ELEMENTS (rates));
  tcase_add_loop_test (tcase, test_whose, 0, G_N_ELEMENTS (owners));
  tcase_add_test (tcase, test_back);
  tcase_add_test (tcase, test_taken);
  tcase_add_test (tcase, test_none);

  tcase = tcase_create ("bitrate");
  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_correction, 0, 2);
  tcase_add_test (tcase, test_counted_pictures);
  tcase_add_test (tcase, test_relief);
  tcase_add_loop_test (tcase, test_uncorrected, 0, 2);
  tcase_add_test (tcase, test_untimed);
  return suite;
}

GST_CHECK_MAIN (output);
