/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/supervision.h>

const PspFeedbackTiming psp_feedback_timing_default = {
  .report_interval = 25 * PSP_MSECOND,
  .min_silence = 500 * PSP_MSECOND,
  .silence_rtts = 4,
  .stop_after = 10 * PSP_SECOND,
  .probe_interval = PSP_SECOND
};

int64_t
psp_supervision_silence (const PspSupervision * s, int64_t rtt)
{
  int64_t rtts = s->timing->silence_rtts;

  if (rtt == PSP_TIME_UNKNOWN || (rtts > 0 && rtt > INT64_MAX / rtts))
    return s->timing->min_silence;
  return MAX (rtts * rtt, s->timing->min_silence);
}

/* Returns until when the sender counts as sending: for half of the silence
 * time after its last packet, or after the time at which the next packet
 * might have left. A lost packet at the end of a burst must not look like a
 * broken path. */
static int64_t
active_until (const PspSupervision * s, int64_t rtt, int64_t ready_at)
{
  if (ready_at == PSP_TIME_NEVER)
    return PSP_TIME_NEVER;
  return MAX (s->last_sent_at, ready_at) + psp_supervision_silence (s, rtt) / 2;
}

void
psp_supervision_init (PspSupervision * s, const PspFeedbackTiming * timing,
    bool required)
{
  s->timing = timing;
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
    return s->since + s->timing->stop_after;
  return s->since + psp_supervision_silence (s, rtt);
}

int64_t
psp_supervision_next (const PspSupervision * s, int64_t rtt, int64_t ready_at)
{
  int64_t at = next_change (s, rtt);

  /* The sender is idle before that time unless another packet leaves. */
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
