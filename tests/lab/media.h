/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A media session: a source, the sender and the receiver of the libraries with
 * their RTCP, and a record of every packet.
 */
#ifndef TESTS_LAB_MEDIA_H
#define TESTS_LAB_MEDIA_H

#include <control/sender.h>

#include "path.h"
#include "labsource.h"

/* What became of a packet; times in ns, LAB_NEVER = not yet. */
typedef struct
{
  int64_t made_at, sent_at, arrived_at;
  int64_t wait;
  uint32_t payload;             /* bytes */
  uint32_t frame;
  bool last;                    /* the last of its frame */
} LabRecord;

typedef struct
{
  const char *controller;
  const double *parameters;     /* NULL = defaults */
  const char *source;
  int64_t start, stop;          /* of the source; stop 0 = never */
  int64_t pause_from, pause_to; /* ns; the source is silent then */
  /* ns; the source produces at most `most` bits/s until then; 0 = no limit */
  int64_t most_until, most;
  int64_t delay;                /* each way, beside the link's */
  int64_t max_bitrate, start_bitrate;   /* 0 = none, 300 kb/s */
  int64_t unproved_bitrate;     /* 0 = 600 kb/s */
  bool lies;                    /* the receiver claims what was lost */
  int64_t clock_at, clock_by;   /* ns; the receiver's clock is set forward */
  uint8_t ecn;                  /* PspEcn that is asked for */
  uint64_t seed;
} LabMediaConfig;

/* A change of the target, for rates in force. */
typedef struct
{
  int64_t at, target;
} LabTarget;

typedef struct LabMedia LabMedia;

LabMedia *lab_media_new (LabCalendar * calendar, unsigned flow,
    const LabMediaConfig * config, LabDirection * forward, LabDirection * back);
void lab_media_free (LabMedia * m);
const LabRecord *lab_media_records (const LabMedia * m, size_t *n);
const LabTarget *lab_media_targets (const LabMedia * m, size_t *n);
void lab_media_stats (const LabMedia * m, PspSenderStats * stats);
int64_t lab_media_target (const LabMedia * m, int64_t at);

#endif
