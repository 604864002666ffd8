/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A resolver that knows one name more, which has addresses of both families:
 * what the machine's own knows, be it localhost, is not up to a test. The program
 * that includes it takes the place of libc's function, for plugins too.
 */
#pragma once

#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#define BOTH_FAMILIES "both.test"       /* ::1, then 127.0.0.1 */

typedef int (*Resolve) (const char *, const char *, const struct addrinfo *,
    struct addrinfo **);

int
getaddrinfo (const char *name, const char *service,
    const struct addrinfo *hints, struct addrinfo **list)
{
  /* A pointer to a function is what POSIX makes of it. */
  Resolve resolve = (Resolve) dlsym (RTLD_NEXT, "getaddrinfo");
  int err;

  if (!resolve)
    abort ();
  if (!name || strcmp (name, BOTH_FAMILIES) != 0)
    return resolve (name, service, hints, list);
  if ((err = resolve ("::1", service, hints, list)) != 0)
    return err;
  err = resolve ("127.0.0.1", service, hints, &(*list)->ai_next);
  if (err != 0)
    freeaddrinfo (*list);
  return err;
}
