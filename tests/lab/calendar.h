/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Keeps virtual time and what happens next. Events of one time happen in the
 * order in which they were added.
 */
#ifndef TESTS_LAB_CALENDAR_H
#define TESTS_LAB_CALENDAR_H

#include <stddef.h>
#include <stdint.h>

#define LAB_NEVER INT64_MAX

typedef void (*LabHandler) (void *data, void *argument);

typedef struct
{
  int64_t at;
  uint64_t order;
  LabHandler handler;
  void *data, *argument;
} LabEvent;

typedef struct
{
  int64_t now;                  /* ns */
  LabEvent *events;             /* a heap: the earliest first */
  size_t n, capacity;
  uint64_t added;
} LabCalendar;

/* An event that can be moved; its owner keeps it until the calendar is
 * cleared. It starts zeroed. */
typedef struct
{
  LabCalendar *calendar;
  LabHandler handler;
  void *data;
  int64_t at;                   /* LAB_NEVER = not set */
  int64_t queued_at;            /* the earliest of its events in the heap */
} LabTimer;

void lab_calendar_clear (LabCalendar * c);
void lab_calendar_add (LabCalendar * c, int64_t at, LabHandler handler,
    void *data, void *argument);
/* Runs everything up to and including `until`. */
void lab_calendar_run (LabCalendar * c, int64_t until);

void lab_timer_init (LabTimer * t, LabCalendar * c, LabHandler handler,
    void *data);
/* Sets the time, and replaces the one set before. The handler gets NULL as its
 * argument. */
void lab_timer_set (LabTimer * t, int64_t at);

#endif
