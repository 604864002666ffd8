/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Defines what the program in the kernel and its readers share; this file is
 * compiled for both.
 */
#ifndef ITCP_BPF_LAYOUT_H
#define ITCP_BPF_LAYOUT_H

#include <linux/types.h>

/* The version of everything below. */
#define ITCP_BPF_VERSION 1

#define ITCP_BPF_TIMES 8        /* times kept of each kind; a power of two */

/* The counts of one socket; the process that holds the socket creates them. */
struct itcp_bpf_counts
{
  /* times the state was set to Loss, by a timeout or by what TCP treats as
   * one */
  __u32 losses;
  __u32 recoveries;             /* times the state was set to Recovery */
  /* CLOCK_MONOTONIC, ns; the time of loss n, from 0, is at n %
   * ITCP_BPF_TIMES */
  __u64 loss_at[ITCP_BPF_TIMES];
  /* CLOCK_MONOTONIC, ns; the time of recovery n, from 0, is at n %
   * ITCP_BPF_TIMES */
  __u64 recovery_at[ITCP_BPF_TIMES];
};

/* Bytes that one stroke of the bell takes in its ring, including the header's 8
 * bytes. */
#define ITCP_BPF_STROKE 16
#define ITCP_BPF_BELL_SIZE 65536        /* bytes: a multiple of any page */

/* The helper's sign of life; every later version starts with these members. */
struct itcp_bpf_alive
{
  __u64 version;
  __u64 at;                     /* CLOCK_MONOTONIC, ns */
};

#define ITCP_BPF_ALIVE_INTERVAL 1000000000LL      /* ns between signs of life */
/* ns without a sign of life after which the helper is dead */
#define ITCP_BPF_ALIVE_TIMEOUT 3000000000LL

/* the helper's directory */
#define ITCP_BPF_DIRECTORY "/run/gst-itcp-events"
/* environment variable that names another directory */
#define ITCP_BPF_DIRECTORY_ENV "GST_ITCP_EVENTS_DIRECTORY"
#define ITCP_BPF_COUNTS "counts"        /* file name of the counts */
#define ITCP_BPF_BELL "bell"    /* file name of the bell */
#define ITCP_BPF_ALIVE "alive"  /* file name of the sign of life */

#endif
