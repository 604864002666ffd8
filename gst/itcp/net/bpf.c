/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A program in the kernel counts how often this socket enters Loss and
 * Recovery, and rings a bell. The program belongs to a helper, whose maps are
 * pinned for all who may read them, or it is our own if we may load one.
 * TCP_INFO is read besides: it counts timeouts exactly, and it shows when the
 * program no longer counts.
 */
#include "private.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "bpf/program.h"

/* Looks in a row with an uncounted event after which the source gives up.
 * Sometimes the kernel does not run the program: when it interrupts itself,
 * and, as measured, while other programs attach to the tracepoint or leave
 * it. */
#define MAX_UNCOUNTED 2

typedef struct
{
  /* descriptors of the maps, the helper's or ours */
  int counts, bell;
  /* descriptor of the helper's sign of life; -1 = our own program */
  int alive;
  ItcpBpfProgram *program;      /* our program; NULL = the helper's */
  struct itcp_bpf_counts seen;
  uint32_t reported;            /* losses whose time was reported */
  /* the program counted an event at the last look */
  bool counted;
  /* looks in a row in which only TCP_INFO showed an event */
  unsigned uncounted;
  uint8_t ca_state;             /* TCP_INFO's state at the last look */
  int64_t next_check;           /* when to check the helper again */
} Bpf;

static void
bpf_close (ItcpSource * s)
{
  Bpf *b = s->state;

  if (s->wake_fd >= 0)
    close (s->wake_fd);
  s->wake_fd = -1;
  if (!b)
    return;
  if (b->program) {
    itcp_bpf_program_close (b->program);
  } else {
    if (b->counts >= 0)
      close (b->counts);
    if (b->bell >= 0)
      close (b->bell);
  }
  if (b->alive >= 0)
    close (b->alive);
  free (b);
  s->state = NULL;
}

static Bpf *
bpf_new (ItcpSource * s)
{
  Bpf *b = calloc (1, sizeof *b);

  if (b) {
    b->counts = b->bell = b->alive = -1;
    /* an entry before we started does not count */
    b->ca_state = ITCP_CA_RECOVERY;
    s->state = b;
  }
  return b;
}

/* Asks the program to count this socket, and opens the bell. The ring only
 * grows fuller, so the wait is edge-triggered. */
static int
join (ItcpSource * s)
{
  struct epoll_event event = {.events = EPOLLIN | EPOLLET };
  Bpf *b = s->state;

  if (bpf_map_update_elem (b->counts, &s->fd, &b->seen, BPF_NOEXIST) < 0
      && errno != EEXIST)
    return -errno;
  if (bpf_map_lookup_elem (b->counts, &s->fd, &b->seen) < 0)
    return -errno;
  b->reported = b->seen.losses;
  s->wake_fd = epoll_create1 (EPOLL_CLOEXEC);
  if (s->wake_fd < 0 ||
      epoll_ctl (s->wake_fd, EPOLL_CTL_ADD, b->bell, &event) < 0)
    return -errno;
  return 0;
}

static int
own_open (ItcpSource * s)
{
  Bpf *b = bpf_new (s);
  int err;

  if (!b)
    return -ENOMEM;
  if ((err = itcp_bpf_program_open (&b->program)) < 0)
    return err;
  b->counts = itcp_bpf_program_counts (b->program);
  b->bell = itcp_bpf_program_bell (b->program);
  return join (s);
}

static bool
helper_lives (const Bpf * b)
{
  struct itcp_bpf_alive alive;
  int zero = 0;

  return bpf_map_lookup_elem (b->alive, &zero, &alive) == 0
      && alive.version == ITCP_BPF_VERSION
      && wait_monotonic_now () - (int64_t) alive.at < ITCP_BPF_ALIVE_TIMEOUT;
}

typedef struct
{
  const char *name;
  uint32_t open_flags, type, key_size, value_size;
} Pinned;

/* Only the helper writes this map, so others can open it only for reading. */
static const Pinned pinned_alive = { ITCP_BPF_ALIVE, BPF_F_RDONLY,
  BPF_MAP_TYPE_ARRAY, sizeof (int), sizeof (struct itcp_bpf_alive)
};

static const Pinned pinned_counts = { ITCP_BPF_COUNTS, 0,
  BPF_MAP_TYPE_SK_STORAGE, sizeof (int), sizeof (struct itcp_bpf_counts)
};

static const Pinned pinned_bell = { ITCP_BPF_BELL, BPF_F_RDONLY,
  BPF_MAP_TYPE_RINGBUF, 0, 0
};

/* Opens a pinned map as `fd`. The caller closes `fd` even if the map is
 * refused. */
static int
get_pinned (const Pinned * p, int *fd)
{
  LIBBPF_OPTS (bpf_obj_get_opts, options,.file_flags = p->open_flags);
  const char *directory = secure_getenv (ITCP_BPF_DIRECTORY_ENV);
  char path[PATH_MAX];

  if (snprintf (path, sizeof path, "%s/%s", directory ? directory :
          ITCP_BPF_DIRECTORY, p->name) >= (int) sizeof path)
    return -ENAMETOOLONG;
  if ((*fd = bpf_obj_get_opts (path, &options)) < 0)
    return -errno;
  return itcp_bpf_check_map (*fd, p->type, p->key_size, p->value_size);
}

static int
pinned_open (ItcpSource * s)
{
  Bpf *b = bpf_new (s);
  int err;

  if (!b)
    return -ENOMEM;
  if ((err = get_pinned (&pinned_alive, &b->alive)) < 0)
    return err;
  if (!helper_lives (b))
    return -ESTALE;
  if ((err = get_pinned (&pinned_counts, &b->counts)) < 0 ||
      (err = get_pinned (&pinned_bell, &b->bell)) < 0)
    return err;
  return join (s);
}

/* Clears the bell before anything is read, so that a later event rings it
 * again. The bell may have rung for another socket. */
static bool
bpf_read (ItcpSource * s, ItcpReading * reading)
{
  const Bpf *b = s->state;
  struct epoll_event event;
  struct itcp_bpf_counts c;

  (void) reading;
  epoll_wait (s->wake_fd, &event, 1, 0);
  return bpf_map_lookup_elem (b->counts, &s->fd, &c) < 0
      || c.losses != b->seen.losses || c.recoveries != b->seen.recoveries;
}

/* Returns when the first of the last n of `count` events happened, or the first
 * whose time is still known. */
static int64_t
time_of (const __u64 * times, uint32_t count, uint32_t n)
{
  if (n > ITCP_BPF_TIMES)
    n = ITCP_BPF_TIMES;
  if (n > count)
    n = count;
  return n == 0 ? PSP_TIME_UNKNOWN :
      (int64_t) times[(count - n) % ITCP_BPF_TIMES];
}

/* Returns true if TCP_INFO found an event that the program should have counted
 * by now. The state is set before TCP_INFO shows it, so an event may be counted
 * at one look and shown at the next. */
static bool
went_uncounted (const ItcpSource * s, const ItcpReading * reading)
{
  const Bpf *b = s->state;

  return !b->counted && (reading->found.rexmt > 0
      || (s->info.ca_state == ITCP_CA_RECOVERY
          && b->ca_state != ITCP_CA_RECOVERY));
}

static int
check (Bpf * b)
{
  int64_t now = wait_monotonic_now ();

  if (b->program)
    itcp_bpf_program_make_room (b->program);
  if (b->alive < 0 || now < b->next_check)
    return 0;
  b->next_check = now + ITCP_BPF_ALIVE_INTERVAL;
  return helper_lives (b) ? 0 : -ESTALE;
}

static int
bpf_settle (ItcpSource * s, ItcpReading * reading)
{
  struct itcp_bpf_counts c;
  uint32_t losses, recoveries, unreported;
  Bpf *b = s->state;

  if (bpf_map_lookup_elem (b->counts, &s->fd, &c) < 0)
    return -errno;
  losses = c.losses - b->seen.losses;
  recoveries = c.recoveries - b->seen.recoveries;
  if (losses == 0 && recoveries == 0 && went_uncounted (s, reading)) {
    b->ca_state = s->info.ca_state;
    return ++b->uncounted >= MAX_UNCOUNTED ? -ESTALE : check (b);
  }
  if (losses > 0 || recoveries > 0)
    b->uncounted = 0;
  if (!s->detector.exact)
    reading->found.rexmt = losses;
  reading->found.dupack = recoveries;
  /* Some of the losses found may not have been counted. */
  unreported = c.losses - b->reported;
  reading->rexmt_at = time_of (c.loss_at, c.losses,
      reading->found.rexmt < unreported ? reading->found.rexmt : unreported);
  if (reading->found.rexmt > 0)
    b->reported = c.losses;
  reading->dupack_at = time_of (c.recovery_at, c.recoveries, recoveries);
  b->counted = losses > 0 || recoveries > 0;
  b->ca_state = s->info.ca_state;
  b->seen = c;
  return check (b);
}

const ItcpSourceClass itcp_source_bpf_pinned = {
  .name = "bpf-pinned",
  .interval = 40 * PSP_MSECOND,
  .fresh = 20 * PSP_MSECOND,
  .open = pinned_open,
  .read = bpf_read,
  .settle = bpf_settle,
  .close = bpf_close
};

const ItcpSourceClass itcp_source_bpf = {
  .name = "bpf",
  .interval = 40 * PSP_MSECOND,
  .fresh = 20 * PSP_MSECOND,
  .open = own_open,
  .read = bpf_read,
  .settle = bpf_settle,
  .close = bpf_close
};
