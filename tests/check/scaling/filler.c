/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include <mpeg2scaling/dropper.h>
#include <scaling/filler.h>
#include "gops.h"

#define SECONDS 120
#define FRAMES (30 * SECONDS)

static Gops gops;
static guint8 bytes[1 << 16];
static const guint8 *const data[2] = { bytes, bytes };

/* At 1 Mb/s the queue holds 250 kbit. */
GST_START_TEST (test_room)
{
  ScalingFiller f;

  scaling_filler_init (&f);
  fail_unless (scaling_filler_has_room (&f, 1000000, 31250));
  fail_if (scaling_filler_has_room (&f, 1000000, 31251));
  scaling_filler_add (&f, 21250);
  fail_unless (scaling_filler_has_room (&f, 1000000, 10000));
  fail_if (scaling_filler_has_room (&f, 1000000, 10001));
  fail_unless (scaling_filler_has_room (&f, 2000000, 41250));
  scaling_filler_drain (&f, 1000000, 8 * M2V_SECOND / 1000);
  fail_unless (scaling_filler_has_room (&f, 1000000, 11000));
  fail_if (scaling_filler_has_room (&f, 1000000, 11001));
  /* Silence saves nothing up. */
  scaling_filler_drain (&f, 1000000, 100 * M2V_SECOND);
  fail_if (scaling_filler_has_room (&f, 1000000, 31251));
  fail_unless (scaling_filler_has_room (&f, 1000000, 31250));
  /* No target empties nothing. */
  scaling_filler_add (&f, 31250);
  scaling_filler_drain (&f, 0, M2V_SECOND);
  scaling_filler_drain (&f, 1000000, -M2V_SECOND);
  fail_if (scaling_filler_has_room (&f, 1000000, 1));
}

GST_END_TEST;

/* The media-scaling paper's stream; noise: sizes vary by as many per cent. */
static void
code (GRand * rand, gint noise)
{
  static const GopsStyle style = { 0, 0, {0, 11000, 8000, 2000} };
  GString *display = g_string_new (NULL);

  for (guint i = 0; i < FRAMES / 9; i++)
    g_string_append (display, "IBBPBBPBB");
  g_string_append (display, "I");
  gops_code (&gops, display->str, &style);
  g_string_free (display, TRUE);
  for (guint i = 0; i < gops.n && noise > 0; i++) {
    M2vFrame *frame = &gops.frames[i];

    frame->size += (gint) frame->size * g_rand_int_range (rand, -noise, noise)
        / 100;
    frame->pictures[0].size = frame->size;
  }
}

/* Bits emitted; asserts that no more than the target leaves over any time, but
 * for the queue and an I. From 2 s on: the rates must be known. */
static guint64
run (gint64 target, gboolean fill, guint64 * filled)
{
  M2vDropperSettings settings = { -1, target, FALSE, fill };
  M2vDropper *d = m2v_dropper_new ();
  M2vDropperStats stats;
  gdouble backlog = 0;
  guint64 bits = 0;

  m2v_dropper_set (d, &settings);
  for (guint i = 0; i < gops.n; i++) {
    M2vDecision decision;

    m2v_dropper_frame (d, &gops.frames[i], data, &decision);
    if (i < 60)
      continue;
    backlog = MAX (0, backlog - target / 30.0);
    if (decision.action != M2V_PASS)
      continue;
    bits += 8 * gops.frames[i].size;
    backlog += 8.0 * gops.frames[i].size;
    fail_unless (backlog <= target * 0.25 + 11000 * 8 * 1.5,
        "%" G_GINT64_FORMAT ": %g bits wait", target, backlog);
  }
  m2v_dropper_stats (d, &stats);
  *filled = stats.filled;
  m2v_dropper_free (d);
  return bits;
}

/* Targets between the scales' rates: 293, 507, 720, 880, 1040 kb/s. Of what
 * the scales leave, some is used, and never more than there is. */
GST_START_TEST (test_use)
{
  static const gint noises[] = { 0, 30 };
  gint noise = noises[__i__];
  GRand *rand = g_rand_new_with_seed (7);
  gdouble use_plain = 0, use_filled = 0;
  guint n = 0;

  code (rand, noise);
  for (gint64 target = 310000; target < 1040000; target += 25000) {
    guint64 filled, none;
    gdouble available = (gdouble) target * (SECONDS - 2);
    guint64 with = run (target, TRUE, &filled);
    guint64 without = run (target, FALSE, &none);

    fail_unless_equals_uint64 (none, 0);
    fail_unless (with >= without);
    fail_unless (with <= available * 1.01, "%" G_GINT64_FORMAT ": %g", target,
        with / available);
    use_plain += without / available;
    use_filled += with / available;
    n++;
  }
  g_print ("sizes ±%d %%: %.3f of the target used, %.3f filled\n", noise,
      use_plain / n, use_filled / n);
  fail_unless (use_filled > use_plain);
  fail_unless (use_filled / n > 0.85);
  g_rand_free (rand);
}

GST_END_TEST;

/* A scale that is set, and a target of which not even an I fits, leave nothing
 * to fill. */
GST_START_TEST (test_not_filled)
{
  M2vDropperSettings settings = { 1, -1, FALSE, TRUE };
  M2vDropper *d = m2v_dropper_new ();
  M2vDropperStats stats;
  M2vDecision decision;
  guint64 filled;

  code (NULL, 0);
  m2v_dropper_set (d, &settings);
  for (guint i = 0; i < gops.n; i++)
    m2v_dropper_frame (d, &gops.frames[i], data, &decision);
  m2v_dropper_stats (d, &stats);
  fail_unless_equals_uint64 (stats.filled, 0);
  fail_unless_equals_uint64 (stats.passed, 2 * (FRAMES / 9) + 1);
  m2v_dropper_free (d);

  run (200000, TRUE, &filled);
  fail_unless_equals_uint64 (filled, 0);
}

GST_END_TEST;

/* What passed before a target ruled is not held against it. */
GST_START_TEST (test_fresh)
{
  static const M2vDropperSettings before[] = {
    {-1, -1, FALSE, TRUE},
    {4, -1, FALSE, TRUE},
    {4, 100000, FALSE, TRUE},
  };
  M2vDropperSettings target = { -1, 600000, FALSE, TRUE };
  M2vDropper *d = m2v_dropper_new ();
  M2vDropperStats stats;
  M2vDecision decision;

  code (NULL, 0);
  m2v_dropper_set (d, &before[__i__]);
  for (guint i = 0; i < gops.n; i++) {
    if (i == gops.n / 2)
      m2v_dropper_set (d, &target);
    m2v_dropper_frame (d, &gops.frames[i], data, &decision);
    if (i == gops.n / 2 + 90)
      break;
  }
  m2v_dropper_stats (d, &stats);
  fail_unless (stats.filled > 0);
  m2v_dropper_free (d);
}

GST_END_TEST;

static Suite *
filler_suite (void)
{
  Suite *s = suite_create ("scaling-filler");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_room);
  tcase_add_loop_test (tc, test_use, 0, 2);
  tcase_add_test (tc, test_not_filled);
  tcase_add_loop_test (tc, test_fresh, 0, 3);
  return s;
}

GST_CHECK_MAIN (filler);
