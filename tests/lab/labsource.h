/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A source of media: an encoder that obeys a target as encoders do, late and
 * roughly. It is a table of functions and a state.
 */
#ifndef TESTS_LAB_LABSOURCE_H
#define TESTS_LAB_LABSOURCE_H

#include <stddef.h>
#include <stdint.h>

/* the limit on packets of one frame */
#define LAB_FRAME_PACKETS 4096

typedef struct LabSource LabSource;
typedef struct LabSourceClass LabSourceClass;

struct LabSourceClass
{
  const char *name, *blurb;
  /* `bitrate` is in force at the start, bits/s of payload. */
  LabSource *(*create) (const LabSourceClass * klass, int64_t bitrate,
      uint64_t seed);
  void (*free) (LabSource * s);
  void (*set_target) (LabSource * s, int64_t now, int64_t bitrate);
  /* Returns when the next frame comes. */
    int64_t (*next) (const LabSource * s);
  /* Writes the bytes of payload of each packet of the frame of that time.
   * Returns the number of packets. */
  size_t (*take) (LabSource * s, int64_t now,
      uint32_t payloads[LAB_FRAME_PACKETS]);
};

struct LabSource
{
  const LabSourceClass *klass;
};

/* Returns NULL if there is no such source. */
LabSource *lab_source_new (const char *name, int64_t bitrate, uint64_t seed);
/* All sources; a NULL name ends the list. */
extern const LabSourceClass lab_sources[];

#endif
