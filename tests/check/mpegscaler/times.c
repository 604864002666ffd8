/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Presentation times behind mpegscaler, for files, transport streams and
 * program streams, as they come out of mpegvideoparse: absent, or one for
 * several frames. The truth is in the pictures: each is displayed for two field
 * periods, or three where the first is repeated, one after the other. Behind
 * rtpmpegvideopay, the same in ticks of 90 kHz.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <glib/gstdio.h>
#include <string.h>

#include "stream.h"

/* Two time stamps, each rounded to 90 kHz. */
#define TICK (GST_SECOND / 90000 + 1)

static const gchar *const streams[] = {
  "walk-720x480p30-4M.m2v",
  "bbb-352x576i25-fields-3M.m2v",
  "sintel-720x480-pulldown-4M.m2v",
  "ocean-176x96p30-500k.m2v",
  "bbb-352x288p25-1100k.m1v",
};

typedef struct
{
  const gchar *name;
  const gchar *muxer, *pad;     /* an element and its pad template */
  const gchar *command;         /* or a program: video, file */
  const gchar *demuxer;
  GstClockTime tolerance;
  gint64 rtp_tolerance;         /* ticks; -1: not compared */
} Container;

/* mpegpsdemux begins the segment of what mpegpsmux wrote too late for RTP. */
static const Container containers[] = {
  {"file", NULL, NULL, NULL, "queue", 2, 0},
  {"transport stream", "mpegtsmux", "sink_%d", NULL, "tsdemux", TICK, 0},
  {"program stream", "mpegpsmux", "sink_%u", NULL, "mpegpsdemux", TICK, -1},
  {"mplex", NULL, NULL, "mplex -v 0 -f 3 -b 4000 %s -o %s", "mpegpsdemux",
      TICK, 0},
};

/* Since the first one displayed, in field periods. */
static gint64 *
true_times (const TestStream * s)
{
  GArray *order = test_stream_display_order (s, NULL);
  gint64 *times = g_new (gint64, s->frames->len), position = 0;
  guint i;

  for (i = 0; i < order->len; i++) {
    guint frame = g_array_index (order, guint, i);

    times[frame] = position;
    position += test_stream_frame (s, frame)->n_fields;
  }
  g_array_unref (order);
  return times;
}

/* Containers */

static gboolean
have (const Container * c)
{
  const gchar *elements[] = { c->muxer, c->demuxer, "mpegvideoparse" };
  gchar *program;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (elements); i++) {
    GstElementFactory *factory;

    if (!elements[i])
      continue;
    factory = gst_element_factory_find (elements[i]);
    if (!factory) {
      g_print ("skipped: no element %s\n", elements[i]);
      return FALSE;
    }
    gst_object_unref (factory);
  }
  if (!c->command)
    return TRUE;
  program = g_find_program_in_path (c->name);
  if (!program)
    g_print ("skipped: %s is not installed\n", c->name);
  g_free (program);
  return program != NULL;
}

/* An anchor is decoded when the one before is displayed. Muxers round down to
 * ticks: whole nanoseconds just below one would miss it. */
static void
mux_frames (const TestStream * s, const gint64 * times, GstHarness * h)
{
  const gint64 base = GST_SECOND + 1;
  gint64 anchor = -2;
  guint i;

  for (i = 0; i < s->frames->len; i++) {
    GstBuffer *buffer = test_stream_buffer (s, i, 1);
    gint64 dts = times[i];

    if (test_stream_frame (s, i)->type != M2V_PICTURE_B) {
      dts = anchor;
      anchor = times[i];
    }
    GST_BUFFER_PTS (buffer) = base + m2v_fields_time (&s->sequence, times[i]);
    GST_BUFFER_DTS (buffer) = base + m2v_fields_time (&s->sequence, dts);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
}

static void
mux_with_element (const TestStream * s, const gint64 * times,
    const Container * c, const gchar * path)
{
  GstHarness *h = gst_harness_new_with_padnames (c->muxer, c->pad, "src");
  GByteArray *all = g_byte_array_new ();
  GstBuffer *buffer;
  GstMapInfo map;

  gst_harness_set_src_caps (h, test_stream_caps (s));
  mux_frames (s, times, h);
  while (TRUE) {
    GstEvent *event = gst_harness_pull_event (h);
    gboolean eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;

    gst_event_unref (event);
    if (eos)
      break;
  }
  while ((buffer = gst_harness_try_pull (h))) {
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    g_byte_array_append (all, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
  fail_unless (g_file_set_contents (path, (gchar *) all->data, all->len, NULL));
  g_byte_array_unref (all);
  gst_harness_teardown (h);
}

static void
mux_with_program (const TestStream * s, const Container * c, const gchar * path)
{
  static const guint8 end[] = { 0, 0, 1, 0xb7 };
  gchar *video = g_strdup_printf ("%s.m2v", path), *command;
  GByteArray *data = g_byte_array_new ();
  gint status;

  /* without it mplex leaves out the last frame */
  g_byte_array_append (data, s->data, s->size);
  g_byte_array_append (data, end, sizeof end);
  fail_unless (g_file_set_contents (video, (gchar *) data->data, data->len,
          NULL));
  g_byte_array_unref (data);
  command = g_strdup_printf (c->command, video, path);
  fail_unless (g_spawn_command_line_sync (command, NULL, NULL, &status, NULL));
  fail_unless (g_spawn_check_wait_status (status, NULL), "%s failed", command);
  g_unlink (video);
  g_free (video);
  g_free (command);
}

/* Scaling */

static GstPadProbeReturn
note_time (GstPad * pad, GstPadProbeInfo * probe, gpointer times)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (probe);

  (void) pad;
  /* but for the sequence_end_code that came with a dropped frame */
  if (gst_buffer_get_size (buffer) > 4)
    g_array_append_val ((GArray *) times, GST_BUFFER_PTS (buffer));
  return GST_PAD_PROBE_OK;
}

/* To its end; the probe sees what leaves the element `s`. */
static void
run_pipeline (const gchar * description, GstPadProbeType type,
    GstPadProbeCallback probe, gpointer data)
{
  GstElement *pipeline = gst_parse_launch (description, NULL), *scaler;
  GstMessage *message;
  GstBus *bus;
  GstPad *pad;

  fail_unless (pipeline != NULL, "%s", description);
  scaler = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  pad = gst_element_get_static_pad (scaler, "src");
  gst_pad_add_probe (pad, type, probe, data, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pad);
  gst_object_unref (scaler);
  gst_object_unref (pipeline);
}

static GArray *
scaled_times (const Container * c, const gchar * path, gint scale)
{
  GArray *times = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  gchar *description = g_strdup_printf ("filesrc location=%s ! %s ! "
      "mpegvideoparse ! mpegscaler name=s follow-events=false scale=%d ! "
      "fakesink", path, c->demuxer, scale);

  run_pipeline (description, GST_PAD_PROBE_TYPE_BUFFER, note_time, times);
  g_free (description);
  return times;
}

/* The frames that passed, all or the anchors, against the truth; the first one
 * coded counts from its own. */
static void
check_times (const TestStream * s, const gint64 * truth, const Container * c,
    const gchar * path, gboolean anchors)
{
  GArray *times = scaled_times (c, path, anchors ? 2 : 4);
  gint64 base = 0, worst = 0;
  guint i, n = 0;

  for (i = 0; i < s->frames->len; i++) {
    gint64 time, right = m2v_fields_time (&s->sequence, truth[i]);

    if (anchors && test_stream_frame (s, i)->type == M2V_PICTURE_B)
      continue;
    fail_unless (n < times->len, "%s: %u frames only", c->name, times->len);
    fail_unless (GST_CLOCK_TIME_IS_VALID (g_array_index (times, GstClockTime,
                n)), "%s: frame %u has no time", c->name, i);
    time = g_array_index (times, GstClockTime, n++);
    if (i == 0)
      base = time - right;
    worst = MAX (worst, ABS (time - base - right));
    fail_unless (ABS (time - base - right) <= (gint64) c->tolerance,
        "%s: frame %u, a %c: at %" G_GINT64_FORMAT " ns, not %"
        G_GINT64_FORMAT, c->name, i, "?IPBD"[test_stream_frame (s, i)->type],
        time - base, right);
  }
  fail_unless_equals_int (n, times->len);
  g_array_unref (times);
}

/* RTP */

static GstPadProbeReturn
note_timestamp (GstPad * pad, GstPadProbeInfo * probe, gpointer timestamps)
{
  GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST (probe);
  guint8 head[8];
  guint32 timestamp;

  (void) pad;
  fail_unless_equals_int (gst_buffer_extract (gst_buffer_list_get (list, 0), 0,
          head, sizeof head), sizeof head);
  timestamp = GST_READ_UINT32_BE (head + 4);
  g_array_append_val ((GArray *) timestamps, timestamp);
  return GST_PAD_PROBE_OK;
}

/* Of each frame in coded order; the first one's is 0. */
static GArray *
rtp_timestamps (const Container * c, const gchar * path)
{
  GArray *timestamps = g_array_new (FALSE, FALSE, sizeof (guint32));
  gchar *description = g_strdup_printf ("filesrc location=%s ! %s ! "
      "mpegvideoparse ! rtpmpegvideopay name=s ! fakesink", path, c->demuxer);
  guint32 begin;

  run_pipeline (description, GST_PAD_PROBE_TYPE_BUFFER_LIST, note_timestamp,
      timestamps);
  begin = g_array_index (timestamps, guint32, 0);
  for (guint i = 0; i < timestamps->len; i++)
    g_array_index (timestamps, guint32, i) -= begin;
  g_free (description);
  return timestamps;
}

/* To the tick; where a frame is displayed half a tick late, the earlier one. */
static void
check_timestamps (const TestStream * s, const gint64 * truth,
    const Container * c, const gchar * path)
{
  GArray *timestamps = rtp_timestamps (c, path);
  const gint64 num = s->sequence.frame_rate_num;
  const gint64 den = s->sequence.frame_rate_den;
  gint64 begin = (truth[0] * 90000 * den) / (2 * num);
  guint i;

  fail_unless_equals_int (timestamps->len, s->frames->len);
  for (i = 0; i < s->frames->len; i++) {
    gint64 right = truth[i] * 90000 * den / (2 * num) - begin;
    gint64 got = (gint32) g_array_index (timestamps, guint32, i);

    if (ABS (got - right) > c->rtp_tolerance)
      fail ("%s: frame %u: %" G_GINT64_FORMAT " ticks, not %" G_GINT64_FORMAT,
          c->name, i, got, right);
  }
  g_array_unref (timestamps);
}

GST_START_TEST (test_times)
{
  const gchar *name = streams[__i__ % G_N_ELEMENTS (streams)];
  const Container *c = &containers[__i__ / G_N_ELEMENTS (streams)];
  TestStream *s;
  gint64 *truth;
  gchar *path;
  gint fd;

  if (!have (c))
    return;
  g_print ("%s: %s, %s\n", name, c->name, c->demuxer);
  s = test_stream_load (name);
  truth = true_times (s);
  fd = g_file_open_tmp ("mpegscaler-XXXXXX", &path, NULL);
  fail_unless (fd >= 0 && g_close (fd, NULL));
  if (c->muxer)
    mux_with_element (s, truth, c, path);
  else if (c->command)
    mux_with_program (s, c, path);
  else
    fail_unless (g_file_set_contents (path, (gchar *) s->data, s->size, NULL));
  check_times (s, truth, c, path, FALSE);
  check_times (s, truth, c, path, TRUE);
  if (c->rtp_tolerance >= 0)
    check_timestamps (s, truth, c, path);
  g_unlink (path);
  g_free (path);
  g_free (truth);
  test_stream_free (s);
}

GST_END_TEST;

static Suite *
times_suite (void)
{
  Suite *suite = suite_create ("times");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_times, 0,
      G_N_ELEMENTS (streams) * G_N_ELEMENTS (containers));
  return suite;
}

GST_CHECK_MAIN (times);
