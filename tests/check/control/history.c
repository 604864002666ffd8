/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <control/history.h>
#include "feedback.h"

#define SERIES 0x11111111
#define CAPACITY PSP_HISTORY_CAPACITY
#define STEPS(n) ((n) * PSP_SECOND / 1024)      /* of an arrival offset */

static PspHistory *h;
static Feedback feedback;
static PspReport report;
static uint8_t receiver;        /* of the next packets */

static void
setup (void)
{
  receiver = 0;
  h = psp_history_new ();
}

static void
teardown (void)
{
  psp_history_free (h);
}

static int64_t
send_to (uint32_t series, uint16_t number, int64_t now)
{
  PspPacket packet = {.size = 1012,.payload_size = 1000,.has_key = true,
    .key = {series, number},.receiver = receiver
  };

  if (psp_history_is_tight (h, now))
    fail_unless (psp_history_grow (h));
  return psp_history_sent (h, &packet, PSP_ECN_NOT_ECT, now, false);
}

/* Packet i leaves at i ms. */
static void
send_run (uint16_t begin_seq, int n)
{
  for (int i = 0; i < n; i++)
    send_to (SERIES, (uint16_t) (begin_seq + i), i * PSP_MSECOND);
}

/* By a receiver, of a series; pattern: '1' received, '0' not, from begin_seq on. */
static PspFeedbackResult
feed_series (uint8_t who, uint32_t series, uint16_t begin_seq,
    const char *pattern, int64_t now)
{
  feedback_begin (&feedback);
  feedback_series (&feedback, series, begin_seq);
  for (; *pattern; pattern++) {
    if (*pattern == '1')
      feedback_received (&feedback, 0, PSP_ECN_NOT_ECT);
    else
      feedback_missing (&feedback);
  }
  feedback_end (&feedback, now);
  feedback.feedback.receiver = who;
  return psp_history_feedback (h, &feedback.feedback, now, &report);
}

static PspFeedbackResult
feed (uint16_t begin_seq, const char *pattern, int64_t now)
{
  return feed_series (0, SERIES, begin_seq, pattern, now);
}

/* What a report says of each index: R received, L lost, V revoked. */
static void
result_text (char *text, size_t n)
{
  unsigned counts[3] = { 0, 0, 0 };

  memset (text, '.', n);
  text[n] = 0;
  for (size_t i = 0; i < report.n_results; i++) {
    const PspPacketResult *r = &report.results[i];

    fail_unless (r->index >= 0 && r->index < (int64_t) n);
    fail_unless (i == 0 || r[-1].index < r->index);
    text[r->index] = "RLV"[r->outcome];
    counts[r->outcome]++;
    fail_unless_equals_int64 (r->sent_at, r->index * PSP_MSECOND);
    fail_unless_equals_int (r->size, 1012);
    fail_unless ((r->arrived_at == PSP_TIME_UNKNOWN) ==
        (r->outcome == PSP_OUTCOME_LOST));
  }
  fail_unless_equals_int (report.n_received, counts[PSP_OUTCOME_RECEIVED]);
  fail_unless_equals_int (report.n_lost, counts[PSP_OUTCOME_LOST]);
  fail_unless_equals_int (report.n_recovered, counts[PSP_OUTCOME_RECOVERED]);
}

/* *INDENT-OFF* */
static const struct
{
  const char *what;
  const char *reports[3];
  const char *results[3];
  int in_flight;                /* of 8 packets */
} outcome_rows[] = {
  {"in order", {"111"}, {"RRR"}, 5},
  {"two later ones do not suffice", {"1011"}, {"R.RR"}, 5},
  {"three do", {"10111"}, {"RLRRR"}, 3},
  {"three over two reports", {"1011", "10111"}, {"R.RR", ".L..R"}, 3},
  {"three that are not neighbours", {"01010101"}, {"LRLR.R.R"}, 2},
  {"each by its own three", {"0101101"}, {"LRLRR.R"}, 2},
  {"a run of holes", {"1001110"}, {"RLLRRR."}, 2},
  {"said twice", {"111", "111"}, {"RRR", "..."}, 5},
  {"overlapping", {"111", "01111"}, {"RRR", "...RR"}, 3},
  {"out of order", {"1111", "11"}, {"RRRR", ".."}, 4},
  {"an older report fills a hole", {"1011", "11"}, {"R.RR", ".R.."}, 4},
  {"revoked", {"10111", "11111"}, {"RLRRR", ".V..."}, 3},
  {"revoked once", {"10111", "11111", "11111"}, {"RLRRR", ".V...", "....."}, 3},
  {"a report cannot take back", {"111", "000"}, {"RRR", "..."}, 5},
  {"not received is not lost", {"00000000"}, {"........"}, 8},
};
/* *INDENT-ON* */

static void
check_outcomes (uint16_t begin_seq, int row)
{
  char text[9];

  send_run (begin_seq, 8);
  for (int i = 0; i < 3 && outcome_rows[row].reports[i]; i++) {
    fail_unless_equals_int (PSP_FEEDBACK_OK,
        feed (begin_seq, outcome_rows[row].reports[i], 100 * PSP_MSECOND));
    result_text (text, strlen (outcome_rows[row].results[i]));
    fail_unless (!strcmp (text, outcome_rows[row].results[i]),
        "%s, report %d: %s, not %s", outcome_rows[row].what, i, text,
        outcome_rows[row].results[i]);
  }
  fail_unless_equals_int (psp_history_in_flight (h),
      outcome_rows[row].in_flight);
  fail_unless_equals_int (report.in_flight, outcome_rows[row].in_flight);
}

GST_START_TEST (test_outcomes)
{
  check_outcomes (100, __i__);
}

GST_END_TEST;

GST_START_TEST (test_outcomes_across_wrap)
{
  check_outcomes (65533, __i__);
}

GST_END_TEST;

/* A mark counts where the packet left ECN-capable; another one is not the
 * network's. */
GST_START_TEST (test_marks)
{
  static const PspEcn sent[] = { PSP_ECN_ECT0, PSP_ECN_NOT_ECT, PSP_ECN_ECT1 };
  PspPacket packet = {.size = 1012,.payload_size = 1000,
    .key = {SERIES, 0},.has_key = true
  };

  feedback_begin (&feedback);
  feedback_series (&feedback, SERIES, 0);
  for (unsigned i = 0; i < 3; i++) {
    packet.key.number = (uint16_t) i;
    psp_history_sent (h, &packet, sent[i], i, false);
    feedback_received (&feedback, 0, PSP_ECN_CE);
  }
  feedback_end (&feedback, PSP_SECOND);
  psp_history_feedback (h, &feedback.feedback, 61 * PSP_MSECOND, &report);
  fail_unless_equals_int (report.n_ce, 2);
  for (unsigned i = 0; i < 3; i++) {
    fail_unless_equals_int (report.results[i].sent_ecn, sent[i]);
    fail_unless_equals_int (report.results[i].ecn,
        i == 1 ? PSP_ECN_NOT_ECT : PSP_ECN_CE);
  }
}

GST_END_TEST;

GST_START_TEST (test_rtt)
{
  send_run (0, 8);
  /* The newest of the new outcomes, less its holding time. */
  feedback_begin (&feedback);
  feedback_series (&feedback, SERIES, 0);
  feedback_received (&feedback, STEPS (30), PSP_ECN_NOT_ECT);
  feedback_received (&feedback, STEPS (20), PSP_ECN_NOT_ECT);
  feedback_end (&feedback, PSP_SECOND);
  psp_history_feedback (h, &feedback.feedback, 61 * PSP_MSECOND, &report);
  fail_unless_equals_int64 (report.rtt_sample, 60 * PSP_MSECOND - STEPS (20));
  fail_unless_equals_int64 (report.results[1].arrived_at -
      report.results[0].arrived_at, STEPS (10));
  fail_unless_equals_int64 (report.results[1].arrived_at,
      PSP_SECOND - STEPS (20));
  fail_unless_equals_int64 (report.newest_index, 1);
  fail_unless_equals_int64 (report.oldest_in_flight_at, 2 * PSP_MSECOND);
  fail_unless_equals_uint64 (report.payload_received, 2000);

  /* A repetition says nothing about the path, nor does an old packet. */
  psp_history_feedback (h, &feedback.feedback, 99 * PSP_MSECOND, &report);
  fail_unless_equals_int64 (report.rtt_sample, PSP_TIME_UNKNOWN);
  feed (4, "1", 100 * PSP_MSECOND);
  fail_unless_equals_int64 (report.rtt_sample, 96 * PSP_MSECOND);
  feed (2, "11", 200 * PSP_MSECOND);
  fail_unless_equals_int (report.n_received, 2);
  fail_unless_equals_int64 (report.rtt_sample, PSP_TIME_UNKNOWN);

  /* Beside a packet with a time, one without says nothing. */
  feedback_begin (&feedback);
  feedback_series (&feedback, SERIES, 5);
  feedback_received (&feedback, STEPS (3), PSP_ECN_NOT_ECT);
  feedback_received (&feedback, PSP_TIME_UNKNOWN, PSP_ECN_NOT_ECT);
  feedback_end (&feedback, 7);
  psp_history_feedback (h, &feedback.feedback, 301 * PSP_MSECOND, &report);
  fail_unless_equals_int (report.n_received, 2);
  fail_unless_equals_int64 (report.rtt_sample, PSP_TIME_UNKNOWN);
  fail_unless_equals_int64 (report.results[1].arrived_at, PSP_TIME_UNKNOWN);
}

GST_END_TEST;

/* A report without arrival times tells of a round trip, with the receiver's hold,
 * or no controller could answer its losses; but not of one before that. */
GST_START_TEST (test_rtt_without_times)
{
  static const uint16_t begin[] = { 4, 2, 6 };
  static const int64_t rtt[] = { 95 * PSP_MSECOND, PSP_TIME_UNKNOWN,
    293 * PSP_MSECOND
  };

  send_run (0, 8);
  for (unsigned i = 0; i < G_N_ELEMENTS (begin); i++) {
    feedback_begin (&feedback);
    feedback_series (&feedback, SERIES, begin[i]);
    for (unsigned k = 0; k < 2; k++)
      feedback_received (&feedback, PSP_TIME_UNKNOWN, PSP_ECN_NOT_ECT);
    feedback_end (&feedback, PSP_SECOND);
    psp_history_feedback (h, &feedback.feedback,
        (i + 1) * 100 * PSP_MSECOND, &report);
    fail_unless_equals_int (report.n_received, 2);
    fail_unless_equals_int64 (report.rtt_sample, rtt[i]);
  }
}

GST_END_TEST;

/* Arrival and report on the receiver's clock, the report 40 ms after the packet
 * left. An arrival that no path can produce is none; then the sender's clock alone
 * tells of the round trip. */
/* *INDENT-OFF* */
static const struct
{
  int64_t arrived_at, reported_at;
  bool possible;
  int64_t rtt;
} arrival_rows[] = {
  {480 * PSP_MSECOND, 500 * PSP_MSECOND, true, 20 * PSP_MSECOND},
  {-20 * PSP_MSECOND, 0, true, 20 * PSP_MSECOND},
  {500 * PSP_MSECOND, 500 * PSP_MSECOND, true, 40 * PSP_MSECOND},
  /* rounded by both clocks */
  {459 * PSP_MSECOND, 500 * PSP_MSECOND, true, PSP_MSECOND},
  {457 * PSP_MSECOND, 500 * PSP_MSECOND, false, 40 * PSP_MSECOND},
  {-7 * PSP_SECOND, 500 * PSP_MSECOND, false, 40 * PSP_MSECOND},
  {501 * PSP_MSECOND, 500 * PSP_MSECOND, false, 40 * PSP_MSECOND},
  {INT64_MAX, 500 * PSP_MSECOND, false, 40 * PSP_MSECOND},
  {INT64_MIN + 1, 500 * PSP_MSECOND, false, 40 * PSP_MSECOND},
  {INT64_MAX, INT64_MIN + 1, false, 40 * PSP_MSECOND},
  {INT64_MIN + 1, INT64_MAX, false, 40 * PSP_MSECOND},
  {INT64_MAX, INT64_MAX, true, 40 * PSP_MSECOND},
  /* a format that does not say when its reports leave */
  {7, PSP_TIME_UNKNOWN, true, 40 * PSP_MSECOND},
};
/* *INDENT-ON* */

GST_START_TEST (test_arrivals)
{
  send_run (0, 1);
  feedback_begin (&feedback);
  feedback_series (&feedback, SERIES, 0);
  feedback_received (&feedback, PSP_TIME_UNKNOWN, PSP_ECN_NOT_ECT);
  feedback_end (&feedback, arrival_rows[__i__].reported_at);
  feedback.acknowledgements[0].arrived_at = arrival_rows[__i__].arrived_at;
  psp_history_feedback (h, &feedback.feedback, 40 * PSP_MSECOND, &report);
  fail_unless_equals_int (report.n_received, 1);
  fail_unless_equals_int64 (report.results[0].arrived_at,
      arrival_rows[__i__].possible ? arrival_rows[__i__].arrived_at :
      PSP_TIME_UNKNOWN);
  fail_unless_equals_int64 (report.rtt_sample, arrival_rows[__i__].rtt);
}

GST_END_TEST;

GST_START_TEST (test_never_sent)
{
  send_run (100, 5);
  send_to (SERIES, 110, 5 * PSP_MSECOND);       /* 105 … 109 do not exist */

  /* Not one bit of a report that claims more than was sent is believed. */
  fail_unless_equals_int (feed (100, "111111", PSP_SECOND),
      PSP_FEEDBACK_NEVER_SENT);
  fail_unless_equals_int (feed (99, "1", PSP_SECOND), PSP_FEEDBACK_NEVER_SENT);
  fail_unless_equals_int (feed (110, "11", PSP_SECOND),
      PSP_FEEDBACK_NEVER_SENT);
  fail_unless_equals_int (feed (40000, "1", PSP_SECOND),
      PSP_FEEDBACK_NEVER_SENT);
  fail_unless_equals_int (psp_history_in_flight (h), 6);

  /* What the application skipped is not lost. */
  fail_unless_equals_int (feed (98, "0011111000001", PSP_SECOND),
      PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_received, 6);
  fail_unless_equals_int (report.n_lost, 0);
}

GST_END_TEST;

static PspFeedbackResult
feed_two (uint32_t a, uint32_t b)
{
  feedback_begin (&feedback);
  feedback_series (&feedback, a, 0);
  feedback_received (&feedback, 0, PSP_ECN_NOT_ECT);
  feedback_series (&feedback, b, 0);
  feedback_received (&feedback, 0, PSP_ECN_NOT_ECT);
  feedback_end (&feedback, 1);
  return psp_history_feedback (h, &feedback.feedback, PSP_SECOND, &report);
}

GST_START_TEST (test_unknown_series)
{
  fail_unless_equals_int (feed (0, "1", 0), PSP_FEEDBACK_UNKNOWN_SERIES);
  send_run (0, 1);
  fail_unless_equals_int (feed_two (7, 8), PSP_FEEDBACK_UNKNOWN_SERIES);
  fail_unless_equals_int (feed_two (7, SERIES), PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_received, 1);
}

GST_END_TEST;

GST_START_TEST (test_streams_are_merged_in_order)
{
  for (int i = 0; i < 8; i++)
    send_to (i % 2 ? 7 : 8, (uint16_t) (i / 2), i * PSP_MSECOND);
  feedback_begin (&feedback);
  for (int s = 0; s < 2; s++) {
    feedback_series (&feedback, s ? 8 : 7, 0);
    for (int i = 0; i < 4; i++) {
      if (s == 0 && i == 1)
        feedback_missing (&feedback);
      else
        feedback_received (&feedback, 0, PSP_ECN_NOT_ECT);
    }
  }
  feedback_end (&feedback, 1);
  fail_unless_equals_int (psp_history_feedback (h, &feedback.feedback,
          PSP_SECOND, &report), PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_results, 8);
  for (int i = 0; i < 8; i++) {
    fail_unless_equals_int64 (report.results[i].index, i);
    fail_unless_equals_int (report.results[i].outcome,
        i == 3 ? PSP_OUTCOME_LOST : PSP_OUTCOME_RECEIVED);
  }
  /* The last of stream 7, though its block came first. */
  fail_unless_equals_int64 (report.rtt_sample, PSP_SECOND - 7 * PSP_MSECOND);
}

GST_END_TEST;

/* Packets leave for two receivers in turn; the series is the receiver. */
static void
send_in_turn (int n)
{
  for (int i = 0; i < n; i++) {
    receiver = (uint8_t) (i % 2);
    send_to (SERIES + receiver, (uint16_t) (i / 2), i * PSP_MSECOND);
  }
}

/* The receiver's packets from `from` on, as `pattern` says. */
static PspFeedbackResult
feed_from (uint8_t who, uint16_t from, const char *pattern)
{
  return feed_series (who, SERIES + who, from, pattern, PSP_SECOND);
}

/* One that has not reported yet has lost nothing, whatever the other says; what
 * it then lacks is found all the same, and the other's stays found once. */
GST_START_TEST (test_two_receivers)
{
  char text[21];

  send_in_turn (20);
  feed_from (0, 0, "1101111111");
  result_text (text, 20);
  fail_unless_equals_string (text, "R.R.L.R.R.R.R.R.R.R.");
  fail_unless_equals_int64 (report.rtt_sample, PSP_SECOND - 18 * PSP_MSECOND);
  fail_if (psp_history_is_overtaken (h));
  feed_from (1, 0, "1011111");
  result_text (text, 20);
  fail_unless_equals_string (text, ".R.L.R.R.R.R.R......");
  fail_unless_equals_int64 (report.rtt_sample, PSP_SECOND - 13 * PSP_MSECOND);
  fail_unless_equals_int64 (report.newest_index, 18);
  feed_from (0, 2, "1");
  result_text (text, 20);
  fail_unless_equals_string (text, "....V...............");
  fail_unless_equals_int (psp_history_in_flight (h), 3);
}

GST_END_TEST;

/* Nor does it say anything of the other's packets. */
GST_START_TEST (test_other_receivers_packets)
{
  send_in_turn (8);
  fail_unless_equals_int (feed_series (1, SERIES, 0, "1111", PSP_SECOND),
      PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_results, 0);
}

GST_END_TEST;

/* What was under way to one that is gone is neither lost nor in flight, and
 * whoever has its place begins anew. */
GST_START_TEST (test_forget_receiver)
{
  char text[14];

  send_in_turn (12);
  feed_from (1, 0, "11111");
  psp_history_forget_receiver (h, 1);
  fail_unless_equals_int (psp_history_in_flight (h), 6);
  receiver = 1;
  send_to (SERIES + 1, 6, 12 * PSP_MSECOND);
  fail_if (psp_history_expire (h, PSP_SECOND, 2 * PSP_SECOND,
          PSP_MSECOND, &report));
  feed_from (0, 0, "111111");
  result_text (text, 13);
  fail_unless_equals_string (text, "R.R.R.R.R.R..");
  feed_from (1, 5, "11");
  result_text (text, 13);
  fail_unless_equals_string (text, "............R");
  fail_unless_equals_int (psp_history_in_flight (h), 0);
}

GST_END_TEST;

/* A seventeenth stream is not accounted for while the others are in use. Once
 * one has been silent for a second, it has that one's place. */
GST_START_TEST (test_a_seventeenth_stream)
{
  for (uint32_t i = 0; i <= PSP_MAX_SERIES; i++)
    send_to (i, 0, i * PSP_MSECOND);
  fail_unless_equals_int (psp_history_in_flight (h), PSP_MAX_SERIES);
  fail_unless_equals_uint64 (psp_history_overlooked (h), 1);
  fail_unless_equals_int64 (psp_history_oldest_in_flight_at (h), 0);
  fail_unless_equals_int (feed_two (PSP_MAX_SERIES, PSP_MAX_SERIES + 1),
      PSP_FEEDBACK_UNKNOWN_SERIES);
  send_to (PSP_MAX_SERIES, 1, PSP_SECOND);
  fail_unless_equals_uint64 (psp_history_overlooked (h), 1);
  /* The first made room, and is not waited for. */
  fail_unless_equals_int (psp_history_in_flight (h), PSP_MAX_SERIES);
  fail_unless_equals_int64 (psp_history_oldest_in_flight_at (h), PSP_MSECOND);
  fail_unless_equals_int (feed_two (1, 0), PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_received, 1);
  /* Back again, it begins anew, and what it sent before is no lie. */
  send_to (0, 1, 3 * PSP_SECOND);
  fail_unless_equals_int (feed_two (0, 2), PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_received, 1);
}

GST_END_TEST;

/* A repair that leaves with the number of the packet that it replaces does not
 * hide that packet's loss. */
GST_START_TEST (test_repaired)
{
  send_run (0, 4);
  fail_unless_equals_int64 (send_to (SERIES, 1, 4 * PSP_MSECOND), 4);
  fail_unless_equals_int (psp_history_in_flight (h), 5);
  fail_unless_equals_int (feed (0, "1111", 100 * PSP_MSECOND), PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_received, 4);
  fail_unless_equals_int (report.n_lost, 1);
  fail_unless_equals_int64 (report.results[1].index, 1);
  fail_unless_equals_int (report.results[1].outcome, PSP_OUTCOME_LOST);
  fail_unless_equals_int64 (report.results[4].index, 4);
  /* Which of the two arrived is not known, so neither is the round trip. */
  fail_unless_equals_int64 (report.rtt_sample, PSP_TIME_UNKNOWN);
  fail_unless_equals_int (psp_history_in_flight (h), 0);
}

GST_END_TEST;

/* A packet that leaves again at once, to probe the path, is the same packet. */
GST_START_TEST (test_probed)
{
  send_run (0, 4);
  for (int i = 0; i < 3; i++)
    fail_unless_equals_int64 (send_to (SERIES, 3, (i + 4) * PSP_MSECOND),
        i + 4);
  fail_unless_equals_int (psp_history_in_flight (h), 4);
  fail_unless_equals_int (feed (0, "1111", 100 * PSP_MSECOND), PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_received, 4);
  fail_unless_equals_int (report.n_lost, 0);
  fail_unless_equals_int64 (report.results[3].index, 6);
  fail_unless_equals_int64 (report.rtt_sample, PSP_TIME_UNKNOWN);
}

GST_END_TEST;

static int64_t
sent_at (uint32_t series, uint16_t number)
{
  PspKey key = { series, number };

  return psp_history_sent_at (h, &key);
}

/* A key that is sent again names the newer packet. */
GST_START_TEST (test_sent_at)
{
  fail_unless_equals_int64 (sent_at (SERIES, 65535), PSP_TIME_UNKNOWN);
  send_to (SERIES, 65535, 5 * PSP_MSECOND);
  send_to (SERIES, 0, 7 * PSP_MSECOND);
  fail_unless_equals_int64 (sent_at (SERIES, 65535), 5 * PSP_MSECOND);
  fail_unless_equals_int64 (sent_at (SERIES, 0), 7 * PSP_MSECOND);
  fail_unless_equals_int64 (sent_at (SERIES, 1), PSP_TIME_UNKNOWN);
  fail_unless_equals_int64 (sent_at (SERIES + 1, 0), PSP_TIME_UNKNOWN);
  send_to (SERIES, 0, 90 * PSP_MSECOND);
  fail_unless_equals_int64 (sent_at (SERIES, 0), 90 * PSP_MSECOND);
  fail_unless_equals_int64 (sent_at (SERIES, 65535), 5 * PSP_MSECOND);
}

GST_END_TEST;

GST_START_TEST (test_sequence_restarts)
{
  static const uint16_t jumps[] = { 40000, 20000, 60000, 990 };

  for (unsigned j = 0; j < G_N_ELEMENTS (jumps); j++) {
    send_run (1000, 20);
    for (int i = 0; i < 10; i++)
      send_to (SERIES, (uint16_t) (jumps[j] + i), (20 + i) * PSP_MSECOND);
    fail_unless_equals_int (psp_history_in_flight (h), 30);
    fail_unless_equals_int (feed (1010, "1111111111", PSP_SECOND),
        PSP_FEEDBACK_OK);
    fail_unless_equals_int (report.n_received, 10);
    fail_unless_equals_int (report.n_lost, 10);
    fail_unless_equals_int (feed (jumps[j], "1111111111", PSP_SECOND),
        PSP_FEEDBACK_OK);
    fail_unless_equals_int (report.n_received, 10);
    fail_unless_equals_int (report.n_lost, 0);
    fail_unless_equals_int (psp_history_in_flight (h), 0);
    teardown ();
    setup ();
  }
}

GST_END_TEST;

/* 16599 back: what the new run has taken the place of was sent all the same. */
GST_START_TEST (test_restart_forgets)
{
  send_run (36000, 500);
  send_run (19900, 500);
  fail_unless_equals_int (feed (36384, "1111111111", PSP_SECOND),
      PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_received, 0);
}

GST_END_TEST;

GST_START_TEST (test_ring_wraps)
{
  const int n = 3 * CAPACITY + 100;

  for (int i = 0; i < n; i++)
    if (i != n - 50)
      send_to (SERIES, (uint16_t) i, i);
  fail_unless_equals_int (psp_history_in_flight (h), CAPACITY);
  /* Too old to be remembered is not an error; all the rest is new. */
  fail_unless_equals_int (feed ((uint16_t) (n - CAPACITY - 2), "1111",
          PSP_SECOND), PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_received, 3);
  fail_unless_equals_int (feed ((uint16_t) (n - 50), "1", PSP_SECOND),
      PSP_FEEDBACK_NEVER_SENT);
  fail_unless_equals_int (feed ((uint16_t) n, "1", PSP_SECOND),
      PSP_FEEDBACK_NEVER_SENT);
  fail_unless_equals_int (feed ((uint16_t) (n - 4), "1111", PSP_SECOND),
      PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_results, CAPACITY - 3);
  fail_unless_equals_int (psp_history_in_flight (h), 0);
}

GST_END_TEST;

GST_START_TEST (test_expire)
{
  send_run (0, 8);
  fail_if (psp_history_expire (h, 19 * PSP_MSECOND, 20 * PSP_MSECOND,
          20 * PSP_MSECOND, &report));
  fail_unless (psp_history_expire (h, 24 * PSP_MSECOND, 20 * PSP_MSECOND,
          20 * PSP_MSECOND,
          &report));
  fail_unless (report.timeout);
  fail_unless_equals_int (report.n_lost, 5);
  fail_unless_equals_int (report.n_results, 5);
  fail_unless_equals_int (report.in_flight, 3);
  fail_unless_equals_int64 (report.oldest_in_flight_at, 5 * PSP_MSECOND);
  fail_unless_equals_int64 (report.newest_index, -1);
  fail_if (psp_history_expire (h, 24 * PSP_MSECOND, 20 * PSP_MSECOND,
          20 * PSP_MSECOND, &report));

  /* It was only late: the sample shows how late. */
  feed (0, "11111", 60 * PSP_MSECOND);
  fail_unless_equals_int (report.n_recovered, 5);
  fail_unless_equals_int64 (report.rtt_sample, 56 * PSP_MSECOND);
  fail_unless (psp_history_expire (h, PSP_SECOND, 20 * PSP_MSECOND,
          20 * PSP_MSECOND, &report));
  fail_unless_equals_int (psp_history_in_flight (h), 0);
  fail_unless_equals_int64 (report.oldest_in_flight_at, PSP_TIME_NEVER);
  fail_if (psp_history_expire (h, PSP_SECOND, 0, 0, &report));
}

GST_END_TEST;

/* Of packets that a later one overtook less patience is needed. */
GST_START_TEST (test_overtaken)
{
  send_run (0, 8);
  fail_if (psp_history_is_overtaken (h));
  feed (5, "1", 10 * PSP_MSECOND);
  fail_unless (psp_history_is_overtaken (h));
  fail_if (psp_history_expire (h, 9 * PSP_MSECOND, PSP_SECOND,
          10 * PSP_MSECOND, &report));
  fail_unless (psp_history_expire (h, 20 * PSP_MSECOND, PSP_SECOND,
          10 * PSP_MSECOND, &report));
  fail_unless (report.timeout);
  fail_unless_equals_int (report.n_lost, 5);
  fail_unless_equals_int (report.in_flight, 2);
  fail_if (psp_history_is_overtaken (h));
  fail_if (psp_history_expire (h, 20 * PSP_MSECOND, PSP_SECOND,
          10 * PSP_MSECOND, &report));
}

GST_END_TEST;

GST_START_TEST (test_forget)
{
  send_run (0, 8);
  feed (0, "1", 20 * PSP_MSECOND);
  psp_history_forget (h);
  fail_unless_equals_int (psp_history_in_flight (h), 0);
  fail_unless_equals_int64 (psp_history_oldest_in_flight_at (h),
      PSP_TIME_NEVER);
  fail_unless_equals_int (feed (0, "11111111", 20 * PSP_MSECOND),
      PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_results, 0);
  fail_unless_equals_int64 (send_to (SERIES, 8, 30 * PSP_MSECOND), 8);
  fail_unless_equals_int (feed (5, "1111", 40 * PSP_MSECOND), PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_received, 1);
  fail_unless_equals_int (report.n_lost, 0);
}

GST_END_TEST;

/* Packets [from, until) as received, but each tenth; returns how many that
 * decided. */
static unsigned
report_run (int from, int until, int64_t now)
{
  feedback_begin (&feedback);
  feedback_series (&feedback, SERIES, (uint16_t) from);
  for (; from < until; from++) {
    if (from % 10)
      feedback_received (&feedback, 0, PSP_ECN_NOT_ECT);
    else
      feedback_missing (&feedback);
  }
  feedback_end (&feedback, now);
  fail_unless_equals_int (psp_history_feedback (h, &feedback.feedback, now,
          &report), PSP_FEEDBACK_OK);
  return report.n_received + report.n_lost;
}

/* 2 Mb/s, reported at once, and from packet 3000 on 100 Mb/s, reported 4000
 * packets later: with room made for them, each is found received or lost
 * once. */
GST_START_TEST (test_grows)
{
  const int n = 12000, fast = 3000, late = 4000;
  unsigned decided = 0;
  int64_t now = 0;

  for (int i = 0; i < n; i++) {
    now += i < fast ? 5 * PSP_MSECOND : 100 * PSP_USECOND;
    send_to (SERIES, (uint16_t) i, now);
    if (i < fast && i % 100 == 99)
      decided += report_run (i - 99, i + 1, now);
    if (i >= fast + late && i % 100 == 99)
      decided += report_run (i - late - 99, i - late + 1, now);
  }
  fail_unless_equals_int (decided + psp_history_in_flight (h), n);
  fail_unless_equals_int (psp_history_in_flight (h), late);
}

GST_END_TEST;

static int64_t
send_unnamed (uint32_t size, int64_t now)
{
  PspPacket packet = {.size = size,.payload_size = size - 12 };

  return psp_history_sent (h, &packet, PSP_ECN_NOT_ECT, now, false);
}

/* Numbers that are known only after the packet has left. */
GST_START_TEST (test_bound_later)
{
  char text[9];

  for (int i = 0; i < 8; i++)
    fail_unless_equals_int64 (send_unnamed (1012, i * PSP_MSECOND), i);
  fail_unless_equals_int (psp_history_in_flight (h), 8);
  /* Nothing is known by these numbers yet. */
  fail_unless_equals_int (feed (100, "1", PSP_SECOND),
      PSP_FEEDBACK_UNKNOWN_SERIES);
  for (int i = 0; i < 8; i++) {
    PspKey key = { SERIES, (uint16_t) (65534 + i) };

    psp_history_bind (h, i, &key);
  }
  fail_unless_equals_int (psp_history_in_flight (h), 8);
  fail_unless_equals_int (feed (65534, "10111", PSP_SECOND), PSP_FEEDBACK_OK);
  result_text (text, 5);
  fail_unless_equals_string (text, "RLRRR");
  fail_unless_equals_int (feed (65534, "111111111", PSP_SECOND),
      PSP_FEEDBACK_NEVER_SENT);
  fail_unless_equals_int (feed (65534, "11111111", PSP_SECOND),
      PSP_FEEDBACK_OK);
  result_text (text, 8);
  fail_unless_equals_string (text, ".V...RRR");
  fail_unless_equals_int (psp_history_in_flight (h), 0);
  /* A name for a packet that is forgotten, or has one, changes nothing. */
  psp_history_bind (h, 3, &(PspKey) {
      SERIES, 7});
  psp_history_bind (h, 77, &(PspKey) {
      SERIES, 7});
  fail_unless_equals_int (feed (7, "1", PSP_SECOND), PSP_FEEDBACK_NEVER_SENT);
}

GST_END_TEST;

/* The report says when the packet with this number left, and its size: what
 * stamps numbers stands a little behind what paces. */
static void
describe (uint16_t number, bool received, int64_t sent_at, uint32_t size)
{
  PspAcknowledgement *a;

  feedback_series (&feedback, 0, number);
  a = feedback_add (&feedback);
  a->received = received;
  a->arrived_at = received ? sent_at + 20 * PSP_MSECOND : PSP_TIME_UNKNOWN;
  a->sent_at = sent_at + 50 * PSP_USECOND;
  a->size = size;
}

GST_START_TEST (test_described)
{
  static const uint32_t sizes[8] = { 1012, 1012, 300, 1012, 1012, 1012, 300,
    1012
  };
  unsigned outcomes[8] = { 9, 9, 9, 9, 9, 9, 9, 9 };

  /* Two bursts of three that left at once, and audio between. */
  for (int i = 0; i < 8; i++)
    fail_unless_equals_int64 (send_unnamed (sizes[i],
            (i / 3) * 5 * PSP_MSECOND), i);
  feedback_begin (&feedback);
  for (int i = 0; i < 8; i++)
    describe ((uint16_t) (65533 + i), i != 1, (i / 3) * 5 * PSP_MSECOND,
        sizes[i]);
  /* One that nobody sent, and one of another size. */
  describe (20, true, 3 * PSP_SECOND, 1012);
  describe (21, true, 0, 77);
  feedback_end (&feedback, 0);
  feedback.feedback.reported_at = PSP_TIME_UNKNOWN;
  fail_unless_equals_int (psp_history_feedback (h, &feedback.feedback,
          60 * PSP_MSECOND, &report), PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_results, 8);
  for (int i = 0; i < 8; i++)
    outcomes[report.results[i].index] = report.results[i].outcome;
  for (int i = 0; i < 8; i++)
    fail_unless_equals_int (outcomes[i],
        i == 1 ? PSP_OUTCOME_LOST : PSP_OUTCOME_RECEIVED);
  /* Without the report's own time, what the receiver held is in it. */
  fail_unless_equals_int64 (report.rtt_sample, 50 * PSP_MSECOND);
  /* The same report again brings nothing new. */
  fail_unless_equals_int (psp_history_feedback (h, &feedback.feedback,
          61 * PSP_MSECOND, &report), PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_results, 0);
}

GST_END_TEST;

/* Reports that name packets name the lost ones, too. A packet between that nobody
 * names was in a report that was lost. */
GST_START_TEST (test_unnamed)
{
  for (int i = 0; i < 12; i++)
    send_unnamed (1012, i * PSP_MSECOND);
  feedback_begin (&feedback);
  for (int i = 0; i < 12; i++)
    if (i < 3 || i > 6)
      describe ((uint16_t) i, i != 8, i * PSP_MSECOND, 1012);
  feedback_end (&feedback, 0);
  fail_unless_equals_int (psp_history_feedback (h, &feedback.feedback,
          60 * PSP_MSECOND, &report), PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_received, 7);
  fail_unless_equals_int (report.n_lost, 1);
  fail_unless_equals_int (report.in_flight, 0);
}

GST_END_TEST;

/* The same rules, written for the eye: every packet is looked at in every
 * report. */
typedef struct
{
  uint32_t ssrc;
  uint16_t seq;
  char state;                   /* '?', R, L, V */
} ModelPacket;

static ModelPacket model[3 * CAPACITY];
static int n_model;

static int
model_find (uint32_t ssrc, uint16_t seq)
{
  for (int i = n_model - 1; i >= MAX (0, n_model - CAPACITY); i--)
    if (model[i].ssrc == ssrc && model[i].seq == seq)
      return i;
  return -1;
}

static unsigned
model_losses (void)
{
  unsigned n_lost = 0;
  int later = 0;

  for (int i = n_model - 1; i >= MAX (0, n_model - CAPACITY); i--) {
    if (model[i].state == 'R' || model[i].state == 'V') {
      later++;
    } else if (model[i].state == '?' && later >= 3) {
      model[i].state = 'L';
      n_lost++;
    }
  }
  return n_lost;
}

static void
compare_one_report (GRand * rand, uint16_t * next_seq)
{
  unsigned n_received = 0, n_recovered = 0, n_lost;
  uint32_t ssrc = (uint32_t) g_rand_int_range (rand, 0, 3);
  int n = g_rand_int_range (rand, 1, 40), in_flight = 0;
  uint16_t seq = (uint16_t) (next_seq[ssrc] - g_rand_int_range (rand, 0, 300));

  feedback_begin (&feedback);
  feedback_series (&feedback, ssrc, seq);
  for (int i = 0; i < n; i++, seq++) {
    int found = model_find (ssrc, seq);

    if (found < 0 || g_rand_int_range (rand, 0, 3) == 0) {
      feedback_missing (&feedback);
      continue;
    }
    feedback_received (&feedback, 0, PSP_ECN_NOT_ECT);
    n_received += model[found].state == '?';
    n_recovered += model[found].state == 'L';
    if (model[found].state == '?')
      model[found].state = 'R';
    if (model[found].state == 'L')
      model[found].state = 'V';
  }
  feedback_end (&feedback, 1);
  n_lost = model_losses ();
  fail_unless_equals_int (psp_history_feedback (h, &feedback.feedback, 1,
          &report), PSP_FEEDBACK_OK);
  fail_unless_equals_int (report.n_received, n_received);
  fail_unless_equals_int (report.n_recovered, n_recovered);
  fail_unless_equals_int (report.n_lost, n_lost);
  for (size_t i = 0; i < report.n_results; i++)
    fail_unless_equals_int (model[report.results[i].index].state,
        "RLV"[report.results[i].outcome]);
  for (int i = MAX (0, n_model - CAPACITY); i < n_model; i++)
    in_flight += model[i].state == '?';
  fail_unless_equals_int (psp_history_in_flight (h), in_flight);
}

GST_START_TEST (test_against_model)
{
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  uint16_t next_seq[3] = { 0, 65000, 30000 };

  n_model = 0;
  for (uint32_t ssrc = 0; ssrc < 3; ssrc++) {
    model[n_model++] = (ModelPacket) {
    ssrc, next_seq[ssrc], '?'};
    send_to (ssrc, next_seq[ssrc]++, 0);
  }
  while (n_model < 2 * CAPACITY + 1000) {
    for (int n = g_rand_int_range (rand, 1, 100); n > 0; n--) {
      uint32_t ssrc = (uint32_t) g_rand_int_range (rand, 0, 3);

      if (g_rand_int_range (rand, 0, 50) == 0)
        next_seq[ssrc]++;       /* the application skips one */
      model[n_model++] = (ModelPacket) {
      ssrc, next_seq[ssrc], '?'};
      send_to (ssrc, next_seq[ssrc]++, n_model);
    }
    compare_one_report (rand, next_seq);
  }
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
history_suite (void)
{
  Suite *s = suite_create ("control-history");
  TCase *tc = tcase_create ("history");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_loop_test (tc, test_outcomes, 0, G_N_ELEMENTS (outcome_rows));
  tcase_add_loop_test (tc, test_outcomes_across_wrap, 0,
      G_N_ELEMENTS (outcome_rows));
  tcase_add_test (tc, test_marks);
  tcase_add_test (tc, test_rtt);
  tcase_add_test (tc, test_rtt_without_times);
  tcase_add_loop_test (tc, test_arrivals, 0, G_N_ELEMENTS (arrival_rows));
  tcase_add_test (tc, test_never_sent);
  tcase_add_test (tc, test_unknown_series);
  tcase_add_test (tc, test_streams_are_merged_in_order);
  tcase_add_test (tc, test_two_receivers);
  tcase_add_test (tc, test_other_receivers_packets);
  tcase_add_test (tc, test_forget_receiver);
  tcase_add_test (tc, test_a_seventeenth_stream);
  tcase_add_test (tc, test_repaired);
  tcase_add_test (tc, test_probed);
  tcase_add_test (tc, test_sent_at);
  tcase_add_test (tc, test_sequence_restarts);
  tcase_add_test (tc, test_restart_forgets);
  tcase_add_test (tc, test_ring_wraps);
  tcase_add_test (tc, test_expire);
  tcase_add_test (tc, test_overtaken);
  tcase_add_test (tc, test_forget);
  tcase_add_test (tc, test_grows);
  tcase_add_test (tc, test_bound_later);
  tcase_add_test (tc, test_described);
  tcase_add_test (tc, test_unnamed);
  tcase_add_loop_test (tc, test_against_model, 0, 3);
  return s;
}

GST_CHECK_MAIN (history);
