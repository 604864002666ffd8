/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Traces that the source model has not seen, as tables.py writes them.
 */
#ifndef SOURCE_HELD_H
#define SOURCE_HELD_H

#include "trace.h"

typedef struct
{
  /* name of the encoder, and of the set: held = other parts, other = other
   * clips */
  const char *encoder, *set;
  unsigned n_fixed;
  const Trace *fixed;           /* targets ascend */
  const TraceResponse *response;
} HeldSet;

/* All sets; a NULL name ends the list. */
extern const HeldSet held_sets[];

#endif
