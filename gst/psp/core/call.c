/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "call.h"

#include <string.h>

void
psp_call_begin (PspCall * call, PspCallKind kind)
{
  call->kind = kind;
  call->controller = NULL;
  call->n_in = call->n_out = 0;
  call->n_octets = 0;
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
  psp_call_in (call, limits->fixed_period);
  for (unsigned i = 0; i < PSP_SCALES; i++)
    psp_call_in (call, limits->scale_bitrates[i]);
}

void
psp_call_in_header (PspCall * call, const PspRtpHeader * header)
{
  psp_call_in (call, header->ssrc);
  psp_call_in (call, header->timestamp);
  psp_call_in (call, header->seq);
  psp_call_in (call, header->payload_type);
  psp_call_in (call, header->marker);
  psp_call_in (call, header->size);
  psp_call_in (call, header->payload_size);
}

void
psp_call_octets (PspCall * call, const void *data, size_t size)
{
  call->n_octets = size < PSP_CALL_OCTETS ? size : PSP_CALL_OCTETS;
  if (call->n_octets > 0)
    memcpy (call->octets, data, call->n_octets);
}

void
psp_call_out (PspCall * call, int64_t answer)
{
  if (call->n_out < PSP_CALL_NUMBERS)
    call->out[call->n_out++] = answer;
}

/* All its bits, so that equal is equal. */
static void
out_double (PspCall * call, double answer)
{
  int64_t bits;

  memcpy (&bits, &answer, sizeof bits);
  psp_call_out (call, bits);
}

void
psp_call_out_notice (PspCall * call, const PspNotice * notice)
{
  psp_call_out (call, notice->reason);
  psp_call_out (call, notice->target_bitrate);
  psp_call_out (call, notice->scale);
  psp_call_out (call, notice->rtt);
  out_double (call, notice->loss);
  psp_call_out (call, notice->spacing);
}

void
psp_call_out_stats (PspCall * call, const PspSenderStats * stats)
{
  const uint64_t counts[] = {
    stats->packets_sent, stats->bytes_sent, stats->payload_bytes_sent,
    stats->packets_acked, stats->packets_lost, stats->packets_recovered,
    stats->packets_ce, stats->feedback_received, stats->feedback_bytes,
    stats->feedback_malformed, stats->feedback_unknown_ssrc,
    stats->feedback_never_sent
  };

  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
    psp_call_out (call, (int64_t) counts[i]);
  psp_call_out (call, stats->rtt);
  psp_call_out (call, stats->rtt_min);
  psp_call_out (call, stats->rtt_var);
  out_double (call, stats->loss);
  psp_call_out (call, stats->in_flight);
  psp_call_out (call, stats->period);
  psp_call_out (call, stats->window);
  psp_call_out (call, stats->target_bitrate);
  psp_call_out (call, stats->delivered_bitrate);
  psp_call_out (call, stats->link);
  out_double (call, stats->gap_mean);
  out_double (call, stats->gap_deviation);
  psp_call_out (call, stats->gap_p99);
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
