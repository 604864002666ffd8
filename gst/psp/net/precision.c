/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "udp.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIFO_PRIORITY 20
#define SLICE_NS 100000
#define SPIN_LIMIT_NS 100000

static _Thread_local bool may_spin;

static bool
request_fifo (void)
{
  struct sched_param param = {.sched_priority = FIFO_PRIORITY };
  struct rlimit limit;

  if (sched_setscheduler (0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0)
    return true;
  /* Without the privilege, up to RLIMIT_RTPRIO is allowed. */
  if (getrlimit (RLIMIT_RTPRIO, &limit) < 0 || limit.rlim_cur == 0 ||
      limit.rlim_cur >= FIFO_PRIORITY)
    return false;
  param.sched_priority = (int) limit.rlim_cur;
  return sched_setscheduler (0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0;
}

/* An EEVDF slice shorter than the default (Linux 6.12; before it, the run
 * time of SCHED_OTHER is ignored) wakes the thread sooner under load. */
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
    return;                     /* asked for by the user */
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
  int64_t limit;

  if (!may_spin)
    return;
  limit = psp_monotonic_now () + SPIN_LIMIT_NS;
  if (until > limit)
    until = limit;
  while (psp_monotonic_now () < until) {
#if defined (__x86_64__) || defined (__i386__)
    __builtin_ia32_pause ();
#elif defined (__aarch64__)
    __asm__ volatile ("yield");
#endif
  }
}
