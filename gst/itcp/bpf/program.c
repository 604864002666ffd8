/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "program.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "states.skel.h"

struct ItcpBpfProgram
{
  struct states_bpf *skeleton;
  size_t page;                  /* bytes */
  /* The first words of two pages of the bell (Documentation/bpf/ringbuf.rst
   * of the kernel), which others move on. */
  unsigned long *consumed;
  const unsigned long *produced;
};

static int
be_silent (enum libbpf_print_level level, const char *format, va_list arguments)
{
  (void) level;
  (void) format;
  (void) arguments;
  return 0;
}

static int
map_bell (ItcpBpfProgram * p)
{
  int fd = itcp_bpf_program_bell (p);
  void *at = mmap (NULL, p->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

  if (at == MAP_FAILED)
    return -errno;
  p->consumed = at;
  at = mmap (NULL, p->page, PROT_READ, MAP_SHARED, fd, (off_t) p->page);
  if (at == MAP_FAILED)
    return -errno;
  p->produced = at;
  return 0;
}

int
itcp_bpf_program_open (ItcpBpfProgram ** program)
{
  /* What is refused is told by its errno. */
  libbpf_print_fn_t print = libbpf_set_print (be_silent);
  ItcpBpfProgram *p = calloc (1, sizeof *p);
  int err = p ? 0 : -ENOMEM;

  if (!err) {
    p->page = (size_t) sysconf (_SC_PAGESIZE);
    p->skeleton = states_bpf__open_and_load ();
    err = p->skeleton ? states_bpf__attach (p->skeleton) : -errno;
  }
  libbpf_set_print (print);
  if (!err)
    err = map_bell (p);
  if (err) {
    itcp_bpf_program_close (p);
    p = NULL;
  }
  *program = p;
  return err;
}

void
itcp_bpf_program_close (ItcpBpfProgram * p)
{
  if (!p)
    return;
  if (p->consumed)
    munmap (p->consumed, p->page);
  if (p->produced)
    munmap ((void *) p->produced, p->page);
  states_bpf__destroy (p->skeleton);
  free (p);
}

int
itcp_bpf_program_counts (const ItcpBpfProgram * p)
{
  return bpf_map__fd (p->skeleton->maps.counts);
}

int
itcp_bpf_program_bell (const ItcpBpfProgram * p)
{
  return bpf_map__fd (p->skeleton->maps.bell);
}

/* One stroke is left in it: to those who poll it, an empty ring has not
 * rung. */
void
itcp_bpf_program_make_room (ItcpBpfProgram * p)
{
  unsigned long produced = __atomic_load_n (p->produced, __ATOMIC_ACQUIRE);
  unsigned long consumed = __atomic_load_n (p->consumed, __ATOMIC_RELAXED);

  if (produced - consumed > ITCP_BPF_BELL_SIZE / 2)
    __atomic_store_n (p->consumed, produced - ITCP_BPF_STROKE,
        __ATOMIC_RELEASE);
}
