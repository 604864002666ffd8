/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "pins.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "layout.h"

/* The source of our mount, which shows that it is ours. */
#define SOURCE "gst-itcp-events"

/* read permission for all users */
#define READ (S_IRUSR | S_IRGRP | S_IROTH)

static const char *const names[] = {
  ITCP_BPF_ALIVE, ITCP_BPF_COUNTS, ITCP_BPF_BELL
};

static int
path_of (char path[PATH_MAX], const ItcpPins * p, const char *name)
{
  return snprintf (path, PATH_MAX, "%s/%s", p->directory, name) < PATH_MAX ?
      0 : -ENAMETOOLONG;
}

/* Returns 1 if the mount at this place is ours, 0 if there is none, −1 if it is
 * another's. Only the last mount is visible. */
static int
find_mount (const char *directory)
{
  FILE *f = setmntent ("/proc/self/mounts", "r");
  char buffer[PATH_MAX + 1024];
  struct mntent m;
  int found = 0;

  if (!f)
    return -1;
  while (getmntent_r (f, &m, buffer, sizeof buffer))
    if (strcmp (m.mnt_dir, directory) == 0)
      found = strcmp (m.mnt_fsname, SOURCE) == 0 ? 1 : -1;
  endmntent (f);
  return found;
}

int
itcp_pins_prepare (ItcpPins * p)
{
  struct statfs s;
  int found = find_mount (p->directory);

  if (found < 0)
    return -EBUSY;
  /* This is set first, because the guard may clean up at any time from here
   * on. */
  p->mounted = found > 0;
  p->made = true;
  if (mkdir (p->directory, S_IRWXU) < 0) {
    p->made = found > 0;
    if (errno != EEXIST)
      return -errno;
  }
  if (statfs (p->directory, &s) < 0)
    return -errno;
  if (s.f_type != BPF_FS_MAGIC) {
    p->mounted = true;
    if (mount (SOURCE, p->directory, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC,
            "mode=0700") < 0) {
      p->mounted = false;
      return -errno;
    }
  }
  if (chmod (p->directory, S_IRWXU) < 0)
    return -errno;
  /* Removes what a killed helper left; its readers have noticed or will. */
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char path[PATH_MAX];

    if (path_of (path, p, names[i]) == 0 && unlink (path) < 0
        && errno != ENOENT)
      return -errno;
  }
  return 0;
}

int
itcp_pins_add (const ItcpPins * p, const char *name, int fd, mode_t mode)
{
  char path[PATH_MAX];
  int err = path_of (path, p, name);

  if (err)
    return err;
  if (bpf_obj_pin (fd, path) < 0 || chown (path, 0, p->group) < 0
      || chmod (path, mode) < 0)
    return -errno;
  return 0;
}

int
itcp_pins_publish (const ItcpPins * p)
{
  mode_t mode = S_IRWXU | (p->mode & READ);

  mode |= (mode & READ) >> 2;   /* directories need x for reading */
  if (chown (p->directory, 0, p->group) < 0 || chmod (p->directory, mode) < 0)
    return -errno;
  return 0;
}

bool
itcp_pins_are_ours (const ItcpPins * p)
{
  struct bpf_map_info info = { 0 };
  __u32 size = sizeof info;
  char path[PATH_MAX];
  bool ours;
  int fd;

  if (path_of (path, p, ITCP_BPF_ALIVE) < 0)
    return false;
  fd = bpf_obj_get (path);
  if (fd < 0)
    return errno == ENOENT;     /* not there yet */
  ours = bpf_obj_get_info_by_fd (fd, &info, &size) == 0 && info.id == p->alive;
  close (fd);
  return ours;
}

void
itcp_pins_remove (const ItcpPins * p)
{
  char path[PATH_MAX];

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (path_of (path, p, names[i]) == 0)
      unlink (path);
  if (p->mounted)
    umount2 (p->directory, MNT_DETACH | UMOUNT_NOFOLLOW);
  if (p->made)
    rmdir (p->directory);
}
