/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The packets of a history: a ring by index, and for each stream a map from
 * sequence number to ring slot, so that reports resolve in constant time.
 * Private to history.c.
 */
#ifndef PSP_CORE_SENTRING_H
#define PSP_CORE_SENTRING_H

#include "history.h"

#define PSP_SENT_MASK (PSP_HISTORY_CAPACITY - 1)

typedef enum
{
  PSP_SENT_UNDECIDED,
  PSP_SENT_RECEIVED,
  PSP_SENT_LOST,
  PSP_SENT_FORGOTTEN
} PspSentState;

/* 16 bytes: a million packets a second pass here. */
typedef struct
{
  int64_t sent_at;
  uint16_t size;
  uint16_t payload_size;
  uint16_t seq;
  uint8_t stream;
  uint8_t state:2;              /* PspSentState */
  uint8_t app_limited:1;
  uint8_t resent:1;             /* this sequence number was sent before */
} PspSentPacket;

typedef struct
{
  bool used;
  bool complete;                /* all that it ever sent can be looked up */
  uint32_t ssrc;
  uint16_t highest_seq;         /* of the present run of sequence numbers */
  uint16_t oldest_seq;          /* from here on the run can be looked up */
  int64_t run_at;               /* index where the run began */
  int64_t created_at;           /* index of its first packet */
  int64_t live_from;            /* packets before this index are forgotten */
  int64_t last_at;              /* index of its last packet */
  int64_t in_flight;
} PspSentStream;

typedef struct
{
  PspSentPacket packets[PSP_HISTORY_CAPACITY];
  PspSentStream streams[PSP_MAX_STREAMS];
  /* Ring slot by sequence number; valid where the packet there agrees. */
  uint16_t slots[PSP_MAX_STREAMS][PSP_HISTORY_CAPACITY];
  bool streams_were_evicted;
  int64_t next;                 /* index of the next packet */
  int64_t oldest;               /* first undecided index, or next */
  int64_t in_flight;
} PspSentRing;

/* The ring begins all zero. */

int64_t psp_sent_ring_add (PspSentRing * r, const PspRtpHeader * header,
    int64_t now, bool app_limited);
void psp_sent_ring_forget (PspSentRing * r);

/* −1 where there is no such stream, or where the packet cannot be looked
 * up. */
int psp_sent_ring_find_stream (const PspSentRing * r, uint32_t ssrc);
int64_t psp_sent_ring_look_up (const PspSentRing * r, unsigned stream,
    uint16_t seq);
/* Whether a number that cannot be looked up was certainly never sent, rather
 * than forgotten. */
bool psp_sent_ring_never_sent (const PspSentRing * r, unsigned stream,
    uint16_t seq);

/* The packet with an index that look_up gave or that is `oldest`, or NULL
 * where it is forgotten. */
PspSentPacket *psp_sent_ring_get (PspSentRing * r, int64_t index);
/* Decides an undecided packet. */
void psp_sent_ring_decide (PspSentRing * r, PspSentPacket * p,
    PspSentState state);

#endif
