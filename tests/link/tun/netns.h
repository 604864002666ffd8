/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Makes named network namespaces as ip-netns(8) knows them, and runs a guard
 * that removes them however this process ends.
 */
#ifndef LINK_NETNS_H
#define LINK_NETNS_H

#include <stdbool.h>
#include <sys/types.h>

/* Functions that fail return false with errno set. */

typedef struct
{
  int fd;                       /* its closing wakes the guard */
  pid_t pid;
} NetnsGuard;

/* Starts a process that waits for the end of this one. */
bool netns_guard_start (NetnsGuard * guard);
/* Removes what was created and waits until it is gone. */
void netns_guard_end (NetnsGuard * guard);

bool netns_create (const NetnsGuard * guard, const char *name);
/* Returns a descriptor of the current namespace, or -1. */
int netns_own (void);
/* Moves this process into a namespace. */
bool netns_enter (const char *name);
/* Moves this process back to the namespace that netns_own() returned. */
bool netns_leave (int own);

/* Removes prefix<pid> of processes that no longer exist (killed with their
 * guard). */
void netns_remove_stale (const char *prefix);

#endif
