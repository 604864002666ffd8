/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "states.skel.h"

struct ItcpBpfProgram
{
  unsigned holders;
  struct states_bpf *skeleton;
  size_t page;                  /* bytes */
  /* first word of the bell's page that readers advance
   * (Documentation/bpf/ringbuf.rst of the kernel) */
  unsigned long *consumed;
  /* first word of the bell's page that the kernel advances */
  const unsigned long *produced;
};

/* The process's only program; the lock protects it and the count of its
 * holders. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ItcpBpfProgram *loaded;

/* Returns 0 if the kernel accepts any program of this kind from us, else a
 * negative errno. libbpf writes to stderr what the kernel refuses, and that can
 * be prevented only for the whole process. */
static int
ask (void)
{
  /* This program is "return 0". */
  static const struct bpf_insn nothing[] = {
    {.code = BPF_ALU64 | BPF_MOV | BPF_K,.dst_reg = BPF_REG_0},
    {.code = BPF_JMP | BPF_EXIT}
  };
  int fd = bpf_prog_load (BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", nothing,
      sizeof nothing / sizeof nothing[0], NULL);

  if (fd < 0)
    return -errno;
  close (fd);
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

static void
unload (ItcpBpfProgram * p)
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

static int
load (ItcpBpfProgram ** program)
{
  ItcpBpfProgram *p = calloc (1, sizeof *p);
  int err = p ? ask () : -ENOMEM;

  if (!err) {
    p->page = (size_t) sysconf (_SC_PAGESIZE);
    p->skeleton = states_bpf__open_and_load ();
    err = p->skeleton ? states_bpf__attach (p->skeleton) : -errno;
  }
  if (!err)
    err = map_bell (p);
  if (err) {
    unload (p);
    p = NULL;
  }
  *program = p;
  return err;
}

int
itcp_bpf_program_open (ItcpBpfProgram ** program)
{
  int err = 0;

  pthread_mutex_lock (&lock);
  if (!loaded)
    err = load (&loaded);
  if (loaded)
    loaded->holders++;
  *program = loaded;
  pthread_mutex_unlock (&lock);
  return err;
}

void
itcp_bpf_program_close (ItcpBpfProgram * p)
{
  if (!p)
    return;
  pthread_mutex_lock (&lock);
  if (--p->holders == 0) {
    unload (p);
    loaded = NULL;
  }
  pthread_mutex_unlock (&lock);
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

/* Makes room in the ring. One stroke stays in it, because poll takes an empty
 * ring for one that has not rung. If there are several holders, one of them
 * makes room. */
void
itcp_bpf_program_make_room (ItcpBpfProgram * p)
{
  unsigned long produced = __atomic_load_n (p->produced, __ATOMIC_ACQUIRE);
  unsigned long consumed = __atomic_load_n (p->consumed, __ATOMIC_RELAXED);

  if (produced - consumed > ITCP_BPF_BELL_SIZE / 2)
    __atomic_compare_exchange_n (p->consumed, &consumed,
        produced - ITCP_BPF_STROKE, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

int
itcp_bpf_check_map (int fd, uint32_t type, uint32_t key_size,
    uint32_t value_size)
{
  struct bpf_map_info info = { 0 };
  uint32_t size = sizeof info;

  if (bpf_obj_get_info_by_fd (fd, &info, &size) < 0)
    return -errno;
  return info.type == type && info.key_size == key_size
      && info.value_size == value_size ? 0 : -ESTALE;
}
