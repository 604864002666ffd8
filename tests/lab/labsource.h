/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Where media comes from: an encoder that obeys a target as encoders do, late
 * and roughly. A source is a table of functions and a state.
 */
#ifndef TESTS_LAB_LABSOURCE_H
#define TESTS_LAB_LABSOURCE_H

#include <stddef.h>
#include <stdint.h>

/* The most packets of one frame. */
#define LAB_FRAME_PACKETS 4096

typedef struct LabSource LabSource;
typedef struct LabSourceClass LabSourceClass;

struct LabSourceClass
{
  const char *name, *blurb;
  /* bitrate: in force at the start, bits/s of payload */
  LabSource *(*create) (const LabSourceClass * klass, int64_t bitrate,
      uint64_t seed);
  void (*free) (LabSource * s);
  void (*set_target) (LabSource * s, int64_t now, int64_t bitrate);
  /* When the next frame comes. */
    int64_t (*next) (const LabSource * s);
  /* The frame of that time: bytes of payload of each of its packets; returns
   * how many. */
  size_t (*take) (LabSource * s, int64_t now,
      uint32_t payloads[LAB_FRAME_PACKETS]);
};

struct LabSource
{
  const LabSourceClass *klass;
};

/* NULL: there is no such source. */
LabSource *lab_source_new (const char *name, int64_t bitrate, uint64_t seed);
/* All sources; a NULL name ends the list. */
extern const LabSourceClass lab_sources[];

#endif
