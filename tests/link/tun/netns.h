/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Named network namespaces as ip-netns(8) knows them, and a guard that removes
 * them however this process ends.
 */
#ifndef LINK_NETNS_H
#define LINK_NETNS_H

#include <stdbool.h>
#include <sys/types.h>

/* All return false with errno set. */

typedef struct
{
  int fd;                       /* its closing wakes the guard */
  pid_t pid;
} NetnsGuard;

/* A process that waits for the end of this one. */
bool netns_guard_start (NetnsGuard * guard);
/* Removes what was created and waits until it is gone. */
void netns_guard_end (NetnsGuard * guard);

bool netns_create (const NetnsGuard * guard, const char *name);
/* This process moves into the namespace; netns_leave() takes it back to where
 * netns_own(), called first, was. */
int netns_own (void);           /* a descriptor, or -1 */
bool netns_enter (const char *name);
bool netns_leave (int own);

/* Removes prefix<pid> of processes that are no more (killed with their
 * guard). */
void netns_remove_stale (const char *prefix);

#endif
