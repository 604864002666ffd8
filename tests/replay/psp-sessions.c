/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * psp-sessions LOG: puts a session of sessions/ to a fresh sender and its RTCP,
 * and counts the answers that are other ones. Its lines are calls of a sender
 * that read and wrote RTCP itself: sessions/README.md says why they stay as they
 * are. 0: all are the same; 1: not; 2: a line is no such call.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <control/call.h>
#include <rtpfeedback/rtcpfeedback.h>
#include <rtpfeedback/senderreports.h>

#define MAX_OCTETS 9216
#define N_SCALES 5

static PspSender *sender;
static PspSenderReports reports;
static PspRtcpFeedback feedback;
static int64_t ticked_at;

/* The line at hand: what it asked, what it answered, and octets of either. */
static const PspControllerClass *klass;
static int64_t in[32], out[32];
static unsigned n_in, n_out;
static uint8_t octets[MAX_OCTETS + 1];
static size_t n_octets;
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
      s.rtt, s.rtt_min, s.rtt_var, bits_of (s.loss), s.in_flight, s.period,
      s.window, s.target_bitrate, s.delivered_bitrate, s.link,
      bits_of (s.gap_mean), bits_of (s.gap_deviation), s.gap_p99
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
      psp_call_out (&now_out, all[i]);
  }
}

/* The limits of old had two controllers' parameters at their end. */
static PspLimits
take_limits (const PspControllerClass * c, double *parameters)
{
  PspLimits l = { in[0], in[1], in[2] };

  psp_parameter_defaults (c->parameters, parameters);
  if (strcmp (c->name, "fixed") == 0)
    parameters[0] = (double) in[3];
  for (int i = 0; strcmp (c->name, "media-scaling") == 0 && i < N_SCALES; i++)
    parameters[i] = (double) in[4 + i];
  return l;
}

/* A controller that is chosen later needs the limits once more. */
static int64_t limits_in[9];

static void
call_new (void)
{
  double parameters[PSP_MAX_PARAMETERS];
  PspSenderConfig config = { klass, parameters, take_limits (klass, parameters),
    in[9] != 0, NULL
  };

  octets[n_octets] = '\0';
  memcpy (limits_in, in, sizeof limits_in);
  sender = psp_sender_new (&config, in[11]);
  psp_sender_reports_init (&reports, (char *) octets, (uint32_t) in[10]);
  ticked_at = in[11];
  answer_state (in[11]);
}

static void
call_set_limits (void)
{
  const PspControllerClass *c = psp_sender_controller (sender);
  double parameters[PSP_MAX_PARAMETERS];
  PspLimits limits = take_limits (c, parameters);

  memcpy (limits_in, in, sizeof limits_in);
  psp_sender_set_limits (sender, &limits, in[9]);
  psp_sender_set_parameters (sender, parameters, in[9]);
  answer_state (in[9]);
}

static void
call_set_controller (void)
{
  double parameters[PSP_MAX_PARAMETERS];
  int64_t now = in[0];

  memcpy (in, limits_in, sizeof limits_in);
  take_limits (klass, parameters);
  psp_rtcp_feedback_forget (&feedback);
  psp_call_out (&now_out, psp_sender_set_controller (sender, klass, parameters,
          now));
  answer_state (now);
}

static void
call_sent (void)
{
  PspRtpHeader header = { (uint32_t) in[0], (uint32_t) in[1], (uint16_t) in[2],
    (uint8_t) in[3], in[4] != 0, (uint32_t) in[5], (uint32_t) in[6]
  };
  PspPacket packet;

  psp_rtp_packet (&header, &packet);
  psp_sender_reports_sent (&reports, &header, in[7], in[8]);
  psp_sender_sent (sender, &packet, in[8], in[9] != 0);
  answer_state (in[8]);
  psp_sender_make_room (sender, in[8]);
}

static void
call_allowance (void)
{
  int64_t next_at;

  psp_call_out (&now_out, psp_sender_allowance (sender, in[0],
          (unsigned) in[1], &next_at));
  psp_call_out (&now_out, next_at);
  if (in[1] > 0 && next_at > in[0])
    psp_sender_wait (sender);
}

static void
call_rtcp (void)
{
  bool bye;

  psp_rtcp_feedback_receive (&feedback, sender, octets, n_octets, in[0], &bye);
  psp_call_out (&now_out, bye);
  answer_state (in[0]);
}

static void
call_notice (bool take)
{
  PspNotice notice;

  if (take)
    psp_call_out (&now_out, psp_sender_take_notice (sender, in[0], &notice));
  else
    psp_sender_notice (sender, &notice);
  psp_call_out_notice (&now_out, &notice);
}

static void
call_pack_rtcp (void)
{
  uint8_t data[MAX_OCTETS];
  size_t size = psp_sender_reports_pack (&reports, in[0], (uint64_t) in[1],
      in[2], in[3] != 0, data, (size_t) in[4]);

  same_octets = size == n_octets && memcmp (data, octets, size) == 0;
}

static void
call_reset (void)
{
  psp_rtcp_feedback_forget (&feedback);
  psp_sender_reset (sender, in[0]);
  ticked_at = in[0];
  answer_state (in[0]);
}

static void
call_tick (void)
{
  ticked_at = in[0];
  psp_sender_tick (sender, in[0]);
  answer_state (in[0]);
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
    psp_sender_set_pairs (sender, in[0] != 0);
  else if (IS ("set-clock-rate"))
    psp_sender_reports_set_clock_rate (&reports, (uint32_t) in[0]);
  else if (IS ("reset"))
    call_reset ();
  else if (IS ("resume"))
    psp_sender_resume (sender, in[0]), answer_state (in[0]);
  else if (IS ("allowance"))
    call_allowance ();
  else if (IS ("sent"))
    call_sent ();
  else if (IS ("media-allowed"))
    psp_call_out (&now_out, psp_sender_media_allowed (sender, in[0]));
  else if (IS ("rtcp"))
    call_rtcp ();
  else if (IS ("next-tick"))
    psp_call_out (&now_out, next_tick (in[0]));
  else if (IS ("tick"))
    call_tick ();
  else if (IS ("take-notice") || IS ("notice"))
    call_notice (IS ("take-notice"));
  else if (IS ("pack-rtcp"))
    call_pack_rtcp ();
  else if (IS ("stats"))
    answer_stats (in[0]);
  else
    return false;
#undef IS
  return true;
}

static void
take_octets (const char *word)
{
  unsigned octet;

  for (n_octets = 0; n_octets < MAX_OCTETS
      && sscanf (word + 2 * n_octets, "%2x", &octet) == 1;)
    octets[n_octets++] = (uint8_t) octet;
}

/* psp-call SESSION NAME [controller] argument… [octets] = answer… [octets].
 * Octets come last on their side, in three kinds of lines. */
static char *
parse (char *line)
{
  bool answered = false;
  char *name, *word;

  if (!strtok (line, " \n") || !strtok (NULL, " \n"))
    return NULL;
  name = strtok (NULL, " \n");
  n_in = n_out = 0;
  n_octets = 0;
  while (name && (word = strtok (NULL, " \n"))) {
    unsigned *n = answered ? &n_out : &n_in;
    bool has_octets = (strcmp (name, "new") == 0 && n_in == 12)
        || (strcmp (name, "rtcp") == 0 && n_in == 1)
        || (strcmp (name, "pack-rtcp") == 0 && answered);

    if (strcmp (word, "=") == 0)
      answered = true;
    else if (n_in == 0 && !answered && psp_controller_find (word))
      klass = psp_controller_find (word);
    else if (has_octets && !(answered && strcmp (name, "pack-rtcp") != 0))
      take_octets (word);
    else if (*n < 32)
      (answered ? out : in)[(*n)++] = strtoll (word, NULL, 10);
  }
  return name;
}

int
main (int argc, char **argv)
{
  static char line[4 * MAX_OCTETS];
  uint64_t number = 0, different = 0;
  FILE *log = argc == 2 ? fopen (argv[1], "r") : NULL;

  if (!log || !psp_rtcp_feedback_init (&feedback, MAX_OCTETS)) {
    fprintf (stderr, "usage: %s LOG\n", argv[0]);
    return 2;
  }
  while (fgets (line, sizeof line, log)) {
    const char *name = parse (line);

    number++;
    now_out.n_out = 0;
    same_octets = true;
    if (!name || (strcmp (name, "new") != 0 && !sender) || !make (name)) {
      fprintf (stderr, "line %" PRIu64 " is no call\n", number);
      return 2;
    }
    if (!same_octets || now_out.n_out != n_out
        || memcmp (now_out.out, out, n_out * sizeof out[0]) != 0) {
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
