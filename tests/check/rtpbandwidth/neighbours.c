/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Another plugin has an rtpgccbwe, too: the name is its, in whatever order they
 * were found, and the log says so.
 */
#include <gst/check/gstcheck.h>

#include <glib/gstdio.h>

static gboolean told;

static void
on_log (GstDebugCategory * category, GstDebugLevel level, const gchar * file,
    const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer data)
{
  const gchar *text = gst_debug_message_get (message);

  (void) category;
  (void) file;
  (void) function;
  (void) line;
  (void) object;
  (void) data;
  told |= level == GST_LEVEL_WARNING && text && strstr (text, "rtpgccbwe")
      && strstr (text, "plugin other");
}

GST_START_TEST (the_name_is_the_other_plugins)
{
  GstElementFactory *factory = gst_element_factory_find ("rtpgccbwe");
  GstElement *ours;

  fail_unless (factory != NULL);
  fail_unless_equals_string (gst_plugin_feature_get_plugin_name
      (GST_PLUGIN_FEATURE (factory)), "other");
  gst_object_unref (factory);

  gst_debug_set_default_threshold (GST_LEVEL_WARNING);
  gst_debug_add_log_function (on_log, NULL, NULL);
  ours = gst_element_factory_make ("rtpbandwidth", NULL);
  fail_unless (ours != NULL);
  gst_object_unref (ours);
  gst_debug_remove_log_function (on_log);
  /* Where this process looked for plugins, ours was loaded then. */
  if (g_strcmp0 (g_getenv ("GST_REGISTRY_FORK"), "no") == 0)
    g_print ("the log is not looked at: GST_REGISTRY_FORK=no\n");
  else
    fail_unless (told);

  factory = gst_element_factory_find ("rtpgccbwe");
  fail_unless_equals_string (gst_plugin_feature_get_plugin_name
      (GST_PLUGIN_FEATURE (factory)), "other");
  gst_object_unref (factory);
}

GST_END_TEST;

static Suite *
neighbours_suite (void)
{
  Suite *s = suite_create ("rtpbandwidth-neighbours");
  TCase *t = tcase_create ("neighbours");

  suite_add_tcase (s, t);
  tcase_add_test (t, the_name_is_the_other_plugins);
  return s;
}

/* Without what an earlier run knew: of a plugin that was built again since, GStreamer
 * takes the features last. */
int
main (int argc, char **argv)
{
  g_remove (g_getenv ("GST_REGISTRY"));
  gst_check_init (&argc, &argv);
  return gst_check_run_suite (neighbours_suite (), "neighbours", __FILE__);
}
