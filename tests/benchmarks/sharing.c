/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * How controllers share a bottleneck with themselves, in virtual time: a line
 * for each controller, network and number of flows, over several seeds.
 *
 *   psp-sharing [CONTROLLER[,CONTROLLER]...] [SEEDS]
 *
 * Flows start 10 s apart; figures are over the last half of what follows the
 * last start, `converged` is the time from there until ten seconds begin with
 * a Jain index of .95 (a dash: some seed never).
 */
#include <stdio.h>
#include <stdlib.h>

#include "../check/control/sharing.h"

#define STAGGER 10              /* s */

static const struct
{
  const char *name, *spec;
  int64_t rate, access_rate, access_delay, back_delay;
  uint32_t payload;
  int after;                    /* s from the last start on */
} networks[] = {
  {"2 Mb/s, 40 ms, 10 packets", "rate=2M,delay=20ms,queue=10p",
      2000000, 100000000, 0, 20 * PSP_MSECOND, 1200, 240},
  {"20 Mb/s, 40 ms, 50 packets", "rate=20M,delay=20ms,queue=50p",
      20000000, 100000000, 0, 20 * PSP_MSECOND, 1200, 120},
  {"100 Mb/s, 84 ms, 10 packets", "rate=100M,delay=40ms,queue=10p",
      100000000, 1000000000, 2 * PSP_MSECOND, 42 * PSP_MSECOND, 1388, 120},
  {"155 Mb/s, 84 ms, 10 packets", "rate=155M,delay=40ms,queue=10p",
      155000000, 100000000, 2 * PSP_MSECOND, 42 * PSP_MSECOND, 1388, 120},
};

static const unsigned flows[] = { 1, 2, 4, 8 };

typedef struct
{
  double mean, min, max;
  int n;
} Figure;

static void
add (Figure * f, double value)
{
  f->min = f->n == 0 || value < f->min ? value : f->min;
  f->max = f->n == 0 || value > f->max ? value : f->max;
  f->mean += (value - f->mean) / ++f->n;
}

static void
measure (const char *controller, unsigned network, unsigned n_flows, int seeds)
{
  Figure jain = { 0 }, use = { 0 }, loss = { 0 }, time = { 0 };
  int last = (int) (n_flows - 1) * STAGGER;
  int end = last + networks[network].after, seed;
  int from = end - networks[network].after / 2, converged;

  for (seed = 1; seed <= seeds; seed++) {
    SharingConfig config = {
      .controller = controller,
      .n_flows = n_flows,
      .bottleneck = networks[network].spec,
      .access_rate = networks[network].access_rate,
      .access_delay = networks[network].access_delay,
      .access_queue = 10,
      .back_delay = networks[network].back_delay,
      .stagger = STAGGER * PSP_SECOND,
      .payload = networks[network].payload,
      .seed = (uint32_t) seed
    };
    Sharing *s = sharing_new (&config);

    sharing_run (s, end * PSP_SECOND);
    add (&jain, sharing_jain (s, from, end));
    add (&use, sharing_use (s, networks[network].rate, from, end));
    add (&loss, sharing_loss (s, from, end));
    converged = sharing_convergence (s, 0.95, 10, end);
    if (converged >= 0)
      add (&time, converged);
    sharing_free (s);
  }
  printf ("%-28s %-13s %u flows: Jain %.3f (%.3f-%.3f), use %.3f "
      "(%.3f-%.3f), loss %.4f, converged ", networks[network].name, controller,
      n_flows, jain.mean, jain.min, jain.max, use.mean, use.min, use.max,
      loss.mean);
  if (time.n < seeds)
    printf ("%d of %d\n", time.n, seeds);
  else
    printf ("%.1f s (%.0f-%.0f)\n", time.mean, time.min, time.max);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  char all[] = "psp,damped-psp,rap-psp,scp";
  char *list = argc > 1 ? argv[1] : all, *name, *rest = NULL;
  int seeds = argc > 2 ? atoi (argv[2]) : 5;
  unsigned i, k;

  for (name = strtok_r (list, ",", &rest); name;
      name = strtok_r (NULL, ",", &rest)) {
    if (!psp_controller_find (name)) {
      fprintf (stderr, "there is no controller %s\n", name);
      return 2;
    }
    for (i = 0; i < sizeof networks / sizeof networks[0]; i++)
      for (k = 0; k < sizeof flows / sizeof flows[0]; k++)
        measure (name, i, flows[k], seeds > 0 ? seeds : 1);
  }
  return 0;
}
