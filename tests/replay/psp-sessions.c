/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * psp-sessions LOG: puts a session of sessions/ to a fresh sender and its RTCP,
 * and counts the answers that are other ones. 0: all are the same; 1: not; 2: a
 * line is no such call (oldcall.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <control/call.h>
#include <rtpfeedback/rtcpfeedback.h>
#include <rtpfeedback/senderreports.h>

#include "oldcall.h"

/* Bytes of an SR without blocks. */
#define SR_SIZE 28
/* Place of the loss among the numbers of a notice, and of stats. */
#define LOSS_OF_NOTICE 4
#define LOSS_OF_STATS 15

static PspSender *sender;
static PspSenderReports reports;
static PspRtcpFeedback feedback;
static int64_t ticked_at;
static OldCall old;             /* the line at hand */
/* What is answered now. */
static PspCall now_out;
static bool same_octets;

static int64_t
bits_of (double number)
{
  int64_t bits;

  memcpy (&bits, &number, sizeof bits);
  return bits;
}

/* Returns the bits of a loss. A loss that was revoked a round trip later stayed in
 * it when the sessions were recorded. */
static int64_t
loss_bits (double loss, int64_t recorded)
{
  PspSenderStats s;
  double before;

  psp_sender_stats (sender, 0, &s);
  memcpy (&before, &recorded, sizeof before);
  return s.packets_recovered > 0 && loss < before ? recorded : bits_of (loss);
}

static int64_t
next_tick (int64_t now)
{
  int64_t tick = psp_sender_next_tick (sender, now);

  return MIN (tick, psp_sender_reports_next (&reports, ticked_at));
}

static void
answer_state (int64_t now)
{
  psp_call_out_state (&now_out, sender, now);
  now_out.out[now_out.n_out - 1] = next_tick (now);
}

/* The smallest round trip was of the whole session. */
static void
answer_stats (int64_t now)
{
  PspSenderStats s;

  psp_sender_stats (sender, now, &s);
  {
    const int64_t all[] = { (int64_t) s.packets_sent, (int64_t) s.bytes_sent,
      (int64_t) s.payload_bytes_sent, (int64_t) s.packets_acked,
      (int64_t) s.packets_lost, (int64_t) s.packets_recovered,
      (int64_t) s.packets_ce, (int64_t) s.feedback_received,
      (int64_t) feedback.bytes, (int64_t) feedback.malformed,
      (int64_t) s.feedback_unknown_series, (int64_t) s.feedback_never_sent,
      s.rtt, MIN (s.rtt_min, old.out[13]), s.rtt_var, loss_bits (s.loss, old.out[LOSS_OF_STATS]),
      s.in_flight, s.period,
      s.window, s.target_bitrate, s.delivered_bitrate, s.link,
      bits_of (s.gap_mean), bits_of (s.gap_deviation), s.gap_p99
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
      psp_call_out (&now_out, all[i]);
  }
}

/* A controller that is chosen later needs the limits once more. */
static int64_t limits_in[9];

static void
call_new (void)
{
  double parameters[PSP_MAX_PARAMETERS];
  PspSenderConfig config =
      { old.klass, parameters, old_call_limits (&old, old.klass, parameters),
    old.in[9] != 0, NULL
  };

  old.octets[old.n_octets] = '\0';
  memcpy (limits_in, old.in, sizeof limits_in);
  sender = psp_sender_new (&config, old.in[11]);
  psp_sender_reports_init (&reports, (char *) old.octets,
      (uint32_t) old.in[10]);
  ticked_at = old.in[11];
  answer_state (old.in[11]);
}

static void
call_set_limits (void)
{
  const PspControllerClass *c = psp_sender_controller (sender);
  double parameters[PSP_MAX_PARAMETERS];
  PspLimits limits = old_call_limits (&old, c, parameters);

  memcpy (limits_in, old.in, sizeof limits_in);
  psp_sender_set_limits (sender, &limits, old.in[9]);
  psp_sender_set_parameters (sender, parameters, old.in[9]);
  answer_state (old.in[9]);
}

static void
call_set_controller (void)
{
  double parameters[PSP_MAX_PARAMETERS];
  int64_t now = old.in[0];

  memcpy (old.in, limits_in, sizeof limits_in);
  old_call_limits (&old, old.klass, parameters);
  psp_rtcp_feedback_forget (&feedback);
  psp_call_out (&now_out, psp_sender_set_controller (sender, old.klass,
          parameters, limits_in[2], now));
  answer_state (now);
}

static void
call_sent (void)
{
  PspRtpHeader header =
      { (uint32_t) old.in[0], (uint32_t) old.in[1], (uint16_t) old.in[2],
    (uint8_t) old.in[3], old.in[4] != 0, (uint32_t) old.in[5],
    (uint32_t) old.in[6]
  };
  PspPacket packet;

  psp_rtp_packet (&header, &packet);
  psp_sender_reports_sent (&reports, &header, old.in[7], old.in[8]);
  psp_sender_sent (sender, &packet, old.in[8], old.in[9] != 0);
  answer_state (old.in[8]);
  psp_sender_make_room (sender, old.in[8]);
}

static void
call_allowance (void)
{
  int64_t next_at;

  psp_call_out (&now_out, psp_sender_allowance (sender, old.in[0],
          (unsigned) old.in[1], &next_at));
  psp_call_out (&now_out, next_at);
  if (old.in[1] > 0 && next_at > old.in[0])
    psp_sender_wait (sender);
}

static void
call_rtcp (void)
{
  bool bye;

  psp_rtcp_feedback_receive (&feedback, sender, old.octets, old.n_octets,
      old.in[0], &bye);
  psp_call_out (&now_out, bye);
  answer_state (old.in[0]);
}

static void
call_notice (bool take)
{
  PspNotice notice;
  unsigned loss;

  if (take)
    psp_call_out (&now_out, psp_sender_take_notice (sender, old.in[0],
            &notice));
  else
    psp_sender_notice (sender, &notice);
  loss = now_out.n_out + LOSS_OF_NOTICE;
  psp_call_out_notice (&now_out, &notice);
  now_out.out[loss] = loss_bits (notice.loss, old.out[loss]);
}

static size_t
pack_rtcp (uint8_t data[OLD_CALL_OCTETS])
{
  return psp_sender_reports_pack (&reports, old.in[0], (uint64_t) old.in[1],
      old.in[2], old.in[3] != 0, data, (size_t) old.in[4]);
}

/* Each stream has a compound of its own now; the recordings have one of all that
 * were due, SR after SR. */
static void
call_pack_rtcp (void)
{
  uint8_t data[OLD_CALL_OCTETS];
  size_t size = pack_rtcp (data), at = 0;

  same_octets = size == old.n_octets && memcmp (data, old.octets, size) == 0;
  if (same_octets || old.n_octets < 2 * SR_SIZE
      || old.octets[SR_SIZE + 1] != PSP_RTCP_SR)
    return;
  same_octets = true;
  for (; size > 0; size = pack_rtcp (data), at += SR_SIZE)
    same_octets = same_octets && at + SR_SIZE <= old.n_octets
        && memcmp (data, old.octets + at, SR_SIZE) == 0;
  same_octets = same_octets && old.octets[at + 1] != PSP_RTCP_SR;
}

static void
call_reset (void)
{
  psp_rtcp_feedback_forget (&feedback);
  psp_sender_reset (sender, old.in[0]);
  ticked_at = old.in[0];
  answer_state (old.in[0]);
}

static void
call_tick (void)
{
  ticked_at = old.in[0];
  psp_sender_tick (sender, old.in[0]);
  answer_state (old.in[0]);
}

static bool
make (const char *name)
{
#define IS(text) (strcmp (name, text) == 0)
  if (IS ("new"))
    call_new ();
  else if (IS ("set-limits"))
    call_set_limits ();
  else if (IS ("set-controller"))
    call_set_controller ();
  else if (IS ("set-pairs"))
    psp_sender_set_pairs (sender, old.in[0] != 0);
  else if (IS ("set-clock-rate"))
    psp_sender_reports_set_clock_rate (&reports, (uint32_t) old.in[0]);
  else if (IS ("reset"))
    call_reset ();
  else if (IS ("resume"))
    psp_sender_resume (sender, old.in[0]), answer_state (old.in[0]);
  else if (IS ("allowance"))
    call_allowance ();
  else if (IS ("sent"))
    call_sent ();
  else if (IS ("media-allowed"))
    psp_call_out (&now_out, psp_sender_media_allowed (sender, old.in[0]));
  else if (IS ("rtcp"))
    call_rtcp ();
  else if (IS ("next-tick"))
    psp_call_out (&now_out, next_tick (old.in[0]));
  else if (IS ("tick"))
    call_tick ();
  else if (IS ("take-notice") || IS ("notice"))
    call_notice (IS ("take-notice"));
  else if (IS ("pack-rtcp"))
    call_pack_rtcp ();
  else if (IS ("stats"))
    answer_stats (old.in[0]);
  else
    return false;
#undef IS
  return true;
}

int
main (int argc, char **argv)
{
  static char line[4 * OLD_CALL_OCTETS];
  uint64_t number = 0, different = 0;
  FILE *log = argc == 2 ? fopen (argv[1], "r") : NULL;

  if (!log || !psp_rtcp_feedback_init (&feedback, OLD_CALL_OCTETS)) {
    fprintf (stderr, "usage: %s LOG\n", argv[0]);
    return 2;
  }
  while (fgets (line, sizeof line, log)) {
    const char *name = old_call_read (&old, line);

    number++;
    now_out.n_out = 0;
    same_octets = true;
    if (!name || (strcmp (name, "new") != 0 && !sender) || !make (name)) {
      fprintf (stderr, "line %" PRIu64 " is no call\n", number);
      return 2;
    }
    if (!same_octets || now_out.n_out != old.n_out
        || memcmp (now_out.out, old.out, old.n_out * sizeof old.out[0]) != 0) {
      if (different++ < 20)
        printf ("line %" PRIu64 ": %s\n", number, name);
    }
  }
  printf ("%" PRIu64 " calls: %" PRIu64 " answers differ\n", number, different);
  psp_sender_free (sender);
  psp_rtcp_feedback_clear (&feedback);
  fclose (log);
  return different > 0;
}
