/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2requantize/levelworth.h>

#include <string.h>

void
m2v_runs_init (M2vRuns * runs, const M2vLengths * lengths, unsigned table)
{
  memset (runs, -1, sizeof *runs);
  for (unsigned level = 1; level < M2V_N_WORTH_LEVELS; level++) {
    for (unsigned run = 0; run < 64; run++) {
      unsigned bits = lengths->bits[table][level][run];

      memset (runs->longest[level] + bits, (int) run, M2V_MAX_WORTH + 1 - bits);
    }
  }
}
