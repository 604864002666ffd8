/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/call.h>

#include <string.h>

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

void
psp_call_in_limits (PspCall * call, const PspLimits * limits)
{
  psp_call_in (call, limits->min_bitrate);
  psp_call_in (call, limits->max_bitrate);
  psp_call_in (call, limits->start_bitrate);
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
psp_call_in_packet (PspCall * call, const PspPacket * packet)
{
  psp_call_in (call, packet->size);
  psp_call_in (call, packet->payload_size);
  psp_call_in (call, packet->has_key);
  psp_call_in (call, packet->has_key ? packet->key.series : 0);
  psp_call_in (call, packet->has_key ? packet->key.number : 0);
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
