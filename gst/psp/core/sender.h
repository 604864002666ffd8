/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The sending half of a session: history, controller and pacer put together,
 * supervised for silence, and what the pipeline is to be told.
 *
 * Whatever is fed back, payload of at most max_bitrate × T and one slot's
 * packets leaves in any time T, if the caller is punctual; after it was late,
 * what the pacer catches up comes on top (pacer.h). And min_bitrate may always
 * leave, until the link is STOPPED.
 */
#ifndef PSP_CORE_SENDER_H
#define PSP_CORE_SENDER_H

#include "controller.h"
#include "history.h"
#include "pacer.h"
#include "rtcp.h"
#include "supervision.h"

typedef struct PspSender PspSender;

typedef struct
{
  const PspControllerClass *controller;
  PspLimits limits;
  bool pairs;                   /* slots under 100 µs carry two packets: the
                                   system cannot wake more often */
  uint32_t random_seed;
  const char *cname;            /* copied; for SDES */
} PspSenderConfig;

/* What GstCongestion carries. */
typedef struct
{
  PspReason reason;
  int64_t target_bitrate;       /* or PSP_BITRATE_UNKNOWN */
  int scale;
  int64_t rtt;                  /* smoothed, or PSP_TIME_UNKNOWN */
  double loss;                  /* of the last round trip; −1 = unknown */
  int64_t spacing;              /* period in force; PSP_TIME_UNKNOWN = none */
} PspNotice;

typedef struct
{
  uint64_t packets_sent, bytes_sent, payload_bytes_sent;
  /* lost: decided so; recovered: of these, decided otherwise later */
  uint64_t packets_acked, packets_lost, packets_recovered, packets_ce;
  uint64_t feedback_received;   /* valid CCFB */
  uint64_t feedback_bytes;      /* valid RTCP payload */
  uint64_t feedback_malformed, feedback_unknown_ssrc, feedback_never_sent;
  int64_t rtt, rtt_min, rtt_var;        /* or PSP_TIME_UNKNOWN */
  double loss;                  /* of the last round trip; −1 = unknown */
  int64_t in_flight;            /* packets */
  int64_t period, window, target_bitrate;       /* in force */
  int64_t delivered_bitrate;    /* payload acknowledged over the last second,
                                   or PSP_BITRATE_UNKNOWN */
  PspLinkState link;
  double gap_mean, gap_deviation;       /* ns, while backlogged */
  int64_t gap_p99;              /* ns */
} PspSenderStats;

/* NULL when out of memory. */
PspSender *psp_sender_new (const PspSenderConfig * config, int64_t now);
void psp_sender_free (PspSender * s);

/* While running. A new controller starts from its beginning; packets in flight
 * are forgotten, and a notice RESET is due. False, and nothing changed, when
 * out of memory. */
bool psp_sender_set_controller (PspSender * s, const PspControllerClass * klass,
    int64_t now);
const PspControllerClass *psp_sender_controller (const PspSender * s);
void psp_sender_set_limits (PspSender * s, const PspLimits * limits,
    int64_t now);
void psp_sender_set_pairs (PspSender * s, bool pairs);
/* RTP clock, Hz, for the time stamps in SR; 0 = unknown: that of the last
 * packet is told. */
void psp_sender_set_clock_rate (PspSender * s, uint32_t clock_rate);
/* The network changed (reset-controller, new destination). */
void psp_sender_reset (PspSender * s, int64_t now);
/* Until now the application had paused: what has not been answered meanwhile
 * is no silence. */
void psp_sender_resume (PspSender * s, int64_t now);

/* For packets that wait: how many may leave now, at most `max`; 0 = wait until
 * *next_at (PSP_TIME_NEVER: until feedback or a tick opens the window). To ask
 * with an empty queue is to say that there is something to send. */
unsigned psp_sender_allowance (PspSender * s, int64_t now, unsigned max,
    int64_t * next_at);
/* A packet is handed to the network now. media_time: what its RTP timestamp
 * stands for on the pipeline's time line, ns, for SR; PSP_TIME_UNKNOWN: now, as
 * if it had not waited. backlog: more are waiting behind it.
 * The first packet after an empty queue that could have left earlier is
 * app-limited: the caller says when the queue last was empty by calling this
 * with backlog = false. */
void psp_sender_sent (PspSender * s, const PspRtpHeader * header,
    int64_t media_time, int64_t now, bool backlog);

/* Link supervision: true while media may leave at all (not STOPPED, or the
 * probe of this second is due). Media that waits meanwhile is the caller's to
 * drop. */
bool psp_sender_media_allowed (const PspSender * s, int64_t now);
/* All that may leave is a probe a second. */
bool psp_sender_is_stopped (const PspSender * s);

/* An RTCP datagram from the receiver's address. *bye_seen is set where it
 * holds a BYE. Counts malformed and hostile feedback itself. */
void psp_sender_rtcp (PspSender * s, const uint8_t * data, size_t size,
    int64_t now, bool * bye_seen);

/* Timers: call psp_sender_tick at or after psp_sender_next_tick, then take the
 * notice and pack the RTCP that may be due. */
int64_t psp_sender_next_tick (const PspSender * s, int64_t now);
void psp_sender_tick (PspSender * s, int64_t now);

/* Takes what the pipeline is to be told, if something is due: at most one a
 * round trip and a 20 ms, decreases of over 5 % at once. */
bool psp_sender_take_notice (PspSender * s, int64_t now, PspNotice * notice);
/* The last notice's content as of now, due or not. */
void psp_sender_notice (const PspSender * s, PspNotice * notice);

/* Regular compound SR + SDES if due (or with BYE when `bye`): bytes written,
 * 0 = nothing due. Call again until 0: many streams may need several
 * datagrams. ntp: wall clock, 32.32; media_now: the pipeline's time then, or
 * PSP_TIME_UNKNOWN. */
size_t psp_sender_pack_rtcp (PspSender * s, int64_t now, uint64_t ntp,
    int64_t media_now, bool bye, uint8_t * data, size_t capacity);

void psp_sender_stats (const PspSender * s, int64_t now,
    PspSenderStats * stats);

#endif
