/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "libsrtp.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

/* The functions of libsrtp; valid if `loaded`. */
static PspLibsrtp libsrtp;
static bool loaded;

/* Tries the soname of version 2 first. The second name is for systems without a
 * separate runtime package. */
static void *
open_library (void)
{
  void *library = dlopen ("libsrtp2.so.1", RTLD_NOW | RTLD_LOCAL);

  return library ? library : dlopen ("libsrtp2.so", RTLD_NOW | RTLD_LOCAL);
}

static void
load (void)
{
  void *library = open_library ();

  if (!library)
    return;
  loaded = true;
  /* POSIX guarantees that a pointer to data can hold a function's address. */
#define FIND(name) \
  *(void **) &libsrtp.name = dlsym (library, "srtp_" #name); \
  loaded = loaded && libsrtp.name;
  PSP_LIBSRTP_FUNCTIONS (FIND)
#undef FIND
  /* The result is ignored: libsrtp 2.5 on NSS refuses a second initialisation,
   * and other code may have done the first, as GStreamer's srtpenc does when
   * its plugin is loaded. After a real failure no session can be created. */
  if (loaded)
    libsrtp.init ();
}

const PspLibsrtp *
psp_libsrtp (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, load);
  return loaded ? &libsrtp : NULL;
}
