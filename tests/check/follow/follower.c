/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <follow/follower.h>

#define NONE GST_FOLLOWER_NO_BITRATE
#define NO_SCALE (-1)

static const GstSettingsField no_fields[] = { {0, 0, 0, 0} };

/* target NONE, scale -1: unknown. */
static GstEvent *
event_new (guint64 target, gint scale)
{
  GstCongestionInfo *info =
      gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);
  GstEvent *event;

  if (target != NONE)
    gst_congestion_info_set_target_bitrate (info, target);
  if (scale != NO_SCALE)
    gst_congestion_info_set_scale (info, scale);
  event = gst_congestion_event_new (info);
  gst_congestion_info_free (info);
  return event;
}

static gboolean
note (GstFollower * f, guint64 target, gint scale)
{
  GstEvent *event = event_new (target, scale);
  gboolean counts = gst_follower_note (f, event);

  gst_event_unref (event);
  return counts;
}

/* Properties */

/* What the specifications say is what a follower begins with. */
GST_START_TEST (test_defaults)
{
  GParamSpec *properties[GST_FOLLOW_N_PROPERTIES] = { NULL, };
  GstFollower f;

  gst_follower_init (&f, 0);
  gst_follower_make_properties (properties, "what it does");
  fail_unless_equals_string (g_param_spec_get_blurb (properties
          [GST_FOLLOW_EVENTS]), "what it does");
  for (guint id = 1; id < GST_FOLLOW_N_PROPERTIES; id++) {
    GValue value = G_VALUE_INIT;

    g_param_spec_ref_sink (properties[id]);
    g_value_init (&value, properties[id]->value_type);
    fail_unless (gst_follower_get_property (&f, no_fields, NULL, id, &value));
    fail_unless (g_param_value_defaults (properties[id], &value));
    fail_unless (properties[id]->flags & GST_PARAM_MUTABLE_PLAYING);
    g_value_unset (&value);
    g_param_spec_unref (properties[id]);
  }
  gst_follower_clear (&f);
}

GST_END_TEST;

static void
set_and_get (GstFollower * f, guint id, GType type, const gchar * text)
{
  GValue value = G_VALUE_INIT, back = G_VALUE_INIT;

  g_value_init (&value, type);
  g_value_init (&back, type);
  fail_unless (gst_value_deserialize (&value, text));
  fail_unless (gst_follower_set_property (f, no_fields, NULL, id, &value));
  fail_unless (gst_follower_get_property (f, no_fields, NULL, id, &back));
  fail_unless (gst_value_compare (&value, &back) == GST_VALUE_EQUAL);
}

GST_START_TEST (test_properties)
{
  GValue value = G_VALUE_INIT;
  GstFollower f;

  gst_follower_init (&f, 0);
  set_and_get (&f, GST_FOLLOW_EVENTS, G_TYPE_BOOLEAN, "false");
  set_and_get (&f, GST_FOLLOW_SHARE, G_TYPE_DOUBLE, "0.25");
  set_and_get (&f, GST_FOLLOW_RESERVED_BITRATE, G_TYPE_UINT64, "64000");
  fail_if (f.follow_events);
  fail_unless (f.share == 0.25);
  fail_unless_equals_uint64 (f.reserved_bitrate, 64000);

  /* those are the element's own */
  g_value_init (&value, G_TYPE_UINT64);
  fail_if (gst_follower_set_property (&f, no_fields, NULL,
          GST_FOLLOW_N_PROPERTIES, &value));
  fail_if (gst_follower_get_property (&f, no_fields, NULL,
          GST_FOLLOW_N_PROPERTIES, &value));
  fail_if (gst_follower_set_property (&f, no_fields, NULL, GST_FOLLOW_PROP_0,
          &value));
  gst_follower_clear (&f);

  gst_follower_init (&f, GST_FOLLOWER_HAS_TARGET);
  set_and_get (&f, GST_FOLLOW_TARGET_BITRATE, G_TYPE_UINT64, "500000");
  fail_unless_equals_uint64 (f.target_bitrate, 500000);
  fail_if (gst_follower_set_property (&f, no_fields, NULL,
          GST_FOLLOW_N_WITH_TARGET, &value));
  gst_follower_clear (&f);
}

GST_END_TEST;

/* Events */

typedef struct
{
  GstFollowerFlags flags;
  gboolean follow_events;
  guint64 target;
  gint scale;
  gboolean counts;
} EventRow;

#define SCALE GST_FOLLOWER_TAKES_SCALE
#define ONLY GST_FOLLOWER_ONLY_FOLLOWING

static const EventRow event_rows[] = {
  {0, TRUE, 1000, NO_SCALE, TRUE},
  {0, TRUE, 0, NO_SCALE, TRUE},
  {0, TRUE, 1000, 2, TRUE},
  {0, TRUE, NONE, 2, FALSE},
  {0, TRUE, NONE, NO_SCALE, FALSE},
  /* remembered for later */
  {0, FALSE, 1000, NO_SCALE, TRUE},
  {SCALE, TRUE, NONE, 2, TRUE},
  {SCALE, TRUE, NONE, 0, TRUE},
  {SCALE, TRUE, 1000, NO_SCALE, TRUE},
  {SCALE, TRUE, NONE, NO_SCALE, FALSE},
  {SCALE, FALSE, NONE, 2, TRUE},
  {ONLY, TRUE, 1000, NO_SCALE, TRUE},
  {ONLY, FALSE, 1000, NO_SCALE, FALSE},
  {SCALE | ONLY, FALSE, NONE, 2, FALSE},
};

/* One that does not count leaves the one before in force. */
GST_START_TEST (test_events)
{
  const EventRow *row = &event_rows[__i__];
  GstCongestionInfo *before;
  GstFollower f;

  gst_follower_init (&f, row->flags);
  fail_unless (note (&f, 7000, 4));
  before = f.info;
  f.follow_events = row->follow_events;

  fail_unless_equals_int (note (&f, row->target, row->scale), row->counts);
  fail_unless_equals_uint64 (f.events, 2);
  fail_unless_equals_int (f.info == before, !row->counts);
  fail_unless_equals_uint64 (gst_follower_event_bitrate (&f),
      row->counts && row->target != NONE ? row->target : 7000);
  fail_unless_equals_int (gst_congestion_info_get_scale (f.info),
      row->counts ? row->scale : 4);
  gst_follower_clear (&f);
}

GST_END_TEST;

/* An event with a scale alone neither lifts a stop nor brings a target. */
GST_START_TEST (test_scale_alone)
{
  static const guint64 targets[] = { NONE, 0, 7000 };
  guint64 before = targets[__i__];
  gint64 target = -1;
  GstFollower f;

  gst_follower_init (&f, SCALE);
  note (&f, before, before == NONE ? 1 : NO_SCALE);
  for (gint scale = 2; scale <= 3; scale++) {
    fail_unless (note (&f, NONE, scale));
    fail_unless_equals_int (gst_congestion_info_get_scale (f.info), scale);
    fail_unless_equals_uint64 (gst_follower_event_bitrate (&f), before);
    fail_unless_equals_int (gst_follower_target (&f, &target), before != NONE);
  }
  fail_unless_equals_int64 (target, before == NONE ? -1 : (gint64) before);
  gst_follower_clear (&f);
}

GST_END_TEST;

/* Neither what is no such event nor one that says nothing readable. */
GST_START_TEST (test_other_events)
{
  GstEvent *other = gst_event_new_reconfigure ();
  GstEvent *named = gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      gst_structure_new_empty ("someone-elses"));
  GstFollower f;

  gst_follower_init (&f, SCALE);
  fail_if (gst_follower_note (&f, other));
  fail_if (gst_follower_note (&f, named));
  fail_unless_equals_uint64 (f.events, 0);
  fail_unless (f.info == NULL);
  gst_event_unref (other);
  gst_event_unref (named);
  gst_follower_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_forget)
{
  gint64 target;
  GstFollower f;

  gst_follower_init (&f, 0);
  f.share = 0.5;
  note (&f, 8000, NO_SCALE);
  gst_follower_set_latency (&f, GST_SECOND);
  fail_unless (gst_follower_target (&f, &target));

  gst_follower_forget (&f);
  fail_if (gst_follower_target (&f, &target));
  fail_unless_equals_uint64 (gst_follower_event_bitrate (&f), NONE);
  fail_unless_equals_uint64 (f.events, 0);
  fail_unless_equals_uint64 (gst_follower_latency (&f), 0);
  /* the application's settings stay */
  fail_unless (f.share == 0.5);
  gst_follower_clear (&f);
}

GST_END_TEST;

/* Target */

typedef struct
{
  gboolean follow_events;
  guint64 target;               /* of the event; NONE: it has a scale alone */
  gdouble share;
  guint64 reserved, own;
  gint64 expected;              /* -1: none rules */
} TargetRow;

static const TargetRow target_rows[] = {
  {TRUE, 10000, 1.0, 0, 0, 10000},
  {TRUE, 10000, 0.5, 0, 0, 5000},
  {TRUE, 10000, 1.0, 3000, 0, 7000},
  {TRUE, 10000, 0.5, 3000, 0, 3500},
  {TRUE, 10000, 0.3, 9999, 0, 0},
  {TRUE, 10000, 1.0, 20000, 0, 0},
  {TRUE, 10000, 0.0, 0, 0, 0},
  {TRUE, 0, 1.0, 0, 0, 0},
  /* the element's own target does not count while it follows */
  {TRUE, 10000, 1.0, 0, 400, 10000},
  {TRUE, NONE, 1.0, 0, 400, -1},
  {TRUE, GST_CONGESTION_MAX_BITRATE, 1.0, 0, 0, GST_CONGESTION_MAX_BITRATE},
  /* and is shared with nobody */
  {FALSE, 10000, 0.5, 100, 400, 400},
  {FALSE, 0, 1.0, 0, 400, 400},
  {FALSE, NONE, 1.0, 0, 400, 400},
  {FALSE, 10000, 1.0, 0, 0, -1},
  {FALSE, 0, 1.0, 0, 0, -1},
  {FALSE, 0, 1.0, 0, G_MAXUINT64, G_MAXINT64 - 1},
};

GST_START_TEST (test_target)
{
  const TargetRow *row = &target_rows[__i__];
  gint64 target = -1;
  GstFollower f;

  gst_follower_init (&f, SCALE);
  f.follow_events = row->follow_events;
  f.share = row->share;
  f.reserved_bitrate = row->reserved;
  f.target_bitrate = row->own;
  note (&f, row->target, 3);

  fail_unless_equals_int (gst_follower_target (&f, &target),
      row->expected >= 0);
  fail_unless_equals_int64 (target, row->expected);
  fail_unless_equals_uint64 (gst_follower_event_bitrate (&f), row->target);
  gst_follower_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_before_events)
{
  gint64 target = 5;
  GstFollower f;

  gst_follower_init (&f, 0);
  fail_if (gst_follower_target (&f, &target));
  fail_unless_equals_int64 (target, 5);
  fail_unless_equals_uint64 (gst_follower_event_bitrate (&f), NONE);
  gst_follower_clear (&f);
}

GST_END_TEST;

GST_START_TEST (test_latency)
{
  GstFollower f;

  gst_follower_init (&f, 0);
  fail_if (gst_follower_set_latency (&f, 0));
  fail_unless (gst_follower_set_latency (&f, GST_SECOND));
  fail_if (gst_follower_set_latency (&f, GST_SECOND));
  fail_unless_equals_uint64 (gst_follower_latency (&f), GST_SECOND);
  fail_unless (gst_follower_set_latency (&f, GST_MSECOND));
  fail_unless_equals_uint64 (gst_follower_latency (&f), GST_MSECOND);
  gst_follower_clear (&f);
}

GST_END_TEST;

/* Threads */

#define N_EVENTS 500

static gpointer
note_many (gpointer data)
{
  GstFollower *f = data;

  for (guint i = 0; i < N_EVENTS; i++) {
    fail_unless (note (f, 1000, NO_SCALE));
    gst_follower_set_latency (f, i);
  }
  return NULL;
}

/* Whoever reads finds an event whole, whoever else brings the next. */
GST_START_TEST (test_threads)
{
  GThread *threads[2];
  GstFollower f;

  gst_follower_init (&f, 0);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("note", note_many, &f);
  for (guint i = 0; i < N_EVENTS; i++) {
    gint64 target = 1000;

    g_mutex_lock (&f.lock);
    gst_follower_target (&f, &target);
    g_mutex_unlock (&f.lock);
    fail_unless_equals_int64 (target, 1000);
    fail_unless (gst_follower_latency (&f) < N_EVENTS);
  }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  fail_unless_equals_uint64 (f.events, G_N_ELEMENTS (threads) * N_EVENTS);
  gst_follower_clear (&f);
}

GST_END_TEST;

static Suite *
follower_suite (void)
{
  Suite *s = suite_create ("follower");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_defaults);
  tcase_add_test (tc, test_properties);
  tcase_add_loop_test (tc, test_events, 0, G_N_ELEMENTS (event_rows));
  tcase_add_loop_test (tc, test_scale_alone, 0, 3);
  tcase_add_test (tc, test_other_events);
  tcase_add_test (tc, test_forget);
  tcase_add_loop_test (tc, test_target, 0, G_N_ELEMENTS (target_rows));
  tcase_add_test (tc, test_before_events);
  tcase_add_test (tc, test_latency);
  tcase_add_test (tc, test_threads);
  return s;
}

GST_CHECK_MAIN (follower);
