/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * One direction of an emulated link in virtual time: queue and discipline,
 * rate, then the wire with its delay and impairments.
 *
 *   offer -> [queue] -> bottleneck -> loss -> corruption, duplication -> take
 *
 * Pure: libc and libm, no clock, no I/O, not thread-safe. Times are int64_t
 * nanoseconds of link time, 0 being where the rate schedule starts; they must
 * not be negative. What comes out depends only on the configuration and the
 * offers, never on when or how often link_take() is called.
 */
#ifndef LINK_MODEL_H
#define LINK_MODEL_H

#include "codel.h"
#include "droptail.h"
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
  int32_t overhead;             /* bytes that each packet adds to its size; -1 =
                                   what the front adds below it */
  LinkLimit limit;
  LinkDiscipline discipline;
  LinkRedConfig red;
  LinkCodelConfig codel;
  bool ecn;                     /* RED and CoDel mark instead of dropping */
  int64_t step;                 /* ns; ECT that waited longer is marked; 0 = off */
  bool bleach;                  /* ECT and CE become Not-ECT before the queue */
  bool drop_ect;                /* ECT and CE are dropped there */
  LinkImpairConfig impair;
  uint64_t seed;
} LinkConfig;

/* No bottleneck, no delay, a limit of 1000 packets, overhead -1, seed 1. */
void link_config_init (LinkConfig * config);

typedef struct _Link Link;

typedef struct
{
  uint64_t offered, offered_bytes;      /* bytes: without overhead */
  uint64_t delivered, delivered_bytes;  /* duplicates not counted */
  uint64_t verdicts[LINK_N_VERDICTS];   /* but LINK_ACCEPTED: that are inside */
  uint64_t marked, corrupted;
  uint32_t peak_packets;        /* waiting */
  uint64_t peak_bytes;          /* waiting, with overhead */
  uint64_t waits;               /* packets sent, */
  double wait_sum;              /* and how long they waited, ns */
  int64_t wait_max;
} LinkStats;

/* NULL: no memory. The configuration is copied. */
Link *link_new (const LinkConfig * config);
void link_free (Link * l);

/* A packet arrives; handle, size (up to LINK_MAX_SIZE), flow and ecn are set,
 * the rest of *packet is filled in. An arrival before what already happened is
 * taken as the latest time seen. LINK_ACCEPTED: link_take() brings it back;
 * else it is dropped. */
LinkVerdict link_offer (Link * l, int64_t now, LinkPacket * packet);
/* When to call link_take() next (it may then find nothing), or LINK_NEVER. */
int64_t link_next (const Link * l);
/* The next packet delivered, or dropped inside, at `now` or before. */
bool link_take (Link * l, int64_t now, LinkPacket * packet);
/* A packet still inside, as LINK_UNFINISHED; for the end. */
bool link_flush (Link * l, LinkPacket * packet);

void link_get_stats (const Link * l, LinkStats * stats);
const char *link_verdict_name (LinkVerdict verdict);

#endif
