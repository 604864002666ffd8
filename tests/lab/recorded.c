/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Encoders as they were recorded: tests/sources. Their pictures have calm parts
 * that need less than the target; a "busy" source leaves these out.
 */
#include "recorded.h"

#include <source.h>
#include <stdlib.h>
#include <string.h>
#include <trace.h>

#define BUSY "-busy"
#define BUSY_FRAMES 60          /* two seconds have one key frame */
#define BUSY_TRACE 3            /* of 2 Mb/s */
#define BUSY_LEAST .85          /* of the target is made around each frame */

typedef struct
{
  LabSource source;
  Source recorded;
  bool busy;
} Recorded;

static const SourceEncoder *
find (const char *name, bool *busy)
{
  char plain[40];
  size_t n = strlen (name) - strlen (BUSY);

  *busy = strlen (name) > strlen (BUSY) && strcmp (name + n, BUSY) == 0;
  memcpy (plain, name, *busy ? n : strlen (name) + 1);
  if (*busy)
    plain[n] = '\0';
  return source_encoder (plain);
}

LabSource *
lab_recorded_new (const LabSourceClass * klass, int64_t bitrate, uint64_t seed)
{
  Recorded *r = calloc (1, sizeof *r);

  r->source.klass = klass;
  source_init (&r->recorded, find (klass->name, &r->busy), bitrate, 0,
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

/* At 2 Mb/s the pictures around this frame need less. */
static bool
is_calm (const Source * source)
{
  const Trace *t = &source->encoder->fixed[BUSY_TRACE];
  double bits = 0;
  uint32_t i, k, p;

  for (i = 0; i < BUSY_FRAMES; i++) {
    k = (source->position + t->frames + i - BUSY_FRAMES / 2) % t->frames;
    for (p = t->first[k]; p < t->first[k + 1]; p++)
      bits += 8 * (t->sizes[p] - SOURCE_RTP_HEADER);
  }
  return bits < BUSY_LEAST * (double) t->target * BUSY_FRAMES
      * (double) source->encoder->period / 1e9;
}

size_t
lab_recorded_take (LabSource * s, int64_t now,
    uint32_t payloads[LAB_FRAME_PACKETS])
{
  Recorded *r = (Recorded *) s;
  SourcePacket packet;
  size_t n = 0;

  while (r->busy && is_calm (&r->recorded))
    r->recorded.position = (r->recorded.position + 1)
        % r->recorded.encoder->fixed[0].frames;
  while (n < LAB_FRAME_PACKETS && source_take (&r->recorded, now, &packet))
    payloads[n++] = packet.size - SOURCE_RTP_HEADER;
  return n;
}
