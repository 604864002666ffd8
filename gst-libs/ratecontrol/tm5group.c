/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <ratecontrol/tm5group.h>

#include <math.h>
#include <string.h>

/* ns; a group that is longer than was expected is expected to go on so long. */
#define EXTENSION (RATECONTROL_SECOND / 8)
/* ns; longer groups are cut. */
#define LONGEST_GROUP (10 * RATECONTROL_SECOND)
/* ns; streams that refresh without I are cut into such groups. */
#define GROUP_WITHOUT_I (RATECONTROL_SECOND / 2)
/* Largest share of a group's bits that its I is expected to have. */
#define LARGEST_INTRA .57
/* Number of pictures from P to P, until a run has been seen. */
#define USUAL_RUN 3
/* Number of last groups that show whether lengths are regular. */
#define N_REGULAR 4
/* ns; the source's rate is measured over it, if there are enough groups. */
#define WINDOW (8 * RATECONTROL_SECOND)

double
tm5_seconds (int64_t duration)
{
  return (double) duration / RATECONTROL_SECOND;
}

unsigned
tm5_group_size (const Tm5Group * group)
{
  return group->n[TM5_I] + group->n[TM5_P] + group->n[TM5_B];
}

static const Tm5Group *
past_group (const Tm5 * t, unsigned back)
{
  return &t->past[(t->n_past - 1 - back) % TM5_N_GROUPS];
}

static bool
is_between (const Tm5Group * g, const Tm5Group * a, const Tm5Group * b)
{
  return (a->duration <= g->duration && g->duration <= b->duration) ||
      (b->duration <= g->duration && g->duration <= a->duration);
}

/* Returns the last group; of three, the one of median duration, because a
 * single scene cut is not a new structure. */
static const Tm5Group *
typical_group (const Tm5 * t)
{
  const Tm5Group *a = past_group (t, 0), *b, *c;

  if (t->n_past < 3)
    return a;
  b = past_group (t, 1);
  c = past_group (t, 2);
  if (is_between (a, b, c))
    return a;
  return is_between (b, a, c) ? b : c;
}

/* Expects a first group with two B for each P. If the group is shorter, its I
 * was too large; if it is longer, its I was too small, and all pictures that
 * refer to it suffer. An I that takes long at the source's rate indicates a
 * long group. */
static void
expect_first (Tm5 * t)
{
  Tm5Group *e = &t->expected;
  double seconds = t->params.first_group;
  int64_t n;

  if (t->picture.type == TM5_I && t->source_max_rate > 0)
    seconds = fmax (seconds, (double) t->picture.bits /
        (double) t->source_max_rate / LARGEST_INTRA);
  seconds = fmin (seconds, tm5_seconds (LONGEST_GROUP));
  n = (int64_t) (seconds * RATECONTROL_SECOND) / t->picture.duration;
  n = n > 1000 ? 1000 : n;
  /* Whole runs follow the I. */
  n = 1 + n / USUAL_RUN * USUAL_RUN;
  e->n[TM5_P] = (unsigned) (n - 1) / USUAL_RUN;
  e->n[TM5_B] = (unsigned) (n - 1) - e->n[TM5_P];
  e->n[TM5_I] = 1;
  e->duration = n * t->picture.duration;
}

static void
begin_group (Tm5 * t)
{
  if (tm5_group_size (&t->group) > 0) {
    t->past[t->n_past % TM5_N_GROUPS] = t->group;
    /* Only the remainder counts once the ring is full. */
    if (++t->n_past == 2 * TM5_N_GROUPS)
      t->n_past = TM5_N_GROUPS;
  }
  memset (&t->group, 0, sizeof t->group);
  memset (&t->expected, 0, sizeof t->expected);
  memset (t->coded, 0, sizeof t->coded);
  t->extended = false;
  if (t->n_past == 0)
    expect_first (t);
  else
    t->expected = *typical_group (t);
}

/* Adapts the expected number of B that are displayed before the group's I and
 * coded behind it. The first group of a stream or after a splice has none, nor
 * has a closed group. Others may have. */
static void
expect_leading (Tm5 * t)
{
  Tm5Group *e = &t->expected;
  unsigned n = t->group.n[TM5_B];

  if (t->n_past == 0 || t->group.n[TM5_P] > 0)
    return;
  if (t->picture.type == TM5_B && n >= e->n_leading) {
    e->n[TM5_B]++;
    e->n_leading++;
    e->duration += t->picture.duration;
  } else if (t->picture.type == TM5_P && n < e->n_leading &&
      e->n[TM5_B] >= e->n_leading - n) {
    e->duration -= e->duration * (e->n_leading - n) / tm5_group_size (e);
    e->n[TM5_B] -= e->n_leading - n;
  }
}

/* Counts the pictures of a run, a P and the B behind it. Groups end before a P
 * would come, so a run is planned as a whole. */
static void
count_run (Tm5 * t)
{
  if (t->picture.type == TM5_P && !t->picture.second_field) {
    if (t->n_run > 0)
      t->usual_run = t->n_run;
    t->n_run = 0;
  }
  if (t->picture.type == TM5_I)
    t->n_run = 0;
  else if (t->n_run > 0 || t->picture.type == TM5_P)
    t->n_run++;
}

/* Extends the expected group, which is over, up to where the group may end. */
static void
extend_group (Tm5 * t)
{
  Tm5Group *e = &t->expected;
  unsigned n_p = t->group.n[TM5_P], n_b = t->group.n[TM5_B];
  unsigned run = t->usual_run > 0 ? t->usual_run : USUAL_RUN;
  int64_t period = t->picture.duration;
  int64_t more = EXTENSION / period;

  if (t->n_run > 1)
    more = t->n_run <= run ? run - t->n_run + 1 : 1;
  else
    more = more < run ? run : more - more % run;
  more = more < 1 ? 1 : more;
  n_b = (unsigned) (more * n_b / (n_p + n_b > 0 ? n_p + n_b : 1));
  e->n[TM5_B] = t->group.n[TM5_B] + n_b;
  e->n[TM5_P] = t->group.n[TM5_P] + (unsigned) more - n_b;
  e->n[TM5_I] = t->group.n[TM5_I];
  e->duration = t->group.duration + more * period;
  t->extended = true;
}

/* Adds the B behind the last expected P to a first group, because that group
 * does not end within a run either. */
static void
complete_run (Tm5 * t)
{
  unsigned run = t->usual_run > 0 ? t->usual_run : USUAL_RUN;
  unsigned size = tm5_group_size (&t->group);
  unsigned expected = tm5_group_size (&t->expected);
  unsigned to_come = expected > size ? expected - size : 0;

  if (t->n_past > 0 || t->n_run != 1 || to_come + 1 >= run)
    return;
  t->expected.n[TM5_B] += run - 1 - to_come;
  t->expected.duration += (run - 1 - to_come) * t->picture.duration;
}

/* Expects one picture less of another type if one more than expected has come
 * of this one. */
static void
expect_type (Tm5 * t, Tm5Type type)
{
  Tm5Group *e = &t->expected;

  if (t->group.n[type] < e->n[type])
    return;
  for (int i = TM5_N_TYPES - 1; i >= 0; i--) {
    if (i != (int) type && e->n[i] > t->group.n[i]) {
      e->n[i]--;
      break;
    }
  }
  e->n[type] = t->group.n[type] + 1;
}

bool
tm5_group_picture (Tm5 * t)
{
  const Tm5Picture *p = &t->picture;
  bool first = tm5_group_size (&t->group) == 0;
  bool starts = (p->type == TM5_I && !p->second_field) || first ||
      t->group.duration >= LONGEST_GROUP ||
      (t->group.n[TM5_I] == 0 && t->group.duration >= GROUP_WITHOUT_I);

  count_run (t);
  if (starts)
    begin_group (t);
  else if (tm5_group_size (&t->group) >= tm5_group_size (&t->expected) ||
      t->group.duration + p->duration / 2 > t->expected.duration)
    extend_group (t);
  else
    expect_leading (t);
  expect_type (t, p->type);
  if (p->type == TM5_B && t->group.n[TM5_P] == 0)
    t->group.n_leading++;
  t->group.n[p->type]++;
  t->group.duration += p->duration;
  t->group.bits += (double) p->bits;
  t->coded[p->type]++;
  complete_run (t);
  return starts;
}

bool
tm5_group_is_thinned (const Tm5 * t)
{
  unsigned n = 0;

  for (unsigned i = 0; i < N_REGULAR && i < t->n_past; i++)
    n += past_group (t, i)->thinned;
  return n > 1;
}

bool
tm5_group_is_regular (const Tm5 * t)
{
  unsigned n = t->n_past < N_REGULAR ? t->n_past : N_REGULAR, n_equal = 0;

  for (unsigned i = 0; i < n; i++) {
    int64_t longer = past_group (t, i)->duration - t->expected.duration;

    n_equal += 2 * (longer < 0 ? -longer : longer) < t->picture.duration;
  }
  return 2 * n_equal >= n;
}

double
tm5_group_period (const Tm5 * t)
{
  unsigned n = tm5_group_size (&t->group);
  int64_t duration = t->group.duration;

  for (unsigned i = 0; i < t->n_past && i < TM5_N_GROUPS &&
      duration < RATECONTROL_SECOND; i++) {
    n += tm5_group_size (past_group (t, i));
    duration += past_group (t, i)->duration;
  }
  return n > 0 ? tm5_seconds (duration) / n : .04;
}

/* Finds how the source is expected to go on in this group. */
static void
source_rest (const Tm5 * t, Tm5Rest * rest)
{
  const Tm5Picture *p = &t->picture;
  int64_t past = t->group.duration - p->duration;
  double fit, excess, period;

  rest->seconds = tm5_seconds (t->expected.duration - past);
  rest->seconds = fmax (rest->seconds, tm5_seconds (p->duration));
  for (unsigned i = 0; i < TM5_N_TYPES; i++)
    rest->n[i] = t->expected.n[i] > t->group.n[i] ?
        t->expected.n[i] - t->group.n[i] : 0;

  /* If pictures have become fewer and longer, not as many as before fit: first
   * B are missing, then P. */
  period = tm5_seconds (t->group.duration) / tm5_group_size (&t->group);
  fit = rest->seconds / period - 1;
  excess = rest->n[TM5_P] + rest->n[TM5_B] - fit;
  if (excess > .5 * fit + 1) {
    double b = fmin (excess, rest->n[TM5_B]);

    rest->n[TM5_B] -= b;
    rest->n[TM5_P] = fmax (rest->n[TM5_P] - (excess - b), 0);
  }
}

double
tm5_rest (const Tm5 * t)
{
  int64_t rest = t->expected.duration - t->group.duration;

  return tm5_seconds (rest > EXTENSION ? rest : EXTENSION);
}

void
tm5_group_rest (const Tm5 * t, Tm5Rest * rest)
{
  const Tm5Picture *p = &t->picture;

  source_rest (t, rest);
  if (p->planned)
    memcpy (rest->n, p->later, sizeof rest->n);
  rest->n[p->type] += 1;
}

/* Returns the rate of the source over the current group as it is expected, and
 * over groups before it until they are as long as `window`. */
static double
source_rate (const Tm5 * t, int64_t window)
{
  int64_t duration = 0;
  double bits = t->group.bits, seconds;
  Tm5Rest rest;

  source_rest (t, &rest);
  seconds = tm5_seconds (t->group.duration - t->picture.duration) +
      rest.seconds;
  for (unsigned i = 0; i < TM5_N_TYPES; i++)
    bits += rest.n[i] * t->source_bits[i];
  for (unsigned i = 0; i < t->n_past && i < TM5_N_GROUPS && duration < window;
      i++) {
    bits += past_group (t, i)->bits;
    duration += past_group (t, i)->duration;
  }
  return bits / (seconds + tm5_seconds (duration));
}

double
tm5_group_source_rate (const Tm5 * t)
{
  return source_rate (t, WINDOW);
}

double
tm5_group_own_rate (const Tm5 * t)
{
  return source_rate (t, 0);
}
