/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A directory of the BPF file system and what the helper has there. Functions
 * return 0 or a negative errno.
 */
#ifndef ITCP_BPF_PINS_H
#define ITCP_BPF_PINS_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct
{
  const char *directory;
  gid_t group;                  /* of all that is pinned */
  mode_t mode;                  /* of the counts: who may read it may use it */
  bool made, mounted;           /* by us, now or before; true already while
                                   that is being done */
  unsigned alive;               /* id of the map of that name */
} ItcpPins;

/* Makes the directory, for root alone: where its parent is of another file
 * system it mounts one there. −EBUSY: something else is mounted there. */
int itcp_pins_prepare (ItcpPins * pins);
int itcp_pins_add (const ItcpPins * pins, const char *name, int fd,
    mode_t mode);
/* Lets readers in. */
int itcp_pins_publish (const ItcpPins * pins);
/* Another helper's are not there instead. */
bool itcp_pins_are_ours (const ItcpPins * pins);
/* Removes pins, file system and directory, as far as they are there. */
void itcp_pins_remove (const ItcpPins * pins);

#endif
