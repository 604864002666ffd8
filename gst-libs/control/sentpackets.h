/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The packets of a history: a ring ordered by index, and for each series a
 * table from number to ring slot, so that an acknowledgement is resolved in
 * constant time. Private to history.c.
 */
#ifndef CONTROL_SENTPACKETS_H
#define CONTROL_SENTPACKETS_H

#include <control/packet.h>

typedef enum
{
  PSP_SENT_UNDECIDED,
  PSP_SENT_RECEIVED,
  PSP_SENT_LOST,
  PSP_SENT_FORGOTTEN
} PspSentState;

/* 16 bytes, because up to a million packets per second are stored here. */
typedef struct
{
  int64_t sent_at;
  uint16_t size;
  uint16_t payload_size;
  uint16_t number;
  /* place of the series; PSP_MAX_SERIES = no key yet */
  uint16_t series:5;
  uint16_t receiver:4;
  uint16_t state:2;             /* PspSentState */
  uint16_t app_limited:1;
  uint16_t resent:1;            /* this key was sent before */
  uint16_t ecn:2;               /* PspEcn with which it left */
} PspSentPacket;

typedef struct
{
  bool used;
  /* all packets that it ever had can be looked up */
  bool complete;
  uint32_t name;
  uint16_t highest;             /* highest number of the present run */
  /* lowest number of the run that can be looked up */
  uint16_t oldest;
  int64_t run_at;               /* index where the run began */
  int64_t created_at;           /* index of its first packet */
  int64_t live_from;            /* packets before this index are forgotten */
  int64_t last_at;              /* index of its last packet */
  int64_t in_flight;
} PspSentSeries;

typedef struct
{
  PspSentPacket *packets;       /* `capacity` of them */
  uint16_t *table;              /* ring slots by series and number */
  unsigned capacity;            /* a power of two */
  /* The last place is for packets without a key. */
  PspSentSeries series[PSP_MAX_SERIES + 1];
  bool series_were_evicted;
  /* packets of series for which there was no place; they are forgotten */
  uint64_t n_overlooked;
  int64_t next;                 /* index of the next packet */
  int64_t oldest;               /* first undecided index, or next */
  int64_t in_flight;
} PspSentPackets;

/* Returns false if memory runs out; then there is nothing to clear. */
bool psp_sent_packets_init (PspSentPackets * r, unsigned capacity);
void psp_sent_packets_clear (PspSentPackets * r);
/* Grows to a larger capacity and keeps all packets. Returns false and changes
 * nothing if memory runs out. */
bool psp_sent_packets_grow (PspSentPackets * r, unsigned capacity);

/* Adds a packet and returns its index. If the ring is full, the oldest packet
 * is forgotten. */
int64_t psp_sent_packets_add (PspSentPackets * r, const PspPacket * packet,
    PspEcn ecn, int64_t now, bool app_limited);
/* Names a packet that was added without a key. */
void psp_sent_packets_bind (PspSentPackets * r, int64_t index,
    const PspKey * key);
/* Returns the index of the packet without a key that left for this receiver
 * with this size at this time: the newest one at or before `sent_at` that is
 * later than those bound before; −1 = none. */
int64_t psp_sent_packets_unbound (const PspSentPackets * r, unsigned receiver,
    int64_t sent_at, uint32_t size);
/* Forgets every packet in flight. */
void psp_sent_packets_forget (PspSentPackets * r);
/* Forgets those in flight to this receiver. */
void psp_sent_packets_forget_receiver (PspSentPackets * r, unsigned receiver);

/* Returns the place of the series, or −1 if there is none. */
int psp_sent_packets_find_series (const PspSentPackets * r, uint32_t name);
/* Returns the packet's index, or −1 if it cannot be looked up. */
int64_t psp_sent_packets_look_up (const PspSentPackets * r, unsigned series,
    uint16_t number);
/* True if a number that cannot be looked up was certainly never sent, false if
 * it may have been forgotten. */
bool psp_sent_packets_never_sent (const PspSentPackets * r, unsigned series,
    uint16_t number);

/* Returns the packet with an index that look_up gave or that is `oldest`, or
 * NULL if it is forgotten. */
PspSentPacket *psp_sent_packets_get (PspSentPackets * r, int64_t index);
/* Returns the packet with any index from next − capacity on, forgotten or
 * not. */
const PspSentPacket *psp_sent_packets_at (const PspSentPackets * r,
    int64_t index);
/* True if a key names the packet. */
static inline bool
psp_sent_packets_is_named (const PspSentPacket * p)
{
  return p->series < PSP_MAX_SERIES;
}

/* Decides an undecided packet. */
void psp_sent_packets_decide (PspSentPackets * r, PspSentPacket * p,
    PspSentState state);

#endif
