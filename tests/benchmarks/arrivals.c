/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Receives UDP packets and says in one line of JSON how far apart they came,
 * by the kernel's time stamps: mean, standard deviation (of all, and of the
 * middle 99 %), 99th percentile.
 * RTCP (second octet 192 to 223) is passed over.
 *
 *   psp-arrivals PORT COUNT     ends after COUNT packets or 2 s without one
 */
#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define SKIP 50                 /* the start is not the steady state */

static int
open_socket (int port)
{
  struct sockaddr_in6 address = { 0 };
  int on = 1, off = 0, size = 16 << 20;
  int fd = socket (AF_INET6, SOCK_DGRAM, 0);

  address.sin6_family = AF_INET6;
  address.sin6_port = htons ((uint16_t) port);
  setsockopt (fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  setsockopt (fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  if (setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
    setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  if (bind (fd, (struct sockaddr *) &address, sizeof address) != 0) {
    perror ("bind");
    exit (1);
  }
  return fd;
}

/* Arrival time of the next RTP packet in ns, or −1 at the end. */
static int64_t
next_arrival (int fd)
{
  for (;;) {
    struct pollfd p = { fd, POLLIN, 0 };
    uint8_t data[2048];
    char control[256];
    struct iovec iov = { data, sizeof data };
    struct msghdr m = { 0 };
    struct cmsghdr *c;
    ssize_t n;

    if (poll (&p, 1, 2000) <= 0)
      return -1;
    m.msg_iov = &iov;
    m.msg_iovlen = 1;
    m.msg_control = control;
    m.msg_controllen = sizeof control;
    n = recvmsg (fd, &m, 0);
    if (n < 2 || (data[1] >= 192 && data[1] <= 223))
      continue;
    for (c = CMSG_FIRSTHDR (&m); c; c = CMSG_NXTHDR (&m, c)) {
      if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
        struct timespec t;

        memcpy (&t, CMSG_DATA (c), sizeof t);
        return t.tv_sec * INT64_C (1000000000) + t.tv_nsec;
      }
    }
  }
}

static int
by_value (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Standard deviation of n values in ns, in µs. */
static double
deviation_us (const double *values, int n)
{
  double sum = 0, squares = 0;

  for (int i = 0; i < n; i++)
    sum += values[i];
  for (int i = 0; i < n; i++)
    squares += (values[i] - sum / n) * (values[i] - sum / n);
  return sqrt (squares / (n - 1)) * 1e-3;
}

int
main (int argc, char *argv[])
{
  int count = argc > 2 ? atoi (argv[2]) : 0;
  double *gaps, sum = 0;
  int64_t at, last = -1;
  int fd, n = 0, seen = 0, cut, i;

  if (count < SKIP + 2) {
    fprintf (stderr, "usage: psp-arrivals PORT COUNT (at least %d)\n",
        SKIP + 2);
    return 2;
  }
  gaps = calloc ((size_t) count, sizeof *gaps);
  fd = open_socket (atoi (argv[1]));
  puts ("ready");
  fflush (stdout);
  while (seen < count && (at = next_arrival (fd)) >= 0) {
    if (seen++ >= SKIP)
      gaps[n++] = (double) (at - last);
    last = at;
  }
  if (n < 2) {
    fprintf (stderr, "only %d packets came\n", seen);
    return 1;
  }
  for (i = 0; i < n; i++)
    sum += gaps[i];
  qsort (gaps, (size_t) n, sizeof *gaps, by_value);
  cut = n / 200;
  printf ("{\"gaps\": %d, \"mean_us\": %.4f, \"deviation_us\": %.3f, "
      "\"deviation99_us\": %.3f, \"p50_us\": %.3f, \"p99_us\": %.3f, "
      "\"max_us\": %.3f}\n", n, sum / n * 1e-3, deviation_us (gaps, n),
      deviation_us (gaps + cut, n - 2 * cut), gaps[n / 2] * 1e-3,
      gaps[(int) (n * .99)] * 1e-3, gaps[n - 1] * 1e-3);
  free (gaps);
  return 0;
}
