/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Runs one case with one controller and one seed, and computes its figures.
 */
#ifndef TESTS_LAB_RUN_H
#define TESTS_LAB_RUN_H

#include <stdio.h>

#include "cases.h"
#include "media.h"

/* NAN = the case has no such figure; INFINITY = it never came to that. */
typedef enum
{
  LAB_USE,                      /* received by all media flows, IP bytes, over
                                   the capacity */
  LAB_WAIT,                     /* 95th percentile of the wait in the queue,
                                   ms, of the worst flow */
  /* 95th percentile of a frame's delay, ms, of the worst flow: from its
   * creation to its last packet's arrival, less propagation */
  LAB_DELAY,
  LAB_LOSS,                     /* % of what was sent */
  LAB_SHARE,                    /* a media flow's mean over that and a TCP
                                   flow's */
  LAB_WORST,                    /* the least LAB_SHARE in 10 s */
  LAB_JAIN,                     /* fairness of the media flows (R. Jain 1984) */
  LAB_PEAK,                     /* the longest wait in 5 s after the drop, ms */
  LAB_DOWN,                     /* s until no packet waits for 30 ms or more */
  LAB_UP,                       /* s until .9 of the capacity is received over
                                   300 ms */
  LAB_N_FIGURES
} LabFigure;

extern const char *const lab_figure_names[LAB_N_FIGURES];

/* Runs a case. `trace` gets a line for each packet; NULL = none. */
void lab_run (const LabCase * c, const char *controller,
    const double *parameters, const char *source, uint64_t seed,
    double figures[LAB_N_FIGURES], FILE * trace);

#endif
