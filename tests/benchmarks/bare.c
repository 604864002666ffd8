/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The least that pacing takes here: one ppoll() with a timeout and one
 * sendto() a packet on an absolute schedule, and nothing else. Says in one
 * line of JSON what CPU a packet took and how late the packets left.
 *
 *   psp-bare ADDRESS PORT SPACING_US PACKETS [SIZE [sleep | realtime]]
 *
 * realtime: with SCHED_FIFO, spinning the last 30 µs before each slot.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#define SECOND INT64_C (1000000000)
#define SPIN INT64_C (30000)

static int64_t
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * SECOND + t.tv_nsec;
}

static double
cpu_us (void)
{
  struct rusage r;

  getrusage (RUSAGE_SELF, &r);
  return (double) (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e6 +
      (double) (r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static int
request_precision (const char *pacing)
{
  struct sched_param param = {.sched_priority = 20 };

  prctl (PR_SET_TIMERSLACK, 1);
  if (strcmp (pacing, "realtime") != 0)
    return 0;
  if (sched_setscheduler (0, SCHED_FIFO, &param) != 0) {
    perror ("SCHED_FIFO");
    exit (1);
  }
  return 1;
}

/* Until the slot; a slot that has passed is not waited for. */
static void
await (int fd, int64_t slot, int realtime)
{
  int64_t left = slot - now (), spin = 0;
  struct timespec t = { 0, 0 };
  struct pollfd p = { fd, POLLIN, 0 };

  if (left > 0) {
    if (realtime)
      spin = left / 2 < SPIN ? left / 2 : SPIN;
    t.tv_sec = (left - spin) / SECOND;
    t.tv_nsec = (left - spin) % SECOND;
  }
  ppoll (&p, 1, &t, NULL);
  while (spin > 0 && now () < slot);
}

int
main (int argc, char *argv[])
{
  static const uint8_t packet[65000] = { 0x80, 96 };
  struct sockaddr_in to = {.sin_family = AF_INET };
  int fd = socket (AF_INET, SOCK_DGRAM, 0), packets, i, realtime, late = 0;
  size_t size = argc > 5 ? (size_t) atoi (argv[5]) : 1316;
  int64_t slot, spacing, left;
  double cpu;

  if (argc < 5 || size > sizeof packet ||
      inet_pton (AF_INET, argv[1], &to.sin_addr) != 1) {
    fprintf (stderr, "usage: psp-bare ADDRESS PORT SPACING_US PACKETS "
        "[SIZE [sleep | realtime]]\n");
    return 2;
  }
  to.sin_port = htons ((uint16_t) atoi (argv[2]));
  spacing = atoi (argv[3]) * INT64_C (1000);
  packets = atoi (argv[4]);
  realtime = request_precision (argc > 6 ? argv[6] : "sleep");
  cpu = cpu_us ();
  slot = now ();
  for (i = 0; i < packets; i++) {
    await (fd, slot, realtime);
    left = now () - slot;
    late += left > 300000;
    if (sendto (fd, packet, size, 0, (struct sockaddr *) &to, sizeof to) < 0) {
      perror ("sendto");
      return 1;
    }
    slot += spacing;
    /* Missed slots are not made up for by a burst. */
    if (slot < now () - spacing)
      slot = now () - spacing;
  }
  printf ("{\"cpu_us\": %.4f, \"late\": %d}\n", (cpu_us () - cpu) / packets,
      late);
  return 0;
}
