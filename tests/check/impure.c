/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the core must never do, for the test that purity.sh notices it.
 */
#include <time.h>

double psp_impure (void);

double
psp_impure (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec;
}
