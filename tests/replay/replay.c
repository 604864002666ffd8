/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "replay.h"

#include <string.h>

#define MARK "psp-call "

void
psp_replay_init (PspReplay * r, int64_t session)
{
  memset (r, 0, sizeof *r);
  r->session = session;
  r->first_at = r->last_at = PSP_TIME_UNKNOWN;
}

void
psp_replay_clear (PspReplay * r)
{
  psp_sender_free (r->sender);
  r->sender = NULL;
}

/* The arguments, one after the other. */

typedef struct
{
  const int64_t *at;
} Arguments;

static int64_t
next (Arguments * a)
{
  return *a->at++;
}

static PspLimits
next_limits (Arguments * a)
{
  PspLimits l;

  l.min_bitrate = next (a);
  l.max_bitrate = next (a);
  l.start_bitrate = next (a);
  l.unproved_bitrate = next (a);
  return l;
}

static PspFeedbackTiming
next_timing (Arguments * a)
{
  PspFeedbackTiming t;

  t.report_interval = next (a);
  t.min_silence = next (a);
  t.silence_rtts = (unsigned) next (a);
  t.stop_after = next (a);
  t.probe_interval = next (a);
  return t;
}

static void
next_parameters (Arguments * a, const PspControllerClass * klass,
    double parameters[PSP_MAX_PARAMETERS])
{
  unsigned n = psp_parameter_count (klass->parameters);

  for (unsigned i = 0; i < n; i++) {
    int64_t bits = next (a);

    memcpy (&parameters[i], &bits, sizeof parameters[i]);
  }
}

static PspPacket
next_packet (Arguments * a)
{
  PspPacket p = { 0 };

  p.size = (uint32_t) next (a);
  p.payload_size = (uint32_t) next (a);
  p.has_key = next (a) != 0;
  p.key.series = (uint32_t) next (a);
  p.key.number = (uint16_t) next (a);
  return p;
}

static bool
call_new (PspReplay * r, Arguments a, PspCall * call)
{
  double parameters[PSP_MAX_PARAMETERS];
  PspSenderConfig config = { 0 };
  int64_t now;

  config.controller = call->controller;
  config.limits = next_limits (&a);
  config.pairs = next (&a) != 0;
  now = next (&a);
  next_parameters (&a, call->controller, parameters);
  config.parameters = parameters;
  r->sender = psp_sender_new (&config, now);
  if (!r->sender)
    return false;
  psp_call_out_state (call, r->sender, now);
  return true;
}

static void
call_sent (PspReplay * r, Arguments a, PspCall * call)
{
  PspPacket packet = next_packet (&a);
  int64_t now = next (&a);

  psp_sender_sent (r->sender, &packet, now, (unsigned) next (&a));
  psp_call_out_state (call, r->sender, now);
  psp_sender_make_room (r->sender, now);
}

static void
call_bind (PspReplay * r, Arguments a)
{
  int64_t index = next (&a);
  PspKey key;

  key.series = (uint32_t) next (&a);
  key.number = (uint16_t) next (&a);
  psp_sender_bind (r->sender, index, &key);
}

static void
call_allowance (PspReplay * r, Arguments a, PspCall * call)
{
  int64_t now = next (&a), next_at;

  psp_call_out (call, psp_sender_allowance (r->sender, now,
          (unsigned) next (&a), &next_at));
  psp_call_out (call, next_at);
}

static void
call_acknowledge (PspReplay * r, Arguments a, PspCall * call)
{
  PspFeedback feedback = { call->acknowledgements, call->n_acknowledgements,
    next (&a), 0
  };
  int64_t now = next (&a);

  psp_sender_acknowledge (r->sender, &feedback, now);
  psp_call_out_state (call, r->sender, now);
}

static void
call_notice (PspReplay * r, Arguments a, PspCall * call)
{
  PspNotice notice;

  psp_call_out (call, psp_sender_take_notice (r->sender, next (&a), &notice));
  psp_call_out_notice (call, &notice);
}

/* A call with the time and what it sets. */
static void
call_setting (PspReplay * r, Arguments a, PspCall * call)
{
  double parameters[PSP_MAX_PARAMETERS];
  PspLimits limits;
  int64_t start = 0, now, ecn = 0, reserved = 0;
  PspFeedbackTiming timing;

  if (call->kind == PSP_CALL_SET_LIMITS)
    limits = next_limits (&a);
  if (call->kind == PSP_CALL_SET_ECN)
    ecn = next (&a);
  if (call->kind == PSP_CALL_SET_RESERVED)
    reserved = next (&a);
  if (call->kind == PSP_CALL_SET_TIMING)
    timing = next_timing (&a);
  if (call->kind == PSP_CALL_SET_CONTROLLER)
    start = next (&a);
  now = next (&a);
  if (call->controller)
    next_parameters (&a, call->controller, parameters);
  switch (call->kind) {
    case PSP_CALL_SET_LIMITS:
      psp_sender_set_limits (r->sender, &limits, now);
      break;
    case PSP_CALL_SET_ECN:
      psp_sender_set_ecn (r->sender, (PspEcn) ecn, now);
      break;
    case PSP_CALL_SET_RESERVED:
      psp_sender_set_reserved (r->sender, reserved, now);
      break;
    case PSP_CALL_SET_TIMING:
      psp_sender_set_timing (r->sender, &timing, now);
      break;
    case PSP_CALL_SET_CONTROLLER:
      psp_sender_set_controller (r->sender, call->controller, parameters,
          start, now);
      break;
    case PSP_CALL_SET_PARAMETERS:
      /* Others' would be read beyond what they have. */
      if (call->controller == psp_sender_controller (r->sender))
        psp_sender_set_parameters (r->sender, parameters, now);
      break;
    case PSP_CALL_RESET:
      psp_sender_reset (r->sender, now);
      break;
    case PSP_CALL_RESUME:
      psp_sender_resume (r->sender, now);
      break;
    default:
      psp_sender_tick (r->sender, now);
      break;
  }
  psp_call_out_state (call, r->sender, now);
}

static void
make (PspReplay * r, Arguments a, PspCall * call)
{
  switch (call->kind) {
    case PSP_CALL_ALLOWANCE:
      call_allowance (r, a, call);
      break;
    case PSP_CALL_WAIT:
      psp_sender_wait (r->sender);
      break;
    case PSP_CALL_SENT:
      call_sent (r, a, call);
      break;
    case PSP_CALL_BIND:
      call_bind (r, a);
      break;
    case PSP_CALL_SET_PAIRS:
      psp_sender_set_pairs (r->sender, next (&a) != 0);
      break;
    case PSP_CALL_ACKNOWLEDGE:
      call_acknowledge (r, a, call);
      break;
    case PSP_CALL_TAKE_NOTICE:
      call_notice (r, a, call);
      break;
    default:
      call_setting (r, a, call);
      break;
  }
}

static bool
is_same (const PspCall * a, const PspCall * b)
{
  return a->n_out == b->n_out &&
      memcmp (a->out, b->out, a->n_out * sizeof a->out[0]) == 0;
}

static void
note_time (PspReplay * r, int64_t now)
{
  if (now == PSP_TIME_UNKNOWN)
    return;
  if (r->first_at == PSP_TIME_UNKNOWN)
    r->first_at = r->last_at = now;
  if (now > r->last_at)
    r->last_at = now;
}

PspReplayResult
psp_replay_call (PspReplay * r)
{
  PspCall *call = &r->replayed;
  Arguments a = { call->in };

  *call = r->recorded;
  call->n_out = 0;
  /* A session begins once. */
  if ((call->kind == PSP_CALL_NEW) != (r->sender == NULL))
    return PSP_REPLAY_BROKEN;
  if (call->kind != PSP_CALL_NEW)
    make (r, a, call);
  else if (!call_new (r, a, call))
    return PSP_REPLAY_BROKEN;
  r->calls[call->kind]++;
  note_time (r, psp_call_time (call));
  return is_same (&r->recorded, call) ? PSP_REPLAY_SAME : PSP_REPLAY_DIFFERENT;
}

/* What follows the mark in a line, or NULL. */
static const char *
find_call (const char *line, size_t size)
{
  const size_t length = strlen (MARK);
  const char *end = line + size, *at = line;

  while ((size_t) (end - at) >= length &&
      (at = memchr (at, MARK[0], (size_t) (end - at) - length + 1))) {
    if (memcmp (at, MARK, length) == 0)
      return at + length;
    at++;
  }
  return NULL;
}

PspReplayResult
psp_replay_read (PspReplay * r, const char *line, size_t size)
{
  const char *at = find_call (line, size), *end = line + size;
  int64_t session = 0;
  unsigned digits = 0;

  if (!at)
    return PSP_REPLAY_OTHER;
  for (; at < end && *at >= '0' && *at <= '9' && digits < 10; at++, digits++)
    session = 10 * session + (*at - '0');
  if (digits == 0 || at == end || *at++ != ' ')
    return PSP_REPLAY_BROKEN;
  if (r->session < 0)
    r->session = session;
  if (session != r->session)
    return PSP_REPLAY_OTHER;
  if (!psp_call_parse (at, (size_t) (end - at), &r->recorded,
          r->acknowledgements))
    return PSP_REPLAY_BROKEN;
  return PSP_REPLAY_SAME;
}

PspReplayResult
psp_replay_line (PspReplay * r, const char *line, size_t size)
{
  PspReplayResult result = psp_replay_read (r, line, size);

  return result == PSP_REPLAY_SAME ? psp_replay_call (r) : result;
}
