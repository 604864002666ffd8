/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "private.h"

#include <errno.h>
#include <string.h>

static int
tcp_info_open (ItcpSource * s)
{
  ItcpTcpInfo info;

  return itcp_tcp_info (s->fd, &info);
}

static const ItcpSourceClass tcp_info = {
  .name = "tcp-info",
  .interval = 5 * PSP_MSECOND,
  .fresh = 5 * PSP_MSECOND,
  .open = tcp_info_open
};

static const ItcpSourceClass none = {
  .name = "none",
  .interval = PSP_SECOND,
  .fresh = PSP_SECOND
};

/* The order in which AUTO tries them. */
static const struct
{
  ItcpSourceKind kind;
  const ItcpSourceClass *klass;
} choices[] = {
#ifdef HAVE_BPF
  {ITCP_SOURCE_BPF, &itcp_source_bpf_pinned},
  {ITCP_SOURCE_BPF, &itcp_source_bpf},
#endif
  {ITCP_SOURCE_ERROR_QUEUE, &itcp_source_error_queue},
  {ITCP_SOURCE_TCP_INFO, &tcp_info}
};

/* Number of these choices. */
#define N_CHOICES (sizeof choices / sizeof choices[0])

/* The two limits below say how long to rest while segments leave as they
 * should. Each one would wake us, and at 20 Mb/s, paced, one leaves every 0.6
 * ms. tests/benchmarks/itcp-detection.py measured how many events are found
 * later because of this, and by how much.
 *
 * The rest delays nothing if a look finds disorder before recovery or loss,
 * because then there is no rest. It may delay an event by up to a rest if one
 * acknowledgement reports all losses, or if a timer expires while segments
 * leave. */
/* for segments that leave in bursts, and only sometimes one by one */
static const ItcpRateLimitParams bursts = { 8 * PSP_MSECOND, 16 };

/* for connections that pace all segments: each picture would use up several
 * looks at once, so rests are short instead */
static const ItcpRateLimitParams paced = { 4 * PSP_MSECOND, 1 };

/* True if the algorithm cuts the threshold at each recovery. Other algorithms
 * set it at other times; bbr sets it when it leaves its start phase. */
static bool
cuts_threshold (int fd)
{
  char name[16];

  return itcp_tcp_congestion (fd, name) == 0 &&
      (strcmp (name, "reno") == 0 || strcmp (name, "cubic") == 0);
}

/* Opens the first source from `i` on that works. */
static int
open_one (ItcpSource * s, ItcpSourceKind kind, unsigned i)
{
  int err = -ENOTSUP;

  for (; i < N_CHOICES; i++) {
    if (kind != ITCP_SOURCE_AUTO && kind != choices[i].kind)
      continue;
    s->klass = choices[i].klass;
    if ((err = s->klass->open (s)) == 0)
      return 0;
    itcp_source_close (s);
  }
  return err;
}

int
itcp_source_open (ItcpSource * s, ItcpSourceKind kind, int fd)
{
  ItcpReading reading;
  int err;

  memset (s, 0, sizeof *s);
  s->fd = fd;
  s->wake_fd = -1;
  s->cuts_threshold = cuts_threshold (fd);
  /* Other algorithms may pace, as bbr does. */
  itcp_rate_limit_init (&s->rest, s->cuts_threshold ? &bursts : &paced);
  itcp_flight_init (&s->flight);
  s->rest_until = INT64_MIN;
  s->first_stamp = PSP_TIME_UNKNOWN;
  itcp_detector_init (&s->detector);
  if ((err = open_one (s, kind, 0)) < 0)
    return err;
  err = itcp_source_read (s, &reading); /* the connection's present state */
  if (err < 0)
    itcp_source_close (s);
  return err;
}

void
itcp_source_close (ItcpSource * s)
{
  if (s->klass && s->klass->close)
    s->klass->close (s);
}

/* Opens the next source, because this one works no more. What it has found so
 * far stays. */
static void
go_on_with_next (ItcpSource * s)
{
  unsigned i = 0;

  while (choices[i].klass != s->klass)
    i++;
  itcp_source_close (s);
  if (open_one (s, ITCP_SOURCE_AUTO, i + 1) < 0)
    s->klass = &none;
}

void
itcp_source_take (ItcpSource * s, ItcpReading * reading,
    const ItcpSample * sample, int64_t at)
{
  ItcpSample known = *sample;
  ItcpFindings found;

  if (!s->cuts_threshold)
    known.ssthresh = 0;
  itcp_detector_sample (&s->detector, &known, &found);
  if (found.rexmt && reading->found.rexmt == 0 && at != PSP_TIME_UNKNOWN)
    reading->rexmt_at = at;
  if (found.dupack && reading->found.dupack == 0)
    reading->dupack_at = at;
  reading->found.rexmt += found.rexmt;
  reading->found.dupack += found.dupack;
}

static int
look (ItcpSource * s, ItcpReading * reading, int64_t now)
{
  const ItcpTcpInfo *info = &s->info;
  ItcpSample sample;
  int err;

  if ((err = itcp_tcp_info (s->fd, &s->info)) < 0)
    return err;
  s->looked_at = now + itcp_wall_offset ();
  s->look_due = now + s->klass->fresh;
  memset (&sample, 0, sizeof sample);
  sample.ca_state = info->ca_state;
  sample.retransmits = info->retransmits;
  sample.ssthresh = info->ssthresh;
  sample.has_total_rto = info->has_total_rto && !s->ignore_total_rto;
  sample.total_rto = info->total_rto;
  itcp_source_take (s, reading, &sample, PSP_TIME_UNKNOWN);
  if (s->klass->settle && s->klass->settle (s, reading) < 0)
    go_on_with_next (s);
  return 0;
}

static void
keep_few (ItcpSource * s, bool few)
{
  if (few != s->keeps_few && s->klass->keep_few)
    s->klass->keep_few (s, few);
  s->keeps_few = few;
}

int
itcp_source_wait (ItcpSource * s, int events, const WaitWaker * waker,
    WaitAlarm * alarm, int64_t until)
{
  int got;

  s->rests = !(events & ITCP_WAIT_WRITABLE)
      && s->rest_until > wait_monotonic_now ();
  keep_few (s, s->rests && s->quiet);
  if (!s->rests)
    return itcp_wait_also (s->fd, events, s->wake_fd, waker, alarm, until);
  /* The rest ends at its own time, so no alarm needs to be set for it. */
  got = itcp_wait_also (-1, 0, s->wake_fd, waker, NULL,
      until < s->rest_until ? until : s->rest_until);
  /* The next rest may start before the next wait. */
  return got ? got : itcp_wait_also (s->fd, events, -1, NULL, NULL, 0);
}

void
itcp_source_look_by (ItcpSource * s, int64_t at)
{
  if (at < s->look_due)
    s->look_due = at;
}

int
itcp_source_read (ItcpSource * s, ItcpReading * reading)
{
  bool wanted = true;
  int64_t now;
  int err = 0;

  memset (reading, 0, sizeof *reading);
  reading->rexmt_at = reading->dupack_at = PSP_TIME_UNKNOWN;
  if (s->klass->read)
    wanted = s->klass->read (s, reading);
  now = wait_monotonic_now ();
  if (!s->blind && (wanted || now >= s->look_due || !s->detector.started))
    err = look (s, reading, now);
  reading->info = s->info;
  if (reading->found.rexmt == 0)
    reading->rexmt_at = PSP_TIME_UNKNOWN;
  return err;
}

void
itcp_source_init_none (ItcpSource * s, int fd)
{
  memset (s, 0, sizeof *s);
  s->klass = &none;
  s->fd = fd;
  s->wake_fd = -1;
  s->blind = true;
}

void
itcp_source_ignore_total_rto (ItcpSource * s)
{
  s->ignore_total_rto = true;
  s->detector.exact = false;
}
