/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Encoders as they were recorded: tests/sources.
 */
#include "recorded.h"

#include <source.h>
#include <stdlib.h>

typedef struct
{
  LabSource source;
  Source recorded;
} Recorded;

LabSource *
lab_recorded_new (const LabSourceClass * klass, int64_t bitrate, uint64_t seed)
{
  Recorded *r = calloc (1, sizeof *r);

  r->source.klass = klass;
  source_init (&r->recorded, source_encoder (klass->name), bitrate, 0,
      (uint32_t) seed);
  return &r->source;
}

void
lab_recorded_free (LabSource * s)
{
  free (s);
}

void
lab_recorded_set_target (LabSource * s, int64_t now, int64_t bitrate)
{
  source_set_target (&((Recorded *) s)->recorded, bitrate, now);
}

int64_t
lab_recorded_next (const LabSource * s)
{
  return source_due (&((const Recorded *) s)->recorded);
}

size_t
lab_recorded_take (LabSource * s, int64_t now,
    uint32_t payloads[LAB_FRAME_PACKETS])
{
  SourcePacket packet;
  size_t n = 0;

  while (n < LAB_FRAME_PACKETS
      && source_take (&((Recorded *) s)->recorded, now, &packet))
    payloads[n++] = packet.size - SOURCE_RTP_HEADER;
  return n;
}
