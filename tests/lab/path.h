/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A path between two hosts: the emulated link's model both ways, and what that
 * model does not have: a policer, a radio that delivers in bunches, a route
 * that becomes longer, and delays of single flows.
 */
#ifndef TESTS_LAB_PATH_H
#define TESTS_LAB_PATH_H

#include "calendar.h"
#include "model.h"

#define LAB_MAX_FLOWS 16
#define LAB_HEADERS 28          /* bytes of UDP and IPv4 */

typedef struct
{
  const char *link;             /* specification, in bytes of IP */
  int64_t police_rate;          /* bits/s; 0 = no policer */
  int64_t police_bucket;        /* bytes */
  double bunch_share;           /* share of long gaps; 0 = no bunches */
  int64_t bunch_gap, bunch_long;        /* ns, means of both kinds of gap */
  /* ns; when the route becomes longer, and by how much */
  int64_t longer_at, longer_by;
  int64_t gap_from, gap_to;     /* ns; nothing passes then */
} LabWay;

/* A packet on its way. Its owner allocates it; the path frees it. */
typedef struct
{
  unsigned flow;
  uint32_t size;                /* bytes without UDP and IP */
  uint8_t ecn;
  uint64_t id;                  /* set by the owner */
  int64_t wait;                 /* ns in the bottleneck's queue */
  unsigned n;                   /* bytes of data */
  uint8_t data[];
} LabPacket;

typedef void (*LabArrival) (void *data, LabPacket * packet);
typedef struct LabDirection LabDirection;

LabDirection *lab_direction_new (LabCalendar * calendar, const LabWay * way,
    uint64_t seed);
void lab_direction_free (LabDirection * d);
/* Sets where packets of a flow go, and the flow's own delay beside the
 * link's. */
void lab_direction_connect (LabDirection * d, unsigned flow,
    LabArrival arrival, void *data, int64_t delay);
void lab_direction_send (LabDirection * d, LabPacket * packet);
/* Returns the bits that the bottleneck could carry. */
double lab_direction_capacity (const LabDirection * d, int64_t from,
    int64_t to);
int64_t lab_direction_delay (const LabDirection * d);

LabPacket *lab_packet_new (unsigned flow, uint32_t size, uint64_t id,
    const void *data, unsigned n);

#endif
