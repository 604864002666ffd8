/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * encoderbitrate with real encoders: what they are set to, and what comes out.
 */
#include <gst/check/gstcheck.h>
#include <gst/congestion/congestion.h>

#define K 1000

/* Of the others each machine has some; these tests/setup.sh installs. */
static const gchar *const required[] =
    { "x264enc", "openh264enc", "vp8enc", "avenc_mpeg2video", NULL };

static gboolean
have (const gchar * factory)
{
  GstElementFactory *found = gst_element_factory_find (factory);

  fail_unless (found || !g_strv_contains (required, factory),
      "element %s is not installed", factory);
  if (found)
    gst_object_unref (found);
  else
    g_print ("skipped: no %s on this machine\n", factory);
  return found != NULL;
}

static void
send_event (GstElement * eb, guint64 target, guint64 max_frame_size)
{
  GstCongestionInfo *info = gst_congestion_info_new
      (GST_CONGESTION_REASON_DELAY);
  GstPad *pad = gst_element_get_static_pad (eb, "src");

  gst_congestion_info_set_target_bitrate (info, target);
  gst_congestion_info_set_max_frame_size (info, max_frame_size);
  gst_pad_send_event (pad, gst_congestion_event_new (info));
  gst_congestion_info_free (info);
  gst_object_unref (pad);
}

static void
send_target (GstElement * eb, guint64 target)
{
  send_event (eb, target, 0);
}

static GstElement *
launch (const gchar * description)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);

  fail_unless (error == NULL, "%s: %s", description,
      error ? error->message : "");
  return pipeline;
}

/* What 640 kbit/s is to each; NULL = it cannot follow. Names that are on other
 * machines are tried in encoderbitrate.c. */
static const struct
{
  const gchar *factory, *property, *expect;
} encoders[] = {
  {"x264enc", "bitrate", "640"},
  {"x265enc", "bitrate", "640"},
  {"openh264enc", "bitrate", "640000"},
  {"vp8enc", "target-bitrate", "640000"},
  {"vp9enc", "target-bitrate", "640000"},
  {"av1enc", "target-bitrate", "640"},
  {"theoraenc", "bitrate", "640"},
  {"opusenc", "bitrate", "640000"},
  {"mpeg2enc", "bitrate", NULL},
  {"avenc_mpeg2video", "bitrate", NULL},
  {"avenc_mpeg4", "bitrate", NULL},
};

GST_START_TEST (test_units)
{
  const gchar *factory = encoders[__i__].factory;
  gchar *description, *value, *before;
  GstElement *pipeline, *eb, *enc;
  GstMessage *warning;
  GValue number = G_VALUE_INIT;
  GstBus *bus;

  if (!have (factory))
    return;
  description = g_strdup_printf ("%s name=enc ! encoderbitrate name=eb"
      " ! fakesink", factory);
  pipeline = launch (description);
  g_free (description);
  eb = gst_bin_get_by_name (GST_BIN (pipeline), "eb");
  enc = gst_bin_get_by_name (GST_BIN (pipeline), "enc");
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);

  g_object_get_property (G_OBJECT (enc), encoders[__i__].property, &number);
  before = gst_value_serialize (&number);
  send_target (eb, 640 * K);
  send_target (eb, 640 * K);
  g_object_get_property (G_OBJECT (enc), encoders[__i__].property, &number);
  value = gst_value_serialize (&number);
  fail_unless_equals_string (value,
      encoders[__i__].expect ? encoders[__i__].expect : before);

  warning = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless ((warning == NULL) == (encoders[__i__].expect != NULL));
  if (warning)
    gst_message_unref (warning);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);

  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_value_unset (&number);
  g_free (before);
  g_free (value);
  gst_object_unref (bus);
  gst_object_unref (enc);
  gst_object_unref (eb);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* 30 fps; the encoder has LEARN frames after each change, then LEARN count. */
#define FPS 30
#define LEARN 90
#define HIGH (800 * K)
#define LOW (300 * K)

typedef struct
{
  GstElement *eb;
  guint frames, waiting;
  guint64 bytes[4];             /* per LEARN frames */
} Meter;

/* On the streaming thread, so the change falls between two frames exactly. */
static void
measure (GstElement * sink, GstBuffer * buffer, GstPad * pad, Meter * meter)
{
  (void) sink;
  (void) pad;
  if (meter->frames == 0)
    send_target (meter->eb, HIGH);
  else if (meter->frames == 2 * LEARN)
    send_target (meter->eb, LOW);
  if (meter->frames < 4 * LEARN)
    meter->bytes[meter->frames / LEARN] += gst_buffer_get_size (buffer);
  meter->frames++;
}

/* Runs to the end; `before` is an identity in front of the element. */
static void
run (const gchar * description, GCallback before, GCallback behind,
    Meter * meter)
{
  GstElement *pipeline = launch (description);
  GstElement *identity = gst_bin_get_by_name (GST_BIN (pipeline), "before");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  meter->eb = gst_bin_get_by_name (GST_BIN (pipeline), "eb");
  if (before)
    g_signal_connect (identity, "handoff", before, meter);
  g_signal_connect (sink, "handoff", behind, meter);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (meter->eb);
  gst_object_unref (identity);
  gst_object_unref (sink);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

#define SOURCE "videotestsrc num-buffers=%u pattern=zone-plate kx2=12 ky2=12" \
  " kt=2 ! video/x-raw,format=I420,width=320,height=240,framerate=30/1 ! "
#define SINK " ! identity name=before ! encoderbitrate name=eb" \
  " ! fakesink name=sink signal-handoffs=true sync=false"

/* The walk goes past what stands between a live encoder and its sender. */
static const struct
{
  const gchar *factory, *description;
} encodes[] = {
  {"x264enc", "x264enc tune=zerolatency speed-preset=ultrafast"
        " bitrate=2000 ! tee ! ( identity )"
        " ! video/x-h264,stream-format=byte-stream"},
  {"openh264enc", "openh264enc rate-control=bitrate bitrate=2000000"},
  {"vp8enc", "vp8enc deadline=1 cpu-used=8 lag-in-frames=0 end-usage=cbr"
        " target-bitrate=2000000"},
};

GST_START_TEST (test_output)
{
  gchar *format, *description;
  gdouble high, low;
  Meter meter = { 0 };

  if (!have (encodes[__i__].factory))
    return;
  format = g_strconcat (SOURCE, encodes[__i__].description, SINK, NULL);
  description = g_strdup_printf (format, 4 * LEARN);
  run (description, NULL, G_CALLBACK (measure), &meter);

  fail_unless_equals_int (meter.frames, 4 * LEARN);
  high = meter.bytes[1] * 8.0 * FPS / LEARN;
  low = meter.bytes[3] * 8.0 * FPS / LEARN;
  GST_INFO ("%s: %.0f, then %.0f bit/s", encodes[__i__].factory, high, low);
  fail_unless (high > 0.6 * HIGH && high < 1.4 * HIGH, "%.0f", high);
  fail_unless (low > 0.6 * LOW && low < 1.4 * LOW, "%.0f", low);
  fail_unless (low < 0.6 * high, "%.0f, then %.0f", high, low);
  g_free (description);
  g_free (format);
}

GST_END_TEST;

/* The limit comes after a second with key frames as large as the encoder makes
 * them. */
static const struct
{
  const gchar *factory, *description;
  gdouble most;                 /* of the largest frame over the limit */
} limited[] = {
  /* A VBV buffer is kept to. */
  {"x264enc", "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30",
      1.05},
  /* A quantiser is chosen for the size, and hits it more or less. */
  {"vp8enc", "vp8enc deadline=1 cpu-used=8 lag-in-frames=0 end-usage=cbr"
        " keyframe-max-dist=30", 2},
  {"vp9enc", "vp9enc deadline=1 cpu-used=8 lag-in-frames=0 end-usage=cbr"
        " keyframe-max-dist=30", 2},
};

#define LIMIT (HIGH / 8 * 80 / 1000)    /* bytes: 80 ms */

typedef struct
{
  Meter meter;
  gsize before, after;          /* bytes of the largest frames */
} Sizes;

static void
measure_sizes (GstElement * sink, GstBuffer * buffer, GstPad * pad,
    Sizes * sizes)
{
  gsize size = gst_buffer_get_size (buffer);

  (void) sink;
  (void) pad;
  if (sizes->meter.frames == 0)
    send_target (sizes->meter.eb, HIGH);
  if (sizes->meter.frames == 2 * LEARN)
    send_event (sizes->meter.eb, HIGH, LIMIT);
  if (sizes->meter.frames >= LEARN && sizes->meter.frames < 2 * LEARN)
    sizes->before = MAX (sizes->before, size);
  if (sizes->meter.frames >= 3 * LEARN)
    sizes->after = MAX (sizes->after, size);
  sizes->meter.frames++;
}

GST_START_TEST (test_frames)
{
  gchar *format, *description;
  Sizes sizes = { {0}, 0, 0 };

  if (!have (limited[__i__].factory))
    return;
  format = g_strconcat (SOURCE, limited[__i__].description, SINK, NULL);
  description = g_strdup_printf (format, 4 * LEARN);
  run (description, NULL, G_CALLBACK (measure_sizes), &sizes.meter);

  GST_INFO ("%s: %" G_GSIZE_FORMAT ", then %" G_GSIZE_FORMAT " bytes",
      limited[__i__].factory, sizes.before, sizes.after);
  fail_unless (sizes.before > 1.2 * sizes.after, "%" G_GSIZE_FORMAT ", then %"
      G_GSIZE_FORMAT, sizes.before, sizes.after);
  fail_unless (sizes.after < limited[__i__].most * LIMIT, "%" G_GSIZE_FORMAT
      " of %d", sizes.after, LIMIT);
  g_free (description);
  g_free (format);
}

GST_END_TEST;

/* What the limit is to each, and its own value. */
GST_START_TEST (test_own_value)
{
  GstElement *pipeline, *eb, *enc;
  guint value;

  if (!have ("x264enc"))
    return;
  pipeline = launch ("x264enc name=enc ! encoderbitrate name=eb ! fakesink");
  eb = gst_bin_get_by_name (GST_BIN (pipeline), "eb");
  enc = gst_bin_get_by_name (GST_BIN (pipeline), "enc");
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  send_event (eb, HIGH, LIMIT);
  g_object_get (enc, "vbv-buf-capacity", &value, NULL);
  fail_unless_equals_int (value, 80);
  gst_element_set_state (pipeline, GST_STATE_READY);
  g_object_get (enc, "vbv-buf-capacity", &value, NULL);
  fail_unless_equals_int (value, 600);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (enc);
  gst_object_unref (eb);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* Whatever the machine does meanwhile, what is corrected stays near the
 * target. */
static const gchar *const corrected[] = {
  "x264enc tune=zerolatency speed-preset=ultrafast",
  "x265enc tune=zerolatency speed-preset=ultrafast",
  "openh264enc rate-control=bitrate",
  "vp8enc deadline=1 cpu-used=8 lag-in-frames=0 end-usage=cbr",
};

static void
measure_last (GstElement * sink, GstBuffer * buffer, GstPad * pad,
    Meter * meter)
{
  (void) sink;
  (void) pad;
  if (meter->frames == 0)
    send_event (meter->eb, LOW, LOW / 8 * 80 / 1000);
  if (meter->frames++ >= 7 * LEARN)
    meter->bytes[0] += gst_buffer_get_size (buffer);
}

/* Pictures of this source, so many a second. */
static void
check_corrected (const gchar * source, guint fps, const gchar * encoder)
{
  gchar **words = g_strsplit (encoder, " ", 2);
  gchar *format, *description;
  Meter meter = { 0 };
  gdouble bitrate;

  if (have (words[0])) {
    format = g_strconcat (source, encoder, SINK, NULL);
    description = g_strdup_printf (format, 10 * LEARN);
    run (description, NULL, G_CALLBACK (measure_last), &meter);
    bitrate = meter.bytes[0] * 8.0 * fps / (3 * LEARN);
    fail_unless (bitrate > .75 * LOW && bitrate < 1.1 * LOW, "%s: %.0f",
        words[0], bitrate);
    g_free (description);
    g_free (format);
  }
  g_strfreev (words);
}

GST_START_TEST (test_corrected)
{
  check_corrected (SOURCE, FPS, corrected[__i__]);
}

GST_END_TEST;

/* A camera that makes half of the pictures that its caps say. */
#define DARK "videotestsrc num-buffers=%u pattern=zone-plate kx2=12 ky2=12" \
  " kt=2 ! video/x-raw,format=I420,width=320,height=240,framerate=15/1" \
  " ! capssetter caps=video/x-raw,framerate=30/1 ! "

GST_START_TEST (test_corrected_in_the_dark)
{
  check_corrected (DARK, FPS / 2, corrected[__i__]);
}

GST_END_TEST;

#define SILENT 20

/* Behind the element: nothing more may leave after some frames, and then a key
 * frame first. */
static void
silence (GstElement * sink, GstBuffer * buffer, GstPad * pad, Meter * meter)
{
  (void) sink;
  (void) pad;
  meter->frames++;
  if (meter->frames == SILENT)
    send_target (meter->eb, 0);
  if (meter->frames == SILENT + 1)
    fail_if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT));
}

/* Before it: there is a bitrate again after some lost ones. */
static void
resume (GstElement * identity, GstBuffer * buffer, Meter * meter)
{
  (void) identity;
  (void) buffer;
  if (meter->frames == SILENT && ++meter->waiting == 2 * SILENT)
    send_target (meter->eb, LOW);
}

/* A real encoder makes the key frame that ends the silence, at once, though
 * its own next one is far. */
GST_START_TEST (test_resume)
{
  Meter meter = { 0 };

  if (!have ("x264enc"))
    return;
  run ("videotestsrc num-buffers=100"
      " ! video/x-raw,format=I420,width=160,height=120,framerate=30/1"
      " ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=1000"
      SINK, G_CALLBACK (resume), G_CALLBACK (silence), &meter);

  /* the last of the lost ones brought the target; the very next is the key
   * frame, the last that came in front of the element before one left it */
  fail_unless_equals_int (meter.waiting, 2 * SILENT + 1);
  fail_unless_equals_int (meter.frames, 100 - 2 * SILENT);
}

GST_END_TEST;

static Suite *
encode_suite (void)
{
  Suite *suite = suite_create ("encoderbitrate-encode");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_units, 0, G_N_ELEMENTS (encoders));
  tcase_add_loop_test (tcase, test_output, 0, G_N_ELEMENTS (encodes));
  tcase_add_loop_test (tcase, test_frames, 0, G_N_ELEMENTS (limited));
  tcase_add_test (tcase, test_own_value);
  tcase_add_loop_test (tcase, test_corrected, 0, G_N_ELEMENTS (corrected));
  tcase_add_loop_test (tcase, test_corrected_in_the_dark, 0,
      G_N_ELEMENTS (corrected));
  tcase_add_test (tcase, test_resume);
  return suite;
}

GST_CHECK_MAIN (encode);
