/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The common part of filters, in an element that is nothing but that.
 */
#include <gst/check/gstcheck.h>

#include <follow/follower.h>

typedef struct
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;
  GstFollower follower;
  gboolean start_fails, pads_fail;
  guint n_starts, n_stops;
} TestFilter;

typedef struct
{
  GstElementClass parent;
} TestFilterClass;

static GType test_filter_get_type (void);
G_DEFINE_TYPE (TestFilter, test_filter, GST_TYPE_ELEMENT);

static gboolean
test_filter_start (GstElement * element)
{
  TestFilter *self = (TestFilter *) element;

  fail_if (GST_PAD_IS_ACTIVE (self->sinkpad));
  self->n_starts++;
  return !self->start_fails;
}

static void
test_filter_stop (GstElement * element)
{
  TestFilter *self = (TestFilter *) element;

  fail_if (GST_PAD_IS_ACTIVE (self->sinkpad));
  self->n_stops++;
}

static GstStateChangeReturn
test_filter_change_state (GstElement * element, GstStateChange transition)
{
  return gst_follow_change_state (element,
      GST_ELEMENT_CLASS (test_filter_parent_class), transition,
      test_filter_start, test_filter_stop);
}

static gboolean
test_filter_activate (GstPad * pad, GstObject * parent)
{
  return !((TestFilter *) parent)->pads_fail
      && gst_pad_activate_mode (pad, GST_PAD_MODE_PUSH, TRUE);
}

static gboolean
test_filter_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  return gst_follow_src_event (&((TestFilter *) parent)->follower, pad, parent,
      event);
}

static gboolean
test_filter_src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  TestFilter *self = (TestFilter *) parent;

  return gst_follow_src_query (&self->follower, self->sinkpad, pad, parent,
      query);
}

static void
test_filter_finalize (GObject * object)
{
  gst_follower_clear (&((TestFilter *) object)->follower);
  G_OBJECT_CLASS (test_filter_parent_class)->finalize (object);
}

static void
test_filter_class_init (TestFilterClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_filter_finalize;
  GST_ELEMENT_CLASS (klass)->change_state = test_filter_change_state;
}

static void
test_filter_init (TestFilter * self)
{
  gst_follower_init (&self->follower, 0);
  self->sinkpad = gst_pad_new ("sink", GST_PAD_SINK);
  gst_pad_set_activate_function (self->sinkpad, test_filter_activate);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
  self->srcpad = gst_pad_new ("src", GST_PAD_SRC);
  gst_pad_set_event_function (self->srcpad, test_filter_src_event);
  gst_pad_set_query_function (self->srcpad, test_filter_src_query);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}

static TestFilter *
test_filter_new (void)
{
  return gst_object_ref_sink (g_object_new (test_filter_get_type (), NULL));
}

/* Upstream */

typedef struct
{
  gboolean answers, live;
  GstClockTime min, max;
} Upstream;

static Upstream upstream;
static guint n_events;

static gboolean
upstream_event (GstPad * pad G_GNUC_UNUSED, GstObject * parent G_GNUC_UNUSED,
    GstEvent * event)
{
  n_events++;
  gst_event_unref (event);
  return FALSE;                 /* does not care */
}

static gboolean
upstream_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, upstream.live, upstream.min, upstream.max);
  return upstream.answers;
}

static GstPad *
upstream_new (TestFilter * filter)
{
  GstPad *pad = gst_pad_new ("upstream", GST_PAD_SRC);

  gst_pad_set_event_function (pad, upstream_event);
  gst_pad_set_query_function (pad, upstream_query);
  gst_pad_set_active (pad, TRUE);
  fail_unless (gst_pad_link (pad, filter->sinkpad) == GST_PAD_LINK_OK);
  gst_element_set_state (GST_ELEMENT (filter), GST_STATE_PAUSED);
  return pad;
}

static void
done (TestFilter * filter, GstPad * pad)
{
  gst_element_set_state (GST_ELEMENT (filter), GST_STATE_NULL);
  gst_pad_set_active (pad, FALSE);
  gst_object_unref (pad);
  gst_object_unref (filter);
}

static GstEvent *
congestion_event_new (void)
{
  GstCongestionInfo *info =
      gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);
  GstEvent *event;

  gst_congestion_info_set_target_bitrate (info, 1000);
  event = gst_congestion_event_new (info);
  gst_congestion_info_free (info);
  return event;
}

/* A congestion event is handled, whatever becomes of it upstream; another is if
 * it is there. */
GST_START_TEST (test_events)
{
  TestFilter *filter = test_filter_new ();
  GstPad *pad = upstream_new (filter);

  n_events = 0;
  fail_unless (gst_pad_send_event (filter->srcpad, congestion_event_new ()));
  fail_unless_equals_int (n_events, 1);
  fail_unless_equals_uint64 (gst_follower_event_bitrate (&filter->follower),
      1000);
  fail_if (gst_pad_send_event (filter->srcpad,
          gst_event_new_qos (GST_QOS_TYPE_OVERFLOW, 1.0, 0, 0)));
  fail_unless_equals_int (n_events, 2);
  fail_unless_equals_uint64 (filter->follower.events, 1);
  done (filter, pad);
}

GST_END_TEST;

typedef struct
{
  Upstream upstream;
  GstClockTime own;
  gboolean answered;
  GstClockTime min, max;
} LatencyRow;

#define NONE GST_CLOCK_TIME_NONE

static const LatencyRow latency_rows[] = {
  {{TRUE, TRUE, 30, 50}, 0, TRUE, 30, 50},
  {{TRUE, TRUE, 30, 50}, 7, TRUE, 37, 57},
  {{TRUE, FALSE, 0, NONE}, 7, TRUE, 7, NONE},
  {{FALSE, TRUE, 30, 50}, 7, FALSE, 0, 0},
};

GST_START_TEST (test_latency)
{
  const LatencyRow *row = &latency_rows[__i__];
  TestFilter *filter = test_filter_new ();
  GstPad *pad = upstream_new (filter);
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max;
  gboolean live;

  upstream = row->upstream;
  gst_follower_set_latency (&filter->follower, row->own);
  fail_unless_equals_int (gst_pad_query (filter->srcpad, query), row->answered);
  if (row->answered) {
    gst_query_parse_latency (query, &live, &min, &max);
    fail_unless_equals_int (live, row->upstream.live);
    fail_unless_equals_uint64 (min, row->min);
    fail_unless_equals_uint64 (max, row->max);
  }
  gst_query_unref (query);
  done (filter, pad);
}

GST_END_TEST;

GST_START_TEST (test_other_query)
{
  TestFilter *filter = test_filter_new ();
  GstPad *pad = upstream_new (filter);
  GstQuery *query = gst_query_new_caps (NULL);

  fail_unless (gst_pad_query (filter->srcpad, query));
  gst_query_unref (query);
  done (filter, pad);
}

GST_END_TEST;

/* States */

static void
assert_states (TestFilter * filter, GstState state,
    GstStateChangeReturn expected, guint n_starts, guint n_stops)
{
  fail_unless_equals_int (gst_element_set_state (GST_ELEMENT (filter), state),
      expected);
  fail_unless_equals_int (filter->n_starts, n_starts);
  fail_unless_equals_int (filter->n_stops, n_stops);
}

GST_START_TEST (test_states)
{
  TestFilter *filter = test_filter_new ();
  GstStateChangeReturn ok = GST_STATE_CHANGE_SUCCESS;

  assert_states (filter, GST_STATE_READY, ok, 0, 0);
  assert_states (filter, GST_STATE_PAUSED, ok, 1, 0);
  assert_states (filter, GST_STATE_PLAYING, ok, 1, 0);
  assert_states (filter, GST_STATE_PAUSED, ok, 1, 0);
  assert_states (filter, GST_STATE_READY, ok, 1, 1);
  assert_states (filter, GST_STATE_PLAYING, ok, 2, 1);
  assert_states (filter, GST_STATE_NULL, ok, 2, 2);
  gst_object_unref (filter);
}

GST_END_TEST;

GST_START_TEST (test_start_fails)
{
  TestFilter *filter = test_filter_new ();

  filter->start_fails = TRUE;
  assert_states (filter, GST_STATE_PAUSED, GST_STATE_CHANGE_FAILURE, 1, 0);
  fail_if (GST_PAD_IS_ACTIVE (filter->sinkpad));
  assert_states (filter, GST_STATE_NULL, GST_STATE_CHANGE_SUCCESS, 1, 0);
  gst_object_unref (filter);
}

GST_END_TEST;

/* What was started is stopped. */
GST_START_TEST (test_pads_fail)
{
  TestFilter *filter = test_filter_new ();

  filter->pads_fail = TRUE;
  assert_states (filter, GST_STATE_PAUSED, GST_STATE_CHANGE_FAILURE, 1, 1);
  filter->pads_fail = FALSE;
  assert_states (filter, GST_STATE_PAUSED, GST_STATE_CHANGE_SUCCESS, 2, 1);
  assert_states (filter, GST_STATE_NULL, GST_STATE_CHANGE_SUCCESS, 2, 2);
  gst_object_unref (filter);
}

GST_END_TEST;

static Suite *
filter_suite (void)
{
  Suite *s = suite_create ("follow-filter");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_events);
  tcase_add_loop_test (tc, test_latency, 0, G_N_ELEMENTS (latency_rows));
  tcase_add_test (tc, test_other_query);
  tcase_add_test (tc, test_states);
  tcase_add_test (tc, test_start_fails);
  tcase_add_test (tc, test_pads_fail);
  return s;
}

GST_CHECK_MAIN (filter);
