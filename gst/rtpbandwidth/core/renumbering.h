/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Numbers the packets of an RTP stream without a gap after some of them
 * were dropped, so that a receiver neither waits for these nor counts them
 * as lost.
 */
#ifndef RTPBANDWIDTH_RENUMBERING_H
#define RTPBANDWIDTH_RENUMBERING_H

#include <stdbool.h>
#include <stdint.h>

/* Number of gaps that are remembered, so that requests for older packets
 * can be translated. */
#define PSP_RENUMBERING_GAPS 64

typedef struct
{
  int64_t first;                /* the number after the gap, not wrapped */
  int64_t removed;              /* packets dropped before that number */
} PspRenumberingGap;

typedef struct
{
  int64_t highest;              /* highest number so far, unwrapped; 0 = none */
  unsigned n_gaps;              /* number of gaps so far */
  PspRenumberingGap gaps[PSP_RENUMBERING_GAPS]; /* ring buffer */
} PspRenumbering;

void psp_renumbering_init (PspRenumbering * r);

/* Drops this packet. Returns false and changes nothing if a later packet
 * has been numbered already; then this one has to leave, too. */
bool psp_renumbering_remove (PspRenumbering * r, uint16_t number);
/* Returns the number with which a packet leaves. */
uint16_t psp_renumbering_add (PspRenumbering * r, uint16_t number);
/* Takes back an added packet that does not leave after all, like all
 * packets after it. The next packet gets the last number. */
void psp_renumbering_take_back (PspRenumbering * r);

/* Finds the number with which a packet left. Returns false if its gap is
 * forgotten. */
bool psp_renumbering_sent (const PspRenumbering * r, uint16_t number,
    uint16_t * sent);
/* Finds the number that a packet had before. Returns false if its gap is
 * forgotten. */
bool psp_renumbering_original (const PspRenumbering * r, uint16_t sent,
    uint16_t * number);

#endif
