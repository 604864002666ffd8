/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Flow queuing against RFC 8290's rules, on a link where a packet takes 1 ms.
 */
#include "testlink.h"

#define MS INT64_C (1000000)

static void
offer (Link * l, int64_t at, unsigned flow, uint32_t size, int n)
{
  LinkPacket packet = { 0 };

  while (n-- > 0) {
    packet.flow = packet.flow_hash = flow;
    packet.size = size;
    fail_unless_equals_int (link_offer (l, at, &packet), LINK_ACCEPTED);
  }
}

/* A quantum is a packet and a bit: a new flow has two packets, then each has one
 * in turn. */
GST_START_TEST (test_turns)
{
  Link *l = new_link ("rate=12M,overhead=0,codel,fq");
  const unsigned order[] = { 1, 1, 2, 2, 1, 2, 1, 1, 1 };
  LinkPacket packet;
  guint i;

  offer (l, 0, 1, 1500, 6);
  offer (l, 0, 2, 1500, 3);
  for (i = 0; i < G_N_ELEMENTS (order); i++) {
    fail_unless (link_take (l, LINK_NEVER - 1, &packet));
    fail_unless_equals_int (packet.flow, order[i]);
    fail_unless_equals_int64 (packet.delivered, (int64_t) (i + 1) * MS);
  }
  fail_if (link_take (l, LINK_NEVER - 1, &packet));
  link_free (l);
}

GST_END_TEST;

/* A flow below its part waits for what is being sent, and for the two packets
 * that another flow may have in its turn. */
GST_START_TEST (test_sparse)
{
  Link *l = new_link ("rate=12M,overhead=0,codel,fq");
  LinkPacket packet;
  int sparse = 0, k;

  offer (l, 0, 1, 1500, 300);
  for (k = 1; k <= 10; k++)
    offer (l, 20 * k * MS + 1, 2, 200, 1);
  while (link_take (l, LINK_NEVER - 1, &packet))
    if (packet.flow == 2) {
      fail_unless_equals_int (packet.verdict, LINK_DELIVERED);
      fail_unless (packet.started - packet.arrived <= 2 * MS);
      sparse++;
    }
  fail_unless_equals_int (sparse, 10);
  link_free (l);
}

GST_END_TEST;

/* Each flow has a CoDel of its own: who keeps no queue loses nothing. */
GST_START_TEST (test_drops)
{
  Link *l = new_link ("rate=12M,overhead=0,queue=2000p,codel,fq");
  int dropped[3] = { 0 }, k;
  LinkPacket packet;

  offer (l, 0, 1, 1500, 500);
  for (k = 0; k < 100; k++)
    offer (l, 3 * k * MS, 2, 1500, 1);
  while (link_take (l, LINK_NEVER - 1, &packet))
    dropped[packet.flow] += packet.verdict == LINK_DROPPED_CODEL;
  fail_unless (dropped[1] > 5, "%d", dropped[1]);
  fail_unless_equals_int (dropped[2], 0);
  link_free (l);
}

GST_END_TEST;

/* Where all is full, the head of the longest queue goes. */
GST_START_TEST (test_longest)
{
  Link *l = new_link ("rate=12M,overhead=0,queue=10p,codel,fq");
  LinkPacket packet;
  LinkStats stats;
  int taken[3] = { 0 };

  offer (l, 0, 1, 1500, 11);    /* one is being sent */
  offer (l, 0, 2, 1500, 3);
  link_get_stats (l, &stats);
  fail_unless_equals_int (stats.peak_packets, 10);
  while (link_take (l, LINK_NEVER - 1, &packet)) {
    if (packet.verdict == LINK_DELIVERED)
      taken[packet.flow]++;
    else
      fail_unless_equals_int (packet.verdict, LINK_DROPPED_FULL);
    if (packet.verdict == LINK_DROPPED_FULL)    /* the first that waited */
      fail_unless (packet.sequence >= 1 && packet.sequence <= 3);
  }
  fail_unless_equals_int (taken[1], 8);
  fail_unless_equals_int (taken[2], 3);
  link_get_stats (l, &stats);
  fail_unless_equals_uint64 (stats.verdicts[LINK_DROPPED_FULL], 3);
  fail_unless_equals_uint64 (stats.verdicts[LINK_ACCEPTED], 0);
  link_free (l);
}

GST_END_TEST;

GST_START_TEST (test_flush)
{
  Link *l = new_link ("rate=12M,overhead=0,codel,fq");
  LinkPacket packet;
  int n = 0;

  offer (l, 0, 1, 1500, 5);
  offer (l, 0, 2, 1500, 5);
  while (link_flush (l, &packet))
    n++;
  fail_unless_equals_int (n, 10);
  link_free (l);
}

GST_END_TEST;

static Suite *
link_fq_suite (void)
{
  Suite *s = suite_create ("link-fq");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_turns);
  tcase_add_test (tc, test_sparse);
  tcase_add_test (tc, test_drops);
  tcase_add_test (tc, test_longest);
  tcase_add_test (tc, test_flush);
  return s;
}

GST_CHECK_MAIN (link_fq);
