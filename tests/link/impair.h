/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What happens to a packet on the wire behind the bottleneck: loss,
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
  double loss_bad, loss_good;
} LinkGilbert;

typedef struct
{
  double loss;                  /* probability, independent */
  bool bursty;                  /* gilbert as well */
  LinkGilbert gilbert;
  double corrupt;               /* probability of one flipped bit */
  double duplicate;
  int64_t delay;                /* ns, one way */
  int64_t jitter;               /* ns, on top */
  LinkJitterShape shape;
  bool jitter_reorders;         /* else nothing overtakes by jitter */
  double reorder;               /* probability of reorder_extra on top, */
  int64_t reorder_extra;        /* whatever overtakes meanwhile */
} LinkImpairConfig;

typedef struct
{
  LinkImpairConfig config;
  bool bad;
  int64_t latest;               /* delivery that nothing in order precedes */
  LinkRandom loss, burst, corrupt, duplicate, jitter, reorder;
} LinkImpair;

/* Random streams first_stream .. first_stream + 5 are taken. */
void link_impair_init (LinkImpair * im, const LinkImpairConfig * config,
    uint64_t seed, unsigned first_stream);
/* True where packets may be delivered in another order than they were sent. */
bool link_impair_reorders (const LinkImpair * im);
/* For each sent packet, in order: lost; if not, the bit to flip (or -1) and
 * whether it is doubled; then for it and its double the time of delivery. */
bool link_impair_lost (LinkImpair * im);
int64_t link_impair_corrupt_bit (LinkImpair * im, uint32_t size);
bool link_impair_duplicated (LinkImpair * im);
int64_t link_impair_delivery (LinkImpair * im, int64_t departed);

#endif
