/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Runs a source into a fakesink until nothing has come for a second and says
 * in one line of JSON what a received packet cost: CPU of the whole process.
 *
 *   psp-take --source 'pspsrc port=5004 caps=application/x-rtp'
 */
#include <sys/resource.h>
#include <gst/gst.h>

static gchar *source_description;
static const GOptionEntry entries[] = {
  {"source", 0, 0, G_OPTION_ARG_STRING, &source_description,
      "launch description of the source", "DESCRIPTION"},
  {NULL, 0, 0, 0, NULL, NULL, NULL}
};

static gint taken;

static gdouble
cpu_seconds (void)
{
  struct rusage r;

  getrusage (RUSAGE_SELF, &r);
  return r.ru_utime.tv_sec + r.ru_stime.tv_sec +
      (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
}

static GstPadProbeReturn
count (GstPad * pad G_GNUC_UNUSED, GstPadProbeInfo * info,
    gpointer data G_GNUC_UNUSED)
{
  gint n = 1;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    n = gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  g_atomic_int_add (&taken, n);
  return GST_PAD_PROBE_OK;
}

int
main (int argc, char *argv[])
{
  GError *error = NULL;
  GOptionContext *context = g_option_context_new ("- measure a source");
  GstElement *pipeline, *sink;
  GstPad *pad;
  gchar *description;
  gdouble cpu, start = 0;
  gint before = 0, now;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) ||
      !source_description) {
    g_printerr ("%s\n", error ? error->message : "--source is needed");
    return 2;
  }
  description = g_strdup_printf ("%s ! fakesink name=out sync=false",
      source_description);
  pipeline = gst_parse_launch (description, &error);
  if (!pipeline) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, count, NULL,
      NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_print ("ready\n");
  start = cpu_seconds ();
  cpu = start;
  for (;;) {
    g_usleep (G_USEC_PER_SEC / 2);
    now = g_atomic_int_get (&taken);
    if (now == before && now > 0)
      break;
    if (now > before)
      cpu = cpu_seconds ();
    before = now;
  }
  g_print ("{\"packets\": %d, \"cpu_us\": %.4f}\n", now,
      (cpu - start) * 1e6 / now);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  g_free (description);
  g_option_context_free (context);
  return 0;
}
