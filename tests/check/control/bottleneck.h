/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A controller in a closed loop, in virtual time: one source, a sender that
 * obeys the decision's window and period, one drop-tail queue, a receiver that
 * reports as psp_receiver does (8 packets, 25 ms or a gap), and reports that
 * may get lost. As little as shows a controller's behaviour; tests/link has
 * the full model.
 */
#ifndef TESTS_PSP_CORE_BOTTLENECK_H
#define TESTS_PSP_CORE_BOTTLENECK_H

#include <stdlib.h>
#include <string.h>

#include <control/controller.h>

#define BN_MAX_PACKETS (1 << 20)
#define BN_MAX_QUEUE 4096
#define BN_LOSS_THRESHOLD 3
#define BN_ATO (PSP_SECOND / 1024)      /* RFC 8888's step */

typedef struct
{
  int64_t at, rate;             /* bits/s from then on */
} BnStep;

typedef struct
{
  const char *controller;
  const PspControllerClass *klass;      /* one that is not in the table */
  PspLimits limits;
  const double *parameters;     /* the controller's own; NULL = defaults */
  BnStep steps[8];              /* the first at 0; rate 0 ends the list */
  int64_t delay;                /* one way */
  int queue;                    /* packets, beside the one on the link */
  int payload, overhead;        /* bytes: of a full packet, and around it */
  int report_packets;
  int64_t report_interval;
  double report_loss;           /* fraction */
  double fps;                   /* frames that follow the target; 0 = there is
                                   always something to send */
  double noise;                 /* ± of a frame's size */
  int slices;                   /* a frame is packed as rtph264pay does: an
                                   access unit delimiter, then so many slices,
                                   each ending in a packet of its own; 0 =
                                   only full packets and a rest */
  int key_interval;             /* frames; these are thrice as large; 0 = none */
  double used;                  /* of the target by the encoder; 0 = all */
  int64_t vbv;                  /* ns of the target that frames may run ahead;
                                   0 = unbounded */
  int64_t start_bitrate, max_bitrate;   /* of the source */
  uint32_t seed;
  int64_t longer_at, longer_by; /* the way there takes so much longer then */
  /* so many reports from then on have packets arrive as soon as they left, but
   * for the least round trip there is */
  int64_t forged_at;
  int n_forged;
} BnConfig;

typedef struct
{
  int64_t sent_at, arrived_at;  /* NEVER = not yet or dropped */
  int payload;
  uint8_t outcome;              /* 0 = undecided, 1 + PspOutcome */
  bool app_limited;
} BnPacket;

/* What is waiting in the queue, on the way to the receiver, or as a report on
 * the way back: plain rings. */
typedef struct
{
  int64_t at, index, stamp;
} BnItem;

typedef struct
{
  BnItem items[BN_MAX_QUEUE];
  unsigned head, n;
} BnRing;

typedef struct
{
  BnConfig config;
  PspController *controller;
  PspDecision decision;
  int64_t now;
  BnPacket *packets;
  int64_t n_sent, first_undecided, newest, in_flight;
  BnRing queue, line, reports;
  int64_t link_free;            /* when the packet on the link has left it */
  bool link_busy;
  /* receiver */
  int64_t received_next;        /* index after the highest arrived */
  int unreported;
  int64_t oldest_unreported;
  /* source and pacer */
  BnItem *frame_packets;        /* at = enqueued, index = payload */
  int64_t frame_head, n_frame_packets;
  int64_t next_frame, target_seen, next_slot;
  int64_t n_frames;
  double vbv_fill;              /* bytes ahead of the target */
  bool waited;                  /* the packet waiting could not leave at once */
  uint32_t random;
  /* totals since the last bn_mark() */
  int64_t mark, delivered, lost, sent, queue_peak;      /* packets, bits */
  int64_t delivered_payload_bits, delivered_bits, queued_peak;
  double delay_sum;             /* queueing at the link, ns */
} Bn;

static inline double
bn_random (Bn * b)
{
  b->random = b->random * 1664525u + 1013904223u;
  return b->random / 4294967296.0;
}

static inline void
bn_push (BnRing * r, int64_t at, int64_t index, int64_t stamp)
{
  BnItem *i = &r->items[(r->head + r->n) % BN_MAX_QUEUE];

  g_assert (r->n < BN_MAX_QUEUE);
  r->n++;
  i->at = at;
  i->index = index;
  i->stamp = stamp;
}

static inline const BnItem *
bn_peek (const BnRing * r)
{
  return r->n ? &r->items[r->head] : NULL;
}

static inline void
bn_pop (BnRing * r)
{
  r->head = (r->head + 1) % BN_MAX_QUEUE;
  r->n--;
}

static inline void
bn_mark (Bn * b)
{
  b->mark = b->now;
  b->delivered = b->lost = b->sent = b->queue_peak = 0;
  b->delivered_payload_bits = b->delivered_bits = b->queued_peak = 0;
  b->delay_sum = 0;
}

static inline Bn *
bn_new (const BnConfig * config)
{
  Bn *b = calloc (1, sizeof (Bn));

  b->config = *config;
  b->packets = calloc (BN_MAX_PACKETS, sizeof (BnPacket));
  b->frame_packets = calloc (BN_MAX_PACKETS, sizeof (BnItem));
  b->newest = -1;
  b->random = config->seed * 2654435761u + 12345;
  b->controller = psp_controller_new (config->klass ? config->klass :
      psp_controller_find (config->controller), &config->limits,
      config->parameters, 0, &b->decision);
  b->target_seen = config->start_bitrate;
  return b;
}

static inline void
bn_free (Bn * b)
{
  psp_controller_free (b->controller);
  free (b->packets);
  free (b->frame_packets);
  free (b);
}

static inline int64_t
bn_rate (const Bn * b)
{
  int64_t rate = b->config.steps[0].rate;
  unsigned i;

  for (i = 1; i < 8 && b->config.steps[i].rate; i++)
    if (b->config.steps[i].at <= b->now)
      rate = b->config.steps[i].rate;
  return rate;
}

static inline void
bn_pack (Bn * b, double bytes)
{
  while (bytes >= 1) {
    int n = bytes > b->config.payload ? b->config.payload : (int) bytes;

    g_assert (b->n_frame_packets < BN_MAX_PACKETS);
    b->frame_packets[b->n_frame_packets].at = b->now;
    b->frame_packets[b->n_frame_packets++].index = n;
    bytes -= n;
  }
}

static inline double
bn_frame_bytes (Bn * b)
{
  const BnConfig *c = &b->config;
  double mean = b->target_seen / 8.0 / c->fps, bytes;

  bytes = mean * (c->used > 0 ? c->used : 1)
      * (1 + c->noise * (2 * bn_random (b) - 1));
  if (c->key_interval > 0)
    bytes *= (b->n_frames % c->key_interval ? 1 : 3)
        / (1 + 2.0 / c->key_interval);
  b->n_frames++;
  if (c->vbv > 0) {
    b->vbv_fill = MAX (b->vbv_fill - mean, 0);
    bytes = MIN (bytes, MAX (b->target_seen / 8e9 * c->vbv - b->vbv_fill, 50));
    b->vbv_fill += bytes;
  }
  return bytes;
}

/* The encoder works on the target it saw one frame ago. */
static inline void
bn_frame (Bn * b)
{
  const BnConfig *c = &b->config;
  double bytes = bn_frame_bytes (b);
  int i;

  if (c->slices > 0)
    bn_pack (b, 2);
  for (i = 0; i < c->slices; i++)
    bn_pack (b, bytes / c->slices);
  if (c->slices == 0)
    bn_pack (b, bytes);
  if (b->decision.target_bitrate != PSP_BITRATE_UNKNOWN)
    b->target_seen = b->decision.target_bitrate;
  if (c->max_bitrate && b->target_seen > c->max_bitrate)
    b->target_seen = c->max_bitrate;
  b->next_frame += (int64_t) (PSP_SECOND / c->fps);
}

static inline bool
bn_waiting (const Bn * b)
{
  return b->config.fps <= 0 || b->frame_head < b->n_frame_packets;
}

static inline bool
bn_window_open (const Bn * b)
{
  return b->decision.window == PSP_WINDOW_NONE
      || b->in_flight < b->decision.window;
}

static inline int64_t
bn_slot (const Bn * b, uint32_t size)
{
  const PspDecision *d = &b->decision;

  if (d->longest_slot <= 0)
    return d->period;
  return (int64_t) MIN ((double) d->period * size / b->controller->mean_size,
      (double) MAX (d->period, d->longest_slot));
}

static inline void
bn_send (Bn * b)
{
  BnPacket *p = &b->packets[b->n_sent];
  int64_t slot = b->next_slot > b->now - b->decision.period ?
      b->next_slot : b->now;
  double gain = 1.0 / (b->n_sent < 16 ? b->n_sent + 1 : 16);
  PspSent sent = { 0 };

  g_assert (b->n_sent < BN_MAX_PACKETS);
  p->payload = b->config.payload;
  p->app_limited = false;
  if (b->config.fps > 0) {
    const BnItem *f = &b->frame_packets[b->frame_head++];

    p->payload = (int) f->index;
    p->app_limited = !b->waited;
    if (b->now - f->at > b->queued_peak)
      b->queued_peak = b->now - f->at;
  }
  /* Those behind it wait, if only for it. */
  b->waited = bn_waiting (b);
  p->sent_at = b->now;
  p->arrived_at = PSP_TIME_NEVER;
  b->in_flight++;
  b->sent++;
  b->controller->mean_payload +=
      gain * (p->payload - b->controller->mean_payload);
  b->controller->mean_size +=
      gain * (p->payload + 12 - b->controller->mean_size);
  if ((int) b->queue.n >= b->config.queue + 0)
    b->lost++;
  else
    bn_push (&b->queue, b->now, b->n_sent, 0);
  if ((int64_t) b->queue.n > b->queue_peak)
    b->queue_peak = b->queue.n;
  sent.now = b->now;
  sent.index = b->n_sent++;
  sent.size = (uint32_t) p->payload + 12;
  sent.in_flight = b->in_flight;
  sent.app_limited = p->app_limited;
  psp_controller_sent (b->controller, &sent, &b->decision);
  b->next_slot = slot + bn_slot (b, sent.size);
}

static inline void
bn_report_out (Bn * b)
{
  if (bn_random (b) >= b->config.report_loss)
    bn_push (&b->reports, b->now + b->config.delay, b->received_next, b->now);
  b->unreported = 0;
  b->oldest_unreported = PSP_TIME_NEVER;
}

static inline void
bn_arrive (Bn * b, int64_t index)
{
  BnPacket *p = &b->packets[index];
  bool gap = index != b->received_next;

  p->arrived_at = b->now;
  b->delivered++;
  b->delivered_payload_bits += 8 * p->payload;
  b->delivered_bits += 8 * (p->payload + b->config.overhead);
  b->received_next = index + 1;
  if (b->unreported++ == 0)
    b->oldest_unreported = b->now;
  if (gap || b->unreported >= b->config.report_packets)
    bn_report_out (b);
}

static inline void
bn_decide (Bn * b, PspPacketResult * r, int64_t index, PspOutcome outcome)
{
  BnPacket *p = &b->packets[index];

  p->outcome = (uint8_t) (1 + outcome);
  if (outcome != PSP_OUTCOME_RECOVERED)
    b->in_flight--;
  r->index = index;
  r->sent_at = p->sent_at;
  /* A receiver's clock has a time line of its own. */
  r->arrived_at = outcome != PSP_OUTCOME_LOST ?
      p->arrived_at / BN_ATO * BN_ATO + 12345 * PSP_SECOND : PSP_TIME_UNKNOWN;
  r->size = (uint32_t) p->payload + 12;
  r->outcome = (uint8_t) outcome;
  r->ecn = PSP_ECN_NOT_ECT;
  r->app_limited = p->app_limited;
}

/* The report's times become those of a path without length. */
static inline void
bn_forge (Bn * b, PspReport * report, PspPacketResult * results)
{
  size_t i;

  if (b->config.n_forged == 0 || b->now < b->config.forged_at
      || report->rtt_sample == PSP_TIME_UNKNOWN)
    return;
  b->config.n_forged--;
  for (i = 0; i < report->n_results; i++)
    if (results[i].arrived_at != PSP_TIME_UNKNOWN)
      results[i].arrived_at -= report->rtt_sample - PSP_MSECOND;
  report->rtt_sample = PSP_MSECOND;
}

static inline void
bn_deliver_report (Bn * b, PspReport * report, PspPacketResult * results)
{
  while (b->first_undecided < b->n_sent
      && b->packets[b->first_undecided].outcome)
    b->first_undecided++;
  report->now = b->now;
  report->in_flight = b->in_flight;
  report->oldest_in_flight_at = b->in_flight ?
      b->packets[b->first_undecided].sent_at : PSP_TIME_NEVER;
  report->newest_index = b->newest;
  report->results = results;
  report->n_results =
      report->n_received + report->n_lost + report->n_recovered;
  bn_forge (b, report, results);
  psp_controller_feedback (b->controller, report, &b->decision);
}

/* What a report that ends at `item` says of packet i; false: nothing new. */
static inline bool
bn_verdict (const Bn * b, const BnItem * item, int64_t i, PspOutcome * outcome)
{
  const BnPacket *p = &b->packets[i];
  int64_t later = 0, k;

  if (p->arrived_at <= item->stamp) {
    *outcome = p->outcome ? PSP_OUTCOME_RECOVERED : PSP_OUTCOME_RECEIVED;
    return p->outcome == 0 || p->outcome == 1 + PSP_OUTCOME_LOST;
  }
  for (k = i + 1; k < item->index && later < BN_LOSS_THRESHOLD; k++)
    later += b->packets[k].arrived_at <= item->stamp;
  *outcome = PSP_OUTCOME_LOST;
  return p->outcome == 0 && later == BN_LOSS_THRESHOLD;
}

/* Reports overlap: each covers the last 64 packets and all undecided. */
static inline void
bn_report_in (Bn * b, const BnItem * item)
{
  static PspPacketResult results[1 << 16];
  PspReport report = { 0 };
  const BnPacket *newest = &b->packets[item->index - 1];
  int64_t i = MAX (0, MIN (b->first_undecided, item->index - 64));
  PspOutcome outcome;

  report.rtt_sample = PSP_TIME_UNKNOWN;
  if (item->index - 1 > b->newest) {
    report.rtt_sample = b->now - newest->sent_at
        - (item->stamp - newest->arrived_at) / BN_ATO * BN_ATO;
    if (report.rtt_sample < PSP_MSECOND)
      report.rtt_sample = PSP_MSECOND;
    b->newest = item->index - 1;
  }
  for (; i < item->index; i++) {
    if (!bn_verdict (b, item, i, &outcome))
      continue;
    bn_decide (b, &results[report.n_results++], i, outcome);
    report.n_received += outcome == PSP_OUTCOME_RECEIVED;
    report.n_lost += outcome == PSP_OUTCOME_LOST;
    report.n_recovered += outcome == PSP_OUTCOME_RECOVERED;
  }
  bn_deliver_report (b, &report, results);
}

static inline int64_t
bn_expiry (const Bn * b)
{
  int64_t i, age = b->decision.loss_timeout;

  for (i = b->first_undecided; i < b->n_sent; i++)
    if (!b->packets[i].outcome)
      return b->packets[i].sent_at + (age ? age : PSP_SECOND);
  return PSP_TIME_NEVER;
}

static inline void
bn_expire (Bn * b)
{
  static PspPacketResult results[1 << 16];
  PspReport report = { 0 };

  while (bn_expiry (b) <= b->now) {
    while (b->packets[b->first_undecided].outcome)
      b->first_undecided++;
    bn_decide (b, &results[report.n_lost++], b->first_undecided,
        PSP_OUTCOME_LOST);
  }
  report.timeout = true;
  report.rtt_sample = PSP_TIME_UNKNOWN;
  bn_deliver_report (b, &report, results);
}

static inline void
bn_link (Bn * b)
{
  if (b->link_busy && b->link_free <= b->now) {
    int64_t delay = b->config.delay;

    if (b->config.longer_by > 0 && b->now >= b->config.longer_at)
      delay += b->config.longer_by;
    bn_push (&b->line, b->now + delay, b->queue.items[b->queue.head].index, 0);
    bn_pop (&b->queue);
    b->link_busy = false;
  }
  if (!b->link_busy && b->queue.n) {
    const BnItem *i = bn_peek (&b->queue);
    int64_t bits =
        8 * (b->packets[i->index].payload + (int64_t) b->config.overhead);

    b->delay_sum += (double) (b->now - i->at);
    b->link_busy = true;
    b->link_free = b->now + bits * PSP_SECOND / bn_rate (b);
  }
}

static inline int64_t
bn_next (const Bn * b)
{
  int64_t next = PSP_TIME_NEVER, t;

#define BN_EARLIER(value) if ((t = (value)) < next) next = t
  if (bn_waiting (b) && bn_window_open (b))
    BN_EARLIER (b->next_slot > b->now ? b->next_slot : b->now);
  if (b->config.fps > 0)
    BN_EARLIER (b->next_frame);
  if (b->link_busy)
    BN_EARLIER (b->link_free);
  if (b->line.n)
    BN_EARLIER (bn_peek (&b->line)->at);
  if (b->unreported)
    BN_EARLIER (b->oldest_unreported + b->config.report_interval);
  if (b->reports.n)
    BN_EARLIER (bn_peek (&b->reports)->at);
  BN_EARLIER (bn_expiry (b));
  BN_EARLIER (b->decision.next_tick);
#undef BN_EARLIER
  return next;
}

static inline void
bn_run (Bn * b, int64_t until)
{
  int64_t next;

  while ((next = bn_next (b)) <= until) {
    if (next > b->now)
      b->now = next;
    while (b->line.n && bn_peek (&b->line)->at <= b->now) {
      int64_t index = bn_peek (&b->line)->index;

      bn_pop (&b->line);
      bn_arrive (b, index);
    }
    if (b->unreported
        && b->oldest_unreported + b->config.report_interval <= b->now)
      bn_report_out (b);
    while (b->reports.n && bn_peek (&b->reports)->at <= b->now) {
      BnItem item = *bn_peek (&b->reports);

      bn_pop (&b->reports);
      bn_report_in (b, &item);
    }
    if (bn_expiry (b) <= b->now)
      bn_expire (b);
    if (b->decision.next_tick <= b->now)
      psp_controller_tick (b->controller, b->now, &b->decision);
    if (b->config.fps > 0 && b->next_frame <= b->now) {
      bool idle = !bn_waiting (b);

      bn_frame (b);
      if (idle)
        b->waited = !(bn_window_open (b) && b->next_slot <= b->now);
    }
    if (bn_waiting (b) && bn_window_open (b) && b->next_slot <= b->now)
      bn_send (b);
    bn_link (b);
  }
  b->now = until;
}

/* Since the last bn_mark(). */
static inline double
bn_goodput (const Bn * b)
{
  return b->delivered_payload_bits * 1e9 / (double) (b->now - b->mark);
}

/* What the link delivered, headers included. */
static inline double
bn_throughput (const Bn * b)
{
  return b->delivered_bits * 1e9 / (double) (b->now - b->mark);
}

static inline double
bn_loss (const Bn * b)
{
  return b->sent ? (double) b->lost / (double) b->sent : 0;
}

/* Mean time in the queue before the link, ns. */
static inline double
bn_queue_delay (const Bn * b)
{
  return b->delivered ? b->delay_sum / (double) b->delivered : 0;
}

#endif
