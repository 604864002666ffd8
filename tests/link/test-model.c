/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The link model in virtual time.
 */
#include "testlink.h"

#define MS INT64_C (1000000)
#define SECOND INT64_C (1000000000)

static LinkVerdict
offer (Link * l, int64_t now, uint32_t size)
{
  LinkPacket packet = { 0 };

  packet.size = size;
  return link_offer (l, now, &packet);
}

/* Each row: a backlog leaves at the rate, exact to the rounding of each
 * departure to the next nanosecond, with no drift. */
GST_START_TEST (test_rate)
{
  static const struct
  {
    const char *spec;
    int64_t rate;
    uint32_t size, overhead;
  } rows[] = {
    {"rate=2M,overhead=28,queue=20000p", 2000000, 1172, 28},
    {"rate=3M,overhead=1,queue=20000p", 3000000, 1000, 1},
    {"rate=155M,overhead=0,queue=20000p", 155000000, 1400, 0},
    {"rate=28.8k,overhead=0,queue=20000p", 28800, 1472, 0},
    {"rate=7Mi,overhead=28,queue=20000p", 7 * 1048576, 99, 28},
    {"rate=40G,overhead=0,queue=20000p", INT64_C (40000000000), 64, 0},
  };
  const int n = 10000;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    Link *l = new_link (rows[i].spec);
    int64_t bits = 8 * (int64_t) (rows[i].size + rows[i].overhead);
    LinkPacket packet;
    int k;

    for (k = 0; k < n; k++)
      if (offer (l, 0, rows[i].size) != LINK_ACCEPTED)
        fail ("packet %d was refused", k);
    for (k = 1; k <= n; k++) {
      unsigned __int128 work = (unsigned __int128) bits * k * SECOND;
      int64_t expected =
          (int64_t) ((work + rows[i].rate - 1) / (uint64_t) rows[i].rate);

      if (!link_take (l, LINK_NEVER, &packet) ||
          packet.departed != expected || packet.delivered != expected)
        fail ("row %u: packet %d departs at %" G_GINT64_FORMAT ", not %"
            G_GINT64_FORMAT, i, k, packet.departed, expected);
    }
    fail_if (link_take (l, LINK_NEVER, &packet));
    link_free (l);
  }
}

GST_END_TEST;

/* After an idle time the rate starts afresh; delay and size add up. */
GST_START_TEST (test_delay)
{
  Link *l = new_link ("rate=1M,delay=20ms,overhead=0");
  LinkPacket packet;
  int k;

  for (k = 0; k < 100; k++) {
    int64_t now = k * 33 * MS + k;

    fail_unless_equals_int (offer (l, now, 1250), LINK_ACCEPTED);
    fail_unless_equals_int64 (link_next (l), now + 30 * MS);
    fail_if (link_take (l, now + 30 * MS - 1, &packet));
    fail_unless (link_take (l, now + 30 * MS, &packet));
    fail_unless_equals_int64 (packet.arrived, now);
    fail_unless_equals_int64 (packet.started, now);
    fail_unless_equals_int64 (packet.departed, now + 10 * MS);
    fail_unless_equals_int64 (packet.delivered, now + 30 * MS);
    fail_unless_equals_int64 (link_next (l), LINK_NEVER);
  }
  link_free (l);
}

GST_END_TEST;

/* What rounding gave to one busy period is not the next one's. */
GST_START_TEST (test_idle)
{
  Link *l = new_link ("rate=3M,overhead=1");
  LinkPacket packet;
  int k;

  for (k = 0; k < 10; k++) {
    offer (l, k * SECOND, 1000);
    fail_unless (link_take (l, k * SECOND + 3 * MS, &packet));
    fail_unless_equals_int64 (packet.departed - packet.started, 2669334);
  }
  link_free (l);
}

GST_END_TEST;

/* A burst of 50 at once: one is sent, as many wait as the limit allows. */
GST_START_TEST (test_drop_tail)
{
  static const struct
  {
    const char *spec;
    uint32_t size;
    int accepted;
  } rows[] = {
    {"rate=1M,overhead=0,queue=10p", 1250, 11},
    {"rate=1M,overhead=0,queue=10p", 1, 11},
    {"rate=1M,overhead=0,queue=0p", 1250, 1},
    {"rate=1M,overhead=0,queue=5000B", 1000, 6},
    {"rate=1M,overhead=0,queue=4999B", 1000, 5},
    {"rate=1M,overhead=28,queue=5140B", 1000, 6},
    {"rate=1M,overhead=28,queue=5139B", 1000, 5},
    {"rate=1M,overhead=0,queue=300ms", 1250, 31},
    {"schedule=0:500k,overhead=0,queue=300ms", 1250, 16},
    {"overhead=0,queue=0p", 1250, 50},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    Link *l = new_link (rows[i].spec);
    LinkStats stats;
    int k, accepted = 0;

    for (k = 0; k < 50; k++) {
      LinkVerdict verdict = offer (l, 0, rows[i].size);

      fail_unless_equals_int (verdict,
          k < rows[i].accepted ? LINK_ACCEPTED : LINK_DROPPED_FULL);
      accepted += verdict == LINK_ACCEPTED;
    }
    fail_unless_equals_int (accepted, rows[i].accepted);
    link_get_stats (l, &stats);
    fail_unless_equals_uint64 (stats.verdicts[LINK_DROPPED_FULL],
        50 - accepted);
    link_free (l);
  }
}

GST_END_TEST;

/* Room comes when a packet starts to be sent, not a nanosecond before; at the
 * same time the departure comes first. */
GST_START_TEST (test_room)
{
  Link *l = new_link ("rate=1M,overhead=0,queue=1p");

  fail_unless_equals_int (offer (l, 0, 1250), LINK_ACCEPTED);
  fail_unless_equals_int (offer (l, 0, 1250), LINK_ACCEPTED);
  fail_unless_equals_int (offer (l, 0, 1250), LINK_DROPPED_FULL);
  fail_unless_equals_int (offer (l, 10 * MS - 1, 1250), LINK_DROPPED_FULL);
  fail_unless_equals_int (offer (l, 10 * MS, 1250), LINK_ACCEPTED);
  fail_unless_equals_int (offer (l, 10 * MS, 1250), LINK_DROPPED_FULL);
  link_free (l);
}

GST_END_TEST;

/* A packet of 10000 bits, offered at a time, leaves when the bits are out. */
GST_START_TEST (test_schedule)
{
  static const struct
  {
    const char *spec;
    int64_t at, departed;       /* us */
  } rows[] = {
    {"schedule=0:1M/5ms:2M", 0, 7500},
    {"schedule=0:1M/5ms:500k", 0, 15000},
    {"schedule=0:1M/5ms:0/1s:1M", 0, 1005000},
    {"schedule=0:1M/5ms:0/1s:1M", 500000, 1010000},
    {"schedule=0:1M/1ms:2M/2ms:3M/3ms:4M/4ms:5M", 0, 4000},
    {"schedule=0:1M/1ms:2M/2ms:3M/3ms:2M/4ms:4M", 0, 4500},
    {"schedule=0:1M/10ms:2M", 0, 10000},
    {"schedule=0:1M/10ms:2M", 10000, 15000},
    {"rate=1M,schedule=5ms:2M", 0, 7500},
    {"rate=1M,schedule=5ms:2M", 4000, 4000 + 1000 + 4500},
    {"schedule=0:0/20ms:1M", 3000, 30000},
    {"rate=1M,schedule=1s:0", 0, 10000},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    char *spec = g_strconcat (rows[i].spec, ",overhead=0", NULL);
    Link *l = new_link (spec);
    LinkPacket packet;

    fail_unless_equals_int (offer (l, rows[i].at * 1000, 1250), LINK_ACCEPTED);
    fail_unless (link_take (l, LINK_NEVER, &packet), "row %u", i);
    fail_unless_equals_int64 (packet.departed, rows[i].departed * 1000);
    link_free (l);
    g_free (spec);
  }
}

GST_END_TEST;

/* The rate in each second of an overloaded link whose rate changes. */
GST_START_TEST (test_schedule_rate)
{
  Link *l = new_link ("schedule=0s:2M/20s:800k/40s:2M,overhead=28,queue=10p");
  int64_t bits[60] = { 0 }, now, k;
  LinkPacket packet;

  for (k = 0; (now = k * 3 * MS) < 60 * SECOND; k++) {
    offer (l, now, 1172);
    while (link_take (l, now, &packet))
      bits[packet.departed / SECOND] += 1200 * 8;
  }
  for (k = 1; k < 59; k++) {
    int64_t rate = k >= 20 && k < 40 ? 800000 : 2000000;

    fail_unless (ABS (bits[k] - rate) <= 9600,
        "second %d: %" G_GINT64_FORMAT, (int) k, bits[k]);
  }
  link_free (l);
}

GST_END_TEST;

/* A schedule that ends in an outage. */
GST_START_TEST (test_outage_for_ever)
{
  Link *l = new_link ("schedule=0:1M/15ms:0,overhead=0,delay=1ms");
  LinkPacket packet;
  LinkStats stats;
  int k;

  for (k = 0; k < 3; k++)
    offer (l, 0, 1250);
  fail_unless_equals_int64 (link_next (l), 11 * MS);
  fail_unless (link_take (l, SECOND, &packet));
  fail_if (link_take (l, LINK_NEVER, &packet));
  fail_unless_equals_int64 (link_next (l), LINK_NEVER);
  for (k = 0; k < 2; k++) {
    fail_unless (link_flush (l, &packet));
    fail_unless_equals_int (packet.verdict, LINK_UNFINISHED);
  }
  fail_if (link_flush (l, &packet));
  link_get_stats (l, &stats);
  fail_unless_equals_uint64 (stats.verdicts[LINK_UNFINISHED], 2);
  fail_unless_equals_uint64 (stats.verdicts[LINK_ACCEPTED], 0);
  link_free (l);
}

GST_END_TEST;

/* Packets of 12,000 bits at once, and what became of each. */
static void
offer_burst (Link * l, uint8_t ecn, int n, LinkPacket * taken)
{
  LinkPacket packet = { 0 };
  int i;

  for (i = 0; i < n; i++) {
    packet.size = 1500;
    packet.ecn = ecn;
    link_offer (l, 0, &packet);
  }
  for (i = 0; link_take (l, LINK_NEVER, &packet); i++)
    taken[i] = packet;
  fail_unless_equals_int (i, n);
}

/* What waited longer than the step is marked, where it may be. */
GST_START_TEST (test_step)
{
  LinkPacket taken[10];
  int ecn, i;

  for (ecn = 0; ecn < 4; ecn++) {
    Link *l = new_link ("rate=12M,overhead=0,step=5ms");

    offer_burst (l, (uint8_t) ecn, 10, taken);
    for (i = 0; i < 10; i++)
      fail_unless_equals_int (taken[i].marked, i > 5 && (ecn == 1 || ecn == 2));
    link_free (l);
  }
}

GST_END_TEST;

/* Bleached before the queue, so that it drops where it would have marked. */
GST_START_TEST (test_bleach)
{
  LinkPacket taken[200];
  LinkStats stats;
  int i;
  Link *l = new_link ("rate=12M,overhead=0,codel,ecn,step=5ms,bleach");

  offer_burst (l, 2, 200, taken);
  for (i = 0; i < 200; i++)
    fail_unless (taken[i].bleached && !taken[i].marked);
  link_get_stats (l, &stats);
  fail_unless (stats.verdicts[LINK_DROPPED_CODEL] > 0);
  link_free (l);
  l = new_link ("rate=12M,overhead=0,bleach");
  offer_burst (l, 0, 1, taken);
  fail_if (taken[0].bleached);
  link_free (l);
}

GST_END_TEST;

GST_START_TEST (test_drop_ect)
{
  Link *l = new_link ("rate=12M,overhead=0,drop-ect");
  LinkPacket packet = {.size = 1000 };
  LinkStats stats;

  for (packet.ecn = 0; packet.ecn < 4; packet.ecn++)
    fail_unless_equals_int (link_offer (l, 0, &packet),
        packet.ecn == 0 ? LINK_ACCEPTED : LINK_DROPPED_ECT);
  link_get_stats (l, &stats);
  fail_unless_equals_uint64 (stats.verdicts[LINK_DROPPED_ECT], 3);
  link_free (l);
}

GST_END_TEST;

#define CHAOS "rate=4M,delay=20ms,queue=20p,loss=0.05,dup=0.05,corrupt=0.05,"

static const char *const chaos[] = {
  CHAOS "jitter=5ms,gilbert=0.01:0.2",
  CHAOS "jitter=5ms:normal:reorder,reorder=0.05:30ms",
  CHAOS "red=3:9:0.02:0.1,gentle,ecn,reorder=0.1:10ms",
  CHAOS "codel,jitter=30ms",
  CHAOS "codel,ecn,step=5ms,bleach",
  CHAOS "step=2ms,drop-ect",
  "schedule=0:4M/1s:0/1.5s:1M/3s:6M,codel=1ms:20ms,ecn,dup=0.1",
  "delay=1ms,loss=0.1,jitter=1ms:reorder",
};

#define N_CHAOS 5000

typedef struct
{
  LinkPacket taken[2 * N_CHAOS];
  guint n;
  guint last[N_CHAOS];          /* how often a handle was the last */
  guint dropped;                /* on offer */
  LinkStats stats;
} Run;

typedef enum
{ POLL_NEXT, POLL_OFFER, POLL_END } Poll;

static void
take_until (Link * l, int64_t now, Run * run)
{
  LinkPacket packet;

  while (link_take (l, now, &packet)) {
    if (run->n == G_N_ELEMENTS (run->taken))
      fail ("more comes out than can");
    run->last[GPOINTER_TO_UINT (packet.handle)] += packet.last;
    run->taken[run->n++] = packet;
  }
}

/* Driven by link_next(), nothing is delivered late. */
static void
follow (Link * l, int64_t now, Run * run)
{
  int64_t next;

  while ((next = link_next (l)) <= now && next != LINK_NEVER) {
    guint n = run->n;

    take_until (l, next, run);
    for (; n < run->n; n++)
      if (run->taken[n].verdict == LINK_DELIVERED ||
          run->taken[n].verdict == LINK_DUPLICATE)
        if (run->taken[n].delivered != next)
          fail ("packet %u is told late", n);
  }
}

static Run *
run_chaos (const char *spec, uint64_t seed, Poll poll)
{
  char *seeded = g_strdup_printf ("%s,seed=%d", spec, (int) seed);
  Run *run = g_new0 (Run, 1);
  Link *l = new_link (seeded);
  int64_t now = 0;
  LinkRandom r;
  guint i;

  link_random_init (&r, 4711, 0);
  for (i = 0; i < N_CHAOS; i++) {
    LinkPacket packet = { 0 };

    now += (int64_t) (link_random_uniform (&r) * 4e6);
    packet.handle = GUINT_TO_POINTER (i);
    packet.size = (uint32_t) (link_random_uniform (&r) * 1500);
    packet.ecn = i % 3;
    if (poll == POLL_NEXT)
      follow (l, now, run);
    if (poll == POLL_OFFER)
      take_until (l, now, run);
    if (link_offer (l, now, &packet) != LINK_ACCEPTED) {
      run->last[i]++;
      run->dropped++;
    }
    if (packet.arrived != now)
      fail ("packet %u arrived at another time", i);
  }
  if (poll == POLL_NEXT)
    follow (l, LINK_NEVER - 1, run);
  take_until (l, LINK_NEVER, run);
  link_get_stats (l, &run->stats);
  link_free (l);
  g_free (seeded);
  return run;
}

/* What goes in comes out once, as delivered or dropped; its handle is free
 * exactly once. */
GST_START_TEST (test_conservation)
{
  Run *run = run_chaos (chaos[__i__], 1, POLL_OFFER);
  const LinkStats *s = &run->stats;
  guint64 sum[LINK_N_VERDICTS] = { 0 };
  guint i;

  for (i = 0; i < N_CHAOS; i++)
    if (run->last[i] != 1)
      fail ("handle %u is freed %u times", i, run->last[i]);
  for (i = 0; i < run->n; i++)
    sum[run->taken[i].verdict]++;
  fail_unless_equals_uint64 (s->offered, N_CHAOS);
  fail_unless_equals_uint64 (s->delivered, sum[LINK_DELIVERED]);
  fail_unless_equals_uint64 (s->verdicts[LINK_ACCEPTED], 0);
  fail_unless_equals_uint64 (s->verdicts[LINK_DUPLICATE], sum[LINK_DUPLICATE]);
  fail_unless_equals_uint64 (s->offered, s->delivered +
      s->verdicts[LINK_DROPPED_FULL] + s->verdicts[LINK_DROPPED_RED] +
      s->verdicts[LINK_DROPPED_CODEL] + s->verdicts[LINK_DROPPED_ECT] +
      s->verdicts[LINK_DROPPED_LOSS]);
  fail_unless_equals_uint64 (run->dropped,
      s->verdicts[LINK_DROPPED_FULL] + s->verdicts[LINK_DROPPED_RED] +
      s->verdicts[LINK_DROPPED_ECT]);
  fail_unless (s->delivered > N_CHAOS / 4);
  g_free (run);
}

GST_END_TEST;

static gboolean
same_runs (const Run * a, const Run * b)
{
  guint i;

  if (a->n != b->n || a->dropped != b->dropped)
    return FALSE;
  for (i = 0; i < a->n; i++) {
    const LinkPacket *p = &a->taken[i], *q = &b->taken[i];

    if (p->sequence != q->sequence || p->verdict != q->verdict ||
        p->departed != q->departed || p->delivered != q->delivered ||
        p->marked != q->marked || p->corrupt_bit != q->corrupt_bit)
      return FALSE;
  }
  return TRUE;
}

/* One seed, one outcome, however the link is polled; another seed, another
 * outcome. */
GST_START_TEST (test_reproducible)
{
  Run *a = run_chaos (chaos[__i__], 1, POLL_OFFER);
  Run *b = run_chaos (chaos[__i__], 1, POLL_OFFER);
  Run *c = run_chaos (chaos[__i__], 1, POLL_END);
  Run *d = run_chaos (chaos[__i__], 2, POLL_OFFER);

  fail_unless (same_runs (a, b));
  fail_unless (same_runs (a, c));
  fail_if (same_runs (a, d));
  g_free (a);
  g_free (b);
  g_free (c);
  g_free (d);
}

GST_END_TEST;

static gint
by_sequence (gconstpointer x, gconstpointer y)
{
  const LinkPacket *a = x, *b = y;

  if (a->sequence != b->sequence)
    return a->sequence < b->sequence ? -1 : 1;
  return (gint) a->verdict - (gint) b->verdict;
}

/* Following link_next() misses nothing; only drops may be told later. */
GST_START_TEST (test_next)
{
  Run *a = run_chaos (chaos[__i__], 1, POLL_OFFER);
  Run *b = run_chaos (chaos[__i__], 1, POLL_NEXT);

  qsort (a->taken, a->n, sizeof a->taken[0], by_sequence);
  qsort (b->taken, b->n, sizeof b->taken[0], by_sequence);
  fail_unless (same_runs (a, b));
  g_free (a);
  g_free (b);
}

GST_END_TEST;

/* Where packets overtake, the next delivery may be of one still waiting. */
GST_START_TEST (test_next_overtakes)
{
  Run *run = g_new0 (Run, 1);
  Link *l = new_link ("rate=1M,overhead=0,jitter=1s:reorder");
  int k;

  for (k = 0; k < 200; k++)
    offer (l, 0, 1250);
  follow (l, LINK_NEVER - 1, run);
  fail_unless_equals_int (run->n, 200);
  link_free (l);
  g_free (run);
}

GST_END_TEST;

/* Two sources whose packets reach the front in the wrong order. */
GST_START_TEST (test_late_offer)
{
  Link *l = new_link ("rate=1M,overhead=0");
  LinkPacket packet = { 0 };

  packet.size = 1250;
  offer (l, 50 * MS, 1250);
  fail_unless_equals_int (link_offer (l, 40 * MS, &packet), LINK_ACCEPTED);
  fail_unless_equals_int64 (packet.arrived, 50 * MS);
  fail_unless (link_take (l, LINK_NEVER, &packet));
  fail_unless_equals_int64 (packet.departed, 60 * MS);
  fail_unless (link_take (l, LINK_NEVER, &packet));
  fail_unless_equals_int64 (packet.departed, 70 * MS);
  link_free (l);
}

GST_END_TEST;

GST_START_TEST (test_stats)
{
  Link *l = new_link ("rate=1M,overhead=0,queue=2p");
  LinkPacket packet;
  LinkStats s;
  int k;

  for (k = 0; k < 4; k++)
    offer (l, 0, 1250);
  while (link_take (l, LINK_NEVER, &packet));
  link_get_stats (l, &s);
  fail_unless_equals_uint64 (s.offered, 4);
  fail_unless_equals_uint64 (s.offered_bytes, 5000);
  fail_unless_equals_uint64 (s.delivered_bytes, 3750);
  fail_unless_equals_int (s.peak_packets, 2);
  fail_unless_equals_uint64 (s.peak_bytes, 2500);
  fail_unless_equals_uint64 (s.waits, 3);
  fail_unless_equals_float (s.wait_sum, 30.0 * MS);
  fail_unless_equals_int64 (s.wait_max, 20 * MS);
  link_free (l);
}

GST_END_TEST;

static Suite *
link_model_suite (void)
{
  Suite *s = suite_create ("link-model");
  TCase *tc = tcase_create ("general");
  int n = G_N_ELEMENTS (chaos);

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_rate);
  tcase_add_test (tc, test_delay);
  tcase_add_test (tc, test_idle);
  tcase_add_test (tc, test_drop_tail);
  tcase_add_test (tc, test_room);
  tcase_add_test (tc, test_schedule);
  tcase_add_test (tc, test_schedule_rate);
  tcase_add_test (tc, test_outage_for_ever);
  tcase_add_test (tc, test_step);
  tcase_add_test (tc, test_bleach);
  tcase_add_test (tc, test_drop_ect);
  tcase_add_loop_test (tc, test_conservation, 0, n);
  tcase_add_loop_test (tc, test_reproducible, 0, n);
  tcase_add_loop_test (tc, test_next, 0, n);
  tcase_add_test (tc, test_next_overtakes);
  tcase_add_test (tc, test_late_offer);
  tcase_add_test (tc, test_stats);
  return s;
}

GST_CHECK_MAIN (link_model);
