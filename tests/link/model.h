/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * One direction of an emulated link in virtual time: queue and discipline,
 * rate, then the wire with its delay and impairments.
 *
 *   offer -> [queue] -> bottleneck -> loss -> corruption, duplication -> take
 *
 * The model is pure: it uses libc and libm, has no clock and no I/O, and is not
 * thread-safe. Times are int64_t nanoseconds of link time; the rate schedule
 * starts at 0. They must not be negative. The output depends only on the
 * configuration and the offers, never on when or how often link_take() is
 * called.
 */
#ifndef LINK_MODEL_H
#define LINK_MODEL_H

#include "codel.h"
#include "droptail.h"
#include "fq.h"
#include "impair.h"
#include "packet.h"
#include "red.h"
#include "schedule.h"

typedef enum
{
  LINK_DISCIPLINE_DROP_TAIL,
  LINK_DISCIPLINE_RED,
  LINK_DISCIPLINE_CODEL
} LinkDiscipline;

typedef struct
{
  LinkSchedule schedule;
  /* bytes that each packet adds to its size; -1 = what the front adds below
   * it */
  int32_t overhead;
  LinkLimit limit;
  LinkDiscipline discipline;
  LinkRedConfig red;
  LinkCodelConfig codel;
  bool fq;                      /* each flow has a queue and CoDel of its own */
  bool ecn;                     /* RED and CoDel mark instead of dropping */
  /* ns; ECT that waited longer is marked; 0 = off */
  int64_t step;
  bool bleach;                  /* ECT and CE become Not-ECT before the queue */
  bool drop_ect;                /* ECT and CE are dropped before the queue */
  LinkImpairConfig impair;
  uint64_t seed;
} LinkConfig;

/* Sets no bottleneck, no delay, a limit of 1000 packets, overhead -1, seed
 * 1. */
void link_config_init (LinkConfig * config);

typedef struct _Link Link;

typedef struct
{
  /* packets offered, and their bytes without overhead */
  uint64_t offered, offered_bytes;
  /* packets delivered, and their bytes; duplicates are not counted */
  uint64_t delivered, delivered_bytes;
  /* packets with each verdict; LINK_ACCEPTED counts those that are inside */
  uint64_t verdicts[LINK_N_VERDICTS];
  uint64_t marked, corrupted;
  uint32_t peak_packets;        /* most packets waiting */
  uint64_t peak_bytes;          /* most bytes waiting, with overhead */
  uint64_t waits;               /* packets sent */
  double wait_sum;              /* ns; how long the packets sent waited */
  int64_t wait_max;             /* ns */
} LinkStats;

/* Returns NULL if memory runs out. The configuration is copied. */
Link *link_new (const LinkConfig * config);
void link_free (Link * l);

/* Takes a packet that arrives. handle, size (up to LINK_MAX_SIZE), flow,
 * flow_hash and ecn are set; the function fills in the rest of *packet. An arrival before what
 * already happened is taken as the latest time seen. After LINK_ACCEPTED
 * link_take() brings the packet back; otherwise it is dropped. */
LinkVerdict link_offer (Link * l, int64_t now, LinkPacket * packet);
/* Returns when to call link_take() next (it may then find nothing), or
 * LINK_NEVER. */
int64_t link_next (const Link * l);
/* Writes the next packet delivered, or dropped inside, at `now` or before.
 * Returns false if there is none. */
bool link_take (Link * l, int64_t now, LinkPacket * packet);
/* Writes a packet that is still inside, as LINK_UNFINISHED, at the end. Returns
 * false if there is none. */
bool link_flush (Link * l, LinkPacket * packet);

void link_get_stats (const Link * l, LinkStats * stats);
const char *link_verdict_name (LinkVerdict verdict);

#endif
