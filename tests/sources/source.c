/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "source.h"

#include <math.h>
#include <string.h>

#include "trace.h"

/* Delimiters and parameter sets, whose size no rate changes. */
#define SMALL_UNIT 64

const SourceEncoder *
source_encoder (const char *name)
{
  unsigned i;

  for (i = 0; source_encoders[i]; i++)
    if (strcmp (source_encoders[i]->name, name) == 0)
      break;
  return source_encoders[i];
}

const char *
source_encoder_name (const SourceEncoder * encoder)
{
  return encoder->name;
}

int64_t
source_encoder_period (const SourceEncoder * encoder)
{
  return encoder->period;
}

/* splitmix64's output function: neighbouring seeds begin far apart. */
static uint64_t
mix (uint64_t x)
{
  x += UINT64_C (0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C (0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* By ratio. */
static const Trace *
nearest (const SourceEncoder * encoder, double rate)
{
  const Trace *fixed = encoder->fixed;
  unsigned i;

  for (i = 0; i + 1 < TRACE_TARGETS; i++)
    if (rate * rate < (double) fixed[i].target * fixed[i + 1].target)
      break;
  return &fixed[i];
}

/* The next key frame from `position` on; there is one in each trace. */
static uint32_t
key_frame (const Trace * trace, uint32_t position)
{
  uint32_t i;

  for (i = 0; i < trace->frames; i++)
    if (trace->key[(position + i) % trace->frames])
      break;
  return (position + i) % trace->frames;
}

void
source_init (Source * source, const SourceEncoder * encoder,
    int64_t target, int64_t start, uint32_t seed)
{
  unsigned i;

  memset (source, 0, sizeof *source);
  source->encoder = encoder;
  source->due = start;
  source->target = target;
  for (i = 0; i < SOURCE_MAX_RESPONSE; i++)
    source->obeyed[i] = target;
  source->position = (uint32_t) (mix (seed) % encoder->fixed[0].frames);
  source->restart = true;
}

void
source_set_target (Source * source, int64_t target, int64_t now)
{
  source->before = source->target;
  source->target = target;
  source->told = now;
}

int64_t
source_due (const Source * source)
{
  return source->due;
}

static int64_t
obeyed (const Source * source, unsigned frames_ago)
{
  return source->obeyed[(source->now + SOURCE_MAX_RESPONSE - frames_ago)
      % SOURCE_MAX_RESPONSE];
}

/* What the encoder makes now: each change of its target by as much as it has
 * obeyed. An undershoot leaves a tenth, for skipped blocks are coded, too. */
static double
rate (const Source * source)
{
  const TraceResponse *response = source->encoder->response;
  double sum = (double) obeyed (source, 0);
  unsigned n;

  for (n = 0; n < TRACE_RESPONSE; n++) {
    double change = (double) (obeyed (source, n) - obeyed (source, n + 1));

    if (change > 0)
      sum -= change * (1 - response->up[n]);
    else if (change < 0)
      sum -= change * (1 - response->down[n]);
  }
  return fmax (sum, (double) obeyed (source, 0) / 10);
}

static double
frame_bytes (const Trace * trace, uint32_t position)
{
  double bytes = 0;
  uint32_t p;

  for (p = trace->first[position]; p < trace->first[position + 1]; p++)
    bytes += trace->sizes[p];
  return bytes;
}

/* What the frame's sizes are multiplied by. Between two targets it is on the
 * way from the nearest trace to what it is in the other, by ratio: key frames
 * and others do not grow alike. Beyond all targets it is in proportion. */
static double
scale (const Source * source, const Trace * trace, double bits)
{
  const Trace *fixed = source->encoder->fixed;
  const Trace *other = bits < (double) trace->target ? trace - 1 : trace + 1;
  double ratio = bits / (double) trace->target, bytes;

  if (other < fixed || other == fixed + TRACE_TARGETS)
    return ratio;
  bytes = frame_bytes (other, source->picture);
  if (bytes == 0)
    return ratio;
  return pow (bytes / frame_bytes (trace, source->picture), log (ratio) /
      log ((double) other->target / (double) trace->target));
}

static void
advance (Source * source)
{
  source->position = (source->position + 1) % source->encoder->fixed[0].frames;
  source->due += source->encoder->period;
  source->trace = NULL;
}

/* The encoder's clock goes on where nothing may leave; encoderbitrate does not
 * tell it of a 0. */
static void
begin_frame (Source * source)
{
  int64_t target = source->due < source->told ? source->before : source->target;
  bool stopped = target <= 0;
  const Trace *trace;
  double bits;

  if (stopped)
    target = obeyed (source, 0);
  source->now = (source->now + 1) % SOURCE_MAX_RESPONSE;
  source->obeyed[source->now] = target;
  source->restart |= stopped;
  bits = rate (source);
  trace = nearest (source->encoder, bits);
  source->picture = source->restart && !stopped ?
      key_frame (trace, source->position) : source->position;
  source->packet = trace->first[source->picture];
  if (stopped || source->packet == trace->first[source->picture + 1]) {
    advance (source);
    return;
  }
  source->restart = false;
  source->trace = trace;
  source->cuts = 0;
  source->scale = source->encoder->scaled ? scale (source, trace, bits) : 1;
  source->frame++;
}

/* What the payloader cuts into full packets and a rest: a NAL unit; or the
 * frame, where a packet holds slices. */
static void
begin_unit (Source * source, const Trace * trace, uint32_t end)
{
  bool whole = source->encoder->packed;
  uint32_t size, bytes = 0;

  do {
    size = trace->sizes[source->packet++];
    bytes += size - SOURCE_RTP_HEADER;
  } while ((size >= SOURCE_MTU || whole) && source->packet < end);
  if (bytes > SMALL_UNIT)
    bytes = (uint32_t) fmax (1, bytes * source->scale + 0.5);
  source->unit = bytes;
}

/* Payload of the next packet. Slices fill packets as they did in the trace,
 * from the first packet on again where there are more of them. */
static uint32_t
cut (const Source * source, const Trace * trace)
{
  uint32_t first = trace->first[source->picture];
  uint32_t n = trace->first[source->picture + 1] - first;
  uint32_t full = source->encoder->packed ?
      trace->sizes[first + source->cuts % n] : SOURCE_MTU;

  full -= SOURCE_RTP_HEADER;
  return source->unit < full ? source->unit : full;
}

bool
source_take (Source * source, int64_t now, SourcePacket * packet)
{
  const Trace *trace;
  uint32_t end, payload;

  while (source->due <= now && !source->trace)
    begin_frame (source);
  if (source->due > now)
    return false;

  trace = source->trace;
  end = trace->first[source->picture + 1];
  if (source->unit == 0)
    begin_unit (source, trace, end);
  payload = cut (source, trace);
  source->unit -= payload;
  source->cuts++;
  packet->at = source->due;
  packet->size = payload + SOURCE_RTP_HEADER;
  packet->frame = source->frame;
  packet->key = trace->key[source->picture];
  packet->last = source->unit == 0 && source->packet == end;
  if (packet->last)
    advance (source);
  return true;
}
