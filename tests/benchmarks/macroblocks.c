/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * mpeg-macroblocks FILE [ROUNDS]: what reading a stream's macroblocks costs,
 * and writing them again unchanged: coded anew, and copied as bits. The fastest
 * of so many rounds, as user time a frame. For comparison:
 * ffmpeg -benchmark -threads 1 -i FILE -f null -
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include <mpeg2/slicewriter.h>

typedef enum
{
  READ, PUT, COPY, N_WAYS
} Way;

static const char *const names[N_WAYS] = { "read", "read and write",
  "read and copy"
};

static bool
do_slice (const M2vPictureParams * picture, const M2vVlc * vlc,
    const uint8_t * data, size_t size, Way way, M2vSliceWriter * w)
{
  static M2vMacroblock mb;
  M2vSliceReader r;

  if (!m2v_slice_reader_begin (&r, picture, vlc, data, size))
    return false;
  if (way != READ)
    m2v_slice_writer_begin (w, &r.slice, r.slice.quantiser);
  while (m2v_slice_reader_next (&r, &mb)) {
    if (way == PUT)
      m2v_slice_writer_put (w, &mb);
    else if (way == COPY)
      m2v_slice_writer_copy (w, &mb, data);
  }
  if (way != READ)
    m2v_slice_writer_end (w, r.n_trailing);
  return !r.error;
}

/* False where a picture could not be read, or came out otherwise. */
static bool
do_picture (const M2vVlc * vlc, const M2vSequence * sequence,
    const M2vPicture * span, const uint8_t * data, Way way, uint8_t * out)
{
  const uint8_t *slices = data + span->begin + span->slices.offset;
  size_t size = span->slices.size, position = 0;
  M2vSliceWriter w;
  M2vPictureParams picture;
  M2vRange range;

  if (!m2v_picture_params_init (&picture, sequence, span))
    return false;
  m2v_slice_writer_init (&w, &picture, vlc, out,
      size + M2V_SLICE_WRITER_RESERVE);
  while (m2v_slices_next (slices, size, &position, &range)) {
    if (!m2v_is_slice (slices + range.offset, range.size))
      m2v_slice_writer_bytes (&w, slices + range.offset, range.size);
    else if (!do_slice (&picture, vlc, slices + range.offset, range.size, way,
            &w))
      return false;
  }
  return way == READ || (m2v_slice_writer_finish (&w) == size
      && memcmp (out, slices, size) == 0);
}

/* Returns the frames, 0 where something went wrong. */
static unsigned
do_stream (const M2vVlc * vlc, const uint8_t * data, size_t size, Way way,
    uint8_t * out)
{
  M2vSplitter splitter;
  M2vPicture span;
  size_t position = 0;
  unsigned fields = 0;

  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, data, size, &position, &span)) {
    if (span.kind != M2V_SPAN_PICTURE)
      continue;
    if (!span.valid
        || !do_picture (vlc, &splitter.sequence, &span, data, way, out))
      return 0;
    fields += span.coding.structure == M2V_FRAME_PICTURE ? 2 : 1;
  }
  return fields / 2;
}

int
main (int argc, char **argv)
{
  static M2vVlc vlc;
  int rounds = argc > 2 ? atoi (argv[2]) : 3;
  size_t size = 0;
  uint8_t *data, *out;

  if (argc < 2 || !(data = load (argv[1], &size)) || !(out =
          malloc (size + M2V_SLICE_WRITER_RESERVE)))
    return 1;
  m2v_vlc_init (&vlc);
  for (Way way = READ; way < N_WAYS; way++) {
    double best = 1e9;
    unsigned frames = 0;

    for (int i = 0; i < rounds; i++) {
      double begin = user_time (), taken;

      frames = do_stream (&vlc, data, size, way, out);
      taken = user_time () - begin;
      best = taken < best ? taken : best;
    }
    if (frames == 0) {
      fprintf (stderr, "%s: %s failed\n", argv[1], names[way]);
      return 1;
    }
    printf ("%s: %.4f ms a frame, %.2f ns a bit\n", names[way],
        best * 1e3 / frames, best * 1e9 / (8.0 * (double) size));
  }
  free (out);
  free (data);
  return 0;
}
