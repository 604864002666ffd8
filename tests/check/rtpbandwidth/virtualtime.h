/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: a clock in the system clock's place that goes on when the test says
 * so, from one second on.
 */
#ifndef TEST_VIRTUAL_TIME_H
#define TEST_VIRTUAL_TIME_H

#include <gst/check/gsttestclock.h>

static GstTestClock *test_clock;

static inline void
begin_virtual_time (void)
{
  test_clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (GST_SECOND));
  gst_system_clock_set_default (GST_CLOCK (test_clock));
}

static inline void
end_virtual_time (void)
{
  gst_system_clock_set_default (NULL);
  gst_object_unref (test_clock);
}

static inline GstClockTime
now (void)
{
  return gst_clock_get_time (GST_CLOCK (test_clock));
}

/* Waits until the element waits: what could leave has left. Returns until when. */
static inline GstClockTime
settle (void)
{
  GstClockID id;
  GstClockTime at;

  gst_test_clock_wait_for_next_pending_id (test_clock, &id);
  at = gst_clock_id_get_time (id);
  gst_clock_id_unref (id);
  return at;
}

/* Goes on to the element's next timer; FALSE, and to `until`, where that is later. */
static inline gboolean
next_timer (GstClockTime until)
{
  GstClockTime at = settle ();

  if (at > until) {
    gst_test_clock_set_time (test_clock, until);
    return FALSE;
  }
  gst_test_clock_set_time (test_clock, MAX (at, now ()));
  gst_clock_id_unref (gst_test_clock_process_next_clock_id (test_clock));
  return TRUE;
}

#endif
