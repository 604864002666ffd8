/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * pspsink and pspsrc in network namespaces of their own, whose routes,
 * interfaces and MTU fail and return. Each test is a process: it leaves
 * nothing behind. Needs root; skipped where it is not.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session.h"

#define NEAR "10.99.7.1"
#define FAR "10.99.7.2"

/* Runs ip; the words are those of its command line. */
static gboolean
try_ip (const gchar * format, va_list args)
{
  gchar *words = g_strdup_vprintf (format, args);
  gchar *line = g_strconcat ("ip ", words, NULL);
  gchar *complaint = NULL;
  gint status;
  gboolean ok = g_spawn_command_line_sync (line, NULL, &complaint, &status,
      NULL) && g_spawn_check_wait_status (status, NULL);

  if (!ok)
    g_print ("%s: %s\n", line, complaint ? complaint : "cannot be run");
  g_free (complaint);
  g_free (line);
  g_free (words);
  return ok;
}

static void
G_GNUC_PRINTF (1, 2)
ip (const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  fail_unless (try_ip (format, args));
  va_end (args);
}

static gboolean
G_GNUC_PRINTF (1, 2)
can_ip (const gchar * format, ...)
{
  gboolean ok;
  va_list args;

  va_start (args, format);
  ok = try_ip (format, args);
  va_end (args);
  return ok;
}

/* The far end: a thread that has a namespace, and runs what it is told to
 * there. A socket belongs to the namespace in which it was made. */
typedef struct
{
  GThread *thread;
  GMutex lock;
  GCond cond;
  pid_t tid;
  gchar *task;                  /* ip's words; NULL = done */
  gboolean stop;
  GSocket *socket;
} Far;

static gpointer
far_run (gpointer data)
{
  Far *far = data;

  g_mutex_lock (&far->lock);
  fail_unless (unshare (CLONE_NEWNET) == 0);
  far->tid = (pid_t) syscall (SYS_gettid);
  g_cond_broadcast (&far->cond);
  while (!far->stop) {
    if (far->task) {
      if (g_str_equal (far->task, "socket")) {
        GSocketAddress *any = g_inet_socket_address_new_from_string (FAR, 0);

        far->socket = g_socket_new (G_SOCKET_FAMILY_IPV4,
            G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
        fail_unless (g_socket_bind (far->socket, any, FALSE, NULL));
        g_object_unref (any);
      } else {
        ip ("%s", far->task);
      }
      g_clear_pointer (&far->task, g_free);
      g_cond_broadcast (&far->cond);
    }
    if (!far->stop)
      g_cond_wait (&far->cond, &far->lock);
  }
  g_mutex_unlock (&far->lock);
  return NULL;
}

static void
far_do (Far * far, const gchar * task)
{
  g_mutex_lock (&far->lock);
  far->task = g_strdup (task);
  g_cond_broadcast (&far->cond);
  while (far->task)
    g_cond_wait (&far->cond, &far->lock);
  g_mutex_unlock (&far->lock);
}

/* From now on this process is in one namespace and far in another one, with
 * a cable between. */
static void
far_init (Far * far)
{
  memset (far, 0, sizeof *far);
  g_mutex_init (&far->lock);
  g_cond_init (&far->cond);
  fail_unless (unshare (CLONE_NEWNET) == 0);
  g_mutex_lock (&far->lock);
  far->thread = g_thread_new ("far", far_run, far);
  while (!far->tid)
    g_cond_wait (&far->cond, &far->lock);
  g_mutex_unlock (&far->lock);

  ip ("link add near type veth peer name far netns %d", (int) far->tid);
  ip ("address add " NEAR "/24 dev near");
  ip ("link set lo up");
  ip ("link set near up");
  far_do (far, "address add " FAR "/24 dev far");
  far_do (far, "link set lo up");
  far_do (far, "link set far up");
  far_do (far, "socket");
}

static void
far_clear (Far * far)
{
  g_mutex_lock (&far->lock);
  far->stop = TRUE;
  g_cond_broadcast (&far->cond);
  g_mutex_unlock (&far->lock);
  g_thread_join (far->thread);
  g_object_unref (far->socket);
  g_mutex_clear (&far->lock);
  g_cond_clear (&far->cond);
}

/* Something waits to be said, and it is one warning about this. */
static void
expect_one_warning (GstBus * bus, const gchar * part)
{
  guint n = 0;

  WAIT_UNTIL ((n = session_warnings (bus, part)) > 0, "no warning");
  fail_unless_equals_int (n, 1);
}

/* Ways in which nothing can be sent to the far end. */
static const struct
{
  const gchar *what, *begin, *end, *said;
} outages[] = {
  {"no route", "route del 10.99.7.0/24", "route add 10.99.7.0/24 dev near src "
        NEAR, "Network is unreachable"},
  {"unreachable", "route add unreachable " FAR "/32",
      "route del unreachable " FAR "/32", "No route to host"},
  {"prohibited", "route add prohibit " FAR "/32",
      "route del prohibit " FAR "/32", "Permission denied"},
  {"black hole", "route add blackhole " FAR "/32",
      "route del blackhole " FAR "/32", "Invalid argument"},
  {"interface down", "link set near down", "link set near up",
      "Network is unreachable"},
};

/* The path breaks in mid-stream, or is broken from the start: packets are
 * counted as they fail, there is one warning that says why, and with the path
 * media and feedback are back. */
GST_START_TEST (test_outage)
{
  const guint kind = __i__ / 2;
  const gboolean from_start = __i__ % 2;
  gdouble errors;
  Receiver r;
  Sender s;
  Far far;

  far_init (&far);
  receiver_init (&r, far.socket);
  if (from_start)
    ip ("%s", outages[kind].begin);
  sender_init (&s, r.port, "host", FAR, "controller", "scp",
      "max-target-bitrate", (guint64) 4000000, "min-target-bitrate",
      (guint64) 200000, NULL);
  sender_feed (&s);
  if (!from_start) {
    receiver_wait_more (&r, 30);
    wait_feedback (&s, 5);
    ip ("%s", outages[kind].begin);
  }
  errors = session_stat (s.sink, "send-errors");
  WAIT_UNTIL (session_stat (s.sink, "send-errors") > errors + 5 &&
      session_link_is (s.sink, "silent"), "nothing fails");
  expect_one_warning (s.bus, outages[kind].said);

  ip ("%s", outages[kind].end);
  receiver_wait_more (&r, 30);
  wait_feedback (&s, 5);
  WAIT_UNTIL (session_link_is (s.sink, "alive"), "it stays silent");
  receiver_wait_more (&r, 30);
  sender_check_sums (&s);
  fail_unless_equals_int (session_warnings (s.bus, NULL), 0);
  fail_unless_equals_int (session_warnings (r.bus, NULL), 0);
  sender_clear (&s);
  receiver_clear (&r);
  far_clear (&far);
}

GST_END_TEST;

/* The same, told once however long it lasts and however rarely packets are
 * tried; the next one is told again. */
GST_START_TEST (test_long_outage)
{
  Receiver r;
  Sender s;
  Far far;

  far_init (&far);
  receiver_init (&r, far.socket);
  sender_init (&s, r.port, "host", FAR, "controller", "fixed", "spacing",
      1100 * GST_MSECOND, NULL);
  ip ("link set near down");
  sender_feed (&s);
  WAIT_UNTIL (session_stat (s.sink, "send-errors") >= 4, "nothing fails");
  expect_one_warning (s.bus, "Network is unreachable");

  ip ("link set near up");
  receiver_wait_more (&r, 2);
  ip ("link set near down");
  expect_one_warning (s.bus, "Network is unreachable");
  fail_unless_equals_int (session_warnings (r.bus, NULL), 0);
  sender_clear (&s);
  receiver_clear (&r);
  far_clear (&far);
}

GST_END_TEST;

/* The far end's interface goes down and up: here nothing fails, but nobody
 * answers. */
GST_START_TEST (test_receiver_interface)
{
  Receiver r;
  Sender s;
  Far far;

  far_init (&far);
  receiver_init (&r, far.socket);
  sender_init (&s, r.port, "host", FAR, "controller", "scp",
      "max-target-bitrate", (guint64) 4000000, NULL);
  sender_feed (&s);
  for (guint i = 0; i < 2; i++) {
    receiver_wait_more (&r, 30);
    wait_feedback (&s, 5);
    far_do (&far, "link set far down");
    WAIT_UNTIL (session_link_is (s.sink, "silent"), "silence is not noticed");
    far_do (&far, "link set far up");
    receiver_wait_more (&r, 30);
    wait_feedback (&s, 5);
    WAIT_UNTIL (session_link_is (s.sink, "alive"), "it stays silent");
  }
  sender_check_sums (&s);
  /* The cable is unplugged then: the kernel may or may not refuse packets. */
  session_warnings (s.bus, "Cannot send to");
  fail_unless_equals_int (session_warnings (r.bus, NULL), 0);
  sender_clear (&s);
  receiver_clear (&r);
  far_clear (&far);
}

GST_END_TEST;

/* Packets above the path's MTU: one warning that names the remedy; all others
 * arrive, and so do the large ones, in fragments. */
GST_START_TEST (test_mtu)
{
  const gboolean in_lists = __i__ == 1;
  Receiver r;
  Sender s;
  Far far;

  far_init (&far);
  ip ("link set near mtu 1280");
  far_do (&far, "link set far mtu 1280");
  receiver_init (&r, far.socket);
  sender_init (&s, r.port, "host", FAR, "controller", "none", NULL);
  for (guint i = 0; i < 20; i++) {
    GstBufferList *list = gst_buffer_list_new ();

    for (guint k = 0; k < 10; k++) {
      GstBuffer *buffer = sender_packet (&s, (i & 1 ? 1400 : 1252) - HEADER);

      if (in_lists) {
        gst_buffer_list_add (list, buffer);
      } else {
        fail_unless_equals_int (gst_harness_push (s.h, buffer), GST_FLOW_OK);
      }
    }
    fail_unless_equals_int (gst_pad_push_list (s.h->srcpad, list), GST_FLOW_OK);
    WAIT_UNTIL (receiver_got (&r) == (i + 1) * 10, "%u of %u packets arrive",
        receiver_got (&r), (i + 1) * 10);
  }
  expect_one_warning (s.bus, "mtu property to at most 1252");
  fail_unless (session_stat (s.sink, "send-errors") == 0);
  fail_unless_equals_int (session_warnings (r.bus, NULL), 0);
  sender_clear (&s);
  receiver_clear (&r);
  far_clear (&far);
}

GST_END_TEST;

/* A list of packets of so many bytes, all of which arrive. */
static void
push_large (Sender * s, Receiver * r, gsize size)
{
  GstBufferList *list = gst_buffer_list_new ();
  guint before = receiver_got (r);

  for (guint i = 0; i < 10; i++)
    gst_buffer_list_add (list, sender_packet (s, size - HEADER));
  fail_unless_equals_int (gst_pad_push_list (s->h->srcpad, list), GST_FLOW_OK);
  WAIT_UNTIL (receiver_got (r) == before + 10, "%u of 10 packets arrive",
      receiver_got (r) - before);
}

/* The path's MTU falls while packets flow: told once, and they arrive still;
 * once it has risen the kernel cuts runs of packets again. */
GST_START_TEST (test_mtu_falls)
{
  gint64 end = g_get_monotonic_time () + WATCHDOG * G_TIME_SPAN_SECOND;
  gboolean segments;
  Receiver r;
  Sender s;
  Far far;

  far_init (&far);
  receiver_init (&r, far.socket);
  sender_init (&s, r.port, "host", FAR, "controller", "none", NULL);
  push_large (&s, &r, 1400);
  segments = session_stat (s.sink, "segment") > 0;
  fail_unless_equals_int (session_warnings (s.bus, NULL), 0);

  ip ("link set near mtu 1280");
  while (session_warnings (s.bus, "mtu property to at most 1252") == 0) {
    fail_unless (g_get_monotonic_time () < end, "it is not noticed");
    push_large (&s, &r, 1400);
  }
  push_large (&s, &r, 1400);
  fail_unless (session_stat (s.sink, "segment") == 0);

  ip ("link set near mtu 1500");
  WAIT_UNTIL ((push_large (&s, &r, 100),
          (session_stat (s.sink, "segment") > 0) == segments),
      "segments are not tried again");
  push_large (&s, &r, 1400);
  fail_unless_equals_int (session_warnings (s.bus, NULL), 0);
  fail_unless (session_stat (s.sink, "send-errors") == 0);
  sender_clear (&s);
  receiver_clear (&r);
  far_clear (&far);
}

GST_END_TEST;

/* How many of the messages that wait say that the controller began anew. */
static guint
count_resets (GstBus * bus)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT))) {
    const GstStructure *s = gst_message_get_structure (message);

    n += gst_structure_has_name (s, "GstCongestion") &&
        g_strcmp0 (gst_structure_get_string (s, "reason"), "reset") == 0;
    gst_message_unref (message);
  }
  return n;
}

/* A second cable between the two ends, by which nothing goes yet. */
static void
far_connect_again (Far * far)
{
  ip ("link add near2 type veth peer name far2 netns %d", (int) far->tid);
  ip ("address add 10.99.8.1/24 dev near2");
  ip ("link set near2 up");
  far_do (far, "address add 10.99.8.2/24 dev far2");
  far_do (far, "link set far2 up");
}

/* The route to the receiver moves to another interface and back: the controller
 * starts anew each time, and what it had measured is forgotten. Other changes
 * of routes, addresses and links leave it alone, as they do a controller that
 * measures nothing. */
GST_START_TEST (test_interface_switch)
{
  const gboolean measures = __i__ == 0;
  Receiver r;
  Sender s;
  Far far;

  far_init (&far);
  far_connect_again (&far);
  receiver_init (&r, far.socket);
  sender_init (&s, r.port, "host", FAR, "controller",
      measures ? "scp" : "fixed", "max-target-bitrate", (guint64) 4000000,
      NULL);
  sender_feed (&s);
  receiver_wait_more (&r, 30);
  wait_feedback (&s, 5);

  /* Each of these makes the kernel speak; none moves the route. */
  ip ("route add 10.99.9.0/24 via 10.99.8.2 dev near2");
  ip ("address add 10.99.8.3/24 dev near2");
  ip ("link set near2 mtu 1400");
  ip ("route add " FAR "/32 dev near src " NEAR);
  receiver_wait_more (&r, 200);
  fail_unless_equals_int (count_resets (s.bus), 0);

  ip ("route replace " FAR "/32 via 10.99.8.2 dev near2");
  if (measures) {
    WAIT_UNTIL (count_resets (s.bus) > 0, "the switch is not noticed");
  }
  receiver_wait_more (&r, 200);
  wait_feedback (&s, 5);
  ip ("route del " FAR "/32");
  if (measures) {
    WAIT_UNTIL (count_resets (s.bus) > 0, "the way back is not noticed");
  }
  receiver_wait_more (&r, 200);
  wait_feedback (&s, 5);
  fail_unless_equals_int (count_resets (s.bus), 0);
  /* What was in flight at a reset is forgotten. */
  if (!measures)
    sender_check_sums (&s);
  fail_unless_equals_int (session_warnings (s.bus, NULL), 0);
  sender_clear (&s);
  receiver_clear (&r);
  far_clear (&far);
}

GST_END_TEST;

/* Tried where nothing else is at stake. */
static gboolean
can_run (void)
{
  pid_t child = fork ();
  int status = 0;

  if (child == 0) {
    if (unshare (CLONE_NEWNET) < 0) {
      g_print ("skipped: no network namespace can be made: %s\n",
          g_strerror (errno));
      fflush (stdout);
      _exit (1);
    }
    if (!can_ip ("link add near type veth peer name far")) {
      g_print ("skipped: no veth device can be made\n");
      fflush (stdout);
      _exit (1);
    }
    _exit (0);
  }
  return child > 0 && waitpid (child, &status, 0) == child &&
      WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

static Suite *
faults_netns_suite (void)
{
  Suite *s = suite_create ("faults-netns");
  TCase *tc = tcase_create ("faults-netns");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_outage, 0, 2 * G_N_ELEMENTS (outages));
  tcase_add_test (tc, test_long_outage);
  tcase_add_test (tc, test_receiver_interface);
  tcase_add_loop_test (tc, test_mtu, 0, 2);
  tcase_add_test (tc, test_mtu_falls);
  tcase_add_loop_test (tc, test_interface_switch, 0, 2);
  return s;
}

int
main (int argc, char **argv)
{
  const gchar *fork_mode = g_getenv ("CK_FORK");

  gst_check_init (&argc, &argv);
  if (g_strcmp0 (fork_mode, "no") == 0) {
    g_print ("skipped: with CK_FORK=no tests would share a namespace\n");
    return 77;
  }
  if (!can_run ())
    return 77;
  return gst_check_run_suite (faults_netns_suite (), "faults-netns", __FILE__);
}
