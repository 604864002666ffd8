/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Packets leave a sender without numbers, as before rtpsession, and reports name
 * them.
 */
#include <gst/check/gstcheck.h>

#include "transportfeedback.h"

#define SERIES 3
#define PERIOD (10 * PSP_MSECOND)
#define WRAP ((UINT64_C (1) << 24) * 64 * PSP_MSECOND)

static PspSender *sender;
static PspTransportTime receiver;

static void
setup (void)
{
  PspSenderConfig config = {.controller = psp_controller_find ("none") };

  sender = psp_sender_new (&config, 0);
  memset (&receiver, 0, sizeof receiver);
}

static void
teardown (void)
{
  psp_sender_free (sender);
}

/* n packets, of which rtpsession notes some microseconds later when they
 * left. */
static void
send_packets (int n, PspTransportStatus * statuses)
{
  PspPacket packet;

  for (int i = 0; i < n; i++) {
    psp_transport_packet (1000, &packet);
    psp_sender_sent (sender, &packet, i * PERIOD, 0);
    statuses[i].number = (uint16_t) (65530 + i);
    statuses[i].sent_at = (uint64_t) (i * PERIOD + 20 * PSP_USECOND);
    statuses[i].arrived_at = (uint64_t) (777 * PSP_SECOND + i * PERIOD);
    statuses[i].payload_size = 1000;
    statuses[i].lost = false;
  }
}

static size_t
take (const PspTransportStatus * statuses, size_t n, int64_t now)
{
  PspAcknowledgement acknowledgements[64];
  PspFeedback feedback = {.acknowledgements = acknowledgements };

  feedback.n = psp_transport_acknowledge (&receiver, sender, SERIES, statuses,
      n, acknowledgements, &feedback.reported_at);
  fail_unless_equals_int (psp_sender_acknowledge (sender, &feedback, now),
      PSP_FEEDBACK_OK);
  return feedback.n;
}

GST_START_TEST (arrivals_and_losses)
{
  PspTransportStatus statuses[20];
  PspSenderStats stats;

  send_packets (20, statuses);
  statuses[4].lost = statuses[5].lost = true;
  statuses[4].arrived_at = statuses[5].arrived_at = PSP_TRANSPORT_NONE;
  fail_unless_equals_int (take (statuses, 20, 19 * PERIOD + 40 * PSP_MSECOND),
      20);
  psp_sender_stats (sender, 20 * PERIOD, &stats);
  fail_unless_equals_uint64 (stats.packets_acked, 18);
  fail_unless_equals_uint64 (stats.packets_lost, 2);
  fail_unless_equals_int64 (stats.rtt, 40 * PSP_MSECOND);

  /* They come after all; rtpsession has forgotten when they left. */
  statuses[4].lost = false;
  statuses[4].sent_at = PSP_TRANSPORT_NONE;
  statuses[4].arrived_at = (uint64_t) (778 * PSP_SECOND);
  fail_unless_equals_int (take (&statuses[4], 1, 21 * PERIOD), 1);
  psp_sender_stats (sender, 21 * PERIOD, &stats);
  fail_unless_equals_uint64 (stats.packets_recovered, 1);
}

GST_END_TEST;

/* Numbers that were never sent, which anybody can name. */
GST_START_TEST (of_nobody)
{
  PspTransportStatus statuses[4];

  send_packets (4, statuses);
  fail_unless (psp_transport_concerns (sender, SERIES, statuses, 4));
  for (int i = 0; i < 3; i++)
    statuses[i].sent_at = PSP_TRANSPORT_NONE;
  fail_unless (psp_transport_concerns (sender, SERIES, statuses, 4));
  fail_if (psp_transport_concerns (sender, SERIES, statuses, 3));
  fail_if (psp_transport_concerns (sender, SERIES, statuses, 0));
}

GST_END_TEST;

GST_START_TEST (without_times)
{
  PspTransportStatus statuses[20];
  PspAcknowledgement acknowledgements[20];
  PspSenderStats stats;
  int64_t reported_at;

  send_packets (20, statuses);
  for (int i = 0; i < 20; i++)
    statuses[i].sent_at = PSP_TRANSPORT_NONE;
  fail_unless_equals_int (psp_transport_acknowledge (&receiver, sender, SERIES,
          statuses, 20, acknowledgements, &reported_at), 0);
  fail_unless (reported_at == PSP_TIME_UNKNOWN);

  send_packets (20, statuses);
  for (int i = 0; i < 20; i++)
    statuses[i].arrived_at = PSP_TRANSPORT_NONE;
  fail_unless_equals_int (take (statuses, 20, PSP_SECOND), 20);
  psp_sender_stats (sender, PSP_SECOND, &stats);
  fail_unless_equals_uint64 (stats.packets_acked, 20);
}

GST_END_TEST;

/* The reference time has 24 bits; what lies before it is negative. */
GST_START_TEST (receiver_time_wraps)
{
  PspTransportStatus statuses[4];
  PspAcknowledgement a[4];
  int64_t reported_at;

  send_packets (4, statuses);
  statuses[0].arrived_at = WRAP - 10 * PSP_MSECOND;
  statuses[1].arrived_at = 0;
  statuses[2].arrived_at = UINT64_MAX - 5 * PSP_MSECOND + 1;
  statuses[3].arrived_at = 10 * PSP_MSECOND;
  fail_unless_equals_int (psp_transport_acknowledge (&receiver, sender, SERIES,
          statuses, 4, a, &reported_at), 4);
  fail_unless_equals_int64 (a[1].arrived_at - a[0].arrived_at,
      10 * PSP_MSECOND);
  fail_unless_equals_int64 (a[2].arrived_at - a[0].arrived_at, 5 * PSP_MSECOND);
  fail_unless_equals_int64 (a[3].arrived_at - a[0].arrived_at,
      20 * PSP_MSECOND);
  fail_unless_equals_int64 (reported_at, a[3].arrived_at);
}

GST_END_TEST;

/* Two receivers with clocks of their own: the way of both was as long. */
GST_START_TEST (receivers_are_aligned)
{
  PspTransportStatus statuses[4];
  PspAcknowledgement a[4], b[4];
  PspTransportTime other = { 0 };
  int64_t reported_a, reported_b;

  send_packets (4, statuses);
  statuses[2].arrived_at += 7 * PSP_MSECOND;
  psp_transport_acknowledge (&receiver, sender, SERIES, statuses, 4, a,
      &reported_a);
  psp_transport_align (&receiver, a, 4, &reported_a);
  for (int i = 0; i < 4; i++)
    statuses[i].arrived_at += 12345 * PSP_MSECOND;
  psp_transport_acknowledge (&other, sender, SERIES + 1, statuses, 4, b,
      &reported_b);
  psp_transport_align (&other, b, 4, &reported_b);
  for (int i = 0; i < 4; i++) {
    fail_unless_equals_int64 (a[i].arrived_at, b[i].arrived_at);
    fail_unless_equals_int64 (a[i].arrived_at - a[i].sent_at,
        i == 2 ? 7 * PSP_MSECOND : 0);
  }
  fail_unless_equals_int64 (reported_a, reported_b);
}

GST_END_TEST;

/* Whatever the times are, they are within int64_t and finite steps. */
GST_START_TEST (hostile_times)
{
  static const uint64_t times[] = { 0, 1, WRAP / 2, WRAP / 2 + 1, WRAP - 1,
    WRAP, INT64_MAX, (uint64_t) INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX
  };
  PspTransportStatus statuses[4];
  PspAcknowledgement a[4];
  int64_t reported_at, before = 0;

  send_packets (4, statuses);
  for (int i = 0; i < 100000; i++) {
    statuses[0].arrived_at = times[i * 7 % G_N_ELEMENTS (times)];
    statuses[0].sent_at = times[i * 3 % G_N_ELEMENTS (times)];
    if (psp_transport_acknowledge (&receiver, sender, SERIES, statuses, 1, a,
            &reported_at) == 0 || reported_at == PSP_TIME_UNKNOWN)
      continue;
    fail_unless (ABS (a[0].arrived_at - before) <= (int64_t) WRAP);
    before = a[0].arrived_at;
  }
}

GST_END_TEST;

static Suite *
transportfeedback_suite (void)
{
  Suite *s = suite_create ("transportfeedback");
  TCase *t = tcase_create ("transportfeedback");

  suite_add_tcase (s, t);
  tcase_add_checked_fixture (t, setup, teardown);
  tcase_add_test (t, arrivals_and_losses);
  tcase_add_test (t, without_times);
  tcase_add_test (t, of_nobody);
  tcase_add_test (t, receiver_time_wraps);
  tcase_add_test (t, receivers_are_aligned);
  tcase_add_test (t, hostile_times);
  return s;
}

GST_CHECK_MAIN (transportfeedback);
