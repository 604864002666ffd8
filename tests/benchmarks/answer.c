/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Answers many sessions from one thread: a socket each, the receiver core
 * behind it, and no pipeline. Prints the ports as a line of JSON, and at each
 * line that it reads what came so far; ends with its input.
 *
 *   psp-answer SESSIONS
 *
 * It naps for a millisecond and then reads all that has come meanwhile, which
 * takes far fewer system calls than to wake up for each packet. Packets are
 * dated by the kernel, so that a nap delays reports but falsifies nothing.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <rtpfeedback/receiver.h>

#define BATCH 32
#define PACKET 2048
#define NAP (1 * PSP_MSECOND)
#define TURN (5 * PSP_MSECOND)  /* between looks at all deadlines */
#define INTERVAL (25 * PSP_MSECOND)
#define MAX_RTCP 1400
#define INPUT UINT32_MAX        /* the event that is not of a session */

typedef struct
{
  int fd;
  int port;
  PspReceiver *receiver;
  struct sockaddr_in peer;
  bool known;
  uint64_t packets;
} Session;

static struct
{
  struct mmsghdr messages[BATCH];
  struct iovec iov[BATCH];
  struct sockaddr_in from[BATCH];
  uint8_t control[BATCH][64];
  uint8_t data[BATCH][PACKET];
} in;

static int64_t
clock_ns (clockid_t id)
{
  struct timespec t;

  clock_gettime (id, &t);
  return t.tv_sec * PSP_SECOND + t.tv_nsec;
}

static bool
open_session (Session * s, uint32_t seed)
{
  PspReceiverConfig config = {.ssrc = 0x80000000 + seed,.cname = "answer",
    .feedback_interval = INTERVAL,.max_rtcp_size = MAX_RTCP,
    .clock_rate = 90000,.random_seed = seed
  };
  struct sockaddr_in address = {.sin_family = AF_INET };
  socklen_t size = sizeof address;
  int on = 1, room = 4 << 20;

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  s->fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  if (s->fd < 0 || bind (s->fd, (struct sockaddr *) &address, size) != 0 ||
      getsockname (s->fd, (struct sockaddr *) &address, &size) != 0)
    return false;
  setsockopt (s->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  if (setsockopt (s->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0)
    setsockopt (s->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  s->port = ntohs (address.sin_port);
  s->receiver = psp_receiver_new (&config);
  return s->receiver != NULL;
}

/* On the monotonic clock; `ahead` is how far the wall clock is before it. */
static int64_t
arrival (struct msghdr *m, int64_t now, int64_t ahead)
{
  for (struct cmsghdr * c = CMSG_FIRSTHDR (m); c; c = CMSG_NXTHDR (m, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec t;
      int64_t at;

      memcpy (&t, CMSG_DATA (c), sizeof t);
      at = t.tv_sec * PSP_SECOND + t.tv_nsec - ahead;
      return at < now ? at : now;
    }
  }
  return now;
}

static void
send_due (Session * s, int64_t now, int64_t ahead)
{
  uint8_t data[MAX_RTCP];
  size_t size;

  while (s->known && psp_receiver_next (s->receiver, now) <= now &&
      (size = psp_receiver_pack (s->receiver, now, psp_rtcp_ntp (now + ahead),
              data, sizeof data)) > 0)
    sendto (s->fd, data, size, MSG_DONTWAIT, (struct sockaddr *) &s->peer,
        sizeof s->peer);
}

static void
take (Session * s, int i, int64_t now, int64_t ahead)
{
  size_t size = in.messages[i].msg_len;
  uint32_t byes[PSP_MAX_STREAMS];
  PspRtpHeader header;

  s->peer = in.from[i];
  s->known = true;
  if (psp_packet_kind (in.data[i], size) == PSP_PACKET_RTCP) {
    unsigned n = psp_receiver_rtcp (s->receiver, in.data[i], size, now, byes);

    while (n > 0)
      psp_receiver_end_stream (s->receiver, byes[--n], now);
  } else if (psp_rtp_parse (in.data[i], size, size, &header)) {
    s->packets++;
    psp_receiver_packet (s->receiver, &header, PSP_ECN_NOT_ECT,
        arrival (&in.messages[i].msg_hdr, now, ahead));
  }
}

static void
read_session (Session * s, int64_t now, int64_t ahead)
{
  int n;

  do {
    for (int i = 0; i < BATCH; i++) {
      struct msghdr *m = &in.messages[i].msg_hdr;

      in.iov[i].iov_base = in.data[i];
      in.iov[i].iov_len = PACKET;
      m->msg_iov = &in.iov[i];
      m->msg_iovlen = 1;
      m->msg_name = &in.from[i];
      m->msg_namelen = sizeof in.from[i];
      m->msg_control = in.control[i];
      m->msg_controllen = sizeof in.control[i];
    }
    n = recvmmsg (s->fd, in.messages, BATCH, MSG_DONTWAIT, NULL);
    for (int i = 0; i < n; i++)
      take (s, i, now, ahead);
  } while (n == BATCH);
  send_due (s, now, ahead);
}

static void
tell (const Session * sessions, uint32_t n)
{
  PspReceiverStats stats;
  uint64_t reports = 0;

  printf ("{\"cpu_s\": %.6f, \"at_s\": %.6f, \"packets\": [",
      (double) clock_ns (CLOCK_PROCESS_CPUTIME_ID) * 1e-9,
      (double) clock_ns (CLOCK_MONOTONIC) * 1e-9);
  for (uint32_t i = 0; i < n; i++) {
    printf ("%s%llu", i > 0 ? ", " : "",
        (unsigned long long) sessions[i].packets);
    psp_receiver_stats (sessions[i].receiver, &stats);
    reports += stats.feedback_sent;
  }
  printf ("], \"reports\": %llu}\n", (unsigned long long) reports);
  fflush (stdout);
}

/* False at the end of the input. */
static bool
read_input (const Session * sessions, uint32_t n)
{
  char text[100];
  ssize_t size = read (STDIN_FILENO, text, sizeof text);

  if (size > 0)
    tell (sessions, n);
  return size > 0 || (size < 0 && errno == EAGAIN);
}

static void
run (Session * sessions, uint32_t n, int epoll)
{
  int64_t looked_at = 0;
  bool on = true;

  while (on) {
    struct timespec nap = {.tv_nsec = NAP };
    struct epoll_event events[512];
    int64_t now, ahead;
    int ready;

    nanosleep (&nap, NULL);
    now = clock_ns (CLOCK_MONOTONIC);
    ahead = clock_ns (CLOCK_REALTIME) - now;
    ready = epoll_wait (epoll, events, 512, 0);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.u32 == INPUT)
        on = read_input (sessions, n);
      else
        read_session (&sessions[events[i].data.u32], now, ahead);
    }
    if (now - looked_at < TURN)
      continue;
    looked_at = now;
    for (uint32_t i = 0; i < n; i++)
      send_due (&sessions[i], now, ahead);
  }
}

static bool
watch (int epoll, int fd, uint32_t number)
{
  struct epoll_event event = {.events = EPOLLIN,.data.u32 = number };

  return epoll_ctl (epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

int
main (int argc, char **argv)
{
  uint32_t n = argc == 2 ? (uint32_t) strtoul (argv[1], NULL, 10) : 0;
  int epoll = epoll_create1 (0);
  struct rlimit files;
  Session *sessions;

  if (n < 1 || n > 10000) {
    fprintf (stderr, "usage: psp-answer SESSIONS\n");
    return 2;
  }
  getrlimit (RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit (RLIMIT_NOFILE, &files);
  sessions = calloc (n, sizeof *sessions);
  printf ("{\"ports\": [");
  for (uint32_t i = 0; i < n; i++) {
    if (!open_session (&sessions[i], i) || !watch (epoll, sessions[i].fd, i)) {
      perror ("a session");
      return 1;
    }
    printf ("%s%d", i > 0 ? ", " : "", sessions[i].port);
  }
  printf ("]}\n");
  fflush (stdout);
  fcntl (STDIN_FILENO, F_SETFL, O_NONBLOCK);
  if (!watch (epoll, STDIN_FILENO, INPUT)) {
    perror ("the input");
    return 1;
  }
  run (sessions, n, epoll);
  for (uint32_t i = 0; i < n; i++) {
    psp_receiver_free (sessions[i].receiver);
    close (sessions[i].fd);
  }
  free (sessions);
  close (epoll);
  return 0;
}
