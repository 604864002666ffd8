/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Events by eBPF, over loopback in a network namespace of its own, whose
 * counters are the truth. Needs root and a kernel that takes the program;
 * otherwise the test is skipped (exit status 77, the reason on stderr).
 */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../rounds.h"
#include "bpf/layout.h"
#include "source.h"

#define SKIP 77
#define NOBODY 65534
#define MSECOND G_GINT64_CONSTANT (1000000)
/* Long, for nothing is asserted about how long anything takes. */
#define MAX_WAIT (30 * PSP_SECOND)
/* Events of some 25 that may pass the program by: the kernel does not always call
 * it while those of other processes come to the tracepoint and leave it, as other
 * tests make them do. */
#define MAX_PASSED 5
#define NO_HELPER "/nonexistent"

/* Connections. */

typedef struct
{
  int sender, receiver;
  ItcpSource source;
  ItcpFindings sum;
  gint64 last;                  /* the newest kernel time reported */
  guint untimed;                /* looks that found something without a time */
} Connection;

static gint64
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * PSP_SECOND + t.tv_nsec;
}

static gint64
deadline (void)
{
  return now () + MAX_WAIT;
}

static void
connection_init (Connection * c)
{
  static const ItcpTcpConfig reno = {.congestion = "reno" };
  struct sockaddr_in a = {.sin_family = AF_INET };
  socklen_t size = sizeof a;
  int listener = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  memset (c, 0, sizeof *c);
  c->source.wake_fd = -1;
  a.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  g_assert_cmpint (bind (listener, (struct sockaddr *) &a, size), ==, 0);
  g_assert_cmpint (listen (listener, 1), ==, 0);
  getsockname (listener, (struct sockaddr *) &a, &size);
  g_assert_cmpint (itcp_tcp_connect ((struct sockaddr *) &a, size, &reno,
          &c->sender), ==, 0);
  c->receiver = accept4 (listener, NULL, NULL, SOCK_CLOEXEC);
  g_assert_cmpint (c->receiver, >=, 0);
  close (listener);
}

static void
connection_clear (Connection * c)
{
  itcp_source_close (&c->source);
  close (c->sender);
  close (c->receiver);
}

/* Those in effect; those permitted stay. Returns those before. */
static guint64
set_capabilities (guint64 set)
{
  struct __user_cap_header_struct header = {.version =
        _LINUX_CAPABILITY_VERSION_3
  };
  struct __user_cap_data_struct data[2];
  guint64 before;

  g_assert_cmpint (syscall (SYS_capget, &header, data), ==, 0);
  before = data[0].effective | (guint64) data[1].effective << 32;
  data[0].effective = (guint32) set & data[0].permitted;
  data[1].effective = (guint32) (set >> 32) & data[1].permitted;
  g_assert_cmpint (syscall (SYS_capset, &header, data), ==, 0);
  return before;
}

/* Some systems let only the privileged attach a filter. */
static void
drop_input (int fd)
{
  struct sock_filter drop = BPF_STMT (BPF_RET | BPF_K, 0);
  struct sock_fprog program = {.len = 1,.filter = &drop };
  guint64 before = set_capabilities (G_MAXUINT64);

  g_assert_cmpint (setsockopt (fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
          sizeof program), ==, 0);
  set_capabilities (before);
}

static void
accept_input (int fd)
{
  int unused = 0;

  setsockopt (fd, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof unused);
}

static void
look (Connection * c, gint64 until)
{
  struct pollfd p[] = {
    {.fd = c->sender},
    {.fd = c->source.wake_fd,.events = POLLIN}
  };
  ItcpReading reading;
  gint64 left;

  left = MIN (until - now (), c->source.klass->interval);
  if (left > 0)
    poll (p, 2, (int) ((left + MSECOND - 1) / MSECOND));
  g_assert_cmpint (itcp_source_read (&c->source, &reading), ==, 0);
  c->sum.rexmt += reading.found.rexmt;
  c->sum.dupack += reading.found.dupack;
  if (c->source.wake_fd >= 0) {
    gint64 times[] = { reading.rexmt_at, reading.dupack_at };
    guint found[] = { reading.found.rexmt, reading.found.dupack };

    for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
      g_assert_cmpint (times[i], <=, now ());
      g_assert_true (found[i] > 0 || times[i] == PSP_TIME_UNKNOWN);
      c->untimed += found[i] > 0 && times[i] == PSP_TIME_UNKNOWN;
      if (times[i] != PSP_TIME_UNKNOWN)
        g_assert_cmpint (times[i], >, c->last);
    }
    c->last = MAX (c->last, MAX (times[0], times[1]));
  }
}

static void
settle (Connection * c)
{
  gint64 until = deadline ();

  while (itcp_tcp_unacked (c->sender) > 0 && now () < until)
    look (c, until);
  look (c, 0);
  itcp_tcp_drain (c->receiver);
}

/* Nothing arrives until the timer has expired so often. */
static void
time_out (Connection * c, guint times)
{
  gint64 until = deadline ();
  guint8 data[1000] = { 0 };
  guint before = c->sum.rexmt;

  drop_input (c->receiver);
  g_assert_cmpint (itcp_tcp_write (c->sender, data, sizeof data, 0), >, 0);
  while (c->sum.rexmt < before + times && now () < until)
    look (c, until);
  accept_input (c->receiver);
  settle (c);
}

/* A segment is lost, and more follow. TCP's probe may mend that. */
static void
lose (Connection * c)
{
  guint8 data[10000] = { 0 };

  drop_input (c->receiver);
  g_assert_cmpint (itcp_tcp_write (c->sender, data, 1000, 0), ==, 1000);
  accept_input (c->receiver);
  g_assert_cmpint (itcp_tcp_write (c->sender, data, sizeof data, 1000), >, 0);
  settle (c);
}

static guint
counter (const gchar * name)
{
  gchar *text, **lines;
  guint found = 0;

  g_assert_true (g_file_get_contents ("/proc/thread-self/net/netstat", &text,
          NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] && lines[i + 1]; i += 2) {
    gchar **names = g_strsplit (lines[i], " ", -1);
    gchar **values = g_strsplit (lines[i + 1], " ", -1);

    for (guint k = 0; names[k] && values[k]; k++)
      if (g_str_equal (names[k], name))
        found = (guint) g_ascii_strtoull (values[k], NULL, 10);
    g_strfreev (names);
    g_strfreev (values);
  }
  g_strfreev (lines);
  g_free (text);
  return found;
}

static guint
recoveries (void)
{
  return counter ("TCPSackRecovery") + counter ("TCPRenoRecovery");
}

/* What a process holds, and whether the kernel still has it. */

typedef struct
{
  guint fds, n;
  struct
  {
    gchar kind;                 /* of program, map, link */
    guint32 id;
  } objects[16];
} Held;

static void
hold (Held * h, pid_t pid)
{
  gchar *path = g_strdup_printf ("/proc/%d/fdinfo", (int) pid);
  GDir *dir = g_dir_open (path, 0, NULL);
  const gchar *name;

  memset (h, 0, sizeof *h);
  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir))) {
    gchar *file = g_build_filename (path, name, NULL), *text;

    h->fds++;
    if (g_file_get_contents (file, &text, NULL, NULL)) {
      gchar **lines = g_strsplit (text, "\n", -1);
      gboolean is_link = strstr (text, "link_id:") != NULL;

      for (guint i = 0; lines[i]; i++) {
        guint id;

        if ((!is_link && (sscanf (lines[i], "prog_id: %u", &id) == 1
                    || sscanf (lines[i], "map_id: %u", &id) == 1))
            || sscanf (lines[i], "link_id: %u", &id) == 1) {
          g_assert_cmpuint (h->n, <, G_N_ELEMENTS (h->objects));
          h->objects[h->n].kind = lines[i][0];
          h->objects[h->n++].id = id;
        }
      }
      g_strfreev (lines);
      g_free (text);
    }
    g_free (file);
  }
  g_dir_close (dir);
  g_free (path);
}

static gboolean
exists (gchar kind, guint32 id)
{
  int fd = kind == 'p' ? bpf_prog_get_fd_by_id (id) :
      kind == 'm' ? bpf_map_get_fd_by_id (id) : bpf_link_get_fd_by_id (id);

  if (fd >= 0)
    close (fd);
  return fd >= 0;
}

/* The kernel frees them when it has time to. */
static void
assert_gone (const Held * h, const gchar * kinds)
{
  gint64 until = deadline ();

  for (guint i = 0; i < h->n; i++) {
    if (!strchr (kinds, h->objects[i].kind))
      continue;
    while (exists (h->objects[i].kind, h->objects[i].id)) {
      fail_unless (now () < until, "%c %u is left",
          h->objects[i].kind, h->objects[i].id);
      g_usleep (10000);
    }
  }
}

static void
assert_holds (const Held * h, guint programs, guint maps, guint links)
{
  guint p = 0, m = 0, l = 0;

  for (guint i = 0; i < h->n; i++) {
    p += h->objects[i].kind == 'p';
    m += h->objects[i].kind == 'm';
    l += h->objects[i].kind == 'l';
  }
  fail_unless (p == programs && m >= maps && l == links,
      "%u programs, %u maps, %u links", p, m, l);
}

/* The helper. */

typedef struct
{
  gchar *top, *directory;
  const gchar *group;           /* of readers; NULL = root's */
  pid_t pid;
} Helper;

static gboolean
helper_start (Helper * h, const gchar * mode)
{
  gchar *argv[] = { (gchar *) g_getenv ("ITCP_EVENTS"), (gchar *) "--directory",
    h->directory, (gchar *) "--mode", (gchar *) mode,
    h->group ? (gchar *) "--group" : NULL, (gchar *) h->group, NULL
  };
  gchar line[8] = "";
  int out;
  gssize n;

  fail_unless (g_spawn_async_with_pipes (NULL, argv, NULL,
          G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &h->pid, NULL, &out, NULL,
          NULL));
  n = read (out, line, sizeof line - 1);
  close (out);
  return n > 0 && g_str_has_prefix (line, "ready");
}

static void
helper_init_for (Helper * h, const gchar * group, const gchar * mode)
{
  h->group = group;
  /* Not below TMPDIR: root may have one of its own, and others look here. */
  h->top = g_mkdtemp (g_strdup ("/tmp/itcp-bpf-XXXXXX"));
  g_chmod (h->top, 0755);
  h->directory = g_build_filename (h->top, "events", NULL);
  g_setenv (ITCP_BPF_DIRECTORY_ENV, h->directory, TRUE);
  fail_unless (helper_start (h, mode));
}

static void
helper_init (Helper * h, const gchar * mode)
{
  helper_init_for (h, NULL, mode);
}

static int
helper_end (Helper * h, int signal_number)
{
  int status;

  kill (h->pid, signal_number);
  waitpid (h->pid, &status, 0);
  return status;
}

/* Its guard, that is, which alone has it as its parent. 0: there is none now. */
static pid_t
helper_guard (const Helper * h)
{
  gchar *path = g_strdup_printf ("/proc/%d/task/%d/children", (int) h->pid,
      (int) h->pid);
  gchar *text = NULL;
  pid_t pid = 0;

  if (g_file_get_contents (path, &text, NULL, NULL))
    pid = (pid_t) g_ascii_strtoll (text, NULL, 10);
  g_free (text);
  g_free (path);
  return pid;
}

/* It did not remove anything itself: its guard does, soon. */
static void
helper_wait_gone (const Helper * h)
{
  gint64 until = deadline ();

  while (g_file_test (h->directory, G_FILE_TEST_EXISTS)) {
    fail_unless (now () < until, "%s is left", h->directory);
    g_usleep (1000);
  }
}

static void
helper_clear (Helper * h)
{
  fail_if (g_file_test (h->directory, G_FILE_TEST_EXISTS));
  fail_unless (g_rmdir (h->top) == 0);
  g_free (h->directory);
  g_free (h->top);
  g_setenv (ITCP_BPF_DIRECTORY_ENV, NO_HELPER, TRUE);
}

/* Runs it in a process of its own, and hands on its assertions. */
static void
in_child (void (*run) (gpointer), gpointer data)
{
  pid_t pid = fork ();
  int status;

  fail_unless (pid >= 0);
  if (pid == 0) {
    run (data);
    _exit (0);
  }
  fail_unless (waitpid (pid, &status, 0) == pid);
  fail_unless (WIFEXITED (status) && WEXITSTATUS (status) == 0,
      "the child ended with status %x", status);
}

/* No capability is in effect any more. */
static void
become_nobody (void)
{
  g_assert_cmpint (prctl (PR_SET_KEEPCAPS, 1, 0, 0, 0), ==, 0);
  g_assert_cmpint (setgroups (0, NULL), ==, 0);
  g_assert_cmpint (setgid (NOBODY), ==, 0);
  g_assert_cmpint (setuid (NOBODY), ==, 0);
}

static void
assert_source (const Connection * c, const gchar * name)
{
  g_assert_cmpstr (c->source.klass->name, ==, name);
}

/* As many events as the kernel counted, with times. __i__ & 1: by the helper;
 * & 2: as with kernels that do not count timeouts. */
GST_START_TEST (test_counts)
{
  guint timeouts = counter ("TCPTimeouts"), entries = recoveries ();
  const guint n_losses = MAX (5, test_rounds (20));
  gint64 until = deadline ();
  Connection c;
  Helper h;

  if (__i__ & 1)
    helper_init (&h, "0660");
  connection_init (&c);
  fail_unless_equals_int (itcp_source_open (&c.source, ITCP_SOURCE_BPF,
          c.sender), 0);
  assert_source (&c, __i__ & 1 ? "bpf-pinned" : "bpf");
  fail_unless (c.source.wake_fd >= 0);
  if (__i__ & 2)
    itcp_source_ignore_total_rto (&c.source);
  time_out (&c, 3);
  while (c.sum.dupack < n_losses && now () < until)
    lose (&c);
  time_out (&c, 1);
  fail_unless (c.sum.rexmt >= 4);
  timeouts = counter ("TCPTimeouts") - timeouts;
  entries = recoveries () - entries;
  fail_unless (c.sum.rexmt <= timeouts && c.sum.rexmt + MAX_PASSED >= timeouts,
      "%u of %u timeouts", c.sum.rexmt, timeouts);
  /* TCP_INFO counts these. */
  fail_unless ((__i__ & 2) || c.sum.rexmt == timeouts,
      "%u of %u timeouts", c.sum.rexmt, timeouts);
  fail_unless (c.sum.dupack <= entries && c.sum.dupack + MAX_PASSED >= entries,
      "%u of %u recoveries", c.sum.dupack, entries);
  fail_unless (c.untimed <= MAX_PASSED, "%u without a time", c.untimed);
  connection_clear (&c);
  if (__i__ & 1) {
    fail_unless_equals_int (helper_end (&h, SIGTERM), 0);
    helper_clear (&h);
  }
}

GST_END_TEST;

/* The bell wakes who polls. */
GST_START_TEST (test_wakes)
{
  Connection c;

  connection_init (&c);
  fail_unless_equals_int (itcp_source_open (&c.source, ITCP_SOURCE_BPF,
          c.sender), 0);
  for (guint i = 0; i < 3; i++) {
    struct pollfd p = {.fd = c.source.wake_fd,.events = POLLIN };
    guint8 data[1000] = { 0 };
    guint before = c.sum.rexmt;

    fail_unless_equals_int (poll (&p, 1, 0), 0);
    drop_input (c.receiver);
    fail_unless (itcp_tcp_write (c.sender, data, sizeof data, 0) > 0);
    fail_unless_equals_int (poll (&p, 1, MAX_WAIT / MSECOND), 1);
    look (&c, 0);
    fail_unless (c.sum.rexmt > before);
    accept_input (c.receiver);
    settle (&c);
  }
  connection_clear (&c);
}

GST_END_TEST;

/* An ordinary user, by the helper: reads, and cannot silence others. */
static void
use_as_nobody (gpointer data)
{
  const Helper *h = data;
  gchar *bell = g_build_filename (h->directory, ITCP_BPF_BELL, NULL);
  gchar *alive = g_build_filename (h->directory, ITCP_BPF_ALIVE, NULL);
  struct itcp_bpf_alive sign = { 0, 0 };
  LIBBPF_OPTS (bpf_obj_get_opts, read_only,.file_flags = BPF_F_RDONLY);
  guint before = counter ("TCPTimeouts");
  int fd, zero = 0;
  Connection c;

  become_nobody ();
  connection_init (&c);
  g_assert_cmpint (itcp_source_open (&c.source, ITCP_SOURCE_AUTO, c.sender), ==,
      0);
  assert_source (&c, "bpf-pinned");
  time_out (&c, 2);
  g_assert_cmpuint (c.sum.rexmt, ==, counter ("TCPTimeouts") - before);
  lose (&c);

  g_assert_cmpint (bpf_obj_get (bell), ==, -EACCES);
  g_assert_cmpint (bpf_obj_get (alive), ==, -EACCES);
  fd = bpf_obj_get_opts (bell, &read_only);
  g_assert_cmpint (fd, >=, 0);
  g_assert_true (mmap (NULL, (gsize) sysconf (_SC_PAGESIZE),
          PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
  close (fd);
  fd = bpf_obj_get_opts (alive, &read_only);
  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (bpf_map_update_elem (fd, &zero, &sign, BPF_ANY), ==, -EPERM);
  close (fd);
  g_assert_cmpint (unlink (bell), !=, 0);
  connection_clear (&c);
}

/* Anybody, or whoever is of the group. */
GST_START_TEST (test_nobody)
{
  Helper h;

  if (__i__)
    helper_init_for (&h, G_STRINGIFY (NOBODY), "0660");
  else
    helper_init (&h, "0666");
  in_child (use_as_nobody, &h);
  fail_unless_equals_int (helper_end (&h, SIGINT), 0);
  helper_clear (&h);
}

GST_END_TEST;

static int
refuse_to_print (enum libbpf_print_level level, const char *format,
    va_list args)
{
  (void) args;
  if (level != LIBBPF_DEBUG)
    g_error ("libbpf said: %s", format);
  return 0;
}

static void
be_refused (gpointer data)
{
  Connection c;

  (void) data;
  /* A process without the privilege causes no output on stderr. */
  libbpf_set_print (refuse_to_print);
  become_nobody ();
  connection_init (&c);
  g_assert_cmpint (itcp_source_open (&c.source, ITCP_SOURCE_BPF, c.sender), <,
      0);
  g_assert_cmpint (itcp_source_open (&c.source, ITCP_SOURCE_AUTO, c.sender), ==,
      0);
  assert_source (&c, "error-queue");
  connection_clear (&c);
}

/* Whom the mode leaves out gets the next source. */
GST_START_TEST (test_not_for_all)
{
  Helper h;

  helper_init (&h, "0660");
  in_child (be_refused, NULL);
  fail_unless_equals_int (helper_end (&h, SIGTERM), 0);
  helper_clear (&h);
}

GST_END_TEST;

/* Two readers of the same helper: one that never looks takes nothing from the
 * other, and each hears of its own. */
GST_START_TEST (test_two_readers)
{
  Connection busy, idle;
  guint8 data[1000] = { 0 };
  gint64 until = deadline ();
  guint before;
  Helper h;

  helper_init (&h, "0660");
  connection_init (&busy);
  connection_init (&idle);
  fail_unless_equals_int (itcp_source_open (&busy.source, ITCP_SOURCE_BPF,
          busy.sender), 0);
  fail_unless_equals_int (itcp_source_open (&idle.source, ITCP_SOURCE_BPF,
          idle.sender), 0);
  assert_source (&busy, "bpf-pinned");
  assert_source (&idle, "bpf-pinned");
  drop_input (idle.receiver);
  fail_unless (itcp_tcp_write (idle.sender, data, sizeof data, 0) > 0);
  before = counter ("TCPTimeouts");
  while (counter ("TCPTimeouts") == before && now () < until)
    look (&busy, now () + 5 * MSECOND);
  fail_unless_equals_int (busy.sum.rexmt, 0);
  accept_input (idle.receiver);
  before = recoveries ();
  while (busy.sum.dupack < 10 && now () < until)
    lose (&busy);
  fail_unless (busy.sum.dupack >= 10);
  before = recoveries () - before;
  fail_unless (busy.sum.dupack <= before
      && busy.sum.dupack + MAX_PASSED >= before, "%u of %u recoveries",
      busy.sum.dupack, before);
  settle (&idle);
  fail_unless (idle.sum.rexmt >= 1);
  fail_unless_equals_int (idle.sum.dupack, 0);
  connection_clear (&busy);
  connection_clear (&idle);
  fail_unless_equals_int (helper_end (&h, SIGTERM), 0);
  helper_clear (&h);
}

GST_END_TEST;

/* Its own program is gone with the process, however that ends. */
GST_START_TEST (test_nothing_left)
{
  static const int signals[] = { SIGKILL, SIGTERM, SIGSEGV };
  int ready[2], status;
  Connection c;
  Held held;
  pid_t pid;
  char byte;

  connection_init (&c);
  fail_unless (pipe (ready) == 0);
  pid = fork ();
  if (pid == 0) {
    struct rlimit none = { 0, 0 };

    setrlimit (RLIMIT_CORE, &none);
    for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
      signal (signals[i], SIG_DFL);
    g_assert_cmpint (itcp_source_open (&c.source, ITCP_SOURCE_BPF, c.sender),
        ==, 0);
    g_assert_cmpint (write (ready[1], "r", 1), ==, 1);
    for (;;)
      pause ();
  }
  close (ready[1]);
  fail_unless (read (ready[0], &byte, 1) == 1);
  close (ready[0]);
  hold (&held, pid);
  assert_holds (&held, 1, 2, 1);
  kill (pid, signals[__i__]);
  waitpid (pid, &status, 0);
  fail_unless (WIFSIGNALED (status) && WTERMSIG (status) == signals[__i__]);
  /* The socket is still open here. */
  assert_gone (&held, "pml");
  connection_clear (&c);
}

GST_END_TEST;

/* Closed, it holds nothing either. */
GST_START_TEST (test_close)
{
  Held before, during, after;
  Connection c;

  connection_init (&c);
  hold (&before, getpid ());
  fail_unless_equals_int (itcp_source_open (&c.source, ITCP_SOURCE_BPF,
          c.sender), 0);
  hold (&during, getpid ());
  itcp_source_close (&c.source);
  hold (&after, getpid ());
  fail_unless_equals_int (after.fds, before.fds);
  fail_unless (during.fds > before.fds);
  assert_gone (&during, "pml");
  c.source.klass = NULL;
  connection_clear (&c);
}

GST_END_TEST;

/* One program for all connections of a process, until the last is closed. */
GST_START_TEST (test_shared)
{
  Connection c[3];
  Held one, all, last;

  for (guint i = 0; i < G_N_ELEMENTS (c); i++) {
    connection_init (&c[i]);
    fail_unless_equals_int (itcp_source_open (&c[i].source, ITCP_SOURCE_BPF,
            c[i].sender), 0);
    assert_source (&c[i], "bpf");
    if (i == 0)
      hold (&one, getpid ());
  }
  hold (&all, getpid ());
  assert_holds (&all, 1, 2, 1);
  fail_unless_equals_int (all.n, one.n);
  fail_unless (memcmp (all.objects, one.objects, sizeof all.objects) == 0);
  time_out (&c[0], 2);
  look (&c[1], 0);
  look (&c[2], 0);
  fail_unless_equals_int (c[1].sum.rexmt + c[2].sum.rexmt, 0);

  connection_clear (&c[0]);
  connection_clear (&c[1]);
  hold (&last, getpid ());
  fail_unless_equals_int (last.n, one.n);
  time_out (&c[2], 2);
  assert_source (&c[2], "bpf");
  fail_unless (c[2].untimed < 2, "the program does not count any more");
  connection_clear (&c[2]);
  assert_gone (&all, "pml");
}

GST_END_TEST;

static gpointer
come_and_go (gpointer data)
{
  Connection *c = data;

  for (guint i = 0; i < 10; i++) {
    ItcpReading reading;

    g_assert_cmpint (itcp_source_open (&c->source, ITCP_SOURCE_BPF, c->sender),
        ==, 0);
    assert_source (c, "bpf");
    g_assert_cmpint (itcp_source_read (&c->source, &reading), ==, 0);
    itcp_source_close (&c->source);
  }
  c->source.klass = NULL;
  return NULL;
}

/* Connections of several threads. */
GST_START_TEST (test_threads)
{
  GThread *thread[4];
  Connection c[4];
  Held before, after;

  hold (&before, getpid ());
  for (guint i = 0; i < G_N_ELEMENTS (c); i++)
    connection_init (&c[i]);
  for (guint i = 0; i < G_N_ELEMENTS (c); i++)
    thread[i] = g_thread_new ("connection", come_and_go, &c[i]);
  for (guint i = 0; i < G_N_ELEMENTS (c); i++)
    g_thread_join (thread[i]);
  for (guint i = 0; i < G_N_ELEMENTS (c); i++)
    connection_clear (&c[i]);
  hold (&after, getpid ());
  fail_unless_equals_int (after.fds, before.fds);
  fail_unless_equals_int (after.n, 0);
}

GST_END_TEST;

/* A helper of another build: what is pinned is not what we would read. */

#define LARGE 4096              /* bytes of a value */

static int
make_sk_storage (guint32 value_size)
{
  struct btf *types = btf__new_empty ();
  LIBBPF_OPTS (bpf_map_create_opts, options,.map_flags = BPF_F_NO_PREALLOC);
  int fd, btf;

  options.btf_key_type_id = (guint32) btf__add_int (types, "int", 4,
      BTF_INT_SIGNED);
  options.btf_value_type_id = (guint32) btf__add_struct (types, "value",
      value_size);
  g_assert_cmpint (btf__load_into_kernel (types), ==, 0);
  btf = btf__fd (types);
  options.btf_fd = (guint32) btf;
  fd = bpf_map_create (BPF_MAP_TYPE_SK_STORAGE, "other", 4, value_size, 0,
      &options);
  g_assert_cmpint (fd, >=, 0);
  btf__free (types);
  return fd;
}

static int
make_map (enum bpf_map_type type, guint32 value_size)
{
  int fd = type == BPF_MAP_TYPE_SK_STORAGE ? make_sk_storage (value_size) :
      bpf_map_create (type, "other", type == BPF_MAP_TYPE_RINGBUF ? 0 : 4,
      value_size, type == BPF_MAP_TYPE_RINGBUF ? ITCP_BPF_BELL_SIZE : LARGE,
      NULL);

  g_assert_cmpint (fd, >=, 0);
  return fd;
}

static const struct
{
  enum bpf_map_type alive;
  guint32 alive_size;
  enum bpf_map_type counts;
  guint32 counts_size;
  enum bpf_map_type bell;
  gboolean taken;
} others[] = {
  {BPF_MAP_TYPE_ARRAY, sizeof (struct itcp_bpf_alive),
        BPF_MAP_TYPE_SK_STORAGE, sizeof (struct itcp_bpf_counts),
      BPF_MAP_TYPE_RINGBUF, TRUE},
  {BPF_MAP_TYPE_ARRAY, LARGE, BPF_MAP_TYPE_SK_STORAGE,
      sizeof (struct itcp_bpf_counts), BPF_MAP_TYPE_RINGBUF, FALSE},
  {BPF_MAP_TYPE_HASH, sizeof (struct itcp_bpf_alive), BPF_MAP_TYPE_SK_STORAGE,
      sizeof (struct itcp_bpf_counts), BPF_MAP_TYPE_RINGBUF, FALSE},
  {BPF_MAP_TYPE_ARRAY, sizeof (struct itcp_bpf_alive),
      BPF_MAP_TYPE_SK_STORAGE, LARGE, BPF_MAP_TYPE_RINGBUF, FALSE},
  {BPF_MAP_TYPE_ARRAY, sizeof (struct itcp_bpf_alive), BPF_MAP_TYPE_ARRAY,
      sizeof (struct itcp_bpf_counts), BPF_MAP_TYPE_RINGBUF, FALSE},
  {BPF_MAP_TYPE_ARRAY, sizeof (struct itcp_bpf_alive),
        BPF_MAP_TYPE_SK_STORAGE, sizeof (struct itcp_bpf_counts),
      BPF_MAP_TYPE_ARRAY, FALSE},
};

static void
give_sign (int fd)
{
  struct
  {
    struct itcp_bpf_alive sign;
    guint8 rest[LARGE];
  } value = {.sign = {.version = ITCP_BPF_VERSION,.at = (guint64) now ()} };
  int zero = 0;

  g_assert_cmpint (bpf_map_update_elem (fd, &zero, &value, BPF_ANY), ==, 0);
}

/* As if of a helper, in a file system of their own. */
static gchar *
pin_maps (const int maps[3])
{
  static const gchar *const names[] =
      { ITCP_BPF_ALIVE, ITCP_BPF_COUNTS, ITCP_BPF_BELL };
  gchar *top = g_dir_make_tmp ("itcp-bpf-XXXXXX", NULL);

  fail_unless (mount ("other", top, "bpf", 0, NULL) == 0);
  g_setenv (ITCP_BPF_DIRECTORY_ENV, top, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    gchar *path = g_build_filename (top, names[i], NULL);

    fail_unless (bpf_obj_pin (maps[i], path) == 0);
    g_free (path);
  }
  return top;
}

static void
unpin_maps (const int maps[3], gchar * top)
{
  for (guint i = 0; i < 3; i++)
    close (maps[i]);
  g_setenv (ITCP_BPF_DIRECTORY_ENV, NO_HELPER, TRUE);
  fail_unless (umount (top) == 0 && g_rmdir (top) == 0);
  g_free (top);
}

GST_START_TEST (test_other_maps)
{
  int maps[] = {
    make_map (others[__i__].alive, others[__i__].alive_size),
    make_map (others[__i__].counts, others[__i__].counts_size),
    make_map (others[__i__].bell,
        others[__i__].bell == BPF_MAP_TYPE_RINGBUF ? 0 : LARGE)
  };
  gchar *top = pin_maps (maps);
  Connection c;

  connection_init (&c);
  give_sign (maps[0]);
  fail_unless_equals_int (itcp_source_open (&c.source, ITCP_SOURCE_BPF,
          c.sender), 0);
  assert_source (&c, others[__i__].taken ? "bpf-pinned" : "bpf");
  connection_clear (&c);
  unpin_maps (maps, top);
}

GST_END_TEST;

/* A timeout that is counted, and one right after it that is not: its time is
 * not known, and that of the first is posted once. */
GST_START_TEST (test_posted_once)
{
  struct itcp_bpf_counts counts = {.losses = 1 };
  int maps[] = {
    make_map (BPF_MAP_TYPE_ARRAY, sizeof (struct itcp_bpf_alive)),
    make_map (BPF_MAP_TYPE_SK_STORAGE, sizeof counts),
    make_map (BPF_MAP_TYPE_RINGBUF, 0)
  };
  gchar *top = pin_maps (maps);
  gint64 until = deadline ();
  guint8 data[1000] = { 0 };
  ItcpReading reading;
  Connection c;

  connection_init (&c);
  give_sign (maps[0]);
  fail_unless_equals_int (itcp_source_open (&c.source, ITCP_SOURCE_BPF,
          c.sender), 0);
  assert_source (&c, "bpf-pinned");
  drop_input (c.receiver);
  fail_unless (itcp_tcp_write (c.sender, data, sizeof data, 0) > 0);
  for (guint i = 0; i < 2; i++) {
    guint before = counter ("TCPTimeouts");

    while (counter ("TCPTimeouts") == before && now () < until)
      g_usleep (1000);
    counts.loss_at[0] = 1000;
    fail_unless (bpf_map_update_elem (maps[1], &c.sender, &counts, BPF_ANY)
        == 0);
    give_sign (maps[0]);
    c.source.look_due = 0;
    fail_unless_equals_int (itcp_source_read (&c.source, &reading), 0);
    fail_unless (reading.found.rexmt >= 1);
    fail_unless_equals_int64 (reading.rexmt_at,
        i == 0 ? 1000 : PSP_TIME_UNKNOWN);
  }
  assert_source (&c, "bpf-pinned");
  accept_input (c.receiver);
  settle (&c);
  connection_clear (&c);
  unpin_maps (maps, top);
}

GST_END_TEST;

/* Another version's sign may be longer: whether it lives is still seen. */
GST_START_TEST (test_helper_of_another_version)
{
  gchar *top = g_dir_make_tmp ("itcp-bpf-XXXXXX", NULL);
  Helper h = {.top = top,.directory = top };
  gchar *path = g_build_filename (top, ITCP_BPF_ALIVE, NULL);
  int alive = make_map (BPF_MAP_TYPE_ARRAY, 1000);
  gint64 until = deadline ();
  int status = 0;

  fail_unless (mount ("other", top, "bpf", 0, NULL) == 0);
  fail_unless (bpf_obj_pin (alive, path) == 0);
  for (pid_t pid = -1; pid <= 0; g_usleep (10000)) {
    give_sign (alive);
    if (pid < 0) {
      gchar *argv[] = { (gchar *) g_getenv ("ITCP_EVENTS"),
        (gchar *) "--directory", top, NULL
      };

      fail_unless (g_spawn_async (NULL, argv, NULL,
              G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &h.pid, NULL));
    }
    pid = waitpid (h.pid, &status, WNOHANG);
    fail_unless (now () < until, "it does not give way");
  }
  fail_unless (WIFEXITED (status) && WEXITSTATUS (status) == 1);
  close (alive);
  fail_unless (unlink (path) == 0);
  fail_unless (umount (top) == 0 && g_rmdir (top) == 0);
  g_free (path);
  g_free (top);
}

GST_END_TEST;

/* However it ends nothing is left of it: neither files nor what the kernel has
 * of it. __i__ from G_N_ELEMENTS (ends) on: in a file system of somebody else. */
static const struct
{
  int signal_number;
  gboolean orderly;
} ends[] = {
  {SIGHUP, TRUE}, {SIGINT, TRUE}, {SIGQUIT, TRUE}, {SIGTERM, TRUE},
  {SIGUSR1, FALSE}, {SIGKILL, FALSE}
};

GST_START_TEST (test_helper_ends)
{
  guint end = (guint) __i__ % G_N_ELEMENTS (ends);
  gboolean within = (guint) __i__ >= G_N_ELEMENTS (ends);
  int status;
  Held held;
  Helper h;

  helper_init (&h, "0660");
  if (within) {
    fail_unless_equals_int (helper_end (&h, SIGTERM), 0);
    fail_unless (mount ("other", h.top, "bpf", 0, NULL) == 0);
    fail_unless (helper_start (&h, "0660"));
  }
  hold (&held, h.pid);
  assert_holds (&held, 1, 3, 1);
  status = helper_end (&h, ends[end].signal_number);
  fail_unless (ends[end].orderly ? status == 0 : WIFSIGNALED (status),
      "ended with status %x", status);
  if (!ends[end].orderly)
    helper_wait_gone (&h);
  assert_gone (&held, "pml");
  if (within)
    fail_unless (umount (h.top) == 0);
  helper_clear (&h);
}

GST_END_TEST;

static guint64
last_sign (const gchar * path)
{
  LIBBPF_OPTS (bpf_obj_get_opts, read_only,.file_flags = BPF_F_RDONLY);
  struct itcp_bpf_alive sign = { 0, 0 };
  int fd = bpf_obj_get_opts (path, &read_only), zero = 0;

  if (fd >= 0) {
    bpf_map_lookup_elem (fd, &zero, &sign);
    close (fd);
  }
  return sign.at;
}

static void
wait_for_sign (const Helper * h, const gchar * path)
{
  guint64 before = last_sign (path);
  gint64 until = deadline ();

  while (last_sign (path) <= before) {
    fail_unless (now () < until, "there is no sign of it");
    fail_unless (waitpid (h->pid, NULL, WNOHANG) == 0);
    g_usleep (1000);
  }
}

/* Who has started it need not read what it prints, nor be there any more, and
 * may have wished that it stays when the terminal goes. */
GST_START_TEST (test_helper_stays)
{
  gint64 until = deadline ();
  gchar *alive;
  struct stat s;
  Helper h;
  int out[2];

  helper_init (&h, "0660");
  fail_unless_equals_int (helper_end (&h, SIGTERM), 0);
  fail_unless (pipe (out) == 0);
  close (out[0]);
  h.pid = fork ();
  if (h.pid == 0) {
    dup2 (out[1], STDOUT_FILENO);
    signal (SIGHUP, SIG_IGN);
    execl (g_getenv ("ITCP_EVENTS"), "gst-itcp-events", "--directory",
        h.directory, NULL);
    _exit (1);
  }
  close (out[1]);
  alive = g_build_filename (h.directory, ITCP_BPF_ALIVE, NULL);
  /* Published: it says so next. */
  while (stat (alive, &s) < 0 || stat (h.directory, &s) < 0
      || (s.st_mode & 0777) != 0750) {
    fail_unless (now () < until, "it does not start");
    fail_unless (waitpid (h.pid, NULL, WNOHANG) == 0);
    g_usleep (1000);
  }
  kill (h.pid, SIGHUP);
  /* One may have been on its way. */
  for (guint i = 0; i < 2; i++)
    wait_for_sign (&h, alive);
  fail_unless_equals_int (helper_end (&h, SIGTERM), 0);
  g_free (alive);
  helper_clear (&h);
}

GST_END_TEST;

/* A guard that is killed is replaced; nothing else ends it. */
GST_START_TEST (test_guard_killed)
{
  gint64 until = deadline ();
  pid_t guard, next;
  Helper h;

  helper_init (&h, "0660");
  guard = helper_guard (&h);
  fail_unless (guard > 0);
  kill (guard, SIGKILL);
  while ((next = helper_guard (&h)) == guard || next == 0) {
    fail_unless (now () < until, "there is no other guard");
    g_usleep (1000);
  }
  /* Those of a terminal or a service reach both. Stopped, the helper cannot
   * replace this one. */
  kill (h.pid, SIGSTOP);
  fail_unless (waitpid (h.pid, NULL, WUNTRACED) == h.pid);
  kill (next, SIGTERM);
  kill (next, SIGUSR1);
  fail_unless_equals_int (helper_end (&h, SIGKILL), SIGKILL);
  helper_wait_gone (&h);
  helper_clear (&h);
}

GST_END_TEST;

/* Killed together they leave files and no program; the next one takes their
 * place. A second one beside it is refused. */
GST_START_TEST (test_helper_killed)
{
  Held killed, next;
  Helper h, another;
  Connection c;
  int status;

  helper_init (&h, "0660");
  another = h;
  fail_if (helper_start (&another, "0660"));
  waitpid (another.pid, NULL, 0);
  hold (&killed, h.pid);
  assert_holds (&killed, 1, 3, 1);
  /* Stopped, it cannot replace its guard. */
  kill (h.pid, SIGSTOP);
  fail_unless (waitpid (h.pid, &status, WUNTRACED) == h.pid);
  kill (helper_guard (&h), SIGKILL);
  fail_unless_equals_int (helper_end (&h, SIGKILL), SIGKILL);
  assert_gone (&killed, "pl");
  fail_unless (g_file_test (h.directory, G_FILE_TEST_EXISTS));

  fail_unless (helper_start (&h, "0660"));
  assert_gone (&killed, "m");
  hold (&next, h.pid);
  assert_holds (&next, 1, 3, 1);
  connection_init (&c);
  fail_unless_equals_int (itcp_source_open (&c.source, ITCP_SOURCE_BPF,
          c.sender), 0);
  assert_source (&c, "bpf-pinned");
  time_out (&c, 1);
  connection_clear (&c);
  fail_unless_equals_int (helper_end (&h, SIGTERM), 0);
  assert_gone (&next, "pml");
  helper_clear (&h);
}

GST_END_TEST;

/* What a guard finds may be another helper's by then: it was stopped while that
 * one began. */
GST_START_TEST (test_guard_late)
{
  Connection c;
  pid_t guard;
  Helper h;

  /* Of its guard, once it is gone. */
  fail_unless (prctl (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
  helper_init (&h, "0660");
  guard = helper_guard (&h);
  kill (guard, SIGSTOP);
  fail_unless_equals_int (helper_end (&h, SIGKILL), SIGKILL);
  fail_unless (helper_start (&h, "0660"));
  kill (guard, SIGCONT);
  fail_unless (waitpid (guard, NULL, 0) == guard);
  connection_init (&c);
  fail_unless_equals_int (itcp_source_open (&c.source, ITCP_SOURCE_BPF,
          c.sender), 0);
  assert_source (&c, "bpf-pinned");
  connection_clear (&c);
  fail_unless_equals_int (helper_end (&h, SIGTERM), 0);
  helper_clear (&h);
}

GST_END_TEST;

/* Its helper dies: another source goes on, and not an event is missed. */
GST_START_TEST (test_helper_dies)
{
  int pipes[2][2];
  Connection c;
  Helper h;
  Held held;
  pid_t pid;
  int status;
  char byte;

  helper_init (&h, "0666");
  hold (&held, h.pid);
  fail_unless (pipe (pipes[0]) == 0 && pipe (pipes[1]) == 0);
  pid = fork ();
  if (pid == 0) {
    guint before = counter ("TCPTimeouts");

    become_nobody ();
    connection_init (&c);
    g_assert_cmpint (itcp_source_open (&c.source, ITCP_SOURCE_BPF, c.sender),
        ==, 0);
    assert_source (&c, "bpf-pinned");
    time_out (&c, 1);
    g_assert_cmpint (write (pipes[0][1], "k", 1), ==, 1);
    g_assert_cmpint (read (pipes[1][0], &byte, 1), ==, 1);
    time_out (&c, 2);
    assert_source (&c, "error-queue");
    g_assert_cmpint (c.source.wake_fd, ==, -1);
    g_assert_cmpuint (c.sum.rexmt, ==, counter ("TCPTimeouts") - before);
    lose (&c);
    connection_clear (&c);
    _exit (0);
  }
  close (pipes[0][1]);
  close (pipes[1][0]);
  fail_unless (read (pipes[0][0], &byte, 1) == 1);
  helper_end (&h, SIGKILL);
  assert_gone (&held, "pl");
  fail_unless (write (pipes[1][1], "g", 1) == 1);
  waitpid (pid, &status, 0);
  fail_unless (WIFEXITED (status) && WEXITSTATUS (status) == 0);
  close (pipes[0][0]);
  close (pipes[1][1]);
  helper_wait_gone (&h);
  helper_clear (&h);
}

GST_END_TEST;

/* Refusals, each at another step: nothing is left half way, and auto goes on
 * with the next source. */

static guint
count_fds (void)
{
  guint n = 0;

  for (int fd = 0; fd < 1024; fd++)
    n += fcntl (fd, F_GETFD) >= 0;
  return n;
}

static void
assert_refused (void)
{
  guint before;
  Connection c;

  connection_init (&c);
  before = count_fds ();
  g_assert_cmpint (itcp_source_open (&c.source, ITCP_SOURCE_BPF, c.sender), <,
      0);
  g_assert_cmpuint (count_fds (), ==, before);
  g_assert_cmpint (itcp_source_open (&c.source, ITCP_SOURCE_AUTO, c.sender), ==,
      0);
  assert_source (&c, "error-queue");
  g_assert_cmpint (c.source.wake_fd, ==, -1);
  g_assert_cmpuint (count_fds (), ==, before);
  time_out (&c, 1);
  connection_clear (&c);
}

static void
forbid (guint command)
{
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, __NR_bpf, 0, 3),
    /* The lower half. */
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, args)
        + (G_BYTE_ORDER == G_BIG_ENDIAN ? 4 : 0)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, command, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
  };
  struct sock_fprog program = {.len = G_N_ELEMENTS (code),.filter = code };

  g_assert_cmpint (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), ==, 0);
  g_assert_cmpint (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), ==,
      0);
}

/* What libbpf and we ask the kernel for, in this order. */
static const struct
{
  const gchar *step;
  guint commands[2];
} steps[] = {
  {"map", {BPF_MAP_CREATE, BPF_MAP_CREATE}},
  {"types", {BPF_BTF_LOAD, BPF_BTF_LOAD}},
  {"program", {BPF_PROG_LOAD, BPF_PROG_LOAD}},
  {"attach", {BPF_RAW_TRACEPOINT_OPEN, BPF_LINK_CREATE}},
  {"join", {BPF_MAP_UPDATE_ELEM, BPF_MAP_UPDATE_ELEM}},
  {"read", {BPF_MAP_LOOKUP_ELEM, BPF_MAP_LOOKUP_ELEM}},
};

static void
be_forbidden (gpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  forbid (steps[i].commands[0]);
  forbid (steps[i].commands[1]);
  assert_refused ();
}

GST_START_TEST (test_refused)
{
  in_child (be_forbidden, GUINT_TO_POINTER (__i__));
}

GST_END_TEST;

#define CAP(name) (G_GUINT64_CONSTANT (1) << (name))

static const guint64 too_few[] = {
  0, CAP (CAP_BPF), CAP (CAP_PERFMON), CAP (CAP_NET_ADMIN)
};

static void
have_few (gpointer data)
{
  set_capabilities (*(const guint64 *) data);
  assert_refused ();
}

static void
have_enough (gpointer data)
{
  Connection c;

  (void) data;
  set_capabilities (CAP (CAP_BPF) | CAP (CAP_PERFMON));
  connection_init (&c);
  g_assert_cmpint (itcp_source_open (&c.source, ITCP_SOURCE_AUTO, c.sender), ==,
      0);
  assert_source (&c, "bpf");
  time_out (&c, 1);
  connection_clear (&c);
}

GST_START_TEST (test_capabilities)
{
  for (guint i = 0; i < G_N_ELEMENTS (too_few); i++)
    in_child (have_few, (gpointer) & too_few[i]);
  in_child (have_enough, NULL);
}

GST_END_TEST;

/* One more descriptor at each try, until they suffice. */
static void
run_out (gpointer data)
{
  struct rlimit limit;
  guint refused = 0;
  gboolean opened = FALSE;

  (void) data;
  while (!opened) {
    struct rlimit low;
    guint before;
    Connection c;
    int next;

    connection_init (&c);
    before = count_fds ();
    next = dup (0);
    close (next);
    getrlimit (RLIMIT_NOFILE, &limit);
    low = limit;
    low.rlim_cur = (rlim_t) next + refused;
    setrlimit (RLIMIT_NOFILE, &low);
    g_assert_cmpint (itcp_source_open (&c.source, ITCP_SOURCE_AUTO, c.sender),
        ==, 0);
    setrlimit (RLIMIT_NOFILE, &limit);
    opened = g_str_equal (c.source.klass->name, "bpf");
    if (!opened) {
      refused++;
      assert_source (&c, "error-queue");
      g_assert_cmpuint (count_fds (), ==, before);
    }
    g_assert_cmpuint (refused, <, 100);
    connection_clear (&c);
    g_assert_cmpuint (count_fds (), ==, before - 2);
  }
  /* Maps, program, link and what polls. */
  g_assert_cmpuint (refused, >=, 5);
}

GST_START_TEST (test_no_descriptors)
{
  in_child (run_out, NULL);
}

GST_END_TEST;

/* The helper refused: says so, and leaves nothing. */
static void
start_forbidden (gpointer data)
{
  Helper h = *(Helper *) data;

  forbid (BPF_OBJ_PIN);
  g_assert_false (helper_start (&h, "0660"));
  waitpid (h.pid, NULL, 0);
}

GST_START_TEST (test_helper_refused)
{
  Helper h;

  helper_init (&h, "0660");
  fail_unless_equals_int (helper_end (&h, SIGTERM), 0);
  fail_if (g_file_test (h.directory, G_FILE_TEST_EXISTS));
  in_child (start_forbidden, &h);
  helper_clear (&h);
}

GST_END_TEST;

/* A directory where somebody else has mounted something is left alone. */
GST_START_TEST (test_helper_elsewhere)
{
  Helper h;

  helper_init (&h, "0660");
  fail_unless_equals_int (helper_end (&h, SIGTERM), 0);
  fail_unless (g_mkdir (h.directory, 0755) == 0);
  fail_unless (mount ("other", h.directory, "bpf", 0, NULL) == 0);
  fail_if (helper_start (&h, "0660"));
  waitpid (h.pid, NULL, 0);
  fail_unless (umount (h.directory) == 0);
  fail_unless (g_rmdir (h.directory) == 0);

  /* But within another's file system it makes a directory. */
  fail_unless (mount ("other", h.top, "bpf", 0, NULL) == 0);
  fail_unless (helper_start (&h, "0660"));
  fail_unless_equals_int (helper_end (&h, SIGTERM), 0);
  fail_if (g_file_test (h.directory, G_FILE_TEST_EXISTS));
  fail_unless (umount (h.top) == 0);
  helper_clear (&h);
}

GST_END_TEST;

/* The element. */

static gboolean
stats_say (GstElement * sink, const gchar * source)
{
  GstStructure *stats;
  const gchar *used;
  guint64 n = 0;
  gboolean so;

  g_object_get (sink, "stats", &stats, NULL);
  used = gst_structure_get_string (stats, "event-source");
  if (*used)
    fail_unless_equals_string (used, source);
  gst_structure_get_uint64 (stats, "rexmt", &n);
  so = *used && n > 0;
  gst_structure_free (stats);
  return so;
}

static guint64
unacked_of (GstElement * sink)
{
  GstStructure *stats;
  guint64 n = 0;

  g_object_get (sink, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "unacked-bytes", &n));
  gst_structure_free (stats);
  return n;
}

/* It uses the program, a helper's where there is one, and hears of timeouts. */
GST_START_TEST (test_element)
{
  struct sockaddr_in a = {.sin_family = AF_INET };
  int listener = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), receiver;
  GstElement *sink = gst_check_setup_element ("itcpsink");
  socklen_t size = sizeof a;
  gint64 until = deadline ();
  GstHarness *harness;
  Helper h;

  if (__i__)
    helper_init (&h, "0660");
  a.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  fail_unless (bind (listener, (struct sockaddr *) &a, size) == 0);
  fail_unless (listen (listener, 1) == 0);
  getsockname (listener, (struct sockaddr *) &a, &size);
  g_object_set (sink, "sync", FALSE, "host", "127.0.0.1", "port",
      ntohs (a.sin_port), NULL);
  harness = gst_harness_new_with_element (sink, "sink", NULL);
  gst_harness_set_src_caps_str (harness, "application/octet-stream");
  receiver = accept4 (listener, NULL, NULL, SOCK_CLOEXEC);
  fail_unless (receiver >= 0);
  drop_input (receiver);
  fail_unless_equals_int (gst_harness_push (harness,
          gst_buffer_new_allocate (NULL, 1000, NULL)), GST_FLOW_OK);
  while (!stats_say (sink, __i__ ? "bpf-pinned" : "bpf")) {
    fail_unless (now () < until, "no timeout was reported");
    g_usleep (1000);
  }
  /* What was left unacknowledged would go on to time out. */
  accept_input (receiver);
  while (unacked_of (sink) > 0) {
    fail_unless (now () < until, "not acknowledged");
    g_usleep (1000);
  }
  gst_harness_teardown (harness);
  gst_check_teardown_element (sink);
  close (receiver);
  close (listener);
  if (__i__) {
    fail_unless_equals_int (helper_end (&h, SIGTERM), 0);
    helper_clear (&h);
  }
}

GST_END_TEST;

static gboolean
enter_namespaces (void)
{
  struct ifreq lo = {.ifr_name = "lo",.ifr_flags = IFF_UP };
  int fd;

  if (unshare (CLONE_NEWNET | CLONE_NEWNS) < 0
      || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
    return FALSE;
  fd = socket (AF_INET, SOCK_DGRAM, 0);
  if (ioctl (fd, SIOCSIFFLAGS, &lo) < 0)
    return FALSE;
  close (fd);
  return TRUE;
}

static int
skip (const gchar * why, int error)
{
  g_printerr ("skipped: %s (%s)\n", why, g_strerror (error));
  return SKIP;
}

static Suite *
bpf_suite (void)
{
  Suite *s = suite_create ("itcp-bpf");
  TCase *tc = tcase_create ("bpf");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_counts, 0, 4);
  tcase_add_test (tc, test_wakes);
  tcase_add_loop_test (tc, test_nobody, 0, 2);
  tcase_add_test (tc, test_not_for_all);
  tcase_add_test (tc, test_two_readers);
  tcase_add_loop_test (tc, test_nothing_left, 0, 3);
  tcase_add_test (tc, test_close);
  tcase_add_test (tc, test_shared);
  tcase_add_test (tc, test_threads);
  tcase_add_loop_test (tc, test_other_maps, 0, G_N_ELEMENTS (others));
  tcase_add_test (tc, test_posted_once);
  tcase_add_test (tc, test_helper_of_another_version);
  tcase_add_loop_test (tc, test_element, 0, 2);
  tcase_add_loop_test (tc, test_helper_ends, 0, 2 * G_N_ELEMENTS (ends));
  tcase_add_test (tc, test_helper_stays);
  tcase_add_test (tc, test_guard_killed);
  tcase_add_test (tc, test_guard_late);
  tcase_add_test (tc, test_helper_killed);
  tcase_add_test (tc, test_helper_dies);
  tcase_add_loop_test (tc, test_refused, 0, G_N_ELEMENTS (steps));
  tcase_add_test (tc, test_capabilities);
  tcase_add_test (tc, test_no_descriptors);
  tcase_add_test (tc, test_helper_refused);
  tcase_add_test (tc, test_helper_elsewhere);
  return s;
}

int
main (int argc, char **argv)
{
  Connection c;
  int err;

  g_setenv (ITCP_BPF_DIRECTORY_ENV, NO_HELPER, TRUE);
  if (geteuid () != 0)
    return skip ("a program in the kernel needs root", EPERM);
  if (!enter_namespaces ())
    return skip ("no namespaces can be made here", errno);
  connection_init (&c);
  err = itcp_source_open (&c.source, ITCP_SOURCE_BPF, c.sender);
  if (err < 0)
    return skip ("the kernel does not take the program", -err);
  connection_clear (&c);
  gst_check_init (&argc, &argv);
  return gst_check_run_suite (bpf_suite (), "itcp-bpf", __FILE__);
}
