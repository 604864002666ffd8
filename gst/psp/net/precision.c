/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "udp.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/param.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIFO_PRIORITY 20        /* above plain programs, below kernel threads */
#define SLICE_NS 100000         /* the shortest slice that Linux accepts */
#define SPIN_LIMIT_NS 250000    /* longest time that a CPU is held */

#define MARGIN_START 30000      /* ns; first margin */
#define MARGIN_MIN 10000        /* ns; shortest margin */
/* ns; the margin grows by about this step after a sleep that was late by more
 * than the margin. */
#define MARGIN_STEP 10000
/* After other sleeps the margin shrinks by a fiftieth of the step: it settles
 * where one sleep in 50 is later. */
#define MARGIN_QUANTILE 50

#define SPIN_COST 4             /* ns that 1 ns of spinning must be apart */
/* ns; cost that may fall due at once: a burst of slots in several threads. */
#define SPIN_BURST INT64_C (20000000)

static _Thread_local bool may_spin;
static PspSpinBudget budget;

static bool
request_fifo (void)
{
  struct sched_param param = {.sched_priority = FIFO_PRIORITY };
  struct rlimit limit;

  if (sched_setscheduler (0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0)
    return true;
  /* A process without the privilege may use priorities up to RLIMIT_RTPRIO. */
  if (getrlimit (RLIMIT_RTPRIO, &limit) < 0 || limit.rlim_cur == 0 ||
      limit.rlim_cur >= FIFO_PRIORITY)
    return false;
  param.sched_priority = (int) limit.rlim_cur;
  return sched_setscheduler (0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0;
}

/* Asks for an EEVDF slice that is shorter than the default, which wakes the
 * thread sooner under load (Linux 6.12; older kernels ignore the run time of
 * SCHED_OTHER). */
static void
request_short_slice (void)
{
#ifdef SYS_sched_setattr
  struct
  {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attr = { 0 };

  if (syscall (SYS_sched_getattr, 0, &attr, sizeof attr, 0) < 0)
    return;
  if (attr.policy == SCHED_BATCH || attr.policy == SCHED_IDLE)
    return;                     /* the user has chosen this policy */
  attr.size = sizeof attr;
  attr.policy = SCHED_OTHER;
  attr.priority = 0;
  attr.runtime = SLICE_NS;
  attr.deadline = attr.period = 0;
  syscall (SYS_sched_setattr, 0, &attr, 0);
#endif
}

PspPrecision
psp_precision_request (bool realtime)
{
  may_spin = realtime && request_fifo ();
  if (!may_spin)
    request_short_slice ();
  prctl (PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  return may_spin ? PSP_PRECISION_REALTIME : PSP_PRECISION_SLEEP;
}

void
psp_spin_until (int64_t until)
{
  int64_t begin, now;

  if (!may_spin)
    return;
  begin = now = wait_monotonic_now ();
  until = MIN (until, begin + SPIN_LIMIT_NS);
  while (now < until) {
#if defined (__x86_64__) || defined (__i386__)
    __builtin_ia32_pause ();
#elif defined (__aarch64__)
    __asm__ volatile ("yield");
#endif
    now = wait_monotonic_now ();
  }
  psp_spin_budget_take (&budget, now, now - begin);
}

bool
psp_spin_affordable (int64_t now)
{
  return psp_spin_budget_allows (&budget, now);
}

bool
psp_spin_budget_allows (PspSpinBudget * b, int64_t now)
{
  return atomic_load_explicit (&b->affordable_at, memory_order_relaxed)
      <= now + SPIN_BURST;
}

void
psp_spin_budget_take (PspSpinBudget * b, int64_t now, int64_t spun)
{
  int64_t old = atomic_load_explicit (&b->affordable_at, memory_order_relaxed);

  while (!atomic_compare_exchange_weak_explicit (&b->affordable_at, &old,
          MAX (old, now) + SPIN_COST * spun, memory_order_relaxed,
          memory_order_relaxed));
}

void
psp_spin_init (PspSpin * s)
{
  s->margin = MARGIN_START;
}

int64_t
psp_spin_margin (const PspSpin * s, int64_t left)
{
  int64_t most = MIN (MAX (left / 8, MARGIN_START), left / 2);

  return MAX (MIN (s->margin, most), 0);
}

void
psp_spin_learn (PspSpin * s, int64_t late)
{
  if (late > PSP_SPIN_MAX)
    return;                     /* no margin is enough for such a stall */
  if (late > s->margin)
    s->margin += MARGIN_STEP - MARGIN_STEP / MARGIN_QUANTILE;
  else
    s->margin -= MARGIN_STEP / MARGIN_QUANTILE;
  s->margin = MAX (MIN (s->margin, PSP_SPIN_MAX), MARGIN_MIN);
}

int
psp_idle_forbid (void)
{
  int fd = open ("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
  int32_t latency = 0;          /* µs */
  int err;

  if (fd < 0)
    return -errno;
  if (write (fd, &latency, sizeof latency) == sizeof latency)
    return fd;
  err = errno;
  close (fd);
  return -err;
}

void
psp_idle_allow (int fd)
{
  if (fd >= 0)
    close (fd);
}
