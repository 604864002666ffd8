/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What libsrtp alone takes for a packet: one line of JSON with the CPU time of
 * protecting and of unprotecting it, µs, with AEAD_AES_128_GCM. The packet is
 * written anew before each, as elsewhere.
 *
 *   psp-bare-protect PACKETS [SIZE]
 */
#include "srtp/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_SIZE 9000
/* Packets a turn: protected together, then unprotected together. */
#define TURN 32

static double
cpu_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

static void
write_packet (uint8_t * packet, size_t size, unsigned seq)
{
  memset (packet, 0, size);
  packet[0] = 0x80;
  packet[1] = 96;
  packet[2] = (uint8_t) (seq >> 8);
  packet[3] = (uint8_t) seq;
}

int
main (int argc, char *argv[])
{
  static uint32_t words[TURN][(MAX_SIZE + PSP_SRTP_ROOM) / 4];
  PspSrtpKey key = {.suite = PSP_SRTP_AES_128_GCM,.key = {1} };
  PspSrtpSession *out = psp_srtp_session_new (&key, false);
  PspSrtpSession *in = psp_srtp_session_new (&key, true);
  size_t size = argc > 2 ? (size_t) atoi (argv[2]) : 1316, sizes[TURN];
  unsigned packets = argc > 1 ? (unsigned) atoi (argv[1]) : 0;
  double protect = 0, unprotect = 0, before;

  if (packets < TURN || size < 12 || size > MAX_SIZE || !out || !in) {
    fprintf (stderr, "usage: psp-bare-protect PACKETS [SIZE]\n");
    return 2;
  }
  packets = packets / TURN * TURN;
  for (unsigned i = 0; i < packets; i += TURN) {
    before = cpu_us ();
    for (unsigned k = 0; k < TURN; k++) {
      sizes[k] = size;
      write_packet ((uint8_t *) words[k], size, i + k);
      if (psp_srtp_protect (out, (uint8_t *) words[k], &sizes[k], false)
          != PSP_SRTP_OK)
        return 1;
    }
    protect += cpu_us () - before;
    before = cpu_us ();
    for (unsigned k = 0; k < TURN; k++)
      if (psp_srtp_unprotect (in, (uint8_t *) words[k], &sizes[k], false)
          != PSP_SRTP_OK)
        return 1;
    unprotect += cpu_us () - before;
  }
  printf ("{\"protect_us\": %.4f, \"unprotect_us\": %.4f}\n",
      protect / packets, unprotect / packets);
  psp_srtp_session_free (out);
  psp_srtp_session_free (in);
  return 0;
}
