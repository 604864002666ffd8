/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The place of a coded picture: on a buffer, on copies of it, and through
 * GStreamer's payloaders.
 */
#include <gst/check/gstcheck.h>
#include <gst/congestion/congestion.h>

#define FLAGS (GST_CODED_PICTURE_FLAG_KEY | GST_CODED_PICTURE_FLAG_DISPOSABLE)

static void
check_meta (GstBuffer * buffer)
{
  GstCodedPictureMeta *meta = gst_buffer_get_coded_picture_meta (buffer);
  gpointer state = NULL;
  guint n = 0;

  fail_unless (meta != NULL);
  fail_unless_equals_uint64 (meta->id, 7);
  fail_unless_equals_uint64 (meta->references, 5);
  fail_unless_equals_int (meta->layer, 2);
  fail_unless_equals_int (meta->flags, FLAGS);
  while (gst_buffer_iterate_meta (buffer, &state))
    n++;
  fail_unless_equals_int (n, 1);
}

GST_START_TEST (test_copies)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 100, NULL), *copy, *part;

  fail_unless (gst_buffer_get_coded_picture_meta (buffer) == NULL);
  gst_buffer_add_coded_picture_meta (buffer, 7, 5, 2, FLAGS);
  check_meta (buffer);
  copy = gst_buffer_copy (buffer);
  check_meta (copy);
  part = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_ALL, 10, 20);
  check_meta (part);
  /* Parts put together have one place. */
  gst_buffer_copy_into (part, copy, GST_BUFFER_COPY_META, 0, -1);
  check_meta (part);
  gst_buffer_unref (part);
  gst_buffer_unref (copy);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

GST_START_TEST (test_types)
{
  const GstMetaInfo *info = GST_CODED_PICTURE_META_INFO;
  GFlagsClass *klass = g_type_class_ref (GST_TYPE_CODED_PICTURE_FLAGS);
  GFlagsValue *value = g_flags_get_value_by_nick (klass, "disposable");

  fail_unless (value && value->value == GST_CODED_PICTURE_FLAG_DISPOSABLE);
  fail_unless (gst_meta_api_type_has_tag (GST_CODED_PICTURE_META_API_TYPE,
          g_quark_from_static_string ("video")));
  fail_unless (gst_meta_get_info ("GstCodedPictureMeta") == info);
  g_type_class_unref (klass);
}

GST_END_TEST;

/* Payloaders */

typedef struct
{
  const gchar *encoder, *payloader;
  const gchar *launch;          /* what stands between */
} Chain;

static const Chain chains[] = {
  {"x264enc", "rtph264pay", "h264parse ! video/x-h264,stream-format=avc"},
  {"x264enc", "rtph264pay",
      "h264parse ! video/x-h264,stream-format=byte-stream,alignment=au"},
  {"x265enc", "rtph265pay", "h265parse ! video/x-h265,stream-format=hvc1"},
  {"x265enc", "rtph265pay",
      "h265parse ! video/x-h265,stream-format=byte-stream,alignment=au"},
};

typedef struct
{
  guint64 n_pictures;
  GArray *times;                /* of the pictures */
  guint n_packets, n_without;
} Crossing;

/* Whatever it is: its number, and that it refers to the one before. */
static GstPadProbeReturn
add_meta (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER
      (info));
  GstClockTime pts = GST_BUFFER_PTS (buffer);
  Crossing *c = data;

  (void) pad;
  /* Several buffers may make up one. */
  if (c->times->len == 0
      || g_array_index (c->times, GstClockTime, c->times->len - 1) != pts)
    g_array_append_val (c->times, pts);
  gst_buffer_add_coded_picture_meta (buffer, c->times->len - 1, 1, 0, 0);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

static gboolean
check_packet (GstBuffer ** buffer, guint i, gpointer data)
{
  const GstCodedPictureMeta *meta = gst_buffer_get_coded_picture_meta (*buffer);
  Crossing *c = data;

  (void) i;
  c->n_packets++;
  if (!meta) {
    c->n_without++;
    return TRUE;
  }
  fail_unless (meta->id < c->times->len);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (*buffer),
      g_array_index (c->times, GstClockTime, meta->id));
  fail_unless_equals_uint64 (meta->references, 1);
  c->n_pictures = meta->id + 1;
  return TRUE;
}

static GstPadProbeReturn
check_packets (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  (void) pad;
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    gst_buffer_list_foreach (GST_PAD_PROBE_INFO_BUFFER_LIST (info),
        check_packet, data);
  } else {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

    check_packet (&buffer, 0, data);
  }
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement * pipeline, const gchar * name, GstPadProbeType type,
    GstPadProbeCallback callback, Crossing * c)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstPad *pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, type, callback, c, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
}

static void
run (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS,
      "%s", GST_MESSAGE_TYPE_NAME (message));
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
}

/* Every packet that is part of the picture has its place; parameter sets that
 * the payloader puts in have none. */
GST_START_TEST (test_payloaders)
{
  const Chain *chain = &chains[__i__];
  const gchar *const needed[] = { chain->encoder, chain->payloader };
  Crossing c = { 0 };
  GstElement *pipeline;
  GError *error = NULL;
  gchar *launch;

  for (guint i = 0; i < G_N_ELEMENTS (needed); i++) {
    GstElementFactory *factory = gst_element_factory_find (needed[i]);

    if (!factory) {
      g_print ("skipped: no %s here\n", needed[i]);
      return;
    }
    gst_object_unref (factory);
  }
  launch = g_strdup_printf ("videotestsrc pattern=snow num-buffers=12 ! "
      "video/x-raw,format=I420,width=160,height=128,framerate=25/1 ! "
      "%s ! %s ! identity name=in ! "
      "%s mtu=500 name=out ! fakesink sync=false", chain->encoder,
      chain->launch, chain->payloader);
  pipeline = gst_parse_launch (launch, &error);
  fail_unless (!error, "%s: %s", launch, error ? error->message : "");
  c.times = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  add_probe (pipeline, "in", GST_PAD_PROBE_TYPE_BUFFER, add_meta, &c);
  add_probe (pipeline, "out", GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_BUFFER_LIST, check_packets, &c);
  run (pipeline);
  fail_unless_equals_uint64 (c.n_pictures, 12);
  fail_unless (c.n_packets > 3 * 12, "%u", c.n_packets);
  fail_unless_equals_int (c.n_without, 0);
  g_array_unref (c.times);
  gst_object_unref (pipeline);
  g_free (launch);
}

GST_END_TEST;

static Suite *
codedpicturemeta_suite (void)
{
  Suite *s = suite_create ("codedpicturemeta");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_copies);
  tcase_add_test (tc, test_types);
  tcase_add_loop_test (tc, test_payloaders, 0, G_N_ELEMENTS (chains));
  return s;
}

GST_CHECK_MAIN (codedpicturemeta);
