/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Every segment that leaves, again or for the first time, queues a record with
 * its time stamp and the state of the connection (SO_TIMESTAMPING, see the
 * kernel's Documentation/networking/timestamping.rst), which wakes poll().
 * Only writes that TCP does not join have a record each.
 */
#include "private.h"

#include <asm/socket.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/netlink.h>
#include <linux/tcp.h>
#include <string.h>

/* Less than a receive buffer holds, so that a look always ends. */
#define MAX_RECORDS 4096

static int
error_queue_open (ItcpSource * s)
{
  int flags = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE |
      SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY |
      SOF_TIMESTAMPING_OPT_STATS;

  return setsockopt (s->fd, SOL_SOCKET, SO_TIMESTAMPING, &flags,
      sizeof flags) < 0 ? -errno : 0;
}

typedef struct
{
  int64_t stamp;                /* wall time, or ITCP_TIME_UNKNOWN */
  bool has_state;
  ItcpSample sample;
} Record;

/* Attributes as in netlink messages. */
static void
parse_stats (const uint8_t * data, size_t size, Record * r)
{
  while (size >= NLA_HDRLEN) {
    const uint8_t *value = data + NLA_HDRLEN;
    struct nlattr a;
    size_t taken;

    memcpy (&a, data, sizeof a);
    if (a.nla_len < NLA_HDRLEN || a.nla_len > size)
      return;
    if (a.nla_type == TCP_NLA_CA_STATE && a.nla_len > NLA_HDRLEN) {
      r->sample.ca_state = *value;
      r->has_state = true;
    } else if (a.nla_type == TCP_NLA_RECUR_RETRANS && a.nla_len > NLA_HDRLEN) {
      r->sample.retransmits = *value;
    } else if (a.nla_type == TCP_NLA_SND_SSTHRESH &&
        a.nla_len >= NLA_HDRLEN + sizeof r->sample.ssthresh) {
      memcpy (&r->sample.ssthresh, value, sizeof r->sample.ssthresh);
    }
    taken = NLA_ALIGN (a.nla_len);
    if (taken > size)
      return;
    data += taken;
    size -= taken;
  }
}

static bool
read_record (int fd, Record * r)
{
  union
  {
    struct cmsghdr align;
    char bytes[1024];
  } control;
  struct msghdr msg = {
    .msg_control = control.bytes,
    .msg_controllen = sizeof control.bytes
  };
  ssize_t n;

  do
    n = recvmsg (fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    return false;

  memset (r, 0, sizeof *r);
  r->stamp = ITCP_TIME_UNKNOWN;
  for (struct cmsghdr * c = CMSG_FIRSTHDR (&msg); c; c = CMSG_NXTHDR (&msg, c)) {
    size_t size = c->cmsg_len - CMSG_LEN (0);

    if (c->cmsg_level != SOL_SOCKET)
      continue;
    if (c->cmsg_type == SCM_TIMESTAMPING_OPT_STATS) {
      parse_stats (CMSG_DATA (c), size, r);
    } else if (c->cmsg_type == SCM_TIMESTAMPING &&
        size >= sizeof (struct scm_timestamping)) {
      struct scm_timestamping t;

      memcpy (&t, CMSG_DATA (c), sizeof t);
      if (t.ts[0].tv_sec)
        r->stamp = t.ts[0].tv_sec * ITCP_SECOND + t.ts[0].tv_nsec;
    }
  }
  return true;
}

/* Records older than what TCP_INFO told meanwhile would be a step back: an
 * entry to recovery would be found twice. A clock that was set back makes all
 * of them old only until the next look. */
static void
error_queue_read (ItcpSource * s, ItcpNews * news)
{
  int64_t offset = itcp_wall_offset ();
  Record r;

  for (int i = 0; i < MAX_RECORDS && read_record (s->fd, &r); i++) {
    s->stamps++;
    if (!r.has_state || r.stamp <= s->looked_at)
      continue;
    itcp_source_take (s, news, &r.sample, r.stamp - offset);
    if (r.sample.ca_state == ITCP_CA_LOSS
        && news->rexmt_at == ITCP_TIME_UNKNOWN)
      news->rexmt_at = r.stamp - offset;
  }
}

/* The interval is for devices that stamp nothing. */
const ItcpSourceClass itcp_source_error_queue = {
  .name = "error-queue",
  .interval = 20 * ITCP_MSECOND,
  .open = error_queue_open,
  .read = error_queue_read
};
