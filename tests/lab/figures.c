/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "figures.h"

#include <math.h>
#include <stdlib.h>

#define OVERHEAD 40             /* bytes: RTP, UDP, IPv4 */
#define S INT64_C (1000000000)
#define WINDOW INT64_C (300000000)
#define CALM INT64_C (30000000)

const char *const lab_figure_names[LAB_N_FIGURES] = {
  "use", "wait95", "delay95", "loss%", "share", "worst", "Jain", "peak",
  "down", "up"
};

/* Of what was made at `made` or later. */
static double
media_bits (const LabMedia * m, int64_t made, int64_t from, int64_t to)
{
  double bits = 0;
  size_t n, i;
  const LabRecord *r = lab_media_records (m, &n);

  for (i = 0; i < n; i++)
    if (r[i].made_at >= made && r[i].arrived_at >= from && r[i].arrived_at < to)
      bits += 8.0 * (r[i].payload + OVERHEAD);
  return bits;
}

/* Of the flows that run forward. */
static double
all_bits (const LabRun * run, int64_t made, int64_t from, int64_t to)
{
  double bits = 0;
  unsigned i;

  for (i = 0; i < run->n_media; i++)
    if (!run->reverse[i])
      bits += media_bits (run->media[i], made, from, to);
  return bits;
}

static double
tcp_bits (const LabRun * run, int64_t from, int64_t to)
{
  double bits = 0;
  unsigned i;

  for (i = 0; i < run->n_tcp; i++)
    bits += lab_tcp_received (run->tcp[i], from, to);
  return bits;
}

static int
ascending (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static double
percentile (double *values, size_t n, double p)
{
  if (n == 0)
    return NAN;
  qsort (values, n, sizeof *values, ascending);
  return values[(size_t) (p * (double) (n - 1))];
}

static void
delays (const LabRun * run, unsigned flow, double *wait, double *delay)
{
  size_t n, i, waits = 0, frames = 0;
  const LabRecord *r = lab_media_records (run->media[flow], &n);
  double *w = malloc ((n + 1) * sizeof *w), *d = malloc ((n + 1) * sizeof *d);
  int64_t way = lab_direction_delay (run->reverse[flow] ? run->back :
      run->forward) + run->config[flow].delay;

  for (i = 0; i < n; i++) {
    if (r[i].made_at < run->from || r[i].arrived_at == LAB_NEVER)
      continue;
    w[waits++] = (double) r[i].wait / 1e6;
    if (r[i].last)
      d[frames++] = (double) (r[i].arrived_at - r[i].made_at - way) / 1e6;
  }
  *wait = percentile (w, waits, .95);
  *delay = percentile (d, frames, .95);
  free (w);
  free (d);
}

static double
loss (const LabRun * run)
{
  double sent = 0, lost = 0;
  unsigned f;
  size_t n, i;

  for (f = 0; f < run->n_media; f++) {
    const LabRecord *r = lab_media_records (run->media[f], &n);

    for (i = 0; i < n; i++)
      if (r[i].sent_at >= run->from && r[i].sent_at < run->to - 2 * S) {
        sent++;
        lost += r[i].arrived_at == LAB_NEVER;
      }
  }
  return sent > 0 ? 100 * lost / sent : NAN;
}

static double
jain (const LabRun * run)
{
  double sum = 0, squares = 0;
  unsigned i;

  for (i = 0; i < run->n_media; i++) {
    double bits = media_bits (run->media[i], 0, run->from, run->to);

    sum += bits;
    squares += bits * bits;
  }
  return run->n_media > 1 && squares > 0 ?
      sum * sum / (run->n_media * squares) : NAN;
}

static double
share (const LabRun * run, int64_t from, int64_t to)
{
  double media = all_bits (run, 0, from, to) / run->n_media;
  double tcp = tcp_bits (run, from, to) / run->n_tcp;

  return media + tcp > 0 ? media / (media + tcp) : 0;
}

static void
measure_change (const LabCase * c, const LabRun * run,
    double figures[LAB_N_FIGURES])
{
  int64_t down = c->down_at * S, up = c->up_at * S, calm = down, t;
  double capacity, share = c->returned > 0 ? c->returned : .9;
  size_t n, i;
  const LabRecord *r = lab_media_records (run->media[0], &n);

  figures[LAB_PEAK] = figures[LAB_DOWN] = figures[LAB_UP] = NAN;
  for (i = 0; down > 0 && i < n; i++) {
    if (r[i].sent_at < down || r[i].sent_at >= down + 5 * S)
      continue;
    figures[LAB_PEAK] = fmax (figures[LAB_PEAK], (double) r[i].wait / 1e6);
    if (r[i].wait > CALM && r[i].arrived_at != LAB_NEVER)
      calm = r[i].sent_at;
  }
  if (down > 0)
    figures[LAB_DOWN] = (double) (calm - down) / 1e9;
  if (up == 0 && c->returned == 0)
    return;
  figures[LAB_UP] = INFINITY;
  for (t = up; t + WINDOW <= run->to; t += WINDOW / 10) {
    capacity = lab_direction_capacity (run->forward, t, t + WINDOW);
    if (all_bits (run, up, t, t + WINDOW) >= share * capacity && capacity > 0) {
      figures[LAB_UP] = (double) (t + WINDOW - up) / 1e9;
      break;
    }
  }
}

void
lab_figures (const LabCase * c, const LabRun * run,
    double figures[LAB_N_FIGURES])
{
  double wait, delay;
  int64_t t;
  unsigned i;

  for (i = 0; i < LAB_N_FIGURES; i++)
    figures[i] = NAN;
  figures[LAB_USE] = all_bits (run, 0, run->from, run->to)
      / lab_direction_capacity (run->forward, run->from, run->to);
  for (i = 0; i < run->n_media; i++) {
    delays (run, i, &wait, &delay);
    figures[LAB_WAIT] = fmax (figures[LAB_WAIT], wait);
    figures[LAB_DELAY] = fmax (figures[LAB_DELAY], delay);
  }
  figures[LAB_LOSS] = loss (run);
  figures[LAB_JAIN] = jain (run);
  if (run->n_tcp > 0) {
    figures[LAB_SHARE] = share (run, run->from, run->to);
    for (t = run->from; t + 10 * S <= run->to; t += S)
      figures[LAB_WORST] =
          fmin (figures[LAB_WORST], share (run, t, t + 10 * S));
  }
  measure_change (c, run, figures);
}
