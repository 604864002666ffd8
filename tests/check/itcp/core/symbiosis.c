/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "symbiosis.h"

#define MS PSP_MSECOND
#define S PSP_SECOND

static ItcpSymbiosisParams
params (gint64 base)
{
  ItcpSymbiosisParams p = itcp_symbiosis_defaults;

  p.base_bitrate = base;
  return p;
}

GST_START_TEST (test_events_compound)
{
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis s;

  itcp_symbiosis_init (&s, &p);
  fail_unless_equals_int64 (s.rate, 2000000);
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), PSP_TIME_NEVER);
  fail_unless (itcp_symbiosis_event (&s, PSP_REASON_REXMT, 10 * S));
  fail_unless_equals_int64 (s.rate, 1100000);
  fail_unless (itcp_symbiosis_event (&s, PSP_REASON_REXMT, 10 * S));
  fail_unless_equals_int64 (s.rate, 605000);
  for (guint i = 0; i < 3; i++)
    fail_unless (itcp_symbiosis_event (&s, PSP_REASON_REXMT, 10 * S));
  fail_unless_equals_int64 (s.rate, 100656);
  fail_unless (itcp_symbiosis_event (&s, PSP_REASON_REXMT, 10 * S));
  fail_unless_equals_int64 (s.rate, 100000);
  fail_if (itcp_symbiosis_event (&s, PSP_REASON_REXMT, 11 * S));        /* at the floor */
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), 12 * S);
}

GST_END_TEST;

/* Held for a second, then a twentieth of the base every half. */
GST_START_TEST (test_rise)
{
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis s;
  gint64 now = 0;
  guint n = 0;

  itcp_symbiosis_init (&s, &p);
  fail_if (itcp_symbiosis_tick (&s, 0));
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  fail_if (itcp_symbiosis_tick (&s, 999 * MS));
  while (s.rate < 2000000) {
    now = itcp_symbiosis_next (&s);
    fail_unless_equals_int64 (now, S + n * 500 * MS);
    fail_if (itcp_symbiosis_tick (&s, now - 1));
    fail_unless (itcp_symbiosis_tick (&s, now));
    n++;
    fail_unless_equals_int64 (s.rate, 1100000 + n * 100000);
  }
  fail_unless_equals_int (n, 9);
  for (guint i = 0; i < 3; i++)
    fail_if (itcp_symbiosis_tick (&s, itcp_symbiosis_next (&s)));
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), PSP_TIME_NEVER);
  fail_if (itcp_symbiosis_tick (&s, 100 * S));
}

GST_END_TEST;

/* An event on the way up holds it again. */
GST_START_TEST (test_event_while_rising)
{
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis s;

  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  itcp_symbiosis_tick (&s, 1000 * MS);
  itcp_symbiosis_tick (&s, 1500 * MS);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 1600 * MS);
  fail_unless_equals_int64 (s.rate, 715000);
  fail_if (itcp_symbiosis_tick (&s, 2500 * MS));
  fail_unless (itcp_symbiosis_tick (&s, 2600 * MS));
}

GST_END_TEST;

/* Whether ticks come in time or late makes no difference, nor how late. */
GST_START_TEST (test_late_tick)
{
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis early, late;

  itcp_symbiosis_init (&early, &p);
  itcp_symbiosis_init (&late, &p);
  itcp_symbiosis_event (&early, PSP_REASON_REXMT, 0);
  itcp_symbiosis_event (&late, PSP_REASON_REXMT, 0);
  for (gint64 t = 0; t < 3200 * MS; t += 10 * MS)
    itcp_symbiosis_tick (&early, t);
  itcp_symbiosis_tick (&late, 3190 * MS);
  fail_unless_equals_int64 (late.rate, early.rate);
  fail_unless_equals_int64 (late.next_step, early.next_step);
  itcp_symbiosis_tick (&late, G_MAXINT64 / 2);
  fail_unless_equals_int64 (late.rate, 2000000);
}

GST_END_TEST;

/* What TCP cannot keep up with is taken back; one look at which it has is
 * enough to go on, and no look says nothing. */
GST_START_TEST (test_behind)
{
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis s;

  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_look (&s, 1 << 20);
  fail_if (itcp_symbiosis_tick (&s, 0));        /* nothing without an event */
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  fail_unless (itcp_symbiosis_tick (&s, S));
  fail_unless_equals_int64 (s.rate, 1200000);
  itcp_symbiosis_look (&s, 1 << 20);
  itcp_symbiosis_look (&s, 1 << 20);
  fail_unless (itcp_symbiosis_tick (&s, 1500 * MS));
  fail_unless_equals_int64 (s.rate, 660000);
  itcp_symbiosis_look (&s, 1 << 20);
  itcp_symbiosis_look (&s, 0);
  itcp_symbiosis_look (&s, 1 << 20);
  fail_unless (itcp_symbiosis_tick (&s, 2 * S));
  fail_unless_equals_int64 (s.rate, 760000);
  itcp_symbiosis_look (&s, 1 << 20);
  fail_unless (itcp_symbiosis_tick (&s, 9 * S));        /* late: once all the same */
  fail_unless_equals_int64 (s.rate, 418000);
  itcp_symbiosis_look (&s, 0);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 9 * S);   /* looks before an event are void */
  itcp_symbiosis_look (&s, 1 << 20);
  fail_unless (itcp_symbiosis_tick (&s, 10 * S));
  fail_unless_equals_int64 (s.rate, 126445);
  itcp_symbiosis_look (&s, 1 << 20);
  fail_unless (itcp_symbiosis_tick (&s, 10500 * MS));
  fail_unless_equals_int64 (s.rate, 100000);
  itcp_symbiosis_look (&s, 1 << 20);
  fail_if (itcp_symbiosis_tick (&s, 11 * S));   /* the floor */
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), 11500 * MS);
}

GST_END_TEST;

/* Behind two pictures in a row, where the last step was one up: back at once,
 * and not again before an interval has shown what that does. */
GST_START_TEST (test_grows)
{
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis s;

  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_set_rtt (&s, 60 * MS);
  itcp_symbiosis_grows (&s, 0);
  fail_if (itcp_symbiosis_tick (&s, 0));        /* nothing without an event */
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, S);
  itcp_symbiosis_grows (&s, 1100 * MS); /* of before the event */
  fail_if (itcp_symbiosis_tick (&s, 1100 * MS));
  fail_unless (itcp_symbiosis_tick (&s, 2 * S));
  fail_unless_equals_int64 (s.rate, 1200000);
  itcp_symbiosis_look (&s, 0);
  itcp_symbiosis_grows (&s, 2030 * MS);
  fail_if (itcp_symbiosis_tick (&s, 2030 * MS));        /* not within a round trip */
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), 2060 * MS);
  fail_unless (itcp_symbiosis_tick (&s, 2060 * MS));
  fail_unless_equals_int64 (s.rate, 660000);
  itcp_symbiosis_look (&s, 0);
  itcp_symbiosis_grows (&s, 2200 * MS);
  fail_if (itcp_symbiosis_tick (&s, 2200 * MS));
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), 2560 * MS);
  fail_unless (itcp_symbiosis_tick (&s, 2560 * MS));
  fail_unless_equals_int64 (s.rate, 760000);
  itcp_symbiosis_grows (&s, 2700 * MS);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 2710 * MS);       /* which has said as much */
  fail_unless_equals_int64 (s.rate, 418000);
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), 3710 * MS);
  fail_unless (itcp_symbiosis_tick (&s, 3710 * MS));
  fail_unless_equals_int64 (s.rate, 518000);
  /* At the base it is watched until TCP has kept up for three intervals. */
  fail_unless (itcp_symbiosis_tick (&s, 60 * S));
  fail_unless_equals_int64 (s.rate, 2000000);
  itcp_symbiosis_grows (&s, 60200 * MS);
  fail_unless (itcp_symbiosis_tick (&s, 60200 * MS));
  fail_unless_equals_int64 (s.rate, 1100000);
}

GST_END_TEST;

/* The paper's rule alone. */
GST_START_TEST (test_no_step_back)
{
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis s;

  p.step_back = FALSE;
  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  for (guint i = 0; i < 9; i++) {
    itcp_symbiosis_look (&s, 1 << 20);
    itcp_symbiosis_grows (&s, S + i * 500 * MS - 200 * MS);
    fail_if (itcp_symbiosis_tick (&s, S + i * 500 * MS - 200 * MS));
    fail_unless (itcp_symbiosis_tick (&s, S + i * 500 * MS));
  }
  fail_unless_equals_int64 (s.rate, 2000000);
  itcp_symbiosis_look (&s, 1 << 20);
  fail_if (itcp_symbiosis_tick (&s, 6 * S));
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), PSP_TIME_NEVER);
}

GST_END_TEST;

/* The base, too, is held only where TCP keeps up with it, for three intervals. */
GST_START_TEST (test_behind_at_the_base)
{
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis s;

  p.alpha = .9;
  p.step_bitrate = 200000;
  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  fail_unless (itcp_symbiosis_tick (&s, S));
  fail_unless_equals_int64 (s.rate, 2000000);
  itcp_symbiosis_look (&s, 8334);       /* 2 Mb/s for 33 ms are 8333 bytes */
  fail_unless (itcp_symbiosis_tick (&s, 1500 * MS));
  fail_unless_equals_int64 (s.rate, 1800000);
  itcp_symbiosis_look (&s, 7500);
  fail_unless (itcp_symbiosis_tick (&s, 2 * S));
  fail_unless_equals_int64 (s.rate, 2000000);
  itcp_symbiosis_look (&s, 8333);
  itcp_symbiosis_look (&s, 8334);
  fail_if (itcp_symbiosis_tick (&s, 2500 * MS));
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), 3 * S);
  for (guint i = 0; i < 3; i++) {
    itcp_symbiosis_look (&s, 8333);
    fail_if (itcp_symbiosis_tick (&s, 3 * S + i * 500 * MS));
  }
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), PSP_TIME_NEVER);
  itcp_symbiosis_look (&s, 1 << 20);
  fail_if (itcp_symbiosis_tick (&s, 5 * S));
}

GST_END_TEST;

/* Where there is no floor an event may leave nothing, which is a rate as others
 * are: held, and raised again once all has left. */
GST_START_TEST (test_nothing)
{
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis s;

  p.alpha = 0;
  p.min_bitrate = 0;
  itcp_symbiosis_init (&s, &p);
  fail_unless (itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0));
  fail_unless_equals_int64 (s.rate, 0);
  fail_unless (itcp_symbiosis_is_known (&s));
  fail_if (itcp_symbiosis_event (&s, PSP_REASON_REXMT, 500 * MS));
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), 1500 * MS);
  itcp_symbiosis_look (&s, 1);
  fail_if (itcp_symbiosis_tick (&s, 1500 * MS));
  itcp_symbiosis_look (&s, 0);
  fail_unless (itcp_symbiosis_tick (&s, 2 * S));
  fail_unless_equals_int64 (s.rate, 100000);
}

GST_END_TEST;

GST_START_TEST (test_disabled)
{
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis s;

  p.enabled = FALSE;
  itcp_symbiosis_init (&s, &p);
  fail_if (itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0));
  fail_unless_equals_int64 (s.rate, 2000000);
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), PSP_TIME_NEVER);
}

GST_END_TEST;

GST_START_TEST (test_measured)
{
  ItcpSymbiosisParams p = params (0);
  ItcpSymbiosis s;

  itcp_symbiosis_init (&s, &p);
  fail_if (itcp_symbiosis_is_known (&s));
  fail_if (itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0));     /* of what? */
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), PSP_TIME_NEVER);
  fail_unless (itcp_symbiosis_set_measured (&s, 1000000));
  fail_unless (itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0));
  fail_unless_equals_int64 (s.rate, 550000);
  /* A reduced rate is not raised by what is measured. */
  fail_if (itcp_symbiosis_set_measured (&s, 1200000));
  fail_unless (itcp_symbiosis_tick (&s, S));
  fail_unless_equals_int64 (s.rate, 610000);
  fail_unless (itcp_symbiosis_tick (&s, 100 * S));
  fail_unless_equals_int64 (s.rate, 1200000);
  fail_unless (itcp_symbiosis_set_measured (&s, 1500000));
  fail_unless_equals_int64 (s.rate, 1500000);
}

GST_END_TEST;

GST_START_TEST (test_params_change)
{
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis s;

  itcp_symbiosis_init (&s, &p);
  p.base_bitrate = 3000000;
  fail_unless (itcp_symbiosis_set_params (&s, &p, 0));
  fail_unless_equals_int64 (s.rate, 3000000);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  fail_unless_equals_int64 (s.rate, 1650000);
  p.min_bitrate = 1800000;
  fail_unless (itcp_symbiosis_set_params (&s, &p, 0));
  fail_unless_equals_int64 (s.rate, 1800000);
  p.base_bitrate = 1000000;     /* the floor gives way */
  fail_unless (itcp_symbiosis_set_params (&s, &p, 0));
  fail_unless_equals_int64 (s.rate, 1000000);
  for (guint i = 0; i < 3; i++) /* at the base, which is watched */
    fail_if (itcp_symbiosis_tick (&s, itcp_symbiosis_next (&s)));
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), PSP_TIME_NEVER);
  p.min_bitrate = 0;
  p.step_bitrate = 7;
  itcp_symbiosis_set_params (&s, &p, 0);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  fail_unless (itcp_symbiosis_tick (&s, S));
  fail_unless_equals_int64 (s.rate, 550007);
  p.enabled = FALSE;
  fail_unless (itcp_symbiosis_set_params (&s, &p, S));
  fail_unless_equals_int64 (s.rate, 1000000);
}

GST_END_TEST;

/* Whatever the settings: the rate stays within, and comes back. */
GST_START_TEST (test_hostile_params)
{
  static const gdouble alphas[] = { -1, 0, 0.5, 1, 2, 1e300, 0.0 / 0.0 };
  static const gint64 values[] = { G_MININT64, -1, 0, 1, 5, G_MAXINT64 };
  ItcpSymbiosisParams p = params (1000);
  ItcpSymbiosis s;

  for (guint a = 0; a < G_N_ELEMENTS (alphas); a++)
    for (guint v = 0; v < G_N_ELEMENTS (values); v++) {
      p.alpha = alphas[a];
      p.min_bitrate = p.step_bitrate = p.interval = p.hold = values[v];
      itcp_symbiosis_init (&s, &p);
      itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
      fail_unless (s.rate >= 0 && s.rate <= 1000);
      itcp_symbiosis_set_rtt (&s, values[v]);
      itcp_symbiosis_tick (&s, 5000000 * S);
      fail_unless_equals_int64 (s.rate, 1000);
      for (guint i = 1; i < 40; i++) {
        itcp_symbiosis_set_rtt (&s, i % 3 ? i * S : values[v]);
        itcp_symbiosis_tick (&s, 5000000 * S + i * 9000 * S);
        fail_unless (s.rate >= 0 && s.rate <= 1000);
      }
    }
}

GST_END_TEST;

/* Upstream could not have acted on steps closer than a round trip, or 20 ms, to
 * each other; they are made up for, not lost. */
GST_START_TEST (test_apart)
{
  static const gint64 rtts[] = { 0, 5 * MS, 20 * MS, 287 * MS };
  ItcpSymbiosisParams p = params (2000000);
  gint64 rtt = rtts[__i__], apart = MAX (rtt, 20 * MS);
  gint64 now = 0, last = 0;
  ItcpSymbiosis s;
  guint n = 0;

  p.step_bitrate = 1000;
  p.interval = MS;
  p.hold = 0;
  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_set_rtt (&s, rtt);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  for (; now < 2 * S && s.rate < 2000000; now += MS / 2)
    if (itcp_symbiosis_tick (&s, now)) {
      fail_unless (now - last >= apart);
      fail_unless (itcp_symbiosis_next (&s) == PSP_TIME_NEVER
          || itcp_symbiosis_next (&s) >= now + apart);
      fail_unless_equals_int64 (s.rate, MIN (2000000,
              1100000 + now / MS * 1000));
      last = now;
      n++;
    }
  fail_unless_equals_int64 (s.rate, 2000000);
  fail_unless (n > 0);
  /* Decreases do not wait. */
  fail_unless (itcp_symbiosis_event (&s, PSP_REASON_REXMT, last));
  fail_unless (itcp_symbiosis_event (&s, PSP_REASON_REXMT, last));
}

GST_END_TEST;

/* At the next step's time, with this round trip since the last. */
static gint64
rate_at (ItcpSymbiosis * s, gint64 rtt)
{
  itcp_symbiosis_set_rtt (s, rtt);
  itcp_symbiosis_look (s, 0);
  itcp_symbiosis_tick (s, itcp_symbiosis_next (s));
  return s->rate;
}

/* A queue that grows behind a rise, by more than half of the 50 ms that a step of
 * 0.1 at 2 Mb/s leaves in it: a step below where it was drained, another while it
 * grows, then up once it has drained again. */
GST_START_TEST (test_queue_grows)
{
  ItcpSymbiosisParams p = params (4000000);
  ItcpSymbiosis s;

  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  fail_unless_equals_int64 (rate_at (&s, 400 * MS), 2400000);
  fail_unless_equals_int64 (rate_at (&s, 50 * MS), 2600000);
  fail_unless_equals_int64 (rate_at (&s, 70 * MS), 2800000);
  fail_unless_equals_int64 (rate_at (&s, 90 * MS), 3000000);
  fail_unless (s.reason != PSP_REASON_DELAY);
  fail_unless_equals_int64 (rate_at (&s, 130 * MS), 2400000);
  fail_unless_equals_int (s.reason, PSP_REASON_DELAY);
  fail_unless_equals_int64 (rate_at (&s, 180 * MS), 2200000);
  fail_unless_equals_int (s.reason, PSP_REASON_DELAY);
  fail_unless_equals_int64 (rate_at (&s, 150 * MS), 2200000);
  fail_unless_equals_int64 (rate_at (&s, 70 * MS), 2400000);
  /* Behind an event the round trip is that of a recovery. */
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, s.next_step);
  fail_unless_equals_int64 (rate_at (&s, 400 * MS), 1520000);
}

GST_END_TEST;

/* Steps as large as the base are no reason to stop sending. */
GST_START_TEST (test_queue_bounded)
{
  ItcpSymbiosisParams p = params (4000000);
  ItcpSymbiosis s;

  p.step_bitrate = 4000000;
  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  fail_unless_equals_int64 (rate_at (&s, 50 * MS), 4000000);
  fail_unless_equals_int64 (rate_at (&s, 500 * MS), 2200000);
  fail_unless_equals_int (s.reason, PSP_REASON_DELAY);
  fail_unless_equals_int64 (rate_at (&s, 1000 * MS), 1210000);
}

GST_END_TEST;

/* Of an interval its last half counts, or half a second. */
GST_START_TEST (test_queue_late)
{
  ItcpSymbiosisParams p = params (4000000);
  ItcpSymbiosis s;

  p.interval = 3 * S;
  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  fail_unless_equals_int64 (rate_at (&s, 50 * MS), 2400000);
  fail_if (itcp_symbiosis_tick (&s, 4499 * MS));
  itcp_symbiosis_set_rtt (&s, 50 * MS);
  fail_if (itcp_symbiosis_tick (&s, 4500 * MS));
  fail_unless_equals_int64 (rate_at (&s, 180 * MS), 2000000);
  fail_unless_equals_int (s.reason, PSP_REASON_DELAY);
}

GST_END_TEST;

/* Steps that were made up for at once are taken back at once; what others' queues
 * took is given back; the base is watched for three intervals. */
GST_START_TEST (test_queue_at_the_base)
{
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis s;

  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  itcp_symbiosis_set_rtt (&s, 50 * MS);
  fail_unless (itcp_symbiosis_tick (&s, 9 * S));
  fail_unless_equals_int64 (s.rate, 2000000);
  fail_unless_equals_int64 (rate_at (&s, 100 * MS), 1100000);
  fail_unless_equals_int64 (rate_at (&s, 200 * MS), 1000000);
  fail_unless_equals_int64 (rate_at (&s, 300 * MS), 900000);
  fail_unless_equals_int64 (rate_at (&s, 400 * MS), 900000);    /* bounded */
  fail_unless_equals_int64 (rate_at (&s, 500 * MS), 2000000);
  fail_unless (s.reason != PSP_REASON_DELAY);
  for (guint i = 0; i < ITCP_QUEUE_IGNORED; i++)        /* not listened to */
    fail_unless_equals_int64 (rate_at (&s, (600 + i * 100) * MS), 2000000);
  for (guint i = 0; i < 2; i++) {
    fail_if (itcp_symbiosis_next (&s) == PSP_TIME_NEVER);
    fail_unless_equals_int64 (rate_at (&s, 50 * MS), 2000000);
  }
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), PSP_TIME_NEVER);
}

GST_END_TEST;

/* What is given back is what this wave took, not those before it too. */
GST_START_TEST (test_queue_given_back)
{
  ItcpSymbiosisParams p = params (4000000);
  ItcpSymbiosis s;

  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  for (guint i = 1; i <= 2; i++)
    fail_unless_equals_int64 (rate_at (&s, 50 * MS), 2200000 + i * 200000);
  fail_unless_equals_int64 (rate_at (&s, 120 * MS), 2200000);
  for (guint i = 1; i <= 3; i++)
    fail_unless_equals_int64 (rate_at (&s, 50 * MS), 2200000 + i * 200000);
  for (guint i = 1; i <= 4; i++)
    rate_at (&s, (50 + i * 70) * MS);
  fail_unless_equals_int64 (s.rate, 1800000);
  fail_unless_equals_int64 (rate_at (&s, 400 * MS), 2800000);
}

GST_END_TEST;

/* However long an interval is, a quarter of a second more is a queue; however
 * short, looks at one are a round trip apart. */
GST_START_TEST (test_queue_intervals)
{
  ItcpSymbiosisParams p = params (4000000);
  ItcpSymbiosis s;

  p.interval = 60 * S;
  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  fail_unless_equals_int64 (rate_at (&s, 50 * MS), 2400000);
  fail_if (itcp_symbiosis_tick (&s, 110 * S));  /* from here on it counts */
  fail_unless_equals_int64 (rate_at (&s, 301 * MS), 2000000);
  fail_unless_equals_int (s.reason, PSP_REASON_DELAY);

  p.interval = 20 * MS;
  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  itcp_symbiosis_set_rtt (&s, 300 * MS);
  fail_unless (itcp_symbiosis_tick (&s, 9 * S));
  fail_unless_equals_int64 (s.rate, 4000000);
  for (gint64 now = 9300 * MS; now < 10 * S; now += 300 * MS) {
    fail_unless_equals_int64 (itcp_symbiosis_next (&s), now);
    fail_if (itcp_symbiosis_tick (&s, now));
  }
}

GST_END_TEST;

/* Where there were waves the base is watched for longer. Another base, or
 * step-back off and on, is a new beginning; other settings are not. */
GST_START_TEST (test_queue_doubted)
{
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis s;

  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  s.queue.waves = ITCP_QUEUE_WAVES;
  p.hold = 2 * S;
  itcp_symbiosis_set_params (&s, &p, 0);
  fail_unless_equals_int (s.queue.waves, ITCP_QUEUE_WAVES);
  fail_unless (itcp_symbiosis_tick (&s, 9 * S));
  fail_unless_equals_int64 (s.rate, 2000000);
  for (guint i = 0; i < 16; i++) {
    fail_if (itcp_symbiosis_next (&s) == PSP_TIME_NEVER);
    fail_unless_equals_int64 (rate_at (&s, 50 * MS), 2000000);
  }
  fail_unless_equals_int64 (itcp_symbiosis_next (&s), PSP_TIME_NEVER);

  for (guint i = 0; i < 2; i++) {
    itcp_symbiosis_event (&s, PSP_REASON_REXMT, 100 * S);
    s.queue.waves = ITCP_QUEUE_WAVES;
    if (i == 0)
      p.base_bitrate = 3000000;
    else
      p.step_back = FALSE;
    itcp_symbiosis_set_params (&s, &p, 100 * S);
    fail_unless_equals_int (s.queue.waves, 0);
  }
}

GST_END_TEST;

/* A bottleneck that the rate fills as water does a basin, behind TCP's window:
 * what is beyond that is unsent. Looks every 33 ms; the smoothed round trip
 * follows with a time constant of 250 ms. */
typedef struct
{
  gdouble capacity;             /* bits/s */
  gdouble queue, window;        /* bits */
  gdouble srtt;                 /* s */
  gdouble other;                /* s, that other flows' queue takes */
  gdouble sent, most, late;     /* bits; s: the longest delay; its integral */
} Bottleneck;

static void
flow (Bottleneck * b, ItcpSymbiosis * s, gint64 now)
{
  gdouble dt = .033, rtt;

  b->queue = MAX (b->queue + dt * ((gdouble) s->rate - b->capacity), 0);
  rtt = .05 + MIN (b->queue, b->window) / b->capacity + b->other;
  b->srtt += (rtt - b->srtt) * dt / .25;
  b->sent += (gdouble) s->rate * dt;
  b->most = MAX (b->most, b->queue / b->capacity);
  b->late += b->queue / b->capacity * dt;
  itcp_symbiosis_set_rtt (s, (gint64) (b->srtt * 1e9));
  itcp_symbiosis_look (s, (gint64) (MAX (b->queue - b->window, 0) / 8));
  itcp_symbiosis_tick (s, now);
}

/* Where the network carries 0.57 to 0.93 of the base the climb ends in a queue
 * far smaller than the window, without leaving unused what there is. That growth is
 * doubted from the fourth wave on, and once in twenty waves not listened to, costs
 * little. (Three quarters of a step less than the base grow too slowly to be noticed
 * from nothing.) */
GST_START_TEST (test_climb_ends)
{
  ItcpSymbiosisParams p = params (2000000);
  Bottleneck b = {.capacity = 1140000. + __i__ * 66000,.window = 1e6,
    .srtt = .05
  };
  gdouble most = 0, t;
  gint64 now = 0;
  ItcpSymbiosis s;

  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  for (; now < 600 * S; now += 33 * MS) {
    flow (&b, &s, now);
    if (now < 50 * S)
      most = b.most;
  }
  t = (gdouble) now / 1e9;
  GST_INFO
      ("%.2f Mb/s: carries %.3f of it, most %.3f s in 50 s, mean %.3f s in "
      "600 s", b.capacity / 1e6, (b.sent - b.queue) / t / b.capacity, most,
      b.late / t);
  fail_unless (most < .4, "%.3f s", most);
  fail_unless (b.late / t < .2, "%.3f s", b.late / t);
  fail_unless ((b.sent - b.queue) / t > .95 * b.capacity, "%.3f", b.sent / t);
}

GST_END_TEST;

/* Round trips that other flows move up and down do not hold the rate down for
 * good, not even in step with it: alone it is at the base in 5 s, and stays. */
GST_START_TEST (test_others_queue)
{
  static const gint64 periods[] = { 500, 1000, 1500, 2000, 3000, 4000, 6000,
    8000, 16000, 32000
  };
  static const gdouble heights[] = { .05, .1, .2, .3, .5, 1, 2 };
  static const gint64 steps[] = { 0, 40000, 20000 };
  gint64 period = periods[__i__ % 10] * MS, reached = 0;
  Bottleneck b = {.capacity = 4e6,.window = 1e6,.srtt = .05 };
  ItcpSymbiosisParams p = params (2000000);
  ItcpSymbiosis s;

  p.step_bitrate = steps[__i__ / 70];
  itcp_symbiosis_init (&s, &p);
  itcp_symbiosis_event (&s, PSP_REASON_REXMT, 0);
  for (gint64 now = 0; now < 600 * S; now += 33 * MS) {
    gdouble phase = (gdouble) (now % period) / (gdouble) period;

    if (s.rate == 2000000 && reached == 0)
      reached = now;
    b.other = heights[__i__ / 10 % 7] * (__i__ % 2 ? phase : phase < .5);
    flow (&b, &s, now);
  }
  GST_INFO ("%.2f s each %" G_GINT64_FORMAT " ms, step %" G_GINT64_FORMAT
      ": at the base in %.1f s, mean %.3f of it", heights[__i__ / 10 % 7],
      period / MS, p.step_bitrate, (gdouble) reached / 1e9, b.sent / 1200e6);
  fail_unless (reached > 0 && reached < 180 * S);
  fail_unless (b.sent > .5 * 1200e6, "%.3f", b.sent / 1200e6);
}

GST_END_TEST;

static Suite *
symbiosis_suite (void)
{
  Suite *s = suite_create ("itcp-symbiosis");
  TCase *tc = tcase_create ("symbiosis");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_events_compound);
  tcase_add_test (tc, test_rise);
  tcase_add_test (tc, test_event_while_rising);
  tcase_add_test (tc, test_late_tick);
  tcase_add_test (tc, test_behind);
  tcase_add_test (tc, test_grows);
  tcase_add_test (tc, test_no_step_back);
  tcase_add_test (tc, test_behind_at_the_base);
  tcase_add_test (tc, test_nothing);
  tcase_add_test (tc, test_disabled);
  tcase_add_test (tc, test_measured);
  tcase_add_test (tc, test_params_change);
  tcase_add_test (tc, test_hostile_params);
  tcase_add_loop_test (tc, test_apart, 0, 4);
  tcase_add_test (tc, test_queue_grows);
  tcase_add_test (tc, test_queue_bounded);
  tcase_add_test (tc, test_queue_late);
  tcase_add_test (tc, test_queue_at_the_base);
  tcase_add_test (tc, test_queue_given_back);
  tcase_add_test (tc, test_queue_intervals);
  tcase_add_test (tc, test_queue_doubted);
  tcase_add_loop_test (tc, test_climb_ends, 0, 12);
  tcase_add_loop_test (tc, test_others_queue, 0, 210);
  return s;
}

GST_CHECK_MAIN (symbiosis);
