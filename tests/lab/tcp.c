/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "tcp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PACKET 1500             /* bytes of IP */
#define ACK 52
#define DELAYED_ACK INT64_C (40000000)
#define MIN_RTO INT64_C (200000000)
#define MAX_FLIGHT 65536        /* a power of two */
#define CUBIC_C 0.4             /* RFC 9438 section 5.1 */
#define CUBIC_BETA 0.7
#define RENO_BETA 0.5

enum
{ PENDING, ACKED, LOST };

struct LabTcp
{
  LabCalendar *calendar;
  LabTcpConfig config;
  unsigned flow;
  LabDirection *forward, *back;
  LinkRandom random;
  LabTimer rto_timer, ack_timer, start_timer;
  /* the sender */
  double window, threshold;     /* segments */
  double w_max, k, w_est;
  int64_t epoch;                /* start of the cubic; −1 = none */
  uint64_t next, oldest, highest_acked, recovery;
  int64_t in_flight, left;      /* segments; left: of the file, −1 = no end */
  int64_t sent_at[MAX_FLIGHT];
  uint8_t state[MAX_FLIGHT];
  double srtt, rttvar, rtt_min, round_min;      /* ns */
  uint64_t round_end;
  unsigned round_samples;
  /* the receiver: numbers of segments not yet acknowledged */
  uint64_t unacked[2];
  unsigned n_unacked;
  LabDelivery *deliveries;
  size_t n, capacity;
};

static void
send_segments (LabTcp * t)
{
  while (t->in_flight < (int64_t) t->window && t->left != 0
      && t->next - t->oldest < MAX_FLIGHT - 1) {
    t->sent_at[t->next % MAX_FLIGHT] = t->calendar->now;
    t->state[t->next % MAX_FLIGHT] = PENDING;
    lab_direction_send (t->forward, lab_packet_new (t->flow,
            PACKET - LAB_HEADERS, t->next, NULL, 0));
    t->next++;
    t->in_flight++;
    if (t->left > 0)
      t->left--;
  }
  lab_timer_set (&t->rto_timer, t->in_flight == 0 ? LAB_NEVER :
      t->calendar->now + MIN_RTO + (int64_t) (t->srtt + 4 * t->rttvar));
}

static void
measure (LabTcp * t, double rtt)
{
  t->rttvar = t->srtt > 0 ? .75 * t->rttvar + .25 * fabs (rtt - t->srtt) :
      rtt / 2;
  t->srtt = t->srtt > 0 ? .875 * t->srtt + .125 * rtt : rtt;
  if (t->rtt_min == 0 || rtt < t->rtt_min)
    t->rtt_min = rtt;
  if (t->highest_acked >= t->round_end) {
    t->round_end = t->next;
    t->round_samples = 0;
    t->round_min = INFINITY;
  }
  t->round_min = fmin (t->round_min, rtt);
  /* RFC 9406 section 4.3 */
  if (++t->round_samples == 8 && t->window < t->threshold
      && t->round_min > t->rtt_min + fmin (fmax (t->rtt_min / 8, 4e6), 16e6))
    t->threshold = t->window;
}

static void
grow (LabTcp * t)
{
  double rtt = t->srtt / 1e9, at, target;

  if (t->window < t->threshold) {
    t->window += 1;
    return;
  }
  if (t->config.reno) {
    t->window += 1 / t->window;
    return;
  }
  if (t->epoch < 0) {
    t->epoch = t->calendar->now;
    t->w_max = fmax (t->w_max, t->window);
    t->k = cbrt ((t->w_max - t->window) / CUBIC_C);
    t->w_est = t->window;
  }
  at = (double) (t->calendar->now - t->epoch) / 1e9 + rtt;
  target = CUBIC_C * pow (at - t->k, 3) + t->w_max;
  t->w_est += 3 * (1 - CUBIC_BETA) / (1 + CUBIC_BETA) / t->window;
  target = fmax (fmin (target, 1.5 * t->window), t->window);
  t->window += (target - t->window) / t->window;
  t->window = fmax (t->window, t->w_est);
}

static void
back_off (LabTcp * t)
{
  double beta = t->config.reno ? RENO_BETA : CUBIC_BETA;

  t->w_max = t->window < t->w_max ? t->window * (1 + beta) / 2 : t->window;
  t->window = t->threshold = fmax (t->window * beta, 2);
  t->epoch = -1;
  t->recovery = t->next;
}

/* Lost: three later segments arrived. */
static void
find_losses (LabTcp * t)
{
  bool congestion = false;

  while (t->oldest < t->next) {
    uint8_t *state = &t->state[t->oldest % MAX_FLIGHT];

    if (*state == PENDING && t->oldest + 3 <= t->highest_acked) {
      *state = LOST;
      t->in_flight--;
      if (t->left >= 0)
        t->left++;
      congestion = congestion || t->oldest >= t->recovery;
    }
    if (*state == PENDING)
      break;
    t->oldest++;
  }
  if (congestion)
    back_off (t);
}

static void
on_ack (void *data, LabPacket * p)
{
  LabTcp *t = data;
  uint64_t segments[2];
  unsigned i;

  memcpy (segments, p->data, p->n);
  for (i = 0; i < p->n / sizeof segments[0]; i++) {
    uint64_t n = segments[i];

    if (n < t->oldest || t->state[n % MAX_FLIGHT] != PENDING)
      continue;
    t->state[n % MAX_FLIGHT] = ACKED;
    t->in_flight--;
    if (n > t->highest_acked)
      t->highest_acked = n;
    measure (t, (double) (t->calendar->now - t->sent_at[n % MAX_FLIGHT]));
    /* A window that is not used does not grow (RFC 9438 section 5.8). */
    if (n >= t->recovery && t->in_flight + 3 >= (int64_t) t->window)
      grow (t);
  }
  find_losses (t);
  send_segments (t);
}

static void begin (void *data, void *argument);

static void
on_rto (void *data, void *argument)
{
  LabTcp *t = data;

  (void) argument;
  if (t->left >= 0)
    t->left += t->in_flight;
  t->oldest = t->recovery = t->next;
  t->in_flight = 0;
  t->w_max = t->window;
  t->threshold = fmax (t->window / 2, 2);
  t->window = 1;
  t->epoch = -1;
  send_segments (t);
}

static void
send_ack (void *data, void *argument)
{
  LabTcp *t = data;

  (void) argument;
  if (t->n_unacked == 0)
    return;
  lab_direction_send (t->back, lab_packet_new (t->flow, ACK - LAB_HEADERS, 0,
          t->unacked, t->n_unacked * (unsigned) sizeof t->unacked[0]));
  t->n_unacked = 0;
  lab_timer_set (&t->ack_timer, LAB_NEVER);
}

static void
on_segment (void *data, LabPacket * p)
{
  LabTcp *t = data;

  if (t->n == t->capacity) {
    t->capacity = 2 * t->capacity + 1024;
    t->deliveries =
        realloc (t->deliveries, t->capacity * sizeof *t->deliveries);
  }
  t->deliveries[t->n].arrived_at = t->calendar->now;
  t->deliveries[t->n++].size = p->size + LAB_HEADERS;
  if (t->config.rate > 0)
    return;
  t->unacked[t->n_unacked++] = p->id;
  if (t->n_unacked == 2)
    send_ack (t, NULL);
  else
    lab_timer_set (&t->ack_timer, t->calendar->now + DELAYED_ACK);
}

static void
run_constant (LabTcp * t)
{
  lab_direction_send (t->forward, lab_packet_new (t->flow,
          1000 - LAB_HEADERS, 0, NULL, 0));
  lab_timer_set (&t->start_timer, t->calendar->now
      + 8000 * INT64_C (1000000000) / t->config.rate);
}

/* Starts a file as a new connection does. */
static void
begin_file (LabTcp * t, double bytes)
{
  t->left = (int64_t) (bytes / PACKET);
  t->window = 10;
  t->threshold = INFINITY;
  t->epoch = -1;
  t->w_max = 0;
}

/* The flow begins, or its next file. */
static void
begin (void *data, void *argument)
{
  LabTcp *t = data;
  int64_t now = t->calendar->now;

  (void) argument;
  if (t->config.stop > 0 && now >= t->config.stop) {
    t->left = 0;
    return;
  }
  if (t->config.rate > 0) {
    run_constant (t);
    return;
  }
  t->left = -1;
  if (t->config.files) {
    begin_file (t, 1e5 + 9e5 * link_random_uniform (&t->random));
    lab_timer_set (&t->start_timer, now + 1000000000 + (int64_t)
        (-log (1 - link_random_uniform (&t->random)) * 10e9));
  } else if (t->config.page > 0) {
    begin_file (t, (double) t->config.page);
    lab_timer_set (&t->start_timer, now + t->config.page_interval);
  } else if (t->config.stop > 0) {
    lab_timer_set (&t->start_timer, t->config.stop);
  }
  send_segments (t);
}

LabTcp *
lab_tcp_new (LabCalendar * calendar, unsigned flow,
    const LabTcpConfig * config, LabDirection * forward, LabDirection * back)
{
  LabTcp *t = calloc (1, sizeof *t);
  int64_t phase;

  t->calendar = calendar;
  t->config = *config;
  t->flow = flow;
  t->forward = forward;
  t->back = back;
  t->window = 10;
  t->threshold = t->round_min = INFINITY;
  t->epoch = -1;
  link_random_init (&t->random, config->seed * 100 + flow, 60);
  lab_timer_init (&t->rto_timer, calendar, on_rto, t);
  lab_timer_init (&t->ack_timer, calendar, send_ack, t);
  lab_timer_init (&t->start_timer, calendar, begin, t);
  lab_direction_connect (forward, flow, on_segment, t, 0);
  lab_direction_connect (back, flow, on_ack, t, 0);
  phase = (int64_t) (link_random_uniform (&t->random)
      * (config->files ? 10e9 : 1e8));
  lab_timer_set (&t->start_timer, config->start + phase);
  return t;
}

void
lab_tcp_free (LabTcp * t)
{
  free (t->deliveries);
  free (t);
}

double
lab_tcp_received (const LabTcp * t, int64_t from, int64_t to)
{
  double bits = 0;
  size_t i;

  for (i = 0; i < t->n; i++)
    if (t->deliveries[i].arrived_at >= from && t->deliveries[i].arrived_at < to)
      bits += 8.0 * t->deliveries[i].size;
  return bits;
}
