/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "relay.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SOCKET_BUFFER (8 << 20)
#define CONTROL_SIZE 256

bool
relay_parse_address (const char *text, RelayAddress * address)
{
  struct addrinfo hints = {.ai_socktype = SOCK_DGRAM };
  struct addrinfo *info;
  const char *colon = strrchr (text, ':');
  char host[256];
  size_t n = colon ? (size_t) (colon - text) : 0;
  int error;

  if (!colon || n >= sizeof host) {
    fprintf (stderr, "\"%.60s\" is not host:port\n", text);
    return false;
  }
  memcpy (host, text, n);
  host[n] = '\0';
  if (n >= 2 && host[0] == '[' && host[n - 1] == ']') {
    memmove (host, host + 1, n - 2);
    host[n - 2] = '\0';
  }
  error = getaddrinfo (host, colon + 1, &hints, &info);
  if (error) {
    fprintf (stderr, "\"%.60s\": %s\n", text, gai_strerror (error));
    return false;
  }
  memcpy (&address->storage, info->ai_addr, info->ai_addrlen);
  address->size = info->ai_addrlen;
  freeaddrinfo (info);
  return true;
}

void
relay_print_address (const RelayAddress * address, FILE * file)
{
  char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";

  getnameinfo ((const struct sockaddr *) &address->storage, address->size,
      host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
  fprintf (file, address->storage.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s",
      host, port);
}

static bool
same_host (const RelayAddress * a, const RelayAddress * b)
{
  if (a->storage.ss_family != b->storage.ss_family)
    return false;
  if (a->storage.ss_family == AF_INET)
    return ((const struct sockaddr_in *) &a->storage)->sin_addr.s_addr ==
        ((const struct sockaddr_in *) &b->storage)->sin_addr.s_addr;
  return memcmp (&((const struct sockaddr_in6 *) &a->storage)->sin6_addr,
      &((const struct sockaddr_in6 *) &b->storage)->sin6_addr,
      sizeof (struct in6_addr)) == 0;
}

static void
set_option (int fd, int level, int name, int value)
{
  setsockopt (fd, level, name, &value, sizeof value);
}

/* Big buffers: what the kernel drops, the model does not see. */
static int
open_socket (const RelayAddress * address)
{
  int family = address->storage.ss_family;
  int fd = socket (family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

  if (fd < 0)
    return -1;
  set_option (fd, SOL_SOCKET, SO_RCVBUF, SOCKET_BUFFER);
  set_option (fd, SOL_SOCKET, SO_SNDBUF, SOCKET_BUFFER);
  set_option (fd, SOL_SOCKET, SO_RCVBUFFORCE, SOCKET_BUFFER);
  set_option (fd, SOL_SOCKET, SO_SNDBUFFORCE, SOCKET_BUFFER);
  set_option (fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
  set_option (fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
  if (family == AF_INET6) {
    set_option (fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    set_option (fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
  } else {
    set_option (fd, IPPROTO_IP, IP_RECVTOS, 1);
  }
  return fd;
}

static bool
complain (const char *what, const RelayAddress * address)
{
  fprintf (stderr, "cannot %s ", what);
  relay_print_address (address, stderr);
  fprintf (stderr, ": %s\n", strerror (errno));
  return false;
}

bool
relay_open (Relay * r)
{
  unsigned i;

  r->epoch = LINK_NEVER;
  for (i = 0; i < r->n_flows; i++)
    r->flow[i].client_fd = r->flow[i].server_fd = -1;
  for (i = 0; i < r->n_flows; i++) {
    RelayFlow *f = &r->flow[i];

    f->client_fd = open_socket (&f->listen);
    if (f->client_fd < 0 || bind (f->client_fd,
            (struct sockaddr *) &f->listen.storage, f->listen.size) < 0)
      return complain ("listen on", &f->listen);
    getsockname (f->client_fd, (struct sockaddr *) &f->listen.storage,
        &f->listen.size);
    f->server_fd = open_socket (&f->to);
    if (f->server_fd < 0 || connect (f->server_fd,
            (struct sockaddr *) &f->to.storage, f->to.size) < 0)
      return complain ("send to", &f->to);
  }
  return true;
}

void
relay_close (Relay * r)
{
  unsigned i;

  for (i = 0; i < r->n_flows; i++) {
    if (r->flow[i].client_fd >= 0)
      close (r->flow[i].client_fd);
    if (r->flow[i].server_fd >= 0)
      close (r->flow[i].server_fd);
  }
}

uint64_t
relay_kernel_drops (const Relay * r)
{
  uint64_t drops = 0;
  unsigned i;

  for (i = 0; i < r->n_flows; i++)
    drops += (uint64_t) r->flow[i].overflow[0] + r->flow[i].overflow[1];
  return drops;
}

/* CLOCK_REALTIME, which stamps arrivals, minus CLOCK_MONOTONIC; read at each
 * wake-up, as the former may be set. */
static int64_t
clock_offset (void)
{
  int64_t before, after, real;
  struct timespec t;
  int tries = 3;

  do {
    before = link_now ();
    clock_gettime (CLOCK_REALTIME, &t);
    after = link_now ();
  } while (after - before > 2000 && --tries > 0);
  real = t.tv_sec * INT64_C (1000000000) + t.tv_nsec;
  return real - (before + (after - before) / 2);
}

static void
read_control (struct msghdr *msg, RelayArrival * a, uint32_t * overflow,
    int64_t offset)
{
  struct cmsghdr *c;

  for (c = CMSG_FIRSTHDR (msg); c; c = CMSG_NXTHDR (msg, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec t;

      memcpy (&t, CMSG_DATA (c), sizeof t);
      a->at = t.tv_sec * INT64_C (1000000000) + t.tv_nsec - offset;
    } else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
      memcpy (overflow, CMSG_DATA (c), sizeof *overflow);
    } else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) {
      a->buffer->tos = *(const uint8_t *) CMSG_DATA (c);
    } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS) {
      int tclass;

      memcpy (&tclass, CMSG_DATA (c), sizeof tclass);
      a->buffer->tos = (uint8_t) tclass;
    }
  }
}

/* Media come from one host; its port may change (a restarted sender). */
static bool
learn_client (Relay * r, RelayFlow * f, const RelayAddress * from)
{
  if (f->client.size == 0 || same_host (&f->client, from)) {
    f->client = *from;
    return true;
  }
  r->strangers++;
  return false;
}

/* One batch; true: there may be more. */
static bool
receive_batch (Relay * r, unsigned flow, bool forward, int64_t offset)
{
  RelayFlow *f = &r->flow[flow];
  struct mmsghdr msg[RELAY_BATCH] = { 0 };
  struct iovec iov[RELAY_BATCH];
  RelayAddress from[RELAY_BATCH];
  LinkBuffer *buffer[RELAY_BATCH];
  uint64_t control[RELAY_BATCH][CONTROL_SIZE / 8];
  unsigned i, n = RELAY_MAX_ARRIVALS - r->n_arrivals;
  int got;

  n = n < RELAY_BATCH ? n : RELAY_BATCH;
  for (i = 0; i < n; i++) {
    buffer[i] = link_buffer_new ();
    iov[i].iov_base = buffer[i]->data;
    iov[i].iov_len = LINK_BUFFER_SIZE;
    msg[i].msg_hdr.msg_iov = &iov[i];
    msg[i].msg_hdr.msg_iovlen = 1;
    msg[i].msg_hdr.msg_name = &from[i].storage;
    msg[i].msg_hdr.msg_namelen = sizeof from[i].storage;
    msg[i].msg_hdr.msg_control = control[i];
    msg[i].msg_hdr.msg_controllen = CONTROL_SIZE;
  }
  got = recvmmsg (forward ? f->client_fd : f->server_fd, msg, n, 0, NULL);
  for (i = 0; i < n; i++) {
    RelayArrival *a = &r->arrival[r->n_arrivals];

    from[i].size = msg[i].msg_hdr.msg_namelen;
    if ((int) i >= got || (forward && !learn_client (r, f, &from[i]))) {
      link_buffer_free (buffer[i]);
      continue;
    }
    a->buffer = buffer[i];
    a->buffer->size = msg[i].msg_len;
    a->buffer->tos = 0;
    a->at = link_now ();
    a->order = r->n_arrivals++;
    a->flow = flow;
    a->forward = forward;
    read_control (&msg[i].msg_hdr, a, &f->overflow[forward], offset);
  }
  /* An ICMP error of an absent receiver hides what is behind it. */
  return got == (int) n || (got < 0 && errno == ECONNREFUSED);
}

static int
by_arrival (const void *x, const void *y)
{
  const RelayArrival *a = x, *b = y;

  if (a->at != b->at)
    return a->at < b->at ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

/* Offers all that waits in the sockets; the time up to which the model may
 * then run without missing an arrival. */
static int64_t
receive (Relay * r)
{
  int64_t now = link_now ();
  int64_t offset = clock_offset ();
  unsigned i;

  r->n_arrivals = 0;
  for (i = 0; i < 2 * r->n_flows; i++)
    while (r->n_arrivals < RELAY_MAX_ARRIVALS &&
        receive_batch (r, i / 2, i % 2 == 0, offset));
  if (r->n_arrivals == 0)
    return now;
  qsort (r->arrival, r->n_arrivals, sizeof r->arrival[0], by_arrival);
  if (r->epoch == LINK_NEVER)
    r->epoch = r->arrival[0].at;
  for (i = 0; i < r->n_arrivals; i++) {
    const RelayArrival *a = &r->arrival[i];

    link_path_offer (a->forward ? &r->forward : &r->back, a->at - r->epoch,
        a->buffer, a->flow, a->flow);
  }
  return r->n_arrivals == RELAY_MAX_ARRIVALS ? r->arrival[i - 1].at : now;
}

static void
add_tos (struct msghdr *msg, int family, uint8_t tos)
{
  int value = tos;
  struct cmsghdr *c;

  msg->msg_controllen = CMSG_SPACE (sizeof value);
  c = CMSG_FIRSTHDR (msg);
  c->cmsg_level = family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
  c->cmsg_type = family == AF_INET6 ? IPV6_TCLASS : IP_TOS;
  c->cmsg_len = CMSG_LEN (sizeof value);
  memcpy (CMSG_DATA (c), &value, sizeof value);
}

static void
send_packet (LinkPath * path, LinkBuffer * buffer, const LinkPacket * packet)
{
  Relay *r = path->user;
  RelayFlow *f = &r->flow[packet->flow];
  bool forward = path == &r->forward;
  RelayAddress *to = forward ? &f->to : &f->client;
  uint64_t control[CONTROL_SIZE / 8] = { 0 };
  struct iovec iov = { buffer->data, buffer->size };
  struct msghdr msg = {.msg_iov = &iov,.msg_iovlen = 1 };
  int fd = forward ? f->server_fd : f->client_fd;

  if (!forward) {
    msg.msg_name = &to->storage;
    msg.msg_namelen = to->size;
  }
  if (buffer->tos) {
    msg.msg_control = control;
    msg.msg_controllen = sizeof control;
    add_tos (&msg, to->storage.ss_family, buffer->tos);
  }
  /* The error is an earlier packet's: this one has not been sent yet. */
  if (sendmsg (fd, &msg, 0) < 0 &&
      (errno != ECONNREFUSED || sendmsg (fd, &msg, 0) < 0))
    r->send_errors++;
}

static int64_t
next_event (const Relay * r)
{
  int64_t forward = link_next (r->forward.link);
  int64_t back = link_next (r->back.link);
  int64_t next = forward < back ? forward : back;

  return r->epoch == LINK_NEVER ? LINK_NEVER : link_time_add (next, r->epoch);
}

void
relay_run (Relay * r, int64_t end)
{
  struct pollfd fds[2 * RELAY_MAX_FLOWS];
  unsigned i;

  r->forward.send = r->back.send = send_packet;
  r->forward.user = r->back.user = r;
  for (i = 0; i < 2 * r->n_flows; i++) {
    fds[i].fd = i % 2 ? r->flow[i / 2].server_fd : r->flow[i / 2].client_fd;
    fds[i].events = POLLIN;
  }
  while (!link_signals_end () && link_now () < end) {
    int64_t next = next_event (r);
    int64_t safe;

    link_wait (fds, 2 * r->n_flows, next < end ? next : end);
    safe = receive (r);
    if (r->epoch == LINK_NEVER)
      continue;
    link_path_deliver (&r->forward, safe - r->epoch, r->epoch);
    link_path_deliver (&r->back, safe - r->epoch, r->epoch);
  }
  link_path_finish (&r->forward);
  link_path_finish (&r->back);
}
