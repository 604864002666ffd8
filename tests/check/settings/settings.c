/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Each kind of member: its default, another value, a copy of its own; a warning.
 */
#include <stdbool.h>
#include <gst/check/gstcheck.h>
#include <settings/settings.h>

typedef struct
{
  gboolean truth;
  bool small_truth;
  guint8 behind;                /* not to be touched */
  gint number;
  guint positive;
  gint64 large;
  gdouble fraction;
  GstState choice;
  guint flags;
  gchar *text;
  GstObject *object;
} Settings;

#define FIELD(id, kind, member) GST_SETTINGS_FIELD (id, kind, Settings, member)

static const GstSettingsField fields[] = {
  FIELD (1, BOOLEAN, truth),
  FIELD (2, BOOLEAN, small_truth),
  FIELD (3, INT, number),
  FIELD (4, UINT64, large),
  FIELD (5, DOUBLE, fraction),
  FIELD (6, ENUM, choice),
  FIELD (7, FLAGS, flags),
  FIELD (8, STRING, text),
  FIELD (9, OBJECT, object),
  FIELD (10, UINT, positive),
  {0, 0, 0, 0}
};

#define N_FIELDS 10

static void
make_specs (GParamSpec * specs[1 + N_FIELDS])
{
  const GParamFlags rw = G_PARAM_READWRITE;

  specs[1] = g_param_spec_boolean ("a", NULL, NULL, TRUE, rw);
  specs[2] = g_param_spec_boolean ("b", NULL, NULL, TRUE, rw);
  specs[3] = g_param_spec_int ("c", NULL, NULL, -9, 9, -3, rw);
  specs[4] = g_param_spec_uint64 ("d", NULL, NULL, 0, G_MAXUINT64,
      G_GUINT64_CONSTANT (1) << 40, rw);
  specs[5] = g_param_spec_double ("e", NULL, NULL, 0, 1, 0.25, rw);
  specs[6] = g_param_spec_enum ("f", NULL, NULL, GST_TYPE_STATE,
      GST_STATE_PAUSED, rw);
  specs[7] = g_param_spec_flags ("g", NULL, NULL, GST_TYPE_SEEK_FLAGS,
      GST_SEEK_FLAG_FLUSH, rw);
  specs[8] = g_param_spec_string ("h", NULL, NULL, "text", rw);
  specs[9] = g_param_spec_object ("i", NULL, NULL, GST_TYPE_OBJECT, rw);
  specs[10] = g_param_spec_uint ("j", NULL, NULL, 0, G_MAXUINT, 7, rw);
  for (guint i = 1; i <= N_FIELDS; i++)
    g_param_spec_ref_sink (specs[i]);
}

/* As text; an object as its name. */
static void
fail_unless_is (const Settings * s, GParamSpec * spec, guint id,
    const gchar * expected)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (spec));
  fail_unless (gst_settings_get (fields, s, id, &value));
  if (G_VALUE_HOLDS_OBJECT (&value))
    text = g_strdup (g_value_get_object (&value) ?
        GST_OBJECT_NAME (g_value_get_object (&value)) : "NULL");
  else
    text = gst_value_serialize (&value);
  fail_unless_equals_string (text, expected);
  g_free (text);
  g_value_unset (&value);
}

static void
set_text (Settings * s, GParamSpec * spec, guint id, const gchar * text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (spec));
  if (G_VALUE_HOLDS_OBJECT (&value))
    g_value_take_object (&value, g_object_ref_sink (gst_bin_new (text)));
  else
    fail_unless (gst_value_deserialize (&value, text));
  fail_unless (gst_settings_set (fields, s, id, &value));
  g_value_unset (&value);
}

static const struct
{
  const gchar *initial, *other;
} rows[1 + N_FIELDS] = {
  [1] = {"true", "false"},
  [2] = {"true", "false"},
  [3] = {"-3", "7"},
  [4] = {"1099511627776", "5"},
  [5] = {"0.25", "0.75"},
  [6] = {"paused", "playing"},
  [7] = {"GST_SEEK_FLAG_FLUSH", "GST_SEEK_FLAG_ACCURATE"},
  [8] = {"text", "other"},
  [9] = {"NULL", "bin"},
  [10] = {"7", "9"},
};

GST_START_TEST (test_fields)
{
  Settings s = {.behind = 0xa5 }, copy;
  GParamSpec *specs[1 + N_FIELDS];
  GValue none = G_VALUE_INIT;
  GstObject *object;

  make_specs (specs);
  gst_settings_init (fields, &s, specs);
  for (guint i = 1; i <= N_FIELDS; i++)
    fail_unless_is (&s, specs[i], i, rows[i].initial);
  for (guint i = 1; i <= N_FIELDS; i++)
    set_text (&s, specs[i], i, rows[i].other);
  copy = s;
  gst_settings_dup (fields, &copy);
  object = s.object;
  ASSERT_OBJECT_REFCOUNT (object, "object", 2);
  gst_settings_clear (fields, &s);
  fail_unless (s.text == NULL && s.object == NULL);
  for (guint i = 1; i <= N_FIELDS; i++)
    fail_unless_is (&copy, specs[i], i, rows[i].other);
  fail_unless_equals_int (copy.behind, 0xa5);
  ASSERT_OBJECT_REFCOUNT (object, "object", 1);
  gst_settings_clear (fields, &copy);

  fail_if (gst_settings_set (fields, &s, 1 + N_FIELDS, &none));
  fail_if (gst_settings_get (fields, &s, 1 + N_FIELDS, &none));
  for (guint i = 1; i <= N_FIELDS; i++)
    g_param_spec_unref (specs[i]);
}

GST_END_TEST;

GST_START_TEST (test_warn)
{
  GstElement *bin = gst_bin_new (NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error = NULL;

  gst_element_set_bus (bin, bus);
  gst_settings_warn (bin, NULL);
  fail_if (gst_bus_have_pending (bus));
  gst_settings_warn (bin, g_error_new_literal (GST_STREAM_ERROR,
          GST_STREAM_ERROR_FORMAT, "That is %s."));
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_SETTINGS));
  fail_unless_equals_string (error->message, "That is %s.");
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_bus (bin, NULL);
  gst_object_unref (bus);
  gst_object_unref (bin);
}

GST_END_TEST;

static Suite *
settings_suite (void)
{
  Suite *s = suite_create ("settings");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_fields);
  tcase_add_test (tc, test_warn);
  return s;
}

GST_CHECK_MAIN (settings);
