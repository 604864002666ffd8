/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/call.h>

#include <string.h>

#define DIGITS 20               /* digits of an int64_t with its sign */

void
psp_call_begin (PspCall * call, PspCallKind kind)
{
  call->kind = kind;
  call->controller = NULL;
  call->n_in = call->n_out = 0;
  call->acknowledgements = NULL;
  call->n_acknowledgements = 0;
}

void
psp_call_in (PspCall * call, int64_t argument)
{
  if (call->n_in < PSP_CALL_NUMBERS)
    call->in[call->n_in++] = argument;
}

static int64_t
bits_of (double number)
{
  int64_t bits;

  memcpy (&bits, &number, sizeof bits);
  return bits;
}

void
psp_call_in_parameters (PspCall * call, const PspControllerClass * klass,
    const double *parameters)
{
  unsigned n = psp_parameter_count (klass->parameters), i;

  for (i = 0; i < n; i++)
    psp_call_in (call, bits_of (parameters[i]));
}

void
psp_call_out (PspCall * call, int64_t answer)
{
  if (call->n_out < PSP_CALL_NUMBERS)
    call->out[call->n_out++] = answer;
}

void
psp_call_out_notice (PspCall * call, const PspNotice * notice)
{
  psp_call_out (call, notice->reason);
  psp_call_out (call, notice->target_bitrate);
  psp_call_out (call, notice->scale);
  psp_call_out (call, notice->rtt);
  psp_call_out (call, bits_of (notice->loss));
  psp_call_out (call, notice->spacing);
}

void
psp_call_out_state (PspCall * call, const PspSender * s, int64_t now)
{
  PspSenderStats stats;

  psp_sender_stats (s, now, &stats);
  psp_call_out (call, stats.period);
  psp_call_out (call, stats.window);
  psp_call_out (call, stats.target_bitrate);
  psp_call_out (call, stats.in_flight);
  psp_call_out (call, (int64_t) stats.packets_lost);
  psp_call_out (call, stats.rtt);
  psp_call_out (call, stats.link);
  psp_call_out (call, psp_sender_next_tick (s, now));
}

/* Text */

static const char *const names[PSP_N_CALLS] = {
  [PSP_CALL_NEW] = "new",
  [PSP_CALL_SET_CONTROLLER] = "set-controller",
  [PSP_CALL_SET_LIMITS] = "set-limits",
  [PSP_CALL_SET_PARAMETERS] = "set-parameters",
  [PSP_CALL_SET_PAIRS] = "set-pairs",
  [PSP_CALL_SET_ECN] = "set-ecn",
  [PSP_CALL_SET_RESERVED] = "set-reserved",
  [PSP_CALL_SET_TIMING] = "set-timing",
  [PSP_CALL_RESET] = "reset",
  [PSP_CALL_RESUME] = "resume",
  [PSP_CALL_ALLOWANCE] = "allowance",
  [PSP_CALL_WAIT] = "wait",
  [PSP_CALL_SENT] = "sent",
  [PSP_CALL_BIND] = "bind",
  [PSP_CALL_ACKNOWLEDGE] = "acknowledge",
  [PSP_CALL_TICK] = "tick",
  [PSP_CALL_TAKE_NOTICE] = "take-notice"
};

const char *
psp_call_name (PspCallKind kind)
{
  return names[kind];
}

typedef struct
{
  char *at;
  size_t left;
  bool error;
} Writer;

static void
put (Writer * w, const char *text, size_t size)
{
  if (w->error || w->left < size) {
    w->error = true;
    return;
  }
  memcpy (w->at, text, size);
  w->at += size;
  w->left -= size;
}

static void
put_text (Writer * w, const char *text)
{
  put (w, text, strlen (text));
}

static void
put_number (Writer * w, char before, int64_t number)
{
  uint64_t rest = number < 0 ? 0 - (uint64_t) number : (uint64_t) number;
  char text[1 + DIGITS];
  size_t at = sizeof text;

  do {
    text[--at] = (char) ('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (number < 0)
    text[--at] = '-';
  text[--at] = before;
  put (w, text + at, sizeof text - at);
}

static void
put_acknowledgement (Writer * w, const PspAcknowledgement * a)
{
  put_number (w, ' ', a->key.series);
  put_number (w, ':', a->key.number);
  put_number (w, ':', a->received + 2 * a->untold);
  put_number (w, ':', a->ecn);
  put_number (w, ':', a->arrived_at);
  if (a->sent_at == PSP_TIME_UNKNOWN)
    return;
  put_number (w, ':', a->sent_at);
  put_number (w, ':', a->size);
}

size_t
psp_call_format (const PspCall * call, char *line, size_t capacity)
{
  Writer w = { line, capacity, false };

  put_text (&w, names[call->kind]);
  if (call->controller) {
    put_text (&w, " ");
    put_text (&w, call->controller->name);
  }
  for (unsigned i = 0; i < call->n_in; i++)
    put_number (&w, ' ', call->in[i]);
  for (size_t i = 0; i < call->n_acknowledgements; i++)
    put_acknowledgement (&w, &call->acknowledgements[i]);
  put_text (&w, " =");
  for (unsigned i = 0; i < call->n_out; i++)
    put_number (&w, ' ', call->out[i]);
  return w.error ? 0 : capacity - w.left;
}
