/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "flight.h"

#define BLOCK_PACKETS 256

enum
{ STREAM_RED, STREAM_IMPAIR };

typedef struct _Block Block;

struct _Block
{
  Block *next;
  LinkPacket packet[BLOCK_PACKETS];
};

struct _Link
{
  LinkConfig config;
  int64_t now;                  /* latest time seen */
  LinkQueue queue;
  LinkFq *fq;                   /* holds what waits instead of `queue`, or NULL */
  LinkRed red;
  LinkCodel codel;
  bool busy;
  int64_t busy_until;
  int64_t idle_since;
  int64_t credit;               /* of link_schedule_finish() */
  LinkImpair impair;
  LinkFlight flight;
  LinkPacket *free;
  Block *blocks;
  LinkStats stats;
};

static const char *verdict_names[LINK_N_VERDICTS] = {
  "accepted", "delivered", "duplicate", "full", "red", "codel", "ect",
  "lost", "unfinished",
};

const char *
link_verdict_name (LinkVerdict verdict)
{
  return (unsigned) verdict < LINK_N_VERDICTS ? verdict_names[verdict] : "?";
}

void
link_config_init (LinkConfig * config)
{
  const LinkRedConfig red = LINK_RED_DEFAULTS;
  const LinkCodelConfig codel = LINK_CODEL_DEFAULTS;

  memset (config, 0, sizeof *config);
  config->schedule.n = 1;
  config->schedule.step[0].rate = LINK_UNLIMITED;
  config->overhead = -1;
  config->limit.unit = LINK_LIMIT_PACKETS;
  config->limit.value = 1000;
  config->red = red;
  config->codel = codel;
  config->seed = 1;
}

/* Its packets and bytes are what waits. */
static const LinkQueue *
waiting (const Link * l)
{
  return l->fq ? link_fq_waiting (l->fq) : &l->queue;
}

/* A packet and its double need two of each. */
static bool
reserve (Link * l)
{
  Block *block;
  unsigned i;

  if (!link_flight_reserve (&l->flight, waiting (l)->packets + 3))
    return false;
  if (l->free && l->free->next)
    return true;
  block = malloc (sizeof *block);
  if (!block)
    return false;
  block->next = l->blocks;
  l->blocks = block;
  for (i = 0; i < BLOCK_PACKETS; i++) {
    block->packet[i].next = l->free;
    l->free = &block->packet[i];
  }
  return true;
}

static LinkPacket *
packet_new (Link * l, const LinkPacket * from)
{
  LinkPacket *p = l->free;

  l->free = p->next;
  *p = *from;
  p->next = NULL;
  return p;
}

static void
packet_free (Link * l, LinkPacket * p)
{
  p->next = l->free;
  l->free = p;
}

Link *
link_new (const LinkConfig * config)
{
  Link *l = calloc (1, sizeof *l);

  if (!l)
    return NULL;
  l->config = *config;
  if (l->config.overhead < 0)
    l->config.overhead = 0;
  l->config.codel.ecn = config->ecn;
  l->queue.overhead = (uint32_t) l->config.overhead;
  link_red_init (&l->red, &l->config.red, config->seed, STREAM_RED);
  link_codel_init (&l->codel, &l->config.codel);
  link_impair_init (&l->impair, &l->config.impair, config->seed, STREAM_IMPAIR);
  if (config->fq)
    l->fq = link_fq_new (&l->config.codel, l->queue.overhead);
  if (!reserve (l) || (config->fq && !l->fq)) {
    link_free (l);
    return NULL;
  }
  return l;
}

void
link_free (Link * l)
{
  if (!l)
    return;
  while (l->blocks) {
    Block *next = l->blocks->next;

    free (l->blocks);
    l->blocks = next;
  }
  link_flight_clear (&l->flight);
  link_fq_free (l->fq);
  free (l);
}

static void
drop (Link * l, LinkPacket * p, LinkVerdict verdict, int64_t at)
{
  p->verdict = verdict;
  p->delivered = at;
  link_flight_put (&l->flight, at, p);
}

/* The packet's way behind the bottleneck is settled when its sending starts:
 * all draws come in the order of sending. */
static void
launch (Link * l, LinkPacket * p)
{
  LinkPacket *copy;

  if (link_impair_lost (&l->impair)) {
    drop (l, p, LINK_DROPPED_LOSS, p->departed);
    return;
  }
  p->verdict = LINK_DELIVERED;
  p->corrupt_bit = link_impair_corrupt_bit (&l->impair, p->size);
  p->delivered = link_impair_delivery (&l->impair, p->departed);
  link_flight_put (&l->flight, p->delivered, p);
  if (!link_impair_duplicated (&l->impair) || !reserve (l))
    return;
  copy = packet_new (l, p);
  copy->verdict = LINK_DUPLICATE;
  copy->delivered = link_impair_delivery (&l->impair, p->departed);
  copy->twin = p;
  p->twin = copy;
  link_flight_put (&l->flight, copy->delivered, copy);
}

/* The bottleneck is free at `now`. */
static void
serve (Link * l, int64_t now)
{
  LinkQueue dropped = { 0 };
  LinkPacket *p, *lost;

  if (l->fq)
    p = link_fq_leave (l->fq, now, &dropped);
  else if (l->config.discipline == LINK_DISCIPLINE_CODEL)
    p = link_codel_leave (&l->codel, &l->queue, now, &dropped);
  else
    p = link_queue_pop (&l->queue);
  while ((lost = link_queue_pop (&dropped)))
    drop (l, lost, LINK_DROPPED_CODEL, now);

  l->busy = p != NULL;
  if (!p) {
    l->idle_since = now;
    l->credit = 0;
    return;
  }
  if (l->config.step > 0 && now - p->arrived > l->config.step
      && link_packet_may_mark (p))
    p->marked = true;
  p->started = now;
  p->departed = link_schedule_finish (&l->config.schedule, now,
      8 * (int64_t) (p->size + l->queue.overhead), &l->credit);
  l->busy_until = p->departed;
  launch (l, p);
}

static void
advance (Link * l, int64_t now)
{
  if (now > l->now)
    l->now = now;
  while (l->busy && l->busy_until <= l->now && l->busy_until != LINK_NEVER)
    serve (l, l->busy_until);
}

/* The longest flow queue makes room. */
static LinkVerdict
admit_for_longest (Link * l, const LinkPacket * p, int64_t rate)
{
  LinkPacket *lost;

  while (!link_droptail_has_room (&l->config.limit, waiting (l), p->size,
          rate)) {
    if (!(lost = link_fq_pop_longest (l->fq)))
      return LINK_DROPPED_FULL;
    drop (l, lost, LINK_DROPPED_FULL, l->now);
  }
  return LINK_ACCEPTED;
}

static LinkVerdict
admit (Link * l, LinkPacket * p)
{
  const LinkSchedule *s = &l->config.schedule;
  int64_t rate = link_schedule_nominal_rate (s, l->now);

  if (l->config.drop_ect && p->ecn != 0)
    return LINK_DROPPED_ECT;
  if (l->config.discipline == LINK_DISCIPLINE_RED) {
    switch (link_red_arrive (&l->red, l->queue.packets,
            l->busy ? -1 : l->now - l->idle_since, rate)) {
      case LINK_RED_PASS:
        break;
      case LINK_RED_EARLY:
        if (!l->config.ecn || !link_packet_may_mark (p))
          return LINK_DROPPED_RED;
        p->marked = true;
        break;
      case LINK_RED_FORCED:
        return LINK_DROPPED_RED;
    }
  }
  if (!l->busy || link_droptail_has_room (&l->config.limit, waiting (l),
          p->size, rate))
    return LINK_ACCEPTED;
  if (l->fq)
    return admit_for_longest (l, p, rate);
  link_red_overflow (&l->red);
  p->marked = false;
  return LINK_DROPPED_FULL;
}

LinkVerdict
link_offer (Link * l, int64_t now, LinkPacket * packet)
{
  LinkStats *stats = &l->stats;

  assert (packet->size <= LINK_MAX_SIZE);
  advance (l, now);
  packet->sequence = stats->offered++;
  stats->offered_bytes += packet->size;
  packet->arrived = l->now;
  packet->queue_packets = waiting (l)->packets;
  packet->queue_bytes = waiting (l)->bytes;
  packet->started = packet->departed = LINK_NEVER;
  packet->delivered = l->now;
  packet->bleached = l->config.bleach && packet->ecn != 0;
  packet->marked = false;
  packet->corrupt_bit = -1;
  packet->last = true;
  packet->next = packet->twin = NULL;

  packet->verdict = reserve (l) ? admit (l, packet) : LINK_DROPPED_FULL;
  if (packet->verdict != LINK_ACCEPTED) {
    stats->verdicts[packet->verdict]++;
    return packet->verdict;
  }
  stats->verdicts[LINK_ACCEPTED]++;
  if (l->fq)
    link_fq_push (l->fq, packet_new (l, packet));
  else
    link_queue_push (&l->queue, packet_new (l, packet));
  if (!l->busy)
    serve (l, l->now);
  if (waiting (l)->packets > stats->peak_packets)
    stats->peak_packets = waiting (l)->packets;
  if (waiting (l)->bytes > stats->peak_bytes)
    stats->peak_bytes = waiting (l)->bytes;
  return LINK_ACCEPTED;
}

/* While nothing overtakes, the earliest on the wire precedes all that has
 * still to be sent; else the next one may turn out to be earlier. */
int64_t
link_next (const Link * l)
{
  int64_t next = link_flight_next (&l->flight);

  if (waiting (l)->packets == 0)
    return next;
  if (next != LINK_NEVER && !link_impair_reorders (&l->impair))
    return next;
  return l->busy_until < next ? l->busy_until : next;
}

static void
account (Link * l, const LinkPacket * p)
{
  LinkStats *stats = &l->stats;

  stats->verdicts[p->verdict]++;
  if (p->verdict == LINK_DUPLICATE)
    return;
  stats->verdicts[LINK_ACCEPTED]--;
  if (p->started != LINK_NEVER) {
    int64_t wait = p->started - p->arrived;

    stats->waits++;
    stats->wait_sum += (double) wait;
    if (wait > stats->wait_max)
      stats->wait_max = wait;
  }
  if (p->verdict != LINK_DELIVERED)
    return;
  stats->delivered++;
  stats->delivered_bytes += p->size;
  stats->marked += p->marked;
  stats->corrupted += p->corrupt_bit >= 0;
}

static void
hand_out (Link * l, LinkPacket * p, LinkPacket * packet)
{
  p->last = p->twin == NULL;
  if (p->twin)
    p->twin->twin = NULL;
  *packet = *p;
  packet->next = packet->twin = NULL;
  packet_free (l, p);
}

bool
link_take (Link * l, int64_t now, LinkPacket * packet)
{
  int64_t next;

  advance (l, now);
  next = link_flight_next (&l->flight);
  if (next > now || next == LINK_NEVER)
    return false;
  hand_out (l, link_flight_take (&l->flight), packet);
  account (l, packet);
  return true;
}

bool
link_flush (Link * l, LinkPacket * packet)
{
  LinkPacket *p = link_flight_take (&l->flight);
  bool copy = p && p->verdict == LINK_DUPLICATE;

  if (!p)
    p = l->fq ? link_fq_pop_longest (l->fq) : link_queue_pop (&l->queue);
  if (!p)
    return false;
  p->verdict = LINK_UNFINISHED;
  hand_out (l, p, packet);
  if (!copy)
    account (l, packet);
  return true;
}

void
link_get_stats (const Link * l, LinkStats * stats)
{
  *stats = l->stats;
}
