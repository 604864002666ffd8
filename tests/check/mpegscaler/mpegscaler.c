/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * mpegscaler as an element: properties, events, buffers, ends and beginnings.
 * That what leaves decodes rightly: identity.c; its times: times.c.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/congestion/congestion.h>

#include <string.h>

#include "stream.h"

#define WALK "walk-720x480p30-4M.m2v"
#define FIELDS "bbb-352x576i25-fields-3M.m2v"
#define OCEAN "ocean-176x96p30-500k.m2v"
#define MPEG1 "bbb-352x288p25-1100k.m1v"

/* walk's groups: IBBPBBPBBPBB in display order; the first is coded IPBBPBB... */
#define N_GROUP 12

#define UNTOUCHED (-1)
#define FOLLOW (-2)

static gint live_memories;

static void
forget_memory (gpointer data, GstMiniObject * memory)
{
  (void) data;
  (void) memory;
  g_atomic_int_add (&live_memories, -1);
}

static GstBuffer *
watch (GstBuffer * buffer)
{
  gst_mini_object_weak_ref (GST_MINI_OBJECT (gst_buffer_peek_memory (buffer,
              0)), forget_memory, NULL);
  g_atomic_int_inc (&live_memories);
  return buffer;
}

static GstHarness *
start (const TestStream * s, gint scale)
{
  GstHarness *h = gst_harness_new ("mpegscaler");

  gst_harness_set_src_caps (h, test_stream_caps (s));
  g_object_set (h->element, "follow-events", scale == FOLLOW, NULL);
  if (scale != FOLLOW)
    g_object_set (h->element, "scale", scale, NULL);
  return h;
}

static void
stop (GstHarness * h)
{
  gst_harness_teardown (h);
  fail_unless_equals_int (live_memories, 0);
}

static void
push_buffer (GstHarness * h, GstBuffer * buffer)
{
  fail_unless_equals_int (gst_harness_push (h, watch (buffer)), GST_FLOW_OK);
}

static void
push_frames (GstHarness * h, const TestStream * s, guint begin, guint end)
{
  guint i;

  for (i = begin; i < end; i++)
    push_buffer (h, test_stream_buffer (s, i, 1));
}

/* The number of the frame that leaves next; -1: none, -2: it has none. */
static gint
pull_number (GstHarness * h)
{
  GstBuffer *buffer = gst_harness_try_pull (h);
  gint number = -1;

  if (buffer) {
    number = GST_BUFFER_OFFSET_IS_VALID (buffer) ?
        (gint) GST_BUFFER_OFFSET (buffer) : -2;
    gst_buffer_unref (buffer);
  }
  return number;
}

static void
expect_frames (GstHarness * h, const gint * numbers)
{
  do {
    fail_unless_equals_int (pull_number (h), *numbers);
  } while (*numbers++ >= 0);
}

#define EXPECT(h, ...) expect_frames (h, (gint[]) { __VA_ARGS__, -1 })
#define EXPECT_NONE(h) fail_unless_equals_int (pull_number (h), -1)

static guint64
count (GstHarness * h, const gchar * field)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &value), "no %s", field);
  gst_structure_free (stats);
  return value;
}

static gint
stats_int (GstHarness * h, const gchar * field)
{
  GstStructure *stats;
  gint value = 0;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int (stats, field, &value), "no %s", field);
  gst_structure_free (stats);
  return value;
}

/* -1: without */
static GstEvent *
congestion_event (gint scale, gint64 target)
{
  GstCongestionInfo *info =
      gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);
  GstEvent *event;

  gst_congestion_info_set_scale (info, scale);
  if (target >= 0)
    gst_congestion_info_set_target_bitrate (info, target);
  event = gst_congestion_event_new (info);
  gst_congestion_info_free (info);
  return event;
}

static void
send_event (GstHarness * h, gint scale, gint64 target)
{
  fail_unless (gst_harness_push_upstream_event (h,
          congestion_event (scale, target)));
}

/* All frames that came in went somewhere. */
static void
check_accounts (GstHarness * h)
{
  guint64 in, out;

  in = count (h, "frames-i") + count (h, "frames-p") + count (h, "frames-b")
      + count (h, "frames-d") + count (h, "frames-unreadable");
  out = count (h, "frames-passed") + count (h, "frames-replaced")
      + count (h, "dropped-policy") + count (h, "dropped-reference")
      + count (h, "dropped-unpaired") + count (h, "dropped-group");
  fail_unless_equals_uint64 (in, out);
}

/* Properties */

GST_START_TEST (test_properties)
{
  static const gchar *const live[] = { "mode", "follow-events", "scale",
    "target-bitrate", "share", "reserved-bitrate", "repeat-dropped",
    "fill-target", "max-freeze", "max-quantiser", "drift-compensation",
    "rate-distortion", "choose-vectors"
  };
  GstElement *e = gst_element_factory_make ("mpegscaler", NULL);
  GObjectClass *klass = G_OBJECT_GET_CLASS (e);
  gboolean follow, repeat;
  gint mode, scale;
  guint64 target, reserved;
  gdouble share;
  GParamSpecEnum *modes;
  GParamSpecInt *scales;
  guint i;

  fail_unless (e != NULL);
  for (i = 0; i < G_N_ELEMENTS (live); i++)
    fail_unless (g_object_class_find_property (klass, live[i])->flags
        & GST_PARAM_MUTABLE_PLAYING, "%s", live[i]);
  g_object_get (e, "mode", &mode, "follow-events", &follow, "scale", &scale,
      "target-bitrate", &target, "share", &share, "reserved-bitrate", &reserved,
      "repeat-dropped", &repeat, NULL);
  fail_unless (mode == 0 && follow && scale == -1 && target == 0
      && share == 1.0 && reserved == 0 && !repeat);

  g_object_set (e, "follow-events", FALSE, "scale", 3, "target-bitrate",
      G_GUINT64_CONSTANT (5000000000), "share", 0.25, "reserved-bitrate",
      G_GUINT64_CONSTANT (6000000000), "repeat-dropped", TRUE, NULL);
  g_object_get (e, "follow-events", &follow, "scale", &scale,
      "target-bitrate", &target, "share", &share, "reserved-bitrate", &reserved,
      "repeat-dropped", &repeat, NULL);
  fail_unless (!follow && scale == 3 && repeat && share == 0.25);
  fail_unless_equals_uint64 (target, 5000000000);
  fail_unless_equals_uint64 (reserved, 6000000000);

  scales = G_PARAM_SPEC_INT (g_object_class_find_property (klass, "scale"));
  fail_unless (scales->minimum == -1 && scales->maximum == 4);
  modes = G_PARAM_SPEC_ENUM (g_object_class_find_property (klass, "mode"));
  fail_unless_equals_int (modes->enum_class->n_values, 3);
  fail_unless_equals_string (modes->enum_class->values[0].value_nick, "drop");
  gst_object_unref (e);
}

GST_END_TEST;

/* Defaults as documented, what is set is got, ranges end where they should. */
GST_START_TEST (test_recoding_properties)
{
  static const struct
  {
    const gchar *name, *initial, *set[4];
  } properties[] = {
    {"mode", "drop", {"requantize", "auto", "drop"}},
    {"max-freeze", "18446744073709551615", {"0", "1000000000",
            "18446744073709551615"}},
    {"max-quantiser", "31", {"1", "17", "31"}},
    {"drift-compensation", "on", {"off", "all", "on"}},
    {"rate-distortion", "false", {"true", "false"}},
    {"choose-vectors", "auto", {"never", "always", "auto"}},
  };
  GstElement *e = gst_element_factory_make ("mpegscaler", NULL);
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (properties); i++) {
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (e),
        properties[i].name);
    GValue value = G_VALUE_INIT, wanted = G_VALUE_INIT;

    g_value_init (&wanted, spec->value_type);
    g_value_init (&value, spec->value_type);
    g_object_get_property (G_OBJECT (e), spec->name, &value);
    fail_unless (g_param_value_defaults (spec, &value), "%s", spec->name);
    if (properties[i].initial) {
      gst_value_deserialize (&wanted, properties[i].initial);
      fail_unless_equals_int (gst_value_compare (&value, &wanted),
          GST_VALUE_EQUAL);
    }
    for (k = 0; properties[i].set[k]; k++) {
      gst_util_set_object_arg (G_OBJECT (e), spec->name, properties[i].set[k]);
      g_object_get_property (G_OBJECT (e), spec->name, &value);
      gst_value_deserialize (&wanted, properties[i].set[k]);
      fail_unless_equals_int (gst_value_compare (&value, &wanted),
          GST_VALUE_EQUAL);
    }
    g_value_unset (&value);
    g_value_unset (&wanted);
  }
  gst_object_unref (e);
}

GST_END_TEST;

GST_START_TEST (test_stats)
{
  static const gchar *const counts[] = {
    "events", "event-bitrate", "target-bitrate", "bitrate-0", "bitrate-1",
    "bitrate-2", "bitrate-3", "bitrate-4", "frames-i", "frames-p", "frames-b",
    "frames-d", "frames-h26x", "frames-unreadable", "frames-passed",
    "frames-filled", "frames-held", "frames-replaced",
    "dropped-policy", "dropped-reference", "dropped-unpaired", "dropped-group",
    "bytes-in", "bytes-out", "stuffing-removed", "pictures-recoded",
    "pictures-passed",
    "pictures-unreadable", "wait", "source-bitrate", "picture-target"
  };
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, 2);
  GstStructure *stats;
  guint i;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_has_name (stats, "mpegscaler/stats"));
  fail_unless_equals_int (gst_structure_n_fields (stats),
      G_N_ELEMENTS (counts) + 8);
  for (i = 0; i < G_N_ELEMENTS (counts); i++)
    fail_unless (gst_structure_has_field_typed (stats, counts[i],
            G_TYPE_UINT64), "%s", counts[i]);
  fail_unless (gst_structure_has_field_typed (stats, "scale", G_TYPE_INT));
  fail_unless (gst_structure_has_field_typed (stats, "target-scale",
          G_TYPE_INT));
  fail_unless (gst_structure_has_field_typed (stats, "lowest-scale",
          G_TYPE_INT));
  fail_unless (gst_structure_has_field_typed (stats, "gaps-allowed",
          G_TYPE_BOOLEAN));
  fail_unless (gst_structure_has_field_typed (stats, "mode",
          g_type_from_name ("GstMpegScalerMode")));
  fail_unless (gst_structure_has_field_typed (stats, "floor", G_TYPE_BOOLEAN));
  fail_unless (gst_structure_has_field_typed (stats, "quantiser-in",
          G_TYPE_DOUBLE));
  fail_unless (gst_structure_has_field_typed (stats, "quantiser-out",
          G_TYPE_DOUBLE));
  gst_structure_free (stats);
  fail_unless_equals_int (stats_int (h, "scale"), -1);
  fail_unless_equals_uint64 (count (h, "bitrate-4"), 0);

  push_frames (h, s, 0, s->frames->len);
  fail_unless_equals_int (stats_int (h, "scale"), 2);
  fail_unless_equals_int (stats_int (h, "target-scale"), 2);
  fail_unless_equals_uint64 (count (h, "frames-i"), 21);
  fail_unless_equals_uint64 (count (h, "frames-p"), 60);
  fail_unless_equals_uint64 (count (h, "frames-b"), 159);
  fail_unless_equals_uint64 (count (h, "frames-passed"), 81);
  fail_unless_equals_uint64 (count (h, "dropped-policy"), 159);
  fail_unless_equals_uint64 (count (h, "bytes-in"), s->size);
  /* the file's rates at 30000/1001 frames/s: 3.97, 2.21, 0.96 Mb/s */
  fail_unless (ABS ((gint64) count (h, "bitrate-4") - 3970000) < 300000);
  fail_unless (ABS ((gint64) count (h, "bitrate-2") - 2210000) < 300000);
  fail_unless (ABS ((gint64) count (h, "bitrate-0") - 960000) < 200000);
  check_accounts (h);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Scales */

/* As the element's documentation has them, for groups with pairs of B. */
static gboolean
scale_passes (const TestStream * s, gint scale, guint i)
{
  const TestFrame *f = test_stream_frame (s, i);
  guint k;

  if (f->type == M2V_PICTURE_I || scale == 4 || scale == UNTOUCHED)
    return TRUE;
  if (f->type == M2V_PICTURE_B)
    return scale == 3 && test_stream_frame (s, i - 1)->type == M2V_PICTURE_B;
  for (k = i - 1; test_stream_frame (s, k)->type == M2V_PICTURE_B; k--);
  return scale >= 2 || (scale == 1
      && test_stream_frame (s, k)->type == M2V_PICTURE_I);
}

/* Also: what passes whole is the buffer that came, with all that it had but for
 * the times that are set. */
GST_START_TEST (test_scales)
{
  gint scale = __i__;
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, scale);
  guint i;

  for (i = 0; i < s->frames->len; i++) {
    GstBuffer *in = test_stream_buffer (s, i, 1), *out;
    guint flags = GST_BUFFER_FLAGS (in);
    GstClockTime dts = GST_BUFFER_DTS (in);

    push_buffer (h, in);
    out = gst_harness_try_pull (h);
    if (!scale_passes (s, scale, i)) {
      fail_unless (out == NULL, "frame %u passed", i);
      continue;
    }
    fail_unless (out == in, "frame %u", i);
    fail_unless_equals_int (GST_BUFFER_FLAGS (out), flags);
    fail_unless_equals_uint64 (GST_BUFFER_DTS (out),
        MIN (dts, GST_BUFFER_PTS (out)));
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), i);
    fail_unless (gst_buffer_memcmp (out, 0, s->data
            + test_stream_frame (s, i)->begin, gst_buffer_get_size (out)) == 0);
    gst_buffer_unref (out);
  }
  check_accounts (h);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Each change acts on the next frame that its rule allows. */
GST_START_TEST (test_change)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, 4);
  const gint first_i = 0, second_i = 10;

  fail_unless_equals_int (test_stream_frame (s, second_i)->type, M2V_PICTURE_I);
  push_frames (h, s, first_i, 3);
  EXPECT (h, 0, 1, 2);
  g_object_set (h->element, "scale", 2, NULL);
  push_frames (h, s, 3, 6);     /* B, P, B */
  EXPECT (h, 4);
  /* all references are there: the next B passes at once */
  g_object_set (h->element, "scale", 4, NULL);
  push_frames (h, s, 6, 7);
  EXPECT (h, 6);
  /* the P goes, and with it all that needs it, whatever the scale */
  g_object_set (h->element, "scale", 0, NULL);
  push_frames (h, s, 7, 8);
  EXPECT_NONE (h);
  g_object_set (h->element, "scale", 4, NULL);
  push_frames (h, s, 8, 10);
  EXPECT_NONE (h);
  /* and two B before the I in display order */
  push_frames (h, s, second_i, second_i + 5);
  EXPECT (h, 10, 13, 14);
  fail_unless_equals_uint64 (count (h, "dropped-reference"), 4);
  check_accounts (h);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Following */

GST_START_TEST (test_event_scale_wins)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, FOLLOW);

  push_frames (h, s, 0, 4);
  EXPECT (h, 0, 1, 2, 3);
  send_event (h, 2, 100000000);
  push_frames (h, s, 4, 10);
  EXPECT (h, 4, 7);
  fail_unless_equals_int (stats_int (h, "target-scale"), 2);
  fail_unless_equals_uint64 (count (h, "event-bitrate"), 100000000);
  fail_unless_equals_uint64 (count (h, "target-bitrate"), G_MAXUINT64);
  fail_unless_equals_uint64 (count (h, "events"), 1);

  /* one that knows neither changes neither */
  send_event (h, -1, -1);
  push_frames (h, s, 10, 15);
  EXPECT (h, 10, 13);
  fail_unless_equals_uint64 (count (h, "events"), 2);

  /* with the properties ruling, only those count */
  g_object_set (h->element, "follow-events", FALSE, NULL);
  send_event (h, 0, -1);
  push_frames (h, s, 15, 18);
  EXPECT (h, 15, 16, 17);
  g_object_set (h->element, "follow-events", TRUE, NULL);
  push_frames (h, s, 18, 24);
  EXPECT (h, 22);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

typedef struct
{
  gint64 target;
  gdouble share;
  guint64 reserved;
  guint64 expected;             /* target-bitrate */
  gint scale;                   /* that it comes to, after two seconds */
} Part;

/* Rates of scales 4 to 0, in kb/s: 3973, 3100, 2216, 1353, 962. */
static const Part parts[] = {
  {6000000, 1.0, 0, 6000000, 4},
  {6000000, 0.5, 0, 3000000, 2},
  {3600000, 1.0, 0, 3600000, 3},
  {6000000, 1.0, 4400000, 1600000, 1},
  {6000000, 0.5, 3600000, 1200000, 0},
  {6000000, 0.1, 0, 600000, -1},
  {1000000, 1.0, 2000000, 0, -1},
  {1000000, 0.0, 0, 0, -1},
};

GST_START_TEST (test_event_share)
{
  const Part *p = &parts[__i__];
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, FOLLOW);

  gst_harness_set_drop_buffers (h, TRUE);
  push_frames (h, s, 0, 130);
  g_object_set (h->element, "share", p->share, "reserved-bitrate", p->reserved,
      NULL);
  send_event (h, -1, p->target);
  push_frames (h, s, 130, 132);
  fail_unless_equals_uint64 (count (h, "event-bitrate"), p->target);
  fail_unless_equals_uint64 (count (h, "target-bitrate"), p->expected);
  fail_unless_equals_int (stats_int (h, "target-scale"), -1);
  fail_unless_equals_int (stats_int (h, "scale"), p->scale);
  if (p->expected == 0) {
    guint64 passed = count (h, "frames-passed");

    push_frames (h, s, 132, s->frames->len);
    fail_unless_equals_uint64 (count (h, "frames-passed"), passed);
  }
  check_accounts (h);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* The fixed target is the video's own: no share is taken of it. */
GST_START_TEST (test_fixed_target)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, UNTOUCHED);

  gst_harness_set_drop_buffers (h, TRUE);
  g_object_set (h->element, "target-bitrate", G_GUINT64_CONSTANT (2500000),
      "share", 0.1, "reserved-bitrate", G_GUINT64_CONSTANT (9000000), NULL);
  push_frames (h, s, 0, 130);
  fail_unless_equals_int (stats_int (h, "scale"), 2);
  fail_unless_equals_uint64 (count (h, "target-bitrate"), 2500000);
  g_object_set (h->element, "scale", 0, NULL);
  push_frames (h, s, 130, 131);
  fail_unless_equals_int (stats_int (h, "scale"), 0);
  /* 0: untouched, not stopped */
  g_object_set (h->element, "scale", -1, "target-bitrate",
      G_GUINT64_CONSTANT (0), NULL);
  push_frames (h, s, 131, s->frames->len);
  fail_unless_equals_int (stats_int (h, "scale"), 4);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

static guint
count_gaps (GstHarness * h, GstClockTime * begin, GstClockTime * end)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_event (h))) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_GAP) {
      GstClockTime time, duration;

      gst_event_parse_gap (event, &time, &duration);
      fail_unless (duration >= GST_SECOND / 2);
      if (n++ == 0)
        *begin = time;
      else
        fail_unless_equals_uint64 (time, *end);
      *end = time + duration;
    }
    gst_event_unref (event);
  }
  return n;
}

/* A target of 0 stops all, even with a scale; gap events tell so downstream;
 * what leaves first is an I. */
GST_START_TEST (test_stop)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, FOLLOW);
  GstClockTime begin, end, rest, rest_end;
  const gint scale = __i__;

  push_frames (h, s, 0, 6);
  EXPECT (h, 0, 1, 2, 3, 4, 5);
  fail_unless_equals_int (count_gaps (h, &begin, &end), 0);
  send_event (h, scale, 0);
  push_frames (h, s, 6, 71);
  EXPECT_NONE (h);
  fail_unless_equals_int (stats_int (h, "scale"), -1);
  fail_unless_equals_uint64 (count (h, "target-bitrate"), 0);
  fail_unless_equals_uint64 (count (h, "dropped-group"), 65);
  fail_unless_equals_int (count_gaps (h, &begin, &end), 4);
  /* from the first frame missing on, which is displayed seventh */
  fail_unless (ABS ((gint64) begin - m2v_fields_time (&s->sequence,
              2 * 6)) <= 1);
  fail_unless ((gint64) end <= m2v_fields_time (&s->sequence, 2 * 73));

  send_event (h, -1, 100000000);
  push_frames (h, s, 71, 87);
  fail_unless_equals_int (test_stream_frame (s, 82)->type, M2V_PICTURE_I);
  EXPECT (h, 82, 85, 86);
  fail_unless_equals_int (count_gaps (h, &rest, &rest_end), 1);
  fail_unless_equals_uint64 (rest, end);
  check_accounts (h);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* So does a part of 0 of a target that is more; and an event that has a scale
 * and no target lifts no stop. */
GST_START_TEST (test_stop_part)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, FOLLOW);

  g_object_set (h->element, "reserved-bitrate", (guint64) 64000, NULL);
  push_frames (h, s, 0, 4);
  EXPECT (h, 0, 1, 2, 3);
  send_event (h, 4, 64000);
  push_frames (h, s, 4, 12);
  EXPECT_NONE (h);
  fail_unless_equals_uint64 (count (h, "target-bitrate"), 0);
  send_event (h, 4, -1);
  push_frames (h, s, 12, 24);
  EXPECT_NONE (h);
  fail_unless_equals_uint64 (count (h, "event-bitrate"), 64000);
  send_event (h, 4, 65000);
  push_frames (h, s, 24, 38);
  fail_unless_equals_int (test_stream_frame (s, 34)->type, M2V_PICTURE_I);
  EXPECT (h, 34, 37);
  check_accounts (h);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Where references pass, a gap would make decoders forget them. */
GST_START_TEST (test_no_gap)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, __i__);
  GstClockTime begin, end;

  gst_harness_set_drop_buffers (h, TRUE);
  push_frames (h, s, 0, s->frames->len);
  fail_unless_equals_int (count_gaps (h, &begin, &end), 0);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

GST_START_TEST (test_event_forwarded)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, __i__ ? FOLLOW : 0);
  GstEvent *sent = congestion_event (2, 1234567), *got;
  GstElement *alone;
  GstPad *pad;

  gst_event_ref (sent);
  while ((got = gst_harness_try_pull_upstream_event (h)))
    gst_event_unref (got);
  fail_unless (gst_harness_push_upstream_event (h, sent));
  got = gst_harness_try_pull_upstream_event (h);
  fail_unless (got == sent);
  gst_event_unref (got);
  fail_unless (gst_harness_try_pull_upstream_event (h) == NULL);

  /* QoS and the like as well */
  fail_unless (gst_harness_push_upstream_event (h,
          gst_event_new_qos (GST_QOS_TYPE_OVERFLOW, 0.5, 1, 2)));
  got = gst_harness_try_pull_upstream_event (h);
  fail_unless_equals_int (GST_EVENT_TYPE (got), GST_EVENT_QOS);
  gst_event_unref (got);
  stop (h);
  test_stream_free (s);

  /* nobody upstream: the event was handled all the same */
  alone = gst_object_ref_sink (gst_element_factory_make ("mpegscaler", NULL));
  gst_element_set_state (alone, GST_STATE_PAUSED);
  pad = gst_element_get_static_pad (alone, "src");
  fail_unless (gst_pad_send_event (pad, sent));
  gst_object_unref (pad);
  gst_element_set_state (alone, GST_STATE_NULL);
  gst_object_unref (alone);
}

GST_END_TEST;

/* The last event outlives a flush, not READY. */
GST_START_TEST (test_event_kept)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, FOLLOW);

  send_event (h, 0, -1);
  push_frames (h, s, 0, 6);
  EXPECT (h, 0);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  fail_unless_equals_int (stats_int (h, "target-scale"), 0);

  gst_element_set_state (h->element, GST_STATE_READY);
  fail_unless_equals_int (stats_int (h, "target-scale"), -1);
  fail_unless_equals_uint64 (count (h, "events"), 0);
  fail_unless_equals_uint64 (count (h, "frames-i"), 0);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  gst_harness_set_src_caps (h, test_stream_caps (s));
  push_frames (h, s, 0, 4);
  EXPECT (h, 0, 1, 2, 3);
  fail_unless_equals_uint64 (count (h, "frames-i"), 1);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Beginnings and ends */

static void
flush (GstHarness * h, GstClockTime time)
{
  GstSegment segment;

  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = time;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

static void
push_discont (GstHarness * h, const TestStream * s, guint i)
{
  GstBuffer *buffer = test_stream_buffer (s, i, 1);

  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  push_buffer (h, buffer);
}

static void
expect_discont (GstHarness * h, gint number, gboolean discont)
{
  GstBuffer *buffer = gst_harness_try_pull (h);

  fail_unless (buffer != NULL);
  fail_unless_equals_int (GST_BUFFER_OFFSET (buffer), number);
  fail_unless_equals_int (GST_BUFFER_IS_DISCONT (buffer) != 0, discont);
  gst_buffer_unref (buffer);
}

/* A seek into the middle of a group. Where nothing is asked for, what comes
 * is passed on, for decoders to deal with. */
GST_START_TEST (test_seek)
{
  gboolean scaled = __i__;
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, scaled ? 4 : UNTOUCHED);

  push_frames (h, s, 0, 6);
  EXPECT (h, 0, 1, 2, 3, 4, 5);
  flush (h, 0);
  push_discont (h, s, 16);
  push_frames (h, s, 17, 26);
  if (scaled) {
    expect_discont (h, 22, TRUE);
    expect_discont (h, 25, FALSE);
  } else {
    expect_discont (h, 16, TRUE);
    EXPECT (h, 17, 18, 19, 20, 21, 22, 23, 24, 25);
  }
  EXPECT_NONE (h);
  check_accounts (h);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Frames are lost before us: nothing that needs them passes. */
GST_START_TEST (test_discont_in_open_group)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, 4);

  push_discont (h, s, 0);
  push_frames (h, s, 1, 6);
  expect_discont (h, 0, TRUE);
  EXPECT (h, 1, 2, 3, 4, 5);
  push_discont (h, s, 22);      /* I, whose two B refer to what is lost */
  push_frames (h, s, 23, 28);
  expect_discont (h, 22, TRUE);
  expect_discont (h, 25, FALSE);
  EXPECT (h, 26, 27);
  fail_unless_equals_uint64 (count (h, "dropped-reference"), 2);

  /* one that comes with a dropped frame is told with the next */
  push_discont (h, s, 29);
  push_frames (h, s, 30, 36);
  expect_discont (h, 34, TRUE);
  EXPECT_NONE (h);
  check_accounts (h);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Nothing is lost before the first buffer of a stream, though it is DISCONT:
 * the B frames that begin an open group pass. */
GST_START_TEST (test_start_with_open_group)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, 4);

  push_discont (h, s, 22);
  push_frames (h, s, 23, 26);
  expect_discont (h, 22, TRUE);
  EXPECT (h, 23, 24, 25);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

static void
expect_duration (GstHarness * h, GstClockTime duration)
{
  GstBuffer *buffer = gst_harness_try_pull (h);

  fail_unless (buffer != NULL);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), duration);
  gst_buffer_unref (buffer);
}

/* Its only sequence header outlives a seek; caps may have it too. */
GST_START_TEST (test_one_sequence_header)
{
  TestStream *s = test_stream_load (OCEAN);
  GstHarness *h = start (s, UNTOUCHED);
  GstCaps *caps = test_stream_caps (s);
  GstBuffer *header = gst_buffer_new_memdup (s->data, 160);
  const GstClockTime third = GST_SECOND / 30;

  push_frames (h, s, 0, 1);
  expect_duration (h, third);
  flush (h, 0);
  push_discont (h, s, 40);
  expect_duration (h, third);
  stop (h);

  h = gst_harness_new ("mpegscaler");
  gst_caps_set_simple (caps, "codec_data", GST_TYPE_BUFFER, header, NULL);
  gst_harness_set_src_caps (h, caps);
  push_discont (h, s, 40);
  expect_duration (h, third);
  gst_buffer_unref (header);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

GST_START_TEST (test_new_caps)
{
  TestStream *m1 = test_stream_load (MPEG1), *m2 = test_stream_load (WALK);
  GstHarness *h = start (m1, 4);
  GstEvent *event;
  GstCaps *same = test_stream_caps (m1), *caps = test_stream_caps (m2), *out;
  guint n = 0;

  fail_unless (!m1->sequence.mpeg2 && m2->sequence.mpeg2);
  push_frames (h, m1, 0, 5);
  EXPECT (h, 0, 1, 2, 3, 4);
  /* caps that say the same of the stream change nothing */
  gst_harness_push_event (h, gst_event_new_caps (same));
  gst_caps_unref (same);
  push_frames (h, m1, 5, 8);
  EXPECT (h, 5, 6, 7);

  while ((event = gst_harness_try_pull_event (h)))
    gst_event_unref (event);
  fail_unless (gst_harness_push_event (h, gst_event_new_caps (caps)));
  while ((event = gst_harness_try_pull_event (h))) {
    fail_unless_equals_int (GST_EVENT_TYPE (event), GST_EVENT_CAPS);
    gst_event_parse_caps (event, &out);
    fail_unless (out == caps);
    gst_event_unref (event);
    n++;
  }
  fail_unless_equals_int (n, 1);
  gst_caps_unref (caps);
  /* P of another stream than the I before */
  push_frames (h, m2, 4, 15);
  EXPECT (h, 10, 13, 14);
  check_accounts (h);
  stop (h);
  test_stream_free (m1);
  test_stream_free (m2);
}

GST_END_TEST;

static void
expect_sequence_end (GstHarness * h, GstClockTime pts)
{
  static const guint8 end[] = { 0, 0, 1, 0xb7 };
  GstBuffer *buffer = gst_harness_try_pull (h);

  fail_unless (buffer != NULL);
  fail_unless_equals_int (gst_buffer_get_size (buffer), sizeof end);
  fail_unless (gst_buffer_memcmp (buffer, 0, end, sizeof end) == 0);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), pts);
  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT));
  gst_buffer_unref (buffer);
}

static gboolean
got_eos (GstHarness * h)
{
  GstEvent *event;
  gboolean eos = FALSE;

  while ((event = gst_harness_try_pull_event (h))) {
    eos |= GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  return eos;
}

/* In the middle of a group; a sequence_end_code that came with a dropped frame
 * leaves nevertheless. */
GST_START_TEST (test_eos)
{
  static const guint8 end[] = { 0, 0, 1, 0xb7 };
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, 2);

  push_frames (h, s, 0, 3);
  EXPECT (h, 0, 1);
  push_buffer (h, gst_buffer_append (test_stream_buffer (s, 3, 1),
          gst_buffer_new_memdup (end, sizeof end)));
  EXPECT_NONE (h);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  /* one frame is displayed before DTS 0 plus one, and four frames in all */
  expect_sequence_end (h, m2v_fields_time (&s->sequence, 2)
      + m2v_fields_time (&s->sequence, 6) + m2v_fields_time (&s->sequence, 2));
  EXPECT_NONE (h);
  fail_unless (got_eos (h));
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Fields */

static GstBuffer *
cut_buffer (const TestStream * s, guint i, gsize begin, gsize end)
{
  const TestFrame *f = test_stream_frame (s, i);
  GstBuffer *buffer = gst_buffer_new_memdup (s->data + f->begin + begin,
      end - begin);

  GST_BUFFER_OFFSET (buffer) = i;
  return buffer;
}

static void
push_fields (GstHarness * h, const TestStream * s, guint i, gboolean second)
{
  const TestFrame *f = test_stream_frame (s, i);
  GstBuffer *buffer = cut_buffer (s, i, 0, f->second);

  fail_unless (f->second > 0);
  GST_BUFFER_PTS (buffer) = i * GST_SECOND;
  push_buffer (h, buffer);
  if (!second)
    return;
  buffer = cut_buffer (s, i, f->second, f->size);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_MARKER);
  push_buffer (h, buffer);
}

/* One buffer a field in, one a frame out, which shares their memory. */
GST_START_TEST (test_fields)
{
  TestStream *s = test_stream_load (FIELDS);
  GstHarness *h = start (s, 2);
  const GstClockTime field = 20 * GST_MSECOND;
  GstBuffer *out;

  fail_unless_equals_uint64 (gst_harness_query_latency (h), 0);
  push_fields (h, s, 0, FALSE);
  EXPECT_NONE (h);
  fail_unless_equals_uint64 (gst_harness_query_latency (h), field + 1);
  push_buffer (h, cut_buffer (s, 0, test_stream_frame (s, 0)->second,
          test_stream_frame (s, 0)->size));
  out = gst_harness_try_pull (h);
  fail_unless_equals_int (gst_buffer_n_memory (out), 2);
  fail_unless_equals_int (gst_buffer_get_size (out),
      test_stream_frame (s, 0)->size);
  fail_unless (gst_buffer_memcmp (out, 0, s->data,
          gst_buffer_get_size (out)) == 0);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 0);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 2 * field);
  gst_buffer_unref (out);

  push_fields (h, s, 1, TRUE);  /* P */
  out = gst_harness_try_pull (h);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), GST_SECOND);
  fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_MARKER));
  gst_buffer_unref (out);
  push_fields (h, s, 2, TRUE);  /* B */
  EXPECT_NONE (h);
  fail_unless_equals_int (live_memories, 0);
  check_accounts (h);
  fail_unless_equals_uint64 (count (h, "frames-b"), 1);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

typedef enum
{
  END_EOS,
  END_FLUSH,
  END_CAPS,
  END_SEGMENT,
  END_SEGMENT_DONE,
  END_DISCONT,
  END_READY,
  N_ENDS
} End;

static void
end_with (GstHarness * h, const TestStream * s, End end)
{
  GstCaps *caps = test_stream_caps (s);
  GstSegment segment;

  switch (end) {
    case END_EOS:
      gst_harness_push_event (h, gst_event_new_eos ());
      break;
    case END_FLUSH:
      flush (h, 0);
      break;
    case END_CAPS:
      gst_caps_set_simple (caps, "width", G_TYPE_INT, 64, NULL);
      gst_harness_push_event (h, gst_event_new_caps (caps));
      break;
    case END_SEGMENT:
      gst_segment_init (&segment, GST_FORMAT_TIME);
      segment.base = GST_SECOND;
      gst_harness_push_event (h, gst_event_new_segment (&segment));
      break;
    case END_SEGMENT_DONE:
      gst_harness_push_event (h, gst_event_new_segment_done (GST_FORMAT_TIME,
              GST_SECOND));
      break;
    case END_DISCONT:
      push_discont (h, s, 0);
      EXPECT (h, 0);
      break;
    default:
      gst_element_set_state (h->element, GST_STATE_READY);
      gst_element_set_state (h->element, GST_STATE_PLAYING);
      gst_harness_set_src_caps (h, gst_caps_ref (caps));
  }
  gst_caps_unref (caps);
}

/* A first field whose second never comes. */
GST_START_TEST (test_unpaired)
{
  TestStream *s = test_stream_load (FIELDS);
  GstHarness *h = start (s, 4);

  push_frames (h, s, 0, 1);
  EXPECT (h, 0);
  push_fields (h, s, 1, FALSE);
  end_with (h, s, __i__);
  EXPECT_NONE (h);
  fail_unless_equals_int (live_memories, 0);
  if (__i__ == END_EOS || __i__ == END_CAPS || __i__ == END_SEGMENT
      || __i__ == END_SEGMENT_DONE || __i__ == END_DISCONT) {
    fail_unless_equals_uint64 (count (h, "dropped-unpaired"), 1);
    check_accounts (h);
  }
  if (__i__ == END_READY)
    fail_unless_equals_uint64 (gst_harness_query_latency (h), 0);
  if (__i__ != END_EOS) {
    push_frames (h, s, 0, 1);
    EXPECT (h, 0);
  }
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* What waits for more leaves at the end of a segment, too. */
GST_START_TEST (test_segment_done)
{
  TestStream *s = test_stream_load (FIELDS);
  GstHarness *h = start (s, UNTOUCHED);

  push_frames (h, s, 0, 1);
  EXPECT (h, 0);
  push_fields (h, s, 1, FALSE);
  EXPECT_NONE (h);
  fail_unless (gst_harness_push_event (h,
          gst_event_new_segment_done (GST_FORMAT_TIME, GST_SECOND)));
  EXPECT (h, 1);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* The same segment again ends no wait. */
GST_START_TEST (test_same_segment)
{
  TestStream *s = test_stream_load (FIELDS);
  GstHarness *h = start (s, 4);
  const TestFrame *f = test_stream_frame (s, 0);
  GstSegment segment;

  push_fields (h, s, 0, FALSE);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.position = GST_SECOND;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  EXPECT_NONE (h);
  push_buffer (h, cut_buffer (s, 0, f->second, f->size));
  fail_unless_equals_uint64 (count (h, "frames-passed"), 1);
  fail_unless_equals_uint64 (count (h, "dropped-unpaired"), 0);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* A sequence_end_code in a buffer of its own ends the wait as well. */
GST_START_TEST (test_field_and_sequence_end)
{
  static const guint8 end[] = { 0, 0, 1, 0xb7 };
  TestStream *s = test_stream_load (FIELDS);
  GstHarness *h = start (s, 4);

  push_fields (h, s, 0, FALSE);
  push_buffer (h, gst_buffer_new_memdup (end, sizeof end));
  fail_unless_equals_uint64 (count (h, "dropped-unpaired"), 1);
  fail_unless (live_memories <= 1);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Slices of the first field in a buffer of their own. */
GST_START_TEST (test_stray_slices)
{
  gint scale = __i__;
  TestStream *s = test_stream_load (FIELDS);
  GstHarness *h = start (s, scale);
  const TestFrame *f = test_stream_frame (s, 1);
  gsize cut = f->second / 2, k;
  GstBuffer *out;

  while (memcmp (s->data + f->begin + cut, "\0\0\1", 3) != 0)
    cut++;
  push_frames (h, s, 0, 1);
  EXPECT (h, 0);
  push_buffer (h, cut_buffer (s, 1, 0, cut));
  push_buffer (h, cut_buffer (s, 1, cut, f->second));
  EXPECT_NONE (h);
  push_buffer (h, cut_buffer (s, 1, f->second, f->size));
  out = gst_harness_try_pull (h);
  if (scale > 0) {
    fail_unless_equals_int (gst_buffer_get_size (out), f->size);
    fail_unless (gst_buffer_memcmp (out, 0, s->data + f->begin, f->size) == 0);
    gst_buffer_unref (out);
  } else {
    fail_unless (out == NULL);
  }

  /* as many as there are, they take no more than 1 MiB */
  push_frames (h, s, 0, 1);
  EXPECT (h, 0);
  push_buffer (h, cut_buffer (s, 1, 0, cut));
  for (k = 0; k < 3000000 / (f->second - cut); k++)
    push_buffer (h, cut_buffer (s, 1, cut, f->second));
  EXPECT_NONE (h);
  push_buffer (h, cut_buffer (s, 1, f->second, f->size));
  out = gst_harness_try_pull (h);
  if (scale > 0) {
    fail_unless (gst_buffer_get_size (out) > 1000000);
    fail_unless (gst_buffer_get_size (out) < 1024 * 1024 + f->size);
    gst_buffer_unref (out);
  } else {
    fail_unless (out == NULL);
  }
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* And those of a field that has no second. */
GST_START_TEST (test_stray_slices_unpaired)
{
  TestStream *s = test_stream_load (FIELDS);
  GstHarness *h = start (s, UNTOUCHED);
  const TestFrame *f = test_stream_frame (s, 1);
  gsize cut = f->second / 2;
  GstBuffer *out;

  while (memcmp (s->data + f->begin + cut, "\0\0\1", 3) != 0)
    cut++;
  push_frames (h, s, 0, 1);
  EXPECT (h, 0);
  push_buffer (h, cut_buffer (s, 1, 0, cut));
  push_buffer (h, cut_buffer (s, 1, cut, f->second));
  EXPECT_NONE (h);
  gst_harness_push_event (h, gst_event_new_eos ());
  out = gst_harness_try_pull (h);
  fail_unless (out != NULL);
  fail_unless_equals_int (gst_buffer_get_size (out), f->second);
  fail_unless (gst_buffer_memcmp (out, 0, s->data + f->begin, f->second) == 0);
  gst_buffer_unref (out);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Buffers */

/* A group in a buffer: each frame leaves by itself. */
GST_START_TEST (test_many_in_one)
{
  gint scale = __i__;
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, scale);
  GstBuffer *in = test_stream_buffer (s, 0, 22), *out;
  GstMemory *memory = gst_buffer_peek_memory (in, 0);
  GstClockTime anchor = 0;
  guint i;

  push_buffer (h, in);
  for (i = 0; i < 22; i++) {
    const TestFrame *f = test_stream_frame (s, i);

    if (!scale_passes (s, scale, i))
      continue;
    out = gst_harness_try_pull (h);
    fail_unless (out != NULL);
    fail_unless_equals_int (gst_buffer_get_size (out), f->size);
    fail_unless (gst_buffer_memcmp (out, 0, s->data + f->begin, f->size) == 0);
    fail_unless (gst_buffer_n_memory (out) == 1
        && gst_buffer_peek_memory (out, 0)->parent == memory);
    fail_unless_equals_int (GST_BUFFER_IS_DISCONT (out) != 0, i == 0);
    fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (out,
            GST_BUFFER_FLAG_DELTA_UNIT) != 0, f->type != M2V_PICTURE_I);
    fail_unless_equals_uint64 (GST_BUFFER_DTS (out),
        f->type == M2V_PICTURE_B ? GST_BUFFER_PTS (out) : anchor);
    if (f->type != M2V_PICTURE_B)
      anchor = GST_BUFFER_PTS (out);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (out),
        test_stream_frame_duration (s));
    gst_buffer_unref (out);
  }
  EXPECT_NONE (h);
  check_accounts (h);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* What a buffer says of its first picture is not said of the others; fields
 * side by side stay one memory. */
GST_START_TEST (test_flags_in_many)
{
  TestStream *s = test_stream_load (FIELDS);
  GstHarness *h = start (s, 4);
  GstBuffer *in, *out;
  guint i, n = 0;

  push_frames (h, s, 0, 1);
  EXPECT (h, 0);
  in = test_stream_buffer (s, 1, 14);
  fail_unless (GST_BUFFER_FLAG_IS_SET (in, GST_BUFFER_FLAG_DELTA_UNIT));
  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_HEADER);
  push_buffer (h, in);
  for (i = 1; i < 15; i++) {
    gboolean intra = test_stream_frame (s, i)->type == M2V_PICTURE_I;

    out = gst_harness_try_pull (h);
    fail_unless_equals_int (gst_buffer_n_memory (out), 1);
    fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (out,
            GST_BUFFER_FLAG_DELTA_UNIT) != 0, !intra);
    fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (out,
            GST_BUFFER_FLAG_HEADER) != 0, i == 1);
    n += intra;
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (n, 1);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

static GstBuffer *
user_data_buffer (gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, 0x55, size);
  gst_buffer_fill (buffer, 0, "\0\0\1\262", 4);
  return buffer;
}

/* The rest of a picture, then another one, in a buffer: the time is that of the
 * picture that begins in it. */
GST_START_TEST (test_rest_of_picture)
{
  gint scale = __i__;
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, scale);
  const TestFrame *b = test_stream_frame (s, 3), *p = test_stream_frame (s, 4);
  gsize cut = b->size / 2;
  GstBuffer *buffer;

  while (memcmp (s->data + b->begin + cut, "\0\0\1", 3) != 0)
    cut++;
  push_frames (h, s, 0, 3);
  while (pull_number (h) >= 0);
  push_buffer (h, cut_buffer (s, 3, 0, cut));
  buffer = gst_buffer_append (cut_buffer (s, 3, cut, b->size), cut_buffer (s, 4,
          0, p->size));
  fail_unless_equals_int (gst_buffer_n_memory (buffer), 2);
  GST_BUFFER_PTS (buffer) = GST_SECOND;
  gst_harness_push (h, buffer);
  if (scale > 2) {
    fail_unless_equals_int (pull_number (h), 3);
    buffer = gst_harness_try_pull (h);
    fail_unless_equals_int (gst_buffer_get_size (buffer), b->size - cut);
    fail_unless (gst_buffer_memcmp (buffer, 0, s->data + b->begin + cut,
            b->size - cut) == 0);
    fail_unless (!GST_BUFFER_PTS_IS_VALID (buffer));
    gst_buffer_unref (buffer);
  }
  buffer = gst_harness_try_pull (h);
  fail_unless_equals_int (gst_buffer_get_size (buffer), p->size);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), GST_SECOND);
  gst_buffer_unref (buffer);
  EXPECT_NONE (h);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Headers that end one buffer belong to the picture in the next. */
GST_START_TEST (test_headers_apart)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, 4);
  const TestFrame *f = test_stream_frame (s, 0);
  gsize cut = 0, end;
  GstBuffer *buffer;

  while (memcmp (s->data + cut, "\0\0\1\0", 4) != 0)
    cut++;
  buffer = cut_buffer (s, 0, 0, cut);
  GST_BUFFER_DTS (buffer) = GST_SECOND;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  push_buffer (h, buffer);
  EXPECT_NONE (h);
  push_buffer (h, cut_buffer (s, 0, cut, f->size));
  buffer = gst_harness_try_pull (h);
  fail_unless_equals_int (gst_buffer_get_size (buffer), f->size);
  fail_unless (gst_buffer_memcmp (buffer, 0, s->data, f->size) == 0);
  fail_unless_equals_uint64 (GST_BUFFER_DTS (buffer), GST_SECOND);
  fail_unless (GST_BUFFER_IS_DISCONT (buffer));
  gst_buffer_unref (buffer);

  /* headers without end are not kept without end */
  push_buffer (h, cut_buffer (s, 0, 0, cut));
  for (end = 0; end < 200; end++)
    push_buffer (h, user_data_buffer (1000));
  while ((buffer = gst_harness_try_pull (h)))
    gst_buffer_unref (buffer);
  push_buffer (h, cut_buffer (s, 0, cut, f->size));
  buffer = gst_harness_try_pull (h);
  fail_unless (gst_buffer_get_size (buffer) >= f->size);
  fail_unless (gst_buffer_get_size (buffer) < 64 * 1024 + 2048 + f->size);
  gst_buffer_unref (buffer);

  push_buffer (h, cut_buffer (s, 0, 0, cut));
  gst_harness_push_event (h, gst_event_new_eos ());
  while ((buffer = gst_harness_try_pull (h)))
    gst_buffer_unref (buffer);
  fail_unless_equals_int (live_memories, 0);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

static void
push_segment (GstHarness * h, GstFormat format)
{
  GstSegment segment;

  gst_segment_init (&segment, format);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

/* Without any time: from 0 on, in display order, and an I or P is decoded when the
 * one before is shown. Not in segments of bytes. */
GST_START_TEST (test_no_times)
{
  gboolean timed = __i__;
  static const guint display[] = { 0, 3, 1, 2, 6, 4, 5 };
  static const guint decoding[] = { 0, 0, 1, 2, 3, 4, 5 };
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, 4);
  guint i;

  if (!timed)
    push_segment (h, GST_FORMAT_BYTES);
  for (i = 0; i < G_N_ELEMENTS (display); i++) {
    GstBuffer *buffer = test_stream_buffer (s, i, 1);

    GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
    push_buffer (h, buffer);
    buffer = gst_harness_try_pull (h);
    if (timed) {
      fail_unless_equals_uint64 (GST_BUFFER_DTS (buffer),
          m2v_fields_time (&s->sequence, 2 * decoding[i]));
      fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer),
          m2v_fields_time (&s->sequence, 2 * display[i]));
      fail_unless (GST_BUFFER_DURATION_IS_VALID (buffer));
    } else {
      fail_unless (!GST_BUFFER_DTS_IS_VALID (buffer));
      fail_unless (!GST_BUFFER_PTS_IS_VALID (buffer));
      fail_unless (!GST_BUFFER_DURATION_IS_VALID (buffer));
    }
    gst_buffer_unref (buffer);
  }
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* In segments that begin late, it is from there on. PTS of what is decoded before
 * the segment stay; times derived from them are left out where they are before
 * it, too: muxers would clip what they pass without. */
GST_START_TEST (test_late_segment)
{
  static const guint display[] = { 0, 3, 1, 2, 6, 4, 5 };
  const GstClockTime start_time = 5 * GST_SECOND;
  gboolean stamped = __i__;
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, 4);
  GstClockTime begin = start_time;
  GstSegment segment;
  guint i;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = start_time;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  if (stamped)
    begin -= m2v_fields_time (&s->sequence, 4);
  for (i = 0; i < G_N_ELEMENTS (display); i++) {
    GstBuffer *buffer = test_stream_buffer (s, i, 1);
    GstClockTime right = begin + m2v_fields_time (&s->sequence,
        2 * display[i]);

    GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
    if (stamped && i == 0)
      GST_BUFFER_PTS (buffer) = begin;
    else if (right < start_time)
      right = GST_CLOCK_TIME_NONE;
    push_buffer (h, buffer);
    buffer = gst_harness_try_pull (h);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), right);
    /* sinks clip what has an end, and before the segment only that */
    fail_unless (GST_BUFFER_DURATION_IS_VALID (buffer)
        == (GST_CLOCK_TIME_IS_VALID (right) && right >= start_time));
    gst_buffer_unref (buffer);
  }
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* A frame without time stamps gets the time of so many frames since `begin`. */
static void
expect_time (GstHarness * h, const TestStream * s, guint i, GstClockTime begin,
    guint n)
{
  GstBuffer *buffer = test_stream_buffer (s, i, 1);

  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  push_buffer (h, buffer);
  buffer = gst_harness_try_pull (h);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer),
      begin + m2v_fields_time (&s->sequence, 2 * n));
  gst_buffer_unref (buffer);
}

/* Times go on over other caps and another end of the segment; another segment's
 * begin with it. */
GST_START_TEST (test_times_go_on)
{
  static const guint display[] = { 0, 3, 1, 2, 6, 4, 5 };
  const guint n = G_N_ELEMENTS (display);
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, 4);
  GstCaps *caps = test_stream_caps (s);
  GstSegment segment;

  for (guint i = 0; i < n; i++)
    expect_time (h, s, i, 0, display[i]);
  gst_caps_set_simple (caps, "width", G_TYPE_INT, 704, NULL);
  gst_harness_push_event (h, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  for (guint i = 0; i < n; i++)
    expect_time (h, s, i, 0, n + display[i]);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.stop = GST_SECOND;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  expect_time (h, s, n, 0, 2 * n + 2);
  segment.start = 5 * GST_SECOND;
  segment.stop = GST_CLOCK_TIME_NONE;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  expect_time (h, s, n + 1, segment.start, 0);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Muxers that were given no PTS write the DTS as such: what is displayed before
 * frames coded before it then is not decoded after its own time. */
GST_START_TEST (test_dts_only)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, 4);
  GstClockTime last = 0;
  guint i;

  for (i = 0; i < 30; i++) {
    GstBuffer *buffer = test_stream_buffer (s, i, 1);

    GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer);
    push_buffer (h, buffer);
    buffer = gst_harness_try_pull (h);
    fail_unless (GST_BUFFER_DTS (buffer) <= GST_BUFFER_PTS (buffer));
    fail_unless (GST_BUFFER_DTS (buffer) >= last);
    last = GST_BUFFER_DTS (buffer);
    gst_buffer_unref (buffer);
  }
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Stands in for GstMpegVideoMeta, which tells where slices begin. */
static const GstMetaInfo *offset_meta_info (void);

static gboolean
init_offset_meta (GstMeta * meta, gpointer params, GstBuffer * buffer)
{
  (void) meta;
  (void) params;
  (void) buffer;
  return TRUE;
}

static gboolean
copy_offset_meta (GstBuffer * to, GstMeta * meta, GstBuffer * from, GQuark type,
    gpointer data)
{
  (void) meta;
  (void) from;
  (void) data;
  return GST_META_TRANSFORM_IS_COPY (type)
      && gst_buffer_add_meta (to, offset_meta_info (), NULL);
}

static const GstMetaInfo *
offset_meta_info (void)
{
  static const GstMetaInfo *info = NULL;
  static const gchar *tags[] = { NULL };

  if (!info)
    info = gst_meta_register (gst_meta_api_type_register
        ("GstMpegVideoMetaAPI", tags), "TestMpegVideoMeta", sizeof (GstMeta),
        init_offset_meta, NULL, copy_offset_meta);
  return info;
}

static gboolean
is_source (const TestStream * s, guint i, GstBuffer * buffer)
{
  const TestFrame *f = test_stream_frame (s, i);

  return gst_buffer_get_size (buffer) == f->size
      && gst_buffer_memcmp (buffer, 0, s->data + f->begin, f->size) == 0;
}

/* Metas stay, but for one that may be wrong once the bytes are others. */
GST_START_TEST (test_metas)
{
  gboolean replaced = __i__;
  TestStream *s = test_stream_load (OCEAN);
  GstHarness *h = start (s, replaced ? 0 : 4);
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-test");
  GstBuffer *buffer;
  GstReferenceTimestampMeta *meta;
  guint i;

  g_object_set (h->element, "repeat-dropped", replaced, NULL);
  for (i = 0; i < 30; i++) {
    buffer = test_stream_buffer (s, i, 1);
    gst_buffer_add_reference_timestamp_meta (buffer, reference, i + 7, 9);
    gst_buffer_add_meta (buffer, offset_meta_info (), NULL);
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_MARKER);
    push_buffer (h, buffer);
    buffer = gst_harness_try_pull (h);
    fail_unless (buffer != NULL);
    meta = gst_buffer_get_reference_timestamp_meta (buffer, reference);
    fail_unless (meta != NULL);
    fail_unless_equals_uint64 (meta->timestamp, i + 7);
    fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_MARKER));
    fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (buffer,
            GST_BUFFER_FLAG_DELTA_UNIT) != 0,
        test_stream_frame (s, i)->type != M2V_PICTURE_I);
    if (replaced && test_stream_frame (s, i)->type != M2V_PICTURE_I)
      fail_unless (gst_buffer_get_size (buffer) < 120);
    /* Where slices are it says of the source's bytes only. */
    fail_unless_equals_int (gst_buffer_get_meta (buffer,
            offset_meta_info ()->api) != NULL, is_source (s, i, buffer));
    gst_buffer_unref (buffer);
  }
  gst_caps_unref (reference);
  check_accounts (h);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Transparency */

static GstPadProbeReturn
count_query (GstPad * pad, GstPadProbeInfo * probe, gpointer n)
{
  (void) pad;
  (void) probe;
  ++*(guint *) n;
  return GST_PAD_PROBE_OK;
}

GST_START_TEST (test_queries)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, 4);
  GstQuery *queries[] = {
    gst_query_new_position (GST_FORMAT_TIME),
    gst_query_new_duration (GST_FORMAT_TIME),
    gst_query_new_seeking (GST_FORMAT_TIME),
  };
  GstQuery *allocation;
  GstCaps *caps = test_stream_caps (s);
  guint up = 0, down = 0, i;

  gst_pad_add_probe (h->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM
      | GST_PAD_PROBE_TYPE_PUSH, count_query, &up, NULL);
  for (i = 0; i < G_N_ELEMENTS (queries); i++) {
    gst_pad_peer_query (h->sinkpad, queries[i]);
    fail_unless_equals_int (up, i + 1);
    gst_query_unref (queries[i]);
  }

  gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_PUSH, count_query, &down, NULL);
  allocation = gst_query_new_allocation (caps, TRUE);
  gst_pad_peer_query (h->srcpad, allocation);
  fail_unless_equals_int (down, 1);
  gst_query_unref (allocation);
  gst_caps_unref (caps);

  gst_harness_set_upstream_latency (h, GST_SECOND);
  fail_unless_equals_uint64 (gst_harness_query_latency (h), GST_SECOND);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* What is sticky stays in order; what is not mine passes. */
GST_START_TEST (test_events)
{
  static const GstEventType expected[] = { GST_EVENT_STREAM_START,
    GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_TAG, GST_EVENT_GAP,
    GST_EVENT_CUSTOM_DOWNSTREAM, GST_EVENT_EOS
  };
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, 4);
  GstEvent *event;
  guint i;

  push_frames (h, s, 0, 2);
  gst_harness_push_event (h, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE,
              "walk", NULL)));
  gst_harness_push_event (h, gst_event_new_gap (0, 1));
  gst_harness_push_event (h, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty ("test")));
  push_frames (h, s, 2, 4);
  gst_harness_push_event (h, gst_event_new_eos ());
  for (i = 0; i < G_N_ELEMENTS (expected); i++) {
    event = gst_harness_try_pull_event (h);
    fail_unless (event != NULL);
    fail_unless_equals_int (GST_EVENT_TYPE (event), expected[i]);
    gst_event_unref (event);
  }
  fail_unless (gst_harness_try_pull_event (h) == NULL);
  EXPECT (h, 0, 1, 2, 3);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

static GstFlowReturn
refuse (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  (void) pad;
  (void) parent;
  gst_buffer_unref (buffer);
  return GST_FLOW_CUSTOM_SUCCESS_1;
}

/* What downstream answers is what upstream gets. */
GST_START_TEST (test_flow_return)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = start (s, 2);

  gst_pad_set_chain_function (h->sinkpad, refuse);
  fail_unless_equals_int (gst_harness_push (h, watch (test_stream_buffer (s, 0,
                  1))), GST_FLOW_CUSTOM_SUCCESS_1);
  fail_unless_equals_int (gst_harness_push (h, watch (test_stream_buffer (s, 0,
                  12))), GST_FLOW_CUSTOM_SUCCESS_1);
  fail_unless_equals_int (gst_harness_push (h, watch (test_stream_buffer (s, 2,
                  1))), GST_FLOW_OK);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Buffers of a file that was not parsed end anywhere: they cannot be thinned. */
GST_START_TEST (test_no_caps)
{
  TestStream *s = test_stream_load (WALK);
  GstHarness *h = gst_harness_new ("mpegscaler");
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error;

  gst_element_set_bus (h->element, bus);
  gst_harness_push_event (h, gst_event_new_stream_start ("file"));
  push_segment (h, GST_FORMAT_BYTES);
  fail_unless_equals_int (gst_harness_push (h, watch (test_stream_buffer (s, 0,
                  1))), GST_FLOW_NOT_NEGOTIATED);
  EXPECT_NONE (h);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "mpegvideoparse") != NULL);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Damage */

/* Flipped bits, missing, doubled and foreign bytes. */
static void
damage (GByteArray * data, GRand * rand)
{
  guint8 garbage[64];
  guint n = g_rand_int_range (rand, 1, 40), i, at;

  while (n-- > 0 && data->len > 200) {
    at = g_rand_int_range (rand, 0, data->len - 100);
    switch (g_rand_int_range (rand, 0, 6)) {
      case 0:
        data->data[at] ^= 1 << g_rand_int_range (rand, 0, 8);
        break;
      case 1:
        g_byte_array_remove_range (data, at, g_rand_int_range (rand, 1, 100));
        break;
      case 2:
        memcpy (data->data + at, "\0\0\1", 3);
        break;
      case 3:
        for (i = 0; i < sizeof garbage; i++)
          garbage[i] = g_rand_int_range (rand, 0, 4);
        memcpy (data->data + at, garbage, sizeof garbage);
        break;
      case 4:
        memmove (data->data + at, data->data + at / 2, 80);
        break;
      default:
        /* headers most of all */
        while (at + 8 < data->len && memcmp (data->data + at, "\0\0\1", 3) != 0)
          at++;
        if (at + 8 < data->len)
          data->data[at + g_rand_int_range (rand, 3, 8)] ^=
              1 << g_rand_int_range (rand, 0, 8);
    }
  }
}

static void
push_damaged (GstHarness * h, const GByteArray * data, GRand * rand)
{
  guint at = 0, n;

  while (at < data->len) {
    GstBuffer *buffer;

    n = g_rand_int_range (rand, 1, 12000);
    /* at start codes, but not always */
    while (at + n < data->len && g_rand_int_range (rand, 0, 2000)
        && memcmp (data->data + at + n, "\0\0\1\0", 4) != 0)
      n++;
    n = MIN (n, data->len - at);
    buffer = gst_buffer_new_memdup (data->data + at, n);
    if (g_rand_int_range (rand, 0, 4) == 0)
      GST_BUFFER_PTS (buffer) = (guint64) g_rand_int (rand)
          << g_rand_int_range (rand, 0, 32);
    if (g_rand_int_range (rand, 0, 30) == 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    if (g_rand_int_range (rand, 0, 20) == 0)
      send_event (h, g_rand_int_range (rand, -1, 5),
          g_rand_int_range (rand, -1, 4) * (gint64) 200000);
    push_buffer (h, buffer);
    /* nothing stays behind but a field, headers or stray bytes */
    fail_unless (live_memories < 1000);
    at += n;
  }
}

GST_START_TEST (test_damage)
{
  static const gchar *const names[] = { OCEAN, FIELDS, MPEG1 };
  GRand *rand = g_rand_new_with_seed (__i__);
  TestStream *s = test_stream_load (names[__i__ % G_N_ELEMENTS (names)]);
  GstHarness *h = start (s, __i__ % 4 ? FOLLOW : UNTOUCHED);
  GByteArray *data = g_byte_array_new ();

  gst_harness_set_drop_buffers (h, TRUE);
  g_object_set (h->element, "repeat-dropped", __i__ % 3 == 0, NULL);
  g_byte_array_append (data, s->data, MIN (s->size, 300000));
  damage (data, rand);
  push_damaged (h, data, rand);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int (live_memories, 0);
  check_accounts (h);
  fail_unless (count (h, "frames-i") > 0);
  g_byte_array_unref (data);
  g_rand_free (rand);
  stop (h);
  test_stream_free (s);
}

GST_END_TEST;

/* Threads */

typedef struct
{
  GstHarness *h;
  gint done;
} Shared;

static gpointer
set_properties (gpointer data)
{
  Shared *shared = data;
  gint i;

  for (i = 0; !g_atomic_int_get (&shared->done); i++) {
    GstStructure *stats;

    g_object_set (shared->h->element, "follow-events", i % 7 > 2, "scale",
        i % 6 - 1, "target-bitrate", (guint64) (i % 5) * 1000000, "share",
        (i % 10) / 10.0, "repeat-dropped", i % 11 == 0, "mode", i % 13 % 3,
        "max-quantiser", 1 + i % 31, "drift-compensation", i % 3,
        "rate-distortion", i % 4 == 0, "choose-vectors", i % 5 % 3, NULL);
    g_object_get (shared->h->element, "stats", &stats, NULL);
    gst_structure_free (stats);
    g_thread_yield ();
  }
  return NULL;
}

static gpointer
send_events (gpointer data)
{
  Shared *shared = data;
  gint i;

  for (i = 0; !g_atomic_int_get (&shared->done); i++) {
    /* while it is flushed the pad refuses them */
    gst_harness_push_upstream_event (shared->h, congestion_event (i % 6 - 1,
            (i % 3) * 2000000));
    gst_harness_query_latency (shared->h);
    g_thread_yield ();
  }
  return NULL;
}

GST_START_TEST (test_threads)
{
  TestStream *s = test_stream_load (FIELDS);
  Shared shared = { start (s, FOLLOW), 0 };
  GThread *threads[2];
  guint i, round;

  gst_harness_set_drop_buffers (shared.h, TRUE);
  threads[0] = g_thread_new ("properties", set_properties, &shared);
  threads[1] = g_thread_new ("events", send_events, &shared);
  for (round = 0; round < 3; round++) {
    for (i = 0; i < s->frames->len; i++)
      push_fields (shared.h, s, i, TRUE);
    flush (shared.h, 0);
  }
  g_atomic_int_set (&shared.done, 1);
  for (i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  check_accounts (shared.h);
  stop (shared.h);
  test_stream_free (s);
}

GST_END_TEST;

static void
send_key_unit (GstHarness * h)
{
  fail_unless (gst_harness_push_upstream_event (h,
          gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
              gst_structure_new_empty ("GstForceKeyUnit"))));
}

/* Who can make a key frame is upstream, and is asked. */
GST_START_TEST (test_key_unit)
{
  GstHarness *h = gst_harness_new ("mpegscaler");
  GstEvent *event = NULL;

  gst_harness_set_src_caps_str (h, "video/mpeg,mpegversion=2,parsed=true,"
      "systemstream=false");
  send_key_unit (h);
  do {
    gst_clear_event (&event);
    event = gst_harness_try_pull_upstream_event (h);
    fail_unless (event != NULL);
  } while (!gst_event_has_name (event, "GstForceKeyUnit"));
  gst_event_unref (event);
  gst_harness_teardown (h);
}

GST_END_TEST;

#define N_GROUPS 36

static guint
push_groups (GstHarness * h, const TestStream * s, guint first, guint n,
    gchar * passes)
{
  guint n_passed = 0;

  for (guint i = first; i < first + n; i++) {
    guint64 before = count (h, "frames-passed");

    push_frames (h, s, i * N_GROUP % s->frames->len,
        i * N_GROUP % s->frames->len + N_GROUP);
    passes[i] = count (h, "frames-passed") > before ? 'y' : 'n';
    n_passed += passes[i] == 'y';
  }
  return n_passed;
}

/* Where a target is for one of several groups, a request brings the next group,
 * and in the end no more of them passed. */
GST_START_TEST (test_key_unit_below_scale_0)
{
  TestStream *s = test_stream_load (WALK);
  gchar passes[2][N_GROUPS + 1] = { { 0 } };
  guint n[2];

  for (guint asked = 0; asked < 2; asked++) {
    GstHarness *h = start (s, UNTOUCHED);

    g_object_set (h->element, "target-bitrate", G_GUINT64_CONSTANT (100000),
        NULL);
    n[asked] = push_groups (h, s, 0, N_GROUPS / 3, passes[asked]);
    if (asked)
      send_key_unit (h);
    n[asked] += push_groups (h, s, N_GROUPS / 3, N_GROUPS * 2 / 3,
        passes[asked]);
    check_accounts (h);
    stop (h);
  }
  fail_unless (n[0] > 1);
  fail_unless_equals_int (memcmp (passes[0], passes[1], N_GROUPS / 3), 0);
  fail_unless_equals_int (passes[0][N_GROUPS / 3], 'n');
  fail_unless_equals_int (passes[1][N_GROUPS / 3], 'y');
  fail_unless (n[1] <= n[0] + 1, "%s, asked %s", passes[0], passes[1]);
  test_stream_free (s);
}

GST_END_TEST;

static Suite *
mpegscaler_suite (void)
{
  Suite *suite = suite_create ("mpegscaler");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_key_unit);
  tcase_add_test (tc, test_key_unit_below_scale_0);
  tcase_add_test (tc, test_properties);
  tcase_add_test (tc, test_recoding_properties);
  tcase_add_test (tc, test_stats);
  tcase_add_loop_test (tc, test_scales, UNTOUCHED, 5);
  tcase_add_test (tc, test_change);
  tcase_add_test (tc, test_event_scale_wins);
  tcase_add_loop_test (tc, test_event_share, 0, G_N_ELEMENTS (parts));
  tcase_add_test (tc, test_fixed_target);
  tcase_add_loop_test (tc, test_stop, -1, 5);
  tcase_add_test (tc, test_stop_part);
  tcase_add_loop_test (tc, test_no_gap, 0, 5);
  tcase_add_loop_test (tc, test_event_forwarded, 0, 2);
  tcase_add_test (tc, test_event_kept);
  tcase_add_loop_test (tc, test_seek, 0, 2);
  tcase_add_test (tc, test_discont_in_open_group);
  tcase_add_test (tc, test_start_with_open_group);
  tcase_add_test (tc, test_one_sequence_header);
  tcase_add_test (tc, test_new_caps);
  tcase_add_test (tc, test_eos);
  tcase_add_test (tc, test_fields);
  tcase_add_loop_test (tc, test_unpaired, 0, N_ENDS);
  tcase_add_test (tc, test_segment_done);
  tcase_add_test (tc, test_same_segment);
  tcase_add_test (tc, test_field_and_sequence_end);
  tcase_add_loop_test (tc, test_stray_slices, 0, 2);
  tcase_add_test (tc, test_stray_slices_unpaired);
  tcase_add_loop_test (tc, test_many_in_one, UNTOUCHED, 5);
  tcase_add_test (tc, test_flags_in_many);
  tcase_add_loop_test (tc, test_rest_of_picture, 2, 5);
  tcase_add_test (tc, test_headers_apart);
  tcase_add_loop_test (tc, test_no_times, 0, 2);
  tcase_add_loop_test (tc, test_late_segment, 0, 2);
  tcase_add_test (tc, test_times_go_on);
  tcase_add_test (tc, test_dts_only);
  tcase_add_loop_test (tc, test_metas, 0, 2);
  tcase_add_test (tc, test_queries);
  tcase_add_test (tc, test_events);
  tcase_add_test (tc, test_flow_return);
  tcase_add_test (tc, test_no_caps);
  tcase_add_loop_test (tc, test_damage, 0, 60);
  tcase_add_test (tc, test_threads);
  return suite;
}

GST_CHECK_MAIN (mpegscaler);
