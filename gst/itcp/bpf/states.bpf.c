/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * This program runs in the kernel when TCP sets the state of congestion
 * control. It counts the entries to Loss and to Recovery of the sockets that
 * asked for it, with their times, and rings a bell.
 *
 * A socket asks by having storage in `counts`. That storage is made through the
 * socket's descriptor, so a process reaches only its own sockets. The bell
 * shows only that something happened to some socket.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "layout.h"

/* The values of enum tcp_ca_state in the kernel's interface. */
#define CA_RECOVERY 3
#define CA_LOSS 4

struct sock;

struct
{
  __uint (type, BPF_MAP_TYPE_SK_STORAGE);
  __uint (map_flags, BPF_F_NO_PREALLOC);
  __type (key, int);
    __type (value, struct itcp_bpf_counts);
} counts SEC (".maps");

struct
{
  __uint (type, BPF_MAP_TYPE_RINGBUF);
  __uint (max_entries, ITCP_BPF_BELL_SIZE);
} bell SEC (".maps");

/* Counts an event. The count is written after its times, because a reader takes
 * it as a sign that they are there. */
static __always_inline void
count (__u32 * n, __u64 * times)
{
  times[*n % ITCP_BPF_TIMES] = bpf_ktime_get_ns ();
  __asm__ volatile ("":::"memory");
  *n += 1;
}

/* Arguments: the socket and its new state. TCP holds the socket's lock, so two
 * calls never run at once for one socket. */
SEC ("tp_btf/tcp_cong_state_set")
     int state_set (const __u64 * arguments)
{
  struct sock *sk = (struct sock *) arguments[0];
  __u8 state = (__u8) arguments[1];
  struct itcp_bpf_counts *c;
  __u64 stroke = 0;

  if (state != CA_LOSS && state != CA_RECOVERY)
    return 0;
  c = bpf_sk_storage_get (&counts, sk, 0, 0);
  if (!c)
    return 0;
  if (state == CA_LOSS)
    count (&c->losses, c->loss_at);
  else
    count (&c->recoveries, c->recovery_at);
  /* A full ring does not ring; the counts are there for any reader. */
  bpf_ringbuf_output (&bell, &stroke, sizeof stroke, BPF_RB_FORCE_WAKEUP);
  return 0;
}

/* The kernel does not know the LGPL, whose clause 3 lets this file be used
 * under the GPL. No helper above requires that (Linux 6.18). */
char LICENSE[] SEC ("license") = "GPL";
