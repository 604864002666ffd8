/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Flows that share a bottleneck, in virtual time: each is a whole session (the
 * sender and the receiver of the core, with their RTCP) behind an access link
 * of its own; the bottleneck is the model of tests/link. The papers' topology:
 *
 *   sender -> access link -> [queue] bottleneck -> receiver
 *
 * Senders always have packets waiting. Wake-ups are late by up to a tenth of
 * the period, as the phases of drop-tail queues decide too much otherwise.
 */
#ifndef TESTS_PSP_CORE_SHARING_H
#define TESTS_PSP_CORE_SHARING_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include <control/sender.h>
#include <rtpfeedback/receiver.h>
#include <rtpfeedback/rtcpfeedback.h>
#include "spec.h"

#define SHARING_MAX_FLOWS 16
#define SHARING_MAX_SECONDS 1024
#define SHARING_RING 65536      /* packets on an access link: a power of two */
#define SHARING_REPORTS 512
#define SHARING_REPORT_SIZE 1200
#define SHARING_HEADER 12
#define SHARING_UDP_IP 28

typedef struct
{
  const char *controller;
  unsigned n_flows;
  const char *bottleneck;       /* LINK's specification, in bytes of IP */
  int64_t access_rate, access_delay;
  int access_queue;             /* packets */
  int64_t back_delay;           /* of reports */
  int64_t stagger;              /* from one flow's start to the next one's */
  uint32_t payload;             /* bytes of each RTP packet */
  uint32_t seed;
} SharingConfig;

typedef struct
{
  int64_t at;
  size_t size;
  uint8_t data[SHARING_REPORT_SIZE];
} SharingReport;

typedef struct
{
  PspSender *sender;
  PspRtcpFeedback feedback;
  PspReceiver *receiver;
  int64_t start, next;          /* when something happens next */
  int64_t send_at;              /* PSP_TIME_NEVER = until feedback or a tick */
  uint16_t seq;
  int64_t access_free;          /* when the access link will be idle */
  struct
  {
    int64_t at;
    uint16_t seq;
  } access[SHARING_RING];
  unsigned access_head, access_n;
  SharingReport reports[SHARING_REPORTS];
  unsigned report_head, report_n;
  uint64_t n_sent, n_dropped;   /* packets */
  int64_t bytes[SHARING_MAX_SECONDS];   /* of payload, delivered in each */
  uint64_t sent_in[SHARING_MAX_SECONDS], dropped_in[SHARING_MAX_SECONDS];
} SharingFlow;

typedef struct
{
  SharingConfig config;
  LinkConfig link_config;
  Link *link;
  int64_t now;
  uint64_t random;
  SharingFlow flows[SHARING_MAX_FLOWS];
} Sharing;

static inline double
sharing_random (Sharing * s)
{
  s->random = s->random * UINT64_C (6364136223846793005) + 1442695040888963407;
  return (double) (s->random >> 33) / 2147483648.0;
}

static inline uint64_t
sharing_ntp (int64_t now)
{
  uint64_t t = (uint64_t) now + UINT64_C (1000000) * PSP_SECOND;

  return (t / PSP_SECOND) << 32 | ((t % PSP_SECOND) << 32) / PSP_SECOND;
}

/* Those of the papers: PSP's decrease of the spacing is a constant. */
static inline void
sharing_parameters (const PspControllerClass * klass, double *values)
{
  int i = psp_parameter_find (klass->parameters, "relative-decrease");

  psp_parameter_defaults (klass->parameters, values);
  if (i >= 0)
    values[i] = 0;
}

/* NULL: the specification is wrong. */
static inline Sharing *
sharing_new (const SharingConfig * config)
{
  Sharing *s = calloc (1, sizeof (Sharing));
  char error[LINK_ERROR_SIZE];
  unsigned i;

  s->config = *config;
  s->random = config->seed * UINT64_C (0x9E3779B97F4A7C15) + 1;
  if (!link_spec_parse (config->bottleneck, &s->link_config, error)) {
    free (s);
    return NULL;
  }
  s->link_config.overhead = SHARING_UDP_IP;
  s->link = link_new (&s->link_config);
  for (i = 0; i < config->n_flows; i++) {
    SharingFlow *f = &s->flows[i];
    PspReceiverConfig receiver = {
      .ssrc = 0x1000 + i,
      .cname = "receiver",
      .feedback_interval = 25 * PSP_MSECOND,
      .max_rtcp_size = SHARING_REPORT_SIZE,
      .random_seed = config->seed + i
    };
    double parameters[PSP_MAX_PARAMETERS] = { 0 };
    PspSenderConfig sender = {
      .controller = psp_controller_find (config->controller),
      .parameters = parameters
    };

    sharing_parameters (sender.controller, parameters);
    f->start = i * config->stagger
        + (int64_t) (sharing_random (s) * 100 * PSP_MSECOND);
    f->sender = psp_sender_new (&sender, f->start);
    psp_rtcp_feedback_init (&f->feedback, SHARING_REPORT_SIZE);
    f->receiver = psp_receiver_new (&receiver);
    f->next = f->send_at = f->start;
  }
  return s;
}

static inline void
sharing_free (Sharing * s)
{
  unsigned i;

  for (i = 0; i < s->config.n_flows; i++) {
    psp_sender_free (s->flows[i].sender);
    psp_rtcp_feedback_clear (&s->flows[i].feedback);
    psp_receiver_free (s->flows[i].receiver);
  }
  link_free (s->link);
  free (s);
}

static inline void
sharing_drop (Sharing * s, SharingFlow * f)
{
  f->n_dropped++;
  f->dropped_in[s->now / PSP_SECOND]++;
}

static inline int64_t
sharing_packet_time (const Sharing * s)
{
  return (int64_t) (s->config.payload + SHARING_HEADER + SHARING_UDP_IP) * 8
      * PSP_SECOND / s->config.access_rate;
}

static inline void
sharing_access (Sharing * s, SharingFlow * f, uint16_t seq)
{
  unsigned at = (f->access_head + f->access_n) % SHARING_RING;

  if (f->access_n == SHARING_RING)
    abort ();
  if (f->access_free < s->now)
    f->access_free = s->now;
  f->access_free += sharing_packet_time (s);
  f->access[at].at = f->access_free + s->config.access_delay;
  f->access[at].seq = seq;
  f->access_n++;
}

static inline void
sharing_send (Sharing * s, SharingFlow * f)
{
  PspRtpHeader header = {
    .ssrc = 1,
    .size = s->config.payload + SHARING_HEADER,
    .payload_size = s->config.payload
  };
  int64_t room = f->access_free
      - s->config.access_queue * sharing_packet_time (s), next;
  PspSenderStats stats;
  PspPacket packet;

  /* A host waits for its own interface. */
  if (room > s->now) {
    f->send_at = room;
    return;
  }
  if (psp_sender_allowance (f->sender, s->now, 1, &next) > 0) {
    header.seq = f->seq++;
    psp_rtp_packet (&header, &packet);
    psp_sender_sent (f->sender, &packet, s->now, 1);
    psp_sender_make_room (f->sender, s->now);
    f->n_sent++;
    f->sent_in[s->now / PSP_SECOND]++;
    sharing_access (s, f, header.seq);
    psp_sender_allowance (f->sender, s->now, 1, &next);
  }
  if (next > s->now)
    psp_sender_wait (f->sender);
  psp_sender_stats (f->sender, s->now, &stats);
  f->send_at = next == PSP_TIME_NEVER ? next :
      next + (int64_t) (sharing_random (s) * 0.1 * (double) stats.period);
}

static inline void
sharing_report (Sharing * s, SharingFlow * f)
{
  uint8_t data[SHARING_REPORT_SIZE];
  size_t size;

  while ((size = psp_receiver_pack (f->receiver, s->now, sharing_ntp (s->now),
              data, sizeof data)) > 0) {
    SharingReport *r =
        &f->reports[(f->report_head + f->report_n) % SHARING_REPORTS];

    if (f->report_n == SHARING_REPORTS)
      abort ();
    f->report_n++;
    r->at = s->now + s->config.back_delay;
    r->size = size;
    memcpy (r->data, data, size);
  }
}

static inline void
sharing_follow_decision (Sharing * s, SharingFlow * f)
{
  SharingReport *r = &f->reports[f->report_head];
  PspNotice notice;
  bool bye;

  f->report_head = (f->report_head + 1) % SHARING_REPORTS;
  f->report_n--;
  psp_rtcp_feedback_receive (&f->feedback, f->sender, r->data, r->size, s->now,
      &bye);
  while (psp_sender_take_notice (f->sender, s->now, &notice));
  /* The window, or the schedule after silence, may have opened. */
  if (f->send_at == PSP_TIME_NEVER)
    f->send_at = s->now;
}

static inline void
sharing_tick (Sharing * s, SharingFlow * f)
{
  PspNotice notice;

  psp_sender_tick (f->sender, s->now);
  while (psp_sender_take_notice (f->sender, s->now, &notice));
  if (f->send_at == PSP_TIME_NEVER)
    f->send_at = s->now;
}

static inline void
sharing_offer (Sharing * s, unsigned flow)
{
  SharingFlow *f = &s->flows[flow];
  LinkPacket packet;

  memset (&packet, 0, sizeof packet);
  packet.handle = (void *) (uintptr_t) f->access[f->access_head].seq;
  packet.size = s->config.payload + SHARING_HEADER;
  packet.flow = flow;
  f->access_head = (f->access_head + 1) % SHARING_RING;
  f->access_n--;
  if (link_offer (s->link, s->now, &packet) != LINK_ACCEPTED)
    sharing_drop (s, f);
}

static inline void
sharing_arrive (Sharing * s, const LinkPacket * packet)
{
  SharingFlow *f = &s->flows[packet->flow];
  PspRtpHeader header = {
    .ssrc = 1,
    .seq = (uint16_t) (uintptr_t) packet->handle,
    .size = s->config.payload + SHARING_HEADER,
    .payload_size = s->config.payload
  };

  if (packet->verdict != LINK_DELIVERED) {
    sharing_drop (s, f);
    return;
  }
  f->bytes[s->now / PSP_SECOND] += s->config.payload;
  psp_receiver_packet (f->receiver, &header, 0, s->now);
}

static inline int64_t
sharing_flow_next (const Sharing * s, const SharingFlow * f)
{
  int64_t next = f->send_at, t;

#define SHARING_EARLIER(value) if ((t = (value)) < next) next = t
  SHARING_EARLIER (psp_sender_next_tick (f->sender, s->now));
  SHARING_EARLIER (psp_receiver_next (f->receiver, s->now));
  if (f->access_n)
    SHARING_EARLIER (f->access[f->access_head].at);
  if (f->report_n)
    SHARING_EARLIER (f->reports[f->report_head].at);
#undef SHARING_EARLIER
  return next;
}

static inline void
sharing_flow_run (Sharing * s, unsigned i)
{
  SharingFlow *f = &s->flows[i];

  while (f->access_n && f->access[f->access_head].at <= s->now)
    sharing_offer (s, i);
  sharing_report (s, f);
  while (f->report_n && f->reports[f->report_head].at <= s->now)
    sharing_follow_decision (s, f);
  if (psp_sender_next_tick (f->sender, s->now) <= s->now)
    sharing_tick (s, f);
  if (f->send_at <= s->now)
    sharing_send (s, f);
  f->next = sharing_flow_next (s, f);
  if (f->next < s->now)
    f->next = s->now;
}

static inline void
sharing_run (Sharing * s, int64_t until)
{
  LinkPacket packet;
  unsigned i;

  for (;;) {
    int64_t next = link_next (s->link);

    for (i = 0; i < s->config.n_flows; i++)
      if (s->flows[i].next < next)
        next = s->flows[i].next;
    if (next > until)
      break;
    s->now = next > s->now ? next : s->now;
    while (link_take (s->link, s->now, &packet)) {
      sharing_arrive (s, &packet);
      s->flows[packet.flow].next = s->now;
    }
    for (i = 0; i < s->config.n_flows; i++)
      if (s->flows[i].next <= s->now)
        sharing_flow_run (s, i);
  }
  s->now = until;
}

/* Figures, over whole seconds [from, to). */

static inline double
sharing_rate (const Sharing * s, unsigned flow, int from, int to)
{
  double bytes = 0;
  int i;

  for (i = from; i < to; i++)
    bytes += (double) s->flows[flow].bytes[i];
  return 8 * bytes / (to - from);
}

/* Jain, Chiu and Hawe 1984: 1 = all have the same, 1/n = one has all. */
static inline double
sharing_jain (const Sharing * s, int from, int to)
{
  double sum = 0, squares = 0, rate;
  unsigned i;

  for (i = 0; i < s->config.n_flows; i++) {
    rate = sharing_rate (s, i, from, to);
    sum += rate;
    squares += rate * rate;
  }
  return squares > 0 ? sum * sum / (s->config.n_flows * squares) : 0;
}

/* Of what the link carries, headers and all. */
static inline double
sharing_use (const Sharing * s, int64_t rate, int from, int to)
{
  double sum = 0;
  unsigned i;

  for (i = 0; i < s->config.n_flows; i++)
    sum += sharing_rate (s, i, from, to);
  return sum * (s->config.payload + SHARING_HEADER + SHARING_UDP_IP)
      / s->config.payload / (double) rate;
}

static inline double
sharing_loss (const Sharing * s, int from, int to)
{
  uint64_t sent = 0, dropped = 0;
  unsigned i;
  int k;

  for (i = 0; i < s->config.n_flows; i++)
    for (k = from; k < to; k++) {
      sent += s->flows[i].sent_in[k];
      dropped += s->flows[i].dropped_in[k];
    }
  return sent ? (double) dropped / (double) sent : 0;
}

/* Seconds from the last flow's start until `span` seconds begin whose Jain's
 * index is at least `index`; -1 = never up to `to`. */
static inline int
sharing_convergence (const Sharing * s, double index, int span, int to)
{
  int start = (int) (s->flows[s->config.n_flows - 1].start / PSP_SECOND) + 1;
  int i;

  for (i = start; i + span <= to; i++)
    if (sharing_jain (s, i, i + span) >= index)
      return i - start;
  return -1;
}

#endif
