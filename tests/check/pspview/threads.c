/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The tracer's thread beside threads of an application that make, play and drop
 * elements, while viewers come and go. GST_TRACERS has pspview.
 */
#include <gst/check/gstcheck.h>

#include <glib/gstdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define APPLICATIONS 3
#define PATIENCE (60 * G_USEC_PER_SEC)

static gchar *folder, *path;
static int listener;
static gint is_over;

static void
start_listening (void)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX };
  struct timeval patience = { PATIENCE / G_USEC_PER_SEC, 0 };

  g_strlcpy (address.sun_path, path, sizeof address.sun_path);
  listener = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  fail_unless (bind (listener, (struct sockaddr *) &address,
          sizeof address) == 0);
  fail_unless (listen (listener, 4) == 0);
  fail_unless (setsockopt (listener, SOL_SOCKET, SO_RCVTIMEO, &patience,
          sizeof patience) == 0);
}

static void
stop_listening (void)
{
  close (listener);
  g_unlink (path);
}

/* Reads what a process reports until all of these came, in any order. */
static void
hear (const gchar * const *wanted)
{
  int viewer = accept (listener, NULL, NULL);
  struct timeval patience = { PATIENCE / G_USEC_PER_SEC, 0 };
  GString *heard = g_string_new (NULL);
  gchar text[4096];
  gssize n;

  fail_unless (viewer >= 0);
  setsockopt (viewer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  while (*wanted) {
    n = recv (viewer, text, sizeof text, 0);
    fail_unless (n > 0, "%s did not come", *wanted);
    g_string_append_len (heard, text, n);
    while (*wanted && strstr (heard->str, *wanted))
      wanted++;
  }
  g_string_free (heard, TRUE);
  close (viewer);
}

static GstElement *
make_pipeline (void)
{
  return gst_parse_launch ("fakesrc num-buffers=50 sizetype=fixed "
      "! encoderbitrate ! fakesink", NULL);
}

static gpointer
apply (G_GNUC_UNUSED gpointer data)
{
  GstElement *pipeline;

  while (!g_atomic_int_get (&is_over)) {
    pipeline = make_pipeline ();
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    g_usleep (20000);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
  }
  return NULL;
}

GST_START_TEST (test_viewers_come_and_go)
{
  static const gchar *const wanted[] = {
    "\"protocol\":1", "\"type\":\"encoderbitrate\"", "\"gone\":", NULL
  };
  GThread *threads[APPLICATIONS];
  guint i;

  for (i = 0; i < APPLICATIONS; i++)
    threads[i] = g_thread_new ("application", apply, NULL);
  for (i = 0; i < 2; i++) {
    start_listening ();
    hear (wanted);
    stop_listening ();
  }
  g_atomic_int_set (&is_over, 1);
  for (i = 0; i < APPLICATIONS; i++)
    g_thread_join (threads[i]);
}

GST_END_TEST;

static void
on_gone (gpointer data, G_GNUC_UNUSED GObject * object)
{
  g_atomic_int_set ((gint *) data, 1);
}

/* The tracer keeps no element, and what ends a test ends the tracer while it has
 * a viewer. */
GST_START_TEST (test_end)
{
  static const gchar *const wanted[] = { "\"protocol\":1", NULL };
  GstElement *element = gst_element_factory_make ("encoderbitrate", NULL);
  gint is_gone = 0;

  fail_unless (element != NULL);
  g_object_weak_ref (G_OBJECT (element), on_gone, &is_gone);
  start_listening ();
  hear (wanted);
  gst_object_unref (element);
  while (!g_atomic_int_get (&is_gone))
    g_usleep (1000);
  stop_listening ();
}

GST_END_TEST;

static gint n_forgotten;

static void
on_log (G_GNUC_UNUSED GstDebugCategory * category,
    G_GNUC_UNUSED GstDebugLevel level, G_GNUC_UNUSED const gchar * file,
    G_GNUC_UNUSED const gchar * function, G_GNUC_UNUSED gint line,
    G_GNUC_UNUSED GObject * object, GstDebugMessage * message,
    G_GNUC_UNUSED gpointer data)
{
  guint n;

  if (sscanf (gst_debug_message_get (message), "forgot %u", &n) == 1)
    g_atomic_int_add (&n_forgotten, (gint) n);
}

static void
wait_for_forgotten (gint n)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;

  while (g_atomic_int_get (&n_forgotten) < n) {
    fail_unless (g_get_monotonic_time () < end, "%d of %d were forgotten",
        g_atomic_int_get (&n_forgotten), n);
    g_usleep (10000);
  }
}

/* A server that nobody looks at does not grow; nor does one that somebody
 * looked at. */
GST_START_TEST (test_nobody_looks)
{
  static const gchar *const wanted[] = { "\"type\":\"encoderbitrate\"", NULL };
  GstElement *kept, *told;
  guint i;

  gst_debug_add_log_function (on_log, NULL, NULL);
  gst_debug_set_threshold_for_name ("pspview", GST_LEVEL_DEBUG);
  kept = gst_element_factory_make ("encoderbitrate", NULL);
  for (i = 0; i < 100; i++)
    gst_object_unref (gst_element_factory_make ("encoderbitrate", NULL));
  wait_for_forgotten (100);

  told = make_pipeline ();
  start_listening ();
  gst_element_set_state (told, GST_STATE_PLAYING);
  hear (wanted);
  stop_listening ();
  gst_element_set_state (told, GST_STATE_NULL);
  gst_object_unref (told);
  wait_for_forgotten (101);
  gst_object_unref (kept);
  wait_for_forgotten (102);
  gst_debug_remove_log_function (on_log);
}

GST_END_TEST;

static Suite *
threads_suite (void)
{
  Suite *s = suite_create ("pspview-threads");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_viewers_come_and_go);
  tcase_add_test (tc, test_nobody_looks);
  tcase_add_test (tc, test_end);
  return s;
}

int
main (int argc, char **argv)
{
  int n_failed;

  folder = g_dir_make_tmp (NULL, NULL);
  path = g_build_filename (folder, "socket", NULL);
  g_setenv ("GST_PSP_VIEW_SOCKET", path, TRUE);
  gst_check_init (&argc, &argv);
  n_failed = gst_check_run_suite (threads_suite (), "pspview-threads",
      __FILE__);
  g_rmdir (folder);
  g_free (path);
  g_free (folder);
  return n_failed;
}
