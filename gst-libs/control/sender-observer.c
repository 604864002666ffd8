/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/sender-private.h>

static void
report (const PspSender * s, const PspCall * call)
{
  s->observer (s->observer_data, call);
}

/* The effect of this call shows only in the state that it left behind. */
static void
report_state (const PspSender * s, PspCall * call, int64_t now)
{
  psp_call_out_state (call, s, now);
  report (s, call);
}

void
psp_sender_observe (PspSender * s, PspSenderObserver observer, void *data,
    int64_t now)
{
  PspCall call;

  s->observer = observer;
  s->observer_data = data;
  if (!observer)
    return;
  psp_call_begin (&call, PSP_CALL_NEW);
  call.controller = s->controller->klass;
  psp_call_in_limits (&call, &s->limits);
  psp_call_in (&call, s->pairs);
  psp_call_in (&call, now);
  psp_call_in_parameters (&call, s->controller->klass,
      s->controller->parameters);
  report_state (s, &call, now);
}

void
psp_observe_controller (const PspSender * s, int64_t now)
{
  PspCall call;

  psp_call_begin (&call, PSP_CALL_SET_CONTROLLER);
  call.controller = s->controller->klass;
  psp_call_in (&call, now);
  psp_call_in_parameters (&call, s->controller->klass,
      s->controller->parameters);
  report_state (s, &call, now);
}

void
psp_observe_limits (const PspSender * s, int64_t now)
{
  PspCall call;

  psp_call_begin (&call, PSP_CALL_SET_LIMITS);
  psp_call_in_limits (&call, &s->limits);
  psp_call_in (&call, now);
  report_state (s, &call, now);
}

void
psp_observe_parameters (const PspSender * s, int64_t now)
{
  PspCall call;

  psp_call_begin (&call, PSP_CALL_SET_PARAMETERS);
  call.controller = s->controller->klass;
  psp_call_in (&call, now);
  psp_call_in_parameters (&call, s->controller->klass,
      s->controller->parameters);
  report_state (s, &call, now);
}

void
psp_observe_pairs (const PspSender * s)
{
  PspCall call;

  psp_call_begin (&call, PSP_CALL_SET_PAIRS);
  psp_call_in (&call, s->pairs);
  report (s, &call);
}

void
psp_observe_bind (const PspSender * s, int64_t index, const PspKey * key)
{
  PspCall call;

  psp_call_begin (&call, PSP_CALL_BIND);
  psp_call_in (&call, index);
  psp_call_in (&call, key->series);
  psp_call_in (&call, key->number);
  report (s, &call);
}

void
psp_observe_allowance (const PspSender * s, int64_t now, unsigned max,
    unsigned n, int64_t next_at)
{
  PspCall call;

  psp_call_begin (&call, PSP_CALL_ALLOWANCE);
  psp_call_in (&call, now);
  psp_call_in (&call, max);
  psp_call_out (&call, n);
  psp_call_out (&call, next_at);
  report (s, &call);
}

void
psp_observe_wait (const PspSender * s)
{
  PspCall call;

  psp_call_begin (&call, PSP_CALL_WAIT);
  report (s, &call);
}

void
psp_observe_sent (const PspSender * s, const PspPacket * packet, int64_t now,
    bool backlog)
{
  PspCall call;

  psp_call_begin (&call, PSP_CALL_SENT);
  psp_call_in_packet (&call, packet);
  psp_call_in (&call, now);
  psp_call_in (&call, backlog);
  report_state (s, &call, now);
}

void
psp_observe_acknowledge (const PspSender * s, const PspFeedback * feedback,
    int64_t now)
{
  PspCall call;

  psp_call_begin (&call, PSP_CALL_ACKNOWLEDGE);
  call.acknowledgements = feedback->acknowledgements;
  call.n_acknowledgements = feedback->n;
  psp_call_in (&call, feedback->reported_at);
  psp_call_in (&call, now);
  report_state (s, &call, now);
}

void
psp_observe_notice (const PspSender * s, int64_t now, bool due,
    const PspNotice * notice)
{
  PspCall call;

  psp_call_begin (&call, PSP_CALL_TAKE_NOTICE);
  psp_call_in (&call, now);
  psp_call_out (&call, due);
  psp_call_out_notice (&call, notice);
  report (s, &call);
}

void
psp_observe_time (const PspSender * s, PspCallKind kind, int64_t now)
{
  PspCall call;

  psp_call_begin (&call, kind);
  psp_call_in (&call, now);
  report_state (s, &call, now);
}
