/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The least that pacing can cost here: one ppoll() with a timeout and one
 * sendto() a packet, and nothing else. Says in one line of JSON what CPU a
 * packet took.
 *
 *   psp-bare PORT SPACING_US PACKETS
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

static int64_t
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C (1000000000) + t.tv_nsec;
}

static double
cpu_us (void)
{
  struct rusage r;

  getrusage (RUSAGE_SELF, &r);
  return (double) (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e6 +
      (double) (r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

int
main (int argc, char *argv[])
{
  static const uint8_t packet[1316] = { 0x80, 96 };
  struct sockaddr_in to = { 0 };
  int fd = socket (AF_INET, SOCK_DGRAM, 0), packets, i;
  int64_t slot, spacing;
  double cpu;

  if (argc < 4) {
    fprintf (stderr, "usage: psp-bare PORT SPACING_US PACKETS\n");
    return 2;
  }
  to.sin_family = AF_INET;
  to.sin_port = htons ((uint16_t) atoi (argv[1]));
  to.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  spacing = atoi (argv[2]) * INT64_C (1000);
  packets = atoi (argv[3]);
  prctl (PR_SET_TIMERSLACK, 1);
  cpu = cpu_us ();
  slot = now ();
  for (i = 0; i < packets; i++) {
    int64_t wait = slot - now ();
    struct timespec t = { 0, wait > 0 ? wait : 0 };
    struct pollfd p = { fd, POLLIN, 0 };

    ppoll (&p, 1, &t, NULL);
    if (sendto (fd, packet, sizeof packet, 0, (struct sockaddr *) &to,
            sizeof to) < 0)
      perror ("sendto");
    slot += spacing;
  }
  printf ("{\"cpu_us\": %.4f}\n", (cpu_us () - cpu) / packets);
  return 0;
}
