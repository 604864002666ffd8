/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"

static LabMediaConfig
media_config (const LabCase * c, const LabRun * run, const char *source,
    double start, double stop, double delay)
{
  LabMediaConfig m = {
    .controller = run->controller,
    .parameters = run->parameters,
    .source = run->source ? run->source : source,
    /* No two sessions begin at the same phase of a clock. */
    .start = (int64_t) (start * 1e9) + (int64_t) (run->n_media * 1370000),
    .stop = (int64_t) (stop * 1e9),
    .delay = (int64_t) (delay * 1e6),
    .most_until = (int64_t) (c->most_until * 1e9),
    .most = c->most,
    .unproved_bitrate = c->unproved,
    .lies = c->lies,
    .clock_at = (int64_t) (c->clock_at * 1e9),
    .clock_by = (int64_t) (c->clock_by * 1e6),
    .ecn = c->ecn,
    .seed = run->seed
  };

  if (run->n_media == 1 && c->pause_to > 0) {
    m.pause_from = (int64_t) (c->pause_from * 1e9);
    m.pause_to = (int64_t) (c->pause_to * 1e9);
  }
  return m;
}

static void
add_flow (const LabCase * c, LabRun * run, const char *kind, double start,
    double stop, double delay)
{
  const char *argument = strchr (kind, ':') ? strchr (kind, ':') + 1 : "";
  bool back = strncmp (kind, "back-", 5) == 0;
  const char *every = strchr (argument, '/');
  LabDirection *forward = back ? run->back : run->forward;

  if (strncmp (back ? kind + 5 : kind, "media", 5) == 0) {
    LabMediaConfig m = media_config (c, run, argument, start, stop, delay);

    run->media[run->n_media] = lab_media_new (&run->calendar, run->n_flows,
        &m, forward, back ? run->forward : run->back);
    run->config[run->n_media] = m;
    run->reverse[run->n_media++] = back;
  } else {
    LabTcpConfig t = {
      .reno = kind[0] == 'r' || kind[0] == 'f',
      .files = kind[0] == 'f',
      .page = kind[0] == 'p' ? atoi (argument) * 1000 : 0,
      .page_interval = (int64_t) ((every ? atof (every + 1) : 5) * 1e9),
      .rate = strncmp (kind, "constant", 8) == 0 ? atoi (argument) * 1000 : 0,
      .start = (int64_t) (start * 1e9),
      .stop = (int64_t) (stop * 1e9),
      .seed = run->seed
    };

    run->tcp[run->n_tcp++] = lab_tcp_new (&run->calendar, run->n_flows, &t,
        run->forward, run->back);
  }
  run->n_flows++;
}

static void
add_flows (const LabCase * c, LabRun * run)
{
  char *word, *rest = NULL;
  int i;

  snprintf (run->flows, sizeof run->flows, "%s", c->flows);
  for (word = strtok_r (run->flows, " ", &rest); word;
      word = strtok_r (NULL, " ", &rest)) {
    char *delay = strchr (word, '+'), *at = strchr (word, '@');
    char *many = strchr (word, '*');
    char *stop = at ? strchr (at, '-') : NULL;
    double start = at ? atof (at + 1) : 0;
    int n = many ? atoi (word) : 1;

    word = many ? many + 1 : word;
    if (at)
      *at = '\0';
    if (delay)
      *delay = '\0';
    for (i = 0; i < n; i++)
      add_flow (c, run, word, start + i * c->stagger,
          stop ? atof (stop + 1) : 0, delay ? atof (delay + 1) : 0);
  }
}

static void
trace_packets (const LabRun * run, FILE * trace)
{
  unsigned i;
  size_t k, n;

  fprintf (trace, "flow,frame,made,sent,arrived,wait,payload,target\n");
  for (i = 0; i < run->n_media; i++) {
    const LabRecord *r = lab_media_records (run->media[i], &n);

    for (k = 0; k < n; k++)
      fprintf (trace, "%u,%u,%.6f,%.6f,%.6f,%.3f,%u,%lld\n", i, r[k].frame,
          (double) r[k].made_at / 1e9, r[k].sent_at == LAB_NEVER ? -1 :
          (double) r[k].sent_at / 1e9, r[k].arrived_at == LAB_NEVER ? -1 :
          (double) r[k].arrived_at / 1e9, (double) r[k].wait / 1e6,
          r[k].payload, (long long) lab_media_target (run->media[i],
              r[k].made_at));
  }
}

void
lab_run (const LabCase * c, const char *controller, const double *parameters,
    const char *source, uint64_t seed, double figures[LAB_N_FIGURES],
    FILE * trace)
{
  LabRun run = {
    .controller = controller,
    .parameters = parameters,
    .source = source,
    .seed = seed,
    .from = c->from * INT64_C (1000000000),
    .to = c->end * INT64_C (1000000000)
  };
  LabWay back = c->back;
  unsigned i;

  if (!back.link)
    back.link = "delay=20ms";
  run.forward = lab_direction_new (&run.calendar, &c->forward, seed);
  run.back = lab_direction_new (&run.calendar, &back, seed + 1000000);
  add_flows (c, &run);
  lab_calendar_run (&run.calendar, run.to);
  lab_figures (c, &run, figures);
  if (trace)
    trace_packets (&run, trace);
  lab_calendar_clear (&run.calendar);
  for (i = 0; i < run.n_media; i++)
    lab_media_free (run.media[i]);
  for (i = 0; i < run.n_tcp; i++)
    lab_tcp_free (run.tcp[i]);
  lab_direction_free (run.forward);
  lab_direction_free (run.back);
}
