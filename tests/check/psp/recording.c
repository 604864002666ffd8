/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Sessions of pspsink and pspsrc over a path that loses, recorded by the debug
 * category pspcalls: what the element asked of its sender, asked of another
 * one afterwards, gets the same answers to the last bit.
 */
#include <glib/gstdio.h>

#include "relay.h"
#include "replay.h"
#include "session.h"

/* What was logged, a line each. */
static GMutex record_lock;
static GPtrArray *record;

static void
record_message (GstDebugCategory * category, GstDebugLevel level,
    const gchar * file, const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer data)
{
  (void) level;
  (void) file;
  (void) function;
  (void) line;
  (void) object;
  (void) data;
  if (!g_str_equal (gst_debug_category_get_name (category), "pspcalls"))
    return;
  g_mutex_lock (&record_lock);
  g_ptr_array_add (record, g_strdup (gst_debug_message_get (message)));
  g_mutex_unlock (&record_lock);
}

static void
record_begin (void)
{
  record = g_ptr_array_new_with_free_func (g_free);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (record_message, NULL, NULL);
  gst_debug_set_threshold_for_name ("pspcalls", GST_LEVEL_TRACE);
}

static void
record_end (void)
{
  gst_debug_unset_threshold_for_name ("pspcalls");
  gst_debug_remove_log_function (record_message);
}

/* Answers that differ, all lines but `left_out`; replay is to be cleared. */
static guint
replay_record (PspReplay * replay, guint left_out)
{
  guint different = 0;

  psp_replay_init (replay, -1);
  for (guint i = 0; i < record->len; i++) {
    const gchar *line = g_ptr_array_index (record, i);

    if (i == left_out)
      continue;
    switch (psp_replay_line (replay, line, strlen (line))) {
      case PSP_REPLAY_SAME:
        break;
      case PSP_REPLAY_DIFFERENT:
        different++;
        break;
      default:
        fail ("%s", line);
        break;
    }
  }
  return different;
}

/* The line of the nth call of a kind. */
static guint
find_call (const gchar * name, guint n)
{
  for (guint i = 0; i < record->len; i++) {
    const gchar *line = g_ptr_array_index (record, i);
    const gchar *call = strchr (line + strlen ("psp-call "), ' ') + 1;

    if (g_str_has_prefix (call, name) && call[strlen (name)] == ' ' && n-- == 0)
      return i;
  }
  fail ("not so many of %s", name);
  return 0;
}

/* One word of a line is another one. */
static void
change_word (guint at, guint word, gint64 by)
{
  gchar **words = g_strsplit (g_ptr_array_index (record, at), " ", -1);
  gint64 value = g_ascii_strtoll (words[word], NULL, 10) + by;

  g_free (words[word]);
  words[word] = g_strdup_printf ("%" G_GINT64_FORMAT, value);
  g_free (g_ptr_array_index (record, at));
  g_ptr_array_index (record, at) = g_strjoinv (" ", words);
  g_strfreev (words);
}

/* Reports 20 to 39 arrive later by that; some say nothing new, and when those
 * arrive makes no difference. Words: psp-call, session,
 * acknowledge, when it was reported, time. */
static void
delay_reports (gint64 by)
{
  for (guint n = 20; n < 40; n++)
    change_word (find_call ("acknowledge", n), 4, by);
}

/* A replay that is told something else must notice. */
static void
check_notices_changes (void)
{
  PspReplay replay;
  guint line;

  fail_unless (replay_record (&replay, find_call ("sent", 100)) > 0);
  psp_replay_clear (&replay);
  fail_unless (replay_record (&replay, find_call ("acknowledge", 20)) > 0);
  psp_replay_clear (&replay);
  delay_reports (PSP_MSECOND);
  fail_unless (replay_record (&replay, G_MAXUINT) > 0);
  psp_replay_clear (&replay);
  delay_reports (-PSP_MSECOND);
  /* One bit/s more from the start. */
  line = find_call ("new", 0);
  change_word (line, 5, 1);
  fail_unless (replay_record (&replay, G_MAXUINT) > 0);
  psp_replay_clear (&replay);
  change_word (line, 5, -1);
  fail_unless_equals_int (replay_record (&replay, G_MAXUINT), 0);
  psp_replay_clear (&replay);
}

/* Once more in a simulator, where the environment variable PSP_SIM_REPLAY names
 * the program that does so. */
static void
check_simulator (void)
{
  const gchar *program = g_getenv ("PSP_SIM_REPLAY");
  const gchar *args[] = { program, NULL, NULL };
  gint file, status;
  GString *log;
  gchar *name;

  if (!program)
    return;
  log = g_string_new (NULL);
  for (guint i = 0; i < record->len; i++)
    g_string_append_printf (log, "%s\n",
        (const gchar *) g_ptr_array_index (record, i));
  file = g_file_open_tmp ("psp-recording-XXXXXX", &name, NULL);
  fail_unless (file >= 0 && g_file_set_contents (name, log->str, log->len,
          NULL));
  args[1] = name;
  fail_unless (g_spawn_sync (NULL, (gchar **) args, NULL,
          G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status, NULL));
  fail_unless (WIFEXITED (status) && WEXITSTATUS (status) == 0,
      "the simulator's answers differ");
  g_unlink (name);
  g_close (file, NULL);
  g_free (name);
  g_string_free (log, TRUE);
}

static void
check_record (const gchar * controller, gdouble packets_sent)
{
  PspReplay replay;
  guint different = replay_record (&replay, G_MAXUINT);

  GST_INFO ("%s: %u calls, %u answers differ", controller, record->len,
      different);
  fail_unless_equals_int (different, 0);
  fail_unless (replay.calls[PSP_CALL_SENT] == packets_sent);
  for (guint i = 0; i < PSP_N_CALLS; i++)
    /* In so short a session perhaps no timer runs out; RTP names its packets as
     * they leave; and pspsrc does not report seldom. */
    fail_unless (replay.calls[i] > 0 || i == PSP_CALL_TICK ||
        i == PSP_CALL_BIND || i == PSP_CALL_SET_PARAMETERS ||
        i == PSP_CALL_SET_TIMING,
        "%s: no call of kind %u", controller, i);
  psp_replay_clear (&replay);
}

/* What the application may do meanwhile. */
static void
disturb (Sender * s, const gchar * controller)
{
  g_object_set (s->sink, "max-target-bitrate", (guint64) 3000000, NULL);
  wait_feedback (s, 5);
  g_object_set (s->sink, "controller", "fixed", NULL);
  wait_feedback (s, 5);
  gst_util_set_object_arg (G_OBJECT (s->sink), "controller", controller);
  wait_feedback (s, 5);
  g_signal_emit_by_name (s->sink, "reset-controller");
  fail_if (gst_element_set_state (s->sink, GST_STATE_PAUSED) ==
      GST_STATE_CHANGE_FAILURE);
  fail_if (gst_element_set_state (s->sink, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE);
  wait_feedback (s, 20);
}

static const gchar *const controllers[] = {
  "poise", "scp", "psp", "damped-psp", "rap-psp", "media-scaling", "fixed",
  "none"
};

GST_START_TEST (test_replay)
{
  const gchar *controller = controllers[__i__];
  gdouble packets_sent;
  Receiver r;
  Sender s;
  Relay relay;

  receiver_init (&r, NULL);
  relay_init (&relay, r.port, "rate=4M,delay=5ms,queue=10p,loss=0.02",
      "delay=5ms,loss=0.05");
  record_begin ();
  sender_init (&s, relay.port, "controller", controller, "spacing",
      3 * GST_MSECOND, "min-target-bitrate", (guint64) 1000000,
      "max-queue-time", 20 * PACKET_TIME, "fec-payload-type", 96, NULL);
  sender_feed (&s);
  WAIT_UNTIL (session_stat (s.sink, "packets-sent") >= 300 &&
      session_stat (s.sink, "packets-lost") >= 3, "%s sends %.0f packets and "
      "loses %.0f", controller, session_stat (s.sink, "packets-sent"),
      session_stat (s.sink, "packets-lost"));
  wait_feedback (&s, 30);
  disturb (&s, controller);
  sender_rest (&s);
  packets_sent = session_stat (s.sink, "packets-sent");
  gst_harness_push_event (s.h, gst_event_new_eos ());
  sender_clear (&s);
  record_end ();
  check_record (controller, packets_sent);
  check_simulator ();
  check_notices_changes ();
  relay_clear (&relay);
  receiver_clear (&r);
  g_ptr_array_unref (record);
}

GST_END_TEST;

static Suite *
recording_suite (void)
{
  Suite *s = suite_create ("recording");
  TCase *tc = tcase_create ("recording");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_replay, 0, G_N_ELEMENTS (controllers));
  return s;
}

GST_CHECK_MAIN (recording);
