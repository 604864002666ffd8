/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "supervision.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define MIN_PATIENCE (500 * PSP_MSECOND)
#define PATIENCE_RTTS 4

int64_t
psp_supervision_patience (int64_t rtt)
{
  if (rtt == PSP_TIME_UNKNOWN || rtt > INT64_MAX / PATIENCE_RTTS)
    return MIN_PATIENCE;
  return MAX (PATIENCE_RTTS * rtt, MIN_PATIENCE);
}

/* Until when the sender counts as sending. Half the patience after its last
 * packet, or after the next one might have left: a packet that ends a burst
 * and is lost must not look like a broken path. */
static int64_t
active_until (const PspSupervision * s, int64_t rtt, int64_t ready_at)
{
  if (ready_at == PSP_TIME_NEVER)
    return PSP_TIME_NEVER;
  return MAX (s->last_sent_at, ready_at) + psp_supervision_patience (rtt) / 2;
}

void
psp_supervision_init (PspSupervision * s, bool required)
{
  s->state = PSP_LINK_WAITING;
  s->required = required;
  s->since = PSP_TIME_NEVER;
  s->last_sent_at = PSP_TIME_UNKNOWN;
}

void
psp_supervision_require (PspSupervision * s, bool required)
{
  if (required && !s->required)
    s->since = PSP_TIME_NEVER;
  if (!required && s->state != PSP_LINK_ALIVE)
    s->state = PSP_LINK_WAITING;
  s->required = required;
}

void
psp_supervision_resume (PspSupervision * s, int64_t now)
{
  if (s->since != PSP_TIME_NEVER)
    s->since = s->last_sent_at = now;
}

void
psp_supervision_sent (PspSupervision * s, int64_t now, int64_t rtt,
    int64_t ready_at)
{
  int64_t until;

  if (s->since == PSP_TIME_NEVER) {
    s->since = now;
  } else {
    until = active_until (s, rtt, ready_at);
    s->since += now > until ? now - until : 0;
  }
  s->last_sent_at = now;
}

bool
psp_supervision_feedback (PspSupervision * s)
{
  bool changed = s->state != PSP_LINK_ALIVE;

  s->state = PSP_LINK_ALIVE;
  s->since = PSP_TIME_NEVER;
  return changed;
}

static int64_t
next_change (const PspSupervision * s, int64_t rtt)
{
  if (!s->required || s->since == PSP_TIME_NEVER
      || s->state == PSP_LINK_STOPPED)
    return PSP_TIME_NEVER;
  if (s->state == PSP_LINK_SILENT)
    return s->since + PSP_SUPERVISION_STOP;
  return s->since + psp_supervision_patience (rtt);
}

int64_t
psp_supervision_next (const PspSupervision * s, int64_t rtt, int64_t ready_at)
{
  int64_t at = next_change (s, rtt);

  /* Idle before that, unless another packet leaves. */
  if (at == PSP_TIME_NEVER || at > active_until (s, rtt, ready_at))
    return PSP_TIME_NEVER;
  return at;
}

bool
psp_supervision_tick (PspSupervision * s, int64_t now, int64_t rtt,
    int64_t ready_at)
{
  if (psp_supervision_next (s, rtt, ready_at) > now)
    return false;
  s->state = s->state == PSP_LINK_SILENT ? PSP_LINK_STOPPED : PSP_LINK_SILENT;
  return true;
}
