/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Every segment that leaves, retransmitted or not, queues a record with its
 * time stamp and the state of the connection (SO_TIMESTAMPING, see the kernel's
 * Documentation/networking/timestamping.rst). The record wakes poll(). Only
 * writes that TCP does not join have a record each. If segments leave one by
 * one, as paced ones do, several records are awaited, unless something is
 * wrong.
 */
#include "private.h"

#include <asm/socket.h>
#include <errno.h>
#include <linux/net_tstamp.h>
#include <string.h>
#include <sys/socket.h>

#include "record.h"

#define BATCH 16                /* records read per system call */
#define CONTROL_SIZE 1024       /* bytes; a record of Linux 6 has about 400 */
/* Batches per look, so that a look always ends. */
#define MAX_BATCHES 256
/* Bytes, which the kernel doubles: room for less than a batch of records. No
 * data from the receiver is needed. */
#define RECEIVE_BUFFER 6144
/* With this many records the buffer may have been too small. */
#define MANY 8

/* Makes the kernel queue few records, or as many as usual. Reading records
 * takes longer than everything else in a look, and the kernel queues no record
 * that does not fit the receive buffer. Of a picture that leaves at once only
 * the first few records are queued; while nothing can happen hardly any are. */
static void
error_queue_keep_few (ItcpSource * s, bool few)
{
  int bytes = few ? 0 : RECEIVE_BUFFER; /* 0: the kernel's minimum */

  setsockopt (s->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

/* This comes last, because nothing else reads these records: pending records
 * would wake the socket's owner without end. */
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

/* Reads up to BATCH records with one system call. */
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

/* Returns true if TCP_INFO may show more than the record, such as the count of
 * timeouts, or soon will. Disorder comes before recovery, whose retransmission
 * bbr may delay. */
static bool
is_eventful (const ItcpSample * sample)
{
  return sample->retransmits > 0 || (sample->ca_state != ITCP_CA_OPEN
      && sample->ca_state != ITCP_CA_CWR);
}

/* Reads the records. It skips a record older than the last TCP_INFO, which
 * would be a step back: an entry to recovery would be found twice. After the
 * clock was set back all records are old, but only until the next look. Returns
 * true if TCP_INFO is to be read. */
static bool
error_queue_read (ItcpSource * s, ItcpReading * reading)
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
      if (s->first_stamp == PSP_TIME_UNKNOWN)
        s->first_stamp = r->stamp - offset;
      eventful = eventful || is_eventful (&r->sample);
      itcp_source_take (s, reading, &r->sample, r->stamp - offset);
      if (r->sample.ca_state == ITCP_CA_LOSS
          && reading->rexmt_at == PSP_TIME_UNKNOWN)
        reading->rexmt_at = r->stamp - offset;
    }
  }
  s->stamps += found;
  if (eventful) {
    s->rest_until = INT64_MIN;
    return true;
  }
  now = wait_monotonic_now ();
  if (found > 0)
    s->rest_until = itcp_rate_limit_count (&s->rest, now);
  /* Some records may not have been queued, or a rest may be longer. */
  return s->rests || found >= MANY || s->rest_until > now;
}

/* In state Open nothing happens before an acknowledgement or a timer, and a
 * timer takes longer. Until then a full error queue does no harm. */
static int
error_queue_settle (ItcpSource * s, ItcpReading * reading)
{
  ItcpFlightSample sample = {
    .at = s->info.at,
    .first = s->first_stamp,
    .sent = s->info.bytes_sent,
    .acked = s->info.bytes_acked,
    .min_rtt = s->info.has_bytes_sent ? s->info.min_rtt : 0
  };
  int64_t quiet_until = itcp_flight_look (&s->flight, &sample);

  (void) reading;
  s->first_stamp = PSP_TIME_UNKNOWN;
  if (is_eventful (&s->detector.last))
    s->rest_until = INT64_MIN;
  s->quiet = s->info.ca_state == ITCP_CA_OPEN && s->rest_until > s->info.at
      && quiet_until >= s->rest_until;
  if (s->quiet)
    s->rest_until = quiet_until;
  return 0;
}

/* The interval is for devices that set no time stamps. A look during a wake-up
 * costs little, a wake-up costs much. */
const ItcpSourceClass itcp_source_error_queue = {
  .name = "error-queue",
  .interval = 40 * PSP_MSECOND,
  .fresh = 10 * PSP_MSECOND,
  .by_segment = true,
  .open = error_queue_open,
  .read = error_queue_read,
  .settle = error_queue_settle,
  .keep_few = error_queue_keep_few
};
