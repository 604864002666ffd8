/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Zero stuffing, as streams of constant rate have it: where a target or a scale
 * below 4 rules it goes, and all else is as of the stream without.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "driver.h"
#include <startcode/startcode.h>

#define WALK "walk-720x480p30-4M.m2v"
#define FIELDS "bbb-352x576i25-fields-3M.m2v"
#define MPEG1 "bbb-352x288p25-1100k.m1v"

static const gchar *const names[] = { WALK, FIELDS, MPEG1 };

/* Zeros before every picture or sequence header, and before some slices: so
 * many that they are most of the stream. Four stay of each run: those are in
 * `bare` too. */
typedef struct
{
  TestStream *bare, *stuffed;
  guint64 removed;              /* bytes that only the second has */
} Pair;

/* At the end. */
static guint
count_zeros (const GByteArray * bytes)
{
  guint n = 0;

  while (n < bytes->len && bytes->data[bytes->len - 1 - n] == 0)
    n++;
  return n;
}

static Pair
make_pair (const gchar * name)
{
  TestStream *s = test_stream_load (name);
  GByteArray *bare = g_byte_array_new (), *stuffed = g_byte_array_new ();
  const guint8 zeros[4000] = { 0, };
  gsize end;
  Pair pair;

  for (gsize begin = 0; begin < s->size; begin = end) {
    guint code = s->data[begin + 3];
    guint n = code == 0 || code == 0xb3 ? 4000 : code % 5 == 1 ? 100 : 2;

    end = start_code_find (s->data, s->size, begin + 4);
    /* those at the very beginning would come before all buffers */
    if (begin > 0) {
      g_byte_array_append (bare, zeros, MIN (n, 2 - MIN (2,
                  count_zeros (bare))));
      g_byte_array_append (stuffed, zeros, n);
    }
    g_byte_array_append (bare, s->data + begin, end - begin);
    g_byte_array_append (stuffed, s->data + begin, end - begin);
  }
  test_stream_free (s);
  pair.removed = stuffed->len - bare->len;
  pair.bare = test_stream_cut (g_memdup2 (bare->data, bare->len), bare->len);
  pair.stuffed = test_stream_cut (g_memdup2 (stuffed->data, stuffed->len),
      stuffed->len);
  g_byte_array_unref (bare);
  g_byte_array_unref (stuffed);
  return pair;
}

static void
free_pair (Pair * pair)
{
  test_stream_free (pair->bare);
  test_stream_free (pair->stuffed);
}

static void
check_removed (const Pair * pair, TestDriver * bare, TestDriver * stuffed)
{
  fail_unless_equals_int (stuffed->bytes->len, bare->bytes->len);
  fail_unless (memcmp (stuffed->bytes->data, bare->bytes->data,
          bare->bytes->len) == 0);
  fail_unless_equals_uint64 (test_driver_count (bare, "stuffing-removed"), 0);
  fail_unless_equals_uint64 (test_driver_count (stuffed, "stuffing-removed"),
      pair->removed);
  fail_unless_equals_uint64 (test_driver_count (stuffed, "bytes-in"),
      pair->stuffed->size);
  fail_unless_equals_uint64 (test_driver_count (stuffed, "bytes-out"),
      stuffed->bytes->len);
  test_driver_free (bare);
  test_driver_free (stuffed);
}

static TestDriver *
drive (const TestStream * s, const gchar * mode, gint64 target)
{
  TestDriver *d = test_driver_new (s, mode, NULL);

  if (target >= 0)
    g_object_set (d->h->element, "target-bitrate", (guint64) target, NULL);
  test_driver_feed (d, 0, s->frames->len);
  return d;
}

static const gchar *const modes[] = { "drop", "requantize", "auto" };

static const guint percents[] = { 200, 60, 15 };

GST_START_TEST (test_removed)
{
  const gchar *mode = modes[__i__ / 3];
  Pair pair = make_pair (names[__i__ % 3]);

  for (guint i = 0; i < G_N_ELEMENTS (percents); i++) {
    gint64 target = test_stream_rate (pair.bare) * percents[i] / 100;
    TestDriver *bare = drive (pair.bare, mode, target);
    TestDriver *stuffed = drive (pair.stuffed, mode, target);

    check_removed (&pair, bare, stuffed);
  }
  free_pair (&pair);
}

GST_END_TEST;

static TestDriver *
drive_scale (const TestStream * s, const gchar * mode, gint scale,
    gboolean event)
{
  TestDriver *d = test_driver_new (s, mode, NULL);

  g_object_set (d->h->element, "follow-events", event, "scale", scale, NULL);
  if (event)
    test_driver_event (d, scale, -1);
  test_driver_feed (d, 0, s->frames->len);
  return d;
}

/* A scale without a target, set or by an event. */
GST_START_TEST (test_removed_by_scale)
{
  static const gchar *const scaling[] = { "drop", "auto" };
  const gchar *mode = scaling[__i__ / 3];
  Pair pair = make_pair (names[__i__ % 3]);

  for (gint scale = 0; scale < 4; scale += 2)
    for (guint event = 0; event < 2; event++)
      check_removed (&pair, drive_scale (pair.bare, mode, scale, event),
          drive_scale (pair.stuffed, mode, scale, event));
  free_pair (&pair);
}

GST_END_TEST;

/* Without a target, or at the scale that all passes, nothing is touched. */
GST_START_TEST (test_untouched)
{
  Pair pair = make_pair (names[__i__ / 2]);
  TestDriver *d = __i__ % 2 ? drive_scale (pair.stuffed, "drop", 4, FALSE) :
      drive (pair.stuffed, "drop", -1);

  fail_unless_equals_int (d->bytes->len, pair.stuffed->size);
  fail_unless (memcmp (d->bytes->data, pair.stuffed->data,
          pair.stuffed->size) == 0);
  fail_unless_equals_uint64 (test_driver_count (d, "stuffing-removed"), 0);
  test_driver_free (d);
  free_pair (&pair);
}

GST_END_TEST;

static Suite *
stuffing_suite (void)
{
  Suite *s = suite_create ("mpegscaler-stuffing");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_loop_test (tc, test_removed, 0, 9);
  tcase_add_loop_test (tc, test_removed_by_scale, 0, 6);
  tcase_add_loop_test (tc, test_untouched, 0, 2 * G_N_ELEMENTS (names));
  return s;
}

GST_CHECK_MAIN (stuffing);
