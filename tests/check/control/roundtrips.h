/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: a controller by itself, with packets and the outcome of
 * them, round trip by round trip.
 */
#ifndef TEST_ROUND_TRIPS_H
#define TEST_ROUND_TRIPS_H

#include <string.h>

#include <control/controller.h>

#define ROUNDS_RTT (40 * PSP_MSECOND)
#define ROUNDS_SIZE 1212        /* a controller's assumption at first */
#define ROUNDS_PACKETS 128      /* in a report */

typedef struct
{
  PspController *c;
  PspDecision d;
  int64_t now, index, rtt;      /* index: of the next packet */
} Rounds;

/* NULL: without limits, with the default parameters. */
static inline void
rounds_start_with (Rounds * r, const PspControllerClass * klass,
    const PspLimits * limits, const double *parameters)
{
  static const PspLimits none = { 0 };

  memset (r, 0, sizeof (*r));
  r->rtt = ROUNDS_RTT;
  r->c = psp_controller_new (klass, limits ? limits : &none, parameters, 0,
      &r->d);
  fail_unless (r->c != NULL);
}

static inline void
rounds_start_class (Rounds * r, const PspControllerClass * klass,
    const PspLimits * limits)
{
  rounds_start_with (r, klass, limits, NULL);
}

static inline void
rounds_start (Rounds * r, const char *name, const PspLimits * limits)
{
  rounds_start_class (r, psp_controller_find (name), limits);
}

static inline void
rounds_end (Rounds * r)
{
  psp_controller_free (r->c);
}

static inline void
rounds_send (Rounds * r, int n, bool app_limited)
{
  PspSent sent = {.size = ROUNDS_SIZE };

  sent.app_limited = app_limited;
  for (; n > 0; n--) {
    sent.now = r->now;
    sent.index = r->index++;
    sent.in_flight = n;
    psp_controller_sent (r->c, &sent, &r->d);
  }
}

/* What became of the packets from `first` on: 'r', 'l', 'R', 'c': received,
 * lost, recovered, marked; '.' = nothing new. */
static inline void
rounds_report (Rounds * r, int64_t first, const char *outcomes, bool timeout)
{
  PspPacketResult results[ROUNDS_PACKETS];
  PspReport report = { 0 };
  int64_t i;

  memset (results, 0, sizeof (results));
  for (i = 0; outcomes[i]; i++) {
    PspPacketResult *x = &results[report.n_results];

    if (outcomes[i] == '.')
      continue;
    fail_unless (report.n_results < ROUNDS_PACKETS);
    x->index = first + i;
    x->sent_at = r->now - r->rtt;
    x->arrived_at = PSP_TIME_UNKNOWN;
    x->size = ROUNDS_SIZE;
    x->outcome = outcomes[i] == 'l' ? PSP_OUTCOME_LOST :
        outcomes[i] == 'R' ? PSP_OUTCOME_RECOVERED : PSP_OUTCOME_RECEIVED;
    x->ecn = outcomes[i] == 'c' ? PSP_ECN_CE : PSP_ECN_NOT_ECT;
    report.n_results++;
    report.n_received += x->outcome == PSP_OUTCOME_RECEIVED;
    report.n_lost += x->outcome == PSP_OUTCOME_LOST;
    report.n_recovered += x->outcome == PSP_OUTCOME_RECOVERED;
    report.n_ce += x->ecn == PSP_ECN_CE;
  }
  report.now = r->now;
  report.timeout = timeout;
  report.rtt_sample = timeout ? PSP_TIME_UNKNOWN : r->rtt;
  report.results = results;
  psp_controller_feedback (r->c, &report, &r->d);
}

/* Packets with these outcomes, all reported a round trip later. */
static inline void
rounds_outcomes (Rounds * r, const char *outcomes, bool app_limited)
{
  int64_t first = r->index;

  rounds_send (r, (int) strlen (outcomes), app_limited);
  r->now += r->rtt;
  rounds_report (r, first, outcomes, false);
}

/* The same of `sent` packets, the first `received` of which arrived. */
static inline void
rounds_round_trip (Rounds * r, int sent, int received, bool app_limited)
{
  char outcomes[ROUNDS_PACKETS + 1];

  fail_unless (received <= sent && sent <= ROUNDS_PACKETS);
  memset (outcomes, 'l', sizeof (outcomes));
  memset (outcomes, 'r', (size_t) received);
  outcomes[sent] = 0;
  rounds_outcomes (r, outcomes, app_limited);
}

#endif
