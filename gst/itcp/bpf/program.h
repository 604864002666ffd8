/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Loads the program into the kernel: one for all connections of this process,
 * as long as a connection holds it. Nothing is pinned, so nothing outlives the
 * process however it ends. Any thread may call these functions.
 */
#ifndef ITCP_BPF_PROGRAM_H
#define ITCP_BPF_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "layout.h"

typedef struct ItcpBpfProgram ItcpBpfProgram;

/* Loads and attaches the program unless that is done already; this needs
 * CAP_BPF and CAP_PERFMON. Returns 0, or a negative errno with nothing left
 * behind. Each caller closes it; the last one unloads it. */
int itcp_bpf_program_open (ItcpBpfProgram ** program);
void itcp_bpf_program_close (ItcpBpfProgram * program);
/* Returns the descriptor of the counts, which is closed with the program. */
int itcp_bpf_program_counts (const ItcpBpfProgram * program);
/* Returns the descriptor of the bell, which is closed with the program. */
int itcp_bpf_program_bell (const ItcpBpfProgram * program);
/* Keeps the bell ringing. Call it at least once in ITCP_BPF_BELL_SIZE /
 * ITCP_BPF_STROKE / 2 events. */
void itcp_bpf_program_make_room (ItcpBpfProgram * program);

/* Checks a map of another process before it is read, because the kernel writes
 * as many bytes as the map's values have. Returns 0, −ESTALE if it is a
 * different map, or the kernel's error. Sizes are bytes. */
int itcp_bpf_check_map (int fd, uint32_t type, uint32_t key_size,
    uint32_t value_size);

#endif
