/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What may leave, and when: the target, the pace of frames, the window.
 */
#include <control/poise/poise-private.h>

static const struct
{
  double reduction_time, drained, most_drain;
  double answer;
  double bucket_gain, ahead, ahead_packets, emptied;
  double drained_gain, marked_gain, mark_memory;
  double start_pace, compete_pace, late, unslowed, slow_span, most_slow;
  double least_pace, most_pace, first_slot;
  double min_hold, jitter_room, others, compete_room, more, least_window;
  double large;
} defaults = {
  .reduction_time = .4,         /* s in which the sender's own queue drains */
  .drained = .5,                /* of h; a shorter queue need not drain */
  .most_drain = .5,             /* of R; largest reduction to drain a queue */
  /* s of sending at R; then the first answer is late. Reports of RFC 8888 have
   * come by then on most paths. rtpbin's reports for WebRTC come after .65 s,
   * in which 2 Mb/s overflow a link of .5 Mb/s. */
  .answer = .25,
  .bucket_gain = .985,          /* over C; the rate that drains the bucket */
  /* Share of h C: the bits of a full bucket, ahead_packets apart. */
  .ahead = .6,
  .ahead_packets = 2,           /* further packets in a full bucket */
  .emptied = 1.5,               /* packets; with fewer the bucket is empty */
  .drained_gain = .95,          /* pace over C until the bucket is empty */
  .marked_gain = .98,           /* pace over C while marks are frequent */
  .mark_memory = 3,             /* s for which a mark is remembered */
  /* Pace over R in the start, so that saturation shows while R is below C. */
  .start_pace = 2,
  .compete_pace = 1.1,          /* pace and window over R while it competes */
  /* s. The newest packet's wait, less this and jitter, slows the pace like a
   * standing wait. */
  .late = .02,
  .unslowed = .004,             /* s; a longer queue slows the pace */
  .slow_span = .15,             /* s of queue; it would slow the pace by C */
  .most_slow = .6,              /* of C; the pace slows by this at most */
  .least_pace = .3,             /* over R; the slowest pace */
  .most_pace = 2.5,             /* over R; the fastest pace */
  /* s. A packet takes this long at most before a round trip is known. */
  .first_slot = .1,
  /* s; the least wait for a report in the window. RFC 8888's reports come each
   * 25 ms. */
  .min_hold = .024,
  .jitter_room = 8,             /* times J less 2 ms, in the window */
  .others = 2,                  /* of h; a longer queue of others is TCP's */
  .compete_room = .03,          /* s for a report, in a competitor's window */
  .more = 2,                    /* packets in the window beyond its bits */
  .least_window = 2,            /* packets; the smallest window */
  .large = 8. * 400,            /* bits of payload; smaller packets may grow */
};

/* Returns R in the start, which is less while the first answer is late. */
static double
starting_rate (const Poise * c)
{
  return c->answer_late ? fmin (c->rate, POISE_START_RATE) : c->rate;
}

/* Returns the rate for the media, which is less while queues drain. Encoders
 * make less of a target that changes, so their target is smoothed while the
 * sender competes. Window and pace are not, and the sender's queue takes the
 * difference. */
static double
media_rate (const Poise * c)
{
  const double *p = c->base.parameters;
  double drains = psp_queueing_standing (&c->queueing)
      - defaults.drained * c->threshold;
  double waits = c->left_over * psp_poise_packet_bits (c) / c->rate;
  double relieved = 1 - fmin (waits / defaults.reduction_time,
      p[BACKLOG_REDUCTION]);

  switch (c->mode) {
    case POISE_START:
      return starting_rate (c);
    case POISE_COMPETE:
      return c->even * relieved;
    default:
      return c->rate * (1 - psp_poise_clamp (drains / p[DRAIN], 0,
              defaults.most_drain)) * relieved;
  }
}

bool
psp_poise_is_marked (const Poise * c)
{
  return c->now - c->marked_at < defaults.mark_memory;
}

bool
psp_poise_is_marked_often (const Poise * c)
{
  return psp_poise_is_scalable (c) && psp_poise_is_marked (c);
}

static double
pace (const Poise * c)
{
  double jitter = c->queueing.jitter, gain;

  if (c->mode == POISE_START)
    return (c->answer_late ? c->base.parameters[GAIN] : defaults.start_pace)
        * starting_rate (c);
  if (c->mode == POISE_COMPETE)
    return defaults.compete_pace * c->rate;
  gain = c->full ? defaults.drained_gain : psp_poise_is_marked_often (c) ?
      defaults.marked_gain : c->base.parameters[GAIN];
  gain -= psp_poise_clamp ((fmax (psp_queueing_standing (&c->queueing),
              c->queueing.newest - defaults.late - 2 * jitter)
          - defaults.unslowed - jitter) / defaults.slow_span,
      0, defaults.most_slow);
  return psp_poise_clamp (gain * c->capacity, defaults.least_pace * c->rate,
      defaults.most_pace * c->rate);
}

static void
publish_pace (const Poise * c, PspDecision * d)
{
  double longest = 1e9 * (c->rtt.smoothed > 0 ? c->base_rtt :
      defaults.first_slot);

  d->period =
      (int64_t) psp_poise_clamp (1e9 * psp_poise_packet_bits (c) / pace (c), 1,
      longest);
  d->longest_slot = (int64_t) longest;
}

/* Returns the bits that wait among TCP's. There R is what gives way; a window
 * that did not hold them would take most of what is left. In an outage they may
 * be the sender's own. */
static double
waiting_bits (const Poise * c)
{
  double others = psp_queueing_others (&c->queueing);

  if (c->gone || others < defaults.others * c->threshold)
    return 0;
  return c->rate * others;
}

/* Returns the bits that may be under way: those that leave before a fall of the
 * capacity shows. */
static double
window_bits (const Poise * c)
{
  double time = c->base_rtt + fmax (c->hold, defaults.min_hold)
      + c->base.parameters[SLACK]
      + defaults.jitter_room * (c->queueing.jitter - PSP_QUEUEING_FIRST_JITTER);

  if (c->mode == POISE_COMPETE)
    return defaults.compete_pace * c->rate
        * (c->rtt.smoothed * 1e-9 + defaults.compete_room);
  return fmax (c->capacity, c->rate) * fmax (time, 0)
      * (c->mode == POISE_START ? defaults.start_pace : 1) + waiting_bits (c);
}

/* Publishes the window. It counts bits, because after a calm scene the mean
 * packet is small, but the next packets are not. */
static void
publish_window (const Poise * c, PspDecision * d)
{
  if (c->rtt.smoothed > 0)
    d->window =
        (int64_t) psp_poise_clamp (window_bits (c) / psp_poise_packet_bits (c) +
        defaults.more - psp_flight_excess (&c->flight), defaults.least_window,
        1e6);
}

/* Returns the rate of payload in this rate of IP packets. If less than that
 * has arrived lately, what is left lets small packets grow, each with the
 * headers that it has anyway; only large ones become more. An encoder that is
 * told little makes packets that are all header, and the part that they now
 * have would keep it there. */
static double
payload_rate (const Poise * c, double rate)
{
  double packet = psp_poise_packet_bits (c);
  double headers = packet - psp_controller_mean_bits (&c->base);
  double grown = defaults.large / (defaults.large + headers) * rate;

  return fmax (rate * (1 - headers / packet),
      fmin (rate - c->received.peak * headers / packet, grown));
}

void
psp_poise_publish (Poise * c, PspDecision * d)
{
  int64_t old = d->target_bitrate;

  c->threshold = psp_poise_threshold_at (c, c->rate);
  publish_pace (c, d);
  d->target_bitrate = (int64_t) psp_poise_clamp (payload_rate (c,
          media_rate (c)), POISE_MIN_RATE, POISE_MAX_RATE);
  if (d->target_bitrate > old)
    d->reason = PSP_REASON_INCREASE;
  else if (d->target_bitrate < old && c->decreased_at < c->now)
    d->reason = PSP_REASON_DELAY;
  publish_window (c, d);
}

/* Counts the packets of earlier frames. A frame that has just come waits in any
 * case; what waited before it is a queue of the sender's own. */
static void
follow_backlog (Poise * c, unsigned backlog)
{
  if (backlog >= c->backlog)
    c->left_over = c->backlog;
  c->backlog = backlog;
  c->left_over = c->left_over < backlog ? c->left_over : backlog;
}

/* Counts how far a frame is ahead of the capacity. It leaves faster than the
 * capacity until that fills a part of the threshold, so that it does not pass
 * for contention. */
static void
fill_bucket (Poise * c, double now, double bits)
{
  double packet = psp_poise_packet_bits (c);

  c->bucket -= defaults.bucket_gain * c->capacity * (now - c->bucket_at);
  c->bucket = fmax (c->bucket, 0) + bits;
  c->bucket_at = now;
  if (c->bucket > defaults.ahead * c->threshold * c->capacity
      + defaults.ahead_packets * packet)
    c->full = true;
  else if (c->bucket < defaults.emptied * packet)
    c->full = false;
}

/* Counts what left without an answer. Returns true if the first answer is late
 * from now on. */
static bool
miss_answer (Poise * c, double bits)
{
  if (c->answer_late || c->rate <= POISE_START_RATE)
    return false;
  c->sent_unanswered += bits;
  c->answer_late = c->sent_unanswered > defaults.answer * c->rate;
  return c->answer_late;
}

void
psp_poise_on_sent (PspController * base, const PspSent * sent, PspDecision * d)
{
  Poise *c = (Poise *) base;
  double now = (double) sent->now * 1e-9;
  double bits = 8.0 * sent->size + POISE_HEADERS;

  follow_backlog (c, sent->backlog);
  c->next_index = sent->index + 1;
  psp_flight_sent (&c->flight, sent, base->mean_size);
  fill_bucket (c, now, bits);
  if (miss_answer (c, bits)) {
    psp_poise_publish (c, d);
    d->reason = PSP_REASON_TIMEOUT;
    return;
  }
  publish_pace (c, d);
  publish_window (c, d);
}
