/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Every segment that leaves, again or for the first time, queues a record with
 * its time stamp and the state of the connection (SO_TIMESTAMPING, see the
 * kernel's Documentation/networking/timestamping.rst), which wakes poll().
 * Only writes that TCP does not join have a record each. Where they come one
 * by one, as those of segments that are paced, several are waited for, unless
 * something is amiss.
 */
#include "private.h"

#include <asm/socket.h>
#include <errno.h>
#include <linux/net_tstamp.h>
#include <string.h>
#include <sys/socket.h>

#include "record.h"

#define BATCH 16
#define CONTROL_SIZE 1024       /* bytes; a record of Linux 6 has about 400 */
/* At once, so that a look always ends. */
#define MAX_BATCHES 256
/* Bytes, which the kernel doubles: of records fewer than a batch. Of the receiver
 * nothing is wanted. */
#define RECEIVE_BUFFER 6144
#define MANY 8                  /* for which that may have been too small */

/* Records take longer to read than all else in a look, and what does not fit the
 * receive buffer is not queued: of a picture that leaves at once the first few
 * are, while nothing can happen hardly any. */
static void
error_queue_keep_few (ItcpSource * s, bool few)
{
  int bytes = few ? 0 : RECEIVE_BUFFER; /* 0: the least there is */

  setsockopt (s->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

/* Last, for nobody else reads these records: pending for good, they would wake
 * the socket's owner without end. */
static int
error_queue_open (ItcpSource * s)
{
  ItcpTcpInfo info;
  int err, flags = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE |
      SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY |
      SOF_TIMESTAMPING_OPT_STATS;

  if ((err = itcp_tcp_info (s->fd, &info)) < 0)
    return err;
  if (setsockopt (s->fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags) < 0)
    return -errno;
  error_queue_keep_few (s, false);
  return 0;
}

/* Up to BATCH of them, with one system call. */
static int
read_records (int fd, ItcpRecord * records)
{
  union
  {
    struct cmsghdr align;
    uint8_t bytes[CONTROL_SIZE];
  } control[BATCH];
  struct mmsghdr msgs[BATCH];
  int n;

  memset (msgs, 0, sizeof msgs);
  for (int i = 0; i < BATCH; i++) {
    msgs[i].msg_hdr.msg_control = control[i].bytes;
    msgs[i].msg_hdr.msg_controllen = CONTROL_SIZE;
  }
  do
    n = recvmmsg (fd, msgs, BATCH, MSG_ERRQUEUE | MSG_DONTWAIT, NULL);
  while (n < 0 && errno == EINTR);
  for (int i = 0; i < n; i++)
    itcp_record_parse (control[i].bytes, msgs[i].msg_hdr.msg_controllen,
        &records[i]);
  return n;
}

/* True: TCP_INFO may tell more than the record, as the count of timeouts, or
 * soon will: disorder is what comes before recovery, whose retransmission bbr
 * may hold back. */
static bool
is_eventful (const ItcpSample * sample)
{
  return sample->retransmits > 0 || (sample->ca_state != ITCP_CA_OPEN
      && sample->ca_state != ITCP_CA_CWR);
}

/* Records older than what TCP_INFO told meanwhile would be a step back: an
 * entry to recovery would be found twice. A clock that was set back makes all
 * of them old only until the next look. */
static bool
error_queue_read (ItcpSource * s, ItcpNews * news)
{
  bool eventful = is_eventful (&s->detector.last);
  int64_t offset = itcp_wall_offset (), now;
  unsigned found = 0;
  ItcpRecord records[BATCH];
  int n = BATCH;

  for (int k = 0; k < MAX_BATCHES && n == BATCH; k++) {
    n = read_records (s->fd, records);
    for (int i = 0; i < n; i++) {
      const ItcpRecord *r = &records[i];

      found++;
      if (!r->has_state || r->stamp <= s->looked_at)
        continue;
      if (s->first_stamp == ITCP_TIME_UNKNOWN)
        s->first_stamp = r->stamp - offset;
      eventful = eventful || is_eventful (&r->sample);
      itcp_source_take (s, news, &r->sample, r->stamp - offset);
      if (r->sample.ca_state == ITCP_CA_LOSS
          && news->rexmt_at == ITCP_TIME_UNKNOWN)
        news->rexmt_at = r->stamp - offset;
    }
  }
  s->stamps += found;
  if (eventful) {
    s->rest_until = INT64_MIN;
    return true;
  }
  now = wait_monotonic_now ();
  if (found > 0)
    s->rest_until = itcp_rest_look (&s->rest, now);
  /* Where some may not have been queued, or a rest may be longer. */
  return s->rests || found >= MANY || s->rest_until > now;
}

/* In state Open nothing happens before an acknowledgement, or a timer, which
 * takes longer than that at the least. A full error queue is no harm then. */
static int
error_queue_settle (ItcpSource * s, ItcpNews * news)
{
  ItcpFlightSample sample = {
    .at = s->info.at,
    .first = s->first_stamp,
    .sent = s->info.bytes_sent,
    .acked = s->info.bytes_acked,
    .min_rtt = s->info.has_bytes_sent ? s->info.min_rtt : 0
  };
  int64_t quiet_until = itcp_flight_look (&s->flight, &sample);

  (void) news;
  s->first_stamp = ITCP_TIME_UNKNOWN;
  if (is_eventful (&s->detector.last))
    s->rest_until = INT64_MIN;
  s->quiet = s->info.ca_state == ITCP_CA_OPEN && s->rest_until > s->info.at
      && quiet_until >= s->rest_until;
  if (s->quiet)
    s->rest_until = quiet_until;
  return 0;
}

/* The interval is for devices that stamp nothing. A look beside a wake-up costs
 * little, a wake-up much. */
const ItcpSourceClass itcp_source_error_queue = {
  .name = "error-queue",
  .interval = 40 * ITCP_MSECOND,
  .fresh = 10 * ITCP_MSECOND,
  .by_segment = true,
  .open = error_queue_open,
  .read = error_queue_read,
  .settle = error_queue_settle,
  .keep_few = error_queue_keep_few
};
