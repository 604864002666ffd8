/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What names a packet, what a sender says about a packet that leaves, and what
 * the receiver says about it later. Wire formats turn their reports into
 * acknowledgements; nothing here knows any wire format.
 */
#ifndef CONTROL_PACKET_H
#define CONTROL_PACKET_H

#include <control/types.h>

/* The number of series that one session accounts for at a time. A new one
 * replaces the one that was silent for longest, a second at least; packets of
 * further ones leave, but nothing is expected of them. */
#define PSP_MAX_SERIES 16

/* The number of receivers that report to one session separately. Packets leave
 * to them in turn over one path. */
#define PSP_MAX_RECEIVERS 16

/* The name of a packet on the network. A session numbers its packets in one
 * series or in several: RTP has one series per SSRC; transport-wide sequence
 * numbers form a single series. */
typedef struct
{
  uint32_t series;
  uint16_t number;              /* wraps */
} PspKey;

/* A packet that leaves. */
typedef struct
{
  uint32_t size;                /* bytes, headers of the transport included */
  uint32_t payload_size;        /* bytes of media in it */
  /* If false, psp_sender_bind or an acknowledgement names the packet later. */
  bool has_key;
  PspKey key;
  uint8_t receiver;             /* below PSP_MAX_RECEIVERS: who reports on it */
} PspPacket;

/* What the receiver says about one packet. */
typedef struct
{
  PspKey key;
  bool received;
  /* The report on it was lost, so it says nothing: the packet is forgotten. */
  bool untold;
  uint8_t ecn;                  /* PspEcn on arrival */
  /* receiver's time line; PSP_TIME_UNKNOWN = not reported */
  int64_t arrived_at;
  /* Sender's time line. It is known only for packets that left without a key;
   * this time and the size then identify the packet. Otherwise it is
   * PSP_TIME_UNKNOWN. */
  int64_t sent_at;
  uint32_t size;                /* bytes, valid if sent_at is known */
} PspAcknowledgement;

/* One report; its acknowledgements may come in any order. */
typedef struct
{
  const PspAcknowledgement *acknowledgements;
  size_t n;
  /* When the report left, on the receiver's time line. PSP_TIME_UNKNOWN = not
   * reported; the round trip then includes the time that the receiver held the
   * report. */
  int64_t reported_at;
  uint8_t receiver;             /* who reports, and only on its own packets */
} PspFeedback;

#endif
