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

/* The guard reads this from its pipe if there is nothing left to guard. */
#define DISMISSED "d"

/* Keeps only the guard's end of the pipe, and leaves every terminal, job and
 * shell group that a signal could be sent to. */
static void
guard (int fd, const ItcpPins * pins)
{
  ssize_t n;
  char byte;

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
  sigset_t all, before;
  int ends[2], err = 0;

  g->fd = g->pid = -1;
  if (pipe2 (ends, O_CLOEXEC) < 0)
    return -errno;
  /* The guard starts with all signals blocked. */
  sigfillset (&all);
  sigprocmask (SIG_SETMASK, &all, &before);
  g->pid = fork ();
  if (g->pid < 0)
    err = -errno;
  if (g->pid == 0) {
    close (ends[1]);
    guard (ends[0], pins);
  }
  sigprocmask (SIG_SETMASK, &before, NULL);
  close (ends[0]);
  if (err < 0)
    close (ends[1]);
  else
    g->fd = ends[1];
  return err;
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
