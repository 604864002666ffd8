/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>
#include <math.h>
#include <stdlib.h>

#include <control/sender.h>
#include "../often.h"
#include "../rounds.h"
#include "feedback.h"

#define MS PSP_MSECOND
#define S PSP_SECOND
#define SERIES 0x11111111
#define PAYLOAD 1000            /* 8000 bits: 1 Mb/s is a packet in 8 ms */

/* A controller that decides what the test says. */
static PspDecision wanted;
static unsigned n_sent, n_feedback, n_timeouts, n_ticks, n_limits;
static PspSent last_sent;
static double init_payload;
static PspReport last_report;

static void
puppet_decide (PspController * c, int64_t now, PspDecision * d)
{
  (void) c;
  (void) now;
  *d = wanted;
}

static void
puppet_init (PspController * c, int64_t now, PspDecision * d)
{
  init_payload = c->mean_payload;
  puppet_decide (c, now, d);
}

static void
puppet_sent (PspController * c, const PspSent * sent, PspDecision * d)
{
  n_sent++;
  last_sent = *sent;
  puppet_decide (c, sent->now, d);
}

static void
puppet_feedback (PspController * c, const PspReport * report, PspDecision * d)
{
  n_feedback++;
  n_timeouts += report->timeout;
  last_report = *report;
  puppet_decide (c, report->now, d);
}

static void
puppet_tick (PspController * c, int64_t now, PspDecision * d)
{
  n_ticks++;
  wanted.next_tick = PSP_TIME_NEVER;
  puppet_decide (c, now, d);
}

static void
puppet_limits (PspController * c, int64_t now, PspDecision * d)
{
  n_limits++;
  puppet_decide (c, now, d);
}

static const PspControllerClass puppet = {
  .name = "puppet",
  .size = sizeof (PspController),
  .needs_feedback = true,
  .init = puppet_init,
  .on_sent = puppet_sent,
  .on_feedback = puppet_feedback,
  .on_tick = puppet_tick,
  .on_limits = puppet_limits
};

static const PspControllerClass blind_puppet = {
  .name = "blind-puppet",
  .size = sizeof (PspController),
  .needs_feedback = false,
  .init = puppet_init,
  .on_feedback = puppet_feedback
};

static PspSender *sender;
static Feedback feedback;
static uint16_t next_seq;
static PspLimits limits;
static const double *parameters;

static void
setup (void)
{
  wanted = (PspDecision) {
  .window = PSP_WINDOW_NONE,.target_bitrate = PSP_BITRATE_UNKNOWN,.scale =
        -1,.next_tick = PSP_TIME_NEVER};
  n_sent = n_feedback = n_timeouts = n_ticks = n_limits = 0;
  next_seq = 0;
  limits = (PspLimits) {
  0};
  parameters = NULL;
  sender = NULL;
}

static void
teardown (void)
{
  psp_sender_free (sender);
}

static void
start (const PspControllerClass * klass)
{
  PspSenderConfig config = {.controller = klass,.limits = limits,
    .parameters = parameters
  };

  sender = psp_sender_new (&config, 0);
}

static void
send_sized (uint32_t payload, int64_t now, unsigned backlog)
{
  PspPacket packet = {.size = payload + 12,.payload_size = payload,
    .has_key = true,.key = {SERIES, next_seq++}
  };

  psp_sender_sent (sender, &packet, now, backlog);
  fail_unless (psp_sender_make_room (sender, now));
}

static void
send (int64_t now, unsigned backlog)
{
  send_sized (PAYLOAD, now, backlog);
}

/* For packets that wait. */
static unsigned
ask (int64_t now, unsigned max, int64_t * at)
{
  unsigned n = psp_sender_allowance (sender, now, max, at);

  if (max > 0 && *at > now)
    psp_sender_wait (sender);
  return n;
}

/* When the next of a queue of packets may leave, asked at `now`. */
static int64_t
next_departure (int64_t now)
{
  int64_t at = PSP_TIME_UNKNOWN;

  if (ask (now, 1, &at) > 0)
    return now;
  fail_unless (at > now);
  return at;
}

/* Reports [from, until) as received. */
static void
acknowledge (uint16_t from, uint16_t until, int64_t now)
{
  feedback_begin (&feedback);
  feedback_series (&feedback, SERIES, from);
  for (; from != until; from++)
    feedback_received (&feedback, 0, PSP_ECN_NOT_ECT);
  feedback_end (&feedback, now);
  psp_sender_acknowledge (sender, &feedback.feedback, now);
}

static PspSenderStats
stats_at (int64_t now)
{
  PspSenderStats stats;

  psp_sender_stats (sender, now, &stats);
  return stats;
}

/* Ticks when asked for until `until`. */
static void
run (int64_t from, int64_t until)
{
  int64_t next;

  for (unsigned n = 0; (next = psp_sender_next_tick (sender, from)) <= until;
      n++) {
    from = MAX (from, next);
    psp_sender_tick (sender, from);
    if (n >= 100000)
      fail ("ticks for ever");
  }
}

static void
expect_notice (int64_t now, PspReason reason, int64_t target)
{
  PspNotice notice;

  fail_unless (psp_sender_take_notice (sender, now, &notice));
  fail_unless_equals_int (notice.reason, reason);
  fail_unless_equals_int64 (notice.target_bitrate, target);
  fail_if (psp_sender_take_notice (sender, now, &notice));
}

/* Pacing, window, limits */

/* *INDENT-OFF* */
static const struct
{
  const char *what;
  int64_t period, window, target;
  int64_t min, max;
  int64_t gap;                  /* that follows, 8000 bits a packet */
  int64_t announced;
  PspReason reason;
} limit_rows[] = {
  {"as decided", 8 * MS, PSP_WINDOW_NONE, 1000000, 0, 0,
      8 * MS, 1000000, PSP_REASON_START},
  {"within the limits", 8 * MS, PSP_WINDOW_NONE, 1000000, 500000, 2000000,
      8 * MS, 1000000, PSP_REASON_START},
  {"no faster than max", 1 * MS, PSP_WINDOW_NONE, 8000000, 0, 2000000,
      4 * MS, 1900000, PSP_REASON_START},
  {"no pacing at all", 0, PSP_WINDOW_NONE, PSP_BITRATE_UNKNOWN, 0, 2000000,
      4 * MS, 1900000, PSP_REASON_START},
  {"only a window, no target known", 0, 9, PSP_BITRATE_UNKNOWN, 0, 2000000,
      4 * MS, PSP_BITRATE_UNKNOWN, PSP_REASON_START},
  {"no slower than min", 80 * MS, PSP_WINDOW_NONE, 100000, 500000, 0,
      16 * MS, 500000, PSP_REASON_START},
  {"a full window", 8 * MS, 1, 1000000, 0, 0,
      PSP_TIME_NEVER, 1000000, PSP_REASON_START},
  {"a full window, but min", 8 * MS, 1, 1000000, 100000, 0,
      80 * MS, 1000000, PSP_REASON_START},
  {"min above max is max", 80 * MS, PSP_WINDOW_NONE, 100000, 4000000, 2000000,
      4 * MS, 2000000, PSP_REASON_START},
};
/* *INDENT-ON* */

GST_START_TEST (test_limits)
{
  const char *what = limit_rows[__i__].what;
  PspNotice notice;
  int64_t at;

  wanted.period = limit_rows[__i__].period;
  wanted.window = limit_rows[__i__].window;
  wanted.target_bitrate = limit_rows[__i__].target;
  limits.min_bitrate = limit_rows[__i__].min;
  limits.max_bitrate = limit_rows[__i__].max;
  start (&puppet);
  fail_unless_equals_int64 (next_departure (0), 0);
  send (0, 1);
  at = next_departure (0);
  fail_unless (at == limit_rows[__i__].gap, "%s: %" G_GINT64_FORMAT, what, at);
  if (at != PSP_TIME_NEVER) {
    fail_unless_equals_int64 (next_departure (at), at);
    send (at, 1);
    fail_unless_equals_int64 (next_departure (at), 2 * at);
  }
  if (limit_rows[__i__].announced == PSP_BITRATE_UNKNOWN)
    fail_if (psp_sender_take_notice (sender, 0, &notice));
  else
    expect_notice (0, limit_rows[__i__].reason, limit_rows[__i__].announced);
}

GST_END_TEST;

/* What is lost of 16 streams counts; further ones are paced, and never lost. */
GST_START_TEST (test_overlooked)
{
  PspSenderStats stats;

  start (&puppet);
  for (uint32_t i = 0; i < 20; i++) {
    PspPacket packet = {.size = 1212,.payload_size = 1200,.has_key = true,
      .key = {i, 0}
    };

    psp_sender_sent (sender, &packet, i, 0);
  }
  fail_unless_equals_uint64 (psp_sender_overlooked (sender), 4);
  psp_sender_stats (sender, 20, &stats);
  fail_unless_equals_uint64 (stats.packets_sent, 20);
  fail_unless_equals_int64 (stats.in_flight, PSP_MAX_SERIES);
}

GST_END_TEST;

GST_START_TEST (test_allowance_counts)
{
  int64_t at;

  wanted.window = 5;
  start (&puppet);
  fail_unless_equals_int (ask (0, 64, &at), 5);
  fail_unless_equals_int (ask (0, 3, &at), 3);
  fail_unless_equals_int (ask (0, 0, &at), 0);
  for (int i = 0; i < 5; i++)
    send (0, 1);
  fail_unless_equals_int (ask (0, 64, &at), 0);
  fail_unless_equals_int64 (at, PSP_TIME_NEVER);
  acknowledge (0, 2, 40 * MS);
  fail_unless_equals_int (ask (40 * MS, 64, &at), 2);
}

GST_END_TEST;

/* What is forgotten undecided is never found lost: no more is in flight than
 * is remembered, where it matters. */
GST_START_TEST (test_memory_is_a_window)
{
  unsigned sent = 0;
  int64_t at;

  start (&puppet);
  while (sent < 3 * PSP_HISTORY_CAPACITY && ask (0, 64, &at) > 0) {
    send (0, 1);
    sent++;
  }
  fail_unless_equals_int (sent, PSP_HISTORY_CAPACITY);
  fail_unless_equals_int64 (at, PSP_TIME_NEVER);
  acknowledge (0, 2, 40 * MS);
  fail_unless_equals_int (ask (40 * MS, 64, &at), 2);

  psp_sender_free (sender);
  start (&blind_puppet);
  for (sent = 0; sent < 2 * PSP_HISTORY_CAPACITY; sent++) {
    fail_unless_equals_int (ask (0, 64, &at), 64);
    send (0, 1);
  }
}

GST_END_TEST;

GST_START_TEST (test_pairs)
{
  int64_t at;

  wanted.period = 50 * PSP_USECOND;
  start (&puppet);
  psp_sender_set_pairs (sender, true);
  send (0, 1);
  fail_unless_equals_int (ask (0, 64, &at), 1);
  send (0, 1);
  fail_unless_equals_int64 (next_departure (0), 100 * PSP_USECOND);
  fail_unless_equals_int (ask (100 * PSP_USECOND, 64, &at), 2);
}

GST_END_TEST;

/* A mix of sizes reaches the maximum and does not exceed it. */
GST_START_TEST (test_mixed_sizes)
{
  int64_t now = 0, bytes = 0;

  limits.max_bitrate = 1000000;
  start (&puppet);
  while (now < 10 * S) {
    uint32_t payload = next_seq % 3 ? 100 : 1400;

    send_sized (payload, now, 1);
    bytes += payload;
    now = next_departure (now);
  }
  fail_unless (llabs (bytes * 8 - 10000000) <= 1400 * 8, "%d", (int) bytes);
}

GST_END_TEST;

/* Where the controller wants so, a slot is as long as its packet is large: the
 * mean's is the period, and none is longer than the longest. */
GST_START_TEST (test_slots_by_size)
{
  int64_t now = 0, bytes = 0, at;

  wanted.period = 10 * MS;
  wanted.longest_slot = 50 * MS;
  start (&puppet);
  send (now, 1);
  fail_unless_equals_int64 (next_departure (now), 10 * MS);
  for (now = 10 * MS; now < 10 * S; now = at) {
    uint32_t payload = next_seq % 3 ? 100 : 1400;

    send_sized (payload, now, 1);
    bytes += payload + 12;
    at = next_departure (now);
    fail_unless (at - now < (payload > 100 ? 50 : 4) * MS);
  }
  /* 1000 mean packets of (2 × 112 + 1412) / 3 octets. */
  fail_unless (fabs (bytes / 545333.0 - 1) < 0.05, "%d", (int) bytes);
  /* After many small ones a large one is many of their size. */
  for (int i = 0; i < 200; i++) {
    send_sized (20, now, 1);
    now = next_departure (now);
  }
  send_sized (1400, now, 1);
  at = next_departure (now);
  fail_unless_equals_int64 (at - now, 50 * MS);
}

GST_END_TEST;

/* What the window held back is no debt of the schedule. */
GST_START_TEST (test_no_burst_after_window)
{
  wanted.period = 8 * MS;
  wanted.window = 2;
  start (&puppet);
  send (0, 1);
  send (8 * MS, 1);
  fail_unless_equals_int64 (next_departure (8 * MS), PSP_TIME_NEVER);
  wanted.window = 100;
  acknowledge (0, 1, 60 * MS);
  fail_unless_equals_int64 (next_departure (60 * MS), 60 * MS);
  send (60 * MS, 1);
  fail_unless_equals_int64 (next_departure (60 * MS), 68 * MS);
  fail_if (last_sent.app_limited);
}

GST_END_TEST;

/* A caller that knows why the window is full may go on by the pace. */
GST_START_TEST (test_slot_without_window)
{
  wanted.period = 8 * MS;
  wanted.window = 2;
  start (&puppet);
  send (0, 1);
  fail_unless_equals_int64 (psp_sender_slot (sender, 0), PSP_TIME_NEVER);
  send (8 * MS, 1);
  fail_unless_equals_int64 (psp_sender_slot (sender, 9 * MS), 16 * MS);
  send (16 * MS, 1);
  fail_unless_equals_int64 (psp_sender_slot (sender, 16 * MS), 24 * MS);
  /* No report, and silence is not for the window to blame. */
  psp_sender_tick (sender, 10 * PSP_SECOND);
  fail_unless_equals_int64 (psp_sender_slot (sender, 10 * PSP_SECOND),
      PSP_TIME_NEVER);
}

GST_END_TEST;

/* A packet that waited for its slot does not move the schedule, however late
 * it was called. */
GST_START_TEST (test_waiting_is_no_idling)
{
  wanted.period = 8 * MS;
  start (&puppet);
  send (0, 0);
  fail_unless_equals_int64 (next_departure (4 * MS), 8 * MS);
  send (9 * MS, 1);
  fail_unless_equals_int64 (next_departure (9 * MS), 16 * MS);
}

GST_END_TEST;

/* *INDENT-OFF* */
static const struct
{
  const char *what;
  unsigned backlog;             /* when the packet before left, at 0 */
  int64_t asked_at;             /* in vain, before */
  int64_t window, acknowledged_at;
  int64_t now;
  bool app_limited;
} app_rows[] = {
  {"in its slot", 1, -1, 9, -1, 8 * MS, false},
  {"late, but it waited", 1, -1, 9, -1, 20 * MS, false},
  {"an empty queue, yet in time", 0, -1, 9, -1, 8 * MS, false},
  {"an empty queue, later than it could", 0, -1, 9, -1, 9 * MS, true},
  {"it came before its slot, and waited", 0, 4 * MS, 9, -1, 9 * MS, false},
  {"an empty queue, then the window", 0, -1, 1, 20 * MS, 20 * MS, false},
  {"the window, then an empty queue", 0, -1, 1, 20 * MS, 21 * MS, true},
  {"the window, asked before", 0, 4 * MS, 1, 20 * MS, 21 * MS, false},
};
/* *INDENT-ON* */

GST_START_TEST (test_app_limited)
{
  wanted.period = 8 * MS;
  wanted.window = app_rows[__i__].window;
  start (&puppet);
  send (0, app_rows[__i__].backlog);
  if (app_rows[__i__].asked_at >= 0)
    fail_unless (next_departure (app_rows[__i__].asked_at)
        > app_rows[__i__].asked_at);
  if (app_rows[__i__].acknowledged_at >= 0)
    acknowledge (0, 1, app_rows[__i__].acknowledged_at);
  send (app_rows[__i__].now, 0);
  fail_unless (last_sent.app_limited == app_rows[__i__].app_limited, "%s",
      app_rows[__i__].what);
  fail_unless_equals_int64 (last_sent.now, app_rows[__i__].now);
  fail_unless_equals_int64 (last_sent.index, 1);
}

GST_END_TEST;

/* Feedback */

GST_START_TEST (test_feedback)
{
  PspSenderStats stats;
  int64_t now;

  wanted.period = 10 * MS;
  start (&puppet);
  for (now = 0; now < 3 * S; now += 10 * MS) {
    send (now, 1);
    if (now >= 40 * MS)
      acknowledge ((uint16_t) (next_seq - 5), (uint16_t) (next_seq - 4), now);
    run (now, now + 10 * MS - 1);
  }
  stats = stats_at (now);
  fail_unless_equals_int (stats.link, PSP_LINK_ALIVE);
  fail_unless_equals_uint64 (stats.packets_sent, 300);
  fail_unless_equals_uint64 (stats.payload_bytes_sent, 300 * PAYLOAD);
  fail_unless_equals_uint64 (stats.packets_acked, 296);
  fail_unless_equals_uint64 (stats.packets_lost, 0);
  fail_unless_equals_uint64 (stats.feedback_received, 296);
  fail_unless_equals_int64 (stats.rtt, 40 * MS);
  fail_unless_equals_int64 (stats.rtt_min, 40 * MS);
  fail_unless (stats.loss == 0);
  fail_unless_equals_int64 (stats.in_flight, 4);
  fail_unless_equals_int64 (stats.delivered_bitrate, 800000);
  fail_unless_equals_int64 (stats.period, 10 * MS);
  fail_unless (fabs (stats.gap_mean - 10 * MS) < 1);
  fail_unless (stats.gap_deviation < 1);
  fail_unless_equals_int (n_feedback, 296);
  fail_unless_equals_int (n_sent, 300);
  /* A report without new outcomes does not reach the controller. */
  acknowledge (0, 5, now);
  fail_unless_equals_int (n_feedback, 296);
  fail_unless_equals_uint64 (stats_at (now).feedback_received, 297);
}

GST_END_TEST;

/* By its key, once it has one. */
GST_START_TEST (test_sent_at)
{
  PspSenderConfig config = {.controller = &psp_cc_none };
  PspSender *named = psp_sender_new (&config, 0);
  PspPacket packet = {.size = PAYLOAD + 12,.payload_size = PAYLOAD };
  const PspKey key = { SERIES, 7 }, other = { SERIES, 8 };

  psp_sender_sent (named, &packet, 3 * MS, 0);
  fail_unless_equals_int64 (psp_sender_sent_at (named, &key), PSP_TIME_UNKNOWN);
  psp_sender_bind (named, 0, &key);
  fail_unless_equals_int64 (psp_sender_sent_at (named, &key), 3 * MS);
  fail_unless_equals_int64 (psp_sender_sent_at (named, &other),
      PSP_TIME_UNKNOWN);
  psp_sender_free (named);
}

GST_END_TEST;

GST_START_TEST (test_refused_feedback)
{
  start (&puppet);
  for (int i = 0; i < 10; i++)
    send (0, 1);
  acknowledge (5, 11, 1);
  fail_unless_equals_uint64 (stats_at (1).feedback_never_sent, 1);
  feedback_begin (&feedback);
  feedback_series (&feedback, 99, 0);
  feedback_received (&feedback, 0, 0);
  feedback_end (&feedback, 0);
  fail_unless_equals_int (psp_sender_acknowledge (sender, &feedback.feedback,
          1), PSP_FEEDBACK_UNKNOWN_SERIES);
  fail_unless_equals_uint64 (stats_at (1).feedback_unknown_series, 1);
  /* None of it proves that anybody receives. */
  fail_unless_equals_int (stats_at (1).link, PSP_LINK_WAITING);
  fail_unless_equals_int (n_feedback, 0);
  fail_unless_equals_int64 (stats_at (1).in_flight, 10);
}

GST_END_TEST;

GST_START_TEST (test_loss_timeout)
{
  start (&puppet);
  for (int i = 0; i < 10; i++)
    send (i * 4 * MS, 0);
  /* RFC 6298 (2.1): a second while there is no sample, and a report's time. */
  run (36 * MS, 1025 * MS - 1);
  fail_unless_equals_int (n_timeouts, 0);
  run (1025 * MS - 1, 1025 * MS);
  fail_unless_equals_int (n_timeouts, 1);
  fail_unless_equals_int (last_report.n_lost, 1);
  /* The rest in batches. */
  run (1025 * MS, 2 * S);
  fail_unless_equals_int64 (stats_at (2 * S).packets_lost, 10);
  fail_unless_equals_int (n_timeouts, 5);

  wanted.loss_timeout = 50 * MS;        /* the controller's own */
  send (3 * S, 0);
  run (3 * S, 3050 * MS - 1);
  fail_unless_equals_int (n_timeouts, 5);
  run (3050 * MS - 1, 3050 * MS);
  fail_unless_equals_int (n_timeouts, 6);
}

GST_END_TEST;

GST_START_TEST (test_controller_ticks)
{
  wanted.next_tick = 70 * MS;
  start (&puppet);
  fail_unless_equals_int64 (psp_sender_next_tick (sender, 0), 70 * MS);
  run (0, 70 * MS - 1);
  fail_unless_equals_int (n_ticks, 0);
  run (0, 70 * MS);
  fail_unless_equals_int (n_ticks, 1);
  fail_unless_equals_int64 (psp_sender_next_tick (sender, 70 * MS),
      PSP_TIME_NEVER);
}

GST_END_TEST;

/* Silence */

/* Sends whatever may leave, from a queue that never empties. */
static unsigned
send_all (int64_t from, int64_t until)
{
  unsigned n = 0;
  int64_t at = from;

  while (from <= until) {
    run (from, from);
    if (ask (from, 1, &at) > 0) {
      send (from, 1);
      n++;
    } else {
      from = MIN (at, psp_sender_next_tick (sender, from));
    }
  }
  return n;
}

static void
check_silence (int64_t min_bitrate, int64_t floor_period, int64_t floor_bitrate)
{
  unsigned n;

  wanted.period = 8 * MS;
  wanted.window = 30;
  wanted.target_bitrate = 1000000;
  limits.min_bitrate = min_bitrate;
  start (&puppet);
  expect_notice (0, PSP_REASON_START, 1000000);
  /* The window holds back what min_bitrate does not allow. */
  send_all (0, 500 * MS - 1);
  fail_unless_equals_int (stats_at (500 * MS - 1).link, PSP_LINK_WAITING);
  n = send_all (500 * MS, 10 * S - 1);
  fail_unless_equals_int (stats_at (10 * S - 1).link, PSP_LINK_SILENT);
  expect_notice (500 * MS, PSP_REASON_TIMEOUT, floor_bitrate);
  fail_unless (n >= 9500 * MS / floor_period - 1
      && n <= 9500 * MS / floor_period + 2, "%u", n);
  fail_unless (psp_sender_media_allowed (sender, 10 * S - 1));
  n = send_all (10 * S, 20 * S - 1);
  fail_unless_equals_int (stats_at (20 * S - 1).link, PSP_LINK_STOPPED);
  expect_notice (10 * S, PSP_REASON_TIMEOUT, 0);
  fail_unless (n >= 9 && n <= 11, "%u", n);
  fail_if (psp_sender_media_allowed (sender, 20 * S - 1));
  fail_unless_equals_int64 (psp_sender_pace (sender), PSP_BITRATE_UNKNOWN);
  /* It returns: at once, on the controller's own schedule. */
  acknowledge ((uint16_t) (next_seq - 1), next_seq, 20 * S - 1);
  fail_unless_equals_int (stats_at (20 * S - 1).link, PSP_LINK_ALIVE);
  fail_unless (psp_sender_media_allowed (sender, 20 * S - 1));
  expect_notice (20 * S - 1, PSP_REASON_INCREASE, 1000000);
  fail_unless_equals_int64 (next_departure (20 * S - 1), 20 * S - 1);
  send (20 * S - 1, 1);
  fail_unless_equals_int64 (next_departure (20 * S - 1), 20 * S - 1 + 8 * MS);
}

GST_START_TEST (test_silence)
{
  check_silence (100000, 80 * MS, 100000);
}

GST_END_TEST;

/* Without a minimum one packet in max (4 RTT, 500 ms): never nothing. */
GST_START_TEST (test_silence_without_minimum)
{
  check_silence (0, 500 * MS, 16000);
}

GST_END_TEST;

/* Upstream that obeyed the 0 of a stopped link waits for another figure, which
 * a controller that knows no round trip yet cannot give. */
GST_START_TEST (test_resumption_without_target)
{
  wanted.target_bitrate = PSP_BITRATE_UNKNOWN;
  wanted.period = 8 * MS;
  start (&puppet);
  send_all (0, 11 * S);
  expect_notice (11 * S, PSP_REASON_TIMEOUT, 0);
  acknowledge ((uint16_t) (next_seq - 1), next_seq, 11 * S);
  expect_notice (12 * S, PSP_REASON_INCREASE, 64000);
  /* From here on the controller knows, and rules. */
  wanted.target_bitrate = 3000000;
  send (12 * S, 0);
  expect_notice (14 * S, PSP_REASON_INCREASE, 3000000);
}

GST_END_TEST;

/* … and whatever began anew meanwhile. */
GST_START_TEST (test_begun_anew_when_stopped)
{
  wanted.target_bitrate = PSP_BITRATE_UNKNOWN;
  wanted.period = 8 * MS;
  start (&puppet);
  send_all (0, 11 * S);
  expect_notice (11 * S, PSP_REASON_TIMEOUT, 0);
  if (__i__ == 0)
    psp_sender_reset (sender, 11 * S);
  else
    fail_unless (psp_sender_set_controller (sender, &blind_puppet, NULL, 0,
            11 * S));
  fail_if (psp_sender_is_stopped (sender));
  fail_unless_equals_int (stats_at (11 * S).link, PSP_LINK_WAITING);
  expect_notice (11 * S, PSP_REASON_RESET, 64000);
  /* Where upstream sends anyhow, nothing has to be called back. */
  psp_sender_reset (sender, 12 * S);
  expect_notice (12 * S, PSP_REASON_RESET, PSP_BITRATE_UNKNOWN);
}

GST_END_TEST;

/* max_bitrate holds for the packet that called it back, too. */
GST_START_TEST (test_resumption_is_limited)
{
  limits.max_bitrate = 1000000;
  start (&puppet);
  for (int64_t now = 0; now < 600 * MS; now += 5 * MS) {
    run (now, now);
    send_sized (10, now, 1);
  }
  fail_unless_equals_int (stats_at (600 * MS).link, PSP_LINK_SILENT);
  send_sized (10000, 600 * MS, 1);
  acknowledge (0, next_seq, 605 * MS);
  fail_unless_equals_int (stats_at (605 * MS).link, PSP_LINK_ALIVE);
  fail_unless_equals_int64 (next_departure (605 * MS), 680 * MS);
}

GST_END_TEST;

GST_START_TEST (test_pause_is_no_silence)
{
  wanted.period = 8 * MS;
  wanted.target_bitrate = 1000000;
  start (&puppet);
  send_all (0, 100 * MS);
  acknowledge (0, 10, 100 * MS);
  send (108 * MS, 1);
  /* Paused with a queue, for an hour; the last reports were lost. */
  run (108 * MS, 3600 * S);
  fail_unless_equals_int (stats_at (3600 * S).link, PSP_LINK_ALIVE);
  send_all (3600 * S, 3600 * S + 100 * MS);
  fail_unless_equals_int (stats_at (3600 * S).link, PSP_LINK_ALIVE);
}

GST_END_TEST;

/* Only feedback could have let the next packet go, and that may have stopped
 * for the pause as well. */
GST_START_TEST (test_pause_with_full_window)
{
  wanted.window = 4;
  wanted.loss_timeout = 7200 * S;
  start (&puppet);
  for (int i = 0; i < 4; i++)
    send (0, i < 3);
  acknowledge (0, 1, 40 * MS);
  send (40 * MS, 1);
  run (40 * MS, 100 * MS);
  psp_sender_resume (sender, 3600 * S);
  run (3600 * S, 3600 * S + 499 * MS);
  fail_unless_equals_int (stats_at (3600 * S).link, PSP_LINK_ALIVE);
  /* From there on silence is silence. */
  run (3600 * S, 3600 * S + 500 * MS);
  fail_unless_equals_int (stats_at (3601 * S).link, PSP_LINK_SILENT);
}

GST_END_TEST;

/* The last packets before a full window may be lost, and only a later one would
 * tell. */
GST_START_TEST (test_probe)
{
  int64_t at;

  wanted.window = 1;
  wanted.loss_timeout = 60 * S;
  start (&puppet);
  for (int i = 0; i < 3; i++)
    send (0, 1);
  acknowledge (0, 1, 40 * MS);
  run (40 * MS, 1039 * MS);
  fail_unless_equals_int (ask (1039 * MS, 64, &at), 0);
  fail_unless_equals_int64 (at, PSP_TIME_NEVER);
  run (1039 * MS, 1040 * MS);
  fail_unless_equals_int (ask (1040 * MS, 64, &at), 1);
  send (1040 * MS, 1);
  fail_unless_equals_int (ask (1040 * MS, 64, &at), 0);
  /* It overtook the two others: more is known of them than of itself. */
  wanted.loss_timeout = 0;
  acknowledge (3, 4, 1080 * MS);
  run (1080 * MS, 1080 * MS + 300 * MS);
  fail_unless_equals_int64 (stats_at (1380 * MS).packets_lost, 2);
  fail_unless (ask (1380 * MS, 64, &at) > 0);
}

GST_END_TEST;

/* A receiver that reports on a timer, whether or not anything comes. */
GST_START_TEST (test_nothing_arrives)
{
  wanted.period = 8 * MS;
  start (&puppet);
  send (0, 1);
  acknowledge (0, 1, 5 * MS);
  for (int64_t now = 8 * MS; now <= 20 * S; now += 8 * MS) {
    run (now, now);
    if (psp_sender_media_allowed (sender, now))
      send (now, 1);
    feedback_begin (&feedback);
    feedback_series (&feedback, SERIES, (uint16_t) (next_seq - 1));
    feedback_missing (&feedback);
    feedback_end (&feedback, now);
    psp_sender_acknowledge (sender, &feedback.feedback, now);
    acknowledge (0, 1, now);
  }
  fail_unless (stats_at (20 * S).feedback_received > 4000);
  fail_unless_equals_int (stats_at (20 * S).link, PSP_LINK_STOPPED);
}

GST_END_TEST;

GST_START_TEST (test_no_feedback_needed)
{
  wanted.period = 8 * MS;
  wanted.target_bitrate = 1000000;
  start (&blind_puppet);
  fail_unless_equals_int (send_all (0, 20 * S - 1), 2500);
  fail_unless_equals_int (stats_at (20 * S).link, PSP_LINK_WAITING);
  /* A group that reports nothing loses nothing. */
  fail_unless_equals_uint64 (stats_at (20 * S).packets_lost, 0);
  acknowledge (2499, 2500, 20 * S);
  fail_unless_equals_int (send_all (20 * S, 40 * S - 1), 2500);
  fail_unless_equals_int (stats_at (40 * S).link, PSP_LINK_ALIVE);
  fail_unless (stats_at (40 * S).packets_lost > 2000);
}

GST_END_TEST;

/* A slot is the controller's that gave it. */
GST_START_TEST (test_slot_of_before)
{
  wanted.period = 30 * S;
  start (&puppet);
  send (0, 1);
  wanted.period = 8 * MS;
  fail_unless (psp_sender_set_controller (sender, &puppet, NULL, 0, 20 * MS));
  fail_unless_equals_int64 (next_departure (20 * MS), 20 * MS);
}

GST_END_TEST;

/* What was sent without asking for feedback is no silence. */
GST_START_TEST (test_feedback_from_now_on)
{
  wanted.period = 8 * MS;
  wanted.target_bitrate = 1000000;
  start (&blind_puppet);
  send_all (0, 20 * S - 1);
  fail_unless (psp_sender_set_controller (sender, &puppet, NULL, 0, 20 * S));
  send_all (20 * S, 20 * S + 499 * MS);
  fail_unless_equals_int (stats_at (20 * S + 499 * MS).link, PSP_LINK_WAITING);
  send_all (20 * S + 499 * MS, 20 * S + 510 * MS);
  fail_unless_equals_int (stats_at (20 * S + 510 * MS).link, PSP_LINK_SILENT);
}

GST_END_TEST;

/* Telling */

GST_START_TEST (test_notices)
{
  PspNotice notice;

  wanted.scale = 4;
  limits.start_bitrate = 700000;
  limits.max_bitrate = 950000;
  start (&puppet);
  /* A start bitrate is announced before there is any feedback. */
  expect_notice (0, PSP_REASON_START, 700000);
  send (0, 1);
  wanted.target_bitrate = 1000000;
  wanted.reason = PSP_REASON_INCREASE;
  acknowledge (0, 1, 40 * MS);
  psp_sender_notice (sender, &notice);
  fail_unless_equals_int64 (notice.target_bitrate, 902500);
  expect_notice (40 * MS, PSP_REASON_LIMIT, 902500);
  wanted.target_bitrate = 850000;
  wanted.reason = PSP_REASON_LOSS;
  send (50 * MS, 1);
  wanted.target_bitrate = 860000;
  wanted.reason = PSP_REASON_INCREASE;
  wanted.period = 9 * MS;
  send (52 * MS, 1);
  /* Not at once; and the tick asks for it to be taken. */
  fail_if (psp_sender_take_notice (sender, 79 * MS, &notice));
  fail_unless_equals_int64 (psp_sender_next_tick (sender, 52 * MS), 80 * MS);
  fail_unless (psp_sender_take_notice (sender, 80 * MS, &notice));
  fail_unless_equals_int (notice.reason, PSP_REASON_LOSS);
  fail_unless_equals_int64 (notice.target_bitrate, 860000);
  fail_unless_equals_int (notice.scale, 4);
  fail_unless_equals_int64 (notice.rtt, 40 * MS);
  fail_unless (notice.loss == 0);
  fail_unless_equals_int64 (notice.spacing, 9 * MS);
  fail_unless_equals_int64 (psp_sender_pace (sender), 8 * PAYLOAD * S /
      (9 * MS));
  wanted.period = 0;
  send (90 * MS, 1);
  /* max_bitrate holds packets of the mean size. */
  fail_unless (llabs (psp_sender_pace (sender) - limits.max_bitrate) <= 1);
  limits.max_bitrate = 0;
  psp_sender_set_limits (sender, &limits, 90 * MS);
  fail_unless_equals_int64 (psp_sender_pace (sender), PSP_BITRATE_UNKNOWN);
  fail_if (psp_sender_take_notice (sender, 10 * S, &notice));
}

GST_END_TEST;

/* Packets of 1000 bytes, each 4 ms: 2 Mb/s, of which all arrives. */
static int64_t
stream (int64_t from, int64_t until)
{
  for (; from < until; from += 4 * MS) {
    send (from, 0);
    acknowledge (next_seq - 1, next_seq, from + MS);
  }
  return from;
}

static int64_t
target_at (int64_t now)
{
  psp_sender_tick (sender, now);
  return stats_at (now).target_bitrate;
}

/* A target is in proportion to what was sent in the last 5 s. */
GST_START_TEST (test_proved_target)
{
  int64_t t = 0;

  wanted.target_bitrate = 100000000;
  limits.unproved_bitrate = 600000;
  start (&puppet);
  expect_notice (0, PSP_REASON_START, 600000);
  t = stream (t, 2 * S);
  fail_unless (target_at (t) >= 6000000 && target_at (t) < 6200000);
  /* An encoder that is idle, and then there is a scene: at once. */
  fail_unless (target_at (t + 4500 * MS) >= 5000000);
  fail_unless_equals_int64 (target_at (t + 6 * S), 600000);
  /* A target below that is the controller's. */
  wanted.target_bitrate = 500000;
  psp_sender_set_limits (sender, &limits, t + 6 * S);
  fail_unless_equals_int64 (target_at (t + 6 * S), 500000);
  wanted.target_bitrate = 100000000;
  /* What the application asks for. */
  limits.start_bitrate = 1000000;
  psp_sender_set_limits (sender, &limits, t + 6 * S);
  fail_unless_equals_int64 (target_at (t + 6 * S), 1000000);
  limits.unproved_bitrate = 8000000;
  psp_sender_set_limits (sender, &limits, t + 6 * S);
  fail_unless_equals_int64 (target_at (t + 6 * S), 8000000);
  limits.min_bitrate = 9000000;
  psp_sender_set_limits (sender, &limits, t + 6 * S);
  fail_unless_equals_int64 (target_at (t + 6 * S), 9000000);
  limits.unproved_bitrate = 0;
  psp_sender_set_limits (sender, &limits, t + 6 * S);
  fail_unless_equals_int64 (target_at (t + 6 * S), 100000000);
}

GST_END_TEST;

/* A rate that the application gave is no estimate: without feedback (0), or of
 * scales (1). */
GST_START_TEST (test_no_proof)
{
  wanted.target_bitrate = 100000000;
  wanted.scale = __i__ ? 4 : -1;
  limits.unproved_bitrate = 600000;
  start (__i__ ? &puppet : &blind_puppet);
  expect_notice (0, PSP_REASON_START, 100000000);
}

GST_END_TEST;

/* The rate from which another controller goes on. */
GST_START_TEST (test_bitrate_in_use)
{
  const int64_t sent = INT64_C (2000) * PAYLOAD;
  int64_t t;

  wanted.period = 4 * MS;
  start (&puppet);
  fail_unless_equals_int64 (psp_sender_bitrate_in_use (sender, 0), 0);
  t = stream (0, 2 * S);
  /* Without a target it is what arrives, */
  fail_unless_equals_int64 (psp_sender_bitrate_in_use (sender, t), sent);
  wanted.target_bitrate = 100000000;
  t = stream (t, 3 * S);
  fail_unless_equals_int64 (psp_sender_bitrate_in_use (sender, t), sent);
  /* no more than the target, */
  wanted.target_bitrate = 1500000;
  t = stream (t, 4 * S);
  fail_unless_equals_int64 (psp_sender_bitrate_in_use (sender, t), 1500000);
  /* of which repairs have a part, */
  psp_sender_set_reserved (sender, 200000, t);
  fail_unless_equals_int64 (psp_sender_bitrate_in_use (sender, t), 1500000);
  /* and nothing if the application is idle, but for what needs no proof. */
  t += 3 * S;
  fail_unless_equals_int64 (psp_sender_bitrate_in_use (sender, t), 0);
  limits.start_bitrate = 300000;
  limits.unproved_bitrate = 600000;
  psp_sender_set_limits (sender, &limits, t);
  fail_unless_equals_int64 (psp_sender_bitrate_in_use (sender, t), 600000);
  /* Nothing is known of a silent path. */
  send_all (t, t + 2 * S);
  fail_unless_equals_int (stats_at (t + 2 * S).link, PSP_LINK_SILENT);
  fail_unless_equals_int64 (psp_sender_bitrate_in_use (sender, t + 2 * S),
      300000);
}

GST_END_TEST;

/* A controller that starts from the rate in use does so for this path only. */
GST_START_TEST (test_start_of_another_path)
{
  limits.start_bitrate = 300000;
  start (&psp_cc_scp);
  fail_unless (psp_sender_set_controller (sender, &psp_cc_scp, NULL, 2000000,
          0));
  fail_unless_equals_int64 (stats_at (0).target_bitrate, 2000000);
  psp_sender_reset (sender, 0);
  fail_unless_equals_int64 (stats_at (0).target_bitrate, 300000);
}

GST_END_TEST;

GST_START_TEST (test_set_controller)
{
  wanted.target_bitrate = 1000000;
  wanted.window = 4;
  start (&puppet);
  expect_notice (0, PSP_REASON_START, 1000000);
  for (int i = 0; i < 4; i++)
    send (0, 1);
  acknowledge (0, 1, 40 * MS);
  send (40 * MS, 1);
  fail_unless (psp_sender_set_controller (sender, &blind_puppet, NULL, 0,
          50 * MS));
  fail_unless (psp_sender_controller (sender) == &blind_puppet);
  fail_unless (init_payload == PAYLOAD);
  fail_unless_equals_int64 (stats_at (50 * MS).in_flight, 0);
  fail_unless_equals_int64 (stats_at (50 * MS).rtt, 40 * MS);
  fail_unless_equals_int (stats_at (50 * MS).link, PSP_LINK_ALIVE);
  expect_notice (50 * MS, PSP_REASON_RESET, 1000000);
  fail_unless_equals_int64 (next_departure (50 * MS), 50 * MS);
  acknowledge (1, 5, 60 * MS);
  fail_unless_equals_int (n_feedback, 1);
}

GST_END_TEST;

GST_START_TEST (test_reset)
{
  wanted.target_bitrate = 1000000;
  start (&puppet);
  send (0, 1);
  acknowledge (0, 1, 40 * MS);
  expect_notice (40 * MS, PSP_REASON_START, 1000000);
  send (40 * MS, 1);
  psp_sender_reset (sender, 50 * MS);
  fail_unless_equals_int64 (stats_at (50 * MS).rtt, PSP_TIME_UNKNOWN);
  fail_unless_equals_int64 (stats_at (50 * MS).in_flight, 0);
  fail_unless_equals_int (stats_at (50 * MS).link, PSP_LINK_WAITING);
  expect_notice (50 * MS, PSP_REASON_RESET, 1000000);
}

GST_END_TEST;

/* What was under way to a receiver that is gone holds nobody back. */
GST_START_TEST (test_forget_receiver)
{
  wanted.period = 8 * MS;
  wanted.window = 2;
  start (&puppet);
  send (0, 1);
  send (8 * MS, 1);
  fail_unless_equals_int64 (next_departure (20 * MS), PSP_TIME_NEVER);
  psp_sender_forget_receiver (sender, 1, 20 * MS);
  fail_unless_equals_int64 (next_departure (20 * MS), PSP_TIME_NEVER);
  psp_sender_forget_receiver (sender, 0, 20 * MS);
  fail_unless_equals_int64 (next_departure (20 * MS), 20 * MS);
  fail_unless_equals_int64 (stats_at (20 * MS).in_flight, 0);
}

GST_END_TEST;

GST_START_TEST (test_set_limits)
{
  wanted.target_bitrate = 1000000;
  start (&puppet);
  expect_notice (0, PSP_REASON_START, 1000000);
  limits.max_bitrate = 500000;
  psp_sender_set_limits (sender, &limits, 10 * MS);
  fail_unless_equals_int (n_limits, 1);
  expect_notice (10 * MS, PSP_REASON_LIMIT, 475000);
  send (10 * MS, 1);
  fail_unless_equals_int64 (next_departure (10 * MS), 26 * MS);
}

GST_END_TEST;

/* A slot of the old limit ends with it; one of the new is kept to. */
GST_START_TEST (test_raised_limits)
{
  limits.max_bitrate = 1000;
  start (&puppet);
  send (0, 1);
  fail_unless_equals_int64 (next_departure (0), 8 * S);
  limits.max_bitrate = 1000000;
  psp_sender_set_limits (sender, &limits, MS);
  fail_unless_equals_int64 (next_departure (MS), 8 * MS);
  psp_sender_reset (sender, MS);
  fail_unless_equals_int64 (next_departure (MS), 8 * MS);
  limits.max_bitrate = 0;
  psp_sender_set_limits (sender, &limits, MS);
  fail_unless_equals_int64 (next_departure (MS), MS);
  wanted.period = 10 * S;
  send (MS, 1);
  wanted.period = 20 * MS;
  psp_sender_set_limits (sender, &limits, 2 * MS);
  fail_unless_equals_int64 (next_departure (2 * MS), 21 * MS);
}

GST_END_TEST;

/* Hostile receivers */

#define WINDOW (100 * MS)

typedef struct
{
  int64_t at;
  uint32_t payload;
} Departure;

/* In no 100 ms more than max_bitrate and one packet. */
static void
check_rate (const Departure * d, unsigned n, int64_t max_bitrate)
{
  int64_t bits = 0;
  unsigned first = 0;

  for (unsigned i = 0; i < n; i++) {
    bits += 8 * d[i].payload;
    for (; d[i].at - d[first].at >= WINDOW; first++)
      bits -= 8 * d[first].payload;
    if (bits - 8 * d[i].payload > max_bitrate * WINDOW / S)
      fail ("%" G_GINT64_FORMAT " bits in 100 ms at packet %u", bits, i);
  }
}

/* Reports what suits it: all that was sent, at once or never, twice, marked,
 * with whatever offsets. */
static void
lie (GRand * rand, int64_t now)
{
  uint16_t seq = (uint16_t) (next_seq - g_rand_int_range (rand, 0, 200));
  int n = g_rand_int_range (rand, 1, 200);

  feedback_begin (&feedback);
  feedback_series (&feedback, SERIES, seq);
  for (; n > 0; n--, seq++) {
    if (psp_seq_distance (seq, next_seq) >= 0
        && g_rand_int_range (rand, 0, 1000))
      break;
    if (g_rand_int_range (rand, 0, 8))
      feedback_received (&feedback, g_rand_int_range (rand, 0, 4) ?
          g_rand_int_range (rand, 0, 400) * MS : PSP_TIME_UNKNOWN,
          (uint8_t) (g_rand_int_range (rand, 0, 20) ? 0 : PSP_ECN_CE));
    else
      feedback_missing (&feedback);
  }
  if (g_rand_int_range (rand, 0, 2))
    feedback_end (&feedback, g_rand_int (rand) * (PSP_SECOND / 65536));
  else
    feedback_end (&feedback, now);
  psp_sender_acknowledge (sender, &feedback.feedback, now);
}

static const double fast_period = 20 * PSP_USECOND;

static void
check_hostile (const PspControllerClass * klass, uint32_t seed)
{
  enum
  { N = 20000 };
  GRand *rand = g_rand_new_with_seed (seed);
  Departure *d = g_new (Departure, N);
  int64_t now = 0, at, until = 60 * S, next_lie = 0;
  unsigned n = 0;

  next_seq = 0;
  limits.max_bitrate = 2000000;
  limits.min_bitrate = seed % 2 ? 100000 : 0;
  limits.start_bitrate = seed % 3 ? 0 : 10000000;
  parameters = klass == &psp_cc_fixed ? &fast_period : NULL;
  start (klass);
  if (seed % 4 == 0)
    psp_sender_set_pairs (sender, true);
  while (now < until && n < N) {
    if (now >= next_lie) {
      lie (rand, now);
      next_lie = now + g_rand_int_range (rand, 0,
          g_rand_int_range (rand, 0, 200) ? 20 : 15000) * MS;
    }
    run (now, now);
    if (ask (now, 1, &at) > 0) {
      d[n].at = now;
      d[n].payload = (uint32_t) (g_rand_int_range (rand, 0, 3) ?
          g_rand_int_range (rand, 1000, 1400) : g_rand_int_range (rand, 1,
              300));
      send_sized (d[n++].payload, now, g_rand_int_range (rand, 0, 30) > 0);
    } else {
      now = MIN (at, MIN (next_lie, psp_sender_next_tick (sender, now)));
    }
    often_fail_unless (stats_at (now).in_flight >= 0);
  }
  check_rate (d, n, limits.max_bitrate);
  fail_unless (n > 50, "%s sent only %u", klass->name, n);
  psp_sender_free (sender);
  sender = NULL;
  g_free (d);
  g_rand_free (rand);
}

GST_START_TEST (test_hostile_feedback)
{
  const PspControllerClass *const *all = psp_controller_list ();

  for (unsigned i = 0; all[i]; i++)
    for (uint32_t seed = 0; seed < test_rounds (4); seed++)
      check_hostile (all[i], seed);
}

GST_END_TEST;

/* An honest path that breaks for a while: the real controllers are acting on
 * feedback again 2 round trips, a report and a packet period after it is
 * back. */
static void
check_outage (const PspControllerClass * klass, int64_t outage)
{
  enum
  { RTT = 40 };
  const int64_t down = 5 * S, up = down + outage;
  int64_t now = 0, at, resumed_at = PSP_TIME_NEVER;
  int64_t period = 0, slack = 2 * RTT * MS + 25 * MS;
  int64_t sent_at[64] = { 0 };
  uint16_t acked = 0;

  next_seq = 0;
  limits = (PspLimits) {
  .min_bitrate = 100000,.max_bitrate = 2000000,.start_bitrate = 1000000};
  start (klass);
  /* Steps of a millisecond; each packet is reported on its own. */
  for (; now < up + 2 * S; now += MS) {
    run (now, now);
    while (acked != next_seq && sent_at[acked % 64] + RTT * MS <= now) {
      if (sent_at[acked % 64] < down || sent_at[acked % 64] >= up)
        acknowledge (acked, (uint16_t) (acked + 1), now);
      acked++;
    }
    if (now >= up && resumed_at == PSP_TIME_NEVER
        && stats_at (now).link == PSP_LINK_ALIVE)
      resumed_at = now;
    if (now == up - MS)
      period = stats_at (now).link == PSP_LINK_STOPPED ? S :
          stats_at (now).period;
    while (ask (now, 1, &at) > 0 && (uint16_t) (next_seq - acked) < 64) {
      sent_at[next_seq % 64] = now;
      send (now, 1);
    }
  }
  fail_unless (resumed_at <= up + slack + period,
      "%s: %" G_GINT64_FORMAT " after %" G_GINT64_FORMAT, klass->name,
      resumed_at - up, outage);
  fail_unless_equals_int (stats_at (now).link, PSP_LINK_ALIVE);
  psp_sender_free (sender);
  sender = NULL;
}

GST_START_TEST (test_outage)
{
  const PspControllerClass *const *all = psp_controller_list ();

  for (unsigned i = 0; all[i]; i++) {
    if (!all[i]->needs_feedback)
      continue;
    check_outage (all[i], 2 * S);
    check_outage (all[i], 30 * S);
  }
}

GST_END_TEST;

/* Repairs leave the rest of the target to media, never below a quarter of it or
 * the minimum; and the controller's reason stays. */
GST_START_TEST (test_reserved)
{
  const PspLimits floor = {.min_bitrate = 300000 };
  PspNotice notice;

  wanted.target_bitrate = 1000000;
  wanted.reason = PSP_REASON_DELAY;
  start (&puppet);
  psp_sender_set_reserved (sender, 200000, 0);
  psp_sender_notice (sender, &notice);
  fail_unless_equals_int64 (notice.target_bitrate, 800000);
  psp_sender_set_reserved (sender, 900000, 0);
  psp_sender_notice (sender, &notice);
  fail_unless_equals_int64 (notice.target_bitrate, 250000);
  psp_sender_set_limits (sender, &floor, 0);
  psp_sender_notice (sender, &notice);
  fail_unless_equals_int64 (notice.target_bitrate, 300000);
  psp_sender_set_reserved (sender, 0, 0);
  psp_sender_notice (sender, &notice);
  fail_unless_equals_int64 (notice.target_bitrate, 1000000);
}

GST_END_TEST;

/* Explicit congestion notification */

/* ECT(1) is for controllers that answer marks by their share (RFC 9331 section
 * 4.3); none may leave where nobody answers a mark (RFC 3168 section 5). */
GST_START_TEST (test_ecn_by_controller)
{
  PspControllerClass scalable = puppet, deaf = puppet;

  scalable.scalable = true;
  deaf.on_feedback = NULL;
  start (&puppet);
  fail_unless_equals_int (psp_sender_ecn (sender), PSP_ECN_NOT_ECT);
  fail_unless_equals_int (psp_sender_ecn_verdict (sender), PSP_ECN_PATH_OFF);
  psp_sender_set_ecn (sender, PSP_ECN_ECT1, 0);
  fail_unless_equals_int (psp_sender_ecn (sender), PSP_ECN_ECT0);
  psp_sender_set_controller (sender, &scalable, NULL, 0, 0);
  fail_unless_equals_int (psp_sender_ecn (sender), PSP_ECN_ECT1);
  psp_sender_set_controller (sender, &deaf, NULL, 0, 0);
  fail_unless_equals_int (psp_sender_ecn (sender), PSP_ECN_NOT_ECT);
  fail_unless_equals_int (psp_sender_ecn_verdict (sender), PSP_ECN_PATH_OFF);
  psp_sender_set_controller (sender, &puppet, NULL, 0, 0);
  psp_sender_set_ecn (sender, PSP_ECN_NOT_ECT, 0);
  fail_unless_equals_int (psp_sender_ecn (sender), PSP_ECN_NOT_ECT);
}

GST_END_TEST;

/* Reports packets from `from` on, with these ECN fields. */
static void
acknowledge_ecn (uint16_t from, const PspEcn * ecn, guint n, int64_t now)
{
  feedback_begin (&feedback);
  feedback_series (&feedback, SERIES, from);
  for (guint i = 0; i < n; i++)
    feedback_received (&feedback, 0, (uint8_t) ecn[i]);
  feedback_end (&feedback, now);
  psp_sender_acknowledge (sender, &feedback.feedback, now);
}

/* The controller hears with what a packet left, whatever the receiver says. */
GST_START_TEST (test_ecn_sent)
{
  static const PspEcn reported[] = { PSP_ECN_ECT0, PSP_ECN_ECT1 };

  start (&puppet);
  psp_sender_set_ecn (sender, PSP_ECN_ECT0, 0);
  send (0, 0);
  send (10 * MS, 0);
  fail_unless_equals_int (stats_at (10 * MS).packets_ect, 1);
  acknowledge_ecn (0, reported, 2, 50 * MS);
  fail_unless_equals_int (last_report.results[0].sent_ecn, PSP_ECN_ECT0);
  fail_unless_equals_int (last_report.results[1].sent_ecn, PSP_ECN_NOT_ECT);
  fail_unless_equals_int (last_report.results[1].ecn, PSP_ECN_ECT1);
  fail_unless_equals_int (stats_at (50 * MS).ecn, PSP_ECN_PATH_CAPABLE);
  send (60 * MS, 0);
  send (70 * MS, 0);
  fail_unless_equals_int (stats_at (70 * MS).packets_ect, 3);
  /* Another path. */
  psp_sender_reset (sender, 80 * MS);
  fail_unless_equals_int (stats_at (80 * MS).ecn, PSP_ECN_PATH_TESTING);
}

GST_END_TEST;

/* Before the receiver runs nothing is reported: ECN begins with its reports.
 * Where it falls silent, what was verified is in doubt. */
GST_START_TEST (test_ecn_silence)
{
  static const PspEcn reported = PSP_ECN_ECT0;
  int64_t now;

  start (&puppet);
  psp_sender_set_ecn (sender, PSP_ECN_ECT0, 0);
  for (now = 0; now <= 2100 * MS; now += 50 * MS) {
    run (now, now);
    send (now, 0);
  }
  fail_unless_equals_int (stats_at (now).ecn, PSP_ECN_PATH_NOT_ECHOED);
  acknowledge ((uint16_t) (next_seq - 1), next_seq, now);
  fail_unless_equals_int (stats_at (now).ecn, PSP_ECN_PATH_TESTING);
  send (now, 0);
  now += 50 * MS;
  acknowledge_ecn ((uint16_t) (next_seq - 1), &reported, 1, now);
  fail_unless_equals_int (stats_at (now).ecn, PSP_ECN_PATH_CAPABLE);
  for (int i = 0; i < 20; i++, now += 50 * MS) {
    run (now, now);
    send (now, 0);
  }
  fail_unless_equals_int (stats_at (now).link, PSP_LINK_SILENT);
  fail_unless_equals_int (stats_at (now).ecn, PSP_ECN_PATH_TESTING);
}

GST_END_TEST;

static Suite *
sender_suite (void)
{
  Suite *s = suite_create ("control-sender");
  TCase *tc = tcase_create ("sender");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_loop_test (tc, test_limits, 0, G_N_ELEMENTS (limit_rows));
  tcase_add_test (tc, test_overlooked);
  tcase_add_test (tc, test_allowance_counts);
  tcase_add_test (tc, test_memory_is_a_window);
  tcase_add_test (tc, test_pairs);
  tcase_add_test (tc, test_mixed_sizes);
  tcase_add_test (tc, test_slots_by_size);
  tcase_add_test (tc, test_no_burst_after_window);
  tcase_add_test (tc, test_slot_without_window);
  tcase_add_test (tc, test_waiting_is_no_idling);
  tcase_add_loop_test (tc, test_app_limited, 0, G_N_ELEMENTS (app_rows));
  tcase_add_test (tc, test_feedback);
  tcase_add_test (tc, test_sent_at);
  tcase_add_test (tc, test_refused_feedback);
  tcase_add_test (tc, test_loss_timeout);
  tcase_add_test (tc, test_controller_ticks);
  tcase_add_test (tc, test_silence);
  tcase_add_test (tc, test_silence_without_minimum);
  tcase_add_test (tc, test_resumption_without_target);
  tcase_add_test (tc, test_resumption_is_limited);
  tcase_add_test (tc, test_pause_is_no_silence);
  tcase_add_test (tc, test_pause_with_full_window);
  tcase_add_test (tc, test_probe);
  tcase_add_test (tc, test_nothing_arrives);
  tcase_add_test (tc, test_slot_of_before);
  tcase_add_test (tc, test_feedback_from_now_on);
  tcase_add_loop_test (tc, test_begun_anew_when_stopped, 0, 2);
  tcase_add_test (tc, test_no_feedback_needed);
  tcase_add_test (tc, test_notices);
  tcase_add_test (tc, test_proved_target);
  tcase_add_loop_test (tc, test_no_proof, 0, 2);
  tcase_add_test (tc, test_bitrate_in_use);
  tcase_add_test (tc, test_start_of_another_path);
  tcase_add_test (tc, test_set_controller);
  tcase_add_test (tc, test_reset);
  tcase_add_test (tc, test_forget_receiver);
  tcase_add_test (tc, test_set_limits);
  tcase_add_test (tc, test_raised_limits);
  tcase_add_test (tc, test_hostile_feedback);
  tcase_add_test (tc, test_outage);
  tcase_add_test (tc, test_reserved);
  tcase_add_test (tc, test_ecn_by_controller);
  tcase_add_test (tc, test_ecn_sent);
  tcase_add_test (tc, test_ecn_silence);
  return s;
}

GST_CHECK_MAIN (sender);
