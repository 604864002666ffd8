/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * pspsink's property controller-params: the parameters of all controllers, and
 * the properties that are other names of some.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#define CAPS "application/x-rtp, media=video, clock-rate=90000, " \
    "encoding-name=X, payload=96"

static GstElement *sink;
static GstBus *bus;

static void
setup (void)
{
  sink = gst_element_factory_make ("pspsink", NULL);
  bus = gst_bus_new ();
  gst_element_set_bus (sink, bus);
}

static void
teardown (void)
{
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_element_set_bus (sink, NULL);
  gst_object_unref (bus);
  gst_object_unref (sink);
}

static void
set_params (const gchar * text)
{
  GstStructure *params = text ? gst_structure_from_string (text, NULL) : NULL;

  fail_unless (!text || params);
  g_object_set (sink, "controller-params", params, NULL);
  if (params)
    gst_structure_free (params);
}

/* −1: not set. */
static gdouble
get_param (const gchar * name)
{
  GstStructure *params;
  gdouble value = -1;

  g_object_get (sink, "controller-params", &params, NULL);
  gst_structure_get_double (params, name, &value);
  gst_structure_free (params);
  return value;
}

static guint64
get_spacing (void)
{
  guint64 spacing;

  g_object_get (sink, "spacing", &spacing, NULL);
  return spacing;
}

/* The property as text: "< (guint64)1, … >". */
static gchar *
get_scale_bitrates (void)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_value_init (&value, GST_TYPE_ARRAY);
  g_object_get_property (G_OBJECT (sink), "scale-bitrates", &value);
  text = gst_value_serialize (&value);
  g_value_unset (&value);
  return text;
}

static void
check_scale_bitrates (const gchar * expected)
{
  gchar *text = get_scale_bitrates ();

  fail_unless_equals_string (text, expected);
  g_free (text);
}

/* One warning, with both words in it. */
static void
check_warning (const gchar * one, const gchar * other)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  GError *error;

  fail_unless (message != NULL, "no warning of %s", one);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, one) && strstr (error->message, other),
      "%s", error->message);
  fail_unless (error->domain == GST_RESOURCE_ERROR &&
      error->code == GST_RESOURCE_ERROR_SETTINGS);
  g_error_free (error);
  gst_message_unref (message);
  fail_if (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));
}

static void
check_no_warning (void)
{
  fail_if (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));
}

GST_START_TEST (test_other_names)
{
  fail_unless (get_param ("period") == -1);
  fail_unless_equals_uint64 (get_spacing (), 1500 * GST_USECOND);
  set_params ("params, period=2000000");
  fail_unless_equals_uint64 (get_spacing (), 2 * GST_MSECOND);
  g_object_set (sink, "spacing", 3 * GST_MSECOND, NULL);
  fail_unless (get_param ("period") == 3e6);
  /* The longest there is. */
  g_object_set (sink, "spacing", (guint64) G_MAXINT64, NULL);
  fail_unless_equals_uint64 (get_spacing (), 3600 * GST_SECOND);

  check_scale_bitrates ("<  >");
  gst_util_set_object_arg (G_OBJECT (sink), "scale-bitrates",
      "<1, 2, 3, 4, 5>");
  fail_unless (get_param ("scale-4-bitrate") == 5);
  set_params ("params, scale-2-bitrate=33, scale-3-bitrate=44.0, "
      "scale-4-bitrate=(guint64)5000000000");
  check_scale_bitrates ("< (guint64)1, (guint64)2, (guint64)33, (guint64)44, "
      "(guint64)5000000000 >");
  /* What was not named stays, and so does the other controller's. */
  fail_unless_equals_uint64 (get_spacing (), 3600 * GST_SECOND);
  set_params (NULL);
  fail_unless_equals_uint64 (get_spacing (), 1500 * GST_USECOND);
  check_scale_bitrates ("<  >");
  check_no_warning ();
}

GST_END_TEST;

/* *INDENT-OFF* */
static const struct
{
  const gchar *params, *field, *range;
} refused[] = {
  {"params, period=3000000, perod=1", "\"perod\"", "period (fixed, ns"},
  {"params, period=-1", "\"period\"", "from 0 to 3600000000000"},
  {"params, period=3600000000001.0", "\"period\"", "from 0 to 3600000000000"},
  {"params, period=fast", "\"period\"", "from 0 to 3600000000000 ns"},
  {"params, period=true", "\"period\"", "from 0 to 3600000000000 ns"},
  {"params, scale-0-bitrate=7, scale-1-bitrate=-7", "\"scale-1-bitrate\"",
      "from 0 to 1000000000000 bit/s"},
};
/* *INDENT-ON* */

GST_START_TEST (test_refused)
{
  set_params ("params, period=2000000, scale-0-bitrate=9");
  set_params (refused[__i__].params);
  check_warning (refused[__i__].field, refused[__i__].range);
  fail_unless_equals_uint64 (get_spacing (), 2 * GST_MSECOND);
  fail_unless (get_param ("scale-0-bitrate") == 9);
}

GST_END_TEST;

GST_START_TEST (test_scale_bitrates_refused)
{
  gst_util_set_object_arg (G_OBJECT (sink), "scale-bitrates",
      "<1, 2, 2, 4, 5>");
  check_warning ("scale-bitrates", "5 ascending");
  gst_util_set_object_arg (G_OBJECT (sink), "scale-bitrates", "<1>");
  check_warning ("scale-bitrates", "5 ascending");
  check_scale_bitrates ("<  >");
}

GST_END_TEST;

static guint64
spacing_in_force (GstElement * element)
{
  GstStructure *stats;
  guint64 spacing = 0;

  g_object_get (element, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "spacing", &spacing);
  gst_structure_free (stats);
  return spacing;
}

GST_START_TEST (test_while_playing)
{
  GstHarness *h;

  set_params ("params, period=2000000");
  g_object_set (sink, "controller", "fixed", NULL);
  h = gst_harness_new_with_element (sink, "sink", NULL);
  gst_harness_set_src_caps_str (h, CAPS);
  fail_unless_equals_uint64 (spacing_in_force (sink), 2 * GST_MSECOND);
  set_params ("params, period=4000000");
  fail_unless_equals_uint64 (spacing_in_force (sink), 4 * GST_MSECOND);
  g_object_set (sink, "spacing", 5 * GST_MSECOND, NULL);
  fail_unless_equals_uint64 (spacing_in_force (sink), 5 * GST_MSECOND);
  /* Of another controller: kept for it, and nothing to this one. */
  set_params ("params, scale-4-bitrate=7000000");
  fail_unless_equals_uint64 (spacing_in_force (sink), 5 * GST_MSECOND);
  g_object_set (sink, "controller", "scp", NULL);
  set_params ("params, period=6000000");
  g_object_set (sink, "controller", "fixed", NULL);
  fail_unless_equals_uint64 (spacing_in_force (sink), 6 * GST_MSECOND);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_as_text)
{
  GstElement *other = gst_parse_launch ("pspsink controller=fixed "
      "controller-params=\"params,period=2000000\"", NULL);
  guint64 spacing;

  fail_unless (other != NULL);
  g_object_get (other, "spacing", &spacing, NULL);
  fail_unless_equals_uint64 (spacing, 2 * GST_MSECOND);
  gst_object_unref (other);

  g_object_set (sink, "uri", "psp://127.0.0.1:5004?controller=fixed&"
      "controller-params=params,period=7000000", NULL);
  fail_unless_equals_uint64 (get_spacing (), 7 * GST_MSECOND);
  check_no_warning ();
}

GST_END_TEST;

/* What was refused before anybody could be told, as gst-launch-1.0 sets
 * properties, is told at the start. */
GST_START_TEST (test_refused_before_start)
{
  gst_element_set_bus (sink, NULL);
  gst_util_set_object_arg (G_OBJECT (sink), "scale-bitrates",
      "<5, 4, 3, 2, 1>");
  gst_element_set_bus (sink, bus);
  check_no_warning ();
  for (guint i = 0; i < 2; i++) {
    gst_element_set_state (sink, GST_STATE_PAUSED);
    if (i == 0)
      check_warning ("scale-bitrates", "5 ascending");
    gst_element_set_state (sink, GST_STATE_READY);
  }
  check_no_warning ();
}

GST_END_TEST;

/* Limits that contradict each other; they may be set in any order before the
 * start. */
static const struct
{
  guint64 min, start, max;
  gboolean ok;
} limits[] = {
  {0, 0, 0, TRUE},
  {1000, 0, 0, TRUE},
  {1000, 0, 1000, TRUE},
  {1000, 1000, 1000, TRUE},
  {0, 2000, 1000, FALSE},
  {2000, 1000, 0, FALSE},
  {2000, 0, 1000, FALSE},
};

GST_START_TEST (test_limits)
{
  g_object_set (sink, "min-target-bitrate", limits[__i__].min,
      "start-target-bitrate", limits[__i__].start,
      "max-target-bitrate", limits[__i__].max, NULL);
  check_no_warning ();
  gst_element_set_state (sink, GST_STATE_PAUSED);
  if (!limits[__i__].ok)
    check_warning ("contradict each other", "ascending order");
  check_no_warning ();
}

GST_END_TEST;

/* Once it runs, the start is past. What is set together is judged together. */
GST_START_TEST (test_limits_while_playing)
{
  g_object_set (sink, "start-target-bitrate", (guint64) 900000,
      "max-target-bitrate", (guint64) 1000000, NULL);
  gst_element_set_state (sink, GST_STATE_PAUSED);
  g_object_set (sink, "max-target-bitrate", (guint64) 500000, NULL);
  check_no_warning ();
  g_object_set (sink, "min-target-bitrate", (guint64) 2000000,
      "max-target-bitrate", (guint64) 4000000, NULL);
  check_no_warning ();
  g_object_set (sink, "uri", "psp://127.0.0.1:5004?min-target-bitrate=5000000"
      "&max-target-bitrate=6000000", NULL);
  check_no_warning ();
  g_object_set (sink, "max-target-bitrate", (guint64) 1000000, NULL);
  check_warning ("contradict each other", "ascending order");
  g_object_set (sink, "uri", "psp://127.0.0.1:5004?min-target-bitrate=5000"
      "&max-target-bitrate=4000&start-target-bitrate=6000", NULL);
  check_warning ("contradict each other", "ascending order");
}

GST_END_TEST;

/* gst-inspect shows what there is. */
GST_START_TEST (test_described)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (sink),
      "controller-params");

  fail_unless (strstr (g_param_spec_get_blurb (spec),
          "period (fixed, ns, 0 to 3600000000000, default 1500000)") != NULL,
      "%s", g_param_spec_get_blurb (spec));
  fail_unless (spec->flags & GST_PARAM_MUTABLE_PLAYING);
}

GST_END_TEST;

static Suite *
parameters_suite (void)
{
  Suite *s = suite_create ("parameters");
  TCase *tc = tcase_create ("parameters");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_other_names);
  tcase_add_loop_test (tc, test_refused, 0, G_N_ELEMENTS (refused));
  tcase_add_test (tc, test_scale_bitrates_refused);
  tcase_add_test (tc, test_while_playing);
  tcase_add_test (tc, test_as_text);
  tcase_add_test (tc, test_refused_before_start);
  tcase_add_loop_test (tc, test_limits, 0, G_N_ELEMENTS (limits));
  tcase_add_test (tc, test_limits_while_playing);
  tcase_add_test (tc, test_described);
  return s;
}

GST_CHECK_MAIN (parameters);
