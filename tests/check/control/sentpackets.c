/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "../often.h"
#include <control/sentpackets.h>

#define CAPACITY 64
#define N_SERIES 5

static PspSentPackets sent;

static void
setup (void)
{
  fail_unless (psp_sent_packets_init (&sent, CAPACITY));
}

static void
teardown (void)
{
  psp_sent_packets_clear (&sent);
}

static int64_t
add (uint32_t series, uint16_t number, int64_t now)
{
  PspPacket packet = {.size = 100,.payload_size = 88,.has_key = true,
    .key = {series, number}
  };

  return psp_sent_packets_add (&sent, &packet, PSP_ECN_NOT_ECT, now, false);
}

static int64_t
add_unnamed (uint32_t size, int64_t now)
{
  PspPacket packet = {.size = size };

  return psp_sent_packets_add (&sent, &packet, PSP_ECN_NOT_ECT, now, true);
}

static int64_t
look_up (uint32_t series, uint16_t number)
{
  int place = psp_sent_packets_find_series (&sent, series);

  return place < 0 ? -2 : psp_sent_packets_look_up (&sent, (unsigned) place,
      number);
}

GST_START_TEST (test_packet)
{
  PspSentPacket *p;

  fail_unless_equals_int64 (add (7, 65535, 5), 0);
  fail_unless_equals_int64 (add_unnamed (300, 6), 1);
  fail_unless_equals_int64 (look_up (7, 65535), 0);
  fail_unless_equals_int64 (look_up (7, 0), -1);
  fail_unless_equals_int64 (look_up (8, 65535), -2);
  p = psp_sent_packets_get (&sent, 0);
  fail_unless_equals_int (p->size, 100);
  fail_unless_equals_int (p->payload_size, 88);
  fail_unless_equals_int64 (p->sent_at, 5);
  fail_if (p->app_limited);
  fail_unless (psp_sent_packets_at (&sent, 1)->app_limited);
  fail_unless_equals_int64 (sent.in_flight, 2);
  psp_sent_packets_decide (&sent, p, PSP_SENT_LOST);
  fail_unless_equals_int64 (sent.in_flight, 1);
  fail_unless_equals_int64 (sent.oldest, 1);
  psp_sent_packets_forget (&sent);
  fail_unless (psp_sent_packets_get (&sent, 1) == NULL);
  fail_unless_equals_int64 (sent.in_flight, 0);
  fail_unless_equals_int64 (psp_sent_packets_unbound (&sent, 0, 6, 300), -1);
}

GST_END_TEST;

/* Of two receivers in turn; the oldest that is left is the other's. */
GST_START_TEST (test_forget_receiver)
{
  PspPacket packet = {.size = 100,.payload_size = 88,.has_key = true };

  for (uint16_t i = 0; i < 6; i++) {
    packet.key.series = packet.receiver = i % 2;
    packet.key.number = i;
    psp_sent_packets_add (&sent, &packet, PSP_ECN_NOT_ECT, i, false);
  }
  psp_sent_packets_forget_receiver (&sent, 0);
  fail_unless_equals_int64 (sent.in_flight, 3);
  fail_unless_equals_int64 (sent.oldest, 1);
  fail_unless_equals_int (psp_sent_packets_get (&sent, 2)->state,
      PSP_SENT_FORGOTTEN);
  fail_unless_equals_int (psp_sent_packets_get (&sent, 3)->state,
      PSP_SENT_UNDECIDED);
  psp_sent_packets_forget_receiver (&sent, 1);
  fail_unless_equals_int64 (sent.in_flight, 0);
  fail_unless_equals_int64 (sent.oldest, 6);
}

GST_END_TEST;

GST_START_TEST (test_unbound)
{
  PspKey key = { 0, 9 };

  add_unnamed (300, 10);
  add_unnamed (300, 20);
  add_unnamed (300, 20);
  add_unnamed (500, 25);
  fail_unless_equals_int64 (psp_sent_packets_unbound (&sent, 0, 9, 300), -1);
  fail_unless_equals_int64 (psp_sent_packets_unbound (&sent, 0, 15, 300), 0);
  fail_unless_equals_int64 (psp_sent_packets_unbound (&sent, 1, 15, 300), -1);
  /* Of those that left together the first, and after that the second. */
  fail_unless_equals_int64 (psp_sent_packets_unbound (&sent, 0, 30, 300), 1);
  fail_if (psp_sent_packets_is_named (psp_sent_packets_at (&sent, 1)));
  psp_sent_packets_bind (&sent, 1, &key);
  fail_unless (psp_sent_packets_is_named (psp_sent_packets_at (&sent, 1)));
  fail_unless_equals_int64 (psp_sent_packets_unbound (&sent, 0, 30, 300), 2);
  fail_unless_equals_int64 (psp_sent_packets_unbound (&sent, 0, 30, 500), 3);
  fail_unless_equals_int64 (look_up (0, 9), 1);
  fail_unless_equals_int64 (psp_sent_packets_unbound (&sent, 0,
          30 + 2 * PSP_SECOND, 500), -1);
}

GST_END_TEST;

GST_START_TEST (test_never_sent)
{
  unsigned place;

  add (7, 100, 0);
  add (7, 102, 0);
  place = (unsigned) psp_sent_packets_find_series (&sent, 7);
  fail_unless (psp_sent_packets_never_sent (&sent, place, 99));
  fail_unless (psp_sent_packets_never_sent (&sent, place, 101));
  fail_unless (psp_sent_packets_never_sent (&sent, place, 103));
  for (int i = 103; i < 103 + CAPACITY; i++)
    add (7, (uint16_t) i, 0);
  /* It was sent, and forgotten. */
  fail_if (psp_sent_packets_never_sent (&sent, place, 102));
  fail_unless (psp_sent_packets_never_sent (&sent, place, 103 + CAPACITY));
}

GST_END_TEST;

/* What was sent last under each key, among so many packets as are remembered. */
static struct
{
  uint32_t series;
  uint16_t number;
} model[20000];
static int64_t n_model;
static int64_t model_oldest;    /* what growth came too late for is gone */

static int64_t
model_find (uint32_t series, uint16_t number)
{
  for (int64_t i = n_model - 1; i >= MAX (model_oldest,
          n_model - sent.capacity); i--)
    if (model[i].series == series && model[i].number == number)
      return i;
  return -1;
}

/* The table finds each packet that the ring holds and no other, whatever
 * numbers collide, through evictions, repetitions, growth. */
GST_START_TEST (test_table)
{
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  uint16_t next[N_SERIES] = { 0 };

  n_model = model_oldest = 0;
  for (uint32_t i = 0; i < N_SERIES; i++)
    next[i] = (uint16_t) g_rand_int (rand);
  while (n_model < (int64_t) G_N_ELEMENTS (model)) {
    uint32_t series = g_rand_int (rand) % N_SERIES;

    if (g_rand_int_range (rand, 0, 100) == 0)
      next[series] = (uint16_t) (next[series] +
          g_rand_int_range (rand, -20, 20));
    model[n_model].series = series;
    model[n_model].number = next[series];
    fail_unless_equals_int64 (add (series, next[series]++, n_model), n_model);
    n_model++;
    if (sent.capacity < 1024 && n_model == 3 * sent.capacity) {
      model_oldest = n_model - sent.capacity;
      fail_unless (psp_sent_packets_grow (&sent, 2 * sent.capacity));
    }
    for (int k = 0; k < 4; k++) {
      uint32_t of = g_rand_int (rand) % N_SERIES;
      uint16_t number = (uint16_t) (next[of] -
          g_rand_int_range (rand, 0, 2 * (int) sent.capacity / N_SERIES));
      int64_t found = look_up (of, number);

      often_fail_unless (found == -2 ? model_find (of, number) < 0 :
          found == model_find (of, number));
    }
  }
  fail_unless_equals_int (sent.capacity, 1024);
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
sentpackets_suite (void)
{
  Suite *s = suite_create ("control-sentpackets");
  TCase *tc = tcase_create ("sentpackets");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_packet);
  tcase_add_test (tc, test_forget_receiver);
  tcase_add_test (tc, test_unbound);
  tcase_add_test (tc, test_never_sent);
  tcase_add_loop_test (tc, test_table, 0, 3);
  return s;
}

GST_CHECK_MAIN (sentpackets);
