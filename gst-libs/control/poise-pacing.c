/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What may leave when: the target, the pace of frames, the window.
 */
#include <control/poise-private.h>

static const struct
{
  double reduction_time, drained, most_drain;
  double answer;
  double bucket_gain, ahead, ahead_packets, emptied;
  double drained_gain, marked_gain, mark_memory;
  double start_pace, compete_pace, late, unslowed, slow_span, most_slow;
  double least_pace, most_pace, first_slot;
  double min_hold, jitter_room, compete_room, more, least_window;
} defaults = {
  .reduction_time = .4,            /* s in which the sender's own queue drains */
  .drained = .5,                /* of h; a queue that need not drain */
  .most_drain = .5,             /* of the target, while a queue drains */
  /* s at R. Reports of RFC 8888 have come by then on most paths; rtpbin's of
   * WebRTC come after .65 s, in which 2 Mb/s overflow a link of .5. */
  .answer = .25,
  /* The bucket of frames drains at .bucket_gain C. It is full with .ahead h C
   * bits and .ahead_packets, and empty with less than .emptied packets. */
  .bucket_gain = .985,
  .ahead = .6,
  .ahead_packets = 2,
  .emptied = 1.5,
  .drained_gain = .95,          /* pace over C until the bucket is empty */
  .marked_gain = .98,           /* the same while marks are frequent */
  .mark_memory = 3,             /* s */
  .start_pace = 2,              /* over R, so that saturation shows before */
  .compete_pace = 1.1,          /* over R; the window's, too */
  /* With a queue beyond .unslowed s, or a wait beyond that and .late s, the pace
   * falls by C in .slow_span s of it, by .most_slow at most. */
  .late = .02,
  .unslowed = .004,
  .slow_span = .15,
  .most_slow = .6,
  .least_pace = .3,             /* of R */
  .most_pace = 2.5,
  .first_slot = .1,             /* s that a packet takes at most, at first */
  .min_hold = .024,             /* s; RFC 8888's reports each 25 ms */
  .jitter_room = 8,             /* of what jitter adds to 2 ms, in the window */
  .compete_room = .03,          /* s; a report, in the window */
  .more = 2,                    /* packets in the window beyond its bits */
  .least_window = 2,            /* packets */
};

/* R in the start: less where no answer has come. */
static double
starting_rate (const Poise * c)
{
  return c->answer_late ? fmin (c->rate, POISE_START_RATE) : c->rate;
}

/* The rate for the media: less while queues drain. Encoders make less than they
 * are told where that changes, so while it competes they hear of it evened out;
 * window and pace do not, and the sender's queue takes the difference. */
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

/* Marks tell the capacity sooner than trains, which would make more of them. */
bool
psp_poise_heeds_marks (const Poise * c)
{
  return c->scalable && c->now - c->marked_at < defaults.mark_memory;
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
  gain = c->full ? defaults.drained_gain : psp_poise_heeds_marks (c) ?
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

/* So much is under way at most: a capacity that falls shows within it. */
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
      * (c->mode == POISE_START ? defaults.start_pace : 1);
}

/* Counted in bits: after a calm scene the mean packet is small, and the next
 * ones are not. */
static void
publish_window (const Poise * c, PspDecision * d)
{
  if (c->rtt.smoothed > 0)
    d->window =
        (int64_t) psp_poise_clamp (window_bits (c) / psp_poise_packet_bits (c) +
        defaults.more - psp_pipe_excess (&c->pipe), defaults.least_window,
        1e6);
}

void
psp_poise_publish (Poise * c, PspDecision * d)
{
  double payload = 8 * fmax (c->base.mean_payload, 1);
  int64_t old = d->target_bitrate;

  c->threshold = psp_poise_threshold_at (c, c->rate);
  publish_pace (c, d);
  d->target_bitrate = (int64_t) psp_poise_clamp (media_rate (c) * payload
      / psp_poise_packet_bits (c), POISE_MIN_RATE, POISE_MAX_RATE);
  if (d->target_bitrate > old)
    d->reason = PSP_REASON_INCREASE;
  else if (d->target_bitrate < old && c->decreased_at < c->now)
    d->reason = PSP_REASON_DELAY;
  publish_window (c, d);
}

/* A frame that has just come waits in any case; what waited before it is a queue
 * of the sender's own. */
static void
follow_backlog (Poise * c, unsigned backlog)
{
  if (backlog >= c->backlog)
    c->left_over = c->backlog;
  c->backlog = backlog;
  c->left_over = c->left_over < backlog ? c->left_over : backlog;
}

/* A frame leaves at more than the capacity, until what it is ahead fills a part
 * of the threshold; it must not be taken for contention. */
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

/* Returns true if the first answer is late from now on. */
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
  psp_pipe_sent (&c->pipe, sent, base->mean_size);
  fill_bucket (c, now, bits);
  if (miss_answer (c, bits)) {
    psp_poise_publish (c, d);
    d->reason = PSP_REASON_TIMEOUT;
    return;
  }
  publish_pace (c, d);
  publish_window (c, d);
}
