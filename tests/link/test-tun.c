/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * psp-link-tun with real protocols across it. Needs root; otherwise the test
 * is skipped (exit status 77, the reason on stderr).
 */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay.h"

#define SKIP 77
#define WATCHDOG 20000          /* ms, for what must come */
#define TCP_BYTES 300000
#define FORWARD "rate=20M,delay=5ms,queue=50p"
#define BACK "rate=20M,delay=5ms,queue=50p"

typedef struct
{
  GSubprocess *process;
  GDataInputStream *out;
  char *log;
  char *a, *b;                  /* namespaces */
} Tun;

static void
start (Tun * tun)
{
  GError *error = NULL;
  char **words, *line;

  tun->log = g_strdup_printf ("%s/link-tun-%d-XXXXXX.csv", g_get_tmp_dir (),
      (int) getpid ());
  close (g_mkstemp (tun->log));
  tun->process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error,
      g_getenv ("PSP_LINK_TUN"), "--forward", FORWARD, "--back", BACK, "--log",
      tun->log, NULL);
  fail_unless (tun->process != NULL, "%s", error ? error->message : "");
  tun->out = g_data_input_stream_new
      (g_subprocess_get_stdout_pipe (tun->process));
  line = g_data_input_stream_read_line (tun->out, NULL, NULL, NULL);
  fail_unless (line && g_str_has_prefix (line, "ready "), "%s", line);
  words = g_strsplit (line, " ", -1);
  fail_unless_equals_int (g_strv_length (words), 3);
  tun->a = g_strdup (words[1]);
  tun->b = g_strdup (words[2]);
  g_strfreev (words);
  g_free (line);
}

static gboolean
namespace_exists (const char *name)
{
  char *path = g_build_filename ("/run/netns", name, NULL);
  gboolean exists = g_file_test (path, G_FILE_TEST_EXISTS);

  g_free (path);
  return exists;
}

static void
clear (Tun * tun)
{
  g_unlink (tun->log);
  g_free (tun->log);
  g_free (tun->a);
  g_free (tun->b);
  g_object_unref (tun->out);
  g_object_unref (tun->process);
}

/* Sums of the run; the namespaces must be gone. */
static char *
stop (Tun * tun)
{
  char *json;

  g_subprocess_send_signal (tun->process, SIGTERM);
  json = g_data_input_stream_read_line (tun->out, NULL, NULL, NULL);
  fail_unless (g_subprocess_wait_check (tun->process, NULL, NULL));
  fail_unless (json != NULL);
  fail_if (namespace_exists (tun->a));
  fail_if (namespace_exists (tun->b));
  return json;
}

/* A socket stays where it was made, so the thread goes and comes back. */
static int
socket_in (const char *name, int family, int type)
{
  char *path = g_build_filename ("/run/netns", name, NULL);
  int own = open ("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  int there = open (path, O_RDONLY | O_CLOEXEC);
  int fd;

  fail_unless (own >= 0 && there >= 0, "%s: %s", path, g_strerror (errno));
  fail_unless (setns (there, CLONE_NEWNET) == 0);
  fd = socket (family, type | SOCK_CLOEXEC, 0);
  fail_unless (setns (own, CLONE_NEWNET) == 0);
  fail_unless (fd >= 0);
  close (own);
  close (there);
  g_free (path);
  return fd;
}

static void
wait_readable (int fd)
{
  struct pollfd poll_fd = { fd, POLLIN, 0 };

  fail_unless (poll (&poll_fd, 1, WATCHDOG) == 1, "nothing came");
}

static void
udp_round_trip (const Tun * tun, int family, struct sockaddr *to,
    socklen_t size)
{
  int a = socket_in (tun->a, family, SOCK_DGRAM);
  int b = socket_in (tun->b, family, SOCK_DGRAM);
  struct sockaddr_storage from;
  socklen_t length = size;
  char data[100] = "across";

  fail_unless (bind (b, to, size) == 0, "%s", g_strerror (errno));
  fail_unless (getsockname (b, to, &length) == 0);
  fail_unless (sendto (a, data, sizeof data, 0, to, size) == sizeof data);
  wait_readable (b);
  length = sizeof from;
  memset (data, 0, sizeof data);
  fail_unless (recvfrom (b, data, sizeof data, 0, (struct sockaddr *) &from,
          &length) == sizeof data);
  fail_unless_equals_string (data, "across");
  fail_unless (sendto (b, data, 10, 0, (struct sockaddr *) &from,
          length) == 10);
  wait_readable (a);
  fail_unless (recv (a, data, sizeof data, 0) == 10);
  close (a);
  close (b);
}

static void
tcp_transfer (const Tun * tun)
{
  int listener = socket_in (tun->b, AF_INET, SOCK_STREAM);
  int sender = socket_in (tun->a, AF_INET, SOCK_STREAM);
  struct sockaddr_in to = { 0 };
  socklen_t length = sizeof to;
  char data[10000] = { 0 };
  size_t received = 0;
  ssize_t n;
  int fd;
  pid_t pid;

  to.sin_family = AF_INET;
  inet_pton (AF_INET, "10.99.0.2", &to.sin_addr);
  fail_unless (bind (listener, (struct sockaddr *) &to, length) == 0);
  fail_unless (listen (listener, 1) == 0);
  fail_unless (getsockname (listener, (struct sockaddr *) &to, &length) == 0);
  fail_unless (connect (sender, (struct sockaddr *) &to, length) == 0);
  fd = accept (listener, NULL, NULL);
  fail_unless (fd >= 0);
  pid = fork ();
  fail_unless (pid >= 0);
  if (pid == 0) {
    int left = TCP_BYTES;

    for (; left > 0; left -= (int) n)
      if ((n = write (sender, data, MIN (sizeof data, (size_t) left))) <= 0)
        break;
    _exit (left != 0);
  }
  close (sender);
  do {
    wait_readable (fd);
    n = read (fd, data, sizeof data);
    fail_unless (n >= 0);
    received += (size_t) n;
  } while (n > 0);
  fail_unless_equals_int (received, TCP_BYTES);
  fail_unless (waitpid (pid, NULL, 0) == pid);
  close (fd);
  close (listener);
}

GST_START_TEST (test_traffic)
{
  struct sockaddr_in to = { 0 };
  struct sockaddr_in6 to6 = { 0 };
  guint64 drops;
  char *json;
  Tun tun;

  start (&tun);
  fail_unless (namespace_exists (tun.a) && namespace_exists (tun.b));
  to.sin_family = AF_INET;
  inet_pton (AF_INET, "10.99.0.2", &to.sin_addr);
  udp_round_trip (&tun, AF_INET, (struct sockaddr *) &to, sizeof to);
  to6.sin6_family = AF_INET6;
  inet_pton (AF_INET6, "fd99::2", &to6.sin6_addr);
  udp_round_trip (&tun, AF_INET6, (struct sockaddr *) &to6, sizeof to6);
  tcp_transfer (&tun);
  json = stop (&tun);

  drops = replay_sum (json, NULL, "kernel-drops-a") +
      replay_sum (json, NULL, "kernel-drops-b");
  fail_unless_equals_uint64 (drops, 0);
  fail_unless (replay_sum (json, "forward", "delivered-bytes") > TCP_BYTES);
  fail_unless_equals_uint64 (replay_sum (json, "forward", "offered"),
      replay_check (tun.log, "forward", FORWARD, 0));
  fail_unless_equals_uint64 (replay_sum (json, "back", "offered"),
      replay_check (tun.log, "back", BACK, 0));
  g_free (json);
  clear (&tun);
}

GST_END_TEST;

/* The command finds its namespaces; its status is handed on. */
GST_START_TEST (test_command)
{
  static const char script[] = "test -e /run/netns/$LINK_NS_A && "
      "test -e /run/netns/$LINK_NS_B && test $LINK_NS_A = $0 && "
      "test $LINK_ADDR_A = 10.99.0.1 && test $LINK_ADDR_B = 10.99.0.2 && "
      "test $LINK_ADDR6_A = fd99::1 && test $LINK_ADDR6_B = fd99::2 && "
      "exit 7";
  char *name = g_strdup_printf ("pspleft-%d", (int) getpid ());
  GSubprocess *process;

  process = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, NULL,
      g_getenv ("PSP_LINK_TUN"), "--left", name, "--", "sh", "-c", script,
      name, NULL);
  fail_unless (g_subprocess_wait (process, NULL, NULL));
  fail_unless (g_subprocess_get_if_exited (process));
  fail_unless_equals_int (g_subprocess_get_exit_status (process), 7);
  fail_if (namespace_exists (name));
  g_object_unref (process);
  g_free (name);
}

GST_END_TEST;

/* Told to end, it ends its command; and a name in use is refused. */
GST_START_TEST (test_end_of_command)
{
  GSubprocess *process, *intruder;
  GDataInputStream *out;
  char *name = g_strdup_printf ("pspleft-%d", (int) getpid ());
  char *line;

  process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, NULL,
      g_getenv ("PSP_LINK_TUN"), "--left", name, "--", "sh", "-c",
      "echo started; exec sleep 1000", NULL);
  out = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  line = g_data_input_stream_read_line (out, NULL, NULL, NULL);
  fail_unless_equals_string (line, "started");
  intruder = g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_SILENCE, NULL,
      g_getenv ("PSP_LINK_TUN"), "--left", name, "--", "true", NULL);
  fail_unless (g_subprocess_wait (intruder, NULL, NULL));
  fail_unless_equals_int (g_subprocess_get_exit_status (intruder), 1);
  fail_unless (namespace_exists (name));

  g_subprocess_send_signal (process, SIGTERM);
  fail_unless (g_subprocess_wait (process, NULL, NULL));
  fail_unless_equals_int (g_subprocess_get_exit_status (process),
      128 + SIGTERM);
  fail_if (namespace_exists (name));
  g_object_unref (out);
  g_object_unref (intruder);
  g_object_unref (process);
  g_free (line);
  g_free (name);
}

GST_END_TEST;

/* Even killed, it leaves nothing behind: its guard sees to that, soon. */
GST_START_TEST (test_killed)
{
  int tries;
  Tun tun;

  start (&tun);
  g_subprocess_send_signal (tun.process, SIGKILL);
  fail_unless (g_subprocess_wait (tun.process, NULL, NULL));
  for (tries = 0; tries < WATCHDOG / 10 && (namespace_exists (tun.a) ||
          namespace_exists (tun.b)); tries++)
    poll (NULL, 0, 10);
  fail_if (namespace_exists (tun.a));
  fail_if (namespace_exists (tun.b));
  clear (&tun);
}

GST_END_TEST;

static Suite *
link_tun_suite (void)
{
  Suite *s = suite_create ("link-tun");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_traffic);
  tcase_add_test (tc, test_command);
  tcase_add_test (tc, test_end_of_command);
  tcase_add_test (tc, test_killed);
  return s;
}

/* The program itself knows whether and why it cannot run here. No GSubprocess:
 * its thread would not survive the forks of the test runner. */
static gboolean
can_run (void)
{
  char *args[] = { (char *) g_getenv ("PSP_LINK_TUN"), (char *) "--",
    (char *) "true", NULL
  };
  int status;

  if (!args[0] || !g_spawn_sync (NULL, args, NULL,
          G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, NULL,
          NULL, &status, NULL))
    return TRUE;                /* the tests will say what is missing */
  return !WIFEXITED (status) || WEXITSTATUS (status) != SKIP;
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  if (!can_run ())
    return SKIP;
  return gst_check_run_suite (link_tun_suite (), "link_tun", __FILE__);
}
