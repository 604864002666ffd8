/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * When upstream is asked for a key frame, and what of a target is not for media,
 * in virtual time.
 */
#include <gst/check/gstcheck.h>

#include <control/types.h>

#include "gstpspkeyframes.h"
#include "gstpspreserved.h"

#define MS PSP_MSECOND
#define NEVER PSP_TIME_NEVER

/* One step each: what has come about, and when upstream is to be asked; it is asked
 * then. */
GST_START_TEST (test_key_frames)
{
  static const struct
  {
    guint64 drops;
    gboolean wanted;
    gint64 rtt, next;
  } steps[] = {
    {0, FALSE, 20 * MS, NEVER},
    /* The first time at once. */
    {3, FALSE, 20 * MS, PSP_TIME_UNKNOWN},
    {3, FALSE, 20 * MS, NEVER},
    {4, FALSE, 20 * MS, 1000 * MS},
    /* A receiver is obeyed sooner, but not twice in a round trip. */
    {4, TRUE, 20 * MS, 1500 * MS},
    {4, TRUE, 700 * MS, 2200 * MS},
    {4, TRUE, PSP_TIME_UNKNOWN, 2700 * MS},
    {5, TRUE, 20 * MS, 3200 * MS},
    /* What was dropped is settled with it. */
    {5, FALSE, 20 * MS, NEVER},
    {6, FALSE, 2000 * MS, 4200 * MS},
  };
  GstPspKeyFrames k;

  gst_psp_key_frames_init (&k);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    gint64 next;

    k.wanted |= steps[i].wanted;
    next = gst_psp_key_frames_next (&k, steps[i].drops, steps[i].rtt);
    fail_unless_equals_int64 (next, steps[i].next);
    if (next != NEVER)
      gst_psp_key_frames_asked (&k, steps[i].drops, MAX (next, 0));
  }
}

GST_END_TEST;

/* 250 bytes in 250 ms are 8 kbit/s, of which each interval adds a quarter of what
 * is missing. */
GST_START_TEST (test_reserved)
{
  static const struct
  {
    gint64 now, bytes, bitrate;
    gboolean changed;
  } steps[] = {
    {1249 * MS, 0, 0, FALSE},
    {1250 * MS, 0, 0, FALSE},
    {1499 * MS, 150, 0, FALSE},
    {1500 * MS, 100, 2000, TRUE},
    {1750 * MS, 250, 3500, TRUE},
    /* Late, and so over a longer time. */
    {2250 * MS, 500, 4625, TRUE},
    {2500 * MS, 0, 3469, TRUE},
  };
  GstPspReserved r;

  gst_psp_reserved_init (&r, 1000 * MS);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    r.bytes += steps[i].bytes;
    fail_unless_equals_int (gst_psp_reserved_measure (&r, steps[i].now),
        steps[i].changed);
    fail_unless_equals_int64 (r.bitrate, steps[i].bitrate);
  }
}

GST_END_TEST;

static Suite *
key_frames_suite (void)
{
  Suite *s = suite_create ("psp_keyframes");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_key_frames);
  tcase_add_test (tc, test_reserved);
  return s;
}

GST_CHECK_MAIN (key_frames);
