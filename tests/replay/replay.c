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
  l.fixed_period = next (a);
  for (unsigned i = 0; i < PSP_SCALES; i++)
    l.scale_bitrates[i] = next (a);
  return l;
}

static PspRtpHeader
next_header (Arguments * a)
{
  PspRtpHeader h;

  h.ssrc = (uint32_t) next (a);
  h.timestamp = (uint32_t) next (a);
  h.seq = (uint16_t) next (a);
  h.payload_type = (uint8_t) next (a);
  h.marker = next (a) != 0;
  h.size = (uint32_t) next (a);
  h.payload_size = (uint32_t) next (a);
  return h;
}

static bool
call_new (PspReplay * r, Arguments a, PspCall * call)
{
  char name[PSP_CALL_OCTETS + 1];
  PspSenderConfig config;
  int64_t now;

  config.controller = call->controller;
  config.limits = next_limits (&a);
  config.pairs = next (&a) != 0;
  config.random_seed = (uint32_t) next (&a);
  memcpy (name, call->octets, call->n_octets);
  name[call->n_octets] = '\0';
  config.cname = name;
  now = next (&a);
  r->sender = psp_sender_new (&config, now);
  if (!r->sender)
    return false;
  psp_call_out_state (call, r->sender, now);
  return true;
}

static void
call_pack (PspReplay * r, Arguments a, PspCall * call)
{
  uint8_t data[PSP_CALL_OCTETS];
  int64_t now = next (&a);
  uint64_t ntp = (uint64_t) next (&a);
  int64_t media_now = next (&a);
  bool bye = next (&a) != 0;
  size_t capacity = (size_t) next (&a);

  psp_call_octets (call, data,
      psp_sender_pack_rtcp (r->sender, now, ntp, media_now, bye, data,
          capacity));
}

static void
call_sent (PspReplay * r, Arguments a, PspCall * call)
{
  PspRtpHeader header = next_header (&a);
  int64_t media_time = next (&a), now = next (&a);

  psp_sender_sent (r->sender, &header, media_time, now, next (&a) != 0);
  psp_call_out_state (call, r->sender, now);
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
call_rtcp (PspReplay * r, Arguments a, PspCall * call)
{
  int64_t now = next (&a);
  bool bye;

  psp_sender_rtcp (r->sender, call->octets, call->n_octets, now, &bye);
  psp_call_out (call, bye);
  psp_call_out_state (call, r->sender, now);
}

static void
call_notice (PspReplay * r, Arguments a, PspCall * call)
{
  PspNotice notice;

  if (call->kind == PSP_CALL_TAKE_NOTICE) {
    if (psp_sender_take_notice (r->sender, next (&a), &notice)) {
      psp_call_out (call, true);
      psp_call_out_notice (call, &notice);
      return;
    }
    psp_call_out (call, false);
  }
  psp_sender_notice (r->sender, &notice);
  psp_call_out_notice (call, &notice);
}

static void
call_setting (PspReplay * r, Arguments a, PspCall * call)
{
  PspLimits limits;

  switch (call->kind) {
    case PSP_CALL_SET_PAIRS:
      psp_sender_set_pairs (r->sender, next (&a) != 0);
      return;
    case PSP_CALL_SET_CLOCK_RATE:
      psp_sender_set_clock_rate (r->sender, (uint32_t) next (&a));
      return;
    case PSP_CALL_SET_LIMITS:
      limits = next_limits (&a);
      psp_sender_set_limits (r->sender, &limits, next (&a));
      break;
    case PSP_CALL_SET_CONTROLLER:
      psp_call_out (call, psp_sender_set_controller (r->sender,
              call->controller, next (&a)));
      break;
    case PSP_CALL_RESET:
      psp_sender_reset (r->sender, next (&a));
      break;
    case PSP_CALL_RESUME:
      psp_sender_resume (r->sender, next (&a));
      break;
    default:
      psp_sender_tick (r->sender, next (&a));
      break;
  }
  psp_call_out_state (call, r->sender, psp_call_time (call));
}

static void
call_question (PspReplay * r, Arguments a, PspCall * call)
{
  int64_t now = next (&a);
  PspSenderStats stats;

  if (call->kind == PSP_CALL_MEDIA_ALLOWED) {
    psp_call_out (call, psp_sender_media_allowed (r->sender, now));
  } else if (call->kind == PSP_CALL_NEXT_TICK) {
    psp_call_out (call, psp_sender_next_tick (r->sender, now));
  } else {
    psp_sender_stats (r->sender, now, &stats);
    psp_call_out_stats (call, &stats);
  }
}

static void
make (PspReplay * r, Arguments a, PspCall * call)
{
  switch (call->kind) {
    case PSP_CALL_ALLOWANCE:
      call_allowance (r, a, call);
      break;
    case PSP_CALL_SENT:
      call_sent (r, a, call);
      break;
    case PSP_CALL_RTCP:
      call_rtcp (r, a, call);
      break;
    case PSP_CALL_PACK_RTCP:
      call_pack (r, a, call);
      break;
    case PSP_CALL_TAKE_NOTICE:
    case PSP_CALL_NOTICE:
      call_notice (r, a, call);
      break;
    case PSP_CALL_MEDIA_ALLOWED:
    case PSP_CALL_NEXT_TICK:
    case PSP_CALL_STATS:
      call_question (r, a, call);
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
      memcmp (a->out, b->out, a->n_out * sizeof a->out[0]) == 0 &&
      a->n_octets == b->n_octets &&
      memcmp (a->octets, b->octets, a->n_octets) == 0;
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
  if (!psp_call_parse (at, (size_t) (end - at), &r->recorded))
    return PSP_REPLAY_BROKEN;
  return PSP_REPLAY_SAME;
}

PspReplayResult
psp_replay_line (PspReplay * r, const char *line, size_t size)
{
  PspReplayResult result = psp_replay_read (r, line, size);

  return result == PSP_REPLAY_SAME ? psp_replay_call (r) : result;
}
