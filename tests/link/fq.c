/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "fq.h"

#include <stdlib.h>

typedef struct _FlowQueue FlowQueue;

struct _FlowQueue
{
  LinkQueue queue;
  LinkCodel codel;
  int64_t credit;               /* bytes it may still send in this round */
  bool listed;
  FlowQueue *next;              /* in a list */
};

typedef struct
{
  FlowQueue *head, *tail;
} FlowList;

struct _LinkFq
{
  FlowQueue flow[LINK_FQ_QUEUES];
  FlowList fresh, old;          /* section 4.2's new and old queues */
  LinkQueue waiting;
};

LinkFq *
link_fq_new (const LinkCodelConfig * codel, uint32_t overhead)
{
  LinkFq *fq = calloc (1, sizeof *fq);
  unsigned i;

  if (!fq)
    return NULL;
  for (i = 0; i < LINK_FQ_QUEUES; i++) {
    fq->flow[i].queue.overhead = overhead;
    link_codel_init (&fq->flow[i].codel, codel);
  }
  fq->waiting.overhead = overhead;
  return fq;
}

void
link_fq_free (LinkFq * fq)
{
  free (fq);
}

const LinkQueue *
link_fq_waiting (const LinkFq * fq)
{
  return &fq->waiting;
}

static void
append (FlowList * list, FlowQueue * f)
{
  f->next = NULL;
  if (list->tail)
    list->tail->next = f;
  else
    list->head = f;
  list->tail = f;
}

static FlowQueue *
remove_head (FlowList * list)
{
  FlowQueue *f = list->head;

  list->head = f->next;
  if (!list->head)
    list->tail = NULL;
  return f;
}

static void
count_out (LinkFq * fq, const LinkPacket * p)
{
  fq->waiting.packets--;
  fq->waiting.bytes -= p->size + fq->waiting.overhead;
}

void
link_fq_push (LinkFq * fq, LinkPacket * p)
{
  FlowQueue *f = &fq->flow[p->flow_hash % LINK_FQ_QUEUES];

  link_queue_push (&f->queue, p);
  fq->waiting.packets++;
  fq->waiting.bytes += p->size + fq->waiting.overhead;
  if (f->listed)
    return;
  f->listed = true;
  f->credit = LINK_FQ_QUANTUM;
  append (&fq->fresh, f);
}

/* Section 4.2: a new queue that has emptied goes to the old ones, so that it
 * cannot starve them by coming back at once. */
static void
emptied (LinkFq * fq, FlowList * list)
{
  FlowQueue *f = remove_head (list);

  if (list == &fq->fresh && fq->old.head)
    append (&fq->old, f);
  else
    f->listed = false;
}

LinkPacket *
link_fq_leave (LinkFq * fq, int64_t now, LinkQueue * dropped)
{
  FlowList *list;

  while ((list = fq->fresh.head ? &fq->fresh : &fq->old)->head) {
    FlowQueue *f = list->head;
    LinkQueue lost = { 0 };
    LinkPacket *p, *next;

    if (f->credit <= 0) {
      f->credit += LINK_FQ_QUANTUM;
      append (&fq->old, remove_head (list));
      continue;
    }
    p = link_codel_leave (&f->codel, &f->queue, now, &lost);
    while ((next = link_queue_pop (&lost))) {
      count_out (fq, next);
      link_queue_push (dropped, next);
    }
    if (!p) {
      emptied (fq, list);
      continue;
    }
    count_out (fq, p);
    f->credit -= p->size + fq->waiting.overhead;
    return p;
  }
  return NULL;
}

LinkPacket *
link_fq_pop_longest (LinkFq * fq)
{
  FlowQueue *longest = &fq->flow[0];
  LinkPacket *p;
  unsigned i;

  for (i = 1; i < LINK_FQ_QUEUES; i++)
    if (fq->flow[i].queue.bytes > longest->queue.bytes)
      longest = &fq->flow[i];
  p = link_queue_pop (&longest->queue);
  if (p)
    count_out (fq, p);
  return p;
}
