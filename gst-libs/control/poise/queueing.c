/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <control/poise/queueing.h>

#include <math.h>

static const struct
{
  double window, long_window, first_jitter, jitter_gain, similar, jitter_share;
  double jitter_pause, step, forgotten;
} defaults = {
  /* s. The pause between two frames of slow video is no longer, so each window
   * has a packet that did not wait for its own frame. */
  .window = .05,
  /* s, where the jitter is large. Radios keep packets for as long. */
  .long_window = .08,
  .first_jitter = PSP_QUEUEING_FIRST_JITTER,    /* s, until it is measured */
  .jitter_gain = 1. / 32,       /* half of RFC 3550 section 6.4.1 */
  .similar = .2,                /* of the size; transmission takes as long */
  /* Share of the jitter. The least wait of a window's few packets is above the
   * least of all by this. */
  .jitter_share = 1,
  /* s; less than a frame takes at 120 a second. Slices that leave one by one
   * come right behind one another, in order, and differ in size. */
  .jitter_pause = .008,
  /* s beyond the longest possible wait. Clocks drift apart by less during the
   * life of a minimum. */
  .step = .01,
  /* s without a packet. Clocks that differ by 50 ppm drift apart by 3 ms in it,
   * most of the least standing wait that counts. */
  .forgotten = 60,
};

/* Forgets all delays, so that the next one is the smallest. */
static void
forget (PspQueueing * q)
{
  int i;

  for (i = 0; i < PSP_QUEUEING_SLOTS; i++)
    q->slots[i] = INFINITY;
  q->newest = q->last_longest = 0;
  q->last_delay = -INFINITY;
  q->undisturbed = -1;
}

void
psp_queueing_init (PspQueueing * q)
{
  forget (q);
  q->base = 0;
  q->slot_since = q->window_since = -INFINITY;
  q->least[0] = q->least[1] = q->others[0] = q->others[1] = INFINITY;
  q->jitter = defaults.first_jitter;
  q->undisturbed_size = q->undisturbed_at = 0;
}

static void
age (PspQueueing * q, double sent_at, double slot)
{
  double window = q->jitter < PSP_QUEUEING_LARGE_JITTER ? defaults.window :
      defaults.long_window;
  int i;

  /* The window began with the last packet, or just before it. */
  if (sent_at - q->window_since >= defaults.forgotten) {
    forget (q);
    q->slot_since = sent_at;
  } else if (sent_at - q->slot_since >= slot) {
    for (i = PSP_QUEUEING_SLOTS - 1; i > 0; i--)
      q->slots[i] = q->slots[i - 1];
    q->slots[0] = INFINITY;
    q->slot_since = sent_at;
  }
  if (sent_at - q->window_since >= window) {
    bool follows = sent_at - q->window_since < 2 * window;

    q->least[1] = follows ? q->least[0] : INFINITY;
    q->others[1] = follows ? q->others[0] : INFINITY;
    q->least[0] = q->others[0] = INFINITY;
    q->window_since = sent_at;
  }
}

static void
measure_jitter (PspQueueing * q, double sent_at, double size)
{
  double difference;

  if (q->undisturbed >= 0
      && sent_at - q->undisturbed_at < defaults.jitter_pause)
    return;
  if (q->undisturbed >= 0 && fabs (size - q->undisturbed_size)
      < defaults.similar * fmax (size, q->undisturbed_size)) {
    difference = fmin (fabs (q->newest - q->undisturbed),
        2 * q->jitter + defaults.first_jitter);
    q->jitter += defaults.jitter_gain * (difference - q->jitter);
  }
  q->undisturbed = q->newest;
  q->undisturbed_size = size;
  q->undisturbed_at = sent_at;
}

static double
smallest_delay (const PspQueueing * q)
{
  double base = INFINITY;
  int i;

  for (i = 0; i < PSP_QUEUEING_SLOTS; i++)
    base = fmin (base, q->slots[i]);
  return base;
}

/* Returns by how much the receiver's clock was set before this packet. Between
 * two packets a queue can drain by no more than the time for which the older
 * one was under way. */
static double
clock_step (const PspQueueing * q, double delay, double longest)
{
  double smallest = smallest_delay (q);

  if (delay - smallest > longest + defaults.step
      || q->last_delay - delay > q->last_longest + defaults.step)
    return delay - fmin (q->newest, longest) - smallest;
  return 0;
}

double
psp_queueing_add (PspQueueing * q, double sent_at, double delay, double slot,
    double undisturbed, double own, double longest)
{
  double step;
  int i;

  longest = fmax (longest, 0);
  age (q, sent_at, slot);
  step = clock_step (q, delay, longest);
  if (step != 0)
    for (i = 0; i < PSP_QUEUEING_SLOTS; i++)
      q->slots[i] = delay - fmin (q->newest, longest);
  q->slots[0] = fmin (q->slots[0], delay);
  q->base = smallest_delay (q);
  q->newest = fmin (delay - q->base, longest);
  q->least[0] = fmin (q->least[0], q->newest);
  q->others[0] = fmin (q->others[0], fmax (q->newest - own, 0));
  q->last_delay = delay;
  q->last_longest = longest;
  if (undisturbed > 0)
    measure_jitter (q, sent_at, undisturbed);
  return step;
}

void
psp_queueing_shift (PspQueueing * q, double by)
{
  int i;

  for (i = 0; i < PSP_QUEUEING_SLOTS; i++)
    q->slots[i] += by;
  q->base += by;
  for (i = 0; i < 2; i++) {
    q->least[i] = fmax (q->least[i] - by, 0);
    q->others[i] = fmax (q->others[i] - by, 0);
  }
  q->newest = fmax (q->newest - by, 0);
  q->undisturbed = -1;
}

static double
smallest (const double least[2])
{
  double wait = fmin (least[0], least[1]);

  return isfinite (wait) ? wait : 0;
}

static double
without_jitter (const PspQueueing * q, double wait)
{
  return fmax (wait - defaults.jitter_share * fmax (q->jitter
          - defaults.first_jitter, 0), 0);
}

double
psp_queueing_least (const PspQueueing * q)
{
  return smallest (q->least);
}

double
psp_queueing_standing (const PspQueueing * q)
{
  return without_jitter (q, smallest (q->least));
}

double
psp_queueing_others (const PspQueueing * q)
{
  return without_jitter (q, smallest (q->others));
}
