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
  .interval = 5 * ITCP_MSECOND,
  .fresh = 5 * ITCP_MSECOND,
  .open = tcp_info_open
};

static const ItcpSourceClass none = {
  .name = "none",
  .interval = ITCP_SECOND,
  .fresh = ITCP_SECOND
};

/* In this order. */
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

#define N_CHOICES (sizeof choices / sizeof choices[0])

/* Others set the threshold when it suits them, bbr as it leaves its start. */
static bool
cuts_threshold (int fd)
{
  char name[16];

  return itcp_tcp_congestion (fd, name) == 0 &&
      (strcmp (name, "reno") == 0 || strcmp (name, "cubic") == 0);
}

/* The first from `i` on. */
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
  static const ItcpRestParams bursts = ITCP_REST_BURSTS;
  static const ItcpRestParams paced = ITCP_REST_PACED;
  ItcpNews news;
  int err;

  memset (s, 0, sizeof *s);
  s->fd = fd;
  s->wake_fd = -1;
  s->cuts_threshold = cuts_threshold (fd);
  /* Others may pace, as bbr does. */
  itcp_rest_init (&s->rest, s->cuts_threshold ? &bursts : &paced);
  itcp_flight_init (&s->flight);
  s->rest_until = INT64_MIN;
  s->first_stamp = ITCP_TIME_UNKNOWN;
  itcp_detector_init (&s->detector);
  if ((err = open_one (s, kind, 0)) == 0 && (err = itcp_source_read (s, &news)) < 0)    /* where it stands now */
    itcp_source_close (s);
  return err;
}

void
itcp_source_close (ItcpSource * s)
{
  if (s->klass && s->klass->close)
    s->klass->close (s);
}

/* This one works no more; what was found so far stays. */
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
itcp_source_take (ItcpSource * s, ItcpNews * news, const ItcpSample * sample,
    int64_t at)
{
  ItcpSample told = *sample;
  ItcpFindings found;

  if (!s->cuts_threshold)
    told.ssthresh = 0;
  itcp_detector_sample (&s->detector, &told, &found);
  if (found.rexmt && news->found.rexmt == 0 && at != ITCP_TIME_UNKNOWN)
    news->rexmt_at = at;
  if (found.dupack && news->found.dupack == 0)
    news->dupack_at = at;
  news->found.rexmt += found.rexmt;
  news->found.dupack += found.dupack;
}

static int
look (ItcpSource * s, ItcpNews * news, int64_t now)
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
  itcp_source_take (s, news, &sample, ITCP_TIME_UNKNOWN);
  if (s->klass->settle && s->klass->settle (s, news) < 0)
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
  /* A rest ends as it was to: there is no alarm to be set anew for it. */
  got = itcp_wait_also (-1, 0, s->wake_fd, waker, NULL,
      until < s->rest_until ? until : s->rest_until);
  /* The next rest may come before the next wait. */
  return got ? got : itcp_wait_also (s->fd, events, -1, NULL, NULL, 0);
}

void
itcp_source_look_by (ItcpSource * s, int64_t at)
{
  if (at < s->look_due)
    s->look_due = at;
}

int
itcp_source_read (ItcpSource * s, ItcpNews * news)
{
  bool wanted = true;
  int64_t now;
  int err = 0;

  memset (news, 0, sizeof *news);
  news->rexmt_at = news->dupack_at = ITCP_TIME_UNKNOWN;
  if (s->klass->read)
    wanted = s->klass->read (s, news);
  now = wait_monotonic_now ();
  if (!s->blind && (wanted || now >= s->look_due || !s->detector.started))
    err = look (s, news, now);
  news->info = s->info;
  if (news->found.rexmt == 0)
    news->rexmt_at = ITCP_TIME_UNKNOWN;
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
