/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Computes the figures of a run of the laboratory.
 */
#ifndef TESTS_LAB_FIGURES_H
#define TESTS_LAB_FIGURES_H

#include "run.h"
#include "tcp.h"

typedef struct
{
  char flows[256];              /* the case's flows, cut into names */
  const char *controller, *source;
  const double *parameters;
  uint64_t seed;
  int64_t from, to;
  LabCalendar calendar;
  LabDirection *forward, *back;
  LabMedia *media[LAB_MAX_FLOWS];
  LabMediaConfig config[LAB_MAX_FLOWS];
  bool reverse[LAB_MAX_FLOWS];
  LabTcp *tcp[LAB_MAX_FLOWS];
  unsigned n_media, n_tcp, n_flows;
} LabRun;

void lab_figures (const LabCase * c, const LabRun * run,
    double figures[LAB_N_FIGURES]);

#endif
