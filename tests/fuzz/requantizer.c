/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as video, requantized: four octets of settings, eight of how much
 * coarser macroblocks are wanted in turn, then the stream.
 */
#include "requantizer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

#define N_SETTINGS 4
#define N_WANTED 8

typedef struct
{
  const uint8_t *wanted;        /* added to the source's */
  const ScalerPicture *picture;
  size_t size;                  /* of its slices */
  size_t bits_in;
} Control;

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

static unsigned
answer (void *user, const ScalerRequest * request)
{
  Control *c = user;

  check (request->address < c->picture->columns * c->picture->rows);
  check (request->bits_in > c->bits_in && request->bits_in < 8 * c->size);
  check (request->code >= 1 && request->code <= 31);
  check (request->scale >= 1 && request->scale <= 112);
  c->bits_in = request->bits_in;
  return request->code + c->wanted[request->address % N_WANTED] - 1;
}

/* Whether it can be read; counts its coefficients. */
static bool
is_readable (const ScalerPicture * p, const ScalerVlc * vlc,
    const uint8_t * slices, size_t size, uint64_t * n)
{
  static ScalerMacroblock mb;
  size_t position = 0;
  MpegRange range;

  *n = 0;
  while (scaler_slices_next (slices, size, &position, &range)) {
    const uint8_t *data = slices + range.offset;
    ScalerSliceReader r;

    if (!scaler_is_slice (data, range.size))
      continue;
    scaler_slice_reader_begin (&r, p, vlc, data, range.size);
    while (scaler_slice_reader_next (&r, &mb)) {
      for (unsigned i = 0; i < p->n_blocks; i++)
        *n += mb.n_coefficients[i];
    }
    if (r.error)
      return false;
  }
  return true;
}

static void
check_picture (ScalerRequantizer * r, const ScalerVlc * vlc,
    const ScalerSource * source, const uint8_t * wanted)
{
  const MpegRange *slices = &source->picture->slices;
  size_t capacity = slices->size + SCALER_REQUANTIZER_RESERVE;
  uint8_t *out = malloc (capacity);
  bool readable, done;
  ScalerPicture picture;
  Control control = { wanted, &picture, slices->size, 0 };
  ScalerController controller = { answer, &control };
  ScalerRequantized result;
  uint64_t n_in = 0, n_out;

  check (out != NULL);
  readable = source->picture->kind == MPEG_SPAN_PICTURE
      && source->picture->valid
      && scaler_picture_init (&picture, source->sequence, source->picture)
      && is_readable (&picture, vlc, source->data + slices->offset,
      slices->size, &n_in);
  scaler_requantizer_analyse (r, source);
  done = scaler_requantizer_picture (r, source, &controller, out, capacity,
      &result);
  check (done == readable);
  if (done) {
    check (result.size_in == slices->size);
    check (result.size_out > 0 && result.size_out <= result.size_in);
    check (result.n_copied <= result.n_slices);
    check (result.mean_in <= 112 && result.mean_out <= 112);
    check (is_readable (&picture, vlc, out, result.size_out, &n_out));
    check (result.kept == n_out
        && result.kept + result.dropped == n_in + result.gained);
  }
  free (out);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static ScalerVlc vlc;
  ScalerRequantizer *r;
  MpegSplitter splitter;
  MpegPicture span;
  size_t position = N_SETTINGS + N_WANTED;
  ScalerRequantizerSettings settings;

  if (size < position)
    return 0;
  scaler_vlc_init (&vlc);
  r = scaler_requantizer_new ();
  check (r != NULL);
  settings = scaler_requantizer_defaults;
  settings.rounding.intra = data[0] % 16;
  settings.rounding.non_intra = data[0] / 16;
  settings.max_code = data[1];
  settings.hysteresis = data[2];
  settings.hysteresis_from = data[3];
  scaler_requantizer_set (r, &settings);
  mpeg_splitter_init (&splitter);
  while (mpeg_splitter_next (&splitter, data, size, &position, &span)) {
    ScalerSource source = { &splitter.sequence, &span, data + span.begin,
      &splitter.matrices
    };

    if (splitter.has_sequence)
      check_picture (r, &vlc, &source, data + N_SETTINGS);
  }
  scaler_requantizer_free (r);
  return 0;
}
