/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * psp-link-tun: an emulated bottleneck between two network namespaces, for
 * any protocol. Needs root.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"
#include "front.h"
#include "ipheader.h"
#include "log.h"
#include "netns.h"

#define SKIP 77
#define BATCH 256
#define KILL_AFTER INT64_C (2000000000)

#define ADDRESS_A "10.99.0.1"
#define ADDRESS_B "10.99.0.2"
#define ADDRESS6_A "fd99::1"
#define ADDRESS6_B "fd99::2"

static const char usage[] =
    "Usage: psp-link-tun [OPTION...] [-- COMMAND [ARGUMENT...]]\n"
    "\n"
    "Joins two new network namespaces by an emulated link and runs a command\n"
    "(or waits), then removes them. The command finds LINK_NS_A, LINK_NS_B,\n"
    "LINK_ADDR_A, LINK_ADDR_B, LINK_ADDR6_A and LINK_ADDR6_B in its\n"
    "environment; use `ip netns exec $LINK_NS_A ...`. Its exit status is\n"
    "returned; 77 says that a link cannot be made here.\n"
    "\n"
    "  --forward SPEC    the link from A to B, e.g. rate=2M,delay=20ms,\n"
    "                    queue=10p (README.md has the grammar)\n"
    "  --back SPEC       the link from B to A\n"
    "  --left NAME       of namespace A; default psp-a-PID\n"
    "  --right NAME      of namespace B; default psp-b-PID\n"
    "  --mtu BYTES       default 1500\n"
    "  --log FILE        a line per packet, CSV\n"
    "  --stats FILE      sums as JSON; without a command also on stdout\n"
    "  --duration SECONDS  end by itself; else with the command, or at SIGINT\n"
    "                    or SIGTERM\n" "  --help\n";

typedef struct
{
  const char *forward, *back, *log, *stats;
  char left[128], right[128];
  int mtu;
  double duration;
  char **command;
} Options;

typedef struct
{
  LinkPath forward, back;
  int fd[2];
  int64_t epoch;
  uint64_t send_errors;
  pid_t child;
  int status;                   /* to exit with */
} Tun;

static int
skip (const char *why)
{
  fprintf (stderr, "skipped: %s\n", why);
  return SKIP;
}

static bool
parse_number (const char *option, const char *text, double min, double max,
    double *value)
{
  char *end;

  *value = strtod (text, &end);
  if (end != text && *end == '\0' && *value >= min && *value <= max)
    return true;
  fprintf (stderr, "--%s \"%.30s\" is not a number from %g to %g\n", option,
      text, min, max);
  return false;
}

static bool
parse_name (const char *option, const char *text, char name[128])
{
  if (text[0] && strlen (text) < 100 && !strchr (text, '/') && text[0] != '.' &&
      !strchr (text, '\n')) {
    strcpy (name, text);
    return true;
  }
  fprintf (stderr, "--%s \"%.30s\" is no name for a namespace\n", option, text);
  return false;
}

/* As in psp-link-relay: 0, an exit status, or -1 for exit status 0. */
static int
parse_options (int argc, char **argv, Options * o)
{
  static const struct option options[] = {
    {"forward", 1, 0, 'f'}, {"back", 1, 0, 'b'}, {"left", 1, 0, 'l'},
    {"right", 1, 0, 'r'}, {"mtu", 1, 0, 'm'}, {"log", 1, 0, 'L'},
    {"stats", 1, 0, 's'}, {"duration", 1, 0, 'd'}, {"help", 0, 0, 'h'},
    {0, 0, 0, 0}
  };
  bool ok = true;
  double mtu = o->mtu;
  int c;

  while (ok && (c = getopt_long (argc, argv, "+h", options, NULL)) != -1) {
    switch (c) {
      case 'f':
        o->forward = optarg;
        break;
      case 'b':
        o->back = optarg;
        break;
      case 'l':
        ok = parse_name ("left", optarg, o->left);
        break;
      case 'r':
        ok = parse_name ("right", optarg, o->right);
        break;
      case 'm':
        ok = parse_number ("mtu", optarg, 1280, 65535, &mtu);
        break;
      case 'L':
        o->log = optarg;
        break;
      case 's':
        o->stats = optarg;
        break;
      case 'd':
        ok = parse_number ("duration", optarg, 0.001, 1e9, &o->duration);
        break;
      case 'h':
        fputs (usage, stdout);
        return -1;
      default:
        return 2;
    }
  }
  o->mtu = (int) mtu;
  o->command = optind < argc ? argv + optind : NULL;
  return ok ? 0 : 2;
}

/* The system has none for us: no right to (EPERM, EACCES), none at all (ENOSYS),
 * or a chroot whose mounts are not such that one can be kept (EINVAL), or that
 * has no /proc (ENOENT). A name in use is another matter. */
static bool
are_unavailable (int error)
{
  return error == EPERM || error == EACCES || error == ENOSYS ||
      error == EINVAL || error == ENOENT;
}

/* One end: a namespace with a configured TUN device. 0, an errno, or -1: it was
 * said why none can be made here. */
static int
make_end (const NetnsGuard * guard, const char *name, const char *address,
    const char *address6, int mtu, int *fd)
{
  int own, error = 0;

  if (!netns_create (guard, name)) {
    error = errno;
    fprintf (stderr, "%s network namespace %s can be made: %s\n",
        are_unavailable (error) ? "skipped: no" : "no", name,
        strerror (error));
    return are_unavailable (error) ? -1 : error;
  }
  own = netns_own ();
  if (own < 0 || !netns_enter (name) || (*fd = device_open ()) < 0 ||
      !device_configure (address, address6, mtu)) {
    error = errno ? errno : EINVAL;
    fprintf (stderr, "cannot set up the TUN device in %s: %s\n", name,
        strerror (error));
  }
  if (own >= 0) {
    if (!netns_leave (own))
      error = errno;
    close (own);
  }
  return error;
}

static uint64_t
drops_in (const char *name)
{
  int own = netns_own ();
  uint64_t drops = 0;

  if (own >= 0 && netns_enter (name)) {
    drops = device_drops ();
    if (!netns_leave (own))
      perror ("setns");
  }
  if (own >= 0)
    close (own);
  return drops;
}

static void
send_packet (LinkPath * path, LinkBuffer * buffer, const LinkPacket * packet)
{
  Tun *t = path->user;
  int fd = t->fd[path == &t->forward];

  if (packet->marked || packet->bleached)
    ip_header_set_ecn (buffer->data, buffer->size, buffer->tos & 3);
  if (write (fd, buffer->data, buffer->size) < 0)
    t->send_errors++;
}

/* The device gives no time of arrival: that of the read stands for it. */
static void
receive (Tun * t, int from, LinkPath * path)
{
  int i;

  for (i = 0; i < BATCH; i++) {
    LinkBuffer *buffer = link_buffer_new ();
    ssize_t n = read (t->fd[from], buffer->data, LINK_BUFFER_SIZE - 1);

    if (n <= 0) {
      link_buffer_free (buffer);
      return;
    }
    buffer->size = (size_t) n;
    buffer->tos = ip_header_tos (buffer->data, buffer->size);
    link_path_offer (path, link_now () - t->epoch, buffer,
        ip_header_protocol (buffer->data, buffer->size),
        ip_header_flow_hash (buffer->data, buffer->size));
  }
}

static void
discard (int fd)
{
  char data[2048];

  while (read (fd, data, sizeof data) > 0);
}

static bool
start_command (Tun * t, const Options * o)
{
  sigset_t none;

  t->child = fork ();
  if (t->child < 0) {
    perror ("fork");
    return false;
  }
  if (t->child > 0)
    return true;
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  setenv ("LINK_NS_A", o->left, 1);
  setenv ("LINK_NS_B", o->right, 1);
  setenv ("LINK_ADDR_A", ADDRESS_A, 1);
  setenv ("LINK_ADDR_B", ADDRESS_B, 1);
  setenv ("LINK_ADDR6_A", ADDRESS6_A, 1);
  setenv ("LINK_ADDR6_B", ADDRESS6_B, 1);
  execvp (o->command[0], o->command);
  fprintf (stderr, "%s: %s\n", o->command[0], strerror (errno));
  _exit (127);
}

/* True: the command has ended. */
static bool
reap (Tun * t)
{
  int status;

  if (t->child == 0 || waitpid (t->child, &status, WNOHANG) != t->child)
    return false;
  t->child = 0;
  t->status = WIFEXITED (status) ? WEXITSTATUS (status) :
      128 + WTERMSIG (status);
  return true;
}

/* The command outlives the wish to end by KILL_AFTER at most; the link goes on
 * meanwhile. */
static bool
ending (Tun * t, int64_t now, int64_t * end)
{
  if (link_signals_child () && reap (t))
    return true;
  if (!link_signals_end () && now < *end)
    return false;
  if (t->child == 0)
    return true;
  if (t->status >= 0) {
    t->status = -1;
    kill (t->child, SIGTERM);
    *end = now + KILL_AFTER;
  } else if (now >= *end) {
    kill (t->child, SIGKILL);
    *end = LINK_NEVER;
  }
  return false;
}

static int64_t
next_event (const Tun * t, int64_t end)
{
  int64_t forward = link_next (t->forward.link);
  int64_t back = link_next (t->back.link);
  int64_t next = link_time_add (forward < back ? forward : back, t->epoch);

  return next < end ? next : end;
}

static void
run (Tun * t, int64_t end)
{
  struct pollfd fds[2] = { {t->fd[0], POLLIN, 0}, {t->fd[1], POLLIN, 0} };

  t->forward.send = t->back.send = send_packet;
  t->forward.user = t->back.user = t;
  while (!ending (t, link_now (), &end)) {
    int64_t now;

    link_wait (fds, 2, next_event (t, end));
    receive (t, 0, &t->forward);
    receive (t, 1, &t->back);
    now = link_now () - t->epoch;
    link_path_deliver (&t->forward, now, t->epoch);
    link_path_deliver (&t->back, now, t->epoch);
  }
  link_path_finish (&t->forward);
  link_path_finish (&t->back);
}

static void
print_stats (const Tun * t, const Options * o, FILE * file, bool realtime)
{
  fputc ('{', file);
  link_path_stats (&t->forward, file);
  fputc (',', file);
  link_path_stats (&t->back, file);
  fprintf (file, ",\"kernel-drops-a\":%llu,\"kernel-drops-b\":%llu,"
      "\"send-errors\":%llu,\"realtime\":%s}\n",
      (unsigned long long) drops_in (o->left),
      (unsigned long long) drops_in (o->right),
      (unsigned long long) t->send_errors, realtime ? "true" : "false");
  fflush (file);
}

static int
run_link (Tun * t, const Options * o, FILE * stats)
{
  bool realtime;

  link_signals_init (true);
  discard (t->fd[0]);
  discard (t->fd[1]);
  t->epoch = link_now ();
  if (o->command) {
    if (!start_command (t, o))
      return 1;
  } else {
    printf ("ready %s %s\n", o->left, o->right);
    fflush (stdout);
  }
  realtime = link_realtime ();
  run (t, o->duration > 0 ? t->epoch + (int64_t) (o->duration * 1e9) :
      LINK_NEVER);
  if (stats != stdout)
    print_stats (t, o, stats, realtime);
  if (!o->command)
    print_stats (t, o, stdout, realtime);
  return t->status;
}

static int
with_namespaces (Tun * t, const Options * o, FILE * stats)
{
  NetnsGuard guard;
  int error, status = 1;

  netns_remove_stale ("psp-a-");
  netns_remove_stale ("psp-b-");
  if (!netns_guard_start (&guard)) {
    perror ("cannot start the guard process");
    return 1;
  }
  t->fd[0] = t->fd[1] = -1;
  error = make_end (&guard, o->left, ADDRESS_A, ADDRESS6_A, o->mtu, &t->fd[0]);
  if (!error)
    error = make_end (&guard, o->right, ADDRESS_B, ADDRESS6_B, o->mtu,
        &t->fd[1]);
  if (!error)
    status = run_link (t, o, stats);
  else if (error < 0)
    status = SKIP;
  else if (error == EPERM)
    status = skip ("no permission for devices in network namespaces");
  if (t->fd[0] >= 0)
    close (t->fd[0]);
  if (t->fd[1] >= 0)
    close (t->fd[1]);
  netns_guard_end (&guard);
  return status;
}

static int
with_files (Tun * t, const Options * o)
{
  FILE *log = NULL, *stats = link_stats_open (o->stats);
  int status = 1;

  if (stats && (!o->log || (log = link_log_open (o->log)))) {
    t->forward.log = t->back.log = log;
    status = with_namespaces (t, o, stats);
  }
  if (stats && stats != stdout && fclose (stats) != 0)
    perror ("--stats");
  if (log && fclose (log) != 0)
    perror ("--log");
  return status;
}

int
main (int argc, char **argv)
{
  static Tun t;
  Options o = {.forward = "",.back = "",.mtu = 1500 };
  int status;

  snprintf (o.left, sizeof o.left, "psp-a-%ld", (long) getpid ());
  snprintf (o.right, sizeof o.right, "psp-b-%ld", (long) getpid ());
  status = parse_options (argc, argv, &o);
  if (status)
    return status < 0 ? 0 : status;
  if (geteuid () != 0)
    return skip ("network namespaces need root; psp-link-relay does not");
  if (access ("/dev/net/tun", R_OK | W_OK) < 0)
    return skip ("there is no /dev/net/tun (modprobe tun)");
  /* The device shows whole IP packets. */
  if (!link_path_init (&t.forward, "forward", o.forward, 0))
    return 2;
  if (!link_path_init (&t.back, "back", o.back, 0)) {
    link_path_clear (&t.forward);
    return 2;
  }
  status = with_files (&t, &o);
  link_path_clear (&t.forward);
  link_path_clear (&t.back);
  link_buffers_clear ();
  return status;
}
