/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "../often.h"
#include <rtpfeedback/reporting.h>

#define INTERVAL (25 * PSP_MSECOND)
#define FLOOR PSP_SECOND
#define MS PSP_MSECOND
#define REPORTER 0x0bad0bad
#define TIMESTAMP 0x12345678

/* Streams of SSRC 0, 1, … and their reports. */
typedef struct
{
  PspStream streams[PSP_MAX_STREAMS];
  unsigned n_streams;
  PspReporting f;

  uint8_t data[2048];
  size_t size;
  PspCcfb ccfb;
  PspCcfbStream blocks[PSP_MAX_STREAMS];
  unsigned n_blocks;
} Fixture;

static Fixture *
new_fixture (size_t max_size)
{
  Fixture *x = g_new0 (Fixture, 1);

  psp_reporting_init (&x->f, INTERVAL, FLOOR, max_size);
  return x;
}

static void
arrive (Fixture * x, uint32_t ssrc, uint16_t seq, uint32_t payload, int64_t at)
{
  PspArrival a = { {.ssrc = ssrc,.seq = seq,.payload_size = payload}, at, 0 };

  for (; x->n_streams <= ssrc; x->n_streams++) {
    PspRtpHeader header = {.ssrc = x->n_streams,.seq = seq };

    psp_stream_init (&x->streams[x->n_streams], &header, at);
  }
  often_fail_unless (psp_stream_packet (&x->streams[ssrc], &a, 0) !=
      PSP_RECEIVER_PROBATION);
  psp_reporting_earn (&x->f, payload);
  psp_reporting_note_throttled (&x->f, x->streams, x->n_streams, at);
}

static int64_t
next (const Fixture * x)
{
  return psp_reporting_next (&x->f, x->streams, x->n_streams);
}

static bool
pack_into (Fixture * x, int64_t now, size_t capacity, bool early)
{
  PspWriter w = psp_writer (x->data, capacity);
  size_t position = 0;

  x->n_blocks = 0;
  x->size = 0;
  if (!psp_reporting_pack (&x->f, x->streams, x->n_streams, early, REPORTER,
          now, TIMESTAMP, &w)) {
    fail_unless_equals_int (w.size, 0);
    return false;
  }
  fail_if (w.error);
  x->size = w.size;
  fail_unless (psp_ccfb_parse (x->data, w.size, &x->ccfb));
  fail_unless_equals_int64 (x->ccfb.sender_ssrc, REPORTER);
  fail_unless_equals_int64 (x->ccfb.timestamp, TIMESTAMP);
  while (psp_ccfb_next_stream (&x->ccfb, &position, &x->blocks[x->n_blocks])) {
    x->n_blocks++;
    fail_unless (x->n_blocks <= PSP_MAX_STREAMS);
  }
  return true;
}

static bool
pack (Fixture * x, int64_t now)
{
  return pack_into (x, now, x->f.max_size, false);
}

static void
assert_block (const Fixture * x, unsigned i, uint32_t ssrc, uint16_t begin,
    uint16_t n_reports)
{
  fail_unless (i < x->n_blocks);
  fail_unless_equals_int (x->blocks[i].ssrc, ssrc);
  fail_unless_equals_int (x->blocks[i].begin_seq, begin);
  fail_unless_equals_int (x->blocks[i].n_reports, n_reports);
}

GST_START_TEST (test_nothing)
{
  Fixture *x = new_fixture (1200);

  fail_unless_equals_int64 (next (x), PSP_TIME_NEVER);
  fail_if (pack (x, PSP_SECOND));
  g_free (x);
}

GST_END_TEST;

GST_START_TEST (test_oldest_waits_for_the_interval)
{
  Fixture *x = new_fixture (1200);
  PspCcfbMetric metric;

  arrive (x, 0, 5, 1200, 100 * MS);
  arrive (x, 0, 6, 1200, 110 * MS);
  fail_unless_equals_int64 (next (x), 125 * MS);
  fail_if (pack (x, 125 * MS - 1));
  fail_unless (pack (x, 125 * MS));
  fail_unless_equals_int (x->n_blocks, 1);
  assert_block (x, 0, 0, 5, 2);
  psp_ccfb_metric (&x->blocks[0], 0, &metric);
  fail_unless (ABS (metric.offset - 25 * MS) < MS / 2);
  psp_ccfb_metric (&x->blocks[0], 1, &metric);
  fail_unless (ABS (metric.offset - 15 * MS) < MS / 2);
  fail_unless_equals_int64 (next (x), PSP_TIME_NEVER);
  fail_if (pack (x, 125 * MS));
  g_free (x);
}

GST_END_TEST;

/* All streams' packets count together. */
GST_START_TEST (test_eight_are_enough)
{
  Fixture *x = new_fixture (1200);

  for (unsigned i = 0; i < 8; i++) {
    fail_if (pack (x, 0));
    arrive (x, i % 2, (uint16_t) (10 + i / 2), 1200, i);
  }
  fail_unless (next (x) <= 7);
  fail_unless (pack (x, 7));
  fail_unless_equals_int (x->n_blocks, 2);
  assert_block (x, 0, 0, 10, 4);
  assert_block (x, 1, 1, 10, 4);
  fail_unless_equals_int (x->size, 12 + 2 * (8 + 8));
  g_free (x);
}

GST_END_TEST;

GST_START_TEST (test_gap_is_reported_at_once)
{
  Fixture *x = new_fixture (1200);
  PspCcfbMetric metric;

  arrive (x, 0, 1, 1200, 0);
  fail_if (pack (x, 0));
  arrive (x, 0, 4, 1200, 1 * MS);
  fail_unless (next (x) <= 1 * MS);
  fail_unless (pack (x, 1 * MS));
  assert_block (x, 0, 0, 1, 4);
  for (unsigned i = 0; i < 4; i++) {
    psp_ccfb_metric (&x->blocks[0], i, &metric);
    fail_unless (metric.received == (i == 0 || i == 3));
  }
  /* The late one waits as any other. */
  arrive (x, 0, 3, 1200, 2 * MS);
  fail_unless_equals_int64 (next (x), 27 * MS);
  fail_unless (pack (x, 27 * MS));
  assert_block (x, 0, 0, 1, 4);
  psp_ccfb_metric (&x->blocks[0], 2, &metric);
  fail_unless (metric.received);
  g_free (x);
}

GST_END_TEST;

/* Any one report may be lost. Any: each packet's arrival is in two at least. */
GST_START_TEST (test_reports_overlap)
{
  Fixture *x = new_fixture (1200);
  unsigned reported[400] = { 0 };
  PspCcfbMetric metric;

  for (unsigned i = 0; i < G_N_ELEMENTS (reported); i++) {
    int64_t now = i * 5 * MS;
    bool lost = i % 7 == 3 || i % 31 < 3;

    if (!lost)
      arrive (x, 0, (uint16_t) (65000 + i), 1200, now);
    if (i % 40 == 39)           /* the one lost 1 before comes late */
      arrive (x, 0, (uint16_t) (65000 + i - 1), 1200, now);
    while (pack (x, now)) {
      for (unsigned k = 0; k < x->blocks[0].n_reports; k++) {
        psp_ccfb_metric (&x->blocks[0], k, &metric);
        reported[(uint16_t) (x->blocks[0].begin_seq + k - 65000)] +=
            metric.received;
      }
    }
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (reported) - 16; i++) {
    bool lost = (i % 7 == 3 || i % 31 < 3) && i % 40 != 38;

    fail_unless (lost ? reported[i] == 0 : reported[i] >= 2, "%u: %u", i,
        reported[i]);
  }
  g_free (x);
}

GST_END_TEST;

/* Every octet of payload earns a fiftieth of an octet, be it what it may. */
static const struct
{
  const char *what;
  unsigned payload;             /* octets a packet */
  int64_t spacing;              /* ns */
  unsigned loss;                /* one in so many, 0 = none */
  unsigned streams;
  double least_per_second;      /* reports, for the feedback to be of use */
  bool below_floor;             /* 2 % do not pay for one a second */
} budget_rows[] = {
  {"video, 10 Mb/s", 1200, 960 * PSP_USECOND, 0, 1, 130, false},
  {"video, 10 Mb/s, lossy", 1200, 960 * PSP_USECOND, 10, 1, 160, false},
  {"video, 10 Mb/s, half lost", 1200, 960 * PSP_USECOND, 2, 1, 190, false},
  {"video, 1 Mb/s", 1200, 9600 * PSP_USECOND, 0, 1, 33, false},
  {"video, 250 kb/s", 1200, 38400 * PSP_USECOND, 0, 1, 26, false},
  {"video, 100 kb/s, lossy", 800, 64 * MS, 5, 1, 6, false},
  {"sixteen streams", 1000, 2 * MS, 20, 16, 30, false},
  {"sound, 64 kb/s", 160, 20 * MS, 0, 1, 3, false},
  {"sound, lossy", 160, 20 * MS, 7, 1, 1.9, false},
  {"tiny", 10, 10 * MS, 3, 1, 0.98, true},
  {"a probe a second", 100, PSP_SECOND, 0, 1, 0.98, true},
  {"empty packets", 0, 50 * MS, 0, 1, 0.98, true},
};

GST_START_TEST (test_budget)
{
  Fixture *x = new_fixture (1200);
  const int64_t seconds = 60;
  uint64_t payload = 0, octets = 0, reports = 0, floor_octets = 0;
  uint16_t seq[PSP_MAX_STREAMS] = { 0 };
  GRand *random = g_rand_new_with_seed (1);
  unsigned n = 0;
  double allowed;

  for (int64_t now = 0; now < seconds * PSP_SECOND;
      now += budget_rows[__i__].spacing) {
    unsigned ssrc = n++ % budget_rows[__i__].streams;
    int64_t due;

    /* Whatever is due before the next packet, when it is due. */
    while ((due = next (x)) < now) {
      double credit = x->f.credit;

      fail_unless (pack (x, due));
      octets += x->size;
      reports++;
      if (credit < (double) x->size)
        floor_octets += x->size;
    }
    seq[ssrc]++;
    if (budget_rows[__i__].loss && g_rand_int_range (random, 0,
            (gint32) budget_rows[__i__].loss) == 0)
      continue;
    arrive (x, ssrc, seq[ssrc], budget_rows[__i__].payload, now);
    payload += budget_rows[__i__].payload;
  }
  /* The floor is an exception only for who sends little or nothing. */
  allowed = 0.02 * (double) payload + PSP_REPORTING_FIRST_CREDIT +
      PSP_REPORTING_MAX_DEBT;
  if (budget_rows[__i__].below_floor)
    allowed += (double) floor_octets;
  fail_unless ((double) octets <= allowed, "%s: %" G_GUINT64_FORMAT
      " octets of feedback, %f allowed", budget_rows[__i__].what, octets,
      allowed);
  fail_unless (floor_octets <=
      (guint64) seconds * PSP_REPORTING_FLOOR_SIZE + 2 * n);
  fail_unless ((double) reports / seconds >=
      budget_rows[__i__].least_per_second, "%s: %f reports a second",
      budget_rows[__i__].what, (double) reports / seconds);
  fail_unless_equals_int64 (reports, x->f.n_sent);
  g_rand_free (random);
  g_free (x);
}

GST_END_TEST;

/* Short of credit, the repetition goes first, then the gap; then it waits, and
 * a second after the last report something is said whatever it costs. */
GST_START_TEST (test_short_of_credit)
{
  Fixture *x = new_fixture (1200);

  for (unsigned i = 0; i < 16; i++) {
    arrive (x, 0, (uint16_t) i, 0, 0);
    x->f.credit = 1000;
    pack (x, 0);
  }
  fail_unless_equals_int64 (x->f.n_sent, 2);

  for (unsigned i = 20; i < 23; i++)
    arrive (x, 0, (uint16_t) i, 0, 100 * MS);
  x->f.credit = 28;             /* of 16 … 22: those that arrived, and one */
  fail_unless (pack (x, 100 * MS));
  fail_unless_equals_int (x->size, 28);
  assert_block (x, 0, 0, 19, 4);
  fail_unless (x->f.credit == 0);
  fail_unless_equals_int64 (x->f.n_throttled, 0);

  for (unsigned i = 23; i < 30; i++)
    arrive (x, 0, (uint16_t) i, 0, 200 * MS);
  fail_unless_equals_int64 (x->f.n_throttled, 0);
  arrive (x, 0, 30, 0, 210 * MS);
  fail_unless_equals_int64 (x->f.n_throttled, 1);
  arrive (x, 0, 31, 0, 220 * MS);
  fail_unless_equals_int64 (x->f.n_throttled, 1);
  fail_unless_equals_int64 (next (x), 1100 * MS);
  fail_if (pack (x, 1100 * MS - 1));
  fail_if (pack_into (x, 1100 * MS - 1, 1200, true));
  fail_unless (pack (x, 1100 * MS));
  assert_block (x, 0, 0, 22, 10);       /* an even number costs no more */
  fail_unless (x->f.credit == -40);

  /* A payload that earns enough ends the waiting. */
  arrive (x, 0, 33, 0, 1200 * MS);
  fail_unless_equals_int64 (next (x), 2100 * MS);
  arrive (x, 0, 34, 3200, 1201 * MS);
  fail_unless (next (x) <= 1201 * MS);
  fail_unless (pack (x, 1201 * MS));
  assert_block (x, 0, 0, 33, 2);
  fail_unless_equals_int64 (x->f.n_throttled, 2);
  g_free (x);
}

GST_END_TEST;

/* A sender may count later arrivals over all of its streams (ours does): of
 * some only, it would take the others' packets for lost. */
GST_START_TEST (test_all_streams_or_none)
{
  Fixture *x = new_fixture (1200);

  arrive (x, 0, 0, 0, 0);
  fail_unless (pack (x, INTERVAL));
  for (unsigned i = 0; i < 3; i++)
    arrive (x, i, (uint16_t) (i == 0), 0, 100 * MS);
  x->f.credit = 12 + 3 * 12 - 1;
  fail_if (pack (x, 200 * MS));
  x->f.credit++;
  fail_unless (pack (x, 200 * MS));
  fail_unless_equals_int (x->n_blocks, 3);
  fail_unless (x->f.credit == 0);
  g_free (x);
}

GST_END_TEST;

/* The floor has room for all packets that came, but not for any gap: 8 numbers
 * beside them, or 64 numbers in all, the newest. */
static const struct
{
  unsigned n;                   /* packets, each 1 ms */
  unsigned gap;                 /* numbers before the last packet */
  unsigned reported;
} floor_rows[] = {
  {4, 0, 4},
  {4, 60, 64},
  {4, 100, 64},
  {500, 0, 500},
  {400, 8, 408},
  {400, 9, 408}
};

GST_START_TEST (test_floor)
{
  const unsigned n = floor_rows[__i__].n, gap = floor_rows[__i__].gap;
  const unsigned reported = floor_rows[__i__].reported;
  Fixture *x = new_fixture (1200);

  arrive (x, 0, 0, 0, 0);
  pack (x, INTERVAL);
  x->f.credit = 0;
  for (unsigned i = 1; i < n; i++)
    arrive (x, 0, (uint16_t) i, 0, i * MS);
  arrive (x, 0, (uint16_t) (n + gap), 0, n * MS);
  fail_if (pack (x, 600 * MS));
  fail_unless (pack (x, PSP_SECOND + INTERVAL));
  assert_block (x, 0, 0, (uint16_t) (n + gap + 1 - reported),
      (uint16_t) reported);
  fail_unless_equals_int64 (next (x), PSP_TIME_NEVER);
  g_free (x);
}

GST_END_TEST;

/* Streams of sound, and one with a gap that would take all the room: the floor
 * tells of all packets of all streams. */
GST_START_TEST (test_floor_of_all_streams)
{
  Fixture *x = new_fixture (1200);
  unsigned n_reports = 0;

  x->f.floor_interval = PSP_RECEIVER_FLOOR_INTERVAL;
  x->f.credit = 0;
  for (uint16_t k = 0; k < 500; k++) {
    int64_t now = k * 20 * MS, due;

    while ((due = next (x)) < now) {
      fail_unless (pack (x, due));
      n_reports++;
      fail_unless_equals_int (x->n_blocks, MIN (x->n_streams, PSP_MAX_STREAMS));
      for (unsigned i = 0; i < x->n_streams; i++)
        fail_unless_equals_int (x->streams[i].n_unreported, 0);
    }
    for (uint32_t i = 0; i < PSP_MAX_STREAMS; i++)
      arrive (x, i, (uint16_t) (i == 7 && k > 100 ? k + 300 : k), 20, now);
  }
  fail_unless (n_reports > 75, "%u", n_reports);
  g_free (x);
}

GST_END_TEST;

/* The floor of pspsrc: packets that earn little are reported eight times a
 * second, or one by one where fewer come, and nothing is repeated. */
GST_START_TEST (test_floor_of_eight)
{
  static const struct
  {
    uint32_t payload;
    int64_t spacing;
    double least, most;         /* reports a second */
  } rows[] = {
    {98, 11 * MS, 7.9, 8},      /* small slices of a live encoder */
    {10, 2 * MS, 7.9, 8},
    {80, MS, 7.9, 8},
    {98, 330 * MS, 3, 3.1},
  };
  const int64_t seconds = 60;

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *x = new_fixture (1200);
    unsigned n_reports = 0, n_packets = 0, n_metrics = 0;
    uint64_t octets = 0;
    double payload;

    x->f.floor_interval = PSP_RECEIVER_FLOOR_INTERVAL;
    x->f.credit = 0;
    for (int64_t now = 0; now < seconds * PSP_SECOND; now += rows[i].spacing) {
      int64_t due;

      while ((due = next (x)) < now) {
        fail_unless (pack (x, due));
        octets += x->size;
        n_metrics += x->blocks[0].n_reports;
        n_reports++;
      }
      arrive (x, 0, (uint16_t) n_packets++, rows[i].payload, now);
    }
    fail_unless (n_reports >= rows[i].least * (double) seconds,
        "%u: %u reports", i, n_reports);
    fail_unless (n_reports <= rows[i].most * (double) seconds + 1,
        "%u: %u reports", i, n_reports);
    payload = (double) n_packets *rows[i].payload;
    fail_unless ((double) octets <= MAX (0.02 * payload,
            n_reports * 24.0 + 2.0 * n_metrics), "%u: %" G_GUINT64_FORMAT
        " octets", i, octets);
    /* Metrics are in pairs. */
    fail_unless (n_metrics <= n_packets + 2 * n_reports, "%u: %u metrics", i,
        n_metrics);
    g_free (x);
  }
}

GST_END_TEST;

GST_START_TEST (test_split)
{
  Fixture *x = new_fixture (120);       /* 50 packets of one stream */
  unsigned reported = 0, n = 0;

  x->f.interval = PSP_SECOND;
  for (unsigned i = 0; i < 120; i++)
    arrive (x, 0, (uint16_t) i, 10000, 0);
  for (unsigned i = 0; i < 30; i++)
    arrive (x, 1, (uint16_t) (60000 + i), 10000, 1);
  while (pack (x, 1)) {
    fail_unless (x->size <= 120);
    for (unsigned i = 0; i < x->n_blocks; i++) {
      const PspCcfbStream *b = &x->blocks[i];
      uint16_t base = b->ssrc ? 60000 : 0;

      /* In order and without a hole. */
      if (b->ssrc == 0) {
        fail_unless (b->begin_seq <= reported);
        reported = b->begin_seq + b->n_reports;
      } else {
        fail_unless_equals_int (reported, 120);
        fail_unless (b->begin_seq >= base);
      }
    }
    fail_unless (++n < 10);
  }
  fail_unless_equals_int (reported, 120);
  fail_unless_equals_int (n, 4);
  fail_unless_equals_int64 (next (x), PSP_TIME_NEVER);
  g_free (x);
}

GST_END_TEST;

/* Beside a regular report, arrivals go before it is due if it is paid for, and
 * as much of it as there is room for. */
GST_START_TEST (test_early)
{
  Fixture *x = new_fixture (1200);

  fail_if (pack_into (x, 0, 1200, true));
  arrive (x, 0, 0, 1200, 0);
  arrive (x, 0, 1, 1200, 0);
  arrive (x, 0, 2, 1200, 0);
  for (size_t capacity = 0; capacity < 24; capacity++)
    fail_if (pack_into (x, 0, capacity, true));
  fail_unless (pack_into (x, 0, 24, true));
  assert_block (x, 0, 0, 0, 2);
  fail_unless (pack_into (x, 0, 1200, true));
  assert_block (x, 0, 0, 0, 3);
  fail_if (pack_into (x, 0, 1200, true));
  g_free (x);
}

GST_END_TEST;

GST_START_TEST (test_regular_reports_are_paid_for)
{
  PspReporting f;

  psp_reporting_init (&f, INTERVAL, FLOOR, 1200);
  psp_reporting_spend (&f, 100);
  fail_unless (f.credit == 28);
  psp_reporting_spend (&f, 100);
  fail_unless (f.credit == -72);
  psp_reporting_spend (&f, 100);
  fail_unless (f.credit == -PSP_REPORTING_MAX_DEBT);
  psp_reporting_earn (&f, 100000000);
  fail_unless (f.credit == PSP_REPORTING_MAX_CREDIT);
}

GST_END_TEST;

/* What another kind of report may cost, and that it left. */
GST_START_TEST (test_room)
{
  Fixture *x = new_fixture (1200);
  size_t room;

  arrive (x, 0, 0, 1000, 0);
  fail_unless_equals_int (psp_reporting_room (&x->f, x->streams, 1, false, 0),
      0);
  room = psp_reporting_room (&x->f, x->streams, 1, true, 0);
  fail_unless_equals_int (room, PSP_REPORTING_FIRST_CREDIT + 20);
  fail_unless_equals_int (psp_reporting_room (&x->f, x->streams, 1, false,
          INTERVAL), room);
  fail_unless (psp_reporting_is_paid (&x->f, x->streams, 1));
  psp_reporting_left (&x->f, room, INTERVAL);
  fail_if (psp_reporting_is_paid (&x->f, x->streams, 1));
  fail_unless_equals_int (x->f.n_sent, 1);
  fail_unless_equals_int (psp_reporting_room (&x->f, x->streams, 1, false,
          2 * INTERVAL), 0);
  /* The floor. */
  fail_unless_equals_int (psp_reporting_room (&x->f, x->streams, 1, false,
          INTERVAL + FLOOR), PSP_REPORTING_FLOOR_SIZE);
  g_free (x);
}

GST_END_TEST;

static Suite *
reporting_suite (void)
{
  Suite *s = suite_create ("rtpfeedback-reporting");
  TCase *tc = tcase_create ("reporting");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_nothing);
  tcase_add_test (tc, test_oldest_waits_for_the_interval);
  tcase_add_test (tc, test_eight_are_enough);
  tcase_add_test (tc, test_gap_is_reported_at_once);
  tcase_add_test (tc, test_reports_overlap);
  tcase_add_loop_test (tc, test_budget, 0, G_N_ELEMENTS (budget_rows));
  tcase_add_test (tc, test_short_of_credit);
  tcase_add_test (tc, test_all_streams_or_none);
  tcase_add_loop_test (tc, test_floor, 0, G_N_ELEMENTS (floor_rows));
  tcase_add_test (tc, test_floor_of_all_streams);
  tcase_add_test (tc, test_floor_of_eight);
  tcase_add_test (tc, test_split);
  tcase_add_test (tc, test_early);
  tcase_add_test (tc, test_regular_reports_are_paid_for);
  tcase_add_test (tc, test_room);
  return s;
}

GST_CHECK_MAIN (reporting);
