/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * MPEG_APP of controller=media-scaling, with the elements that make it: a film,
 * mpegscaler and pspsink on a link that is narrower than the film now and then.
 * In real time, since the link is. What is waited for has a limit, and may come
 * at any time before: a busy machine loses packets whenever it likes.
 */
#include <gst/congestion/congestion.h>

#include "calltext.h"
#include "relay.h"
#include "session.h"

/* The film has 3.6 Mb/s, its I and P frames alone 2.1, its I frames 1.0. */
#define FILM TEST_FILES_DIR "/walk-720x480p30-4M.m2v"
#define LINK "delay=10ms,queue=100p,schedule=0s:6M"
#define BACK "delay=10ms"
/* Seconds of 6 Mb/s and 1.5 Mb/s, in turns, as long as the test may take. */
#define WIDE 4
#define NARROW 3
#define LONGEST 180
/* Reports tell times in steps of 1/1024 s. */
#define LEAST_RTT (18 * GST_MSECOND)
#define ALL 4
#define GROUP 12                /* frames */
/* More than the default of max-queue-time at 1.1 Mb/s, in packets: 1.4 s. All
 * of them would take longer than the test may. */
#define LONG_FRAME 200
#define LONG_FRAMES 150

/* What the controller decided, as the category pspcalls tells: its target says
 * the scale. Calls of one sender, one after the other. */

typedef struct
{
  gint64 at;                    /* the sender's time, ns */
  gint64 target;
  guint64 lost;                 /* packets until then */
} Decision;

static GMutex course_lock;
static GArray *course;          /* Decision, where the target changed */

static void
course_note (const PspCall * call)
{
  /* Ends with psp_call_out_state(). */
  const gint64 *state = call->out + call->n_out - 8;
  Decision d = { psp_call_time (call), state[2], state[4] };
  const Decision *last;

  /* The controller's has no effect then. */
  if (state[6] == PSP_LINK_SILENT)
    return;
  g_mutex_lock (&course_lock);
  last = course->len ? &g_array_index (course, Decision, course->len - 1) :
      NULL;
  if (!last || last->target != d.target)
    g_array_append_val (course, d);
  g_mutex_unlock (&course_lock);
}

static void
course_message (GstDebugCategory * category, GstDebugLevel level,
    const gchar * file, const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer data)
{
  static PspAcknowledgement acknowledgements[PSP_CALL_ACKNOWLEDGEMENTS];
  const gchar *text;
  PspCall call;

  (void) level;
  (void) file;
  (void) function;
  (void) line;
  (void) object;
  (void) data;
  if (!g_str_equal (gst_debug_category_get_name (category), "pspcalls"))
    return;
  /* psp-call, the session's number, the call */
  text = strchr (gst_debug_message_get (message) + strlen ("psp-call "), ' ');
  if (psp_call_parse (text + 1, strlen (text + 1), &call, acknowledgements) &&
      (call.kind == PSP_CALL_SENT || call.kind == PSP_CALL_ACKNOWLEDGE ||
          call.kind == PSP_CALL_TICK))
    course_note (&call);
}

static void
course_begin (void)
{
  course = g_array_new (FALSE, FALSE, sizeof (Decision));
  /* The calls are not for the terminal. */
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (course_message, NULL, NULL);
  gst_debug_set_threshold_for_name ("pspcalls", GST_LEVEL_TRACE);
}

static void
course_end (void)
{
  gst_debug_unset_threshold_for_name ("pspcalls");
  gst_debug_remove_log_function (course_message);
  gst_debug_add_log_function (gst_debug_log_default, NULL, NULL);
}

/* Table 1. */
static gint
scale_of (gint64 target)
{
  gint scale = (target - 300000) / 200000;

  fail_unless (target == 300000 + 200000 * scale && scale >= 0 && scale <= ALL,
      "a target of %" G_GINT64_FORMAT, target);
  return scale;
}

static gint
decided (guint i)
{
  return scale_of (g_array_index (course, Decision, i).target);
}

/* One up, or half at a loss, and nothing else; once a round trip at most.
 * Returns how often it was halved. */
static guint
check_course (void)
{
  guint n_halved = 0;

  fail_unless (course->len > 0);
  fail_unless_equals_int (decided (0), 0);
  for (guint i = 1; i < course->len; i++) {
    const Decision *d = &g_array_index (course, Decision, i);
    gint before = decided (i - 1), scale = decided (i);

    GST_INFO ("%" GST_TIME_FORMAT ": %d, %" G_GUINT64_FORMAT " lost",
        GST_TIME_ARGS (d->at - d[-(gint) i].at), scale, d->lost);
    if (scale < before) {
      fail_unless_equals_int (scale, before / 2);
      fail_unless (d->lost > d[-1].lost, "halved, and nothing was lost");
      n_halved++;
    } else {
      fail_unless_equals_int (scale, before + 1);
    }
    /* The first round trip begins before anything is known. */
    fail_unless (i == 1 || d->at - d[-1].at >= (gint64) LEAST_RTT,
        "%d, and %d after %" G_GINT64_FORMAT " ns", before, scale,
        d->at - d[-1].at);
  }
  return n_halved;
}

/* What mpegscaler hears of it. */

static GMutex told_lock;
static GPtrArray *told;         /* GstCongestionInfo */

static GstPadProbeReturn
told_note (GstPad * pad, GstPadProbeInfo * probe, gpointer data)
{
  GstCongestionInfo *info;

  (void) pad;
  (void) data;
  if (gst_congestion_event_parse (GST_PAD_PROBE_INFO_EVENT (probe), &info)) {
    g_mutex_lock (&told_lock);
    g_ptr_array_add (told, info);
    g_mutex_unlock (&told_lock);
  }
  return GST_PAD_PROBE_OK;
}

static void
check_change (const GstCongestionInfo * before, const GstCongestionInfo * info)
{
  GstCongestionReason reason = gst_congestion_info_get_reason (info);
  gint up = gst_congestion_info_get_scale (info) -
      gst_congestion_info_get_scale (before);

  fail_unless_equals_int (gst_congestion_info_get_count (info),
      gst_congestion_info_get_count (before) + 1);
  if (up > 0)
    fail_unless (reason == GST_CONGESTION_REASON_INCREASE, "%d", reason);
  else if (up < 0)
    fail_unless (reason == GST_CONGESTION_REASON_LOSS ||
        reason == GST_CONGESTION_REASON_TIMEOUT, "%d", reason);
}

/* For want of feedback, which is not the controller's decision. */
static gboolean
tells_silence (const GstCongestionInfo * info)
{
  guint64 target;

  return gst_congestion_info_get_reason (info) ==
      GST_CONGESTION_REASON_TIMEOUT &&
      gst_congestion_info_get_target_bitrate (info, &target) && target < 300000;
}

/* What was decided, in that order; steps may have been left out. */
static void
check_told (void)
{
  guint at = 0;

  for (guint i = 0; i < told->len; i++) {
    const GstCongestionInfo *info = g_ptr_array_index (told, i);
    gint scale = gst_congestion_info_get_scale (info);
    guint64 target;

    if (tells_silence (info))
      continue;
    fail_unless (gst_congestion_info_get_target_bitrate (info, &target));
    fail_unless_equals_int (scale_of (target), scale);
    fail_unless_equals_string (gst_congestion_info_get_controller (info),
        "media-scaling");
    while (at < course->len && decided (at) != scale)
      at++;
    fail_unless (at < course->len, "event %u tells scale %d, which was not "
        "decided", i, scale);
    if (i > 0)
      check_change (g_ptr_array_index (told, i - 1), info);
  }
}

/* The receiver, with a depayloader behind it. */

static gint n_received;         /* frames, atomic */

static GstPadProbeReturn
count_frame (GstPad * pad, GstPadProbeInfo * probe, gpointer data)
{
  (void) pad;
  (void) probe;
  (void) data;
  g_atomic_int_inc (&n_received);
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement * pipeline, const gchar * name, GstPadProbeType type,
    GstPadProbeCallback callback)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstPad *pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, type, callback, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
}

static GstElement *
launch (const gchar * description)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);

  fail_unless (pipeline && !error, "%s", error ? error->message : "");
  return pipeline;
}

static void
viewer_init (Receiver * r)
{
  memset (r, 0, sizeof *r);
  g_mutex_init (&r->lock);
  r->pipeline = launch ("pspsrc name=src address=127.0.0.1 caps="
      "application/x-rtp,media=video,clock-rate=90000,encoding-name=MPV,"
      "payload=32 ! rtpmpegvideodepay name=depay ! "
      "fakesink sync=false async=false");
  r->src = gst_bin_get_by_name (GST_BIN (r->pipeline), "src");
  gst_object_unref (r->src);
  r->bus = gst_element_get_bus (r->pipeline);
  add_probe (r->pipeline, "depay", GST_PAD_PROBE_TYPE_BUFFER, count_frame);
  receiver_play (r);
}

/* The application. */

typedef struct
{
  GstElement *pipeline, *scaler;
  Sender sender;                /* its sink, for session.h */
  GstBus *bus;
} App;

/* The film, over and over. */
static void
app_init (App * app, guint16 port)
{
  gchar *description = g_strdup_printf ("multifilesrc location=\"%s\" "
      "loop=true ! mpegvideoparse ! mpegscaler name=scaler mode=drop ! "
      "rtpmpegvideopay ! pspsink name=sink host=127.0.0.1 port=%u "
      "controller=media-scaling", FILM, port);

  memset (app, 0, sizeof *app);
  app->pipeline = launch (description);
  app->scaler = gst_bin_get_by_name (GST_BIN (app->pipeline), "scaler");
  app->sender.sink = gst_bin_get_by_name (GST_BIN (app->pipeline), "sink");
  app->bus = gst_element_get_bus (app->pipeline);
  add_probe (app->pipeline, "scaler", GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      told_note);
  fail_if (gst_element_set_state (app->pipeline, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE);
  g_free (description);
}

static void
app_clear (App * app)
{
  gst_element_set_state (app->pipeline, GST_STATE_NULL);
  gst_object_unref (app->scaler);
  gst_object_unref (app->sender.sink);
  gst_object_unref (app->bus);
  ASSERT_OBJECT_REFCOUNT (app->pipeline, "pipeline", 1);
  gst_object_unref (app->pipeline);
}

/* Frames at mpegscaler, and the scale it was told last. */
typedef struct
{
  guint64 passed, policy, reference;
  gint scale;
} Frames;

static Frames
app_frames (App * app)
{
  GstStructure *stats;
  Frames f;

  g_object_get (app->scaler, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "frames-passed", G_TYPE_UINT64,
          &f.passed, "dropped-policy", G_TYPE_UINT64, &f.policy,
          "dropped-reference", G_TYPE_UINT64, &f.reference, "target-scale",
          G_TYPE_INT, &f.scale, NULL));
  gst_structure_free (stats);
  return f;
}

/* Whether two groups have left, and as much has arrived, since a frame was
 * dropped or the scale was another one. Beginning with *since. */
static gboolean
passes_all (App * app, Frames * since, gint * received_since)
{
  Frames f = app_frames (app);
  gint received = g_atomic_int_get (&n_received);

  if (f.scale != ALL || f.policy != since->policy ||
      f.reference != since->reference) {
    *since = f;
    *received_since = received;
  }
  return f.passed >= since->passed + 2 * GROUP &&
      received >= *received_since + 2 * GROUP;
}

static void
wait_for_all (App * app)
{
  Frames since = app_frames (app);
  gint received = g_atomic_int_get (&n_received);

  WAIT_UNTIL (passes_all (app, &since, &received), "at scale %d, %"
      G_GUINT64_FORMAT " frames dropped", since.scale, since.policy);
}

/* The feedback was all right. */
static void
check_ends (App * app, Receiver * r)
{
  static const gchar *const none[] = {
    "feedback-malformed", "feedback-unknown-ssrc", "feedback-never-sent",
    "feedback-foreign", "send-errors", "dropped-packets", "dropped-pictures"
  };
  GstElement *sink = app->sender.sink;
  gdouble received;

  for (guint i = 0; i < G_N_ELEMENTS (none); i++)
    fail_unless (session_stat (sink, none[i]) == 0, "%s", none[i]);
  fail_unless (session_stat (r->src, "malformed") == 0);
  fail_unless (session_stat (r->src, "rtcp-malformed") == 0);
  fail_unless (session_stat (r->src, "foreign-packets") == 0);
  /* Before what was sent is read, as that goes on. */
  received = session_stat (sink, "feedback-received");
  fail_unless (received > 0);
  fail_unless (received <= session_stat (r->src, "feedback-sent"));
  WAIT_UNTIL (session_link_is (sink, "alive"), "no feedback");
  sender_check_sums (&app->sender);
  fail_unless_equals_int (session_warnings (app->bus, NULL), 0);
  fail_unless_equals_int (session_warnings (r->bus, NULL), 0);
}

static gchar *
make_link (void)
{
  GString *spec = g_string_new (LINK);

  for (guint t = WIDE; t < LONGEST; t += WIDE + NARROW)
    g_string_append_printf (spec, "/%us:1500k/%us:6M", t, t + NARROW);
  return g_string_free (spec, FALSE);
}

/* All frames pass a link that carries them; few of them while it does not; and
 * all again afterwards. */
GST_START_TEST (test_mpeg_app)
{
  gchar *link = make_link ();
  Frames before;
  gdouble lost;
  Receiver r;
  Relay relay;
  App app;

  told = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_congestion_info_free);
  course_begin ();
  viewer_init (&r);
  relay_init (&relay, r.port, link, BACK);
  g_free (link);
  app_init (&app, relay.port);

  wait_for_all (&app);
  before = app_frames (&app);
  lost = session_stat (app.sender.sink, "packets-lost");
  WAIT_UNTIL (app_frames (&app).policy >= before.policy + GROUP &&
      session_stat (app.sender.sink, "packets-lost") > lost,
      "only %" G_GUINT64_FORMAT " frames dropped",
      app_frames (&app).policy - before.policy);
  wait_for_all (&app);
  check_ends (&app, &r);

  app_clear (&app);
  course_end ();
  fail_unless (check_course () > 0, "never halved");
  check_told ();
  relay_clear (&relay);
  receiver_clear (&r);
  g_array_unref (course);
  g_ptr_array_unref (told);
}

GST_END_TEST;

/* Nothing is paced: a frame that would take longer than max-queue-time at the
 * scale's rate leaves at once, and the next one is not kept waiting. */
GST_START_TEST (test_long_frames)
{
  Receiver r;
  Sender s;

  receiver_init (&r, NULL);
  sender_init (&s, r.port, "controller", "media-scaling", NULL);
  for (guint i = 0; i < LONG_FRAMES; i++) {
    GstBufferList *frame = gst_buffer_list_new ();

    for (guint j = 0; j < LONG_FRAME; j++)
      gst_buffer_list_add (frame, sender_packet (&s, PAYLOAD));
    fail_unless_equals_int (gst_pad_push_list (s.h->srcpad, frame),
        GST_FLOW_OK);
    WAIT_UNTIL (receiver_got (&r) == (i + 1) * LONG_FRAME,
        "%u packets of frame %u arrived", receiver_got (&r) % LONG_FRAME, i);
  }
  sender_clear (&s);
  receiver_clear (&r);
}

GST_END_TEST;

static gboolean
have_element (const gchar * name)
{
  GstElementFactory *factory = gst_element_factory_find (name);

  if (factory)
    gst_object_unref (factory);
  else
    g_printerr ("skipped: no element %s\n", name);
  return factory != NULL;
}

static Suite *
media_scaling_suite (void)
{
  Suite *s = suite_create ("media-scaling");
  TCase *tc = tcase_create ("media-scaling");

  tcase_set_timeout (tc, LONGEST);
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_long_frames);
  if (have_element ("mpegvideoparse") && have_element ("multifilesrc"))
    tcase_add_test (tc, test_mpeg_app);
  return s;
}

GST_CHECK_MAIN (media_scaling);
