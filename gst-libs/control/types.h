/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Units and constants of congestion control: times are int64_t nanoseconds,
 * sizes bytes, rates bits per second.
 */
#ifndef CONTROL_TYPES_H
#define CONTROL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ns */
#define PSP_USECOND INT64_C(1000)
#define PSP_MSECOND INT64_C(1000000)
#define PSP_SECOND  INT64_C(1000000000)

#define PSP_TIME_UNKNOWN INT64_MIN      /* no such time is known */
#define PSP_TIME_NEVER   INT64_MAX      /* a deadline that does not come */

#define PSP_BITRATE_UNKNOWN INT64_C(-1) /* nothing decided or measured yet */
/* Bits/s. No link is faster. The limit keeps the arithmetic far from
 * INT64_MAX. */
#define PSP_MAX_BITRATE INT64_C(1000000000000)

/* GLib has the same two macros, and replaces these if it is included later. */
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

/* RFC 3168 section 5. */
typedef enum
{
  PSP_ECN_NOT_ECT = 0,
  PSP_ECN_ECT1 = 1,
  PSP_ECN_ECT0 = 2,
  PSP_ECN_CE = 3
} PspEcn;

/* ns. A longer time between two events of a path is nonsense. */
#define PSP_MAX_INTERVAL (3600 * PSP_SECOND)

/* Returns the time from `earlier` to `later`, 0 … PSP_MAX_INTERVAL, whatever
 * the two are: reports may be forged. */
static inline int64_t
psp_interval (int64_t later, int64_t earlier)
{
  int64_t d;

  if (__builtin_sub_overflow (later, earlier, &d) || d > PSP_MAX_INTERVAL)
    return later > earlier ? PSP_MAX_INTERVAL : 0;
  return d > 0 ? d : 0;
}

/* Returns the distance from b to a, where numbers have 16 bits and wrap:
 * -32768..32767 (RFC 1982). */
static inline int
psp_seq_distance (uint16_t a, uint16_t b)
{
  return (int16_t) (uint16_t) (a - b);
}

#endif
