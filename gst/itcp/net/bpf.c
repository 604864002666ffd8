/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A program in the kernel counts the entries to Loss and Recovery of this
 * socket and rings a bell: that of a helper, whose maps are pinned for all who
 * may read them, or our own where we may load one. TCP_INFO is looked at
 * beside it: it counts timeouts exactly, and shows when nobody counts for us
 * any more.
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

/* Now and then the kernel does not run the program: where it interrupts itself,
 * and, as measured, while others come to the tracepoint or leave it. */
#define MAX_UNCOUNTED 2

typedef struct
{
  int counts, bell;             /* the program's, or ours */
  int alive;                    /* the helper's sign of life; -1 = our own
                                   program */
  ItcpBpfProgram *program;      /* ours, or NULL */
  struct itcp_bpf_counts seen;
  uint32_t told;                /* losses whose time was */
  bool counted;                 /* at the last look */
  unsigned uncounted;           /* looks in a row that TCP_INFO alone told of */
  uint8_t ca_state;             /* TCP_INFO's then */
  int64_t next_check;           /* of the helper */
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
    b->ca_state = ITCP_CA_RECOVERY;     /* an entry before us is none */
    s->state = b;
  }
  return b;
}

/* Asks for this socket to be counted, and for the bell. The ring only ever
 * holds more: what tells is its edge. */
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
  b->told = b->seen.losses;
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
      && wait_monotonic_now () - (int64_t) alive.at < ITCP_BPF_PATIENCE;
}

typedef struct
{
  const char *name;
  uint32_t open_flags, type, key_size, value_size;
} Pinned;

/* What only the helper writes can only be opened for reading. */
static const Pinned pinned_alive = { ITCP_BPF_ALIVE, BPF_F_RDONLY,
  BPF_MAP_TYPE_ARRAY, sizeof (int), sizeof (struct itcp_bpf_alive)
};

static const Pinned pinned_counts = { ITCP_BPF_COUNTS, 0,
  BPF_MAP_TYPE_SK_STORAGE, sizeof (int), sizeof (struct itcp_bpf_counts)
};

static const Pinned pinned_bell = { ITCP_BPF_BELL, BPF_F_RDONLY,
  BPF_MAP_TYPE_RINGBUF, 0, 0
};

/* To `fd`, which is the caller's even where it is refused. */
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

/* The bell is hushed before anything is looked at: what comes later rings
 * again. It may have been for another socket. */
static bool
bpf_read (ItcpSource * s, ItcpNews * news)
{
  const Bpf *b = s->state;
  struct epoll_event event;
  struct itcp_bpf_counts c;

  (void) news;
  epoll_wait (s->wake_fd, &event, 1, 0);
  return bpf_map_lookup_elem (b->counts, &s->fd, &c) < 0
      || c.losses != b->seen.losses || c.recoveries != b->seen.recoveries;
}

/* When the first of the last n of `count` events happened, or the first of them
 * still known. */
static int64_t
time_of (const __u64 * times, uint32_t count, uint32_t n)
{
  if (n > ITCP_BPF_TIMES)
    n = ITCP_BPF_TIMES;
  if (n > count)
    n = count;
  return n == 0 ? ITCP_TIME_UNKNOWN :
      (int64_t) times[(count - n) % ITCP_BPF_TIMES];
}

/* True: TCP_INFO found what should have been counted by now. The state is set
 * before TCP_INFO shows it, but may have been counted at the last look and
 * shown at this. */
static bool
went_uncounted (const ItcpSource * s, const ItcpNews * news)
{
  const Bpf *b = s->state;

  return !b->counted && (news->found.rexmt > 0
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
  b->next_check = now + ITCP_BPF_BEAT;
  return helper_lives (b) ? 0 : -ESTALE;
}

static int
bpf_settle (ItcpSource * s, ItcpNews * news)
{
  struct itcp_bpf_counts c;
  uint32_t losses, recoveries, untold;
  Bpf *b = s->state;

  if (bpf_map_lookup_elem (b->counts, &s->fd, &c) < 0)
    return -errno;
  losses = c.losses - b->seen.losses;
  recoveries = c.recoveries - b->seen.recoveries;
  if (losses == 0 && recoveries == 0 && went_uncounted (s, news)) {
    b->ca_state = s->info.ca_state;
    return ++b->uncounted >= MAX_UNCOUNTED ? -ESTALE : check (b);
  }
  if (losses > 0 || recoveries > 0)
    b->uncounted = 0;
  if (!s->detector.exact)
    news->found.rexmt = losses;
  news->found.dupack = recoveries;
  /* Of those found, some may not have been counted. */
  untold = c.losses - b->told;
  news->rexmt_at = time_of (c.loss_at, c.losses,
      news->found.rexmt < untold ? news->found.rexmt : untold);
  if (news->found.rexmt > 0)
    b->told = c.losses;
  news->dupack_at = time_of (c.recovery_at, c.recoveries, recoveries);
  b->counted = losses > 0 || recoveries > 0;
  b->ca_state = s->info.ca_state;
  b->seen = c;
  return check (b);
}

const ItcpSourceClass itcp_source_bpf_pinned = {
  .name = "bpf-pinned",
  .interval = 40 * ITCP_MSECOND,
  .fresh = 20 * ITCP_MSECOND,
  .open = pinned_open,
  .read = bpf_read,
  .settle = bpf_settle,
  .close = bpf_close
};

const ItcpSourceClass itcp_source_bpf = {
  .name = "bpf",
  .interval = 40 * ITCP_MSECOND,
  .fresh = 20 * ITCP_MSECOND,
  .open = own_open,
  .read = bpf_read,
  .settle = bpf_settle,
  .close = bpf_close
};
