/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A process beside the helper that removes its pins once the helper is gone
 * without having done so. It takes no signal but SIGKILL.
 */
#ifndef ITCP_BPF_GUARD_H
#define ITCP_BPF_GUARD_H

#include "pins.h"

typedef struct
{
  pid_t pid;
  int fd;                       /* open as long as the helper lives */
} ItcpGuard;

/* The pins are in memory that both share. 0, or a negative errno. */
int itcp_guard_start (ItcpGuard * guard, const ItcpPins * pins);
/* It has ended, which only SIGKILL makes it: another takes its place. */
int itcp_guard_restart (ItcpGuard * guard, const ItcpPins * pins);
/* There is nothing left to remove, or that is not ours. */
void itcp_guard_dismiss (ItcpGuard * guard);

#endif
