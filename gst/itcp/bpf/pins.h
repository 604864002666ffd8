/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Makes a directory of the BPF file system with the helper's files. Functions
 * return 0 or a negative errno.
 */
#ifndef ITCP_BPF_PINS_H
#define ITCP_BPF_PINS_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct
{
  const char *directory;
  gid_t group;                  /* the group of all pinned files */
  /* mode of the counts: users who may read them may use them */
  mode_t mode;
  /* we made the directory, and mounted it, now or before; already true while
   * that is in progress */
  bool made, mounted;
  unsigned alive;               /* id of the map ITCP_BPF_ALIVE */
} ItcpPins;

/* Makes the directory, for root only. If its parent is on another file
 * system, it mounts a BPF file system there. −EBUSY = something else is
 * mounted there. */
int itcp_pins_prepare (ItcpPins * pins);
int itcp_pins_add (const ItcpPins * pins, const char *name, int fd,
    mode_t mode);
/* Gives readers access. */
int itcp_pins_publish (const ItcpPins * pins);
/* Returns true unless another helper's files are there instead. */
bool itcp_pins_are_ours (const ItcpPins * pins);
/* Removes pins, file system and directory, as far as they exist. */
void itcp_pins_remove (const ItcpPins * pins);

#endif
