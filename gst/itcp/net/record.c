/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "record.h"

#include <time.h>               /* errqueue.h lacks it */

#include <asm/socket.h>
#include <linux/errqueue.h>
#include <linux/netlink.h>
#include <linux/tcp.h>
#include <string.h>
#include <sys/socket.h>

/* Reads attributes in the format of netlink messages. */
static void
parse_stats (const uint8_t * data, size_t size, ItcpRecord * r)
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

static void
parse_stamp (const uint8_t * data, size_t size, ItcpRecord * r)
{
  struct scm_timestamping t;
  int64_t seconds, ns;

  if (size < sizeof t)
    return;
  memcpy (&t, data, sizeof t);
  seconds = t.ts[0].tv_sec;
  ns = t.ts[0].tv_nsec;
  if (seconds > 0 && seconds < INT64_MAX / PSP_SECOND && ns >= 0
      && ns < PSP_SECOND)
    r->stamp = seconds * PSP_SECOND + ns;
}

void
itcp_record_parse (const uint8_t * control, size_t size, ItcpRecord * r)
{
  memset (r, 0, sizeof *r);
  r->stamp = PSP_TIME_UNKNOWN;
  while (size >= CMSG_LEN (0)) {
    const uint8_t *data = control + CMSG_LEN (0);
    struct cmsghdr c;
    size_t taken;

    memcpy (&c, control, sizeof c);
    if (c.cmsg_len < CMSG_LEN (0) || c.cmsg_len > size)
      return;
    if (c.cmsg_level == SOL_SOCKET && c.cmsg_type == SCM_TIMESTAMPING_OPT_STATS)
      parse_stats (data, c.cmsg_len - CMSG_LEN (0), r);
    else if (c.cmsg_level == SOL_SOCKET && c.cmsg_type == SCM_TIMESTAMPING)
      parse_stamp (data, c.cmsg_len - CMSG_LEN (0), r);
    taken = CMSG_ALIGN (c.cmsg_len);
    if (taken > size)
      return;
    control += taken;
    size -= taken;
  }
}
