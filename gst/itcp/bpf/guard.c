/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define DISMISSED "d"

/* Holds nothing but its end of the pipe, and is in no terminal's, job's or
 * shell's group that a signal could be meant for. */
static void
guard (int fd, const ItcpPins * pins)
{
  sigset_t all;
  ssize_t n;
  char byte;

  sigfillset (&all);
  sigprocmask (SIG_BLOCK, &all, NULL);
  setsid ();
  prctl (PR_SET_NAME, "gst-itcp-guard");
  dup2 (fd, STDIN_FILENO);
  close_range (STDIN_FILENO + 1, UINT_MAX, 0);
  do
    n = read (STDIN_FILENO, &byte, 1);
  while (n < 0 && errno == EINTR);
  if (n == 0 && itcp_pins_are_ours (pins))
    itcp_pins_remove (pins);
  _exit (0);
}

int
itcp_guard_start (ItcpGuard * g, const ItcpPins * pins)
{
  int ends[2];

  g->fd = g->pid = -1;
  if (pipe2 (ends, O_CLOEXEC) < 0)
    return -errno;
  g->pid = fork ();
  if (g->pid < 0) {
    int err = -errno;

    close (ends[0]);
    close (ends[1]);
    return err;
  }
  if (g->pid == 0) {
    close (ends[1]);
    guard (ends[0], pins);
  }
  close (ends[0]);
  g->fd = ends[1];
  return 0;
}

static void
end (ItcpGuard * g)
{
  if (g->fd >= 0)
    close (g->fd);
  while (g->pid > 0 && waitpid (g->pid, NULL, 0) < 0 && errno == EINTR);
  g->fd = g->pid = -1;
}

int
itcp_guard_restart (ItcpGuard * g, const ItcpPins * pins)
{
  end (g);
  return itcp_guard_start (g, pins);
}

void
itcp_guard_dismiss (ItcpGuard * g)
{
  while (g->fd >= 0 && write (g->fd, DISMISSED, 1) < 0 && errno == EINTR);
  end (g);
}
