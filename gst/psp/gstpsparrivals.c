/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpsparrivals.h"

#include <control/types.h>

/* ns; a datagram waits longer in the socket only if no thread reads it. */
#define MAX_AGE PSP_SECOND
/* ns; longest time between readings of two clocks that count as one moment. */
#define CLOCK_UNCERTAINTY (50 * PSP_USECOND)
/* Most readings in a row: on a busy machine none may be fast enough. */
#define CLOCK_TRIES 3

void
gst_psp_arrivals_init (GstPspArrivals * a)
{
  a->emptied_at = a->arrived_at = G_MININT64;
  a->clock_time = 0;
}

void
gst_psp_arrivals_clear (GstPspArrivals * a)
{
  gst_clear_object (&a->clock);
}

/* Takes a reference to the element's clock if it is another clock. */
static void
update_clock (GstPspArrivals * a, GstElement * element)
{
  GstClock *old = NULL;

  GST_OBJECT_LOCK (element);
  if (GST_ELEMENT_CLOCK (element) != a->clock) {
    old = a->clock;
    a->clock = GST_ELEMENT_CLOCK (element);
    if (a->clock)
      gst_object_ref (a->clock);
  }
  GST_OBJECT_UNLOCK (element);
  if (old)
    gst_object_unref (old);
}

/* Reads again if the thread was interrupted between the readings. */
void
gst_psp_arrivals_read (GstPspArrivals * a, GstElement * element)
{
  gint64 before, after;
  guint tries = 0;

  update_clock (a, element);
  a->time = GST_CLOCK_TIME_NONE;
  do {
    before = wait_monotonic_now ();
    if (a->clock)
      a->time = gst_clock_get_time (a->clock);
    a->wall = wait_wall_now ();
    after = wait_monotonic_now ();
  } while (after - before > CLOCK_UNCERTAINTY && ++tries < CLOCK_TRIES);
  a->now = before + (after - before) / 2;
}

/* Returns the element's time `age` ago. Packets arrive in order, so small
 * errors of two readings of the clock do not reorder them. A clock that goes
 * back by more than MAX_AGE was set back. */
static GstClockTime
on_clock (GstPspArrivals * a, GstClockTime age)
{
  GstClockTime at = a->time - MIN (age, a->time);

  if (!GST_CLOCK_TIME_IS_VALID (a->time))
    return GST_CLOCK_TIME_NONE;
  if (at < a->clock_time && a->clock_time - at <= MAX_AGE)
    at = a->clock_time;
  a->clock_time = at;
  return at;
}

gint64
gst_psp_arrivals_date (GstPspArrivals * a, const PspUdpDatagram * d,
    GstClockTime * clock_time)
{
  gint64 age =
      d->arrived_at < 0 ? 0 : CLAMP (a->wall - d->arrived_at, 0, MAX_AGE);
  gint64 at = MIN (MAX (a->now - age, a->emptied_at), a->now);

  a->arrived_at = MAX (at, a->arrived_at);
  *clock_time = on_clock (a, a->now - a->arrived_at);
  return a->arrived_at;
}
