/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Controlled delay, RFC 8289 section 5. If a packet may be marked, it is marked
 * instead of dropped, and leaves (as in RFC 8290 section 4.2).
 */
#ifndef LINK_CODEL_H
#define LINK_CODEL_H

#include "packet.h"

typedef struct
{
  int64_t target;               /* ns */
  int64_t interval;             /* ns */
  bool ecn;
} LinkCodelConfig;

/* target and interval of RFC 8289 sections 4.2 and 4.3; no ECN */
#define LINK_CODEL_DEFAULTS { 5000000, 100000000, false }
/* A queue of at most this many bytes is never too long. */
#define LINK_CODEL_MAX_PACKET 1500

typedef struct
{
  LinkCodelConfig config;
  bool above;                   /* first_above is valid */
  int64_t first_above;          /* ns; when dropping may begin */
  bool dropping;
  int64_t drop_next;
  /* drops since the state was entered, and their number at its last entry */
  uint32_t count, last_count;
} LinkCodel;

void link_codel_init (LinkCodel * codel, const LinkCodelConfig * config);
/* Returns the packet to send when the link is free at `now`, or NULL. Dropped
 * packets go to `dropped`. */
LinkPacket *link_codel_leave (LinkCodel * codel, LinkQueue * q, int64_t now,
    LinkQueue * dropped);
/* Returns when the drop after t is due (section 5.6). */
int64_t link_codel_control_law (const LinkCodel * codel, int64_t t,
    uint32_t count);

#endif
