/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <wait/wait.h>

#include <errno.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)      /* ns */

static int64_t
clock_now (clockid_t id)
{
  struct timespec now;

  clock_gettime (id, &now);
  return now.tv_sec * SECOND + now.tv_nsec;
}

int64_t
wait_monotonic_now (void)
{
  return clock_now (CLOCK_MONOTONIC);
}

int64_t
wait_wall_now (void)
{
  return clock_now (CLOCK_REALTIME);
}

int
wait_waker_open (WaitWaker * w)
{
  w->fd = eventfd (0, EFD_NONBLOCK | EFD_CLOEXEC);
  return w->fd < 0 ? -errno : 0;
}

void
wait_waker_close (WaitWaker * w)
{
  if (w->fd >= 0)
    close (w->fd);
  w->fd = -1;
}

void
wait_waker_wake (WaitWaker * w)
{
  uint64_t one = 1;

  /* EAGAIN means that it is awake already. */
  while (write (w->fd, &one, sizeof one) < 0 && errno == EINTR);
}

static void
read_count (int fd)
{
  uint64_t count;

  while (read (fd, &count, sizeof count) < 0 && errno == EINTR);
}

void
wait_waker_clear (WaitWaker * w)
{
  read_count (w->fd);
}

/* Counts those of the n descriptors that have an event after a poll. */
static int
count_events (const struct pollfd *fds, unsigned n)
{
  int found = 0;

  for (unsigned i = 0; i < n; i++) {
    if (fds[i].revents & POLLNVAL)
      return -EBADF;
    found += fds[i].revents != 0;
  }
  return found;
}

int
wait_poll (struct pollfd *fds, unsigned n, int64_t until)
{
  int got;

  do {
    struct timespec left = { 0, 0 };

    if (until != INT64_MAX) {
      int64_t now = wait_monotonic_now ();

      if (until > now) {
        left.tv_sec = (until - now) / SECOND;
        left.tv_nsec = (until - now) % SECOND;
      }
    }
    got = ppoll (fds, n, until == INT64_MAX ? NULL : &left, NULL);
  } while (got < 0 && errno == EINTR);
  return got < 0 ? -errno : count_events (fds, n);
}

int
wait_alarm_open (WaitAlarm * a)
{
  a->at = INT64_MAX;
  a->fd = timerfd_create (CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  return a->fd < 0 ? -errno : 0;
}

void
wait_alarm_close (WaitAlarm * a)
{
  if (a->fd >= 0)
    close (a->fd);
  a->fd = -1;
}

static int
set_alarm (WaitAlarm * a, int64_t at)
{
  struct itimerspec spec = {
    .it_value = {.tv_sec = at / SECOND,.tv_nsec = at % SECOND}
  };

  if (timerfd_settime (a->fd, TFD_TIMER_ABSTIME, &spec, NULL) < 0)
    return -errno;
  a->at = at;
  return 0;
}

/* ns, 20 ms. A wake-up costs far more than setting the timer. If the timer
 * fires within this time, before anything else is likely to happen, and
 * too early by more than WORTH, it is set to a later time. */
#define SOON (SECOND / 50)
/* ns, 2.5 ms; see SOON. */
#define WORTH (SECOND / 400)

static int
is_to_be_set (const WaitAlarm * a, int64_t now, int64_t until)
{
  return until < a->at || (until != INT64_MAX && a->at - now < SOON
      && until - a->at > WORTH);
}

int
wait_poll_alarm (struct pollfd *fds, unsigned n, WaitAlarm * alarm,
    int64_t until)
{
  int64_t now = wait_monotonic_now ();
  int got = 0;

  if (until <= now)
    return wait_poll (fds, n, until);
  fds[n] = (struct pollfd) {
    .fd = alarm->fd,.events = POLLIN
  };
  do {
    if (is_to_be_set (alarm, now, until)
        && (got = set_alarm (alarm, until)) < 0)
      return got;
    got = poll (fds, n + 1, -1);
    if (got < 0 && errno != EINTR)
      return -errno;
    if (got > 0 && fds[n].revents) {
      read_count (alarm->fd);
      alarm->at = INT64_MAX;
    }
    if (got > 0 && (got = count_events (fds, n)) != 0)
      return got;
    now = wait_monotonic_now ();
  } while (now < until);
  return 0;
}
