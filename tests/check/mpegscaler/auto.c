/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * mode=auto: requantizes as far as that goes, then drops frames, and comes back.
 */
#include <gst/check/gstcheck.h>

#include "../avdecode.h"
#include "driver.h"
#include "quality.h"

#define WALK "walk-720x480p30-4M.m2v"
#define SINTEL "sintel-720x480-pulldown-4M.m2v"
#define FIELDS "bbb-352x576i25-fields-3M.m2v"
#define MPEG1 "bbb-352x288p25-1100k.m1v"
#define OCEAN "ocean-176x96p30-500k.m2v"

#define RUN_SECONDS 30

/* Of a target, over such a time. */
#define TOO_MUCH 1.05

static gint64
part_of_rate (const TestStream * s, guint percent)
{
  return test_stream_rate (s) * percent / 100;
}

static void
set_target (TestDriver * d, gint64 target)
{
  g_object_set (d->h->element, "target-bitrate", (guint64) target, NULL);
}

static guint
count_out (const TestDriver * d, guint from)
{
  guint n = 0;

  for (guint i = from; i < d->fates->len; i++)
    n += test_driver_fate (d, i)->size_out > 0;
  return n;
}

static guint
count_changes (const TestDriver * d)
{
  guint n = 0;

  for (guint i = 1; i < d->fates->len; i++)
    n += test_driver_fate (d, i)->scale != test_driver_fate (d, i - 1)->scale;
  return n;
}

static gdouble
rate_since (const TestDriver * d, guint from)
{
  GstClockTime begin = test_driver_fate (d, from)->begin;

  return 8. * test_driver_sent (d, from) * GST_SECOND / (d->now - begin);
}

/* Within reach of the requantizer no frame goes, not even where the target comes
 * suddenly, and nothing is known of floors yet. */
static const struct
{
  const gchar *name;
  guint percent;
} reached[] = {
  {WALK, 50}, {WALK, 35}, {SINTEL, 50}, {SINTEL, 35}, {FIELDS, 50},
  {FIELDS, 35}, {MPEG1, 60}, {MPEG1, 40}, {OCEAN, 60}, {OCEAN, 40}
};

GST_START_TEST (test_in_reach)
{
  TestStream *s = test_stream_load (reached[__i__].name);
  TestDriver *d = test_driver_new (s, "auto", NULL);
  gint64 target = part_of_rate (s, reached[__i__].percent);

  test_driver_run (d, 2 * GST_SECOND);
  set_target (d, target);
  test_driver_run (d, 6 * GST_SECOND);
  fail_unless_equals_int (count_out (d, 0), d->fates->len);
  fail_unless_equals_int (count_changes (d), 0);
  fail_unless (test_driver_count (d, "pictures-recoded") > 100);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* Beyond it the rate is kept by dropping. */
static const struct
{
  const gchar *name;
  guint percent;
  const gchar *properties;
  gdouble least, most;          /* of the frames, that pass */
} beyond[] = {
  {WALK, 14, NULL, .5, .99},
  {WALK, 10, NULL, .2, .5},
  {WALK, 5, NULL, .02, .15},
  {SINTEL, 12, NULL, .5, .99},
  {FIELDS, 8, NULL, .3, .9},
  {FIELDS, 6, NULL, .04, .6},
  {MPEG1, 14, NULL, .2, .9},
  {OCEAN, 13, NULL, .2, .7},
  {OCEAN, 6, NULL, .04, .2},
  /* half the stream's rate, but a high floor */
  {WALK, 50, "max-quantiser=10", .5, .99},
  {OCEAN, 50, "max-quantiser=14 fill-target=false", .2, .9},
};

GST_START_TEST (test_beyond_reach)
{
  TestStream *s = test_stream_load (beyond[__i__].name);
  TestDriver *d = test_driver_new (s, "auto", beyond[__i__].properties);
  gint64 target = part_of_rate (s, beyond[__i__].percent);
  gdouble passed, used;
  guint from, changes;

  set_target (d, target);
  test_driver_run (d, 2 * GST_SECOND);
  from = d->fates->len;
  test_driver_run (d, RUN_SECONDS * GST_SECOND);
  passed = (gdouble) count_out (d, from) / (d->fates->len - from);
  used = rate_since (d, from) / target;
  changes = count_changes (d);
  g_print ("%s, %u %%: %.3f of the target used, %.3f of the frames passed, %u "
      "changes of scale\n", beyond[__i__].name, beyond[__i__].percent, used,
      passed, changes);
  fail_unless (used < TOO_MUCH, "%g", used);
  fail_unless (used > .8, "%g", used);
  fail_unless (passed > beyond[__i__].least, "%g", passed);
  fail_unless (passed < beyond[__i__].most, "%g", passed);
  fail_unless (changes <= RUN_SECONDS / 2, "%u", changes);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* What passes decodes: nothing refers to what is gone, and no error grows. */
GST_START_TEST (test_quality_of_passed)
{
  TestStream *s = test_stream_load (beyond[__i__].name);
  TestDriver *d = test_driver_new (s, "auto", beyond[__i__].properties);
  gint *present = g_new0 (gint, s->frames->len);
  gdouble mean, worst;

  if (avdecode_present ()) {
    set_target (d, part_of_rate (s, beyond[__i__].percent));
    test_driver_feed (d, 0, s->frames->len);
    for (guint i = 0; i < d->fates->len; i++)
      present[i] = test_driver_fate (d, i)->size_out > 0;
    fail_unless (count_out (d, 0) < d->fates->len);
    mean = test_quality (s, present, d->bytes->data, d->bytes->len, &worst);
    g_print ("%s, %u %%: %.1f dB, at least %.1f dB\n", beyond[__i__].name,
        beyond[__i__].percent, mean, worst);
    fail_unless (mean > 24, "%g dB", mean);
    fail_unless (worst > 18, "%g dB", worst);
  }
  g_free (present);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* Down and up again: all frames pass soon, the source untouched in the end. */
GST_START_TEST (test_comes_back)
{
  TestStream *s = test_stream_load (OCEAN);
  TestDriver *d = test_driver_new (s, "auto", NULL);
  gint64 target = part_of_rate (s, 60);
  guint from, i;

  test_driver_run (d, 3 * GST_SECOND);
  set_target (d, part_of_rate (s, 8));
  test_driver_run (d, 5 * GST_SECOND);
  fail_unless (test_driver_fate (d, d->fates->len - 1)->scale < 2);

  set_target (d, target);
  test_driver_run (d, 2 * GST_SECOND);
  from = d->fates->len;
  test_driver_run (d, 3 * GST_SECOND);
  fail_unless_equals_int (count_out (d, from), d->fates->len - from);
  fail_unless (ABS (rate_since (d, from) - target) < target * .05, "%g",
      rate_since (d, from));

  set_target (d, part_of_rate (s, 400));
  from = d->fates->len;
  test_driver_run (d, 3 * GST_SECOND);
  for (i = from; i < d->fates->len; i++)
    fail_unless_equals_uint64 (test_driver_fate (d, i)->size_out,
        test_driver_fate (d, i)->size_in);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* A scale rules the dropper as in mode=drop, what is left gets the target. */
GST_START_TEST (test_scale)
{
  gboolean follows = __i__;
  TestStream *s = test_stream_load (WALK);
  TestDriver *d = test_driver_new (s, "auto", NULL);
  gint64 target = part_of_rate (s, 30);
  TestGroup group;
  guint from, i;

  if (follows) {
    g_object_set (d->h->element, "follow-events", TRUE, NULL);
    test_driver_event (d, 2, target);
  } else {
    g_object_set (d->h->element, "scale", 2, NULL);
    set_target (d, target);
  }
  test_driver_feed (d, 0, s->frames->len);
  for (i = 0; i < d->fates->len; i++)
    fail_unless_equals_int (test_driver_fate (d, i)->size_out > 0,
        test_stream_frame (s, i)->type != M2V_PICTURE_B);
  for (from = 40; test_driver_group (d, from, &group); from = group.end)
    fail_unless (ABS (group.rate_out - target) < target / 20,
        "%" G_GINT64_FORMAT, group.rate_out);
  fail_unless_equals_uint64 (test_driver_count (d, "target-bitrate"), target);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* Repetitions take the place of what is dropped: as many frames as came. */
GST_START_TEST (test_repeat)
{
  TestStream *s = test_stream_load (WALK);
  TestDriver *d = test_driver_new (s, "auto", "repeat-dropped=true");
  gint64 target = part_of_rate (s, 12);

  set_target (d, target);
  test_driver_run (d, 10 * GST_SECOND);
  fail_unless_equals_int (count_out (d, 0), d->fates->len);
  fail_unless (test_driver_count (d, "frames-replaced") > 50);
  fail_unless_equals_uint64 (test_driver_count (d, "bytes-out"),
      test_driver_sent (d, 0));
  fail_unless (rate_since (d, 60) < target * TOO_MUCH, "%g",
      rate_since (d, 60));
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

static Suite *
auto_suite (void)
{
  Suite *suite = suite_create ("mpegscaler-auto");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_in_reach, 0, G_N_ELEMENTS (reached));
  tcase_add_loop_test (tc, test_beyond_reach, 0, G_N_ELEMENTS (beyond));
  tcase_add_loop_test (tc, test_quality_of_passed, 0, G_N_ELEMENTS (beyond));
  tcase_add_test (tc, test_comes_back);
  tcase_add_loop_test (tc, test_scale, 0, 2);
  tcase_add_test (tc, test_repeat);
  return suite;
}

GST_CHECK_MAIN (auto);
