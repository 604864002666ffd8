/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "libsrtp.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

/* Its functions, once they have been found. */
static PspLibsrtp libsrtp;
static bool loaded;

/* Version 2 has one soname; the other is where no runtime package is apart. */
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
  /* POSIX has a function's address fit a pointer to data. */
#define FIND(name) \
  *(void **) &libsrtp.name = dlsym (library, "srtp_" #name); \
  loaded = loaded && libsrtp.name;
  PSP_LIBSRTP_FUNCTIONS (FIND)
#undef FIND
  /* Not judged by its result: libsrtp 2.5 on NSS refuses to be initialised again,
   * and another may have done so, as GStreamer's srtpenc does when its plugin is
   * loaded. Where it really failed, no session can be made. */
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
