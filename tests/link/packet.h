/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Defines what the emulated link knows of a packet, and the FIFO of those
 * waiting.
 */
#ifndef LINK_PACKET_H
#define LINK_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINK_NEVER INT64_MAX    /* a time that does not come, or is not known */
#define LINK_UNLIMITED INT64_MAX        /* a rate without serialization */
#define LINK_MAX_SIZE 65535     /* bytes of a packet, overhead apart */

typedef enum
{
  LINK_ACCEPTED,                /* on offer: it waits or is being sent */
  LINK_DELIVERED,
  LINK_DUPLICATE,               /* delivered, a copy made by the link */
  LINK_DROPPED_FULL,            /* on offer: the queue's limit */
  LINK_DROPPED_RED,             /* on offer */
  LINK_DROPPED_CODEL,           /* at the head of the queue */
  LINK_DROPPED_ECT,             /* on offer: it is ECN-capable */
  LINK_DROPPED_LOSS,            /* lost on the wire, after it was sent */
  LINK_UNFINISHED,              /* still in the link when it was flushed */
  LINK_N_VERDICTS
} LinkVerdict;

typedef struct _LinkPacket LinkPacket;

struct _LinkPacket
{
  /* The caller sets these before link_offer(). */
  void *handle;
  uint32_t size;                /* bytes; the configured overhead is added */
  unsigned flow;
  uint32_t flow_hash;           /* flow queuing tells flows apart by it */
  uint8_t ecn;                  /* RFC 3168: 1, 2 = may be marked */

  /* The link sets these. */
  uint64_t sequence;            /* number of the offer */
  int64_t arrived;              /* ns; when it was offered */
  /* packets found waiting on arrival */
  uint32_t queue_packets;
  /* bytes found waiting on arrival */
  uint64_t queue_bytes;
  LinkVerdict verdict;
  int64_t started;              /* when it left the queue to be sent */
  int64_t departed;             /* when its last bit left the bottleneck */
  int64_t delivered;            /* when it was delivered or dropped */
  bool bleached;                /* to be set to Not-ECT by the front */
  bool marked;                  /* to be set to CE by the front */
  int64_t corrupt_bit;          /* to be flipped by the front, or -1 */
  bool last;                    /* nothing else bears this handle */

  LinkPacket *next;             /* in a queue, or in the free list */
  LinkPacket *twin;             /* the copy not yet taken */
};

typedef struct
{
  LinkPacket *head, *tail;
  uint32_t packets;
  uint64_t bytes;               /* with overhead */
  uint32_t overhead;            /* bytes that each packet adds */
} LinkQueue;

static inline void
link_queue_push (LinkQueue * q, LinkPacket * p)
{
  p->next = NULL;
  if (q->tail)
    q->tail->next = p;
  else
    q->head = p;
  q->tail = p;
  q->packets++;
  q->bytes += p->size + q->overhead;
}

static inline LinkPacket *
link_queue_pop (LinkQueue * q)
{
  LinkPacket *p = q->head;

  if (!p)
    return NULL;
  q->head = p->next;
  if (!q->head)
    q->tail = NULL;
  q->packets--;
  q->bytes -= p->size + q->overhead;
  return p;
}

static inline bool
link_packet_may_mark (const LinkPacket * p)
{
  return !p->bleached && (p->ecn == 1 || p->ecn == 2);
}

/* Returns t + d; LINK_NEVER stays LINK_NEVER. */
static inline int64_t
link_time_add (int64_t t, int64_t d)
{
  return t > LINK_NEVER - d ? LINK_NEVER : t + d;
}

#endif
