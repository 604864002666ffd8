/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "udp.h"

#include <errno.h>
#include <netinet/udp.h>
#include <string.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103         /* the kernel's value, for an older libc */
#endif

#define MAX_MESSAGES 32         /* messages in a system call */
#define MAX_PIECES 512          /* pieces of memory in a system call */
#define MAX_SEGMENTS 64         /* UDP_MAX_SEGMENTS of Linux < 6.9 */
#define MAX_SEGMENTED 65000     /* bytes of a message, with room for headers */
/* Packets sent without segments after the first refusal: a path's MTU may rise
 * again. */
#define MIN_BACKOFF 1024
/* Most packets sent without segments. Each refusal doubles their number,
 * because a device without checksum offload always refuses. */
#define MAX_BACKOFF (1024 * 1024)

/* Room for a segment size, a TOS or traffic class, and a source address. */
typedef union
{
  struct cmsghdr align;
  uint8_t bytes[CMSG_SPACE (sizeof (uint16_t)) + CMSG_SPACE (sizeof (int)) +
      CMSG_SPACE (sizeof (struct in6_pktinfo))];
} Control;

/* The messages of a system call. Each one is a packet, or a run of packets that
 * the kernel segments. */
typedef struct
{
  struct mmsghdr messages[MAX_MESSAGES];
  unsigned n_packets[MAX_MESSAGES];
  unsigned n_messages;
  Control control[MAX_MESSAGES];
  struct iovec iov[MAX_PIECES];
  unsigned n_iov;
} Batch;

void
psp_udp_sender_init (PspUdpSender * s, int fd)
{
  memset (s, 0, sizeof *s);
  s->fd = fd;
  s->segment = true;
  s->ecn = -1;
  psp_udp_sender_read_dscp (s);
}

void
psp_udp_sender_read_dscp (PspUdpSender * s)
{
  socklen_t size = sizeof s->tos;

  getsockopt (s->fd, IPPROTO_IP, IP_TOS, &s->tos, &size);
  getsockopt (s->fd, IPPROTO_IPV6, IPV6_TCLASS, &s->tclass, &size);
}

void
psp_udp_sender_retry (PspUdpSender * s)
{
  s->n_singly = s->backoff = 0;
}

/* Returns the number of packets from the first on that one message can carry:
 * they have equal sizes, only the last may be shorter, and none is empty. */
static unsigned
run_length (const PspUdpPacket * packets, unsigned n)
{
  uint32_t size = packets[0].size;
  size_t sum = size;
  unsigned pieces = packets[0].n_iov, i;

  if (size == 0)
    return 1;
  for (i = 1; i < n && i < MAX_SEGMENTS; i++) {
    sum += packets[i].size;
    pieces += packets[i].n_iov;
    if (packets[i].size > size || packets[i].size == 0 ||
        sum > MAX_SEGMENTED || pieces > MAX_PIECES)
      break;
    if (packets[i].size < size)
      return i + 1;
  }
  return i;
}

static void
add_control (struct msghdr *m, int level, int type, const void *data,
    size_t size)
{
  struct cmsghdr *c =
      (struct cmsghdr *) ((uint8_t *) m->msg_control + m->msg_controllen);

  c->cmsg_level = level;
  c->cmsg_type = type;
  c->cmsg_len = CMSG_LEN (size);
  memcpy (CMSG_DATA (c), data, size);
  m->msg_controllen += CMSG_SPACE (size);
}

static void
add_source (struct msghdr *m, const PspAddress * source)
{
  if (source->storage.ss_family == AF_INET) {
    const struct sockaddr_in *in =
        (const struct sockaddr_in *) &source->storage;
    struct in_pktinfo info = {.ipi_spec_dst = in->sin_addr };

    add_control (m, IPPROTO_IP, IP_PKTINFO, &info, sizeof info);
  } else if (source->storage.ss_family == AF_INET6) {
    const struct sockaddr_in6 *in6 =
        (const struct sockaddr_in6 *) &source->storage;
    struct in6_pktinfo info = {.ipi6_addr = in6->sin6_addr };

    info.ipi6_ifindex = in6->sin6_scope_id;
    add_control (m, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof info);
  }
}

/* Adds the ECN field together with the DSCP, because the message's value
 * replaces both of the socket's. */
static void
add_ecn (struct msghdr *m, const PspUdpSender * s, int family)
{
  bool v6 = family == AF_INET6;
  int value = ((v6 ? s->tclass : s->tos) & ~3) | s->ecn;

  add_control (m, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_TCLASS : IP_TOS,
      &value, sizeof value);
}

static void
add_message (Batch * batch, const PspUdpSender * s, const PspAddress * to,
    const PspUdpPacket * packets, unsigned n)
{
  unsigned at = batch->n_messages++;
  struct msghdr *m = &batch->messages[at].msg_hdr;

  memset (m, 0, sizeof *m);
  m->msg_name = (void *) &to->storage;
  m->msg_namelen = to->size;
  m->msg_iov = &batch->iov[batch->n_iov];
  for (unsigned i = 0; i < n; i++) {
    memcpy (&batch->iov[batch->n_iov], packets[i].iov,
        packets[i].n_iov * sizeof *batch->iov);
    batch->n_iov += packets[i].n_iov;
    m->msg_iovlen += packets[i].n_iov;
  }
  batch->n_packets[at] = n;

  m->msg_control = &batch->control[at];
  memset (m->msg_control, 0, sizeof (Control));
  if (n > 1) {
    uint16_t size = (uint16_t) packets[0].size;

    add_control (m, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof size);
  }
  if (s->ecn >= 0)
    add_ecn (m, s, to->storage.ss_family);
  if (s->source.size && s->source.storage.ss_family == to->storage.ss_family)
    add_source (m, &s->source);
  if (m->msg_controllen == 0)
    m->msg_control = NULL;
}

static void
fill_batch (Batch * batch, const PspUdpSender * s, const PspAddress * to,
    const PspUdpPacket * packets, unsigned n)
{
  batch->n_messages = batch->n_iov = 0;
  while (n > 0 && batch->n_messages < MAX_MESSAGES) {
    unsigned run = psp_udp_sender_segments (s) ? run_length (packets, n) : 1;
    unsigned pieces = 0;

    for (unsigned i = 0; i < run; i++)
      pieces += packets[i].n_iov;
    if (batch->n_iov + pieces > MAX_PIECES)
      return;
    add_message (batch, s, to, packets, run);
    packets += run;
    n -= run;
  }
}

/* True if kernel or device cannot segment: EIO = no checksum offload, EINVAL
 * and EMSGSIZE = a segment exceeds the path MTU, the others = the option is
 * unknown. */
static bool
refuses_segments (const Batch * batch, int error)
{
  if (batch->n_packets[0] < 2)
    return false;
  return error == EIO || error == EINVAL || error == EMSGSIZE ||
      error == EOPNOTSUPP || error == ENOPROTOOPT;
}

static void
note_refusal (PspUdpSender * s)
{
  s->backoff = s->backoff == 0 ? MIN_BACKOFF :
      s->backoff < MAX_BACKOFF ? s->backoff * 2 : MAX_BACKOFF;
  s->n_singly = s->backoff;
}

static unsigned
note_sent (PspUdpSender * s, const Batch * batch, int count)
{
  unsigned n = 0;

  for (int i = 0; i < count; i++) {
    n += batch->n_packets[i];
    if (batch->n_packets[i] > 1)
      s->backoff = 0;
  }
  s->n_singly -= n < s->n_singly ? n : s->n_singly;
  return n;
}

unsigned
psp_udp_send (PspUdpSender * s, const PspAddress * to,
    const PspUdpPacket * packets, unsigned n, int *error)
{
  Batch batch;
  unsigned sent = 0;
  bool retried = false;

  *error = 0;
  while (sent < n) {
    int count;

    fill_batch (&batch, s, to, packets + sent, n - sent);
    count = sendmmsg (s->fd, batch.messages, batch.n_messages,
        MSG_DONTWAIT | MSG_NOSIGNAL);
    s->system_calls++;
    if (count > 0) {
      sent += note_sent (s, &batch, count);
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (count < 0 && refuses_segments (&batch, errno)) {
      note_refusal (s);
    } else if (count < 0 && errno == ECONNREFUSED && !retried) {
      /* A connected socket reports the error of an earlier packet. */
      retried = true;
    } else {
      *error = count < 0 ? errno : EAGAIN;
      break;
    }
  }
  return sent;
}
