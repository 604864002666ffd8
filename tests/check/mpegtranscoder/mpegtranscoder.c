/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * mpegtranscoder as an element: properties, events, targets, beginnings and ends.
 * The rate that comes out: rate.c; size, frame rate, version: formats.c.
 */
#include <gst/check/gstcheck.h>
#include <gst/congestion/congestion.h>
#include <gst/video/video.h>

#include <mpeg2/patch.h>
#include <startcode/startcode.h>

#include "transcode.h"

#define WALK "walk-720x480p30-4M.m2v"
#define OCEAN "ocean-176x96p30-500k.m2v"
#define FIELDS "bbb-352x576i25-fields-3M.m2v"
#define PULLDOWN "sintel-720x480-pulldown-4M.m2v"

/* I or P to the next. */
#define M 3

static GstEvent *
congestion_event (guint64 target)
{
  GstCongestionInfo *info =
      gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);
  GstEvent *event;

  gst_congestion_info_set_target_bitrate (info, target);
  event = gst_congestion_event_new (info);
  gst_congestion_info_free (info);
  return event;
}

static void
send_target (GstHarness * h, guint64 target)
{
  fail_unless (gst_harness_push_upstream_event (h, congestion_event (target)));
}

static GstHarness *
start_following (const TestStream * s)
{
  GstHarness *h = transcode_start (s, 0);

  g_object_set (h->element, "follow-events", TRUE, NULL);
  return h;
}

static GstStructure *
stats (GstHarness * h)
{
  GstStructure *s;

  g_object_get (h->element, "stats", &s, NULL);
  return s;
}

static guint64
count (GstHarness * h, const gchar * field)
{
  GstStructure *s = stats (h);
  guint64 value = 0;

  fail_unless (gst_structure_get_uint64 (s, field, &value), "no %s", field);
  gst_structure_free (s);
  return value;
}

static gdouble
quantiser_out (GstHarness * h)
{
  GstStructure *s = stats (h);
  gdouble value = 0;

  fail_unless (gst_structure_get_double (s, "quantiser-out", &value));
  gst_structure_free (s);
  return value;
}

/* Properties */

GST_START_TEST (test_properties)
{
  static const gchar *const live[] = { "follow-events", "target-bitrate",
    "share", "reserved-bitrate", "max-quantiser"
  };
  static const gchar *const ready[] = { "gop-size", "b-frames", "closed-gop",
    "macroblock-decision", "trellis", "threads"
  };
  GstElement *e = gst_element_factory_make ("mpegtranscoder", NULL);
  GObjectClass *klass = G_OBJECT_GET_CLASS (e);
  gboolean follow, closed, trellis;
  guint64 target, reserved;
  gdouble share;
  guint max, gop, threads, i;
  gint b, decision;

  for (i = 0; i < G_N_ELEMENTS (live); i++)
    fail_unless (g_object_class_find_property (klass, live[i])->flags
        & GST_PARAM_MUTABLE_PLAYING, "%s", live[i]);
  for (i = 0; i < G_N_ELEMENTS (ready); i++)
    fail_unless (g_object_class_find_property (klass, ready[i])->flags
        & GST_PARAM_MUTABLE_READY, "%s", ready[i]);
  g_object_get (e, "follow-events", &follow, "target-bitrate", &target,
      "share", &share, "reserved-bitrate", &reserved, "max-quantiser", &max,
      "gop-size", &gop, "b-frames", &b, "closed-gop", &closed,
      "macroblock-decision", &decision, "trellis", &trellis, "threads",
      &threads, NULL);
  fail_unless (follow && target == 0 && share == 1.0 && reserved == 0
      && max == 31 && gop == 0 && b == -1 && !closed && decision == 0
      && !trellis && threads == 1);

  g_object_set (e, "follow-events", FALSE, "target-bitrate",
      G_GUINT64_CONSTANT (5000000000), "share", 0.25, "reserved-bitrate",
      G_GUINT64_CONSTANT (6000000000), "max-quantiser", 12, "gop-size", 15,
      "b-frames", 0, "closed-gop", TRUE, "trellis", TRUE, "threads", 2, NULL);
  gst_util_set_object_arg (G_OBJECT (e), "macroblock-decision", "rd");
  g_object_get (e, "follow-events", &follow, "target-bitrate", &target,
      "share", &share, "reserved-bitrate", &reserved, "max-quantiser", &max,
      "gop-size", &gop, "b-frames", &b, "closed-gop", &closed,
      "macroblock-decision", &decision, "trellis", &trellis, "threads",
      &threads, NULL);
  fail_unless (!follow && share == 0.25 && max == 12 && gop == 15 && b == 0
      && closed && decision == 2 && trellis && threads == 2);
  fail_unless_equals_uint64 (target, 5000000000);
  fail_unless_equals_uint64 (reserved, 6000000000);
  gst_object_unref (e);
}

GST_END_TEST;

GST_START_TEST (test_stats)
{
  static const gchar *const counts[] = { "events", "event-bitrate",
    "target-bitrate", "source-bitrate", "frames-in", "frames-out",
    "frames-dropped", "frames-undecodable", "pictures-recoded",
    "pictures-passed", "bytes-in", "bytes-out", "wait", "picture-target"
  };
  static const gchar *const numbers[] = { "quantiser-in", "quantiser-out"
  };
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = transcode_start (s, 1500000);
  GstStructure *st = stats (h);
  gboolean floor;
  gdouble in;
  guint i;

  fail_unless (gst_structure_has_name (st, "mpegtranscoder/stats"));
  fail_unless_equals_int (gst_structure_n_fields (st),
      G_N_ELEMENTS (counts) + G_N_ELEMENTS (numbers) + 1);
  for (i = 0; i < G_N_ELEMENTS (counts); i++)
    fail_unless (gst_structure_has_field_typed (st, counts[i], G_TYPE_UINT64));
  for (i = 0; i < G_N_ELEMENTS (numbers); i++)
    fail_unless (gst_structure_has_field_typed (st, numbers[i], G_TYPE_DOUBLE));
  fail_unless (gst_structure_get_boolean (st, "floor", &floor) && !floor);
  gst_structure_free (st);

  transcode_push (h, s, 0, 120);
  transcode_eos (h);
  fail_unless_equals_uint64 (count (h, "frames-in"), 120);
  fail_unless_equals_uint64 (count (h, "frames-out"), 120);
  fail_unless_equals_uint64 (count (h, "pictures-recoded"), 120);
  fail_unless_equals_uint64 (count (h, "target-bitrate"), 1500000);
  fail_unless (ABS ((gint64) count (h, "source-bitrate") - 3970000) < 400000);
  st = stats (h);
  gst_structure_get_double (st, "quantiser-in", &in);
  gst_structure_free (st);
  fail_unless (in >= 2 && quantiser_out (h) > in);

  /* READY forgets */
  gst_element_set_state (h->element, GST_STATE_READY);
  fail_unless_equals_uint64 (count (h, "frames-in"), 0);
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Targets */

/* The next picture that is coded obeys, so no more than M leave that do not. */
GST_START_TEST (test_new_target)
{
  static const guint begins[] = { 120, 121, 122, 125, 131 };
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start_following (s);
  Output *o = output_new ();
  gdouble before, bits = 0, target = stream_rate (s) * .35;
  GstClockTime duration = 0;
  guint begin = begins[__i__], i;

  send_target (h, stream_rate (s) * .75);
  transcode_push (h, s, 0, begin);
  before = quantiser_out (h);
  output_take (o, h);
  i = o->pictures->len + M;

  send_target (h, target);
  transcode_push (h, s, begin, begin + 1);
  /* one I, P or B after another: twice the rate is about twice the quantiser,
   * and B have twice that of the others */
  if (quantiser_out (h) <= before)
    transcode_push (h, s, begin + 1, begin + 2);
  fail_unless (quantiser_out (h) > before, "%f after %f", quantiser_out (h),
      before);
  transcode_push (h, s, begin + 2, s->frames->len);
  transcode_eos (h);
  output_take (o, h);
  for (; i < o->pictures->len; i++) {
    bits += 8. * output_picture (o, i)->size;
    duration += output_picture (o, i)->duration;
    /* at no time more than the target and half a second of it */
    fail_unless (bits <= target * (duration / (gdouble) GST_SECOND + .5));
  }
  fail_unless (bits < 1.05 * target * duration / GST_SECOND);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (s);
}

GST_END_TEST;

GST_START_TEST (test_share)
{
  TestStream *s = test_stream_load (OCEAN);
  GstHarness *h = start_following (s);

  fail_unless_equals_uint64 (count (h, "target-bitrate"), G_MAXUINT64);
  g_object_set (h->element, "share", .5, "reserved-bitrate",
      G_GUINT64_CONSTANT (100000), NULL);
  send_target (h, 700000);
  fail_unless_equals_uint64 (count (h, "event-bitrate"), 700000);
  fail_unless_equals_uint64 (count (h, "target-bitrate"), 300000);
  fail_unless_equals_uint64 (count (h, "events"), 1);
  g_object_set (h->element, "follow-events", FALSE, NULL);
  fail_unless_equals_uint64 (count (h, "target-bitrate"), G_MAXUINT64);
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

GST_START_TEST (test_floor)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = transcode_start (s, 800000);
  GstStructure *st;
  gboolean floor;

  g_object_set (h->element, "max-quantiser", 8, NULL);
  transcode_push (h, s, 0, 100);
  fail_unless (quantiser_out (h) <= 16);
  st = stats (h);
  fail_unless (gst_structure_get_boolean (st, "floor", &floor) && floor);
  gst_structure_free (st);
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

static guint
count_gaps (GstHarness * h)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_event (h))) {
    n += GST_EVENT_TYPE (event) == GST_EVENT_GAP;
    gst_event_unref (event);
  }
  return n;
}

/* A target of 0 stops at once; the first picture afterwards is an I, wherever in
 * the source's group it is. */
GST_START_TEST (test_stop)
{
  TestStream *s = test_stream_load (WALK), *out;
  GstHarness *h = start_following (s);
  Output *o = output_new ();
  guint before;

  transcode_push (h, s, 0, 40);
  output_take (o, h);
  before = o->pictures->len;
  count_gaps (h);
  send_target (h, 0);
  transcode_push (h, s, 40, 90);
  output_take (o, h);
  fail_unless_equals_int (o->pictures->len, before);
  /* 1.7 s */
  fail_unless_equals_int (count_gaps (h), 3);
  send_target (h, 2000000);
  transcode_push (h, s, 90, 140);
  transcode_eos (h);
  output_take (o, h);
  fail_unless (o->pictures->len > before + 47);
  fail_unless (output_picture (o, before)->intra);
  fail_if (output_picture (o, before)->discont);
  fail_unless_equals_uint64 (count (h, "frames-in"),
      count (h, "frames-out") + count (h, "frames-dropped"));
  out = output_stream (o);
  fail_unless_equals_int (stream_count_decoded (out, 720, 480),
      o->pictures->len);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (out);
  test_stream_free (s);
}

GST_END_TEST;

/* Events */

GST_START_TEST (test_events_travel_on)
{
  TestStream *s = test_stream_load (OCEAN);
  GstHarness *h = start_following (s);
  GstEvent *event;
  gboolean found = FALSE;

  send_target (h, 400000);
  while ((event = gst_harness_try_pull_upstream_event (h))) {
    found |= gst_is_congestion_event (event);
    gst_event_unref (event);
  }
  fail_unless (found);
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Where among what leaves is the event, and whether what follows it is an I of its
 * time. */
typedef struct
{
  guint n_events;
  GstClockTime pts;
  gboolean due, matches;
} KeyUnit;

static GstPadProbeReturn
watch_key_unit (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  KeyUnit *k = data;
  gboolean all_headers;
  guint count;

  (void) pad;
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

    if (k->due)
      k->matches = GST_BUFFER_PTS (buffer) == k->pts
          && !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    k->due = FALSE;
  } else if (gst_video_event_parse_downstream_force_key_unit
      (GST_PAD_PROBE_INFO_EVENT (info), &k->pts, NULL, NULL, &all_headers,
          &count)) {
    k->n_events++;
    k->due = all_headers && count == 1;
  }
  return GST_PAD_PROBE_OK;
}

/* From either side. The next picture in display order is an I, and the event
 * leaves before it. */
GST_START_TEST (test_force_key_unit)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = transcode_start (s, 2000000);
  Output *o = output_new ();
  KeyUnit key_unit = { 0 };
  GstEvent *event;
  guint i, intra = 0;

  gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch_key_unit, &key_unit, NULL);
  transcode_push (h, s, 0, 30);
  if (__i__)
    fail_unless (gst_harness_push_upstream_event (h,
            gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE,
                TRUE, 1)));
  else
    fail_unless (gst_harness_push_event (h,
            gst_video_event_new_downstream_force_key_unit (GST_CLOCK_TIME_NONE,
                GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, TRUE, 1)));
  transcode_push (h, s, 30, 60);
  transcode_eos (h);
  output_take (o, h);
  fail_unless_equals_int (o->pictures->len, 60);
  for (i = 0; i < 60; i++)
    intra += output_picture (o, i)->intra;
  /* I at 0, 10, 22, 34, 46 and 58 of the source, and this one */
  fail_unless_equals_int (intra, 7);
  fail_unless_equals_int (key_unit.n_events, 1);
  fail_unless (key_unit.matches);
  while ((event = gst_harness_try_pull_upstream_event (h))) {
    fail_if (gst_video_event_is_force_key_unit (event));
    gst_event_unref (event);
  }
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (s);
}

GST_END_TEST;

/* stream-start, caps, segment, whatever the order of other events. */
GST_START_TEST (test_event_order)
{
  static const GstEventType expected[] = { GST_EVENT_STREAM_START,
    GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_TAG, GST_EVENT_EOS
  };
  TestStream *s = test_stream_load (OCEAN);
  GstHarness *h = transcode_start (s, 0);
  GstEvent *event;
  guint i;

  fail_unless (gst_harness_push_event (h,
          gst_event_new_tag (gst_tag_list_new_empty ())));
  transcode_push (h, s, 0, 20);
  transcode_eos (h);
  for (i = 0; i < G_N_ELEMENTS (expected); i++) {
    event = gst_harness_pull_event (h);
    fail_unless_equals_int (GST_EVENT_TYPE (event), expected[i]);
    gst_event_unref (event);
  }
  fail_unless (gst_harness_try_pull_event (h) == NULL);
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Appends what leaves: a dot for a picture, the number of an event. */
static GstPadProbeReturn
note_order (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GString *order = data;
  guint n;

  (void) pad;
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    g_string_append (order, ".");
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) ==
      GST_EVENT_CUSTOM_DOWNSTREAM && gst_structure_get_uint
      (gst_event_get_structure (GST_PAD_PROBE_INFO_EVENT (info)), "n", &n))
    g_string_append_printf (order, "%u", n);
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_GAP)
    g_string_append (order, "gap");
  return GST_PAD_PROBE_OK;
}

static void
push_numbered (GstHarness * h, guint n)
{
  fail_unless (gst_harness_push_event (h,
          gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
              gst_structure_new ("numbered", "n", G_TYPE_UINT, n, NULL))));
}

/* What comes between two pictures leaves between them, though the first waits. */
GST_START_TEST (test_events_wait)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = transcode_start (s, 2000000);
  GString *order = g_string_new (NULL);

  gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_order, order, NULL);
  push_numbered (h, 1);
  transcode_push (h, s, 0, 6);
  push_numbered (h, 2);
  push_numbered (h, 3);
  transcode_push (h, s, 6, 7);
  push_numbered (h, 4);
  transcode_push (h, s, 7, 11);
  push_numbered (h, 5);
  transcode_eos (h);
  fail_unless_equals_string (order->str, "1......23.4....5");
  gst_harness_teardown (h);
  g_string_free (order, TRUE);
  test_stream_free (s);
}

GST_END_TEST;

/* For a time nothing will come: others need not wait for it, and learn of all else
 * before. While the target is 0, nothing waits. */
GST_START_TEST (test_events_do_not_wait)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start_following (s);
  GString *order = g_string_new (NULL);

  transcode_push (h, s, 0, 8);
  gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      note_order, order, NULL);
  push_numbered (h, 1);
  fail_unless (gst_harness_push_event (h, gst_event_new_gap (GST_SECOND,
              GST_SECOND)));
  fail_unless_equals_string (order->str, "1gap");
  send_target (h, 0);
  push_numbered (h, 2);
  transcode_push (h, s, 8, 12);
  fail_unless_equals_string (order->str, "1gap2");
  gst_harness_teardown (h);
  g_string_free (order, TRUE);
  test_stream_free (s);
}

GST_END_TEST;

/* Nothing came: the end still does. */
GST_START_TEST (test_empty)
{
  TestStream *s = test_stream_load (OCEAN);
  GstHarness *h = transcode_start (s, 0);
  GstEvent *event = NULL;
  gboolean eos = FALSE;

  transcode_eos (h);
  while (!eos && (event = gst_harness_try_pull_event (h))) {
    eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  fail_unless (eos);
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Beginnings and ends */

static void
flush (GstHarness * h)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

/* Seeks go anywhere: what cannot be decoded does not leave, what leaves begins
 * with an I. */
GST_START_TEST (test_flush)
{
  /* coded order; I are at 10, 22, 34; after these two B */
  static const struct
  {
    guint from, to, lost;
  } rows[] = {
    {25, 10, 2}, {25, 34, 2}, {25, 100, 8}, {1, 23, 13}, {50, 0, 0},
  };
  TestStream *s = test_stream_load (WALK), *out;
  GstHarness *h = transcode_start (s, 2000000);
  Output *o = output_new (), *rest = output_new ();
  guint to = rows[__i__].to;

  transcode_push (h, s, 0, rows[__i__].from);
  flush (h);
  output_take (o, h);
  transcode_push (h, s, to, to + 50);
  transcode_eos (h);
  output_take (rest, h);
  fail_unless_equals_int (rest->pictures->len, 50 - rows[__i__].lost);
  fail_unless (output_picture (rest, 0)->intra
      && output_picture (rest, 0)->discont);
  out = output_stream (rest);
  fail_unless_equals_int (stream_count_decoded (out, 720, 480),
      rest->pictures->len);
  gst_harness_teardown (h);
  output_free (o);
  output_free (rest);
  test_stream_free (out);
  test_stream_free (s);
}

GST_END_TEST;

/* What gets lost is counted, if need be before anything else leaves. */
GST_START_TEST (test_counts_lost)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = transcode_start (s, 0);
  guint64 lost;

  /* An I has been, and is gone. */
  transcode_push (h, s, 0, 20);
  flush (h);
  transcode_push (h, s, 23, 33);
  fail_unless_equals_uint64 (count (h, "frames-in"), 30);
  fail_unless_equals_uint64 (count (h, "frames-dropped"), 10);
  gst_harness_teardown (h);

  /* None has been. */
  h = transcode_start (s, 0);
  transcode_push (h, s, 1, 50);
  transcode_eos (h);
  lost = count (h, "frames-dropped") + count (h, "frames-undecodable");
  fail_unless_equals_uint64 (count (h, "frames-in"), 49);
  fail_unless (lost >= 9);
  fail_unless_equals_uint64 (count (h, "frames-out"), 49 - lost);
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

/* At any moment, also before anything has left. */
GST_START_TEST (test_many_flushes)
{
  TestStream *s = test_stream_load (FIELDS);
  GstHarness *h = transcode_start (s, 1000000);
  guint i;

  for (i = 0; i < 24; i++) {
    transcode_push (h, s, 2 * i, 3 * i);
    flush (h);
    flush (h);
  }
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

GST_START_TEST (test_discont)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = transcode_start (s, 2000000);
  Output *o = output_new ();
  GstBuffer *buffer;
  guint i, disconts = 0;

  transcode_push (h, s, 0, 30);
  buffer = test_stream_buffer (s, 37, 1);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  transcode_push (h, s, 38, 80);
  transcode_eos (h);
  output_take (o, h);
  fail_unless_equals_int (o->pictures->len, 73);
  for (i = 0; i < o->pictures->len; i++)
    disconts += output_picture (o, i)->discont;
  fail_unless_equals_int (disconts, 2);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (s);
}

GST_END_TEST;

/* Another stream on the same pads: both leave whole. */
GST_START_TEST (test_new_caps)
{
  TestStream *a = test_stream_load (WALK), *b = test_stream_load (OCEAN);
  GstHarness *h = transcode_start (a, 400000);
  Output *o = output_new (), *rest = output_new ();
  TestStream *out;
  GstCaps *caps;
  gint width;

  transcode_push (h, a, 0, 30);
  gst_harness_set_src_caps (h, test_stream_caps (b));
  output_take (o, h);
  fail_unless_equals_int (o->pictures->len, 30);
  transcode_push (h, b, 0, 30);
  transcode_eos (h);
  output_take (rest, h);
  fail_unless_equals_int (rest->pictures->len, 30);
  fail_unless (output_picture (rest, 0)->intra);
  caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_structure_get_int (gst_caps_get_structure (caps, 0),
          "width", &width));
  fail_unless_equals_int (width, 176);
  gst_caps_unref (caps);
  out = output_stream (rest);
  fail_unless_equals_int (stream_count_decoded (out, 176, 96), 30);
  gst_harness_teardown (h);
  output_free (o);
  output_free (rest);
  test_stream_free (out);
  test_stream_free (a);
  test_stream_free (b);
}

GST_END_TEST;

/* When each frame is shown, coded order. */
static GstClockTime *
display_times (const TestStream * s)
{
  GArray *order = test_stream_display_order (s, NULL);
  GstClockTime *times = g_new (GstClockTime, s->frames->len);
  gint64 fields = 0;

  for (guint i = 0; i < order->len; i++) {
    guint n = g_array_index (order, guint, i);

    times[n] = m2v_fields_time (&s->sequence, fields);
    fields += test_stream_frame (s, n)->n_fields;
  }
  g_array_unref (order);
  return times;
}

/* Pushes the frames, the second fields in buffers of their own where `split`.
 * Returns how late the output is at most, where each comes as late as a source
 * without latency may have it come: when it is shown, or one behind it is, and
 * a second field half a frame later. */
static GstClockTimeDiff
push_late (GstHarness * h, const TestStream * s, gboolean split)
{
  GstClockTime *times = display_times (s), now;
  GstClockTimeDiff late = G_MININT64;
  GstBuffer *buffer, *rest = NULL;

  for (guint i = 0; i < s->frames->len; i++) {
    gsize field = split ? test_stream_frame (s, i)->second : 0;

    now = times[i];
    for (guint k = i; k < s->frames->len; k++)
      now = MIN (now, times[k]);
    buffer = test_stream_buffer (s, i, 1);
    GST_BUFFER_PTS (buffer) = times[i];
    GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
    if (field > 0) {
      now += m2v_fields_time (&s->sequence, 1);
      rest = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_MEMORY, field, -1);
      gst_buffer_resize (buffer, 0, field);
    }
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    if (rest)
      gst_harness_push (h, g_steal_pointer (&rest));
    while ((buffer = gst_harness_try_pull (h))) {
      late = MAX (late, GST_CLOCK_DIFF (GST_BUFFER_PTS (buffer), now));
      gst_buffer_unref (buffer);
    }
  }
  g_free (times);
  return late;
}

/* It is no later than reported, and not two frames sooner. */
GST_START_TEST (test_latency)
{
  static const struct
  {
    const gchar *stream, *launch;
    gboolean split;
  } rows[] = {
    {OCEAN, "mpegtranscoder", FALSE},
    {OCEAN, "mpegtranscoder b-frames=0", FALSE},
    {OCEAN, "mpegtranscoder b-frames=5", FALSE},
    {OCEAN, "mpegtranscoder gop-size=1", FALSE},
    {OCEAN, "mpegtranscoder ! capsfilter caps=video/mpeg,framerate=24/1",
        FALSE},
    {OCEAN, "mpegtranscoder ! capsfilter caps=video/mpeg,framerate=60/1",
        FALSE},
    {OCEAN, "mpegtranscoder ! capsfilter caps=video/mpeg,framerate=25/1",
        FALSE},
    {OCEAN, "mpegtranscoder ! capsfilter caps=video/mpeg,mpegversion=1", FALSE},
    {OCEAN,
          "mpegtranscoder b-frames=0 ! capsfilter caps=video/mpeg,mpegversion=1",
        FALSE},
    {FIELDS, "mpegtranscoder", FALSE},
    {FIELDS, "mpegtranscoder", TRUE},
    {PULLDOWN, "mpegtranscoder", FALSE},
  };
  TestStream *s = test_stream_load (rows[__i__].stream);
  GstHarness *h = gst_harness_new_parse (rows[__i__].launch);
  GstClockTimeDiff late, latency;

  gst_harness_set_src_caps (h, test_stream_caps (s));
  late = push_late (h, s, rows[__i__].split);
  latency = gst_harness_query_latency (h);
  fail_unless (late <= latency, "%s: %" GST_STIME_FORMAT " later than %"
      GST_STIME_FORMAT, rows[__i__].launch, GST_STIME_ARGS (late),
      GST_STIME_ARGS (latency));
  fail_unless (late > latency - (GstClockTimeDiff)
      (2 * test_stream_frame_duration (s)));
  gst_harness_teardown (h);
  test_stream_free (s);
}

GST_END_TEST;

static guint
count_intra (const Output * o)
{
  guint n = 0;

  for (guint i = 0; i < o->pictures->len; i++)
    n += output_picture (o, i)->intra;
  return n;
}

/* Where nothing changes that concerns it, the coder goes on: no more I than the
 * source has, and nothing leaves for the event's sake. */
GST_START_TEST (test_goes_on)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = transcode_start (s, 2000000);
  Output *o = output_new ();
  GstCaps *caps = test_stream_caps (s);
  GstSegment segment;
  guint before;

  transcode_push (h, s, 0, 40);
  output_take (o, h);
  before = o->pictures->len;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  switch (__i__) {
    case 0:
      gst_harness_set_src_caps (h, gst_caps_ref (caps));
      break;
    case 1:
      caps = gst_caps_make_writable (caps);
      gst_caps_set_simple (caps, "pixel-aspect-ratio", GST_TYPE_FRACTION, 4, 3,
          NULL);
      gst_harness_set_src_caps (h, gst_caps_ref (caps));
      break;
    case 2:
      segment.position = segment.duration = 5 * GST_SECOND;
      segment.stop = 9 * GST_SECOND;
      /* Fall through. */
    default:
      gst_harness_push_event (h, gst_event_new_segment (&segment));
  }
  output_take (o, h);
  fail_unless_equals_int (o->pictures->len, before);
  transcode_push (h, s, 40, 80);
  transcode_eos (h);
  output_take (o, h);
  fail_unless_equals_int (o->pictures->len, 80);
  /* at 0, 10, 22, 34, 46, 58 and 70 */
  fail_unless_equals_int (count_intra (o), 7);
  gst_caps_unref (caps);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (s);
}

GST_END_TEST;

/* What waits leaves before what it does not belong to. */
GST_START_TEST (test_drains)
{
  TestStream *s = test_stream_load (OCEAN);
  GstHarness *h = transcode_start (s, 0);
  Output *o = output_new ();
  GstSegment segment;

  transcode_push (h, s, 0, 20);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.base = GST_SECOND;
  if (__i__ == 0)
    gst_harness_push_event (h, gst_event_new_segment (&segment));
  else if (__i__ == 1)
    gst_harness_push_event (h, gst_event_new_segment_done (GST_FORMAT_TIME,
            GST_SECOND));
  else
    gst_harness_push_event (h, gst_event_new_stream_start ("another"));
  output_take (o, h);
  fail_unless_equals_int (o->pictures->len, 20);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (s);
}

GST_END_TEST;

/* Times that no stamp gives count from the segment's start, and go on over
 * other caps. */
GST_START_TEST (test_no_stamps)
{
  const guint n = 7;
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = transcode_start (s, 0);
  GstCaps *caps = test_stream_caps (s);
  Output *o = output_new ();
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 5 * GST_SECOND;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  for (guint i = 0; i < 2 * n; i++) {
    GstBuffer *buffer = test_stream_buffer (s, i % n, 1);

    if (i == n) {
      gst_caps_set_simple (caps, "width", G_TYPE_INT, 704, NULL);
      gst_harness_push_event (h, gst_event_new_caps (caps));
    }
    GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
  transcode_eos (h);
  output_take (o, h);
  fail_unless_equals_int (o->pictures->len, 2 * n);
  for (guint i = 0; i < 2 * n; i++) {
    const Coded *p = output_picture (o, i);
    gboolean found = FALSE;

    for (guint k = i < n ? 0 : n; k < (i < n ? n : 2 * n); k++)
      found |= p->pts == segment.start + m2v_fields_time (&s->sequence, 2 * k);
    fail_unless (found, "picture %u at %" GST_TIME_FORMAT, i,
        GST_TIME_ARGS (p->pts));
    fail_unless (p->dts >= segment.start && p->dts <= p->pts);
  }
  gst_caps_unref (caps);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (s);
}

GST_END_TEST;

static void
set_low_delay (GByteArray * stream, gboolean low_delay)
{
  gsize at = 0;

  while ((at = start_code_find (stream->data, stream->len, at))
      < stream->len) {
    if (stream->data[at + 3] == M2V_CODE_EXTENSION
        && stream->data[at + 4] >> 4 == M2V_EXTENSION_SEQUENCE)
      m2v_patch_bits (stream->data + at, 72, 1, low_delay);
    at += M2V_START_CODE_SIZE;
  }
}

static guint
count_codes (const TestStream * s, guint code)
{
  gsize at = 0;
  guint n = 0;

  for (; (at = start_code_find (s->data, s->size, at)) < s->size; at++)
    n += s->data[at + 3] == code;
  return n;
}

/* The first n frames without B. */
static TestStream *
make_ippp (const TestStream * ibbp, guint n, gboolean low_delay)
{
  GstHarness *h = gst_harness_new_parse ("mpegtranscoder b-frames=0");
  Output *o = output_new ();
  TestStream *ippp;

  gst_harness_set_src_caps (h, test_stream_caps (ibbp));
  transcode_push (h, ibbp, 0, n);
  transcode_eos (h);
  output_take (o, h);
  gst_harness_teardown (h);
  set_low_delay (o->bytes, low_delay);
  ippp = output_stream (o);
  output_free (o);
  return ippp;
}

/* Both streams in a row, a second each, at the same caps. */
static void
push_joined (GstHarness * h, const TestStream * a, const TestStream * b)
{
  transcode_push (h, a, 0, 30);
  for (guint i = 0; i < 30; i++) {
    GstBuffer *buffer = test_stream_buffer (b, i, 1);

    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
    GST_BUFFER_DTS (buffer) += GST_SECOND;
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
  transcode_eos (h);
}

/* A source without B, and from a later group on with them, or the other way
 * round; where it has none, it says so or does not. Each picture leaves once:
 * libavcodec shows one of the source's twice where low_delay ends, and would lose
 * one where it begins. The output's sequence header stays, so that decoders show
 * each picture once. */
GST_START_TEST (test_b_come_and_go)
{
  const gboolean low_delay = __i__ % 2, go = __i__ / 2;
  TestStream *ibbp = test_stream_load (OCEAN), *out;
  TestStream *ippp = make_ippp (ibbp, 30, low_delay);
  GstHarness *h = transcode_start (ippp, 0);
  Output *o = output_new ();

  push_joined (h, go ? ibbp : ippp, go ? ippp : ibbp);
  output_take (o, h);
  fail_unless_equals_int (o->pictures->len, 60);
  fail_unless_equals_uint64 (count (h, "frames-undecodable"), 0);
  out = output_stream (o);
  fail_if (out->sequence.low_delay);
  fail_unless_equals_int (count_codes (out, M2V_CODE_SEQUENCE_END), 0);
  fail_unless_equals_int (stream_count_decoded (out, 176, 96), 60);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (out);
  test_stream_free (ippp);
  test_stream_free (ibbp);
}

GST_END_TEST;

/* An anchor without its second field is gone, and with it what refers to it: all
 * up to the next I, and the B displayed before that. */
GST_START_TEST (test_unpaired_anchor)
{
  TestStream *s = test_stream_load (FIELDS);
  GstHarness *h = transcode_start (s, 0);
  Output *o = output_new ();
  guint i, gone = 0, lost = 1;

  for (i = 1; !gone; i++)
    if (test_stream_frame (s, i)->type == M2V_PICTURE_P)
      gone = i;
  for (i = gone + 1; test_stream_frame (s, i)->type != M2V_PICTURE_I; i++)
    lost++;
  while (++i < s->frames->len
      && test_stream_frame (s, i)->type == M2V_PICTURE_B)
    lost++;

  for (i = 0; i < s->frames->len; i++) {
    GstBuffer *buffer = test_stream_buffer (s, i, 1);

    if (i == gone)
      gst_buffer_resize (buffer, 0, test_stream_frame (s, i)->second);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
  transcode_eos (h);
  output_take (o, h);
  fail_unless_equals_uint64 (count (h, "frames-dropped"), lost);
  fail_unless_equals_int (o->pictures->len, s->frames->len - lost);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (s);
}

GST_END_TEST;

/* However a stream is cut: several frames a buffer, or single fields. */
GST_START_TEST (test_cuts)
{
  TestStream *s = test_stream_load (FIELDS);
  GstHarness *h = transcode_start (s, 0);
  Output *o = output_new ();
  guint i;

  fail_unless_equals_int (gst_harness_push (h, test_stream_buffer (s, 0, 7)),
      GST_FLOW_OK);
  for (i = 7; i < s->frames->len; i++) {
    const TestFrame *f = test_stream_frame (s, i);
    GstBuffer *buffer = test_stream_buffer (s, i, 1);

    fail_unless (f->second > 0);
    gst_harness_push (h, gst_buffer_copy_region (buffer, GST_BUFFER_COPY_ALL,
            0, f->second));
    gst_harness_push (h, gst_buffer_copy_region (buffer, GST_BUFFER_COPY_MEMORY,
            f->second, -1));
    gst_buffer_unref (buffer);
  }
  transcode_eos (h);
  output_take (o, h);
  fail_unless_equals_int (o->pictures->len, s->frames->len);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (s);
}

GST_END_TEST;

GST_START_TEST (test_unparsed)
{
  GstHarness *h = gst_harness_new ("mpegtranscoder");

  gst_harness_set_src_caps_str (h, "video/mpeg, mpegversion=2, "
      "systemstream=false, parsed=false");
  fail_if (gst_harness_push (h, gst_buffer_new_allocate (NULL, 100, NULL))
      == GST_FLOW_OK);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Threads and the dear decisions code the same number of pictures. */
GST_START_TEST (test_options)
{
  static const gchar *const launches[] = {
    "mpegtranscoder threads=2", "mpegtranscoder macroblock-decision=bits",
    "mpegtranscoder macroblock-decision=rd trellis=true threads=3",
  };
  TestStream *s = test_stream_load (FIELDS), *out;
  GstHarness *h = gst_harness_new_parse (launches[__i__]);
  Output *o = output_new ();
  guint n;

  gst_harness_set_src_caps (h, test_stream_caps (s));
  transcode_push (h, s, 0, s->frames->len);
  transcode_eos (h);
  output_take (o, h);
  out = output_stream (o);
  fail_unless (output_psnr (s, out, &n) > 40);
  fail_unless_equals_int (n, s->frames->len);
  gst_harness_teardown (h);
  output_free (o);
  test_stream_free (out);
  test_stream_free (s);
}

GST_END_TEST;

static Suite *
mpegtranscoder_suite (void)
{
  Suite *s = suite_create ("mpegtranscoder");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 300);
  tcase_add_test (tc, test_properties);
  tcase_add_test (tc, test_stats);
  tcase_add_loop_test (tc, test_new_target, 0, 5);
  tcase_add_test (tc, test_share);
  tcase_add_test (tc, test_floor);
  tcase_add_test (tc, test_stop);
  tcase_add_test (tc, test_events_travel_on);
  tcase_add_loop_test (tc, test_force_key_unit, 0, 2);
  tcase_add_test (tc, test_event_order);
  tcase_add_test (tc, test_events_wait);
  tcase_add_test (tc, test_events_do_not_wait);
  tcase_add_test (tc, test_empty);
  tcase_add_loop_test (tc, test_flush, 0, 5);
  tcase_add_test (tc, test_counts_lost);
  tcase_add_test (tc, test_many_flushes);
  tcase_add_test (tc, test_discont);
  tcase_add_test (tc, test_new_caps);
  tcase_add_loop_test (tc, test_latency, 0, 12);
  tcase_add_loop_test (tc, test_goes_on, 0, 4);
  tcase_add_loop_test (tc, test_drains, 0, 3);
  tcase_add_test (tc, test_no_stamps);
  tcase_add_loop_test (tc, test_b_come_and_go, 0, 4);
  tcase_add_test (tc, test_unpaired_anchor);
  tcase_add_test (tc, test_cuts);
  tcase_add_test (tc, test_unparsed);
  tcase_add_loop_test (tc, test_options, 0, 3);
  return s;
}

GST_CHECK_MAIN (mpegtranscoder);
