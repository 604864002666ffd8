/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * gst-itcp-events: keeps the program in the kernel for itcpsinks that have no
 * privileges.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "guard.h"
#include "program.h"

static const char help[] =
    "Usage: gst-itcp-events [OPTION]...\n"
    "\n"
    "Lets itcpsink hear of TCP's events without privileges: loads a program\n"
    "into the kernel, pins its maps where those who may can find them, and\n"
    "stays until SIGHUP (unless that is ignored, as by nohup), SIGINT, SIGQUIT\n"
    "or SIGTERM. Then all is removed; where it is killed its guard does that, a\n"
    "second process, and where that is killed too the next start.\n"
    "\n"
    "Options:\n"
    "  -d, --directory=DIR  own directory of the maps (" ITCP_BPF_DIRECTORY
    "); where\n"
    "                       its parent is no BPF file system, one is mounted\n"
    "                       there. itcpsink looks in the default one or in\n"
    "                       that named by " ITCP_BPF_DIRECTORY_ENV "\n"
    "  -g, --group=GROUP    who may use it (root), by name or number\n"
    "  -m, --mode=MODE      permissions, octal (0660): reading and writing go\n"
    "                       together; 0666 is for all users\n"
    "  -h, --help           this text\n"
    "\n"
    "It takes CAP_BPF, CAP_PERFMON, CAP_CHOWN and CAP_FOWNER, and CAP_SYS_ADMIN\n"
    "to mount: root has them. Whoever may use it learns when something happened\n"
    "to their own connections, and of others' nothing but that something did.\n"
    "\n"
    "It prints `ready' when the maps are there. Exit status: 0 = ended by a\n"
    "signal, 1 = refused, with the reason, 2 = wrong usage.\n";

static int64_t
now_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int
fail (const char *what, int err)
{
  fprintf (stderr, "gst-itcp-events: %s: %s%s\n", what, strerror (-err),
      err == -EPERM || err == -EACCES ? " (see --help for what it takes)" :
      err == -EBUSY ? " (something else is mounted there)" : "");
  return 1;
}

/* Reads a sign of life. The value of another version may be longer, and the
 * kernel writes all of it. */
static bool
read_sign (int fd, struct itcp_bpf_alive *sign)
{
  struct bpf_map_info info = { 0 };
  __u32 size = sizeof info;
  char value[4096];
  int zero = 0;

  if (bpf_obj_get_info_by_fd (fd, &info, &size) < 0
      || info.type != BPF_MAP_TYPE_ARRAY || info.value_size < sizeof *sign
      || info.value_size > sizeof value
      || bpf_map_lookup_elem (fd, &zero, value) < 0)
    return false;
  memcpy (sign, value, sizeof *sign);
  return true;
}

static int64_t
last_sign (const char *directory)
{
  struct itcp_bpf_alive alive;
  char path[4096];
  bool read;
  int fd;

  snprintf (path, sizeof path, "%s/" ITCP_BPF_ALIVE, directory);
  fd = bpf_obj_get (path);
  if (fd < 0)
    return INT64_MIN;
  read = read_sign (fd, &alive);
  close (fd);
  return read ? (int64_t) alive.at : INT64_MIN;
}

/* True if another helper is alive there. If a helper was killed, this waits
 * until its guard has removed its files or its sign of life is too old. */
static bool
is_taken (const char *directory)
{
  int64_t first = last_sign (directory);
  struct timespec tenth = {.tv_nsec = 100000000 };

  while (first != INT64_MIN && now_ns () - first < ITCP_BPF_ALIVE_TIMEOUT) {
    nanosleep (&tenth, NULL);
    if (last_sign (directory) > first)
      return true;
    if (access (directory, F_OK) < 0)
      return false;
  }
  return false;
}

static int
give_sign (int alive)
{
  struct itcp_bpf_alive sign = {.version = ITCP_BPF_VERSION };
  int zero = 0;

  sign.at = (__u64) now_ns ();
  return bpf_map_update_elem (alive, &zero, &sign, BPF_ANY) < 0 ? -errno : 0;
}

static int
pin_all (ItcpPins * pins, const ItcpBpfProgram * program, int alive)
{
  mode_t read_only = pins->mode & 0444;
  int err;

  if ((err = itcp_pins_prepare (pins)) == 0 &&
      (err = itcp_pins_add (pins, ITCP_BPF_COUNTS,
              itcp_bpf_program_counts (program), pins->mode)) == 0 &&
      (err = itcp_pins_add (pins, ITCP_BPF_BELL,
              itcp_bpf_program_bell (program), read_only)) == 0 &&
      (err = itcp_pins_add (pins, ITCP_BPF_ALIVE, alive, read_only)) == 0)
    err = itcp_pins_publish (pins);
  return err;
}

static int
make_alive (ItcpPins * pins)
{
  struct bpf_map_info info = { 0 };
  __u32 size = sizeof info;
  int fd = bpf_map_create (BPF_MAP_TYPE_ARRAY, "itcp_alive", sizeof (int),
      sizeof (struct itcp_bpf_alive), 1, NULL);
  int err;

  if (fd < 0)
    return -errno;
  err = give_sign (fd);
  if (!err && bpf_obj_get_info_by_fd (fd, &info, &size) < 0)
    err = -errno;
  pins->alive = info.id;
  if (err)
    close (fd);
  return err ? err : fd;
}

/* Runs until a signal asks it to end. */
static void
beat (ItcpBpfProgram * program, int alive, const sigset_t * signals,
    ItcpGuard * guard, const ItcpPins * pins)
{
  const struct timespec period = {.tv_sec = ITCP_BPF_ALIVE_INTERVAL / 1000000000
  };
  int got;

  do {
    give_sign (alive);
    itcp_bpf_program_make_room (program);
    got = sigtimedwait (signals, NULL, &period);
    if (got == SIGCHLD)
      itcp_guard_restart (guard, pins);
  } while (got == SIGCHLD || (got < 0 && (errno == EAGAIN || errno == EINTR)));
}

static int
serve (ItcpPins * pins, ItcpBpfProgram * program, const sigset_t * signals)
{
  int alive = make_alive (pins), err;
  ItcpGuard guard;

  if (alive < 0)
    return fail ("cannot make a map", alive);
  if ((err = itcp_guard_start (&guard, pins)) < 0) {
    close (alive);
    return fail ("cannot make a second process", err);
  }
  err = pin_all (pins, program, alive);
  if (!err) {
    puts ("ready");
    fflush (stdout);
    beat (program, alive, signals, &guard, pins);
  }
  if (err != -EBUSY)
    itcp_pins_remove (pins);
  itcp_guard_dismiss (&guard);
  close (alive);
  return err ? fail (pins->directory, err) : 0;
}

/* Blocks the signals that end the helper, and the signal that its guard has
 * ended. The process that started the helper need not read its output. */
static void
take_signals (sigset_t * signals)
{
  static const int ends[] = { SIGINT, SIGQUIT, SIGTERM };
  struct sigaction hangup;

  sigemptyset (signals);
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
    sigaddset (signals, ends[i]);
  if (sigaction (SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
    sigaddset (signals, SIGHUP);
  signal (SIGCHLD, SIG_DFL);
  sigaddset (signals, SIGCHLD);
  sigprocmask (SIG_BLOCK, signals, NULL);
  signal (SIGPIPE, SIG_IGN);
}

static bool
parse_group (const char *text, gid_t * group)
{
  const struct group *g = getgrnam (text);
  char *end;

  if (g) {
    *group = g->gr_gid;
    return true;
  }
  *group = (gid_t) strtoul (text, &end, 10);
  return end != text && *end == '\0';
}

static bool
parse_mode (const char *text, mode_t * mode)
{
  char *end;
  unsigned long m = strtoul (text, &end, 8);

  /* A reader must be able to write, so that it can have a socket counted. */
  *mode = (mode_t) m;
  return end != text && *end == '\0' && (m & ~0666ul) == 0 &&
      (m & 0444) >> 1 == (m & 0222);
}

/* Returns 0 to continue, otherwise the exit status plus one. */
static int
parse (int argc, char **argv, ItcpPins * pins)
{
  static const struct option options[] = {
    {"directory", required_argument, NULL, 'd'},
    {"group", required_argument, NULL, 'g'},
    {"mode", required_argument, NULL, 'm'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}
  };
  bool good = true;
  int o;

  while (good && (o = getopt_long (argc, argv, "d:g:m:h", options, NULL)) != -1)
    switch (o) {
      case 'd':
        good = optarg[0] == '/';
        /* The path is compared with the system's list of mounts. */
        for (size_t n = strlen (optarg); n > 1 && optarg[n - 1] == '/'; n--)
          optarg[n - 1] = '\0';
        pins->directory = optarg;
        break;
      case 'g':
        good = parse_group (optarg, &pins->group);
        break;
      case 'm':
        good = parse_mode (optarg, &pins->mode);
        break;
      case 'h':
        fputs (help, stdout);
        return 1;
      default:
        good = false;
    }
  if (good && optind == argc)
    return 0;
  fputs ("gst-itcp-events: not understood; see --help (DIR is absolute, MODE "
      "gives reading and writing together)\n", stderr);
  return 3;
}

int
main (int argc, char **argv)
{
  /* The guard shares this memory. */
  ItcpPins *pins = mmap (NULL, sizeof *pins, PROT_READ | PROT_WRITE,
      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ItcpBpfProgram *program;
  sigset_t signals;
  int status, err;

  if (pins == MAP_FAILED)
    return fail ("no memory", -errno);
  pins->directory = ITCP_BPF_DIRECTORY;
  pins->mode = 0660;
  if ((status = parse (argc, argv, pins)) != 0)
    return status - 1;
  take_signals (&signals);
  if (is_taken (pins->directory)) {
    fprintf (stderr, "gst-itcp-events: another one is running in %s\n",
        pins->directory);
    return 1;
  }
  if ((err = itcp_bpf_program_open (&program)) < 0)
    return fail ("the kernel does not take the program", err);
  status = serve (pins, program, &signals);
  itcp_bpf_program_close (program);
  return status;
}
