/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
/* Every element of ours, with its default properties, goes up and down the
 * states without failing, hanging or leaking. argv: the plugins that were
 * built, each of which must be found and offer an element. */
#include <gst/check/gstcheck.h>

#define PACKAGE_NAME "gst-psp"
#define CYCLES 5

static gchar **built_plugins;
static GPtrArray *element_names;

static void
add_elements (GstPlugin * plugin)
{
  GList *features, *l;

  features = gst_registry_get_feature_list_by_plugin (gst_registry_get (),
      gst_plugin_get_name (plugin));
  for (l = features; l; l = l->next)
    if (GST_IS_ELEMENT_FACTORY (l->data))
      g_ptr_array_add (element_names,
          g_strdup (gst_plugin_feature_get_name (l->data)));
  gst_plugin_feature_list_free (features);
}

static void
find_elements (void)
{
  GList *plugins = gst_registry_get_plugin_list (gst_registry_get ()), *l;

  element_names = g_ptr_array_new_with_free_func (g_free);
  for (l = plugins; l; l = l->next)
    if (g_str_equal (gst_plugin_get_package (l->data), PACKAGE_NAME))
      add_elements (l->data);
  gst_plugin_list_free (plugins);
}

static const gchar *
element_name (guint i)
{
  return g_ptr_array_index (element_names, i);
}

static GstElement *
make_element (guint i)
{
  GstElement *element = gst_element_factory_make (element_name (i), NULL);

  fail_unless (element != NULL, "%s cannot be made", element_name (i));
  return gst_object_ref_sink (element);
}

/* A sink waits in PAUSED for data that never comes: ASYNC is right then. */
static void
change_state (GstElement * element, GstState state)
{
  GstStateChangeReturn ret = gst_element_set_state (element, state);

  fail_if (ret == GST_STATE_CHANGE_FAILURE, "%s does not go to %s",
      GST_OBJECT_NAME (element), gst_element_state_get_name (state));
  if (state <= GST_STATE_READY)
    fail_unless (ret == GST_STATE_CHANGE_SUCCESS, "%s is not at once in %s",
        GST_OBJECT_NAME (element), gst_element_state_get_name (state));
}

static guint
count_open_files (void)
{
  GDir *dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  if (dir == NULL)
    return 0;
  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}

GST_START_TEST (test_plugin_found)
{
  GstPlugin *plugin = gst_registry_find_plugin (gst_registry_get (),
      built_plugins[__i__]);
  GList *features;

  fail_unless (plugin != NULL, "plugin %s was built but is not found",
      built_plugins[__i__]);
  fail_unless_equals_string (gst_plugin_get_package (plugin), PACKAGE_NAME);
  features = gst_registry_get_feature_list_by_plugin (gst_registry_get (),
      built_plugins[__i__]);
  fail_unless (features != NULL, "plugin %s is empty", built_plugins[__i__]);
  gst_plugin_feature_list_free (features);
  gst_object_unref (plugin);
}

GST_END_TEST;

/* One process holds them all, as an application does. A type that two plugins
 * register, or a name that two define, would be a critical warning, which is
 * fatal here. Other tests are processes of their own, with one element each. */
GST_START_TEST (test_all_together)
{
  GPtrArray *elements = g_ptr_array_new_with_free_func (gst_object_unref);

  for (guint i = 0; built_plugins[i]; i++) {
    GstPlugin *plugin = gst_plugin_load_by_name (built_plugins[i]);

    fail_unless (plugin != NULL, "%s is not loaded", built_plugins[i]);
    fail_unless (gst_plugin_is_loaded (plugin));
    gst_object_unref (plugin);
  }
  for (guint i = 0; i < element_names->len; i++)
    g_ptr_array_add (elements, make_element (i));
  for (guint i = 0; i < elements->len; i++)
    change_state (elements->pdata[i], GST_STATE_READY);
  for (guint i = 0; i < elements->len; i++)
    change_state (elements->pdata[i], GST_STATE_NULL);
  g_ptr_array_unref (elements);
}

GST_END_TEST;

GST_START_TEST (test_unused)
{
  GstElement *element = make_element (__i__);

  gst_check_object_destroyed_on_unref (element);
}

GST_END_TEST;

/* Sockets and poll sets must close on the way down. A single one may come late,
 * from a thread of GLib's; one a cycle is a leak. */
GST_START_TEST (test_cycles)
{
  static const GstState states[] = {
    GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL,
    GST_STATE_PAUSED, GST_STATE_NULL,
    GST_STATE_READY, GST_STATE_NULL,
  };
  GstElement *element = make_element (__i__);
  guint cycle, i, before = 0, after;

  for (cycle = 0; cycle <= CYCLES; cycle++) {
    for (i = 0; i < G_N_ELEMENTS (states); i++)
      change_state (element, states[i]);
    if (cycle == 0)
      before = count_open_files ();
  }
  after = count_open_files ();
  fail_unless (after < before + CYCLES, "%s leaks files: %u, then %u",
      element_name (__i__), before, after);
  gst_check_object_destroyed_on_unref (element);
}

GST_END_TEST;

static void
fail_on_error (GstElement * pipeline, const gchar * name)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;

  if (message)
    gst_message_parse_error (message, &error, NULL);
  fail_unless (message == NULL, "%s posts: %s", name, error->message);
  gst_object_unref (bus);
}

/* In a pipeline, which provides clock and bus, and up to PLAYING. */
GST_START_TEST (test_pipeline)
{
  static const GstState states[] = {
    GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PAUSED,
    GST_STATE_READY, GST_STATE_NULL,
  };
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *element = make_element (__i__);
  guint cycle, i;

  gst_bin_add (GST_BIN (pipeline), element);
  for (cycle = 0; cycle < 2; cycle++)
    for (i = 0; i < G_N_ELEMENTS (states); i++) {
      change_state (pipeline, states[i]);
      fail_on_error (pipeline, element_name (__i__));
    }
  gst_check_object_destroyed_on_unref (pipeline);
  gst_check_object_destroyed_on_unref (element);
}

GST_END_TEST;

static Suite *
states_suite (void)
{
  Suite *s = suite_create ("states");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_plugin_found, 0, g_strv_length (built_plugins));
  tcase_add_test (tc, test_all_together);
  tcase_add_loop_test (tc, test_unused, 0, element_names->len);
  tcase_add_loop_test (tc, test_cycles, 0, element_names->len);
  tcase_add_loop_test (tc, test_pipeline, 0, element_names->len);
  return s;
}

int
main (int argc, char **argv)
{
  int failed;
  guint i;

  gst_check_init (&argc, &argv);
  built_plugins = argv + 1;
  find_elements ();
  if (built_plugins[0] == NULL && element_names->len == 0) {
    g_print ("skipped: no plugin was built\n");
    g_ptr_array_unref (element_names);
    return 77;
  }
  for (i = 0; i < element_names->len; i++)
    g_print ("element %s\n", element_name (i));
  failed = gst_check_run_suite (states_suite (), "states", __FILE__);
  g_ptr_array_unref (element_names);
  return failed;
}
