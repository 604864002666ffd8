/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * As muxed.c, with random times, segments, gaps and joins, and with containers
 * cut and put together at random. MPEG_TIMES_RUNS says how many of each are
 * tried, MPEG_TIMES_SEED with which one begins.
 */
#include <gst/check/gstcheck.h>

#include <stdlib.h>

#include "muxing.h"
#include "sums.h"
#include "stream.h"

/* Random times */

/* What times a stretch of the stream has. */
typedef enum
{
  TIMES_RIGHT,
  TIMES_PTS,                    /* no DTS */
  TIMES_DTS,                    /* no PTS */
  TIMES_NONE,
  TIMES_DTS_AS_PTS,
  TIMES_REPEATED,               /* the PTS of a B are the one's before */
  TIMES_INTRA,                  /* PTS of I only */
  TIMES_JITTER,                 /* by up to 10 ms */
  TIMES_ANY,
  N_TIMES
} Times;

typedef struct
{
  const TestStream *stream;
  GRand *rand;
  GPtrArray *samples;
  GByteArray *bytes;            /* of all of them */
  GstSegment segment;
  GstClockTimeDiff begin;       /* time of the stream's first frame */
  Times times;
  GstClockTime pts;             /* the last one */
} Plan;

static GstClockTime
random_start (GRand * rand)
{
  static const GstClockTime starts[] = { 0, 0, 40 * GST_MSECOND,
    566733333, 5 * GST_SECOND, 3600 * GST_SECOND
  };

  return starts[g_rand_int_range (rand, 0, G_N_ELEMENTS (starts))];
}

/* Media begins with the segment, before it or in it. */
static void
change_times (Plan * p, gboolean first)
{
  GRand *r = p->rand;

  if (first || g_rand_int_range (r, 0, 3) == 0) {
    gst_segment_init (&p->segment, GST_FORMAT_TIME);
    p->segment.start = p->segment.time = random_start (r);
    if (g_rand_int_range (r, 0, 6) == 0)
      p->segment.stop = p->segment.start + g_rand_int_range (r, 1, 3)
          * GST_SECOND;
    p->begin = p->segment.start;
    if (g_rand_boolean (r))
      p->begin += g_rand_int_range (r, -500, 1000) * (gint64) GST_MSECOND;
  } else if (g_rand_boolean (r)) {
    p->begin += g_rand_int_range (r, -2000, 2000) * (gint64) GST_MSECOND;
  }
  p->begin = MAX (p->begin, 0);
  p->times = g_rand_int_range (r, 0, N_TIMES);
}

static void
stamp (Plan * p, GstBuffer * buffer, GstClockTime pts, GstClockTime dts,
    M2vPictureType type)
{
  gboolean b = type == M2V_PICTURE_B;

  if (p->times == TIMES_DTS || p->times == TIMES_NONE
      || (p->times == TIMES_INTRA && type != M2V_PICTURE_I))
    pts = GST_CLOCK_TIME_NONE;
  else if (p->times == TIMES_DTS_AS_PTS)
    pts = dts;
  else if (p->times == TIMES_REPEATED && b)
    pts = p->pts;
  else if (p->times == TIMES_JITTER)
    pts += g_rand_int_range (p->rand, 0, 10000000);
  else if (p->times == TIMES_ANY)
    pts = g_rand_int_range (p->rand, 0, 10000) * GST_MSECOND;
  if (p->times == TIMES_PTS || p->times == TIMES_NONE
      || p->times == TIMES_INTRA)
    dts = GST_CLOCK_TIME_NONE;
  GST_BUFFER_PTS (buffer) = p->pts = pts;
  GST_BUFFER_DTS (buffer) = dts;
}

/* A frame is decoded when the anchor before it is displayed, a B at once. */
static void
add_frame (Plan * p, guint i, gboolean discont)
{
  const TestFrame *f = test_stream_frame (p->stream, i);
  GstClockTime frame = test_stream_frame_duration (p->stream);
  GstBuffer *buffer = test_stream_buffer (p->stream, i, 1);
  GstCaps *caps = test_stream_caps (p->stream);
  guint group = i;

  while (group > 0 && !test_stream_frame (p->stream, group)->starts_group)
    group--;
  stamp (p, buffer, p->begin + frame * (group + f->temporal_reference + 1),
      p->begin + frame * i, f->type);
  if (discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  else
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  g_byte_array_append (p->bytes, p->stream->data + f->begin, f->size);
  g_ptr_array_add (p->samples, gst_sample_new (buffer, caps, &p->segment,
          NULL));
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
}

static void
make_plan (Plan * p, const TestStream * s, guint seed)
{
  gboolean discont = TRUE;

  p->stream = s;
  p->rand = g_rand_new_with_seed (seed);
  p->samples = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_sample_unref);
  p->bytes = g_byte_array_new ();
  change_times (p, TRUE);
  for (guint i = 0; i < s->frames->len; i++) {
    if (g_rand_int_range (p->rand, 0, 25) == 0) {
      change_times (p, FALSE);
      discont |= g_rand_boolean (p->rand);
    }
    if (i > 0 && g_rand_int_range (p->rand, 0, 60) == 0) {
      i += g_rand_int_range (p->rand, 1, 6);
      discont |= g_rand_boolean (p->rand);
    }
    if (i < s->frames->len)
      add_frame (p, i, discont);
    discont = FALSE;
  }
}

static void
clear_plan (Plan * p)
{
  g_rand_free (p->rand);
  g_ptr_array_unref (p->samples);
  g_byte_array_unref (p->bytes);
}

static void
feed (GstElement * pipeline, gpointer plan)
{
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  const Plan *p = plan;
  GstFlowReturn ret;

  for (guint i = 0; i < p->samples->len; i++)
    g_signal_emit_by_name (src, "push-sample", p->samples->pdata[i], &ret);
  g_signal_emit_by_name (src, "end-of-stream", &ret);
  gst_object_unref (src);
}

static guint
number_from_environment (const gchar * name, guint otherwise)
{
  const gchar *value = g_getenv (name);

  return value ? (guint) atoi (value) : otherwise;
}

/* What is made of the file at `path`. */
static void
check_random (const gchar * what, const gchar * before, const TestSink * sink,
    const GPtrArray * pictures, Plan * plan)
{
  TestPrepare prepare = plan ? feed : NULL;
  GPtrArray *without =
      test_muxing_run (before, "identity", sink, prepare, plan);
  GPtrArray *with = test_muxing_run (before, "mpegscaler", sink, prepare, plan);

  test_muxing_compare (what, sink, pictures, without, with);
  test_muxing_transcode (what, before, sink, prepare, plan, without);
  g_ptr_array_unref (without);
  g_ptr_array_unref (with);
}

GST_START_TEST (test_random_times)
{
  static const TestSource timeless =
      { "random times", TEST_CODED "mv $out.es $out",
    "appsrc name=src format=time handle-segment-change=true"
  };
  guint seed = number_from_environment ("MPEG_TIMES_SEED", 1);
  guint end = seed + number_from_environment ("MPEG_TIMES_RUNS", 12);
  gchar *path = test_muxing_path ("in"), *reason = NULL, *what;
  TestStream *s = NULL;
  GPtrArray *pictures;
  Plan plan = { 0, };

  for (guint i = 0; i < TEST_N_SINKS && !reason; i++)
    reason = test_muxing_missing (&timeless, &test_sinks[i]);
  if (reason) {
    g_print ("skipped: %s\n", reason);
    seed = end;
  } else {
    test_muxing_make (&timeless, path);
    s = test_stream_load (path);
  }
  for (; seed < end; seed++) {
    make_plan (&plan, s, seed);
    what = g_strdup_printf ("MPEG_TIMES_SEED=%u", seed);
    fail_unless (g_file_set_contents (path, (gchar *) plan.bytes->data,
            plan.bytes->len, NULL));
    pictures = test_sums_of_file ("mpegvideo", path);
    check_random (what, timeless.demuxer, &test_sinks[seed % TEST_N_SINKS],
        pictures, &plan);
    g_ptr_array_unref (pictures);
    g_free (what);
    clear_plan (&plan);
  }
  if (s)
    test_stream_free (s);
  g_free (reason);
  g_free (path);
}

GST_END_TEST;

/* Random containers */

/* Parts of two files in packets of so many bytes, at random. */
static void
splice (const gchar * const paths[2], gsize packet, GRand * r,
    const gchar * path)
{
  GByteArray *bytes = g_byte_array_new ();
  gchar *data[2];
  gsize sizes[2];
  guint n = g_rand_int_range (r, 1, 4);

  for (guint i = 0; i < 2; i++)
    fail_unless (g_file_get_contents (paths[i], &data[i], &sizes[i], NULL));
  while (n-- > 0) {
    guint i = g_rand_int_range (r, 0, 2), n_packets = sizes[i] / packet;
    guint begin = g_rand_boolean (r) ? 0 : g_rand_int_range (r, 0, n_packets);
    guint end = g_rand_boolean (r) ? n_packets :
        (guint) g_rand_int_range (r, begin, n_packets + 1);

    g_byte_array_append (bytes, (guint8 *) data[i] + begin * packet,
        (end - begin) * packet);
  }
  fail_unless (g_file_set_contents (path, (gchar *) bytes->data, bytes->len,
          NULL));
  g_byte_array_unref (bytes);
  g_free (data[0]);
  g_free (data[1]);
}

static const struct
{
  TestSource files[2];
  gsize packet;
} containers[] = {
  {{{"program streams", TEST_CODED TEST_COPIED "-f vob $out", "mpegpsdemux"},
          {NULL, TEST_MADE "-c:v mpeg2video -bf 0 -b:v 300k -f vob $out",
              NULL}}, 2048},
  {{{"transport streams", TEST_MADE "-c:v mpeg2video -bf 2 -f mpegts $out",
              "tsdemux"},
          {NULL, TEST_MADE "-c:v mpeg2video -bf 0 -b:v 300k "
                "-output_ts_offset 2 -f mpegts $out", NULL}}, 188},
};

GST_START_TEST (test_random_containers)
{
  const TestSource *files = containers[__i__].files;
  guint seed = number_from_environment ("MPEG_TIMES_SEED", 1);
  guint end = seed + number_from_environment ("MPEG_TIMES_RUNS", 6);
  gchar *paths[] = { test_muxing_path ("a"), test_muxing_path ("b") };
  gchar *path = test_muxing_path ("in"), *reason = NULL, *before, *what;

  for (guint i = 0; i < TEST_N_SINKS && !reason; i++)
    reason = test_muxing_missing (&files[0], &test_sinks[i]);
  for (guint i = 0; i < 2 && !reason; i++)
    test_muxing_make (&files[i], paths[i]);
  if (reason)
    g_print ("%s: skipped: %s\n", files[0].name, reason);
  before = g_strdup_printf ("filesrc location=%s ! %s ! mpegvideoparse", path,
      files[0].demuxer);
  for (; seed < end && !reason; seed++) {
    GRand *rand = g_rand_new_with_seed (seed);
    GPtrArray *pictures;

    splice ((const gchar * const *) paths, containers[__i__].packet, rand,
        path);
    what = g_strdup_printf ("%s, MPEG_TIMES_SEED=%u", files[0].name, seed);
    pictures = test_sums_of_file (NULL, path);
    check_random (what, before, &test_sinks[seed % TEST_N_SINKS], pictures,
        NULL);
    g_ptr_array_unref (pictures);
    g_free (what);
    g_rand_free (rand);
  }
  g_free (before);
  g_free (reason);
  g_free (path);
  g_free (paths[0]);
  g_free (paths[1]);
}

GST_END_TEST;

static Suite *
muxedrandom_suite (void)
{
  Suite *suite = suite_create ("mpegscaler-muxedrandom");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, test_muxing_begin, test_muxing_end);
  tcase_add_test (tc, test_random_times);
  tcase_add_loop_test (tc, test_random_containers, 0,
      G_N_ELEMENTS (containers));
  return suite;
}

GST_CHECK_MAIN (muxedrandom);
