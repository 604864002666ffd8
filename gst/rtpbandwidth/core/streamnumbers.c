/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "streamnumbers.h"

#include <string.h>

/* Packets; a receiver names no older ones, because one report covers at
 * most a quarter of the sequence space (RFC 8888 section 3.1). Once
 * this many packets have counted, every number may be one of them. */
#define OLDEST 16384

static PspNumberedStream *
find (PspStreamNumbers * s, uint32_t ssrc)
{
  for (unsigned i = 0; i < PSP_MAX_SERIES; i++)
    if (s->streams[i].last > 0 && s->streams[i].ssrc == ssrc)
      return &s->streams[i];
  return NULL;
}

/* Returns the stream with this SSRC. A new one takes a free place, or the
 * place of the one that was silent for longest. */
static PspNumberedStream *
take (PspStreamNumbers * s, uint32_t ssrc)
{
  PspNumberedStream *stream = find (s, ssrc);

  if (!stream) {
    stream = &s->streams[0];
    for (unsigned i = 1; i < PSP_MAX_SERIES; i++)
      if (s->streams[i].last < stream->last)
        stream = &s->streams[i];
    memset (stream, 0, sizeof *stream);
    stream->ssrc = ssrc;
  }
  stream->last = ++s->packets;
  return stream;
}

PspKey
psp_stream_numbers_count (PspStreamNumbers * s, uint32_t ssrc,
    uint16_t number, uint32_t * last_series)
{
  PspNumberedStream *stream = take (s, ssrc);
  PspKey key;

  if (stream->counted == 0) {
    stream->series = ++*last_series;
    stream->first = number;
  }
  if (stream->counted < OLDEST)
    stream->counted++;
  key.series = stream->series;
  key.number = number;
  return key;
}

void
psp_stream_numbers_pass (PspStreamNumbers * s, uint32_t ssrc)
{
  take (s, ssrc);
}

bool
psp_stream_numbers_end (PspStreamNumbers * s)
{
  bool begun = false;

  for (unsigned i = 0; i < PSP_MAX_SERIES; i++) {
    begun |= s->streams[i].counted > 0;
    s->streams[i].counted = 0;
  }
  return begun;
}

bool
psp_stream_numbers_has (const PspStreamNumbers * s, uint32_t ssrc)
{
  for (unsigned i = 0; i < PSP_MAX_SERIES; i++)
    if (s->streams[i].last > 0 && s->streams[i].ssrc == ssrc)
      return true;
  return false;
}

static const PspNumberedStream *
find_counted (const PspStreamNumbers * s, const PspKey * key)
{
  for (unsigned i = 0; i < PSP_MAX_SERIES; i++) {
    const PspNumberedStream *stream = &s->streams[i];

    if (stream->ssrc != key->series || stream->counted == 0)
      continue;
    return stream->counted == OLDEST
        || psp_seq_distance (key->number, stream->first) >= 0 ? stream : NULL;
  }
  return NULL;
}

size_t
psp_stream_numbers_translate (const PspStreamNumbers * s,
    PspAcknowledgement * acknowledgements, size_t n)
{
  size_t used = 0;

  for (size_t i = 0; i < n; i++) {
    const PspNumberedStream *stream =
        find_counted (s, &acknowledgements[i].key);

    if (!stream)
      continue;
    acknowledgements[used] = acknowledgements[i];
    acknowledgements[used++].key.series = stream->series;
  }
  return used;
}
