/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <gst/check/gstcheck.h>

#include "gstmpegscalergap.h"

#define MS GST_MSECOND
#define MAX_DROPS 8

typedef struct
{
  guint pts, duration;          /* ms; duration 0: no more */
  gboolean is_reference;
  guint begin, end;             /* of the event that is due then; 0, 0: none */
} Drop;

typedef struct
{
  const gchar *name;
  Drop drops[MAX_DROPS];
} Row;

static const Row rows[] = {
  {"half a second", {
              {100, 200, TRUE, 0, 0}, {300, 200, TRUE, 0, 0},
              {500, 200, TRUE, 100, 700}, {700, 200, TRUE, 0, 0},
          {900, 300, TRUE, 700, 1200}}},
  {"B frames only, then a P", {
              {100, 300, FALSE, 0, 0}, {400, 300, FALSE, 0, 0},
              {700, 300, FALSE, 0, 0}, {1000, 40, TRUE, 100, 1040},
          {1040, 500, FALSE, 1040, 1540}}},
  {"coded order", {
              {500, 40, TRUE, 0, 0}, {420, 40, FALSE, 0, 0},
              {460, 40, FALSE, 0, 0}, {900, 40, TRUE, 420, 940},
              {860, 40, FALSE, 0, 0}, {980, 520, TRUE, 980, 1500},
          {940, 40, FALSE, 0, 0}}},
  {"a B that the last event covers in part", {
              {0, 600, TRUE, 0, 600}, {590, 20, FALSE, 0, 0},
          {610, 490, TRUE, 600, 1100}}},
  {"a jump forward", {
              {100, 300, TRUE, 0, 0}, {5000, 300, TRUE, 0, 0},
          {5300, 300, TRUE, 5000, 5600}}},
  {"a jump back", {
              {9000, 300, TRUE, 0, 0}, {100, 300, TRUE, 0, 0},
          {400, 300, TRUE, 100, 700}}},
  {"a jump back behind an event", {
              {9000, 600, TRUE, 9000, 9600}, {100, 300, TRUE, 0, 0},
          {400, 300, TRUE, 100, 700}}},
};

GST_START_TEST (test_rows)
{
  const Row *row = &rows[__i__];
  GstMpegScalerGap gap;
  guint i;

  gst_mpeg_scaler_gap_init (&gap);
  for (i = 0; i < MAX_DROPS && row->drops[i].duration; i++) {
    const Drop *d = &row->drops[i];
    GstEvent *event = gst_mpeg_scaler_gap_add (&gap, d->pts * MS,
        d->duration * MS, d->is_reference);
    GstClockTime begin = 0, duration = 0;

    if (event) {
      gst_event_parse_gap (event, &begin, &duration);
      gst_event_unref (event);
    }
    fail_unless (begin == d->begin * MS
        && begin + duration == d->end * MS, "%s: event from %u to %u ms at %u",
        row->name, (guint) (begin / MS), (guint) ((begin + duration) / MS), i);
  }
}

GST_END_TEST;

GST_START_TEST (test_no_time)
{
  GstMpegScalerGap gap;

  gst_mpeg_scaler_gap_init (&gap);
  fail_unless (gst_mpeg_scaler_gap_add (&gap, GST_CLOCK_TIME_NONE,
          GST_SECOND, TRUE) == NULL);
  fail_unless (gst_mpeg_scaler_gap_add (&gap, 0, 400 * MS, TRUE) == NULL);
  /* a frame left */
  gst_mpeg_scaler_gap_init (&gap);
  fail_unless (gst_mpeg_scaler_gap_add (&gap, 400 * MS, 400 * MS,
          TRUE) == NULL);
}

GST_END_TEST;

static Suite *
gap_suite (void)
{
  Suite *suite = suite_create ("gap");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_rows, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_no_time);
  return suite;
}

GST_CHECK_MAIN (gap);
