/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as video, requantized: four octets of settings, eight of how much
 * coarser macroblocks are wanted in turn (from 0xc0 on: a picture that is
 * passed), then the stream.
 */
#include <mpeg2requantize/requantizer.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

#define N_SETTINGS 4
#define N_WANTED 8

typedef struct
{
  const uint8_t *wanted;        /* added to the source's */
  const M2vPictureParams *picture;
  size_t size;                  /* of its slices */
  size_t bits_in;
} Control;

/* Of a picture. */
typedef struct
{
  unsigned n_slices, n_damaged;
  uint64_t n_coefficients;      /* in slices that can be read */
} Content;

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

static unsigned
answer (Control * c, const M2vRequest * request)
{
  check (request->address < c->picture->columns * c->picture->rows);
  check (request->bits_in > c->bits_in && request->bits_in < 8 * c->size);
  check (request->code >= 1 && request->code <= 31);
  check (request->scale >= 1 && request->scale <= 112);
  c->bits_in = request->bits_in;
  return request->code + c->wanted[request->address % N_WANTED] - 1;
}

static bool
read_slice (const M2vPictureParams * p, const M2vVlc * vlc,
    const uint8_t * data, size_t size, uint64_t * n)
{
  static M2vMacroblock mb;
  M2vSliceReader r;

  *n = 0;
  m2v_slice_reader_begin (&r, p, vlc, data, size);
  while (m2v_slice_reader_next (&r, &mb)) {
    for (unsigned i = 0; i < p->n_blocks; i++)
      *n += mb.n_coefficients[i];
  }
  return !r.error;
}

/* Counts what can be read of it. */
static Content
read_slices (const M2vPictureParams * p, const M2vVlc * vlc,
    const uint8_t * slices, size_t size)
{
  Content content = { 0, };
  size_t position = 0;
  M2vRange range;
  uint64_t n;

  while (m2v_slices_next (slices, size, &position, &range)) {
    const uint8_t *data = slices + range.offset;

    if (!m2v_is_slice (data, range.size))
      continue;
    content.n_slices++;
    if (read_slice (p, vlc, data, range.size, &n))
      content.n_coefficients += n;
    else
      content.n_damaged++;
  }
  return content;
}

static void
check_result (const M2vRequantized * result, const Content * in,
    const Content * out)
{
  check (result->size_out > 0 && result->size_out <= result->size_in);
  check (result->n_copied <= result->n_slices);
  check (result->n_damaged <= result->n_copied);
  check (result->mean_in <= 112 && result->mean_out <= 112);
  check (in->n_slices == out->n_slices && in->n_slices == result->n_slices);
  check (in->n_damaged == out->n_damaged && in->n_damaged == result->n_damaged);
  check (result->kept == out->n_coefficients
      && result->kept + result->dropped == in->n_coefficients + result->gained);
}

static void
check_picture (M2vRequantizer * r, const M2vVlc * vlc,
    const M2vSource * source, const uint8_t * wanted)
{
  const M2vRange *slices = &source->picture->slices;
  size_t capacity = slices->size + M2V_REQUANTIZER_RESERVE;
  uint8_t *out = malloc (capacity);
  Content in = { 0, }, after;
  bool done;
  M2vPictureParams picture;
  Control control = { wanted, &picture, slices->size, 0 };
  M2vRequest request;
  M2vRequantized result;

  check (out != NULL);
  if (source->picture->kind == M2V_SPAN_PICTURE && source->picture->valid
      && m2v_picture_params_init (&picture, source->sequence, source->picture))
    in = read_slices (&picture, vlc, source->data + slices->offset,
        slices->size);
  check (m2v_requantizer_analyse (r, source) <= 112);
  done = m2v_requantizer_begin (r, source, out, capacity);
  while (done && m2v_requantizer_next (r, &request))
    m2v_requantizer_quantise (r, answer (&control, &request));
  done = done && m2v_requantizer_end (r, &result);
  check (done == (in.n_slices > in.n_damaged));
  if (done) {
    check (result.size_in == slices->size);
    after = read_slices (&picture, vlc, out, result.size_out);
    check_result (&result, &in, &after);
  }
  free (out);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static M2vVlc vlc;
  M2vRequantizer *r;
  M2vSliceIndex index = { 0, };
  M2vSplitter splitter;
  M2vPicture span;
  size_t position = N_SETTINGS + N_WANTED;
  unsigned n = 0;
  M2vRequantizerSettings settings;

  if (size < position)
    return 0;
  m2v_vlc_init (&vlc);
  r = m2v_requantizer_new ();
  check (r != NULL);
  settings = m2v_requantizer_defaults;
  settings.rounding.intra = data[0] % 16;
  settings.rounding.non_intra = data[0] / 16;
  settings.max_code = data[1] & 0x3f;
  settings.selective = data[1] & 0x80;
  settings.hysteresis = data[2];
  settings.hysteresis_from = data[3] & 0x1f;
  settings.rate_distortion = data[3] & 0x20;
  settings.drift = data[3] / 64 % 3;
  settings.vector_share = data[1] & 0x40 ? 0 : 1;
  m2v_requantizer_set (r, &settings);
  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, data, size, &position, &span)) {
    M2vSource source = { &splitter.sequence, &span, data + span.begin, &index,
      &splitter.matrices
    };
    uint8_t wanted = data[N_SETTINGS + n++ % N_WANTED];

    check (m2v_slice_index_build (&index, source.data + span.slices.offset,
            span.slices.size));
    if (wanted == 0xff)
      m2v_requantizer_lost (r);
    if (splitter.has_sequence && wanted >= 0xc0)
      m2v_requantizer_pass (r, &source);
    else if (splitter.has_sequence)
      check_picture (r, &vlc, &source, data + N_SETTINGS);
  }
  m2v_slice_index_clear (&index);
  m2v_requantizer_free (r);
  return 0;
}
