/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "units.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

gboolean
test_run (const gchar * command)
{
  gchar *err = NULL;
  gint status;
  gboolean ok = g_spawn_command_line_sync (command, NULL, &err, &status, NULL)
      && g_spawn_check_wait_status (status, NULL);

  if (!ok)
    GST_INFO ("%s: %s", command, err);
  g_free (err);
  return ok;
}

static void
clear_unit (gpointer unit)
{
  gst_clear_buffer ((GstBuffer **) unit);
}

GArray *
test_load_units (const gchar * codec, const gchar * path, const gchar * format,
    guint unit_size, GstCaps ** caps)
{
  GArray *units = g_array_new (FALSE, TRUE, unit_size);
  gchar *launch = g_strdup_printf ("%sparse ! capsfilter "
      "caps=video/x-%s,stream-format=%s,alignment=au", codec, codec, format);
  gchar *in = g_strdup_printf ("video/x-%s,stream-format=byte-stream", codec);
  GstHarness *harness = gst_harness_new_parse (launch);
  GstBuffer *buffer;
  gchar *data;
  gsize size;

  g_array_set_clear_func (units, clear_unit);
  fail_unless (g_file_get_contents (path, &data, &size, NULL));
  gst_harness_set_src_caps_str (harness, in);
  fail_unless_equals_int (gst_harness_push (harness,
          gst_buffer_new_wrapped (data, size)), GST_FLOW_OK);
  gst_harness_push_event (harness, gst_event_new_eos ());
  while ((buffer = gst_harness_try_pull (harness))) {
    g_array_set_size (units, units->len + 1);
    *(GstBuffer **) (units->data + (gsize) (units->len - 1) * unit_size) =
        buffer;
  }
  *caps = gst_pad_get_current_caps (harness->sinkpad);
  gst_harness_teardown (harness);
  g_free (launch);
  g_free (in);
  return units;
}
