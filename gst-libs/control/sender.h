/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The sending half of a session: history, controller and pacer together,
 * supervision of silence, and the notices for the pipeline.
 *
 * Whatever the feedback says, no more than max_bitrate × T of payload and one
 * slot's packets leave in any time T, if the caller is punctual. After the
 * caller was late, the pacer's catching up is added (pacer.h). min_bitrate may
 * always be sent until the link is STOPPED.
 */
#ifndef CONTROL_SENDER_H
#define CONTROL_SENDER_H

#include <control/controller.h>
#include <control/ecnpath.h>
#include <control/history.h>
#include <control/pacer.h>
#include <control/supervision.h>

typedef struct PspSender PspSender;

typedef struct
{
  const PspControllerClass *controller;
  /* the controller's own parameters, copied; NULL = defaults */
  const double *parameters;
  PspLimits limits;
  /* Slots under 100 µs carry two packets, because the system cannot wake more
   * often. */
  bool pairs;
  /* copied; NULL = psp_feedback_timing_default */
  const PspFeedbackTiming *timing;
} PspSenderConfig;

/* The content of a GstCongestion event. */
typedef struct
{
  PspReason reason;
  int64_t target_bitrate;       /* or PSP_BITRATE_UNKNOWN */
  int scale;
  int64_t rtt;                  /* smoothed, or PSP_TIME_UNKNOWN */
  /* share lost in the last round trip; −1 = unknown */
  double loss;
  /* ns, the period in force; PSP_TIME_UNKNOWN = none */
  int64_t spacing;
} PspNotice;

typedef struct
{
  uint64_t packets_sent, bytes_sent, payload_bytes_sent;
  /* `lost` counts packets that were decided lost; `recovered` counts those of
   * them that arrived after all. */
  uint64_t packets_acked, packets_lost, packets_recovered, packets_ce;
  uint64_t feedback_received;   /* accepted */
  uint64_t feedback_unknown_series, feedback_never_sent;
  uint64_t packets_ect;         /* sent ECN-capable */
  PspEcnVerdict ecn;
  int64_t rtt, rtt_min, rtt_var;        /* or PSP_TIME_UNKNOWN */
  /* share lost in the last round trip; −1 = unknown */
  double loss;
  int64_t in_flight;            /* packets */
  int64_t period, window, target_bitrate;       /* in force */
  /* payload acknowledged over the last second, or PSP_BITRATE_UNKNOWN */
  int64_t delivered_bitrate;
  PspLinkState link;
  double gap_mean, gap_deviation;       /* ns, while backlogged */
  int64_t gap_p99;              /* ns */
} PspSenderStats;

/* Returns NULL if memory runs out. */
PspSender *psp_sender_new (const PspSenderConfig * config, int64_t now);
void psp_sender_free (PspSender * s);

/* Returns the start bitrate for another controller: the target in force, with
 * what is reserved, but at most the delivered rate, start_bitrate or
 * unproved_bitrate, whichever is highest. Without a target it is the delivered
 * rate, if that is known, and in silence start_bitrate. */
int64_t psp_sender_bitrate_in_use (const PspSender * s, int64_t now);
/* Changes the controller while the session runs. The new controller starts from
 * its initial state at start_bitrate (0 = its own start) with these parameters
 * of its own (NULL = defaults). Packets in flight are forgotten, and a notice
 * RESET becomes due. Returns false and changes nothing if memory runs out. */
bool psp_sender_set_controller (PspSender * s, const PspControllerClass * klass,
    const double *parameters, int64_t start_bitrate, int64_t now);
const PspControllerClass *psp_sender_controller (const PspSender * s);
void psp_sender_set_limits (PspSender * s, const PspLimits * limits,
    int64_t now);
/* Sets the parameters of the present controller. */
void psp_sender_set_parameters (PspSender * s, const double *parameters,
    int64_t now);
void psp_sender_set_pairs (PspSender * s, bool pairs);
/* Sets when feedback is expected, for a receiver that has turned out to report
 * in another manner. The timing is copied. */
void psp_sender_set_timing (PspSender * s, const PspFeedbackTiming * timing,
    int64_t now);
/* Asks for ECN: PSP_ECN_ECT0 or PSP_ECN_ECT1, PSP_ECN_NOT_ECT = off, the
 * initial state. The path is verified anew. Where the controller is not
 * scalable, ECT(1) becomes ECT(0); where it answers no marks, Not-ECT. */
void psp_sender_set_ecn (PspSender * s, PspEcn ecn, int64_t now);
/* Other than media takes so many bits/s of the target: repairs, redundancy.
 * Notices tell what is left. At least a quarter is always left, because this
 * was measured before the target fell. */
void psp_sender_set_reserved (PspSender * s, int64_t bitrate, int64_t now);
/* The network changed (reset-controller, new destination). */
void psp_sender_reset (PspSender * s, int64_t now);
/* A receiver is gone: nothing more is known of what is under way to it. */
void psp_sender_forget_receiver (PspSender * s, unsigned receiver,
    int64_t now);
/* The application was paused until now: unanswered packets of that time are not
 * counted as silence. */
void psp_sender_resume (PspSender * s, int64_t now);

/* Returns how many packets may leave now, at most `max`. 0 = wait until
 * *next_at (PSP_TIME_NEVER: until feedback or a tick opens the window). */
unsigned psp_sender_allowance (const PspSender * s, int64_t now, unsigned max,
    int64_t * next_at);
/* Returns when the next packet may leave by the pace if nothing but the
 * window holds it, PSP_TIME_NEVER otherwise. A receiver that reports only
 * at the end of a picture cannot open the window before the picture has
 * left. */
int64_t psp_sender_slot (const PspSender * s, int64_t now);
/* A packet waits for the time that psp_sender_allowance returned: the
 * application does not hold it back. */
void psp_sender_wait (PspSender * s);
/* With what the next packet must leave. */
PspEcn psp_sender_ecn (const PspSender * s);
PspEcnVerdict psp_sender_ecn_verdict (const PspSender * s);
/* A packet is handed to the network now; returns its index. `backlog`
 * packets wait behind it. The first packet after an empty queue is
 * app-limited if it could have left earlier: the caller reports the empty
 * queue by a call with backlog = 0. */
int64_t psp_sender_sent (PspSender * s, const PspPacket * packet, int64_t now,
    unsigned backlog);
/* Names a packet that was sent without a key. */
void psp_sender_bind (PspSender * s, int64_t index, const PspKey * key);
/* Grows the memory with the rate; nothing else does. Call it at least each 64
 * packets. If memory runs out it returns false, and old packets are forgotten
 * earlier than otherwise. */
bool psp_sender_make_room (PspSender * s, int64_t now);

/* Link supervision: true if media may leave (the link is not STOPPED, or a
 * probe is due). Otherwise the caller drops the media that waits. */
bool psp_sender_media_allowed (const PspSender * s, int64_t now);
/* True if only a probe may leave from time to time. */
bool psp_sender_is_stopped (const PspSender * s);
/* Returns how many packets were paced but are not accounted for, as more than
 * PSP_MAX_SERIES series leave at a time. */
uint64_t psp_sender_overlooked (const PspSender * s);

/* Returns when the packet that this key names left, or PSP_TIME_UNKNOWN. */
int64_t psp_sender_sent_at (const PspSender * s, const PspKey * key);
/* Takes a report from the receiver. A refused report only increments a
 * counter. */
PspFeedbackResult psp_sender_acknowledge (PspSender * s,
    const PspFeedback * feedback, int64_t now);

/* ns; time between two calls of psp_sender_tick that lets packets leave in
 * between. It is far below every timer's interval. */
#define PSP_SENDER_MIN_TICK_INTERVAL (50 * PSP_USECOND)

/* Timers: call psp_sender_tick at or after psp_sender_next_tick, then take the
 * notice that may be due. */
int64_t psp_sender_next_tick (const PspSender * s, int64_t now);
void psp_sender_tick (PspSender * s, int64_t now);

/* Takes the notice that is due, if any: at most one per round trip and per 20
 * ms, decreases of over 5 % at once. */
bool psp_sender_take_notice (PspSender * s, int64_t now, PspNotice * notice);
/* Returns the bits/s of payload at which packets that wait leave now;
 * PSP_BITRATE_UNKNOWN = no schedule holds them, or media is stopped. */
int64_t psp_sender_pace (const PspSender * s);
/* Returns the content of a notice as of now, due or not. */
void psp_sender_notice (const PspSender * s, PspNotice * notice);

void psp_sender_stats (const PspSender * s, int64_t now,
    PspSenderStats * stats);

/* The observer sees the calls of a session with one receiver that change the
 * sender, and each query whose answer the caller acts on, with its answer
 * (call.h). What grows the memory or forgets one of several receivers is not
 * recorded. The first call that it sees describes the sender as it is now, as
 * if it were new. NULL = no observer, the initial state. */
typedef struct PspCall PspCall;
typedef void (*PspSenderObserver) (void *data, const PspCall * call);
void psp_sender_observe (PspSender * s, PspSenderObserver observer, void *data,
    int64_t now);

#endif
