/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The cases of the laboratory. A case is a path, the flows on it, and what is
 * measured when.
 */
#ifndef TESTS_LAB_CASES_H
#define TESTS_LAB_CASES_H

#include "path.h"

typedef struct
{
  const char *name, *blurb;
  /* the two directions; `back` without a link has only its delay */
  LabWay forward, back;
  /* Flows, separated by spaces: [N*]KIND[:ARGUMENT][@START[-STOP]][+DELAY].
   * Times in s, the delay of its own, each way, in ms. Kinds: media:SOURCE,
   * cubic, reno, files, pages:KB[/S] each S s, else each 5, constant:RATE;
   * back-media runs the other way.
   * With N, each starts `stagger` seconds after the one before. */
  const char *flows;
  double stagger;
  int end, from;                /* s; figures are of [from, end) */
  int down_at, up_at;           /* s; the capacity changes; 0 = it does not */
  double returned;              /* share that counts as back; 0 = .9 */
  int pause_from, pause_to;     /* s; the second media flow pauses */
  /* s; sources produce at most `most` until then */
  int most_until;
  int64_t most;                 /* bits/s */
  int64_t unproved;             /* bits/s, asked for; 0 = pspsink's default */
  bool lies;                    /* lost packets are claimed to have come */
  /* s, ms; when the receivers' clocks are set forward, and by how much */
  int clock_at, clock_by;
  uint8_t ecn;                  /* of the media: 2 = ECT(0), 1 = ECT(1) */
} LabCase;

/* A NULL name ends the list. */
extern const LabCase lab_cases[];
const LabCase *lab_case_find (const char *name);

#endif
