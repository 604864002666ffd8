/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Octets as the life of any controller: packets, reports true and false, time
 * that passes, limits, resets (the idea is s2n-quic's fuzz_target.rs).
 * Whatever comes, a decision stays one that a sender can obey.
 */
#include <control/controller.h>

#include <stdlib.h>
#include <string.h>

#define PACKETS 1024            /* a power of two: remembered */
#define MAX_RESULTS 64
#define MAX_BITRATE (INT64_C (1000) * 1000 * 1000 * 1000)

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

typedef struct
{
  int64_t sent_at;
  bool app_limited, decided, lost;
} Packet;

typedef struct
{
  const uint8_t *data;
  size_t left;
  PspController *c;
  PspDecision d;
  int64_t now;
  int64_t n_sent, first_undecided, in_flight;
  bool honest;                  /* no report but those that history makes */
  int64_t longest_rtt;          /* seen since the last reset; 0 = none */
  Packet packets[PACKETS];
} Life;

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

static uint8_t
octet (Life * life)
{
  if (life->left == 0)
    return 0;
  life->left--;
  return *life->data++;
}

static int64_t
octets (Life * life, int n)
{
  uint64_t value = 0;

  while (n-- > 0)
    value = value << 8 | octet (life);
  return (int64_t) value;
}

static void
check_decision (const Life * life)
{
  const PspDecision *d = &life->d;

  check (d->period >= 0);
  check (d->window >= 1);
  check (d->target_bitrate == PSP_BITRATE_UNKNOWN
      || (d->target_bitrate >= 1 && d->target_bitrate <= MAX_BITRATE));
  check (d->scale >= -1 && d->scale <= 4);
  check (d->reason <= PSP_REASON_RESET);
  check (d->loss_timeout >= 0);
  check (d->next_tick >= life->now);
  /* Where the round trip is known, some packet leaves in each. */
  if (life->c->klass->needs_feedback && life->longest_rtt > 0)
    check (d->period <= life->longest_rtt);
}

static Packet *
packet (Life * life, int64_t index)
{
  return &life->packets[index & (PACKETS - 1)];
}

static uint32_t
size_of (int64_t index)
{
  return 12 + (uint32_t) (index * 7919 % 1400);
}

static void
run_send (Life * life)
{
  int n = octet (life) % 32 + 1;
  bool app_limited = octet (life) & 1;

  /* The oldest is forgotten where the memory is full, without an outcome. */
  for (; n > 0; n--) {
    Packet *p = packet (life, life->n_sent);
    PspSent sent = { 0 };

    if (life->n_sent - life->first_undecided == PACKETS) {
      life->in_flight -= !p->decided;
      life->first_undecided++;
    }
    memset (p, 0, sizeof (*p));
    p->sent_at = life->now;
    p->app_limited = app_limited;
    life->in_flight++;
    sent.now = life->now;
    sent.index = life->n_sent++;
    sent.size = size_of (sent.index);
    sent.in_flight = life->in_flight;
    sent.app_limited = app_limited;
    psp_controller_sent (life->c, &sent, &life->d);
    app_limited = false;
    if (octet (life) & 1)
      life->now += life->d.period < PSP_SECOND ? life->d.period : PSP_SECOND;
  }
}

/* What a report says of a packet; false: nothing new. */
static bool
decide (Packet * p, PspPacketResult * x, uint8_t choice)
{
  if (choice % 8 == 7 || (p->decided && !p->lost))
    return false;
  if (p->decided) {
    x->outcome = PSP_OUTCOME_RECOVERED;
    p->lost = false;
    return choice & 1;
  }
  x->outcome = choice % 8 == 6 ? PSP_OUTCOME_LOST : PSP_OUTCOME_RECEIVED;
  p->lost = x->outcome == PSP_OUTCOME_LOST;
  p->decided = true;
  x->ecn = choice >> 3 & 3;
  x->sent_ecn = (choice >> 5) % 3;
  return true;
}

static void
feed (Life * life, PspReport * report)
{
  while (life->first_undecided < life->n_sent
      && packet (life, life->first_undecided)->decided)
    life->first_undecided++;
  report->now = life->now;
  report->in_flight = life->in_flight;
  report->oldest_in_flight_at = life->first_undecided == life->n_sent ?
      PSP_TIME_NEVER : packet (life, life->first_undecided)->sent_at;
  report->newest_index = life->n_sent - 1;
  if (report->rtt_sample > life->longest_rtt)
    life->longest_rtt = report->rtt_sample;
  psp_controller_feedback (life->c, report, &life->d);
}

/* A report as history makes them, of packets as they come or of none. */
static void
run_report (Life * life, bool timeout)
{
  PspPacketResult results[MAX_RESULTS];
  PspReport report = { 0 };
  int64_t first = life->first_undecided - octet (life) % 8, i;
  int64_t way = octets (life, 2) * PSP_MSECOND / 16;
  unsigned n = octet (life) % MAX_RESULTS;

  if (first < life->n_sent - PACKETS)
    first = life->n_sent - PACKETS;
  for (i = first < 0 ? 0 : first; i < life->n_sent && n > 0; i++, n--) {
    PspPacketResult *x = &results[report.n_results];
    Packet *p = packet (life, i);
    bool was_decided = p->decided;

    memset (x, 0, sizeof (*x));
    if (!decide (p, x, timeout ? 6 : octet (life)))
      continue;
    life->in_flight -= !was_decided;
    x->index = i;
    x->sent_at = p->sent_at;
    x->app_limited = p->app_limited;
    x->size = size_of (i);
    x->arrived_at = x->outcome == PSP_OUTCOME_LOST ? PSP_TIME_UNKNOWN :
        p->sent_at / (PSP_SECOND / 1024) * (PSP_SECOND / 1024) + way;
    report.n_results++;
    report.n_received += x->outcome == PSP_OUTCOME_RECEIVED;
    report.n_lost += x->outcome == PSP_OUTCOME_LOST;
    report.n_recovered += x->outcome == PSP_OUTCOME_RECOVERED;
    report.n_ce += x->ecn == PSP_ECN_CE;
  }
  report.timeout = timeout;
  report.results = results;
  report.rtt_sample = report.n_received ? PSP_MSECOND + way : PSP_TIME_UNKNOWN;
  feed (life, &report);
}

/* A report that no history makes: any index, any time. */
static void
run_false_report (Life * life)
{
  PspPacketResult results[4];
  PspReport report = { 0 };

  memset (results, 0, sizeof (results));
  while (report.n_results < 4) {
    PspPacketResult *x = &results[report.n_results++];

    x->index = octets (life, 3);
    x->sent_at = octets (life, 8);
    x->arrived_at = octets (life, 8);
    x->outcome = octet (life) % 3;
    x->ecn = octet (life) & 3;
  }
  report.rtt_sample = octets (life, 8);
  report.n_lost = octet (life);
  report.n_received = octet (life);
  report.timeout = octet (life) & 1;
  report.results = results;
  feed (life, &report);
}

static void
run_limits (Life * life)
{
  double parameters[PSP_MAX_PARAMETERS] = { 0 };
  PspLimits limits = { 0 };
  unsigned n = psp_parameter_count (life->c->klass->parameters), i;

  limits.min_bitrate = octets (life, 3);
  limits.max_bitrate = octets (life, 4);
  limits.start_bitrate = octets (life, 8);
  psp_controller_set_limits (life->c, &limits, life->now, &life->d);
  for (i = octet (life) & 1 ? 0 : n; i < n; i++)
    parameters[i] = (double) octets (life, 5);
  psp_controller_set_parameters (life->c, parameters, life->now, &life->d);
}

static void
run_step (Life * life)
{
  switch (octet (life) % 10) {
    case 0:
    case 1:
      run_send (life);
      break;
    case 2:
    case 3:
      run_report (life, false);
      break;
    case 4:
      run_report (life, true);
      break;
    case 5:
      if (life->honest)
        run_report (life, false);
      else
        run_false_report (life);
      break;
    case 6:
      run_limits (life);
      break;
    case 7:
      psp_controller_reset (life->c, life->now, &life->d);
      check (life->d.reason == PSP_REASON_RESET);
      life->longest_rtt = 0;
      break;
    case 8:
      life->c->mean_payload = (double) octets (life, 2);
      life->c->mean_size = life->c->mean_payload + 12;
      break;
    default:
      life->now += octets (life, 2) * PSP_MSECOND / 4;
      break;
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static Life life;
  double parameters[PSP_MAX_PARAMETERS] = { 0 };
  PspLimits limits = { 0 };
  const PspControllerClass *const *list = psp_controller_list ();
  unsigned n = 0;
  uint8_t which, kind;

  memset (&life, 0, sizeof (life));
  life.data = data;
  life.left = size;
  while (list[n])
    n++;
  which = octet (&life);
  kind = octet (&life);
  /* After a false report any round trip may have been seen. */
  life.honest = kind & 0x40;
  limits.start_bitrate = kind & 0x80 ? octets (&life, 3) : 0;
  parameters[0] = (double) (octets (&life, 2) * PSP_USECOND);
  life.c = psp_controller_new (list[which % n], &limits, parameters, life.now,
      &life.d);
  check (life.c != NULL);
  check_decision (&life);
  while (life.left > 0) {
    run_step (&life);
    if (life.d.next_tick <= life.now)
      psp_controller_tick (life.c, life.now, &life.d);
    check_decision (&life);
  }
  psp_controller_free (life.c);
  return 0;
}
