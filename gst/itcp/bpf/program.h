/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The program in the kernel, one for all connections of this process and for as
 * long as it is held: nothing is pinned, so that nothing outlives the process
 * however that ends. Any thread may call these.
 */
#ifndef ITCP_BPF_PROGRAM_H
#define ITCP_BPF_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "layout.h"

typedef struct ItcpBpfProgram ItcpBpfProgram;

/* Loads and attaches it, unless that is done: takes CAP_BPF and CAP_PERFMON.
 * 0, or a negative errno with nothing left behind. The caller closes it, the
 * last one unloads it. */
int itcp_bpf_program_open (ItcpBpfProgram ** program);
void itcp_bpf_program_close (ItcpBpfProgram * program);
/* The program's, closed with it. */
int itcp_bpf_program_counts (const ItcpBpfProgram * program);
int itcp_bpf_program_bell (const ItcpBpfProgram * program);
/* Keeps the bell ringing: at least once in ITCP_BPF_BELL_SIZE /
 * ITCP_BPF_STROKE / 2 events. */
void itcp_bpf_program_make_room (ItcpBpfProgram * program);

/* Before a map of somebody else's is read: the kernel writes as much as the
 * map's values have. 0; −ESTALE: it is another; or what the kernel says. Sizes
 * in bytes. */
int itcp_bpf_check_map (int fd, uint32_t type, uint32_t key_size,
    uint32_t value_size);

#endif
