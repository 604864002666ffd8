/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Flow queuing, RFC 8290: each flow has a queue with a CoDel of its own. Deficit
 * round robin serves them, those that have just begun to send first. Where there
 * is no room, the longest queue loses its head.
 */
#ifndef LINK_FQ_H
#define LINK_FQ_H

#include "codel.h"
#include "packet.h"

/* RFC 8290 section 5.2.4 */
#define LINK_FQ_QUEUES 1024
/* bytes; section 5.2.3 */
#define LINK_FQ_QUANTUM 1514

typedef struct _LinkFq LinkFq;

/* Returns NULL if memory runs out. */
LinkFq *link_fq_new (const LinkCodelConfig * codel, uint32_t overhead);
void link_fq_free (LinkFq * fq);

/* Packets and bytes that wait, in all queues; its list is empty. */
const LinkQueue *link_fq_waiting (const LinkFq * fq);
void link_fq_push (LinkFq * fq, LinkPacket * p);
/* Returns the packet to send when the link is free at `now`, or NULL. Dropped
 * packets go to `dropped`. */
LinkPacket *link_fq_leave (LinkFq * fq, int64_t now, LinkQueue * dropped);
/* Returns the first packet of the queue with the most bytes, which is to be
 * dropped, or NULL. */
LinkPacket *link_fq_pop_longest (LinkFq * fq);

#endif
