/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: a receiver's report, put together packet by packet.
 */
#ifndef TEST_FEEDBACK_H
#define TEST_FEEDBACK_H

#include "../often.h"
#include <control/packet.h>

#define FEEDBACK_SIZE 65536     /* packets of a report */

typedef struct
{
  PspAcknowledgement acknowledgements[FEEDBACK_SIZE];
  PspFeedback feedback;
  PspKey next;
} Feedback;

static inline void
feedback_begin (Feedback * f)
{
  f->feedback.acknowledgements = f->acknowledgements;
  f->feedback.n = 0;
  f->feedback.receiver = 0;
}

/* What is added from here on are packets of this series, from this number on. */
static inline void
feedback_series (Feedback * f, uint32_t series, uint16_t number)
{
  f->next.series = series;
  f->next.number = number;
}

static inline PspAcknowledgement *
feedback_add (Feedback * f)
{
  PspAcknowledgement *a = &f->acknowledgements[f->feedback.n++];

  often_fail_unless (f->feedback.n <= FEEDBACK_SIZE);
  a->key = f->next;
  f->next.number++;
  a->received = false;
  a->ecn = PSP_ECN_NOT_ECT;
  a->arrived_at = a->sent_at = PSP_TIME_UNKNOWN;
  a->size = 0;
  return a;
}

static inline void
feedback_missing (Feedback * f)
{
  feedback_add (f);
}

/* It arrived `offset` before the report, or at an unknown time. */
static inline void
feedback_received (Feedback * f, int64_t offset, uint8_t ecn)
{
  PspAcknowledgement *a = feedback_add (f);

  a->received = true;
  a->ecn = ecn;
  a->arrived_at = offset == PSP_TIME_UNKNOWN ? offset : -offset;
}

static inline void
feedback_end (Feedback * f, int64_t reported_at)
{
  size_t i;

  f->feedback.reported_at = reported_at;
  for (i = 0; i < f->feedback.n; i++)
    if (f->acknowledgements[i].arrived_at != PSP_TIME_UNKNOWN)
      f->acknowledgements[i].arrived_at += reported_at;
}

#endif
