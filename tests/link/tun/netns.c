/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "netns.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NETNS_DIR "/run/netns"
#define PATH_SIZE 300

static void
path_of (const char *name, char path[PATH_SIZE])
{
  snprintf (path, PATH_SIZE, NETNS_DIR "/%s", name);
}

static void
remove_namespace (const char *name)
{
  char path[PATH_SIZE];

  path_of (name, path);
  umount2 (path, MNT_DETACH);
  unlink (path);
}

/* Names come in, one a line; end of file is the end of who made them. */
static void
guard_main (int fd)
{
  char name[PATH_SIZE];
  FILE *names = fdopen (fd, "r");
  char *list[2];
  unsigned n = 0;
  int null = open ("/dev/null", O_RDWR);

  setsid ();
  signal (SIGINT, SIG_IGN);
  signal (SIGTERM, SIG_IGN);
  signal (SIGHUP, SIG_IGN);
  dup2 (null, 0);
  dup2 (null, 1);
  dup2 (null, 2);
  while (names && n < 2 && fgets (name, sizeof name, names)) {
    name[strcspn (name, "\n")] = '\0';
    list[n++] = strdup (name);
  }
  while (names && fgets (name, sizeof name, names));
  while (n > 0)
    if (list[--n])
      remove_namespace (list[n]);
  _exit (0);
}

bool
netns_guard_start (NetnsGuard * guard)
{
  int fds[2];

  guard->fd = -1;
  if (pipe2 (fds, O_CLOEXEC) < 0)
    return false;
  guard->pid = fork ();
  if (guard->pid == 0) {
    close (fds[1]);
    guard_main (fds[0]);
  }
  close (fds[0]);
  if (guard->pid < 0) {
    close (fds[1]);
    return false;
  }
  guard->fd = fds[1];
  return true;
}

void
netns_guard_end (NetnsGuard * guard)
{
  if (guard->fd < 0)
    return;
  close (guard->fd);
  guard->fd = -1;
  while (waitpid (guard->pid, NULL, 0) < 0 && errno == EINTR);
}

/* As ip-netns does: a shared mount, so that removal reaches the mount
 * namespaces of "ip netns exec". */
static bool
prepare_directory (void)
{
  if (mkdir (NETNS_DIR, 0755) < 0 && errno != EEXIST)
    return false;
  if (mount ("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL) == 0)
    return true;
  return errno == EINVAL &&
      mount (NETNS_DIR, NETNS_DIR, "none", MS_BIND | MS_REC, NULL) == 0 &&
      mount ("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL) == 0;
}

int
netns_own (void)
{
  return open ("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

bool
netns_leave (int own)
{
  return setns (own, CLONE_NEWNET) == 0;
}

bool
netns_create (const NetnsGuard * guard, const char *name)
{
  char path[PATH_SIZE];
  int own, fd;
  bool made;

  path_of (name, path);
  if (!prepare_directory ())
    return false;
  fd = open (path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
  if (fd < 0)
    return false;
  close (fd);
  if (dprintf (guard->fd, "%s\n", name) < 0)
    return false;
  own = netns_own ();
  if (own < 0)
    return false;
  made = unshare (CLONE_NEWNET) == 0 &&
      mount ("/proc/self/ns/net", path, "none", MS_BIND, NULL) == 0;
  made = netns_leave (own) && made;
  close (own);
  return made;
}

bool
netns_enter (const char *name)
{
  char path[PATH_SIZE];
  int fd, result;

  path_of (name, path);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  result = setns (fd, CLONE_NEWNET);
  close (fd);
  return result == 0;
}

void
netns_remove_stale (const char *prefix)
{
  DIR *dir = opendir (NETNS_DIR);
  struct dirent *entry;
  size_t n = strlen (prefix);

  while (dir && (entry = readdir (dir))) {
    char *end;
    long pid;

    if (strncmp (entry->d_name, prefix, n) != 0 ||
        !isdigit ((unsigned char) entry->d_name[n]))
      continue;
    pid = strtol (entry->d_name + n, &end, 10);
    if (*end == '\0' && pid > 0 && kill ((pid_t) pid, 0) < 0 && errno == ESRCH)
      remove_namespace (entry->d_name);
  }
  if (dir)
    closedir (dir);
}
