/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "queue.h"

#define MS PSP_MSECOND

/* The next tick's, with this the least round trip since the last. */
static ItcpQueueVerdict
tick (ItcpQueue * q, gint64 rtt, gboolean rose)
{
  itcp_queue_look (q, rtt + 300 * MS);  /* behind a large picture */
  itcp_queue_look (q, rtt);
  itcp_queue_look (q, rtt + 100 * MS);
  itcp_queue_look (q, 0);
  return itcp_queue_tick (q, rose, FALSE, 30 * MS);
}

static void
begin (ItcpQueue * q)
{
  itcp_queue_init (q);
  fail_unless_equals_int (tick (q, 50 * MS, FALSE), ITCP_QUEUE_CLEAR);
  fail_unless_equals_int (tick (q, 80 * MS, TRUE), ITCP_QUEUE_CLEAR);
  fail_unless_equals_int (tick (q, 111 * MS, TRUE), ITCP_QUEUE_GREW);
}

/* Behind a rise only, and beyond the limit and 20 ms only. */
GST_START_TEST (test_grows)
{
  ItcpQueue q;

  begin (&q);
  itcp_queue_init (&q);
  fail_unless_equals_int (tick (&q, 500 * MS, TRUE), ITCP_QUEUE_CLEAR);
  fail_unless_equals_int (tick (&q, 900 * MS, FALSE), ITCP_QUEUE_CLEAR);
  itcp_queue_look (&q, 920 * MS);
  fail_unless_equals_int (itcp_queue_tick (&q, TRUE, FALSE, 0),
      ITCP_QUEUE_CLEAR);
  itcp_queue_look (&q, 940 * MS + 1);
  fail_unless_equals_int (itcp_queue_tick (&q, TRUE, FALSE, 0),
      ITCP_QUEUE_GREW);
}

GST_END_TEST;

/* It is let drain to within 20 ms of the least that it has been. */
GST_START_TEST (test_drains)
{
  ItcpQueue q;

  begin (&q);
  fail_if (q.drained);
  fail_unless_equals_int (tick (&q, 150 * MS, FALSE), ITCP_QUEUE_GROWS);
  fail_unless_equals_int (tick (&q, 160 * MS, FALSE), ITCP_QUEUE_DRAINS);
  fail_unless_equals_int (tick (&q, 71 * MS, FALSE), ITCP_QUEUE_DRAINS);
  fail_if (q.drained);
  fail_unless_equals_int (tick (&q, 70 * MS, FALSE), ITCP_QUEUE_CLEAR);
  fail_unless (q.drained);
  fail_unless_equals_int (tick (&q, 110 * MS, TRUE), ITCP_QUEUE_GREW);
  itcp_queue_look (&q, 40 * MS);
  itcp_queue_look_anew (&q);
  fail_unless_equals_int (tick (&q, 71 * MS, FALSE), ITCP_QUEUE_DRAINS);
  fail_unless_equals_int (tick (&q, 50 * MS, FALSE), ITCP_QUEUE_CLEAR);
}

GST_END_TEST;

/* One that stays gets another step with each fourth tick, up to five, and is waited
 * for twelve ticks; then it is others', and the next is measured from there. */
GST_START_TEST (test_stays)
{
  ItcpQueue q;

  begin (&q);
  for (guint i = 1; i <= ITCP_QUEUE_DRAIN_TICKS; i++)
    fail_unless_equals_int (tick (&q, 120 * MS, FALSE), i % 4 == 0 ?
        ITCP_QUEUE_GROWS : ITCP_QUEUE_DRAINS);
  fail_unless_equals_int (tick (&q, 120 * MS, FALSE), ITCP_QUEUE_CLEAR);
  fail_unless_equals_int (tick (&q, 160 * MS, TRUE), ITCP_QUEUE_GREW);
  fail_unless_equals_int (tick (&q, 140 * MS, FALSE), ITCP_QUEUE_CLEAR);
}

GST_END_TEST;

/* One that grows behind five steps down is others': the round trip says nothing
 * until the base is reached, and for four ticks there. */
GST_START_TEST (test_others)
{
  gint64 rtt = 150 * MS;
  ItcpQueue q;

  begin (&q);
  for (guint steps = 3; steps <= 5; steps++)
    fail_unless_equals_int (tick (&q, rtt += 40 * MS, FALSE), ITCP_QUEUE_GROWS);
  fail_unless_equals_int (tick (&q, rtt += 40 * MS, FALSE), ITCP_QUEUE_OTHERS);
  fail_unless_equals_int64 (q.stood, rtt);
  for (guint i = 0; i < 100; i++)
    fail_unless_equals_int (tick (&q, rtt += 40 * MS, TRUE), ITCP_QUEUE_CLEAR);
  for (guint i = 0; i < ITCP_QUEUE_IGNORED; i++) {
    fail_unless (q.ignored > 0);
    itcp_queue_look (&q, rtt += 40 * MS);
    fail_unless_equals_int (itcp_queue_tick (&q, TRUE, TRUE, 0),
        ITCP_QUEUE_CLEAR);
  }
  fail_unless_equals_int (tick (&q, rtt += 40 * MS, TRUE), ITCP_QUEUE_GREW);
}

GST_END_TEST;

/* After four waves they have to be twice as large, but not at the base; after
 * twenty none counts until the base is reached. */
GST_START_TEST (test_waves)
{
  ItcpQueue q;

  itcp_queue_init (&q);
  for (guint i = 0; i < ITCP_QUEUE_MOST_WAVES; i++) {
    gboolean at_base = i % 2;
    gint64 limit = (i < ITCP_QUEUE_WAVES || at_base ? 30 : 60) * MS;

    fail_unless_equals_int (itcp_queue_doubts (&q), i >= ITCP_QUEUE_WAVES);
    itcp_queue_look (&q, 50 * MS);
    itcp_queue_tick (&q, FALSE, at_base, 0);
    itcp_queue_look (&q, 50 * MS + limit);
    fail_unless_equals_int (itcp_queue_tick (&q, TRUE, at_base, 30 * MS),
        ITCP_QUEUE_CLEAR);
    itcp_queue_look (&q, 50 * MS);
    itcp_queue_tick (&q, FALSE, at_base, 0);
    itcp_queue_look (&q, 51 * MS + limit);
    fail_unless_equals_int (itcp_queue_tick (&q, TRUE, at_base, 30 * MS),
        ITCP_QUEUE_GREW);
    fail_unless_equals_int (tick (&q, 50 * MS, FALSE), ITCP_QUEUE_CLEAR);
  }
  fail_unless_equals_int (q.ignored, 0);
  fail_unless_equals_int (tick (&q, 500 * MS, TRUE), ITCP_QUEUE_CLEAR);
  fail_unless_equals_int (q.ignored, ITCP_QUEUE_IGNORED);
  fail_if (itcp_queue_doubts (&q));
}

GST_END_TEST;

/* A tick without a look finds nothing, forgets nothing, and is waited for where
 * a queue may stand. */
GST_START_TEST (test_no_look)
{
  ItcpQueue q;

  begin (&q);
  fail_unless_equals_int (itcp_queue_tick (&q, FALSE, FALSE, 0),
      ITCP_QUEUE_DRAINS);
  fail_if (q.drained);
  fail_unless_equals_int (tick (&q, 142 * MS, FALSE), ITCP_QUEUE_GROWS);
  fail_unless_equals_int (tick (&q, 50 * MS, FALSE), ITCP_QUEUE_CLEAR);
  fail_unless_equals_int (itcp_queue_tick (&q, TRUE, FALSE, 0),
      ITCP_QUEUE_CLEAR);
  fail_unless_equals_int (tick (&q, 81 * MS, TRUE), ITCP_QUEUE_GREW);
}

GST_END_TEST;

static Suite *
queue_suite (void)
{
  Suite *s = suite_create ("itcp-queue");
  TCase *tc = tcase_create ("queue");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_grows);
  tcase_add_test (tc, test_drains);
  tcase_add_test (tc, test_stays);
  tcase_add_test (tc, test_others);
  tcase_add_test (tc, test_waves);
  tcase_add_test (tc, test_no_look);
  return s;
}

GST_CHECK_MAIN (queue);
