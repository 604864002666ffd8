/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "flight.h"

#define MS PSP_MSECOND
#define RTT (20 * MS)

static gint64
look (ItcpFlight * f, gint64 at, gint64 first, guint64 sent, guint64 acked)
{
  ItcpFlightSample t = {.at = at,.first = first,.sent = sent,.acked = acked,
    .min_rtt = RTT
  };

  return itcp_flight_look (f, &t);
}

/* Of two pictures, the second of which leaves while the first is acknowledged. */
GST_START_TEST (test_pictures)
{
  const gint64 unknown = PSP_TIME_UNKNOWN;
  ItcpFlight f;

  itcp_flight_init (&f);
  fail_unless_equals_int64 (look (&f, 0, unknown, 0, 0), RTT);
  /* Nothing had left: it is as if the first look had been now. */
  fail_unless_equals_int64 (look (&f, 5 * MS, unknown, 0, 0), 5 * MS + RTT);
  /* All of these have left since. */
  fail_unless_equals_int64 (look (&f, 7 * MS, unknown, 1000, 0), 5 * MS + RTT);
  fail_unless_equals_int64 (look (&f, 12 * MS, unknown, 9000, 0), 5 * MS + RTT);
  fail_unless_equals_int64 (look (&f, 26 * MS, unknown, 9000, 4000),
      7 * MS + RTT);
  fail_unless_equals_int64 (look (&f, 35 * MS, 34 * MS, 10000, 8000),
      7 * MS + RTT);
  fail_unless_equals_int64 (look (&f, 36 * MS, unknown, 11000, 9000),
      34 * MS + RTT);
  fail_unless_equals_int64 (look (&f, 37 * MS, unknown, 11000, 11000),
      37 * MS + RTT);
}

GST_END_TEST;

/* Times of the first to leave that are none: before the last look, or to come. */
GST_START_TEST (test_first)
{
  ItcpFlight f;

  itcp_flight_init (&f);
  look (&f, 10 * MS, PSP_TIME_UNKNOWN, 0, 0);
  fail_unless_equals_int64 (look (&f, 20 * MS, 9 * MS, 1000, 0), 10 * MS + RTT);
  itcp_flight_init (&f);
  look (&f, 10 * MS, PSP_TIME_UNKNOWN, 0, 0);
  fail_unless_equals_int64 (look (&f, 20 * MS, 90 * MS, 1000, 0),
      20 * MS + RTT);
}

GST_END_TEST;

static gint64
with_rtt (gint64 rtt)
{
  ItcpFlightSample t = {.at = 5 * MS,.first = PSP_TIME_UNKNOWN,.min_rtt = rtt
  };
  ItcpFlight f;

  itcp_flight_init (&f);
  return itcp_flight_look (&f, &t);
}

/* Round trips that are none, and bytes that cannot be. */
GST_START_TEST (test_unknown)
{
  ItcpFlight f;

  fail_unless_equals_int64 (with_rtt (1), 5 * MS + 1);
  fail_unless_equals_int64 (with_rtt (0), INT64_MIN);
  fail_unless_equals_int64 (with_rtt (-1), INT64_MIN);
  fail_unless_equals_int64 (with_rtt (INT64_MAX), INT64_MIN);
  /* Amid a connection. */
  itcp_flight_init (&f);
  fail_unless_equals_int64 (look (&f, MS, PSP_TIME_UNKNOWN, 5000, 3000),
      INT64_MIN);
  fail_unless_equals_int64 (look (&f, 2 * MS, PSP_TIME_UNKNOWN, 6000, 5000),
      MS + RTT);
  /* Fewer than before; more acknowledged than sent. */
  look (&f, 3 * MS, PSP_TIME_UNKNOWN, 10, G_MAXUINT64);
  look (&f, 4 * MS, PSP_TIME_UNKNOWN, G_MAXUINT64, 0);
  look (&f, 5 * MS, PSP_TIME_UNKNOWN, 0, 10);
}

GST_END_TEST;

#define SEGMENTS 4000
#define SIZE 1000

/* Bursts of segments, each acknowledged a round trip and some jitter after it
 * left, and looks no further apart than `gap`, at the least of which there is no
 * room for a mark of each: no acknowledgement comes before it can. */
static void
send_and_look (GRand * rand, gboolean stamped, gint64 gap, gint64 * quiet,
    gint64 * all)
{
  gint64 left[SEGMENTS], acked_at[SEGMENTS], now = 0;
  guint sent = 0, acked = 0, before = 0;
  ItcpFlight f;

  for (guint i = 0; i < SEGMENTS; i++) {
    now += g_rand_int_range (rand, 1, 600000);
    if (i % 50 == 49)           /* a picture */
      now += 15 * MS;
    left[i] = now;
    acked_at[i] = now + RTT + g_rand_int_range (rand, 0, 2000000);
    if (i > 0)
      acked_at[i] = MAX (acked_at[i], acked_at[i - 1]);
  }
  itcp_flight_init (&f);
  for (now = 0; acked < SEGMENTS; now += 1 + g_rand_int_range (rand, 0,
          (gint32) gap)) {
    gint64 first = PSP_TIME_UNKNOWN, next;

    while (sent < SEGMENTS && left[sent] <= now)
      sent++;
    while (acked < SEGMENTS && acked_at[acked] <= now)
      acked++;
    if (stamped && sent > before)
      first = left[before];
    before = sent;
    next = look (&f, now, first, sent * SIZE, acked * SIZE);
    fail_unless (acked == SEGMENTS || next <= acked_at[acked],
        "%" G_GINT64_FORMAT " ns too late", next - acked_at[MIN (acked,
                SEGMENTS - 1)]);
    if (next > now)
      *quiet += MIN (next - now, gap / 2);
    *all += gap / 2;
  }
}

GST_START_TEST (test_never_late)
{
  GRand *rand = g_rand_new_with_seed (7);
  static const gint64 gaps[] = { 100000, 2 * MS, 10 * MS, 50 * MS };

  for (guint i = 0; i < G_N_ELEMENTS (gaps); i++)
    for (guint stamped = 0; stamped < 2; stamped++) {
      gint64 quiet = 0, all = 0;

      send_and_look (rand, stamped, gaps[i], &quiet, &all);
      GST_INFO ("looks %" G_GINT64_FORMAT
          " us apart at the most, %s: quiet for " "%.2f of the time",
          gaps[i] / 1000, stamped ? "stamped" : "not",
          (gdouble) quiet / (gdouble) all);
      /* Of 30 ms, of which it is for 15. */
      if (gaps[i] == 2 * MS)
        fail_unless (quiet > all / 4);
    }
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
flight_suite (void)
{
  Suite *s = suite_create ("flight");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_pictures);
  tcase_add_test (tc, test_first);
  tcase_add_test (tc, test_unknown);
  tcase_add_test (tc, test_never_late);
  return s;
}

GST_CHECK_MAIN (flight);
