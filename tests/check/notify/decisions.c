/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What reaches the pipeline when decisions come faster than it takes them.
 */
#include <gst/check/gstcheck.h>
#include <notify/notifier.h>

#define MAX_PASSED 8
/* What is recorded of a decision without a target. */
#define NO_TARGET G_MAXUINT64

/* Upstream, which holds up the first event until the gate opens. */
typedef struct
{
  GMutex lock;
  GCond cond;
  gboolean open;
  guint entered;
  guint n;
  guint64 targets[MAX_PASSED];
  guint counts[MAX_PASSED];
} Upstream;

static Upstream upstream;

static gboolean
upstream_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstCongestionInfo *info;

  if (!gst_is_congestion_event (event))
    return gst_pad_event_default (pad, parent, event);
  fail_unless (gst_congestion_event_parse (event, &info));
  gst_event_unref (event);
  g_mutex_lock (&upstream.lock);
  upstream.entered++;
  g_cond_broadcast (&upstream.cond);
  while (!upstream.open)
    g_cond_wait (&upstream.cond, &upstream.lock);
  fail_unless (upstream.n < MAX_PASSED);
  if (!gst_congestion_info_get_target_bitrate (info,
          &upstream.targets[upstream.n]))
    upstream.targets[upstream.n] = NO_TARGET;
  upstream.counts[upstream.n] = gst_congestion_info_get_count (info);
  upstream.n++;
  g_cond_broadcast (&upstream.cond);
  g_mutex_unlock (&upstream.lock);
  gst_congestion_info_free (info);
  return TRUE;
}

static void
decide (GstNotifier * n, gint64 target)
{
  GstCongestionInfo *info =
      gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);

  if (target >= 0)
    gst_congestion_info_set_target_bitrate (info, (guint64) target);
  gst_notifier_replace (n, info);
}

/* The first is passed on at once; while its handler is busy come the others. */
static const struct
{
  gint64 start;
  gint64 others[6];             /* 0-terminated; −1 = no target */
  guint64 passed[6];            /* after the first, 0-terminated */
} rows[] = {
  {1000, {0}, {0}},
  {1000, {2000, 3000, 0}, {3000, 0}},
  {1000, {500, 0}, {500, 0}},
  /* A decrease that is taken back is passed on all the same, … */
  {1000, {500, 800, 0}, {500, 800, 0}},
  {1000, {500, 2000, 3000, 0}, {500, 3000, 0}},
  /* … the lowest one, … */
  {1000, {800, 500, 600, 700, 0}, {500, 700, 0}},
  {1000, {500, 900, 400, 700, 0}, {400, 700, 0}},
  /* … unless it ends lower still. */
  {1000, {500, 700, 300, 0}, {300, 0}},
  /* Less than what has not been passed on is no decrease. */
  {1000, {3000, 2000, 2500, 0}, {2500, 0}},
  /* No target is no lower one. */
  {1000, {500, -1, 0}, {500, NO_TARGET, 0}},
};

static guint
length (const guint64 * list)
{
  guint n = 0;

  while (list[n])
    n++;
  return n;
}

static guint n_notified;

static void
on_notify (void)
{
  g_atomic_int_inc (&n_notified);
}

static void
wait_for_count (GstNotifier * n, guint count)
{
  while (gst_notifier_count (n) < count)
    g_thread_yield ();
}

/* While it is held the estimate does not notify, and the decisions are delivered
 * all the same; then it does, once. */
GST_START_TEST (test_held_estimate)
{
  GstElement *element = gst_bin_new (NULL);
  GstPad *sink = gst_pad_new ("sink", GST_PAD_SINK);
  GstNotifier *notifier = gst_notifier_new (element, sink,
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), "name"));

  n_notified = 0;
  g_signal_connect (element, "notify::name", G_CALLBACK (on_notify), NULL);
  gst_pad_set_active (sink, TRUE);
  gst_notifier_hold_estimate (notifier, TRUE);
  gst_notifier_start (notifier);
  decide (notifier, 1000);
  wait_for_count (notifier, 1);
  decide (notifier, 2000);
  wait_for_count (notifier, 2);
  fail_unless_equals_int (g_atomic_int_get (&n_notified), 0);
  gst_notifier_hold_estimate (notifier, FALSE);
  while (g_atomic_int_get (&n_notified) < 1)
    g_thread_yield ();
  gst_notifier_hold_estimate (notifier, FALSE);
  decide (notifier, 2000);
  wait_for_count (notifier, 3);
  decide (notifier, 3000);
  while (g_atomic_int_get (&n_notified) < 2)
    g_thread_yield ();
  gst_notifier_stop (notifier);
  fail_unless_equals_int (g_atomic_int_get (&n_notified), 2);
  gst_object_unref (sink);
  gst_object_unref (element);
}

GST_END_TEST;

GST_START_TEST (test_newest_wins)
{
  GstElement *element = gst_bin_new (NULL);
  GstPad *src = gst_pad_new ("src", GST_PAD_SRC);
  GstPad *sink = gst_pad_new ("sink", GST_PAD_SINK);
  guint n = length (rows[__i__].passed);
  guint64 last = n ? rows[__i__].passed[n - 1] : (guint64) rows[__i__].start;
  GstNotifier *notifier;
  GParamSpec *pspec;

  memset (&upstream, 0, sizeof upstream);
  gst_pad_set_event_function (src, upstream_event);
  gst_pad_set_active (src, TRUE);
  gst_pad_set_active (sink, TRUE);
  fail_unless (gst_pad_link (src, sink) == GST_PAD_LINK_OK);
  pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), "name");
  notifier = gst_notifier_new (element, sink, pspec);
  gst_notifier_start (notifier);

  decide (notifier, rows[__i__].start);
  g_mutex_lock (&upstream.lock);
  while (!upstream.entered)
    g_cond_wait (&upstream.cond, &upstream.lock);
  g_mutex_unlock (&upstream.lock);
  for (guint i = 0; rows[__i__].others[i]; i++)
    decide (notifier, rows[__i__].others[i]);

  g_mutex_lock (&upstream.lock);
  upstream.open = TRUE;
  g_cond_broadcast (&upstream.cond);
  while (upstream.n < 1 + n)
    g_cond_wait (&upstream.cond, &upstream.lock);
  g_mutex_unlock (&upstream.lock);
  fail_unless_equals_int (gst_notifier_count (notifier), 1 + n);
  fail_unless_equals_int (gst_notifier_estimate (notifier),
      last == NO_TARGET ? 0 : last);
  gst_notifier_stop (notifier);

  fail_unless_equals_int (upstream.n, 1 + n);
  for (guint i = 0; i < n; i++)
    fail_unless_equals_uint64 (upstream.targets[1 + i], rows[__i__].passed[i]);
  for (guint i = 0; i < upstream.n; i++)
    fail_unless_equals_int (upstream.counts[i], i + 1);
  gst_object_unref (src);
  gst_object_unref (sink);
  gst_object_unref (element);
}

GST_END_TEST;

static void
await_upstream (guint n)
{
  g_mutex_lock (&upstream.lock);
  while (upstream.n < n)
    g_cond_wait (&upstream.cond, &upstream.lock);
  g_mutex_unlock (&upstream.lock);
}

/* What was decided while nobody upstream was active yet comes again with the first
 * packet, and with that of another stream; at no other. */
GST_START_TEST (test_missed)
{
  static const guint64 passed[] = { 1000, 1000, 2000, 3000 };
  GstElement *element = gst_bin_new (NULL);
  GstPad *src = gst_pad_new ("src", GST_PAD_SRC);
  GstPad *sink = gst_pad_new ("sink", GST_PAD_SINK);
  GstBus *bus = gst_bus_new ();
  GstNotifier *notifier;

  memset (&upstream, 0, sizeof upstream);
  upstream.open = TRUE;
  gst_element_set_bus (element, bus);
  gst_pad_set_event_function (src, upstream_event);
  gst_pad_set_active (sink, TRUE);
  fail_unless (gst_pad_link (src, sink) == GST_PAD_LINK_OK);
  notifier = gst_notifier_new (element, sink,
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), "name"));
  gst_notifier_start (notifier);

  decide (notifier, 1000);
  gst_message_unref (gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
          GST_MESSAGE_ELEMENT));
  gst_pad_set_active (src, TRUE);
  gst_notifier_stream (notifier, TRUE);
  await_upstream (1);
  gst_notifier_stream (notifier, TRUE);
  gst_notifier_stream (notifier, FALSE);
  gst_notifier_stream (notifier, TRUE);
  await_upstream (2);
  gst_notifier_stream (notifier, TRUE);
  decide (notifier, 2000);
  await_upstream (3);
  decide (notifier, 3000);
  await_upstream (4);
  gst_notifier_stop (notifier);
  for (guint i = 0; i < G_N_ELEMENTS (passed); i++)
    fail_unless_equals_uint64 (upstream.targets[i], passed[i]);
  fail_unless_equals_int (upstream.n, G_N_ELEMENTS (passed));
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (src);
  gst_object_unref (sink);
  gst_object_unref (element);
}

GST_END_TEST;

/* A handler may end the session. */
static gboolean
stop_from_handler (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstNotifier **notifier = pad->eventdata;

  if (!gst_is_congestion_event (event))
    return gst_pad_event_default (pad, parent, event);
  gst_event_unref (event);
  gst_notifier_stop (*notifier);
  g_mutex_lock (&upstream.lock);
  upstream.n = 1;
  g_cond_broadcast (&upstream.cond);
  g_mutex_unlock (&upstream.lock);
  return TRUE;
}

GST_START_TEST (test_stop_from_handler)
{
  GstElement *element = gst_bin_new (NULL);
  GstPad *src = gst_pad_new ("src", GST_PAD_SRC);
  GstPad *sink = gst_pad_new ("sink", GST_PAD_SINK);
  GstNotifier *notifier;

  memset (&upstream, 0, sizeof upstream);
  gst_pad_set_event_function_full (src, stop_from_handler, &notifier, NULL);
  gst_pad_set_active (src, TRUE);
  gst_pad_set_active (sink, TRUE);
  fail_unless (gst_pad_link (src, sink) == GST_PAD_LINK_OK);
  notifier = gst_notifier_new (element, sink,
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), "name"));
  gst_notifier_start (notifier);
  decide (notifier, 1000);
  g_mutex_lock (&upstream.lock);
  while (upstream.n == 0)
    g_cond_wait (&upstream.cond, &upstream.lock);
  g_mutex_unlock (&upstream.lock);
  gst_object_unref (src);
  gst_object_unref (sink);
  gst_object_unref (element);
}

GST_END_TEST;

static Suite *
decisions_suite (void)
{
  Suite *s = suite_create ("decisions");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_newest_wins, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_held_estimate);
  tcase_add_test (tc, test_missed);
  tcase_add_test (tc, test_stop_from_handler);
  return s;
}

GST_CHECK_MAIN (decisions);
