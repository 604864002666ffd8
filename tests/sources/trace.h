/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Recorded traces as tables.py writes them: constant data.
 */
#ifndef SOURCE_TRACE_H
#define SOURCE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#define TRACE_TARGETS 5
#define TRACE_RESPONSE 200      /* frames between two steps of a recording */

/* What an encoder produced, picture by picture. Frame n has the packets from
 * first[n] to first[n + 1] - 1, and none if nothing left. */
typedef struct
{
  int64_t target;               /* target at its beginning */
  uint32_t frames;
  const uint32_t *first;
  const uint16_t *sizes;        /* bytes, from the RTP header on */
  const uint8_t *key;           /* whether each frame is a key frame */
} Trace;

/* How much of a change of its target an encoder has made after n frames. */
typedef struct
{
  float up[TRACE_RESPONSE], down[TRACE_RESPONSE];
} TraceResponse;

struct _SourceEncoder
{
  const char *name;
  int64_t period;               /* ns */
  bool scaled;                  /* its frames become smaller, not fewer */
  bool packed;                  /* packets hold as many slices as fit */
  const Trace *fixed;           /* TRACE_TARGETS traces */
  const TraceResponse *response;
};

#endif
