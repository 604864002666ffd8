/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the kernel alone takes for lists of packets: one sendmsg() of all with
 * UDP_SEGMENT, or one sendmmsg() of a message for each, in turns of a
 * millisecond or so, over loopback to a socket that nobody reads. Says in one
 * line of JSON what CPU a packet took in each turn.
 *
 *   psp-bare-lists PORT LIST PACKETS [SIZE]
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define MAX_LIST 64             /* UDP_SEGMENT's, UDP_MAX_SEGMENTS */
#define MAX_SIZE 1472
#define TURN 2000               /* packets */

typedef struct
{
  int fd;
  unsigned n;                   /* packets a list */
  struct sockaddr_in to;
  struct iovec packets[MAX_LIST];
  struct mmsghdr each[MAX_LIST];
  struct msghdr all;
  union
  {
    struct cmsghdr align;
    char bytes[CMSG_SPACE (sizeof (uint16_t))];
  }
  control;
}
Lists;

static double
cpu_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e6 + (double) t.tv_nsec * 1e-3;
}

static void
prepare (Lists * l, size_t size)
{
  static char data[MAX_LIST][MAX_SIZE];
  uint16_t segment = (uint16_t) size;
  struct cmsghdr *c;

  for (unsigned i = 0; i < l->n; i++) {
    struct msghdr *m = &l->each[i].msg_hdr;

    l->packets[i].iov_base = data[i];
    l->packets[i].iov_len = size;
    m->msg_name = &l->to;
    m->msg_namelen = sizeof l->to;
    m->msg_iov = &l->packets[i];
    m->msg_iovlen = 1;
  }
  l->all = l->each[0].msg_hdr;
  l->all.msg_iovlen = l->n;
  l->all.msg_control = l->control.bytes;
  l->all.msg_controllen = sizeof l->control.bytes;
  c = CMSG_FIRSTHDR (&l->all);
  c->cmsg_level = IPPROTO_UDP;
  c->cmsg_type = UDP_SEGMENT;
  c->cmsg_len = CMSG_LEN (sizeof segment);
  memcpy (CMSG_DATA (c), &segment, sizeof segment);
}

/* A turn's CPU a packet, or below 0: the kernel does not send so. */
static double
turn (Lists * l, int segmented)
{
  unsigned lists = TURN / l->n;
  double before = cpu_us ();

  for (unsigned i = 0; i < lists; i++)
    if (segmented ? sendmsg (l->fd, &l->all, 0) < 0 :
        sendmmsg (l->fd, l->each, l->n, 0) != (int) l->n)
      return -1;
  return (cpu_us () - before) / (lists * l->n);
}

int
main (int argc, char *argv[])
{
  Lists l = {.to = {.sin_family = AF_INET} };
  size_t size = argc > 4 ? (size_t) atoi (argv[4]) : 1316;
  int turns;

  if (argc < 4 || size == 0 || size > MAX_SIZE || atoi (argv[2]) < 1
      || atoi (argv[2]) > MAX_LIST || atoi (argv[2]) * size > 65507) {
    fprintf (stderr, "usage: psp-bare-lists PORT LIST PACKETS [SIZE]\n");
    return 2;
  }
  l.fd = socket (AF_INET, SOCK_DGRAM, 0);
  l.to.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  l.to.sin_port = htons ((uint16_t) atoi (argv[1]));
  l.n = (unsigned) atoi (argv[2]);
  turns = atoi (argv[3]) / TURN;
  prepare (&l, size);
  printf ("{\"turns\": [");
  for (int i = 0; i < turns; i++) {
    double segmented = turn (&l, 1), each = turn (&l, 0);

    if (segmented < 0 || each < 0) {
      perror ("sending");
      return 1;
    }
    printf ("%s[%.4f, %.4f]", i > 0 ? ", " : "", segmented, each);
  }
  printf ("]}\n");
  return 0;
}
