/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How each number was chosen: docs/mpeg.md, "Scale policy".
 */
#include "fit.h"

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
#define SHORTEST_HOLD MPEG_SECOND
#define LONGEST_HOLD (16 * MPEG_SECOND)
#define LASTING_CLIMB (3 * MPEG_SECOND)

/* What is measured over is a group; several where they are shorter than this,
 * as where every frame is an I; parts where they are longer. */
#define SHORTEST_WINDOW (150 * MPEG_SECOND / 1000)
#define LONGEST_WINDOW (2500 * MPEG_SECOND / 1000)

/* Without I, and before the first whole group. */
#define ROLLING_WINDOW (MPEG_SECOND / 2)

/* No frame lasts longer; the rest is a gap in the time stamps. */
#define LONGEST_FRAME MPEG_SECOND

/* Of a frame's cost, in what those of its rank cost. */
#define COST_WEIGHT .5

typedef struct
{
  uint64_t bytes[SCALER_N_SCALES];      /* of frames, by lowest scale */
  uint64_t replaced[SCALER_N_SCALES];   /* what each scale emits besides */
  int64_t duration;
} Window;

struct ScalerFit
{
  Window windows[SCALER_FIT_GROUPS];    /* whole ones */
  unsigned n_windows;
  unsigned next_window;
  Window current;
  bool past_first;              /* the first is no longer among them */
  bool seen_intra;
  int64_t now;                  /* sum of all durations */

  bool costed;                  /* passing a frame does not cost its size, */
  double shares[SCALER_N_SCALES];       /* but this much of it, by lowest scale */
  unsigned last_rank;           /* the last frame's lowest scale */
  size_t last_size;

  bool chosen;                  /* `scale` is in force */
  int scale;
  int64_t hold;
  bool climbed;                 /* to `scale`, at... */
  int64_t climb_time;
  bool pending;                 /* a climb, to the lowest that fitted since */
  int pending_scale;
  int64_t pending_since;
};

ScalerFit *
scaler_fit_new (void)
{
  ScalerFit *f = malloc (sizeof *f);

  if (f)
    scaler_fit_reset (f);
  return f;
}

void
scaler_fit_free (ScalerFit * f)
{
  free (f);
}

void
scaler_fit_reset (ScalerFit * f)
{
  memset (f, 0, sizeof *f);
  scaler_fit_restart (f);
}

void
scaler_fit_restart (ScalerFit * f)
{
  f->chosen = false;
  f->hold = SHORTEST_HOLD;
  f->climbed = false;
  f->pending = false;
}

static bool
is_intra (const MpegFrame * frame)
{
  return frame->valid && (frame->type == MPEG_PICTURE_I
      || frame->type == MPEG_PICTURE_D);
}

static bool
ends_window (const ScalerFit * f, const MpegFrame * frame)
{
  if (is_intra (frame))
    return f->current.duration >= SHORTEST_WINDOW;
  return f->current.duration >=
      (f->seen_intra ? LONGEST_WINDOW : ROLLING_WINDOW);
}

/* The first gives way to the second: a first group lacks its leading B, so that
 * its I weighs too much. */
static void
end_window (ScalerFit * f)
{
  if (!f->past_first && f->n_windows == 1) {
    f->past_first = true;
    f->n_windows = 0;
    f->next_window = 0;
  }
  f->windows[f->next_window] = f->current;
  f->next_window = (f->next_window + 1) % SCALER_FIT_GROUPS;
  if (f->n_windows < SCALER_FIT_GROUPS)
    f->n_windows++;
  memset (&f->current, 0, sizeof f->current);
}

void
scaler_fit_add (ScalerFit * f, const MpegFrame * frame, unsigned lowest_scale,
    size_t replaced_size)
{
  int64_t duration = frame->duration;

  if (duration < 0)
    duration = 0;
  if (duration > LONGEST_FRAME)
    duration = LONGEST_FRAME;

  /* A group with a gap says nothing of whole ones. */
  if (frame->discont)
    memset (&f->current, 0, sizeof f->current);
  else if (ends_window (f, frame))
    end_window (f);
  if (is_intra (frame))
    f->seen_intra = true;

  for (unsigned s = 0; s < lowest_scale && s < SCALER_N_SCALES; s++)
    f->current.replaced[s] += replaced_size;
  if (lowest_scale < SCALER_N_SCALES)
    f->current.bytes[lowest_scale] += frame->size;
  f->last_rank = lowest_scale;
  f->last_size = frame->size;
  f->current.duration += duration;
  f->now += duration;
}

/* What was measured before is seen in the light of what costs are now. Until a
 * rank's own are known it takes another's. */
void
scaler_fit_cost (ScalerFit * f, size_t cost)
{
  unsigned rank = f->last_rank;
  double share;

  if (f->last_size == 0 || rank >= SCALER_N_SCALES)
    return;
  share = (double) cost / f->last_size;
  if (f->costed)
    share = f->shares[rank] + COST_WEIGHT * (share - f->shares[rank]);
  for (unsigned r = 0; r < SCALER_N_SCALES && !f->costed; r++)
    f->shares[r] = share;
  f->shares[rank] = share;
  f->costed = true;
}

void
scaler_fit_forget_costs (ScalerFit * f)
{
  f->costed = false;
}

static double
emitted (const Window * w, unsigned scale)
{
  double bytes = w->replaced[scale];

  for (unsigned rank = 0; rank <= scale; rank++)
    bytes += w->bytes[rank];
  return bytes;
}

/* What the target has to pay for. */
static double
paid (const ScalerFit * f, const Window * w, unsigned scale)
{
  double bytes = w->replaced[scale];

  for (unsigned rank = 0; rank <= scale; rank++)
    bytes += w->bytes[rank] * (f->costed ? f->shares[rank] : 1);
  return bytes;
}

static double
rate_over (double bytes, int64_t duration)
{
  return bytes * 8 * MPEG_SECOND / duration;
}

/* What a whole one lasts. */
static int64_t
usual_duration (const ScalerFit * f)
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
current_rate (const ScalerFit * f, double bytes)
{
  int64_t usual = usual_duration (f);

  return rate_over (bytes,
      f->current.duration > usual ? f->current.duration : usual);
}

/* Of all whole ones. */
static double
mean_rate (const ScalerFit * f, double bytes)
{
  return rate_over (bytes, usual_duration (f) * f->n_windows);
}

/* What counts for staying. */
static double
present_rate (const ScalerFit * f, unsigned scale)
{
  double rate = current_rate (f, paid (f, &f->current, scale)), bytes = 0;

  if (f->n_windows == 0)
    return rate;
  for (unsigned i = 0; i < f->n_windows; i++)
    bytes += paid (f, &f->windows[i], scale);
  return fmax (rate, mean_rate (f, bytes));
}

/* What counts for climbing: no group was above it. */
static double
highest_rate (const ScalerFit * f, unsigned scale)
{
  double rate = present_rate (f, scale);

  for (unsigned i = 0; i < f->n_windows; i++)
    rate = fmax (rate, rate_over (paid (f, &f->windows[i], scale),
            f->windows[i].duration));
  return rate;
}

/* The highest scale whose rate is at most the limit, -1: none. */
static int
highest_scale (const ScalerFit * f, double limit,
    double (*rate) (const ScalerFit *, unsigned))
{
  for (int s = SCALER_MAX_SCALE; s >= 0; s--)
    if (rate (f, s) <= limit)
      return s;
  return -1;
}

int64_t
scaler_fit_rate (const ScalerFit * f, unsigned scale)
{
  double bytes = 0;

  if (scale > SCALER_MAX_SCALE)
    scale = SCALER_MAX_SCALE;
  if (f->n_windows == 0)
    return f->current.duration < ROLLING_WINDOW ? 0
        : llround (current_rate (f, emitted (&f->current, scale)));
  for (unsigned i = 0; i < f->n_windows; i++)
    bytes += emitted (&f->windows[i], scale);
  return llround (mean_rate (f, bytes));
}

static void
fall (ScalerFit * f, int scale)
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
climb (ScalerFit * f, int64_t target)
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
scaler_fit_scale (ScalerFit * f, int64_t target, double *share)
{
  int fitting;

  if (target <= 0) {
    scaler_fit_restart (f);
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
