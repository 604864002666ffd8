/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Units and constants shared by the psp core.
 *
 * The core is plain C on libc and libm: no GLib, GStreamer, socket, clock,
 * thread or log. `now` is a parameter everywhere, decisions are returned, and
 * memory is allocated at creation only. Nothing here is thread-safe: the owner
 * serializes its calls.
 *
 * Units: int64_t nanoseconds, bytes, bits per second; anything else carries
 * a suffix. Two time lines exist and never mix: the sender's (a monotonic
 * clock of its own) and the receiver's (likewise).
 */
#ifndef PSP_CORE_TYPES_H
#define PSP_CORE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PSP_USECOND INT64_C(1000)
#define PSP_MSECOND INT64_C(1000000)
#define PSP_SECOND  INT64_C(1000000000)

#define PSP_TIME_UNKNOWN INT64_MIN      /* no such time is known */
#define PSP_TIME_NEVER   INT64_MAX      /* a deadline that does not come */

#define PSP_BITRATE_UNKNOWN INT64_C(-1) /* nothing decided or measured yet */

/* Streams (SSRC) that one session accounts for at a time; the one silent for
 * longest makes room for a new one. */
#define PSP_MAX_STREAMS 16

/* RFC 3168 section 5. */
typedef enum
{
  PSP_ECN_NOT_ECT = 0,
  PSP_ECN_ECT1 = 1,
  PSP_ECN_ECT0 = 2,
  PSP_ECN_CE = 3
} PspEcn;

/* Distance from b to a in the 16-bit sequence space of RTP, -32768..32767
 * (RFC 3550 appendix A.1: half the space is "later"). */
static inline int
psp_seq_distance (uint16_t a, uint16_t b)
{
  return (int16_t) (uint16_t) (a - b);
}

#endif
