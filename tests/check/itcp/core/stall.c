/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "stall.h"

#define MS PSP_MSECOND
#define MSS 1400

/* A connection at rest: nothing is outstanding. */
static ItcpStallSample
at (gint64 now, guint64 sent, guint64 acked)
{
  ItcpStallSample t = {.at = now,.rtt = 100 * MS,.deviation = 2 * MS,
    .sent = sent,.acked = acked,.mss = MSS
  };

  return t;
}

GST_START_TEST (test_overdue)
{
  ItcpStallSample t = at (0, 5000, 5000);
  ItcpStall s;
  gint64 due;

  itcp_stall_init (&s);
  fail_if (itcp_stall_sample (&s, &t, &due));
  fail_unless_equals_int64 (due, PSP_TIME_NEVER);
  /* Idle for an hour; then two segments, which left 5 ms ago. */
  t = at (3600000 * MS, 5000 + 2 * MSS, 5000);
  t.since_sent = 5 * MS;
  t.since_ack = 3599000 * MS;
  fail_if (itcp_stall_sample (&s, &t, &due));
  fail_unless_equals_int64 (due, t.at + 115 * MS);
  t.at = due - 1;
  fail_if (itcp_stall_sample (&s, &t, &due));
  t.at++;
  fail_unless (itcp_stall_sample (&s, &t, &due));
  t.at += 1000 * MS;
  fail_if (itcp_stall_sample (&s, &t, &due));   /* once */
  t.acked += MSS;
  t.since_ack = 0;
  fail_if (itcp_stall_sample (&s, &t, &due));
  t.at += 300 * MS;
  t.since_ack += 300 * MS;
  fail_unless (itcp_stall_sample (&s, &t, &due));       /* again */
}

GST_END_TEST;

/* What is not yet late, or not TCP's silence. */
GST_START_TEST (test_no_stall)
{
  ItcpStallSample t = at (0, 2 * MSS, 0);
  ItcpStall s;
  gint64 due;

  itcp_stall_init (&s);
  itcp_stall_sample (&s, &t, &due);
  t.at = 119 * MS;
  t.since_ack = t.since_sent = 119 * MS;
  fail_if (itcp_stall_sample (&s, &t, &due));
  t.at = 150 * MS;
  t.since_ack = 19 * MS;        /* of what was lost before: they go on */
  fail_if (itcp_stall_sample (&s, &t, &due));
  fail_unless_equals_int64 (due, 151 * MS);
  t.since_ack = 200 * MS;
  t.deviation = 15 * MS;        /* it varies */
  fail_if (itcp_stall_sample (&s, &t, &due));
  fail_unless_equals_int64 (due, 160 * MS);
  t.deviation = 0;
  t.rtt = 0;                    /* nothing was measured yet */
  fail_if (itcp_stall_sample (&s, &t, &due));
  t.rtt = 100 * MS;
  t.ca_state = 3;               /* recovery: it knows */
  fail_if (itcp_stall_sample (&s, &t, &due));
  t.ca_state = 0;
  fail_unless (itcp_stall_sample (&s, &t, &due));
}

GST_END_TEST;

/* A lone segment may be acknowledged 200 ms late; with the next, at once. */
GST_START_TEST (test_delayed)
{
  ItcpStallSample t = at (0, MSS, 0);
  ItcpStall s;
  gint64 due;

  itcp_stall_init (&s);
  t.since_ack = 1000 * MS;
  fail_if (itcp_stall_sample (&s, &t, &due));
  fail_unless_equals_int64 (due, 320 * MS);
  t.at = 100 * MS;
  t.sent = 2 * MSS;
  fail_if (itcp_stall_sample (&s, &t, &due));
  fail_unless_equals_int64 (due, 220 * MS);
  t.at = 220 * MS;
  fail_unless (itcp_stall_sample (&s, &t, &due));
}

GST_END_TEST;

/* More sendings than there are marks: late, but not lost; and numbers that no
 * kernel reports break nothing. */
GST_START_TEST (test_bounds)
{
  ItcpStallSample t = at (0, 0, 0);
  ItcpStall s;
  gint64 due;

  itcp_stall_init (&s);
  t.rtt = 3000 * MS;
  t.since_ack = 10000 * MS;
  for (guint i = 1; i <= 200; i++) {
    t.at = i * MS;
    t.sent = i * 2 * MSS;
    fail_if (itcp_stall_sample (&s, &t, &due));
    fail_unless_equals_int64 (due, 3021 * MS);
  }
  t.acked = 64 * 2 * MSS;       /* the newest mark holds the rest */
  itcp_stall_sample (&s, &t, &due);
  fail_unless_equals_int64 (due, 3220 * MS);
  t.since_sent = t.since_ack = t.deviation = G_MININT64;
  t.acked = G_MAXUINT64;
  fail_if (itcp_stall_sample (&s, &t, &due));
  t.acked = 0;
  t.sent = G_MAXUINT64;
  t.rtt = t.deviation = t.since_sent = G_MAXINT64;
  itcp_stall_sample (&s, &t, &due);
}

GST_END_TEST;

/* Pictures over a bottleneck to a receiver that delays acknowledgements, looked
 * at as the link's thread does; the estimates are Linux's. */
typedef struct
{
  const gchar *what;
  gint64 period, rtt, spacing;  /* of pictures; of a segment in the queue */
  guint sizes[4];               /* segments a picture, in turn */
} Path;

static const Path paths[] = {
  {"30 a second, 20 ms", 33 * MS, 20 * MS, 3 * MS / 2, {30, 8, 5, 9}},
  {"30 a second, 144 ms", 33 * MS, 144 * MS, 2 * MS, {9, 3, 2, 5}},
  {"30 a second, lone segments", 33 * MS, 41 * MS, 8 * MS, {1, 1, 3, 1}},
  {"10 a second, 41 ms", 100 * MS, 41 * MS, 8 * MS, {12, 3, 2, 5}},
  {"10 a second, 287 ms", 100 * MS, 287 * MS, 8 * MS, {9, 4, 2, 5}},
  {"1 a second, 41 ms", 1000 * MS, 41 * MS, 8 * MS, {1, 4, 3, 1}},
};

#define SEGMENTS 4000

typedef struct
{
  guint n;
  gint64 sent[SEGMENTS], acked[SEGMENTS];       /* when; never, behind the cut */
} Trace;

static void
make_trace (const Path * p, gint64 cut, Trace * x)
{
  gint64 free_at = 0, arrived[SEGMENTS];
  guint i = 0;

  for (guint picture = 0; i + 30 < SEGMENTS; picture++)
    for (guint k = 0; k < p->sizes[picture % 4]; k++, i++) {
      x->sent[i] = picture * p->period;
      free_at = MAX (free_at, x->sent[i]) + p->spacing;
      arrived[i] = free_at > cut ? PSP_TIME_NEVER : free_at + p->rtt;
    }
  x->n = i;
  /* Each second segment at once, one alone 40 ms later. */
  for (i = 0; i < x->n; i += 2) {
    gint64 second = i + 1 < x->n ? arrived[i + 1] : PSP_TIME_NEVER;

    x->acked[i] = arrived[i] == PSP_TIME_NEVER ? PSP_TIME_NEVER :
        MIN (second, arrived[i] + 40 * MS);
    if (i + 1 < x->n)
      x->acked[i + 1] = second;
  }
}

/* When the stall was found, or −1. */
static gint64
watch (const Trace * x, gint64 until)
{
  ItcpStallSample t = at (0, 0, 0);
  gint64 now, due = 0, last_ack = 0;
  guint sent = 0, acked = 0;
  ItcpStall s;

  itcp_stall_init (&s);
  t.rtt = 0;
  for (now = 0; now < until; now = MIN (now + 20 * MS, MAX (due, now + MS))) {
    while (sent < x->n && x->sent[sent] <= now)
      sent++;
    while (acked < sent && x->acked[acked] <= now) {
      gint64 m = x->acked[acked] - x->sent[acked], d = ABS (m - t.rtt);

      t.deviation = t.rtt ? t.deviation + (d - t.deviation) / 4 : m / 2;
      t.rtt = t.rtt ? t.rtt + (m - t.rtt) / 8 : m;
      last_ack = x->acked[acked++];
    }
    t.at = now;
    t.sent = (guint64) sent *MSS;
    t.acked = (guint64) acked *MSS;
    t.since_sent = now - x->sent[sent - 1];
    t.since_ack = now - last_ack;
    if (itcp_stall_sample (&s, &t, &due))
      return now;
  }
  return -1;
}

GST_START_TEST (test_quiet_path)
{
  static Trace x;
  gint64 end;

  make_trace (&paths[__i__], PSP_TIME_NEVER, &x);
  end = x.sent[x.n - 1];
  fail_unless (end > 5000 * MS);
  fail_unless_equals_int64 (watch (&x, end), -1);
}

GST_END_TEST;

/* Found no sooner than what the cut took could have been acknowledged, and sooner
 * than the timer expires, which begins with the last acknowledgement, once two
 * segments are missing. */
GST_START_TEST (test_outage)
{
  const Path *p = &paths[__i__];
  static Trace x;

  for (guint phase = 0; phase < 10; phase++) {
    gint64 cut = 4000 * MS + phase * p->period / 10;
    gint64 found, begins = 0;
    guint lost = 0;

    make_trace (p, cut, &x);
    for (; x.acked[lost] != PSP_TIME_NEVER; lost++)
      begins = x.acked[lost];
    begins = MAX (begins, x.sent[lost + 1]);
    found = watch (&x, cut + 5000 * MS);
    fail_unless (found >= x.sent[lost] + p->rtt + ITCP_STALL_LEAST,
        "%s: too early", p->what);
    fail_unless (found < begins + p->rtt + 200 * MS, "%s: %d ms", p->what,
        (gint) ((found - cut) / MS));
  }
}

GST_END_TEST;

static Suite *
stall_suite (void)
{
  Suite *s = suite_create ("itcp-stall");
  TCase *tc = tcase_create ("stall");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_overdue);
  tcase_add_test (tc, test_no_stall);
  tcase_add_test (tc, test_delayed);
  tcase_add_test (tc, test_bounds);
  tcase_add_loop_test (tc, test_quiet_path, 0, G_N_ELEMENTS (paths));
  tcase_add_loop_test (tc, test_outage, 0, G_N_ELEMENTS (paths));
  return s;
}

GST_CHECK_MAIN (stall);
