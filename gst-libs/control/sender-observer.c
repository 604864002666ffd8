/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/sender-private.h>

static void
begin (PspCall * call, PspCallKind kind, const int64_t * in, unsigned n_in)
{
  unsigned i;

  psp_call_begin (call, kind);
  for (i = 0; i < n_in; i++)
    psp_call_in (call, in[i]);
}

static void
report (const PspSender * s, const PspCall * call)
{
  s->observer (s->observer_data, call);
}

static void
report_state (const PspSender * s, PspCall * call, int64_t now)
{
  psp_call_out_state (call, s, now);
  report (s, call);
}

void
psp_observe_timing (const PspSender * s, int64_t now)
{
  const PspFeedbackTiming *t = &s->timing;

  psp_observe_change (s, PSP_CALL_SET_TIMING, now,
      PSP_NUMBERS (t->report_interval, t->min_silence, t->silence_rtts,
          t->stop_after, t->probe_interval, now));
}

static bool
differs (const PspFeedbackTiming * a, const PspFeedbackTiming * b)
{
  return a->report_interval != b->report_interval
      || a->min_silence != b->min_silence || a->silence_rtts != b->silence_rtts
      || a->stop_after != b->stop_after
      || a->probe_interval != b->probe_interval;
}

void
psp_sender_observe (PspSender * s, PspSenderObserver observer, void *data,
    int64_t now)
{
  s->observer = observer;
  s->observer_data = data;
  if (!observer)
    return;
  psp_observe_controller (s, PSP_CALL_NEW, now,
      PSP_NUMBERS (s->limits.min_bitrate, s->limits.max_bitrate,
          s->limits.start_bitrate, s->limits.unproved_bitrate, s->pairs,
          now));
  if (s->ecn_asked != PSP_ECN_NOT_ECT)
    psp_observe_change (s, PSP_CALL_SET_ECN, now,
        PSP_NUMBERS (s->ecn_asked, now));
  if (differs (&s->timing, &psp_feedback_timing_default))
    psp_observe_timing (s, now);
  if (s->reserved > 0)
    psp_observe_change (s, PSP_CALL_SET_RESERVED, now,
        PSP_NUMBERS (s->reserved, now));
}

void
psp_observe (const PspSender * s, PspCallKind kind, const int64_t * in,
    unsigned n_in, const int64_t * out, unsigned n_out)
{
  PspCall call;
  unsigned i;

  begin (&call, kind, in, n_in);
  for (i = 0; i < n_out; i++)
    psp_call_out (&call, out[i]);
  report (s, &call);
}

void
psp_observe_change (const PspSender * s, PspCallKind kind, int64_t now,
    const int64_t * in, unsigned n_in)
{
  PspCall call;

  begin (&call, kind, in, n_in);
  report_state (s, &call, now);
}

void
psp_observe_controller (const PspSender * s, PspCallKind kind, int64_t now,
    const int64_t * in, unsigned n_in)
{
  PspCall call;

  begin (&call, kind, in, n_in);
  call.controller = s->controller->klass;
  psp_call_in_parameters (&call, s->controller->klass,
      s->controller->parameters);
  report_state (s, &call, now);
}

void
psp_observe_acknowledge (const PspSender * s, const PspFeedback * feedback,
    int64_t now)
{
  PspCall call;

  begin (&call, PSP_CALL_ACKNOWLEDGE, PSP_NUMBERS (feedback->reported_at, now));
  call.acknowledgements = feedback->acknowledgements;
  call.n_acknowledgements = feedback->n;
  report_state (s, &call, now);
}

void
psp_observe_notice (const PspSender * s, int64_t now, bool due,
    const PspNotice * notice)
{
  PspCall call;

  begin (&call, PSP_CALL_TAKE_NOTICE, PSP_NUMBERS (now));
  psp_call_out (&call, due);
  psp_call_out_notice (&call, notice);
  report (s, &call);
}
