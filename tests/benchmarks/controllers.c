/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What each controller costs: time for a report on n packets, for one on
 * packets of many sizes that were all application-limited, and for a packet
 * sent; the medians, so that what else the machine does hardly counts. A line
 * each.
 *
 *   psp-controllers [PACKETS_A_REPORT] [REPORTS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <control/controller.h>

#define MAX_PACKETS 16384
#define RTT (40 * PSP_MSECOND)
#define SPACING (100 * PSP_USECOND)
#define MAX_REPORTS 100000

/* ns */
static double
clock_now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (double *values, int n)
{
  qsort (values, (size_t) n, sizeof *values, compare);
  return values[n / 2];
}

typedef enum
{
  GREEDY,                       /* equal packets, as fast as they may go */
  LIMITED                       /* as an encoder makes them, that uses less */
} Kind;

static uint32_t
size_of (int64_t index, Kind kind)
{
  return kind == GREEDY ? 1212 : 212 + (uint32_t) (index * 7919 % 1000);
}

static void
send_all (PspController * c, PspDecision * d, int64_t first, int n, Kind kind)
{
  PspSent sent = {.app_limited = kind == LIMITED };
  int i;

  for (i = 0; i < n; i++) {
    sent.index = first + i;
    sent.size = size_of (sent.index, kind);
    sent.now = sent.index * SPACING;
    sent.in_flight = i + 1;
    psp_controller_sent (c, &sent, d);
  }
}

/* Every 1000th packet is lost. */
static void
make_report (PspReport * report, PspPacketResult * results, int64_t first,
    int n, Kind kind)
{
  int i;

  memset (report, 0, sizeof *report);
  for (i = 0; i < n; i++) {
    PspPacketResult *r = &results[i];
    bool lost = (first + i) % 1000 == 999;

    r->index = first + i;
    r->sent_at = r->index * SPACING;
    r->arrived_at = lost ? PSP_TIME_UNKNOWN : r->sent_at + RTT / 2;
    r->size = size_of (r->index, kind);
    r->app_limited = kind == LIMITED;
    r->outcome = lost ? PSP_OUTCOME_LOST : PSP_OUTCOME_RECEIVED;
    report->n_lost += lost;
    report->n_received += !lost;
  }
  report->now = (first + n) * SPACING + RTT;
  report->rtt_sample = RTT;
  report->oldest_in_flight_at = PSP_TIME_NEVER;
  report->newest_index = first + n - 1;
  report->results = results;
  report->n_results = (size_t) n;
}

static void
measure (const PspControllerClass * klass, int n, int reports, Kind kind,
    double *feedback, double *sending)
{
  static PspPacketResult results[MAX_PACKETS];
  static double feedbacks[MAX_REPORTS], sendings[MAX_REPORTS];
  PspLimits limits = { 0 };
  PspReport report;
  PspDecision d;
  PspController *c = psp_controller_new (klass, &limits, NULL, 0, &d);
  double t0, t1, t2;
  int i;

  for (i = 0; i < reports; i++) {
    int64_t first = (int64_t) i * n;

    make_report (&report, results, first, n, kind);
    t0 = clock_now ();
    send_all (c, &d, first, n, kind);
    t1 = clock_now ();
    psp_controller_feedback (c, &report, &d);
    t2 = clock_now ();
    sendings[i] = (t1 - t0) / n;
    feedbacks[i] = t2 - t1;
  }
  psp_controller_free (c);
  *feedback = median (feedbacks, reports);
  *sending = median (sendings, reports);
}

/* What it costs to look at the clock, which is in each figure. */
static double
clock_cost (void)
{
  static double costs[1001];
  int i;

  for (i = 0; i < 1001; i++) {
    double t = clock_now ();

    costs[i] = clock_now () - t;
  }
  return median (costs, 1001);
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 100;
  int reports = argc > 2 ? atoi (argv[2]) : 20000;
  const PspControllerClass *const *list = psp_controller_list ();
  double overhead = clock_cost (), feedback, limited, sending;

  if (n < 1 || n > MAX_PACKETS || reports < 1 || reports > MAX_REPORTS) {
    fprintf (stderr, "usage: psp-controllers [1..%d [REPORTS]]\n", MAX_PACKETS);
    return 2;
  }
  printf ("%-14s %12s %14s %14s   (%d packets a report; a clock reading of "
      "%.0f ns is taken off)\n", "controller", "ns/report", "app-limited",
      "ns/packet sent", n, overhead);
  for (; *list; list++) {
    measure (*list, n, reports, LIMITED, &limited, &sending);
    measure (*list, n, reports, GREEDY, &feedback, &sending);
    printf ("%-14s %12.0f %14.0f %14.1f\n", (*list)->name,
        feedback > overhead ? feedback - overhead : 0,
        limited > overhead ? limited - overhead : 0,
        sending > overhead / n ? sending - overhead / n : 0);
  }
  return 0;
}
