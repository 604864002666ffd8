/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How frames leave: the pace, and how much may be under way.
 */
#include <control/poise-private.h>

static const struct
{
  double bucket_gain, ahead, ahead_packets, emptied;
  double drained_gain, marked_gain, mark_memory;
  double start_pace, compete_pace, late, unslowed, slow_span, most_slow;
  double least_pace, most_pace, first_slot;
  double min_hold, jitter_room, compete_room, more, least_window;
} defaults = {
  /* The bucket of frames drains at .bucket_gain C. It is full with .ahead h C bits
   * and .ahead_packets, and empty with less than .emptied packets. */
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

/* A frame leaves at more than the capacity, until what it is ahead fills a part
 * of the threshold; it must not be taken for contention. */
void
psp_poise_fill_bucket (Poise * c, double now, double bits)
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
        * psp_poise_starting_rate (c);
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

void
psp_poise_publish_pace (const Poise * c, PspDecision * d)
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
void
psp_poise_publish_window (const Poise * c, PspDecision * d)
{
  if (c->rtt.smoothed > 0)
    d->window =
        (int64_t) psp_poise_clamp (window_bits (c) / psp_poise_packet_bits (c) +
        defaults.more - psp_pipe_excess (&c->pipe), defaults.least_window,
        1e6);
}
