/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * encoderbitrate over encoders that only look like one; encode.c has real ones.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/congestion/congestion.h>
#include <gst/video/video.h>

#include <string.h>

#include "testencoder.h"

#define LIVE GST_PARAM_MUTABLE_PLAYING
#define K 1000

/* testenc: kbit/s, the plainest that follows */
static const TestEncoder encoders[] = {
  {"testenc", NULL, "bitrate", G_TYPE_UINT, "kbit/s", LIVE, 1, 50 * K},
  {"testenc2", NULL, "bitrate", G_TYPE_UINT, "kbit/s", LIVE, 1, 50 * K},
  {"fixedenc", NULL, "bitrate", G_TYPE_UINT, "kbit/s", 0, 1, 50 * K},
  {"noenc", NULL, NULL, 0, NULL, 0, 0, 0},
  {"vagueenc", NULL, "bitrate", G_TYPE_UINT, "Rate", LIVE, 1, G_MAXINT},
  {"testdec", "Codec/Decoder/Video", NULL, 0, NULL, 0, 0, 0},
  {"testmux", "Codec/Muxer", "bitrate", G_TYPE_UINT, "bit/s", LIVE, 0, 9 * K},
  /* types and ranges */
  {"intenc", NULL, "bitrate", G_TYPE_INT, "bits/s", LIVE, 0, G_MAXINT},
  {"uintenc", NULL, "bitrate", G_TYPE_UINT, "bps", LIVE, 0, G_MAXUINT},
  {"longenc", NULL, "bitrate", G_TYPE_LONG, "bps", LIVE, -1, G_MAXINT},
  {"ulongenc", NULL, "bitrate", G_TYPE_ULONG, "bps", LIVE, 1, G_MAXINT},
  {"int64enc", NULL, "bitrate", G_TYPE_INT64, "bps", LIVE, -1, G_MAXINT64},
  {"uint64enc", NULL, "bitrate", G_TYPE_UINT64, "bps", LIVE, 0, G_MAXINT64},
  {"floatenc", NULL, "bitrate", G_TYPE_FLOAT, "kbps", LIVE, 0, G_MAXINT},
  {"doubleenc", NULL, "bitrate", G_TYPE_DOUBLE, "kbps", LIVE, 0, G_MAXINT},
  {"stringenc", NULL, "bitrate", G_TYPE_STRING, "bps", LIVE, 0, 0},
  {"boolenc", NULL, "bitrate", G_TYPE_BOOLEAN, "bps", LIVE, 0, 0},
  {"narrowenc", NULL, "bitrate", G_TYPE_INT, "kbps", LIVE, 100, 2 * K},
  {"targetenc", NULL, "target-bitrate", G_TYPE_INT,
      "Rate in bits per second", LIVE, 0, G_MAXINT},
  {"mbitenc", NULL, "bitrate", G_TYPE_INT, "Mbit/s", LIVE, 0, 100},
  /* names that the table knows and this machine may lack */
  {"qsvh264enc", NULL, "bitrate", G_TYPE_UINT, NULL, 0, 0, G_MAXINT},
  {"nvh264enc", NULL, "bitrate", G_TYPE_UINT, NULL, LIVE, 0, 2048 * K},
  {"nvv4l2h264enc", NULL, "bitrate", G_TYPE_UINT, NULL, 0, 0, G_MAXINT},
  {"vah265lpenc", NULL, "bitrate", G_TYPE_UINT, NULL, LIVE, 0, 2048 * K},
  {"rav1enc", NULL, "bitrate", G_TYPE_INT, NULL, 0, 0, G_MAXINT},
  {"svtav1enc", NULL, "target-bitrate", G_TYPE_UINT, NULL, 0, 0, 100 * K},
  {"v4l2h264enc", NULL, "extra-controls", G_TYPE_NONE, NULL, 0, 0, 0},
  {"v4l2h265enc", NULL, "bitrate", G_TYPE_INT, NULL, LIVE, 0, G_MAXINT},
  {"omxh264enc", NULL, "target-bitrate", G_TYPE_UINT, NULL, LIVE, 0, G_MAXUINT},
  {"vtenc_h264_hw", NULL, "bitrate", G_TYPE_UINT, NULL, 0, 0, G_MAXUINT},
};

static void
register_encoders (void)
{
  static gboolean done = FALSE;
  guint i;

  for (i = 0; !done && i < G_N_ELEMENTS (encoders); i++)
    test_encoder_register (&encoders[i], NULL);
  done = TRUE;
}

static GstEvent *
congestion_event (guint64 target)
{
  GstCongestionInfo *info = gst_congestion_info_new
      (GST_CONGESTION_REASON_DELAY);
  GstEvent *event;

  gst_congestion_info_set_target_bitrate (info, target);
  event = gst_congestion_event_new (info);
  gst_congestion_info_free (info);
  return event;
}

/* A pipeline whose pads are active, with `eb` in it. */
typedef struct
{
  GstElement *pipeline, *eb;
  GstBus *bus;
  guint forwarded;              /* congestion events that left it upstream */
} Rig;

static GstPadProbeReturn
count_event (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  (void) pad;
  if (gst_is_congestion_event (GST_PAD_PROBE_INFO_EVENT (info)))
    (*(guint *) data)++;
  return GST_PAD_PROBE_OK;
}

static void
rig_start (Rig * rig, const gchar * description)
{
  GError *error = NULL;
  GstPad *pad;

  register_encoders ();
  rig->pipeline = gst_parse_launch (description, &error);
  fail_unless (error == NULL, "%s: %s", description,
      error ? error->message : "");
  rig->eb = gst_bin_get_by_name (GST_BIN (rig->pipeline), "eb");
  rig->bus = gst_element_get_bus (rig->pipeline);
  rig->forwarded = 0;
  pad = gst_element_get_static_pad (rig->eb, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, count_event,
      &rig->forwarded, NULL);
  gst_object_unref (pad);
  fail_if (gst_element_set_state (rig->pipeline, GST_STATE_PAUSED) ==
      GST_STATE_CHANGE_FAILURE, "%s", description);
}

static void
rig_stop (Rig * rig)
{
  gst_element_set_state (rig->pipeline, GST_STATE_NULL);
  gst_object_unref (rig->bus);
  gst_object_unref (rig->eb);
  gst_object_unref (rig->pipeline);
}

static void
rig_event (Rig * rig, guint64 target)
{
  GstPad *pad = gst_element_get_static_pad (rig->eb, "src");

  gst_pad_send_event (pad, congestion_event (target));
  gst_object_unref (pad);
}

/* The text of the next warning, or NULL. */
static gchar *
rig_warning (Rig * rig)
{
  GstMessage *message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_WARNING);
  GError *error;
  gchar *text;

  if (!message)
    return NULL;
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (rig->eb));
  gst_message_parse_warning (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

#define assert_no_warning(rig) G_STMT_START { \
  gchar *_text = rig_warning (rig); \
  fail_unless (_text == NULL, "unexpected warning: %s", _text); \
} G_STMT_END

#define assert_warning(rig,part) G_STMT_START { \
  gchar *_text = rig_warning (rig); \
  fail_unless (_text != NULL, "no warning with '%s'", part); \
  fail_unless (strstr (_text, part) != NULL, "'%s' lacks '%s'", _text, part); \
  g_free (_text); \
} G_STMT_END

#define assert_value(rig,name,expect) G_STMT_START { \
  GstElement *_enc = gst_bin_get_by_name (GST_BIN ((rig)->pipeline), name); \
  gchar *_value = test_encoder_get (_enc, NULL); \
  fail_unless_equals_string (_value, expect); \
  g_free (_value); \
  gst_object_unref (_enc); \
} G_STMT_END

static guint
rig_sets (Rig * rig, const gchar * name)
{
  GstElement *enc = gst_bin_get_by_name (GST_BIN (rig->pipeline), name);
  guint n;

  g_free (test_encoder_get (enc, &n));
  gst_object_unref (enc);
  return n;
}

static guint64
stat_of (GstElement * eb, const gchar * name)
{
  GstStructure *stats;
  guint64 value;

  g_object_get (eb, "stats", &stats, NULL);
  fail_unless (gst_structure_has_name (stats, "encoderbitrate/stats"));
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "%s", name);
  gst_structure_free (stats);
  return value;
}

/* share, reserved, min, max: bits per second in, kilobits out */
static const struct
{
  guint64 target;
  gdouble share;
  guint64 reserved, min, max;
  const gchar *expect;
} shares[] = {
  {800 * K, 1.0, 0, 0, 0, "800"},
  {800 * K + 999, 1.0, 0, 0, 0, "800"},
  {800 * K, 0.5, 0, 0, 0, "400"},
  {800 * K, 1.0, 100 * K, 0, 0, "700"},
  {800 * K, 0.25, 400 * K, 0, 0, "100"},
  {800 * K, 1.0, 0, 1000 * K, 0, "1000"},
  {800 * K, 1.0, 0, 0, 300 * K, "300"},
  {800 * K, 1.0, 0, 500 * K, 300 * K, "300"},
  {800 * K, 0.5, 0, 100 * K, 900 * K, "400"},
  {60 * K, 1.0, 64 * K, 50 * K, 0, "50"},
  {999, 1.0, 0, 0, 0, "1"},
  {1, 1.0, 0, 0, 0, "1"},
  {G_MAXUINT64, 1.0, 0, 0, 0, "50000"},
};

GST_START_TEST (test_share)
{
  Rig rig;
  guint64 current;

  rig_start (&rig, "testenc name=enc ! encoderbitrate name=eb ! fakesink");
  g_object_set (rig.eb, "share", shares[__i__].share, "reserved-bitrate",
      shares[__i__].reserved, "min-bitrate", shares[__i__].min, "max-bitrate",
      shares[__i__].max, NULL);
  fail_unless_equals_int (rig_sets (&rig, "enc"), 0);
  rig_event (&rig, shares[__i__].target);
  assert_value (&rig, "enc", shares[__i__].expect);
  g_object_get (rig.eb, "current-bitrate", &current, NULL);
  fail_unless_equals_uint64 (current,
      g_ascii_strtoull (shares[__i__].expect, NULL, 10) * K);
  fail_unless_equals_int (rig.forwarded, 1);
  assert_no_warning (&rig);
  rig_stop (&rig);
}

GST_END_TEST;

/* What it obeys it has handled, though nobody upstream has; else upstream's
 * answer is its own. */
static const struct
{
  const gchar *description;
  gboolean handled;
} answers[] = {
  {"testenc ! encoderbitrate name=eb ! fakesink", TRUE},
  {"testenc ! encoderbitrate name=eb follow-events=false ! fakesink", FALSE},
  {"testenc ! encoderbitrate ! encoderbitrate name=eb follow-events=false"
        " ! fakesink", TRUE},
};

GST_START_TEST (test_answer)
{
  Rig rig;
  GstPad *pad;

  rig_start (&rig, answers[__i__].description);
  pad = gst_element_get_static_pad (rig.eb, "src");
  fail_unless_equals_int (gst_pad_send_event (pad, congestion_event (800 * K)),
      answers[__i__].handled);
  fail_unless_equals_int (rig.forwarded, 1);
  gst_object_unref (pad);
  rig_stop (&rig);
}

GST_END_TEST;

/* settings take effect at once, between events too */
GST_START_TEST (test_change_settings)
{
  Rig rig;

  rig_start (&rig, "testenc name=enc ! encoderbitrate name=eb ! fakesink");
  rig_event (&rig, 800 * K);
  assert_value (&rig, "enc", "800");
  g_object_set (rig.eb, "share", 0.5, NULL);
  assert_value (&rig, "enc", "400");
  g_object_set (rig.eb, "reserved-bitrate", (guint64) 200 * K, NULL);
  assert_value (&rig, "enc", "300");
  g_object_set (rig.eb, "max-bitrate", (guint64) 250 * K, NULL);
  assert_value (&rig, "enc", "250");
  fail_unless_equals_uint64 (stat_of (rig.eb, "changes"), 4);
  fail_unless_equals_uint64 (stat_of (rig.eb, "target-bitrate"), 800 * K);
  fail_unless_equals_uint64 (stat_of (rig.eb, "share-bitrate"), 250 * K);
  rig_stop (&rig);
}

GST_END_TEST;

/* each encoder gets the number that it can take, in its units */
static const struct
{
  const gchar *encoder;
  guint64 target;
  const gchar *expect;
} values[] = {
  {"intenc", 1234567, "1234567"},
  {"intenc", G_GUINT64_CONSTANT (5000000000), "2147483647"},
  {"uintenc", G_GUINT64_CONSTANT (4000000000), "4000000000"},
  {"uintenc", G_GUINT64_CONSTANT (5000000000), "4294967295"},
  {"longenc", 300000, "300000"},
  {"ulongenc", 300000, "300000"},
  {"int64enc", G_GUINT64_CONSTANT (5000000000), "5000000000"},
  {"uint64enc", G_GUINT64_CONSTANT (5000000000), "5000000000"},
  {"floatenc", 640000, "640"},
  {"doubleenc", 640000, "640"},
  {"stringenc", 640000, "640000"},
  {"narrowenc", 50000, "100"},
  {"narrowenc", 3000000, "2000"},
  {"targetenc", 640000, "640000"},
  {"qsvh264enc", 640000, "640"},
  {"nvh264enc", 640000, "640"},
  {"nvv4l2h264enc", 640000, "640000"},
  {"vah265lpenc", 640000, "640"},
  {"v4l2h264enc", 640000, "controls, video_bitrate=(int)640000;"},
  {"v4l2h265enc", 640000, "640000"},
  {"omxh264enc", 640000, "640000"},
  {"vtenc_h264_hw", 640000, "640"},
};

GST_START_TEST (test_value)
{
  gchar *description = g_strdup_printf
      ("%s name=enc ! encoderbitrate name=eb ! fakesink",
      values[__i__].encoder);
  Rig rig;

  rig_start (&rig, description);
  rig_event (&rig, values[__i__].target);
  assert_no_warning (&rig);
  assert_value (&rig, "enc", values[__i__].expect);
  fail_unless_equals_uint64 (stat_of (rig.eb, "changes"), 1);
  rig_stop (&rig);
  g_free (description);
}

GST_END_TEST;

/* the other controls of a v4l2 encoder stay */
GST_START_TEST (test_keep_controls)
{
  Rig rig;

  rig_start (&rig, "v4l2h264enc name=enc extra-controls=\"c,h264_profile=4\""
      " ! encoderbitrate name=eb ! fakesink");
  rig_event (&rig, 640 * K);
  assert_value (&rig, "enc",
      "c, h264_profile=(int)4, video_bitrate=(int)640000;");
  rig_stop (&rig);
}

GST_END_TEST;

/* ways upstream on which the encoder `enc` is found */
static const gchar *const ways[] = {
  "testenc name=enc ! encoderbitrate name=eb ! fakesink",
  "testenc name=enc ! queue ! capsfilter ! identity ! queue"
      " ! encoderbitrate name=eb ! fakesink",
  "testenc name=enc ! tee name=t ! queue ! encoderbitrate name=eb ! fakesink"
      " t. ! queue ! fakesink",
  "( testenc name=enc ) ! ( queue ) ! encoderbitrate name=eb ! fakesink",
  "( ( testenc name=enc ! identity ) ! queue )"
      " ! ( ( encoderbitrate name=eb ) ! fakesink )",
  "testenc name=enc ! funnel ! encoderbitrate name=eb ! fakesink",
  "testenc name=enc ! multiqueue name=mq ! encoderbitrate name=eb ! fakesink"
      " testenc2 ! mq. mq. ! fakesink",
  "testenc name=enc ! testmux ! encoderbitrate name=eb ! fakesink",
  "testenc2 ! testenc name=enc ! encoderbitrate name=eb ! fakesink",
  "testenc2 ! testdec ! testenc name=enc ! encoderbitrate name=eb ! fakesink",
  /* named */
  "funnel name=f ! encoderbitrate name=eb encoder=enc ! fakesink"
      " testenc name=enc ! f. testenc2 ! f.",
  "( testenc name=enc ) ! fakesink"
      " testenc2 ! ( encoderbitrate name=eb encoder=enc ) ! fakesink",
};

GST_START_TEST (test_way)
{
  Rig rig;

  rig_start (&rig, ways[__i__]);
  rig_event (&rig, 640 * K);
  assert_no_warning (&rig);
  assert_value (&rig, "enc", "640");
  rig_stop (&rig);
}

GST_END_TEST;

/* overrides: encoder's properties and encoderbitrate's */
static const struct
{
  const gchar *encoder, *settings, *expect;
} overrides[] = {
  {"testenc", "unit=bps", "50000"},     /* 640000, clamped */
  {"intenc", "unit=kbps", "640"},
  {"vagueenc", "unit=kbps", "640"},
  {"vagueenc", "unit=bps", "640000"},
  {"mbitenc", "unit=kbps", "100"},
  {"testenc", "property=bitrate", "640"},
  {"fixedenc", "property=bitrate", "640"},      /* vouched for */
  {"testmux", "encoder=enc", "9000"},
  {"v4l2h264enc", "property=extra-controls.video_peak unit=bps",
      "controls, video_peak=(int)640000;"},
};

GST_START_TEST (test_override)
{
  gchar *description = g_strdup_printf
      ("%s name=enc ! encoderbitrate name=eb %s ! fakesink",
      overrides[__i__].encoder, overrides[__i__].settings);
  Rig rig;

  rig_start (&rig, description);
  rig_event (&rig, 640 * K);
  assert_no_warning (&rig);
  assert_value (&rig, "enc", overrides[__i__].expect);
  rig_stop (&rig);
  g_free (description);
}

GST_END_TEST;

/* what cannot work, and what the warning says */
static const struct
{
  const gchar *description;
  const gchar *says;
} failures[] = {
  {"fixedenc name=enc ! encoderbitrate name=eb ! fakesink",
      "enc (fixedenc) keeps the bitrate it started with"},
  /* an encoder that cannot follow hides those before it */
  {"testenc name=before ! fixedenc name=enc ! encoderbitrate name=eb"
        " ! fakesink", "enc (fixedenc) keeps"},
  {"rav1enc name=enc ! encoderbitrate name=eb ! fakesink", "(rav1enc) keeps"},
  {"rav1enc name=enc ! encoderbitrate name=eb property=bitrate ! fakesink",
      "(rav1enc) keeps"},
  {"svtav1enc ! encoderbitrate name=eb ! fakesink", "(svtav1enc) keeps"},
  {"noenc name=enc ! encoderbitrate name=eb ! fakesink",
      "enc (noenc) has no bitrate property"},
  {"testenc name=enc ! encoderbitrate name=eb property=speed ! fakesink",
      "no property 'speed'"},
  {"testenc name=enc ! encoderbitrate name=eb property=parent ! fakesink",
      "'parent' of enc (testenc) is no number"},
  {"boolenc ! encoderbitrate name=eb ! fakesink", "is no number"},
  {"vagueenc name=enc ! encoderbitrate name=eb ! fakesink", "set 'unit'"},
  {"mbitenc ! encoderbitrate name=eb ! fakesink", "set 'unit'"},
  {"testenc ! testdec name=dec ! encoderbitrate name=eb ! fakesink",
      "No encoder before dec, which decodes"},
  {"funnel name=f ! encoderbitrate name=eb ! fakesink"
        " testenc ! f. testenc2 ! f.", "f has 2 inputs"},
  {"identity name=first ! encoderbitrate name=eb ! fakesink",
      "the way ends at first"},
  {"encoderbitrate name=eb ! fakesink", "Nothing is linked upstream"},
  {"testenc ! encoderbitrate name=eb encoder=nobody ! fakesink",
      "No element is called 'nobody'"},
};

GST_START_TEST (test_failure)
{
  Rig rig;
  guint64 current;

  rig_start (&rig, failures[__i__].description);
  rig_event (&rig, 640 * K);
  assert_warning (&rig, failures[__i__].says);
  rig_event (&rig, 320 * K);
  assert_no_warning (&rig);

  fail_unless_equals_int (rig.forwarded, 2);
  fail_unless_equals_uint64 (stat_of (rig.eb, "events"), 2);
  fail_unless_equals_uint64 (stat_of (rig.eb, "failures"), 2);
  fail_unless_equals_uint64 (stat_of (rig.eb, "changes"), 0);
  g_object_get (rig.eb, "current-bitrate", &current, NULL);
  fail_unless_equals_uint64 (current, 0);
  rig_stop (&rig);
}

GST_END_TEST;

/* another cause is another warning, and so is the same after a success */
GST_START_TEST (test_warn_again)
{
  Rig rig;

  rig_start (&rig, "testenc name=enc ! encoderbitrate name=eb encoder=a"
      " ! fakesink");
  rig_event (&rig, 640 * K);
  assert_warning (&rig, "'a'");
  g_object_set (rig.eb, "encoder", "b", NULL);
  assert_warning (&rig, "'b'");
  g_object_set (rig.eb, "encoder", "", NULL);
  assert_no_warning (&rig);
  assert_value (&rig, "enc", "640");
  g_object_set (rig.eb, "encoder", "b", NULL);
  assert_warning (&rig, "'b'");
  rig_stop (&rig);
}

GST_END_TEST;

/* falls at once, rises from 1 % on */
static const struct
{
  guint64 target;
  guint sets;
  const gchar *expect;
} steps[] = {
  {800 * K, 1, "800"},
  {800 * K, 1, "800"},
  {808 * K, 1, "800"},
  {809 * K, 2, "809"},
  {808 * K, 3, "808"},
  {807 * K + 500, 4, "807"},
  {807 * K, 4, "807"},
  {300 * K, 5, "300"},
  {60000 * K, 6, "50000"},
  {70000 * K, 6, "50000"},
};

GST_START_TEST (test_needless)
{
  Rig rig;
  guint i;

  rig_start (&rig, "testenc name=enc ! encoderbitrate name=eb ! fakesink");
  for (i = 0; i < G_N_ELEMENTS (steps); i++) {
    rig_event (&rig, steps[i].target);
    assert_value (&rig, "enc", steps[i].expect);
    fail_unless_equals_int (rig_sets (&rig, "enc"), steps[i].sets);
  }
  fail_unless_equals_int (rig.forwarded, G_N_ELEMENTS (steps));
  rig_stop (&rig);
}

GST_END_TEST;

/* another encoder is set even where the first had that bitrate */
GST_START_TEST (test_swap_encoder)
{
  Rig rig;

  rig_start (&rig, "testenc name=a ! encoderbitrate name=eb ! fakesink"
      " testenc name=b ! fakesink");
  rig_event (&rig, 640 * K);
  assert_value (&rig, "a", "640");
  g_object_set (rig.eb, "encoder", "b", NULL);
  assert_value (&rig, "b", "640");
  fail_unless_equals_int (rig_sets (&rig, "a"), 1);
  rig_stop (&rig);
}

GST_END_TEST;

GST_START_TEST (test_follow_events)
{
  Rig rig;

  rig_start (&rig, "testenc name=enc ! encoderbitrate name=eb"
      " follow-events=false ! fakesink");
  rig_event (&rig, 640 * K);
  fail_unless_equals_int (rig_sets (&rig, "enc"), 0);
  fail_unless_equals_int (rig.forwarded, 1);
  g_object_set (rig.eb, "follow-events", TRUE, NULL);
  fail_unless_equals_int (rig_sets (&rig, "enc"), 0);
  rig_event (&rig, 320 * K);
  assert_value (&rig, "enc", "320");
  rig_stop (&rig);
}

GST_END_TEST;

/* an event without a target, and one that no controller made */
GST_START_TEST (test_no_target)
{
  GstCongestionInfo *info = gst_congestion_info_new
      (GST_CONGESTION_REASON_LOSS);
  GstPad *pad;
  Rig rig;

  rig_start (&rig, "testenc name=enc ! encoderbitrate name=eb ! fakesink");
  pad = gst_element_get_static_pad (rig.eb, "src");
  gst_pad_send_event (pad, gst_congestion_event_new (info));
  gst_pad_send_event (pad, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new (GST_CONGESTION_STRUCTURE_NAME, "target-bitrate",
              G_TYPE_STRING, "fast", NULL)));
  gst_pad_send_event (pad, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new_empty ("Other")));
  fail_unless_equals_int (rig_sets (&rig, "enc"), 0);
  fail_unless_equals_int (rig.forwarded, 2);
  assert_no_warning (&rig);
  gst_object_unref (pad);
  gst_congestion_info_free (info);
  rig_stop (&rig);
}

GST_END_TEST;

GST_START_TEST (test_restart)
{
  Rig rig;

  rig_start (&rig, "testenc name=enc ! encoderbitrate name=eb ! fakesink");
  rig_event (&rig, 640 * K);
  fail_unless_equals_int (rig_sets (&rig, "enc"), 1);
  gst_element_set_state (rig.pipeline, GST_STATE_READY);
  fail_unless_equals_uint64 (stat_of (rig.eb, "events"), 0);
  fail_unless_equals_uint64 (stat_of (rig.eb, "current-bitrate"), 0);
  gst_element_set_state (rig.pipeline, GST_STATE_PAUSED);
  rig_event (&rig, 640 * K);
  fail_unless_equals_int (rig_sets (&rig, "enc"), 2);
  rig_stop (&rig);
}

GST_END_TEST;

static void
count_notify (GObject * object, GParamSpec * pspec, guint * count)
{
  guint64 current;

  (void) pspec;
  /* would hang if a lock were held */
  g_object_get (object, "current-bitrate", &current, NULL);
  fail_unless_equals_uint64 (current, *count ? 320 * K : 640 * K);
  (*count)++;
}

GST_START_TEST (test_notify)
{
  guint count = 0;
  Rig rig;

  rig_start (&rig, "testenc name=enc ! encoderbitrate name=eb ! fakesink");
  g_signal_connect (rig.eb, "notify::current-bitrate",
      G_CALLBACK (count_notify), &count);
  rig_event (&rig, 640 * K);
  rig_event (&rig, 640 * K);
  rig_event (&rig, 320 * K);
  fail_unless_equals_int (count, 2);
  rig_stop (&rig);
}

GST_END_TEST;

/* Passing through */

static GstHarness *
harness (void)
{
  GstHarness *h;

  register_encoders ();
  h = gst_harness_new_parse ("testenc name=enc ! encoderbitrate name=eb");
  gst_harness_set_src_caps_str (h, "video/x-h264");
  return h;
}

static GstBuffer *
picture (guint i, gboolean key)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 10, NULL);

  GST_BUFFER_PTS (buffer) = i * GST_SECOND;
  GST_BUFFER_DURATION (buffer) = GST_SECOND;
  GST_BUFFER_OFFSET (buffer) = i;
  if (!key)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  return buffer;
}

/* Pulls a buffer: its number, and whether it is marked discontinuous. */
static void
assert_picture (GstHarness * h, guint i, gboolean discont)
{
  GstBuffer *buffer = gst_harness_try_pull (h);

  fail_unless (buffer != NULL, "no buffer %u", i);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), i);
  fail_unless (GST_BUFFER_IS_DISCONT (buffer) == discont);
  gst_buffer_unref (buffer);
}

static void
assert_nothing (GstHarness * h)
{
  GstBuffer *buffer = gst_harness_try_pull (h);

  fail_unless (buffer == NULL);
}

/* How many events of a kind wait; for upstream, force-key-unit requests. */
static guint
count_gaps (GstHarness * h)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_event (h))) {
    n += GST_EVENT_TYPE (event) == GST_EVENT_GAP;
    gst_event_unref (event);
  }
  return n;
}

static guint
count_key_requests (GstHarness * h)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_upstream_event (h))) {
    gboolean all_headers = FALSE;

    if (gst_video_event_is_force_key_unit (event)) {
      fail_unless (gst_video_event_parse_upstream_force_key_unit (event, NULL,
              &all_headers, NULL));
      fail_unless (all_headers);
      n++;
    }
    gst_event_unref (event);
  }
  return n;
}

GST_START_TEST (test_silence)
{
  GstHarness *h = harness ();
  GstElement *eb = gst_harness_find_element (h, "encoderbitrate");
  GstElement *enc = gst_harness_find_element (h, "testenc");
  gchar *value;

  gst_harness_push (h, picture (0, TRUE));
  gst_harness_push (h, picture (1, FALSE));
  assert_picture (h, 0, FALSE);
  assert_picture (h, 1, FALSE);
  fail_unless_equals_int (count_gaps (h), 0);

  /* nothing leaves, not even a key frame; the encoder is left alone */
  gst_harness_push_upstream_event (h, congestion_event (640 * K));
  gst_harness_push_upstream_event (h, congestion_event (0));
  gst_harness_push_upstream_event (h, congestion_event (0));
  gst_harness_push (h, picture (2, FALSE));
  gst_harness_push (h, picture (3, TRUE));
  gst_harness_push (h, picture (4, FALSE));
  assert_nothing (h);
  fail_unless_equals_int (count_gaps (h), 3);
  fail_unless_equals_int (count_key_requests (h), 0);
  fail_unless_equals_uint64 (stat_of (eb, "silences"), 1);
  fail_unless_equals_uint64 (stat_of (eb, "dropped"), 3);
  value = test_encoder_get (enc, NULL);
  fail_unless_equals_string (value, "640");
  g_free (value);

  /* a key frame is asked for once, and awaited */
  gst_harness_push_upstream_event (h, congestion_event (320 * K));
  gst_harness_push_upstream_event (h, congestion_event (330 * K));
  fail_unless_equals_int (count_key_requests (h), 1);
  gst_harness_push (h, picture (5, FALSE));
  assert_nothing (h);
  gst_harness_push (h, picture (6, TRUE));
  gst_harness_push (h, picture (7, FALSE));
  assert_picture (h, 6, TRUE);
  assert_picture (h, 7, FALSE);
  fail_unless_equals_int (count_gaps (h), 1);
  value = test_encoder_get (enc, NULL);
  fail_unless_equals_string (value, "330");
  g_free (value);

  /* a new silence before the key frame */
  gst_harness_push_upstream_event (h, congestion_event (0));
  gst_harness_push_upstream_event (h, congestion_event (320 * K));
  gst_harness_push_upstream_event (h, congestion_event (0));
  gst_harness_push (h, picture (8, TRUE));
  assert_nothing (h);

  gst_object_unref (enc);
  gst_object_unref (eb);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* what else is a part of nothing, and what is not */
static const struct
{
  guint64 target;
  gdouble share;
  guint64 reserved, min;
  gboolean silent;
} parts[] = {
  {0, 1.0, 0, 0, TRUE},
  {0, 1.0, 0, 100 * K, TRUE},
  {64 * K, 1.0, 64 * K, 0, TRUE},
  {10 * K, 1.0, 64 * K, 0, TRUE},
  {10 * K, 1.0, 64 * K, 100 * K, FALSE},
  {640 * K, 0.0, 0, 0, TRUE},
  {1, 1.0, 0, 0, FALSE},
};

GST_START_TEST (test_part_of_nothing)
{
  GstHarness *h = harness ();
  GstElement *eb = gst_harness_find_element (h, "encoderbitrate");
  GstStructure *stats;
  gboolean silent;

  g_object_set (eb, "share", parts[__i__].share, "reserved-bitrate",
      parts[__i__].reserved, "min-bitrate", parts[__i__].min, NULL);
  gst_harness_push_upstream_event (h, congestion_event (parts[__i__].target));
  g_object_get (eb, "stats", &stats, NULL);
  fail_unless (gst_structure_get_boolean (stats, "silent", &silent));
  gst_structure_free (stats);
  fail_unless (silent == parts[__i__].silent);
  gst_harness_push (h, picture (0, TRUE));
  if (silent)
    assert_nothing (h);
  else
    assert_picture (h, 0, FALSE);
  gst_object_unref (eb);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* no longer following ends a silence */
GST_START_TEST (test_silence_unfollowed)
{
  GstHarness *h = harness ();
  GstElement *eb = gst_harness_find_element (h, "encoderbitrate");

  gst_harness_push_upstream_event (h, congestion_event (0));
  gst_harness_push (h, picture (0, TRUE));
  assert_nothing (h);
  g_object_set (eb, "follow-events", FALSE, NULL);
  fail_unless_equals_int (count_key_requests (h), 1);
  gst_harness_push_upstream_event (h, congestion_event (0));
  gst_harness_push (h, picture (1, TRUE));
  assert_picture (h, 1, TRUE);
  gst_object_unref (eb);
  gst_harness_teardown (h);
}

GST_END_TEST;

static GstBufferList *
pictures (guint first, guint n, guint key)
{
  GstBufferList *list = gst_buffer_list_new_sized (n);
  guint i;

  for (i = first; i < first + n; i++)
    gst_buffer_list_add (list, picture (i, i == key));
  return list;
}

static GstPadProbeReturn
note_list (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  (void) pad;
  *(guint *) data =
      gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  return GST_PAD_PROBE_OK;
}

GST_START_TEST (test_lists)
{
  GstHarness *h = gst_harness_new ("encoderbitrate");
  GstPad *pad = gst_element_get_static_pad (h->element, "src");
  guint length = 0;

  gst_harness_set_src_caps_str (h, "application/x-rtp");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER_LIST, note_list, &length,
      NULL);

  fail_unless_equals_int (gst_pad_push_list (h->srcpad, pictures (0, 4, 0)),
      GST_FLOW_OK);
  fail_unless_equals_int (length, 4);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 4);
  fail_unless_equals_int (gst_pad_push_list (h->srcpad,
          gst_buffer_list_new ()), GST_FLOW_OK);
  while (gst_harness_buffers_in_queue (h))
    gst_buffer_unref (gst_harness_pull (h));
  count_gaps (h);

  length = 0;
  gst_harness_push_upstream_event (h, congestion_event (0));
  fail_unless_equals_int (gst_pad_push_list (h->srcpad, pictures (4, 4, 4)),
      GST_FLOW_OK);
  fail_unless_equals_int (length, 0);
  fail_unless_equals_int (count_gaps (h), 4);

  /* what is before the key frame goes, the rest stays one list */
  gst_harness_push_upstream_event (h, congestion_event (320 * K));
  gst_pad_push_list (h->srcpad, pictures (8, 5, 10));
  fail_unless_equals_int (length, 3);
  assert_picture (h, 10, TRUE);
  assert_picture (h, 11, FALSE);
  assert_picture (h, 12, FALSE);
  assert_nothing (h);
  fail_unless_equals_uint64 (stat_of (h->element, "dropped"), 6);

  gst_object_unref (pad);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_pass)
{
  GstHarness *h = gst_harness_new ("encoderbitrate");
  GstBuffer *in, *out;
  GstQuery *query;
  GstEvent *event;
  GstCaps *caps;
  GstPad *pad;

  gst_harness_set_src_caps_str (h, "video/x-h264");
  in = picture (0, FALSE);
  gst_harness_push (h, gst_buffer_ref (in));
  out = gst_harness_pull (h);
  fail_unless (in == out);
  gst_buffer_unref (in);
  gst_buffer_unref (out);

  /* flow returns come back */
  gst_harness_set_blocking_push_mode (h);
  pad = gst_element_get_static_pad (h->element, "src");
  gst_pad_set_active (h->sinkpad, FALSE);
  fail_unless_equals_int (gst_harness_push (h, picture (1, FALSE)),
      GST_FLOW_FLUSHING);
  gst_pad_set_active (h->sinkpad, TRUE);

  /* latency */
  gst_harness_set_upstream_latency (h, 7 * GST_MSECOND);
  fail_unless_equals_uint64 (gst_harness_query_latency (h), 7 * GST_MSECOND);

  /* allocation */
  caps = gst_caps_from_string ("video/x-h264");
  gst_harness_add_propose_allocation_meta (h, GST_VIDEO_META_API_TYPE, NULL);
  query = gst_query_new_allocation (caps, TRUE);
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  gst_query_unref (query);
  gst_caps_unref (caps);

  /* caps of downstream */
  gst_harness_set_sink_caps_str (h, "video/x-h264, profile=main");
  caps = gst_pad_peer_query_caps (h->srcpad, NULL);
  fail_unless_equals_int (gst_caps_get_size (caps), 1);
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure
          (caps, 0), "profile"), "main");
  gst_caps_unref (caps);

  /* events both ways */
  count_gaps (h);
  gst_harness_push_event (h, gst_event_new_custom
      (GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("Down")));
  event = gst_harness_pull_event (h);
  fail_unless (gst_event_has_name (event, "Down"));
  gst_event_unref (event);
  count_key_requests (h);
  gst_harness_push_upstream_event (h, congestion_event (640 * K));
  event = gst_harness_pull_upstream_event (h);
  fail_unless (gst_is_congestion_event (event));
  gst_event_unref (event);
  gst_harness_push_upstream_event (h, gst_event_new_custom
      (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty ("Up")));
  event = gst_harness_pull_upstream_event (h);
  fail_unless (gst_event_has_name (event, "Up"));
  gst_event_unref (event);

  gst_object_unref (pad);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Events, settings and buffers on threads of their own; the last event rules */

#define N_ROUNDS 2000

static gpointer
send_events (gpointer data)
{
  GstHarness *h = data;
  guint i;

  for (i = 0; i < N_ROUNDS; i++)
    gst_harness_push_upstream_event (h, congestion_event (i % 7 * 100 * K));
  return NULL;
}

static gpointer
change_settings (gpointer data)
{
  GstElement *eb = data;
  GstStructure *stats;
  guint i;

  for (i = 0; i < N_ROUNDS; i++) {
    g_object_set (eb, "share", (i % 10) / 10.0, "encoder", i % 2 ? "enc" : "",
        NULL);
    g_object_get (eb, "stats", &stats, NULL);
    gst_structure_free (stats);
  }
  return NULL;
}

GST_START_TEST (test_threads)
{
  GstHarness *h = harness ();
  GstElement *eb = gst_harness_find_element (h, "encoderbitrate");
  GstElement *enc = gst_harness_find_element (h, "testenc");
  GThread *threads[3];
  gchar *value;
  guint i;

  gst_harness_set_drop_buffers (h, TRUE);
  threads[0] = g_thread_new ("events", send_events, h);
  threads[1] = g_thread_new ("events", send_events, h);
  threads[2] = g_thread_new ("settings", change_settings, eb);
  for (i = 0; i < N_ROUNDS; i++)
    fail_unless_equals_int (gst_harness_push (h, picture (i, i % 5 == 0)),
        GST_FLOW_OK);
  for (i = 0; i < 3; i++)
    g_thread_join (threads[i]);

  g_object_set (eb, "share", 1.0, "encoder", "", NULL);
  gst_harness_push_upstream_event (h, congestion_event (4000 * K));
  value = test_encoder_get (enc, NULL);
  fail_unless_equals_string (value, "4000");
  g_free (value);
  fail_unless_equals_uint64 (stat_of (eb, "events"), 2 * N_ROUNDS + 1);
  gst_object_unref (enc);
  gst_object_unref (eb);
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
encoderbitrate_suite (void)
{
  Suite *suite = suite_create ("encoderbitrate");
  TCase *tcase = tcase_create ("follow");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_share, 0, G_N_ELEMENTS (shares));
  tcase_add_loop_test (tcase, test_answer, 0, G_N_ELEMENTS (answers));
  tcase_add_test (tcase, test_change_settings);
  tcase_add_loop_test (tcase, test_value, 0, G_N_ELEMENTS (values));
  tcase_add_test (tcase, test_keep_controls);
  tcase_add_loop_test (tcase, test_way, 0, G_N_ELEMENTS (ways));
  tcase_add_loop_test (tcase, test_override, 0, G_N_ELEMENTS (overrides));
  tcase_add_loop_test (tcase, test_failure, 0, G_N_ELEMENTS (failures));
  tcase_add_test (tcase, test_warn_again);
  tcase_add_test (tcase, test_needless);
  tcase_add_test (tcase, test_swap_encoder);
  tcase_add_test (tcase, test_follow_events);
  tcase_add_test (tcase, test_no_target);
  tcase_add_test (tcase, test_restart);
  tcase_add_test (tcase, test_notify);

  tcase = tcase_create ("stream");
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_silence);
  tcase_add_loop_test (tcase, test_part_of_nothing, 0, G_N_ELEMENTS (parts));
  tcase_add_test (tcase, test_silence_unfollowed);
  tcase_add_test (tcase, test_lists);
  tcase_add_test (tcase, test_pass);
  tcase_add_test (tcase, test_threads);
  return suite;
}

GST_CHECK_MAIN (encoderbitrate);
