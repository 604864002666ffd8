/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "calendar.h"

#include <stdbool.h>
#include <stdlib.h>

void
lab_calendar_clear (LabCalendar * c)
{
  free (c->events);
  c->events = NULL;
  c->n = c->capacity = 0;
}

static bool
precedes (const LabEvent * a, const LabEvent * b)
{
  return a->at != b->at ? a->at < b->at : a->order < b->order;
}

void
lab_calendar_add (LabCalendar * c, int64_t at, LabHandler handler, void *data,
    void *argument)
{
  LabEvent event = { at > c->now ? at : c->now, c->added++, handler, data,
    argument
  };
  size_t i = c->n++;

  if (c->n > c->capacity) {
    c->capacity = 2 * c->n;
    c->events = realloc (c->events, c->capacity * sizeof *c->events);
    if (!c->events)
      abort ();
  }
  for (; i > 0 && precedes (&event, &c->events[(i - 1) / 2]); i = (i - 1) / 2)
    c->events[i] = c->events[(i - 1) / 2];
  c->events[i] = event;
}

static LabEvent
take (LabCalendar * c)
{
  LabEvent first = c->events[0], last = c->events[--c->n];
  size_t i = 0, child;

  while ((child = 2 * i + 1) < c->n) {
    if (child + 1 < c->n && precedes (&c->events[child + 1], &c->events[child]))
      child++;
    if (!precedes (&c->events[child], &last))
      break;
    c->events[i] = c->events[child];
    i = child;
  }
  if (c->n > 0)
    c->events[i] = last;
  return first;
}

void
lab_calendar_run (LabCalendar * c, int64_t until)
{
  while (c->n > 0 && c->events[0].at <= until) {
    LabEvent event = take (c);

    c->now = event.at;
    event.handler (event.data, event.argument);
  }
  c->now = until;
}

static void
ring (void *data, void *argument)
{
  LabTimer *t = data;

  (void) argument;
  if (t->queued_at == t->calendar->now)
    t->queued_at = LAB_NEVER;
  if (t->at == LAB_NEVER)
    return;
  if (t->at > t->calendar->now) {
    lab_timer_set (t, t->at);
    return;
  }
  t->at = LAB_NEVER;
  t->handler (t->data, NULL);
}

void
lab_timer_init (LabTimer * t, LabCalendar * c, LabHandler handler, void *data)
{
  t->calendar = c;
  t->handler = handler;
  t->data = data;
  t->at = t->queued_at = LAB_NEVER;
}

void
lab_timer_set (LabTimer * t, int64_t at)
{
  t->at = at;
  if (at == LAB_NEVER || t->queued_at <= at)
    return;
  t->queued_at = at > t->calendar->now ? at : t->calendar->now;
  lab_calendar_add (t->calendar, at, ring, t, NULL);
}
