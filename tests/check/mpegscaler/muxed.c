/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What is behind mpegscaler gets every picture, whatever times demuxers and
 * parsers make: FFmpeg finds each picture of the source once, and never fewer
 * than with identity in mpegscaler's place. mpegtranscoder loses none either.
 */
#include <gst/check/gstcheck.h>

#include "../rounds.h"
#include "muxing.h"
#include "sums.h"

#define FIELDS \
    TEST_FFMPEG "-f mpegvideo -i $files/bbb-352x576i25-fields-3M.m2v "

static const TestSource sources[] = {
  {"elementary stream", TEST_CODED "mv $out.es $out", "queue"},
  {"I only", TEST_MADE "-c:v mpeg2video -g 1 -f mpeg2video $out", "queue"},
  /* The first I and the first P have no time; the segment begins later. */
  {"program stream", TEST_CODED TEST_COPIED "-f vob $out", "mpegpsdemux"},
  {"program stream, fields", FIELDS "-c copy -f vob $out", "mpegpsdemux"},
  {"program stream, IPPP", TEST_MADE "-c:v mpeg2video -g 250 -bf 0 -f vob $out",
      "mpegpsdemux"},
  {"program streams, joined", TEST_CODED TEST_COPIED "-f vob $out.a && "
        "cat $out.a $out.a > $out", "mpegpsdemux"},
  {"MPEG-1 system stream",
      TEST_MADE "-c:v mpeg1video -bf 2 -f mpeg1video $out.es && " TEST_COPIED
        "-f mpeg $out", "mpegpsdemux"},
  {"transport stream", TEST_MADE "-c:v mpeg2video -bf 4 -g 24 -f mpegts $out",
      "tsdemux"},
  {"transport streams, joined",
        TEST_MADE "-c:v mpeg2video -bf 2 -f mpegts $out.a && " TEST_MADE
        "-c:v mpeg2video -bf 0 -f mpegts $out.b && " "cat $out.a $out.b > $out",
      "tsdemux"},
  /* The B need another encoder, whose sequence header has another rate. */
  {"transport streams, joined, of two rates",
        TEST_MADE "-c:v mpeg2video -bf 0 -f mpegts $out.a && " TEST_MADE
        "-c:v mpeg2video -bf 2 -b:v 300k -f mpegts $out.b && "
        "cat $out.a $out.b > $out", "tsdemux"},
  {"AVI", TEST_CODED TEST_COPIED "-f avi $out", "avidemux"},
  {"MP4", TEST_CODED TEST_COPIED "-f mp4 $out", "qtdemux"},
  {"Matroska", TEST_MADE "-c:v mpeg2video -bf 2 -f matroska $out",
      "matroskademux"},
};

/* Containers */

GST_START_TEST (test_containers)
{
  const TestSource *source = &sources[__i__];
  gchar *path = test_muxing_path ("in"), *before;
  GPtrArray *pictures = NULL;

  before = g_strdup_printf ("filesrc location=%s ! %s ! mpegvideoparse", path,
      source->demuxer);
  for (guint i = 0; i < TEST_N_SINKS; i++) {
    gchar *reason;
    GPtrArray *without, *with;

    if (!test_taken (i + __i__))
      continue;
    reason = test_muxing_missing (source, &test_sinks[i]);
    if (reason) {
      g_print ("%s, %s: skipped: %s\n", source->name, test_sinks[i].name,
          reason);
      g_free (reason);
      continue;
    }
    if (!pictures) {
      test_muxing_make (source, path);
      pictures = test_sums_of_file (NULL, path);
    }
    fail_unless (pictures->len > 0);
    without = test_muxing_run (before, "identity", &test_sinks[i], NULL, NULL);
    with = test_muxing_run (before, "mpegscaler", &test_sinks[i], NULL, NULL);
    test_muxing_compare (source->name, &test_sinks[i], pictures, without, with);
    fail_unless (with->len == pictures->len, "%s, %s: %u pictures of %u",
        source->name, test_sinks[i].name, with->len, pictures->len);
    fail_unless (test_muxing_transcode (source->name, before, &test_sinks[i],
            NULL, NULL, without) == 0);
    g_ptr_array_unref (without);
    g_ptr_array_unref (with);
  }
  if (pictures)
    g_ptr_array_unref (pictures);
  g_free (before);
  g_free (path);
}

GST_END_TEST;

/* Seeks */

static const struct
{
  gdouble rate;
  GstSeekFlags flags;
  GstClockTime start, stop;
} seeks[] = {
  {1, GST_SEEK_FLAG_ACCURATE, 900 * GST_MSECOND, GST_CLOCK_TIME_NONE},
  {1, GST_SEEK_FLAG_KEY_UNIT, 900 * GST_MSECOND, GST_CLOCK_TIME_NONE},
  {1, GST_SEEK_FLAG_ACCURATE, 500 * GST_MSECOND, 1200 * GST_MSECOND},
  {-1, GST_SEEK_FLAG_NONE, 0, 1500 * GST_MSECOND},
};

static void
seek (GstElement * pipeline, gpointer number)
{
  guint i = GPOINTER_TO_UINT (number);

  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  /* Not every demuxer can go backwards. */
  gst_element_seek (pipeline, seeks[i].rate, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | seeks[i].flags, GST_SEEK_TYPE_SET, seeks[i].start,
      GST_SEEK_TYPE_SET, seeks[i].stop);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
}

/* What is written after a seek in PAUSED. */
GST_START_TEST (test_seeks)
{
  const TestSource *source = &sources[__i__];
  gchar *path = test_muxing_path ("in"), *before;
  gchar *reason = test_muxing_missing (source, &test_sinks[0]);

  if (reason)
    g_print ("%s: skipped: %s\n", source->name, reason);
  else
    test_muxing_make (source, path);
  before = g_strdup_printf ("filesrc location=%s ! %s ! mpegvideoparse", path,
      source->demuxer);
  for (guint i = 0; i < G_N_ELEMENTS (seeks) && !reason; i++) {
    gpointer n = GUINT_TO_POINTER (i);
    GPtrArray *without, *with;

    if (!test_taken (i + __i__))
      continue;
    without = test_muxing_run (before, "identity", &test_sinks[0], seek, n);
    with = test_muxing_run (before, "mpegscaler", &test_sinks[0], seek, n);
    fail_unless (with->len >= without->len, "%s, seek %u: %u pictures; with "
        "identity %u", source->name, i, with->len, without->len);
    g_ptr_array_unref (without);
    g_ptr_array_unref (with);
  }
  g_free (reason);
  g_free (before);
  g_free (path);
}

GST_END_TEST;

static Suite *
muxed_suite (void)
{
  Suite *suite = suite_create ("mpegscaler-muxed");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, test_muxing_begin, test_muxing_end);
  tcase_add_loop_test (tc, test_containers, 0, G_N_ELEMENTS (sources));
  tcase_add_loop_test (tc, test_seeks, 0, G_N_ELEMENTS (sources));
  return suite;
}

GST_CHECK_MAIN (muxed);
