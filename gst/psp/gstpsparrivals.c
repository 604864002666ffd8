/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpsparrivals.h"

#include <control/types.h>

/* What waited in the socket for longer, did so while nobody was reading. */
#define MAX_AGE PSP_SECOND
/* Readings of two clocks further apart than this are not of one moment. */
#define CLOCK_UNCERTAINTY (50 * PSP_USECOND)
/* So many readings at most: a busy machine may not do better. */
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

/* A reference of ours, kept as long as it is the same one. */
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

/* Again where the thread was interrupted in between. */
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

/* `age` before the element's time. Packets arrive in order: two readings of a
 * clock, each a little wrong, do not turn them round; but where it was set back, by
 * more, it is believed. */
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
