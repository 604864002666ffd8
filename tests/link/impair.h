/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Decides what happens to a packet on the wire behind the bottleneck: loss,
 * corruption, duplication, delay, jitter, reordering. Lost packets have used
 * the bottleneck, as on a radio link.
 */
#ifndef LINK_IMPAIR_H
#define LINK_IMPAIR_H

#include "packet.h"
#include "random.h"

typedef enum
{
  LINK_JITTER_UNIFORM,          /* in [0, jitter] */
  LINK_JITTER_NORMAL            /* mean jitter / 2, deviation jitter / 6, cut at
                                   both ends (RFC 8868 section 4.5: 3 sigma) */
} LinkJitterShape;

/* Gilbert and Elliott: a state that changes before each packet. */
typedef struct
{
  double to_bad, to_good;       /* probability of the change */
  double loss_bad, loss_good;   /* probability of loss in each state */
} LinkGilbert;

typedef struct
{
  double loss;                  /* probability, independent */
  bool bursty;                  /* `gilbert` applies as well */
  LinkGilbert gilbert;
  double corrupt;               /* probability of one flipped bit */
  double duplicate;
  int64_t delay;                /* ns, one way */
  int64_t jitter;               /* ns, on top of the delay */
  LinkJitterShape shape;
  bool jitter_reorders;         /* packets may overtake others by jitter */
  double reorder;               /* probability of reorder_extra on top */
  int64_t reorder_extra;        /* ns; other packets may overtake meanwhile */
} LinkImpairConfig;

typedef struct
{
  LinkImpairConfig config;
  bool bad;
  int64_t latest;               /* ns; no packet in order arrives before */
  LinkRandom loss, burst, corrupt, duplicate, jitter, reorder;
} LinkImpair;

/* Takes the random streams first_stream .. first_stream + 5. */
void link_impair_init (LinkImpair * im, const LinkImpairConfig * config,
    uint64_t seed, unsigned first_stream);
/* True if packets may be delivered in another order than they were sent. */
bool link_impair_reorders (const LinkImpair * im);
/* The functions below are called in this order for each sent packet. */
/* True if the packet is lost; the others are then not called. */
bool link_impair_lost (LinkImpair * im);
/* Returns the bit to flip, or -1. */
int64_t link_impair_corrupt_bit (LinkImpair * im, uint32_t size);
/* True if the packet is doubled. */
bool link_impair_duplicated (LinkImpair * im);
/* Returns the time of delivery, of the packet and then of its double. */
int64_t link_impair_delivery (LinkImpair * im, int64_t departed);

#endif
