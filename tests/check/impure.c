/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What a library must never do, for the tests that purity.sh and nostate.sh
 * notice it.
 */
#include <time.h>

double psp_impure (void);

static int calls;

double
psp_impure (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec + calls++;
}
