/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <h26x/groups.h>

#include <string.h>

/* ns; the duration until there has been a group. Services ask it of
 * encoders, among them the "HLS Authoring Specification" 1.10. */
#define FIRST_USUAL INT64_C (2000000000)
/* ns; no picture lasts longer, the rest is a gap in the time stamps. */
#define LONGEST_PICTURE INT64_C (1000000000)

void
h26x_groups_init (H26xGroups * g)
{
  memset (g, 0, sizeof *g);
  g->usual = FIRST_USUAL;
}

unsigned
h26x_class (const H26xPicture * picture, bool layers)
{
  if (picture->layer > 0 && (layers || picture->disposable))
    return picture->layer < H26X_N_CLASSES - 1 ? 1 + picture->layer
        : H26X_N_CLASSES - 1;
  return picture->disposable ? 1 : 0;
}

static const H26xGroup *
past_group (const H26xGroups * g, unsigned back)
{
  return &g->past[(g->n_past - 1 - back) % 3];
}

static int64_t
middle (int64_t a, int64_t b, int64_t c)
{
  if ((a <= b && b <= c) || (c <= b && b <= a))
    return b;
  return (b <= a && a <= c) || (c <= a && a <= b) ? a : c;
}

/* Returns the middle of three durations, because a scene cut makes a group
 * short. */
static int64_t
usual_duration (const H26xGroups * g)
{
  int64_t last = past_group (g, 0)->duration;

  if (g->n_past < 3)
    return last;
  return middle (last, past_group (g, 1)->duration,
      past_group (g, 2)->duration);
}

static void
begin_group (H26xGroups * g, const H26xPicture * picture)
{
  if (g->present.whole && g->present.duration > 0) {
    g->past[g->n_past % 3] = g->present;
    if (++g->n_past == 6)
      g->n_past = 3;
    g->usual = usual_duration (g);
    if (!picture->idr)
      g->span = picture->order - g->present.order;
  }
  memset (&g->present, 0, sizeof g->present);
  g->present.whole = true;
  g->present.idr = picture->idr;
  g->present.order = picture->order;
}

/* Limits a duration to what a picture may last. */
static int64_t
bound (int64_t duration)
{
  duration = duration < 0 ? 0 : duration;
  return duration > LONGEST_PICTURE ? LONGEST_PICTURE : duration;
}

void
h26x_groups_add (H26xGroups * g, const H26xPicture * picture,
    unsigned class, double bits, int64_t duration, bool discont)
{
  if (discont || !picture->readable)
    g->present.whole = false;
  if (picture->random_access)
    begin_group (g, picture);
  else
    g->present.n[class]++;
  h26x_groups_more (g, picture->random_access, class, bits, duration);
}

void
h26x_groups_more (H26xGroups * g, bool first, unsigned class, double bits,
    int64_t duration)
{
  duration = bound (duration);
  if (!first) {
    g->present.bits[class] += bits;
    g->present.others += duration;
  }
  g->present.duration += duration;
  g->duration = duration;
}

int64_t
h26x_groups_rest (const H26xGroups * g)
{
  int64_t rest = g->usual - g->present.duration;

  return (rest > 0 ? rest : 0) + g->duration;
}

double
h26x_groups_place (const H26xGroups * g)
{
  return (double) (g->present.duration - g->duration) / (double) g->usual;
}

unsigned
h26x_groups_count (const H26xGroups * g, unsigned class)
{
  return g->n_past > 0 ? past_group (g, 0)->n[class] : g->present.n[class];
}

double
h26x_groups_rate (const H26xGroups * g, unsigned class)
{
  double bits = g->present.bits[class];
  int64_t duration = g->present.others;

  if (g->n_past > 0) {
    bits += past_group (g, 0)->bits[class];
    duration += past_group (g, 0)->others;
  }
  return duration > 0 ? bits * 1e9 / (double) duration : 0;
}

bool
h26x_groups_idr (const H26xGroups * g)
{
  bool idr = g->present.idr;

  for (unsigned i = 0; i < 3 && i < g->n_past; i++)
    idr = idr && g->past[i].idr;
  return idr;
}

void
h26x_share_init (H26xShare * s)
{
  for (unsigned c = 0; c < H26X_N_CLASSES; c++)
    s->due[c] = .5;
}

bool
h26x_share_passes (H26xShare * s, unsigned class, double room,
    const double amounts[H26X_N_CLASSES])
{
  for (unsigned c = 1; c < class; c++)
    room -= amounts[c];
  if (room <= 0)
    return false;
  s->due[class] += room < amounts[class] ? room / amounts[class] : 1;
  if (s->due[class] < 1)
    return false;
  s->due[class] -= 1;
  return true;
}
