/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The program in the kernel, for as long as this process holds it: nothing is
 * pinned, so that nothing outlives the process however that ends.
 */
#ifndef ITCP_BPF_PROGRAM_H
#define ITCP_BPF_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "layout.h"

typedef struct ItcpBpfProgram ItcpBpfProgram;

/* Loads and attaches it: takes CAP_BPF and CAP_PERFMON. 0, or a negative
 * errno with nothing left behind. The caller closes it. */
int itcp_bpf_program_open (ItcpBpfProgram ** program);
void itcp_bpf_program_close (ItcpBpfProgram * program);
/* The program's, closed with it. */
int itcp_bpf_program_counts (const ItcpBpfProgram * program);
int itcp_bpf_program_bell (const ItcpBpfProgram * program);
/* Keeps the bell ringing: at least once in ITCP_BPF_BELL_SIZE /
 * ITCP_BPF_STROKE / 2 events. */
void itcp_bpf_program_make_room (ItcpBpfProgram * program);

#endif
