/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <math.h>
#include <string.h>

#include <gst/check/gstcheck.h>
#include <gst/congestion/congestion.h>

#define NONE GST_CLOCK_TIME_NONE
#define HOUR (3600 * GST_SECOND)

static const struct
{
  GstCongestionReason reason;
  const gchar *nick;
} reasons[] = {
  {GST_CONGESTION_REASON_START, "start"},
  {GST_CONGESTION_REASON_INCREASE, "increase"},
  {GST_CONGESTION_REASON_LOSS, "loss"},
  {GST_CONGESTION_REASON_TIMEOUT, "timeout"},
  {GST_CONGESTION_REASON_DUPACK, "dupack"},
  {GST_CONGESTION_REASON_REXMT, "rexmt"},
  {GST_CONGESTION_REASON_BACKLOG, "backlog"},
  {GST_CONGESTION_REASON_ECN, "ecn"},
  {GST_CONGESTION_REASON_DELAY, "delay"},
  {GST_CONGESTION_REASON_LIMIT, "limit"},
  {GST_CONGESTION_REASON_RESET, "reset"},
};

static GstCongestionInfo *
full_info (void)
{
  GstCongestionInfo *info = gst_congestion_info_new (GST_CONGESTION_REASON_ECN);

  gst_congestion_info_set_target_bitrate (info, 1234567);
  gst_congestion_info_set_scale (info, 3);
  gst_congestion_info_set_rtt (info, 45 * GST_MSECOND);
  gst_congestion_info_set_loss (info, 0.125);
  gst_congestion_info_set_spacing (info, 7 * GST_MSECOND);
  gst_congestion_info_set_queue_time (info, 250 * GST_MSECOND);
  gst_congestion_info_set_pace (info, 1500000);
  gst_congestion_info_set_max_frame_size (info, 15000);
  gst_congestion_info_set_controller (info, "scp");
  gst_congestion_info_set_count (info, 42);
  return info;
}

static void
assert_full (const GstCongestionInfo * info)
{
  guint64 target;

  fail_unless (gst_congestion_info_get_target_bitrate (info, &target));
  fail_unless_equals_uint64 (target, 1234567);
  fail_unless_equals_int (gst_congestion_info_get_reason (info),
      GST_CONGESTION_REASON_ECN);
  fail_unless_equals_int (gst_congestion_info_get_scale (info), 3);
  fail_unless_equals_uint64 (gst_congestion_info_get_rtt (info),
      45 * GST_MSECOND);
  fail_unless_equals_float (gst_congestion_info_get_loss (info), 0.125);
  fail_unless_equals_uint64 (gst_congestion_info_get_spacing (info),
      7 * GST_MSECOND);
  fail_unless_equals_uint64 (gst_congestion_info_get_queue_time (info),
      250 * GST_MSECOND);
  fail_unless_equals_uint64 (gst_congestion_info_get_pace (info), 1500000);
  fail_unless_equals_uint64 (gst_congestion_info_get_max_frame_size (info),
      15000);
  fail_unless_equals_string (gst_congestion_info_get_controller (info), "scp");
  fail_unless_equals_int (gst_congestion_info_get_count (info), 42);
}

static void
assert_unknown (const GstCongestionInfo * info)
{
  guint64 bitrate = 99;

  fail_if (gst_congestion_info_get_target_bitrate (info, &bitrate));
  fail_unless_equals_uint64 (bitrate, 0);
  bitrate = 99;
  fail_if (gst_congestion_info_get_share (info, 1.0, 0, &bitrate));
  fail_unless_equals_uint64 (bitrate, 0);
  fail_unless_equals_int (gst_congestion_info_get_scale (info), -1);
  fail_unless_equals_uint64 (gst_congestion_info_get_rtt (info), NONE);
  fail_unless_equals_float (gst_congestion_info_get_loss (info), -1.0);
  fail_unless_equals_uint64 (gst_congestion_info_get_spacing (info), NONE);
  fail_unless_equals_uint64 (gst_congestion_info_get_queue_time (info), NONE);
  fail_unless_equals_uint64 (gst_congestion_info_get_pace (info), 0);
  fail_unless_equals_uint64 (gst_congestion_info_get_max_frame_size (info), 0);
  fail_unless (gst_congestion_info_get_controller (info) == NULL);
  fail_unless_equals_int (gst_congestion_info_get_count (info), 0);
}

/* Takes @s. The same content must read the same from an event and a message. */
static GstCongestionInfo *
parse (GstStructure * s)
{
  GstEvent *event;
  GstMessage *message;
  GstCongestionInfo *info, *other;
  gboolean ok;

  message = gst_message_new_element (NULL, gst_structure_copy (s));
  event = gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, s);

  ok = gst_congestion_event_parse (event, &info);
  fail_unless (ok == (info != NULL));
  fail_unless (gst_congestion_event_parse (event, NULL) == ok);
  fail_unless (gst_congestion_message_parse (message, &other) == ok);
  fail_unless (ok == (other != NULL));
  if (ok) {
    GstEvent *a = gst_congestion_event_new (info);
    GstEvent *b = gst_congestion_event_new (other);

    fail_unless (gst_structure_is_equal (gst_event_get_structure (a),
            gst_event_get_structure (b)));
    gst_event_unref (a);
    gst_event_unref (b);
  }
  gst_congestion_info_free (other);
  gst_event_unref (event);
  gst_message_unref (message);
  return info;
}

static GstStructure *
loss_structure (void)
{
  return gst_structure_new ("GstCongestion", "reason", G_TYPE_STRING, "loss",
      NULL);
}

GST_START_TEST (test_event_round_trip)
{
  GstCongestionInfo *info = full_info (), *parsed;
  GstEvent *event = gst_congestion_event_new (info);

  fail_unless_equals_int (GST_EVENT_TYPE (event), GST_EVENT_CUSTOM_UPSTREAM);
  fail_unless (gst_is_congestion_event (event));
  fail_unless (gst_congestion_event_parse (event, &parsed));
  assert_full (parsed);
  gst_congestion_info_free (parsed);
  gst_congestion_info_free (info);
  gst_event_unref (event);
}

GST_END_TEST;

GST_START_TEST (test_message_round_trip)
{
  GstCongestionInfo *info = full_info (), *parsed;
  GstElement *src = gst_bin_new (NULL);
  GstMessage *message = gst_congestion_message_new (GST_OBJECT (src), info);

  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ELEMENT);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (src));
  fail_unless (gst_is_congestion_message (message));
  fail_unless (gst_congestion_message_parse (message, &parsed));
  assert_full (parsed);
  gst_congestion_info_free (parsed);
  gst_message_unref (message);

  message = gst_congestion_message_new (NULL, info);
  fail_unless (gst_congestion_message_parse (message, NULL));
  gst_message_unref (message);
  gst_congestion_info_free (info);
  gst_object_unref (src);
}

GST_END_TEST;

/* The names and types that others read without this library. */
GST_START_TEST (test_fields)
{
  static const struct
  {
    const gchar *name;
    GType type;
  } rows[] = {
    {"reason", G_TYPE_STRING},
    {"target-bitrate", G_TYPE_UINT64},
    {"scale", G_TYPE_INT},
    {"rtt", G_TYPE_UINT64},
    {"loss", G_TYPE_DOUBLE},
    {"spacing", G_TYPE_UINT64},
    {"queue-time", G_TYPE_UINT64},
    {"pace", G_TYPE_UINT64},
    {"max-frame-size", G_TYPE_UINT64},
    {"controller", G_TYPE_STRING},
    {"count", G_TYPE_UINT},
  };
  GstCongestionInfo *info = full_info ();
  GstEvent *event = gst_congestion_event_new (info);
  const GstStructure *s = gst_event_get_structure (event);
  guint i;

  fail_unless_equals_string (gst_structure_get_name (s), "GstCongestion");
  fail_unless_equals_int (gst_structure_n_fields (s), G_N_ELEMENTS (rows));
  for (i = 0; i < G_N_ELEMENTS (rows); i++)
    fail_unless (gst_structure_get_field_type (s, rows[i].name) ==
        rows[i].type, "%s", rows[i].name);
  gst_event_unref (event);
  gst_congestion_info_free (info);
}

GST_END_TEST;

GST_START_TEST (test_reasons)
{
  GEnumClass *klass = g_type_class_ref (GST_TYPE_CONGESTION_REASON);
  guint i;

  fail_unless_equals_int (klass->n_values, G_N_ELEMENTS (reasons));
  for (i = 0; i < G_N_ELEMENTS (reasons); i++) {
    GstCongestionInfo *info = gst_congestion_info_new (reasons[i].reason);
    GstEvent *event = gst_congestion_event_new (info);
    const GstStructure *s = gst_event_get_structure (event);
    GEnumValue *v = g_enum_get_value_by_nick (klass, reasons[i].nick);

    fail_unless (v != NULL);
    fail_unless_equals_int (v->value, reasons[i].reason);
    fail_unless_equals_string (gst_structure_get_string (s, "reason"),
        reasons[i].nick);
    gst_congestion_info_free (info);

    fail_unless (gst_congestion_event_parse (event, &info));
    fail_unless_equals_int (gst_congestion_info_get_reason (info),
        reasons[i].reason);
    gst_congestion_info_set_reason (info, GST_CONGESTION_REASON_RESET);
    fail_unless_equals_int (gst_congestion_info_get_reason (info),
        GST_CONGESTION_REASON_RESET);
    gst_congestion_info_free (info);
    gst_event_unref (event);
  }
  g_type_class_unref (klass);
}

GST_END_TEST;

GST_START_TEST (test_absent_is_unknown)
{
  GstCongestionInfo *info, *parsed;
  GstEvent *event;

  info = gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);
  assert_unknown (info);
  event = gst_congestion_event_new (info);
  fail_unless_equals_int (gst_structure_n_fields (gst_event_get_structure
          (event)), 1);
  fail_unless (gst_congestion_event_parse (event, &parsed));
  assert_unknown (parsed);
  gst_congestion_info_free (parsed);
  gst_congestion_info_free (info);
  gst_event_unref (event);

  parsed = parse (loss_structure ());
  fail_unless (parsed != NULL);
  assert_unknown (parsed);
  gst_congestion_info_free (parsed);
}

GST_END_TEST;

/* A target of 0 is a decision, no target is none. */
GST_START_TEST (test_zero_is_known)
{
  GstCongestionInfo *info =
      gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);
  GstEvent *event;
  guint64 target = 99;

  gst_congestion_info_set_target_bitrate (info, 0);
  gst_congestion_info_set_scale (info, 0);
  gst_congestion_info_set_loss (info, 0.0);
  gst_congestion_info_set_spacing (info, 0);
  gst_congestion_info_set_queue_time (info, 0);
  event = gst_congestion_event_new (info);
  gst_congestion_info_free (info);

  fail_unless (gst_congestion_event_parse (event, &info));
  fail_unless (gst_congestion_info_get_target_bitrate (info, &target));
  fail_unless_equals_uint64 (target, 0);
  fail_unless (gst_congestion_info_get_target_bitrate (info, NULL));
  fail_unless_equals_int (gst_congestion_info_get_scale (info), 0);
  fail_unless_equals_float (gst_congestion_info_get_loss (info), 0.0);
  fail_unless_equals_uint64 (gst_congestion_info_get_spacing (info), 0);
  fail_unless_equals_uint64 (gst_congestion_info_get_queue_time (info), 0);
  gst_congestion_info_free (info);
  gst_event_unref (event);
}

GST_END_TEST;

GST_START_TEST (test_unknown_fields_ignored)
{
  GstCongestionInfo *info = full_info (), *parsed;
  GstEvent *event = gst_congestion_event_new (info);
  GstStructure *s = gst_structure_copy (gst_event_get_structure (event));
  GstStructure *inner = gst_structure_new_empty ("inner");
  guint i;

  gst_structure_set (s, "Target-Bitrate", G_TYPE_STRING, "no",
      "target_bitrate", G_TYPE_INT, -1, "RTT", GST_TYPE_STRUCTURE, inner, NULL);
  for (i = 0; i < 1000; i++) {
    gchar *name = g_strdup_printf ("field-%u", i);

    gst_structure_set (s, name, G_TYPE_UINT, i, NULL);
    g_free (name);
  }
  parsed = parse (s);
  fail_unless (parsed != NULL);
  assert_full (parsed);
  gst_congestion_info_free (parsed);
  gst_congestion_info_free (info);
  gst_structure_free (inner);
  gst_event_unref (event);
}

GST_END_TEST;

/* How an event travels between processes, by ipcpipeline for one. */
GST_START_TEST (test_survives_serialization)
{
  GstCongestionInfo *info = full_info (), *parsed;
  GstEvent *event = gst_congestion_event_new (info);
  gchar *text = gst_structure_to_string (gst_event_get_structure (event));
  GstStructure *s = gst_structure_from_string (text, NULL);

  fail_unless (s != NULL);
  parsed = parse (s);
  fail_unless (parsed != NULL);
  assert_full (parsed);
  gst_congestion_info_free (parsed);
  gst_congestion_info_free (info);
  gst_event_unref (event);
  g_free (text);
}

GST_END_TEST;

static const gchar *refused[] = {
  "GstCongestion",
  "GstCongestion, target-bitrate=(guint64)1000000",
  "GstCongestion, reason=(string)\"\"",
  "GstCongestion, reason=(string)bogus",
  "GstCongestion, reason=(string)LOSS",
  "GstCongestion, reason=(string)\"loss \"",
  "GstCongestion, reason=(string)loss2",
  "GstCongestion, reason=(string)los",
  "GstCongestion, reason=(int)2",
  "GstCongestion, reason=(string){ loss, start }",
  "GstCongestion, reason=(string)loss, target-bitrate=(int)1000000",
  "GstCongestion, reason=(string)loss, target-bitrate=(uint)1000000",
  "GstCongestion, reason=(string)loss, target-bitrate=(gint64)1000000",
  "GstCongestion, reason=(string)loss, target-bitrate=(double)1e6",
  "GstCongestion, reason=(string)loss, target-bitrate=(string)1000000",
  "GstCongestion, reason=(string)loss, target-bitrate=(guint64){ 1, 2 }",
  "GstCongestion, reason=(string)loss, scale=(uint)1",
  "GstCongestion, reason=(string)loss, scale=(string)1",
  "GstCongestion, reason=(string)loss, scale=(int)[ 0, 4 ]",
  "GstCongestion, reason=(string)loss, rtt=(gint64)1000000",
  "GstCongestion, reason=(string)loss, rtt=(string)1000000",
  "GstCongestion, reason=(string)loss, loss=(float)0.5",
  "GstCongestion, reason=(string)loss, loss=(int)0",
  "GstCongestion, reason=(string)loss, loss=(fraction)1/2",
  "GstCongestion, reason=(string)loss, loss=(double)[ 0.0, 1.0 ]",
  "GstCongestion, reason=(string)loss, spacing=(int)1",
  "GstCongestion, reason=(string)loss, spacing=(boolean)true",
  "GstCongestion, reason=(string)loss, queue-time=(int)1",
  "GstCongestion, reason=(string)loss, queue-time=(double)1.0",
  "GstCongestion, reason=(string)loss, pace=(int)1",
  "GstCongestion, reason=(string)loss, pace=(guint64){ 1, 2 }",
  "GstCongestion, reason=(string)loss, max-frame-size=(uint)1",
  "GstCongestion, reason=(string)loss, max-frame-size=(double)1.0",
  "GstCongestion, reason=(string)loss, controller=(int)1",
  "GstCongestion, reason=(string)loss, controller=(structure)[ a, b=1 ]",
  "GstCongestion, reason=(string)loss, count=(int)1",
  "GstCongestion, reason=(string)loss, count=(guint64)1",
};

GST_START_TEST (test_refused)
{
  GstStructure *s = gst_structure_from_string (refused[__i__], NULL);
  GstCongestionInfo *info;

  /* a row that GStreamer does not read at all would test nothing */
  fail_unless (s != NULL, "%s", refused[__i__]);
  info = parse (s);
  fail_unless (info == NULL, "%s", refused[__i__]);
}

GST_END_TEST;

GST_START_TEST (test_null_strings)
{
  GstStructure *s = gst_structure_new ("GstCongestion", "reason",
      G_TYPE_STRING, NULL, NULL);
  GstCongestionInfo *info;

  fail_unless (gst_structure_has_field (s, "reason"));
  fail_unless (parse (s) == NULL);

  s = loss_structure ();
  gst_structure_set (s, "controller", G_TYPE_STRING, NULL, NULL);
  fail_unless (gst_structure_has_field (s, "controller"));
  info = parse (s);
  fail_unless (info != NULL);
  fail_unless (gst_congestion_info_get_controller (info) == NULL);
  gst_congestion_info_free (info);
}

GST_END_TEST;

/* An enum where the table has a string is another type, too. */
GST_START_TEST (test_reason_as_enum)
{
  fail_unless (parse (gst_structure_new ("GstCongestion", "reason",
              GST_TYPE_CONGESTION_REASON, GST_CONGESTION_REASON_LOSS, NULL)) ==
      NULL);
}

GST_END_TEST;

GST_START_TEST (test_clamp_target)
{
  static const struct
  {
    guint64 in, out;
  } rows[] = {
    {0, 0},
    {1, 1},
    {G_GUINT64_CONSTANT (999999999999), G_GUINT64_CONSTANT (999999999999)},
    {G_GUINT64_CONSTANT (1000000000000), G_GUINT64_CONSTANT (1000000000000)},
    {G_GUINT64_CONSTANT (1000000000001), G_GUINT64_CONSTANT (1000000000000)},
    {G_MAXINT64, G_GUINT64_CONSTANT (1000000000000)},
    {G_MAXUINT64, G_GUINT64_CONSTANT (1000000000000)},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstStructure *s = loss_structure ();
    GstCongestionInfo *info;
    guint64 target;

    gst_structure_set (s, "target-bitrate", G_TYPE_UINT64, rows[i].in, NULL);
    info = parse (s);
    fail_unless (gst_congestion_info_get_target_bitrate (info, &target));
    fail_unless_equals_uint64 (target, rows[i].out);
    gst_congestion_info_set_target_bitrate (info, 5);
    gst_congestion_info_set_target_bitrate (info, rows[i].in);
    fail_unless (gst_congestion_info_get_target_bitrate (info, &target));
    fail_unless_equals_uint64 (target, rows[i].out);
    gst_congestion_info_free (info);
  }
}

GST_END_TEST;

GST_START_TEST (test_clamp_scale)
{
  static const struct
  {
    gint in, out;
  } rows[] = {
    {G_MININT, -1},
    {-2, -1},
    {-1, -1},
    {0, 0},
    {4, 4},
    {5, 4},
    {G_MAXINT, 4},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstStructure *s = loss_structure ();
    GstCongestionInfo *info;

    gst_structure_set (s, "scale", G_TYPE_INT, rows[i].in, NULL);
    info = parse (s);
    fail_unless_equals_int (gst_congestion_info_get_scale (info), rows[i].out);
    gst_congestion_info_set_scale (info, 2);
    gst_congestion_info_set_scale (info, rows[i].in);
    fail_unless_equals_int (gst_congestion_info_get_scale (info), rows[i].out);
    gst_congestion_info_free (info);
  }
}

GST_END_TEST;

GST_START_TEST (test_clamp_frames)
{
  static const struct
  {
    const gchar *field;
      guint64 (*get) (const GstCongestionInfo *);
    void (*set) (GstCongestionInfo *, guint64);
    guint64 most;
  } fields[] = {
    {"pace", gst_congestion_info_get_pace, gst_congestion_info_set_pace,
        GST_CONGESTION_MAX_BITRATE},
    {"max-frame-size", gst_congestion_info_get_max_frame_size,
        gst_congestion_info_set_max_frame_size, GST_CONGESTION_MAX_FRAME_SIZE},
  };
  guint f, i;

  for (f = 0; f < G_N_ELEMENTS (fields); f++) {
    const guint64 rows[] = { 0, 1, fields[f].most, fields[f].most + 1,
      G_MAXUINT64
    };

    for (i = 0; i < G_N_ELEMENTS (rows); i++) {
      guint64 out = MIN (rows[i], fields[f].most);
      GstStructure *s = loss_structure ();
      GstCongestionInfo *info;

      gst_structure_set (s, fields[f].field, G_TYPE_UINT64, rows[i], NULL);
      info = parse (s);
      fail_unless_equals_uint64 (fields[f].get (info), out);
      fields[f].set (info, 5);
      fields[f].set (info, rows[i]);
      fail_unless_equals_uint64 (fields[f].get (info), out);
      gst_congestion_info_free (info);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_clamp_times)
{
  static const struct
  {
    const gchar *field;
      GstClockTime (*get) (const GstCongestionInfo *);
    void (*set) (GstCongestionInfo *, GstClockTime);
    GstClockTime zero;
  } fields[] = {
    {"rtt", gst_congestion_info_get_rtt, gst_congestion_info_set_rtt, NONE},
    {"spacing", gst_congestion_info_get_spacing,
        gst_congestion_info_set_spacing, 0},
    {"queue-time", gst_congestion_info_get_queue_time,
        gst_congestion_info_set_queue_time, 0},
  };
  static const struct
  {
    guint64 in, out;
  } rows[] = {
    {1, 1},
    {HOUR, HOUR},
    {HOUR + 1, HOUR},
    {G_MAXINT64, HOUR},
    {G_MAXUINT64 - 1, HOUR},
    {G_MAXUINT64, NONE},
  };
  guint f, i;

  for (f = 0; f < G_N_ELEMENTS (fields); f++) {
    for (i = 0; i <= G_N_ELEMENTS (rows); i++) {
      gboolean zero = i == G_N_ELEMENTS (rows);
      guint64 in = zero ? 0 : rows[i].in;
      guint64 out = zero ? fields[f].zero : rows[i].out;
      GstStructure *s = loss_structure ();
      GstCongestionInfo *info;

      gst_structure_set (s, fields[f].field, G_TYPE_UINT64, in, NULL);
      info = parse (s);
      fail_unless_equals_uint64 (fields[f].get (info), out);
      fields[f].set (info, 5);
      fields[f].set (info, in);
      fail_unless_equals_uint64 (fields[f].get (info), out);
      gst_congestion_info_free (info);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_clamp_loss)
{
  const struct
  {
    gdouble in, out;
  } rows[] = {
    {0.0, 0.0},
    {-0.0, 0.0},
    {0.5, 0.5},
    {1.0, 1.0},
    {1.0 + 1e-9, 1.0},
    {G_MAXDOUBLE, 1.0},
    {INFINITY, 1.0},
    {-1e-300, -1.0},
    {-1.0, -1.0},
    {-0.5, -1.0},
    {-G_MAXDOUBLE, -1.0},
    {-INFINITY, -1.0},
    {NAN, -1.0},
    {-NAN, -1.0},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstStructure *s = loss_structure ();
    GstCongestionInfo *info;

    gst_structure_set (s, "loss", G_TYPE_DOUBLE, rows[i].in, NULL);
    info = parse (s);
    fail_unless_equals_float (gst_congestion_info_get_loss (info), rows[i].out);
    gst_congestion_info_set_loss (info, 0.25);
    gst_congestion_info_set_loss (info, rows[i].in);
    fail_unless_equals_float (gst_congestion_info_get_loss (info), rows[i].out);
    gst_congestion_info_free (info);
  }
}

GST_END_TEST;

/* GStreamer's own setter refuses what is not UTF-8; another process need not
 * have used it. */
static gboolean
replace_string (GQuark field, GValue * value, gpointer text)
{
  if (field == g_quark_from_static_string ("controller"))
    g_value_set_string (value, text);
  return TRUE;
}

#define SIXTY_FOUR \
  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

GST_START_TEST (test_clamp_controller)
{
  static const struct
  {
    const gchar *in;
    gboolean known;
  } rows[] = {
    {"damped-psp", TRUE},
    {"\xc3\xa9tat", TRUE},
    {SIXTY_FOUR, TRUE},
    {SIXTY_FOUR "x", FALSE},
    {SIXTY_FOUR SIXTY_FOUR SIXTY_FOUR, FALSE},
    {"", FALSE},
    {"\xff", FALSE},
    {"psp\xc3", FALSE},
    {"\xc0\x80", FALSE},
    {"\xed\xa0\x80", FALSE},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    const gchar *expected = rows[i].known ? rows[i].in : NULL;
    GstStructure *s = loss_structure ();
    GstCongestionInfo *info;

    gst_structure_set (s, "controller", G_TYPE_STRING, "x", NULL);
    gst_structure_map_in_place (s, replace_string, (gpointer) rows[i].in);
    info = parse (s);
    fail_unless (info != NULL);
    fail_unless_equals_string (gst_congestion_info_get_controller (info),
        expected);
    gst_congestion_info_set_controller (info, "other");
    gst_congestion_info_set_controller (info, rows[i].in);
    fail_unless_equals_string (gst_congestion_info_get_controller (info),
        expected);
    gst_congestion_info_set_controller (info, "psp");
    gst_congestion_info_set_controller (info,
        gst_congestion_info_get_controller (info));
    fail_unless_equals_string (gst_congestion_info_get_controller (info),
        "psp");
    gst_congestion_info_set_controller (info, NULL);
    fail_unless (gst_congestion_info_get_controller (info) == NULL);
    gst_congestion_info_free (info);
  }
}

GST_END_TEST;

GST_START_TEST (test_share)
{
  const struct
  {
    guint64 target;
    gdouble share;
    guint64 reserved, out;
  } rows[] = {
    {1000000, 1.0, 0, 1000000},
    {1000000, 1.0, 64000, 936000},
    {1000000, 0.5, 0, 500000},
    {1000000, 0.25, 200000, 200000},
    {1000001, 0.5, 0, 500000},
    {1000000, 0.0, 0, 0},
    {0, 1.0, 0, 0},
    {0, 1.0, 64000, 0},
    {64000, 1.0, 64000, 0},
    {63999, 1.0, 64000, 0},
    {64001, 1.0, 64000, 1},
    {1000000, 1.0, G_MAXUINT64, 0},
    {1000000, 2.0, 0, 1000000},
    {1000000, INFINITY, 64000, 936000},
    {1000000, -0.5, 0, 0},
    {1000000, -INFINITY, 0, 0},
    {1000000, NAN, 0, 0},
    {1000000, -NAN, 64000, 0},
    {1000000, G_MINDOUBLE, 0, 0},
    {G_MAXUINT64, 1.0, 0, GST_CONGESTION_MAX_BITRATE},
    {G_MAXUINT64, 0.5, 0, GST_CONGESTION_MAX_BITRATE / 2},
    {G_MAXUINT64, 1e300, G_MAXUINT64, 0},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstCongestionInfo *info =
        gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);
    guint64 out = 99;

    gst_congestion_info_set_target_bitrate (info, rows[i].target);
    fail_unless (gst_congestion_info_get_share (info, rows[i].share,
            rows[i].reserved, &out));
    fail_unless (out == rows[i].out, "row %u: %" G_GUINT64_FORMAT " is not %"
        G_GUINT64_FORMAT, i, out, rows[i].out);
    fail_unless (gst_congestion_info_get_share (info, rows[i].share,
            rows[i].reserved, NULL));
    gst_congestion_info_free (info);
  }
}

GST_END_TEST;

GST_START_TEST (test_copy)
{
  GstCongestionInfo *info = full_info (), *copy, *boxed;
  GValue value = G_VALUE_INIT;

  copy = gst_congestion_info_copy (info);
  g_value_init (&value, GST_TYPE_CONGESTION_INFO);
  g_value_set_boxed (&value, info);
  gst_congestion_info_set_controller (info, "changed");
  gst_congestion_info_set_target_bitrate (info, 1);
  gst_congestion_info_free (info);

  assert_full (copy);
  boxed = g_value_dup_boxed (&value);
  g_value_unset (&value);
  assert_full (boxed);
  gst_congestion_info_free (boxed);
  gst_congestion_info_free (copy);
  gst_congestion_info_free (NULL);
}

GST_END_TEST;

GST_START_TEST (test_foreign_events)
{
  GstEvent *events[] = {
    gst_event_new_reconfigure (),
    gst_event_new_eos (),
    gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
        gst_structure_new ("GstForceKeyUnit", "reason", G_TYPE_STRING, "loss",
            NULL)),
    gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
        gst_structure_new ("gstcongestion", "reason", G_TYPE_STRING, "loss",
            NULL)),
    gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, loss_structure ()),
    gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_OOB, loss_structure ()),
    gst_event_new_custom (GST_EVENT_CUSTOM_BOTH, loss_structure ()),
    gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, NULL),
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (events); i++) {
    GstCongestionInfo *info = (GstCongestionInfo *) events;

    fail_if (gst_is_congestion_event (events[i]), "event %u", i);
    fail_if (gst_congestion_event_parse (events[i], &info), "event %u", i);
    fail_unless (info == NULL);
    gst_event_unref (events[i]);
  }
}

GST_END_TEST;

GST_START_TEST (test_foreign_messages)
{
  GstMessage *messages[] = {
    gst_message_new_eos (NULL),
    gst_message_new_element (NULL, gst_structure_new_empty ("other")),
    gst_message_new_application (NULL, loss_structure ()),
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (messages); i++) {
    GstCongestionInfo *info = (GstCongestionInfo *) messages;

    fail_if (gst_is_congestion_message (messages[i]), "message %u", i);
    fail_if (gst_congestion_message_parse (messages[i], &info));
    fail_unless (info == NULL);
    gst_message_unref (messages[i]);
  }
}

GST_END_TEST;

static void
count_critical (const gchar * domain, GLogLevelFlags level,
    const gchar * message, gpointer count)
{
  (void) domain;
  (void) level;
  (void) message;
  (*(guint *) count)++;
}

/* ASSERT_CRITICAL knows GStreamer's own log domains only. */
GST_START_TEST (test_misuse)
{
  GLogLevelFlags fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK);
  GstCongestionInfo *info =
      gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);
  guint count = 0, handler;

  handler = g_log_set_handler ("GStreamer-Congestion", G_LOG_LEVEL_CRITICAL,
      count_critical, &count);
  fail_if (gst_congestion_info_new ((GstCongestionReason) 11));
  fail_if (gst_congestion_info_new ((GstCongestionReason) - 1));
  fail_if (gst_congestion_event_new (NULL));
  fail_if (gst_congestion_message_new (NULL, NULL));
  gst_congestion_info_set_reason (info, (GstCongestionReason) 11);
  fail_unless_equals_int (count, 5);
  fail_unless_equals_int (gst_congestion_info_get_reason (info),
      GST_CONGESTION_REASON_LOSS);
  g_log_remove_handler ("GStreamer-Congestion", handler);
  g_log_set_always_fatal (fatal);
  gst_congestion_info_free (info);
}

GST_END_TEST;

static Suite *
congestion_suite (void)
{
  Suite *s = suite_create ("congestion");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_event_round_trip);
  tcase_add_test (tc, test_message_round_trip);
  tcase_add_test (tc, test_fields);
  tcase_add_test (tc, test_reasons);
  tcase_add_test (tc, test_absent_is_unknown);
  tcase_add_test (tc, test_zero_is_known);
  tcase_add_test (tc, test_unknown_fields_ignored);
  tcase_add_test (tc, test_survives_serialization);
  tcase_add_loop_test (tc, test_refused, 0, G_N_ELEMENTS (refused));
  tcase_add_test (tc, test_null_strings);
  tcase_add_test (tc, test_reason_as_enum);
  tcase_add_test (tc, test_clamp_target);
  tcase_add_test (tc, test_clamp_scale);
  tcase_add_test (tc, test_clamp_frames);
  tcase_add_test (tc, test_clamp_times);
  tcase_add_test (tc, test_clamp_loss);
  tcase_add_test (tc, test_clamp_controller);
  tcase_add_test (tc, test_share);
  tcase_add_test (tc, test_copy);
  tcase_add_test (tc, test_foreign_events);
  tcase_add_test (tc, test_foreign_messages);
  tcase_add_test (tc, test_misuse);
  return s;
}

GST_CHECK_MAIN (congestion);
