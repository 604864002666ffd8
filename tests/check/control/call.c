/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What an observer of a sender sees (call.h, sender-observer.c).
 */
#include <gst/check/gstcheck.h>

#include <control/call.h>

#define MS PSP_MSECOND

static PspCall calls[32];
static unsigned n_calls;
static const PspSender *of;

static void
observer (void *data, const PspCall * call)
{
  fail_unless (data == &of);
  fail_unless (n_calls < G_N_ELEMENTS (calls));
  calls[n_calls++] = *call;
}

/* The next call, of that kind, with these arguments first. */
static const PspCall *
expect (unsigned i, PspCallKind kind, unsigned n_in, const int64_t * in)
{
  fail_unless (i < n_calls);
  fail_unless_equals_int (calls[i].kind, kind);
  fail_unless_equals_int (calls[i].n_in, n_in);
  for (unsigned k = 0; k < n_in; k++)
    fail_unless_equals_int64 (calls[i].in[k], in[k]);
  return &calls[i];
}

static int64_t
bits_of (double number)
{
  int64_t bits;

  memcpy (&bits, &number, sizeof bits);
  return bits;
}

#define EXPECT(i, kind, ...) do { \
    const int64_t expected[] = { __VA_ARGS__ }; \
    expect (i, kind, G_N_ELEMENTS (expected), expected); \
  } while (0)

GST_START_TEST (test_calls)
{
  const double period = 2 * MS, other = 3 * MS;
  PspSenderConfig config = {.controller = &psp_cc_fixed,
    .parameters = &period,.limits = {.max_bitrate = 9000000}
  };
  PspSender *s = psp_sender_new (&config, 1);
  PspPacket packet = {.size = 1012,.payload_size = 1000,.has_key = true,
    .key = {7, 65535}
  };
  PspPacket unnamed = {.size = 512,.payload_size = 500 };
  PspKey key = { 8, 3 };
  PspAcknowledgement a = {.key = {7, 65535},.received = true,.arrived_at = 5,
  .sent_at = PSP_TIME_UNKNOWN
  };
  PspFeedback feedback = { &a, 1, 6, 0 };
  PspLimits limits = { 1, 2, 3, 4 };
  PspFeedbackTiming timing = { 400 * MS, 1500 * MS, 4, 10000 * MS, 1000 * MS };
  PspNotice notice;
  int64_t next_at;

  /* Before anyone watches. */
  psp_sender_set_pairs (s, true);
  psp_sender_observe (s, observer, &of, 1);
  EXPECT (0, PSP_CALL_NEW, 0, 9000000, 0, 0, true, 1, bits_of (period));
  fail_unless (calls[0].controller == &psp_cc_fixed);
  fail_unless_equals_int (calls[0].n_out, PSP_CALL_STATE);

  psp_sender_allowance (s, 2 * MS, 5, &next_at);
  EXPECT (1, PSP_CALL_ALLOWANCE, 2 * MS, 5);
  fail_unless_equals_int64 (calls[1].out[1], next_at);
  psp_sender_sent (s, &packet, 2 * MS, 1);
  EXPECT (2, PSP_CALL_SENT, 1012, 1000, true, 7, 65535, 2 * MS, true);
  /* Packets in flight; and when time has to go on. */
  fail_unless_equals_int64 (calls[2].out[3], 1);
  fail_unless_equals_int64 (calls[2].out[7], psp_sender_next_tick (s, 2 * MS));
  psp_sender_wait (s);
  expect (3, PSP_CALL_WAIT, 0, NULL);
  psp_sender_sent (s, &unnamed, 4 * MS, 0);
  EXPECT (4, PSP_CALL_SENT, 512, 500, false, 0, 0, 4 * MS, false);
  psp_sender_bind (s, 1, &key);
  EXPECT (5, PSP_CALL_BIND, 1, 8, 3);
  psp_sender_acknowledge (s, &feedback, 7 * MS);
  EXPECT (6, PSP_CALL_ACKNOWLEDGE, 6, 7 * MS);
  fail_unless (calls[6].acknowledgements == &a &&
      calls[6].n_acknowledgements == 1);
  fail_unless (psp_sender_take_notice (s, 7 * MS, &notice));
  EXPECT (7, PSP_CALL_TAKE_NOTICE, 7 * MS);
  fail_unless_equals_int64 (calls[7].out[0], true);
  fail_unless_equals_int64 (calls[7].out[2], notice.target_bitrate);
  psp_sender_set_limits (s, &limits, 8 * MS);
  /* A minimum is no more than the maximum. */
  EXPECT (8, PSP_CALL_SET_LIMITS, 1, 2, 3, 4, 8 * MS);
  psp_sender_set_parameters (s, &other, 8 * MS);
  EXPECT (9, PSP_CALL_SET_PARAMETERS, 8 * MS, bits_of (other));
  psp_sender_set_controller (s, &psp_cc_none, NULL, 500000, 9 * MS);
  EXPECT (10, PSP_CALL_SET_CONTROLLER, 500000, 9 * MS);
  fail_unless (calls[10].controller == &psp_cc_none);
  psp_sender_set_pairs (s, false);
  EXPECT (11, PSP_CALL_SET_PAIRS, false);
  psp_sender_set_ecn (s, PSP_ECN_ECT1, 9 * MS);
  EXPECT (12, PSP_CALL_SET_ECN, PSP_ECN_ECT1, 9 * MS);
  psp_sender_set_timing (s, &timing, 9 * MS);
  EXPECT (13, PSP_CALL_SET_TIMING, 400 * MS, 1500 * MS, 4, 10000 * MS,
      1000 * MS, 9 * MS);
  psp_sender_reset (s, 10 * MS);
  EXPECT (14, PSP_CALL_RESET, 10 * MS);
  psp_sender_resume (s, 11 * MS);
  EXPECT (15, PSP_CALL_RESUME, 11 * MS);
  psp_sender_tick (s, 12 * MS);
  EXPECT (16, PSP_CALL_TICK, 12 * MS);

  /* Questions that nobody acts on, room, and what nobody watches. */
  psp_sender_notice (s, &notice);
  psp_sender_next_tick (s, 12 * MS);
  psp_sender_make_room (s, 12 * MS);
  psp_sender_observe (s, NULL, NULL, 12 * MS);
  psp_sender_tick (s, 13 * MS);
  fail_unless_equals_int (n_calls, 17);

  /* Whoever watches from here on has to know what was asked for. */
  psp_sender_observe (s, observer, &of, 14 * MS);
  EXPECT (18, PSP_CALL_SET_ECN, PSP_ECN_ECT1, 14 * MS);
  EXPECT (19, PSP_CALL_SET_TIMING, 400 * MS, 1500 * MS, 4, 10000 * MS,
      1000 * MS, 14 * MS);
  psp_sender_free (s);
}

GST_END_TEST;

/* No call overflows, however many numbers it is given. */
GST_START_TEST (test_bounds)
{
  double parameters[PSP_MAX_PARAMETERS] = { 0.5 };
  PspCall call;

  psp_call_begin (&call, PSP_CALL_NEW);
  for (int i = 0; i < 100; i++) {
    psp_call_in (&call, i);
    psp_call_out (&call, i);
  }
  fail_unless_equals_int (call.n_in, PSP_CALL_NUMBERS);
  fail_unless_equals_int (call.n_out, PSP_CALL_NUMBERS);
  psp_call_begin (&call, PSP_CALL_SET_PARAMETERS);
  psp_call_in_parameters (&call, &psp_cc_none, parameters);
  fail_unless_equals_int (call.n_in, 0);
  psp_call_in_parameters (&call, &psp_cc_fixed, parameters);
  fail_unless_equals_int (call.n_in, 1);
  fail_unless_equals_int64 (call.in[0], bits_of (0.5));
}

GST_END_TEST;

/* A line begins with its kind's name, and each has another. */
GST_START_TEST (test_names)
{
  for (unsigned i = 0; i < PSP_N_CALLS; i++) {
    const char *name = psp_call_name ((PspCallKind) i);
    PspCall call;
    char line[PSP_CALL_LINE_SIZE (0)];
    size_t size;

    psp_call_begin (&call, (PspCallKind) i);
    size = psp_call_format (&call, line, sizeof line);
    fail_unless_equals_int (size, strlen (name) + strlen (" ="));
    fail_unless (memcmp (line, name, strlen (name)) == 0);
    fail_unless (name[0] != '\0' && strpbrk (name, " =") == NULL);
    for (unsigned k = 0; k < i; k++)
      fail_if (strcmp (name, psp_call_name ((PspCallKind) k)) == 0);
  }
}

GST_END_TEST;

/* Its members in notices.h's order; all bits of the double. */
GST_START_TEST (test_notice)
{
  const PspNotice notice = {.reason = PSP_REASON_LOSS,.target_bitrate = 1234567,
    .scale = -1,.rtt = 20 * MS,.loss = 1 / 3.,.spacing = 8 * MS
  };
  const int64_t expected[] = { PSP_REASON_LOSS, 1234567, -1, 20 * MS,
    bits_of (1 / 3.), 8 * MS
  };
  PspCall call;

  psp_call_begin (&call, PSP_CALL_TAKE_NOTICE);
  psp_call_out_notice (&call, &notice);
  fail_unless_equals_int (call.n_out, G_N_ELEMENTS (expected));
  for (unsigned i = 0; i < call.n_out; i++)
    fail_unless_equals_int64 (call.out[i], expected[i]);
}

GST_END_TEST;

/* What is in force, and when time has to go on. */
GST_START_TEST (test_state)
{
  const double period = 2 * MS;
  PspSenderConfig config = {.controller = &psp_cc_fixed,.parameters = &period };
  PspSender *s = psp_sender_new (&config, 0);
  PspPacket packet = {.size = 1012,.payload_size = 1000 };
  PspCall call;

  psp_sender_sent (s, &packet, MS, 0);
  psp_call_begin (&call, PSP_CALL_TICK);
  psp_call_out_state (&call, s, MS);
  fail_unless_equals_int (call.n_out, 8);
  fail_unless_equals_int64 (call.out[0], 2 * MS);
  fail_unless_equals_int64 (call.out[1], PSP_WINDOW_NONE);
  fail_unless_equals_int64 (call.out[2], 1000 * 8 * PSP_SECOND / (2 * MS));
  fail_unless_equals_int64 (call.out[3], 1);
  fail_unless_equals_int64 (call.out[4], 0);
  fail_unless_equals_int64 (call.out[5], PSP_TIME_UNKNOWN);
  fail_unless_equals_int64 (call.out[6], PSP_LINK_WAITING);
  fail_unless_equals_int64 (call.out[7], psp_sender_next_tick (s, MS));
  psp_sender_free (s);
}

GST_END_TEST;

static Suite *
call_suite (void)
{
  Suite *s = suite_create ("control-call");
  TCase *tc = tcase_create ("call");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_calls);
  tcase_add_test (tc, test_bounds);
  tcase_add_test (tc, test_names);
  tcase_add_test (tc, test_notice);
  tcase_add_test (tc, test_state);
  return s;
}

GST_CHECK_MAIN (call);
