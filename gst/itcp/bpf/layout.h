/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the program in the kernel and those who read from it agree on; compiled
 * for both.
 */
#ifndef ITCP_BPF_LAYOUT_H
#define ITCP_BPF_LAYOUT_H

#include <linux/types.h>

/* Of all below. */
#define ITCP_BPF_VERSION 1

#define ITCP_BPF_TIMES 8        /* kept of each kind; a power of two */

/* Of one socket, made by whoever holds it. */
struct itcp_bpf_counts
{
  __u32 losses;                 /* state set to Loss: by a timeout, and by
                                   what TCP treats as one */
  __u32 recoveries;             /* state set to Recovery */
  /* Of event n, from 0, at n % ITCP_BPF_TIMES: CLOCK_MONOTONIC, ns. */
  __u64 loss_at[ITCP_BPF_TIMES];
  __u64 recovery_at[ITCP_BPF_TIMES];
};

/* A stroke of the bell takes so much of its ring, the header's 8 bytes
 * included. */
#define ITCP_BPF_STROKE 16
#define ITCP_BPF_BELL_SIZE 65536        /* bytes: a multiple of any page */

/* The helper's sign of life; the beginning of any later version's. */
struct itcp_bpf_alive
{
  __u64 version;
  __u64 at;                     /* CLOCK_MONOTONIC, ns */
};

#define ITCP_BPF_BEAT 1000000000LL      /* ns from sign to sign */
#define ITCP_BPF_PATIENCE 3000000000LL  /* ns without one: it is dead */

/* Files in the helper's directory. */
#define ITCP_BPF_DIRECTORY "/run/gst-itcp-events"
#define ITCP_BPF_DIRECTORY_ENV "GST_ITCP_EVENTS_DIRECTORY"
#define ITCP_BPF_COUNTS "counts"
#define ITCP_BPF_BELL "bell"
#define ITCP_BPF_ALIVE "alive"

#endif
