/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Bursts of others' packets: what a page is made of, over TCP, fills a queue and
 * is there before giving way could help. What was given up for it is taken back.
 */
#include <control/poise/poise-private.h>

static const struct
{
  double longest, least_wait, calm, others;
  double longest_page, page_others, page_loops, fallen;
} defaults = {
  .longest = .4,                /* s; a queue that stands for longer is no burst */
  /* s. Others' queue was longer in a burst. A few frames of other flows take no
   * longer. */
  .least_wait = .02,
  /* s. What follows another queue sooner, or sooner than the time for which it
   * stood, is no burst: flows of this kind, which contend, fill a queue again as
   * soon as they have grown. */
  .calm = .25,
  .others = 2,                  /* of h; much of a longer queue was others' */
  .longest_page = 1,            /* s; a queue stands for longer beside a page */
  /* Times h. Others' queue was longer beside a page; flows of this kind leave a
   * shorter one. */
  .page_others = 3,
  /* Loops. It was longer than this, too, which many flows of this kind fill before
   * they see it. */
  .page_loops = .5,
  .fallen = .8,                 /* of C before; a lower C is unsure then */
};

bool
psp_poise_is_calm (const Poise * c)
{
  return psp_queueing_standing (&c->queueing) <= c->threshold / 2
      && c->queueing.newest <= c->threshold;
}

/* True if the queue that is gone now stood for less than `longest`, and others'
 * part of it was longer than `wait`. Losses and marks are answered all the same. */
static bool
has_passed (const Poise * c, double longest, double wait)
{
  double stood = c->now - c->calm.until;

  return c->disturbed && stood < longest && c->others_longest > wait
      && c->calm.until - c->calm.since > fmax (defaults.calm, stood)
      && fmax (c->lost_at, c->marked_at) <= c->calm.until;
}

/* Takes back what was given up: R, as far as trains show the capacity, which may
 * have fallen instead. */
static void
take_back (Poise * c)
{
  c->regained = c->calm.rate;
  c->decreased_at = c->calm.decreased_at;
}

/* Looks back at the queue that is gone now. C was slow trains' where much of it
 * was others': after a burst C is what it was, and after a page, in whose time it
 * may have fallen, it is found as at the start. */
static void
look_back (Poise * c)
{
  if (has_passed (c, defaults.longest, defaults.least_wait)) {
    take_back (c);
    if (c->others_longest > defaults.others * c->threshold)
      c->capacity = fmax (c->capacity, c->calm.capacity);
  } else if (has_passed (c, defaults.longest_page,
          fmax (defaults.page_loops * psp_poise_loop (c),
              defaults.page_others * c->threshold))) {
    take_back (c);
    if (c->capacity < defaults.fallen * c->calm.capacity)
      c->hidden = true;
  }
}

void
psp_poise_follow_bursts (Poise * c)
{
  const double *p = c->base.parameters;

  c->disturbed = c->disturbed
      || psp_queueing_standing (&c->queueing) > c->threshold / 2;
  c->others_longest = fmax (c->others_longest,
      psp_queueing_others (&c->queueing));
  if (!psp_poise_is_calm (c))
    return;
  if (c->decreased_at > c->calm.until)
    c->regained = 0;
  look_back (c);
  c->rate = fmax (c->rate, fmin (c->regained, p[HEADROOM] * c->capacity));
  if (c->disturbed)
    c->calm.since = c->now;
  c->calm.until = c->now;
  c->calm.rate = c->rate;
  c->calm.capacity = c->capacity;
  c->calm.decreased_at = c->decreased_at;
  c->disturbed = false;
  c->others_longest = 0;
}
