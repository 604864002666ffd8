/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Octets as the life of a sender: packets, RTCP true and false, time that
 * passes, limits and controllers that change. Whatever comes, max_bitrate
 * holds, packets in flight are counted right, and a tick always gets
 * somewhere.
 */
#include <control/sender.h>
#include <rtpfeedback/rtcp.h>
#include <rtpfeedback/rtcpfeedback.h>

#include <stdlib.h>

#define MAX_BITRATE 4000000
#define MAX_PAYLOAD 1500
/* A loss may close the window, a probe opens it, and then the link is silent and
 * stopped: all at once where the caller has not sent what it could. */
#define MAX_TICKS 4
#define NAMED_LATER 0x1e
/* Series from here on go to a receiver that says only what describe does. */
#define OTHERS 0x1c

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

typedef struct
{
  PspSender *s;
  PspRtcpFeedback feedback;
  PspReader *reader;
  int64_t now;
  uint16_t seqs[256];           /* next, by SSRC */
  uint32_t newest_ssrc;
  uint16_t wide;                /* next transport-wide number */
  /* A bucket that leaks at max_bitrate holds one packet, and what a pacer may
   * catch up, at most. */
  int64_t filled_at;
  double level;                 /* bits */
  int64_t min_bitrate;
} Life;

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

static void
fill (Life * life, uint32_t payload)
{
  double leaked = (double) (life->now - life->filled_at) / PSP_SECOND
      * MAX_BITRATE;

  life->level = life->level > leaked ? life->level - leaked : 0;
  life->level += 8.0 * payload;
  life->filled_at = life->now;
  check (life->level <= 8.0 * 2 * MAX_PAYLOAD
      + (double) PSP_PACER_MAX_DEBT / PSP_SECOND * MAX_BITRATE + 1);
}

static void
packet (Life * life)
{
  PspPacket sent = { 0 };
  uint8_t ssrc = psp_read_u8 (life->reader);
  uint8_t size = psp_read_u8 (life->reader);
  int64_t next_at;
  unsigned n = psp_sender_allowance (life->s, life->now, 4, &next_at);

  check (n <= 4);
  check (n > 0 ? next_at == life->now : next_at > life->now);
  if (n == 0) {
    psp_sender_wait (life->s);
    return;
  }
  /* One series gets its names later. */
  sent.has_key = (ssrc & 0x1f) != NAMED_LATER;
  sent.key.series = ssrc & 0x1f;
  if ((ssrc & 0xe0) == 0xe0)
    life->seqs[sent.key.series] = psp_read_u16 (life->reader);
  if ((ssrc & 0xe0) == 0xc0)
    life->seqs[sent.key.series]++;
  sent.receiver = sent.key.series >= OTHERS;
  sent.key.number = life->seqs[sent.key.series]++;
  sent.payload_size = size * MAX_PAYLOAD / 255;
  sent.size = sent.payload_size + 12;
  fill (life, sent.payload_size);
  life->newest_ssrc = sent.key.series;
  psp_twcc_feedback_sent (&life->feedback.twcc, life->wide++, &sent.key);
  psp_sender_sent (life->s, &sent, life->now, (ssrc & 0x20) != 0);
  if (!(size & 1))
    psp_sender_make_room (life->s, life->now);
}

/* Within the limits, but where nothing may be said or sent. */
static void
check_target (const Life * life, int64_t target)
{
  PspSenderStats stats;

  psp_sender_stats (life->s, life->now, &stats);
  check (target <= MAX_BITRATE);
  check (target >= life->min_bitrate || target == PSP_BITRATE_UNKNOWN
      || (target == 0 && stats.link == PSP_LINK_STOPPED));
}

static void
tick (Life * life)
{
  PspNotice notice;
  unsigned n = 0;

  while (psp_sender_next_tick (life->s, life->now) <= life->now) {
    psp_sender_tick (life->s, life->now);
    check (++n <= MAX_TICKS);
  }
  if (psp_sender_take_notice (life->s, life->now, &notice)) {
    check_target (life, notice.target_bitrate);
    check (!psp_sender_take_notice (life->s, life->now, &notice));
  }
}

/* Time passes as for an element: no tick is missed. */
static void
pass (Life * life, int64_t time)
{
  int64_t until = life->now + time, next;

  tick (life);
  while ((next = psp_sender_next_tick (life->s, life->now)) <= until) {
    check (next > life->now);
    life->now = next;
    tick (life);
  }
  life->now = until;
  tick (life);
}

static void
rtcp (Life * life, const uint8_t * data, size_t size)
{
  PspReported reported;
  bool bye;

  psp_rtcp_feedback_reported (&life->feedback, life->s, data, size, &reported);
  check ((reported.newest == PSP_TIME_UNKNOWN) ==
      (reported.oldest == PSP_TIME_NEVER));
  psp_rtcp_feedback_receive (&life->feedback, life->s, data, size, life->now,
      &bye);
}

static void
raw_rtcp (Life * life)
{
  size_t size = psp_read_u8 (life->reader);
  const uint8_t *data;

  if (size > life->reader->left)
    size = life->reader->left;
  data = psp_read_bytes (life->reader, size);
  if (data)
    rtcp (life, data, size);
}

/* Packets that left without a key get one. */
static void
name_packet (Life * life)
{
  PspKey key = { NAMED_LATER, psp_read_u8 (life->reader) };
  uint16_t index = psp_read_u16 (life->reader);

  psp_sender_bind (life->s, index, &key);
}

/* Acknowledgements of such packets say which they are of. */
static void
describe (Life * life)
{
  PspAcknowledgement acknowledgements[8];
  PspFeedback feedback = { acknowledgements, 0, PSP_TIME_UNKNOWN, 1 };
  uint8_t number = psp_read_u8 (life->reader);

  for (; feedback.n < 8; feedback.n++) {
    PspAcknowledgement *a = &acknowledgements[feedback.n];
    uint8_t how = psp_read_u8 (life->reader);

    a->key.series = NAMED_LATER;
    a->key.number = (uint16_t) (number + feedback.n);
    a->received = how & 1;
    a->untold = how == 0;
    a->ecn = how >> 1 & 3;
    a->sent_at = life->now - (how >> 3) * PSP_MSECOND;
    a->arrived_at = a->received ? a->sent_at + 7 * PSP_SECOND :
        PSP_TIME_UNKNOWN;
    a->size = psp_read_u8 (life->reader) * MAX_PAYLOAD / 255 + 12;
  }
  psp_sender_acknowledge (life->s, &feedback, life->now);
}

/* Well-formed feedback about the last packets of a stream; what it says of
 * them is the fuzzer's choice. */
static void
report (Life * life)
{
  uint8_t data[600];
  PspWriter w = psp_writer (data, sizeof data);
  PspCcfbPacker packer;
  PspCcfbMetric metric;
  uint8_t ssrc = psp_read_u8 (life->reader);
  uint8_t n = psp_read_u8 (life->reader);
  uint8_t received = psp_read_u8 (life->reader);
  uint8_t how = psp_read_u8 (life->reader);
  uint8_t ahead = ssrc >> 5;    /* 7: claims what was never sent */

  psp_ccfb_begin (&packer, &w, 1);
  psp_ccfb_stream (&packer, ssrc & 0x1f,
      (uint16_t) (life->seqs[ssrc & 0x1f] - n + (ahead == 7)));
  for (unsigned i = 0; i < n; i++) {
    metric.received = received >> i % 8 & 1;
    metric.ecn = how & 3;
    metric.offset = how >> 2 == 63 ? PSP_TIME_UNKNOWN :
        (int64_t) (how >> 2) * 10 * PSP_MSECOND;
    psp_ccfb_add_metric (&packer, &metric);
  }
  psp_ccfb_end (&packer, (uint32_t) (life->now / (PSP_SECOND >> 16)));
  check (!w.error);
  rtcp (life, data, w.size);
}

/* The same by transport-wide numbers; what is said of each is a chunk. */
static void
report_wide (Life * life)
{
  uint8_t data[256];
  PspWriter w = psp_writer (data, sizeof data);
  uint8_t back = psp_read_u8 (life->reader);
  uint8_t n = psp_read_u8 (life->reader);
  uint16_t reference = psp_read_u16 (life->reader);
  unsigned chunks = psp_read_u8 (life->reader) % 16, deltas;

  psp_write_u32 (&w, 0x80000000 | PSP_TWCC_FMT << 24 | PSP_RTCP_RTPFB << 16);
  psp_write_u32 (&w, 1);
  psp_write_u32 (&w, life->newest_ssrc);
  psp_write_u16 (&w, (uint16_t) (life->wide - back));
  psp_write_u16 (&w, n);
  psp_write_u32 (&w, (uint32_t) (life->now / (64 * PSP_MSECOND)
          + (int16_t) reference) << 8 | (back & 3));   /* and the count */
  while (chunks-- > 0)
    psp_write_u16 (&w, psp_read_u16 (life->reader));
  for (deltas = psp_read_u8 (life->reader) % 128; deltas > 0; deltas--)
    psp_write_u8 (&w, psp_read_u8 (life->reader));
  while (w.size % 4)
    psp_write_u8 (&w, 0);
  check (!w.error);
  data[3] = (uint8_t) (w.size / 4 - 1);
  rtcp (life, data, w.size);
}

/* A period of "fixed" and rates of "media-scaling", beyond max_bitrate too; of
 * 0, none and the paper's. */
static void
set_rates (const PspControllerClass * klass, double *parameters, unsigned n)
{
  unsigned i;

  if (klass == &psp_cc_fixed)
    parameters[0] = n * PSP_MSECOND / 8;
  else
    for (i = 0; i < psp_parameter_count (klass->parameters); i++)
      parameters[i] = n * (i + 1) * 30000;
}

static void
change (Life * life)
{
  const PspControllerClass *const *all = psp_controller_list ();
  uint8_t what = psp_read_u8 (life->reader);
  PspLimits limits = {.max_bitrate = MAX_BITRATE };
  double parameters[PSP_MAX_PARAMETERS];
  unsigned n = 0;

  while (all[n])
    n++;
  set_rates (what & 3 ? psp_sender_controller (life->s) : all[what / 4 % n],
      parameters, what >> 2);
  switch (what & 3) {
    case 0:
      check (psp_sender_set_controller (life->s, all[what / 4 % n],
              parameters, what & 4 ?
              psp_sender_bitrate_in_use (life->s, life->now) : 0, life->now));
      break;
    case 1:
      limits.min_bitrate = (what >> 2) * 1000;
      limits.start_bitrate = (what >> 4) * 100000;
      limits.unproved_bitrate = (what >> 3) * 50000;
      life->min_bitrate = limits.min_bitrate;
      psp_sender_set_limits (life->s, &limits, life->now);
      psp_sender_set_parameters (life->s, parameters, life->now);
      break;
    case 2:
      psp_sender_set_pairs (life->s, (what & 4) != 0);
      psp_sender_set_ecn (life->s, (PspEcn) ((what >> 4) % 3), life->now);
      psp_sender_set_reserved (life->s, (int64_t) (what >> 3) * 10000,
          life->now);
      if (what & 8)
        psp_sender_resume (life->s, life->now);
      break;
    default:
      if (what & 4)
        psp_sender_forget_receiver (life->s, what >> 3 & 1, life->now);
      else
        psp_sender_reset (life->s, life->now);
  }
}

static void
step (Life * life)
{
  uint8_t op = psp_read_u8 (life->reader);
  PspSenderStats stats;

  switch (op & 7) {
    case 0:
    case 1:
      for (unsigned n = op >> 3; n > 0 && life->reader->left > 0; n--)
        packet (life);
      break;
    case 2:
      report (life);
      break;
    case 3:
      if (op >> 3 == 31)
        name_packet (life);
      else if (op >> 3 == 30)
        describe (life);
      else if (op >> 3 == 29)
        report_wide (life);
      else
        raw_rtcp (life);
      break;
    case 4:
      pass (life, (int64_t) (op >> 3) * PSP_MSECOND);
      break;
    case 5:
      pass (life, (int64_t) psp_read_u16 (life->reader) * PSP_USECOND);
      break;
    case 6:
      pass (life, (int64_t) psp_read_u16 (life->reader) * PSP_MSECOND);
      break;
    default:
      change (life);
  }
  psp_sender_stats (life->s, life->now, &stats);
  check (stats.in_flight >= 0 && stats.in_flight <= PSP_HISTORY_CAPACITY);
  check (stats.packets_acked + stats.packets_lost
      <= 2 * stats.packets_sent + stats.packets_recovered);
  check (stats.packets_recovered <= stats.packets_lost);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  const PspControllerClass *const *all = psp_controller_list ();
  PspReader reader = psp_reader (data, size);
  uint8_t first = psp_read_u8 (&reader);
  PspSenderConfig config = {.limits = {.max_bitrate = MAX_BITRATE} };
  double parameters[PSP_MAX_PARAMETERS];
  Life life = { 0 };
  unsigned n = 0;

  while (all[n])
    n++;
  config.controller = all[first % n];
  set_rates (config.controller, parameters, first);
  config.parameters = parameters;
  life.s = psp_sender_new (&config, 0);
  life.reader = &reader;
  check (life.s && psp_rtcp_feedback_init (&life.feedback, 1500)
      && psp_twcc_feedback_open (&life.feedback.twcc));
  while (reader.left > 0)
    step (&life);
  psp_sender_free (life.s);
  psp_rtcp_feedback_clear (&life.feedback);
  return 0;
}
