/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The sequence numbers of an RTP stream of which some packets are left out: those
 * that leave are numbered without a gap, so that a receiver neither waits for
 * the others nor counts them as lost.
 */
#ifndef RTPBANDWIDTH_RENUMBERING_H
#define RTPBANDWIDTH_RENUMBERING_H

#include <stdbool.h>
#include <stdint.h>

/* How many gaps are remembered, so that requests for older packets can be
 * translated. */
#define PSP_RENUMBERING_GAPS 64

typedef struct
{
  int64_t first;                /* the packet behind the gap, not wrapped */
  int64_t removed;              /* packets left out before it */
} PspRenumberingGap;

typedef struct
{
  int64_t highest;              /* number so far, not wrapped; 0 = none */
  unsigned n_gaps;              /* so far */
  PspRenumberingGap gaps[PSP_RENUMBERING_GAPS]; /* a ring */
} PspRenumbering;

void psp_renumbering_init (PspRenumbering * r);

/* Leaves this packet out. Returns false and changes nothing where a later one
 * has its number already: this one has to leave, too. */
bool psp_renumbering_remove (PspRenumbering * r, uint16_t number);
/* Returns with which number a packet leaves. */
uint16_t psp_renumbering_add (PspRenumbering * r, uint16_t number);
/* One that was added does not leave after all, and none behind it does: the next
 * one gets the last number. */
void psp_renumbering_take_back (PspRenumbering * r);

/* Both return false where the packet's gap is forgotten: the number with which
 * a packet left, and the number that it had. */
bool psp_renumbering_sent (const PspRenumbering * r, uint16_t number,
    uint16_t * sent);
bool psp_renumbering_original (const PspRenumbering * r, uint16_t sent,
    uint16_t * number);

#endif
