/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Random reference structures under random rules: a plain model of a decoder gets
 * what passes, and finds every reference under the name that the source gave it.
 */
#include <gst/check/gstcheck.h>

#include <h26x/dropper.h>

#define PICTURES 1500
#define RUNS 60

typedef struct
{
  H26xPicture picture;
  gboolean passed;
  gint64 decoded_order;         /* as the decoder derives it */
} Coded;

/* Of the whole run. */
typedef struct
{
  GRand *rand;
  Coded *pictures;
  guint n;
  guint begin;                  /* the last random-access picture */
  guint idr;                    /* that begins the sequence */
  gboolean frame_nums, layers, reorders;
  guint length;                 /* of groups, about */
  gint64 order;
} Source;

static guint
random_below (Source * s, guint n)
{
  return (guint) g_rand_int_range (s->rand, 0, (gint) n);
}

/* A picture that may be referred to: not before the sequence; not before the
 * random-access picture but by those that lead it. */
static void
add_references (Source * s, H26xPicture * p, gboolean leading)
{
  guint from = leading ? s->idr : s->begin, n = 1 + random_below (s, 3);

  for (guint tries = 0; tries < 20 && p->n_references < n; tries++) {
    guint back = 1 + random_below (s, 6);
    guint at = s->n - MIN (back, s->n - from);
    const H26xPicture *other = &s->pictures[at].picture;

    if (!other->disposable && other->layer <= p->layer && (!other->leading
            || leading))
      p->references[p->n_references++] = other->id;
  }
}

static void
make_picture (Source * s, H26xPicture * p)
{
  gboolean key = s->n == 0 || random_below (s, s->length) == 0;
  gboolean leading;

  memset (p, 0, sizeof *p);
  p->readable = true;
  p->id = s->n + 1;
  p->random_access = key;
  p->idr = s->n == 0 || (key && random_below (s, 2) == 0);
  p->order_cycle = s->length < 20 ? 16 : 64;
  p->frame_num_gap_limit = s->frame_nums ? 16 : 0;
  leading = !key && s->begin > s->idr && s->n - s->begin < 4
      && s->order == s->pictures[s->begin].picture.order;
  p->leading = leading && s->reorders;
  p->layer = s->layers && !key ? random_below (s, 3) : 0;
  p->disposable = !key && random_below (s, 3) == 0;
  p->counts = !p->disposable && p->layer == 0 && !p->leading;
  if (s->frame_nums)
    p->counts = !p->disposable;
  if (p->idr)
    s->order = 0;
  else if (!p->leading && !p->disposable)
    s->order += 1 + random_below (s, 4);
  p->order = s->order - (p->leading || p->disposable);
  if (p->idr)
    s->idr = s->n;
  if (key)
    s->begin = s->n;
  else
    add_references (s, p, p->leading);
}

/* H.264 8.2.1.1, H.265 8.3.1. */
static gint64
derive_order (gint64 previous, gint64 order, gint64 cycle)
{
  gint64 step = ((order - previous) % cycle + cycle) % cycle;

  return previous + (step >= cycle / 2 ? step - cycle : step);
}

/* What a decoder of the passed pictures knows. */
typedef struct
{
  gboolean begun;
  gint64 previous, highest;
  guint gone;                   /* references since, by frame_num */
  guint n_broken_frame_nums;
} Decoder;

static void
decode (Decoder * d, Source * s, Coded * c, const H26xDecision * decision,
    gboolean allow_gaps)
{
  const H26xPicture *p = &c->picture;
  gboolean begins = p->idr || decision->splice || !d->begun;

  if (begins)
    c->decoded_order = p->idr ? 0 : ((p->order % p->order_cycle)
        + p->order_cycle) % p->order_cycle;
  else
    c->decoded_order = derive_order (d->previous, p->order, p->order_cycle);
  for (guint i = 0; i < p->n_references; i++) {
    const Coded *r = &s->pictures[p->references[i] - 1];

    fail_unless (r->passed, "%u refers to %u", (guint) p->id,
        (guint) r->picture.id);
    fail_unless_equals_int64 (p->order - r->picture.order,
        c->decoded_order - r->decoded_order);
  }
  if (p->random_access && !begins)
    fail_unless (c->decoded_order >= d->previous);
  if (p->frame_num_gap_limit > 0 && !p->random_access)
    fail_unless (allow_gaps ? d->gone < p->frame_num_gap_limit : d->gone == 0);
  if (p->counts || begins) {
    d->previous = c->decoded_order;
    d->gone = 0;
  }
  d->begun = TRUE;
}

static void
random_rule (Source * s, H26xDropperSettings * settings)
{
  settings->rule.scale = (gint) random_below (s, 6) - 1;
  settings->rule.target = (gint64) random_below (s, 12) * 25000 - 25000;
  settings->rule.fill = random_below (s, 2);
  settings->max_freeze = random_below (s, 3) == 0 ? random_below (s, 3) *
      (gint64) GST_SECOND / 3 : -1;
}

static void
run (Source * s, gboolean splices, gboolean allow_gaps)
{
  H26xDropper *dropper = h26x_dropper_new ();
  H26xDropperSettings settings = {
    .rule = {-1, -1, TRUE},.max_freeze = -1,.allow_gaps = allow_gaps,
    .splices = splices
  };
  H26xDropperStats stats;
  Decoder decoder = { 0 };
  H26xDecision decision;
  guint64 passed = 0, bytes = 0;

  for (s->n = 0; s->n < PICTURES; s->n++) {
    Coded *c = &s->pictures[s->n];
    H26xCodedPicture coded = { &c->picture, 0, 0, 40 * GST_MSECOND, false };

    make_picture (s, &c->picture);
    coded.bytes = c->picture.random_access ? 4000 : 100 +
        random_below (s, c->picture.disposable ? 300 : 1500);
    coded.filler = random_below (s, 4) == 0 ? coded.bytes / 3 : 0;
    if (random_below (s, 40) == 0)
      random_rule (s, &settings);
    h26x_dropper_set (dropper, &settings);
    h26x_dropper_picture (dropper, &coded, &decision);
    c->passed = decision.verdict == SCALING_PASS
        || decision.verdict == SCALING_FILL;
    if (c->passed) {
      decode (&decoder, s, c, &decision, allow_gaps);
      passed++;
      bytes += coded.bytes - (decision.without_filler ? coded.filler : 0);
    } else if (c->picture.counts && s->frame_nums) {
      decoder.gone++;
    }
    fail_unless (!decision.splice || splices);
  }
  h26x_dropper_stats (dropper, &stats);
  fail_unless_equals_uint64 (stats.pictures, PICTURES);
  fail_unless_equals_uint64 (stats.passed, passed);
  fail_unless_equals_uint64 (stats.bytes_out, bytes);
  fail_unless_equals_uint64 (stats.passed + stats.dropped_policy
      + stats.dropped_reference + stats.dropped_group, PICTURES);
  fail_unless (passed > PICTURES / 10);
  h26x_dropper_free (dropper);
}

GST_START_TEST (test_random)
{
  Source s = { 0 };

  s.rand = g_rand_new_with_seed ((guint32) __i__);
  s.pictures = g_new0 (Coded, PICTURES);
  s.frame_nums = __i__ % 2;
  s.layers = __i__ / 2 % 2;
  s.reorders = __i__ / 4 % 2;
  s.length = __i__ / 8 % 2 ? 12 : 40;
  run (&s, !s.frame_nums && __i__ / 16 % 2, __i__ / 16 % 2);
  g_free (s.pictures);
  g_rand_free (s.rand);
}

GST_END_TEST;

static Suite *
decoder_suite (void)
{
  Suite *s = suite_create ("h26x-decoder");
  TCase *tc = tcase_create ("random");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_random, 0, RUNS);
  return s;
}

GST_CHECK_MAIN (decoder);
