/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How each number was chosen: docs/mpeg.md, "Scale policy".
 */
#include <scaling/fit.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the target: durations are whole nanoseconds and frame rates are not, so
 * that a scale whose very rate is the target would miss it by a hair. */
#define TOLERANCE 0.001

/* Of the higher scale's rate, before climbing to it. */
#define MARGIN 0.05

/* For how long it must have fitted. A climb that was soon undone doubles it,
 * one that lasted halves it. */
#define SHORTEST_HOLD SCALING_SECOND
#define LONGEST_HOLD (16 * SCALING_SECOND)
#define LASTING_CLIMB (3 * SCALING_SECOND)

/* What is measured over is a group; several where they are shorter than this,
 * as where every picture is a key; parts where they are longer. */
#define SHORTEST_WINDOW (150 * SCALING_SECOND / 1000)
#define LONGEST_WINDOW (2500 * SCALING_SECOND / 1000)

/* Without key pictures, and before the first whole group. */
#define ROLLING_WINDOW (SCALING_SECOND / 2)

/* No picture lasts longer; the rest is a gap in the time stamps. */
#define LONGEST_FRAME SCALING_SECOND

typedef struct
{
  uint64_t bytes[SCALING_N_SCALES];     /* of pictures, by lowest scale */
  uint64_t replaced[SCALING_N_SCALES];  /* what each scale emits besides */
  int64_t duration;
} Window;

struct ScalingFit
{
  Window windows[SCALING_FIT_GROUPS];   /* whole ones */
  unsigned n_windows;
  unsigned next_window;
  Window current;
  bool past_first;              /* the first is no longer among them */
  bool seen_key;
  int64_t now;                  /* sum of all durations */

  bool chosen;                  /* `scale` is in force */
  int scale;
  int64_t hold;
  bool climbed;                 /* to `scale` */
  int64_t climb_time;
  bool pending;                 /* a climb is, until the hold is over */
  int pending_scale;            /* the lowest that has fitted since */
  int64_t pending_since;
};

ScalingFit *
scaling_fit_new (void)
{
  ScalingFit *f = malloc (sizeof *f);

  if (f)
    scaling_fit_reset (f);
  return f;
}

void
scaling_fit_free (ScalingFit * f)
{
  free (f);
}

void
scaling_fit_reset (ScalingFit * f)
{
  memset (f, 0, sizeof *f);
  scaling_fit_restart (f);
}

void
scaling_fit_restart (ScalingFit * f)
{
  f->chosen = false;
  f->hold = SHORTEST_HOLD;
  f->climbed = false;
  f->pending = false;
}

static bool
ends_window (const ScalingFit * f, const ScalingPicture * picture)
{
  if (picture->key)
    return f->current.duration >= SHORTEST_WINDOW;
  return f->current.duration >= (f->seen_key ? LONGEST_WINDOW : ROLLING_WINDOW);
}

/* The first gives way to the second: a first group lacks the pictures displayed
 * before its key picture, which weighs too much then. */
static void
end_window (ScalingFit * f)
{
  if (!f->past_first && f->n_windows == 1) {
    f->past_first = true;
    f->n_windows = 0;
    f->next_window = 0;
  }
  f->windows[f->next_window] = f->current;
  f->next_window = (f->next_window + 1) % SCALING_FIT_GROUPS;
  if (f->n_windows < SCALING_FIT_GROUPS)
    f->n_windows++;
  memset (&f->current, 0, sizeof f->current);
}

void
scaling_fit_add (ScalingFit * f, const ScalingPicture * picture,
    unsigned lowest_scale, size_t replaced_size)
{
  int64_t duration = picture->duration;

  if (duration < 0)
    duration = 0;
  if (duration > LONGEST_FRAME)
    duration = LONGEST_FRAME;

  /* A group with a gap says nothing of whole ones. */
  if (picture->discont)
    memset (&f->current, 0, sizeof f->current);
  else if (ends_window (f, picture))
    end_window (f);
  if (picture->key)
    f->seen_key = true;

  for (unsigned s = 0; s < lowest_scale && s < SCALING_N_SCALES; s++)
    f->current.replaced[s] += replaced_size;
  if (lowest_scale < SCALING_N_SCALES)
    f->current.bytes[lowest_scale] += picture->bytes;
  f->current.duration += duration;
  f->now += duration;
}

static double
emitted (const Window * w, unsigned scale)
{
  double bytes = w->replaced[scale];

  for (unsigned rank = 0; rank <= scale; rank++)
    bytes += w->bytes[rank];
  return bytes;
}

static double
rate_over (double bytes, int64_t duration)
{
  return bytes * 8 * SCALING_SECOND / duration;
}

/* What a whole one lasts. */
static int64_t
usual_duration (const ScalingFit * f)
{
  int64_t sum = 0;

  if (f->n_windows == 0)
    return ROLLING_WINDOW;
  for (unsigned i = 0; i < f->n_windows; i++)
    sum += f->windows[i].duration;
  return sum / f->n_windows;
}

/* Of the current window if nothing more came in it; so it only grows where it
 * is over already. */
static double
current_rate (const ScalingFit * f, double bytes)
{
  int64_t usual = usual_duration (f);

  return rate_over (bytes,
      f->current.duration > usual ? f->current.duration : usual);
}

/* Of all whole ones. */
static double
mean_rate (const ScalingFit * f, double bytes)
{
  return rate_over (bytes, usual_duration (f) * f->n_windows);
}

/* What counts for staying. */
static double
present_rate (const ScalingFit * f, unsigned scale)
{
  double rate = current_rate (f, emitted (&f->current, scale)), bytes = 0;

  if (f->n_windows == 0)
    return rate;
  for (unsigned i = 0; i < f->n_windows; i++)
    bytes += emitted (&f->windows[i], scale);
  return fmax (rate, mean_rate (f, bytes));
}

/* What counts for climbing: no group was above it. */
static double
highest_rate (const ScalingFit * f, unsigned scale)
{
  double rate = present_rate (f, scale);

  for (unsigned i = 0; i < f->n_windows; i++)
    rate = fmax (rate, rate_over (emitted (&f->windows[i], scale),
            f->windows[i].duration));
  return rate;
}

/* The highest scale whose rate is at most the limit, -1: none. */
static int
highest_scale (const ScalingFit * f, double limit,
    double (*rate) (const ScalingFit *, unsigned))
{
  for (int s = SCALING_MAX_SCALE; s >= 0; s--)
    if (rate (f, s) <= limit)
      return s;
  return -1;
}

int64_t
scaling_fit_rate (const ScalingFit * f, unsigned scale)
{
  double bytes = 0;

  if (scale > SCALING_MAX_SCALE)
    scale = SCALING_MAX_SCALE;
  if (f->n_windows == 0)
    return f->current.duration < ROLLING_WINDOW ? 0
        : llround (current_rate (f, emitted (&f->current, scale)));
  for (unsigned i = 0; i < f->n_windows; i++)
    bytes += emitted (&f->windows[i], scale);
  return llround (mean_rate (f, bytes));
}

static void
fall (ScalingFit * f, int scale)
{
  if (f->climbed && f->now - f->climb_time < LASTING_CLIMB)
    f->hold = f->hold * 2 < LONGEST_HOLD ? f->hold * 2 : LONGEST_HOLD;
  else if (f->climbed)
    f->hold = f->hold / 2 > SHORTEST_HOLD ? f->hold / 2 : SHORTEST_HOLD;
  f->climbed = false;
  f->pending = false;
  f->scale = scale;
}

static void
climb (ScalingFit * f, int64_t target)
{
  int scale = highest_scale (f, target / (1 + MARGIN), highest_rate);

  if (scale <= f->scale) {
    f->pending = false;
    return;
  }
  if (!f->pending) {
    f->pending = true;
    f->pending_since = f->now;
    f->pending_scale = scale;
  }
  if (scale < f->pending_scale)
    f->pending_scale = scale;
  if (f->now - f->pending_since < f->hold)
    return;
  f->pending = false;
  f->climbed = true;
  f->climb_time = f->now;
  f->scale = f->pending_scale;
}

int
scaling_fit_scale (ScalingFit * f, int64_t target, double *share)
{
  int fitting;

  if (target <= 0) {
    scaling_fit_restart (f);
    *share = 0;
    return -1;
  }

  fitting = highest_scale (f, target * (1 + TOLERANCE), present_rate);
  if (!f->chosen) {
    f->chosen = true;
    f->scale = fitting;
  } else if (fitting < f->scale) {
    fall (f, fitting);
  } else {
    climb (f, target);
  }

  *share = f->scale < 0 ? fmin (1, target / present_rate (f, 0)) : 1;
  return f->scale;
}
