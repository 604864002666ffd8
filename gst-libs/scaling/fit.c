/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * docs/mpeg.md, "Scale policy", says how each number was chosen.
 */
#include <scaling/fit.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Share of the target. Durations are rounded to nanoseconds, so the measured
 * rate of a scale that is exactly at the target may be slightly above it. */
#define TOLERANCE 0.001

/* Share of the higher scale's rate that must be free before a climb. */
#define MARGIN 0.05

/* ns; the first hold. A higher scale must have fitted for the hold before a
 * climb. */
#define SHORTEST_HOLD SCALING_SECOND
/* ns; a bound on the hold. */
#define LONGEST_HOLD (16 * SCALING_SECOND)
/* ns; a shorter climb doubles the hold, a longer one halves it. */
#define LASTING_CLIMB (3 * SCALING_SECOND)

/* ns; shorter groups share a window, for example if every picture is a key
 * picture. */
#define SHORTEST_WINDOW (150 * SCALING_SECOND / 1000)
/* ns; longer groups are split into several windows. */
#define LONGEST_WINDOW (2500 * SCALING_SECOND / 1000)

/* ns; the window without key pictures, and before the first whole group. */
#define ROLLING_WINDOW (SCALING_SECOND / 2)

/* ns; a longer duration contains a gap in the time stamps. */
#define LONGEST_FRAME SCALING_SECOND

typedef struct
{
  /* size of the pictures, by their lowest scale */
  uint64_t bytes[SCALING_N_SCALES];
  /* bytes that each scale emits in place of dropped pictures */
  uint64_t replaced[SCALING_N_SCALES];
  int64_t duration;             /* ns */
} Window;

struct ScalingFit
{
  Window windows[SCALING_FIT_GROUPS];   /* a ring of whole windows */
  unsigned n_windows;
  unsigned next_window;
  Window current;
  bool past_first;              /* the ring no longer has the first window */
  bool seen_key;
  int64_t now;                  /* sum of all durations */

  bool chosen;                  /* `scale` is in force */
  int scale;
  int64_t hold;                 /* ns; SHORTEST_HOLD to LONGEST_HOLD */
  bool climbed;                 /* the last change of `scale` was a climb */
  int64_t climb_time;
  bool pending;                 /* a climb waits for the end of the hold */
  int pending_scale;            /* lowest scale that fitted during the hold */
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

/* Ends the current window. The second window replaces the first: a first group
 * lacks the pictures displayed before its key picture, so that the key picture
 * weighs too much. */
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

  /* The rate of a group with a gap is not that of a whole group. */
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

/* Returns the mean duration of a whole window. */
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

/* Returns the rate of the current window as if no more bytes came in it, over
 * at least a usual duration, because its beginning may be dense. */
static double
current_rate (const ScalingFit * f, double bytes)
{
  int64_t usual = usual_duration (f);

  return rate_over (bytes,
      f->current.duration > usual ? f->current.duration : usual);
}

/* Returns the rate of `bytes` over all whole windows. */
static double
mean_rate (const ScalingFit * f, double bytes)
{
  return rate_over (bytes, usual_duration (f) * f->n_windows);
}

/* Returns the rate that must fit for a scale to stay: the mean, or that of the
 * current window if it is higher. */
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

/* Returns the rate that must fit before a climb: that of the largest window. */
static double
highest_rate (const ScalingFit * f, unsigned scale)
{
  double rate = present_rate (f, scale);

  for (unsigned i = 0; i < f->n_windows; i++)
    rate = fmax (rate, rate_over (emitted (&f->windows[i], scale),
            f->windows[i].duration));
  return rate;
}

/* Returns the highest scale whose rate is at most the limit; -1 = none. */
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
