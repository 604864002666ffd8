/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Runs a process besides the helper. It removes the helper's pins if the helper
 * is gone without having removed them. Only SIGKILL ends it.
 */
#ifndef ITCP_BPF_GUARD_H
#define ITCP_BPF_GUARD_H

#include "pins.h"

typedef struct
{
  pid_t pid;
  int fd;                       /* open as long as the helper lives */
} ItcpGuard;

/* Starts the guard. The pins must be in memory that both processes share.
 * Returns 0 or a negative errno. */
int itcp_guard_start (ItcpGuard * guard, const ItcpPins * pins);
/* Replaces a guard that has ended, which only SIGKILL causes. */
int itcp_guard_restart (ItcpGuard * guard, const ItcpPins * pins);
/* Ends the guard, because nothing is left to remove, or the remaining files are
 * not ours. */
void itcp_guard_dismiss (ItcpGuard * guard);

#endif
