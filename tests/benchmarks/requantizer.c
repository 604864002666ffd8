/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * mpeg-requantizer FILE FACTOR [ROUNDS [DRIFT [OUT]]]: what requantizing a
 * stream costs, every quantiser_scale_code multiplied by so much, and finding
 * out each picture's mean quantiser before. The fastest and the median of so
 * many rounds, as user time a frame. DRIFT: off (open loop, the default), p or
 * all. OUT gets the stream. For comparison:
 * ffmpeg -benchmark -threads 1 -i FILE -f null -
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include <mpeg2requantize/requantizer.h>

typedef struct
{
  M2vRequantizer *requantizer;
  M2vSliceIndex index;
  double factor;
  const uint8_t *data;
  uint8_t *out;                 /* NULL: analyse only */
  size_t size, size_out;
  unsigned n_pictures, n_fields, n_slices, n_copied, n_failed;
  uint64_t kept, dropped;
  double sum_in, sum_out;
} Run;

static bool
save (const char *path, const uint8_t * data, size_t size)
{
  FILE *file = fopen (path, "wb");
  bool ok = file && fwrite (data, 1, size, file) == size;

  if (file)
    ok = fclose (file) == 0 && ok;
  if (!ok)
    perror (path);
  return ok;
}

static void
append (Run * r, const uint8_t * data, size_t size)
{
  if (!r->out || size == 0)
    return;
  memcpy (r->out + r->size_out, data, size);
  r->size_out += size;
}

static bool
requantize (Run * r, const M2vSource * source, M2vRequantized * result)
{
  M2vRequest request;

  if (!m2v_requantizer_begin (r->requantizer, source, r->out + r->size_out,
          r->index.size + M2V_REQUANTIZER_RESERVE))
    return false;
  while (m2v_requantizer_next (r->requantizer, &request))
    m2v_requantizer_quantise (r->requantizer,
        (unsigned) (request.code * r->factor + 0.5));
  return m2v_requantizer_end (r->requantizer, result);
}

static void
add_picture (Run * r, const M2vSplitter * splitter, const M2vPicture * span)
{
  const uint8_t *data = r->data + span->begin;
  const M2vRange *slices = &span->slices;
  M2vSource source = { &splitter->sequence, span, data, &r->index,
    &splitter->matrices
  };
  M2vRequantized result;

  r->n_pictures++;
  r->n_fields += span->coding.structure == M2V_FRAME_PICTURE ? 2 : 1;
  m2v_slice_index_build (&r->index, data + slices->offset, slices->size);
  if (!r->out) {
    r->n_failed += m2v_requantizer_analyse (r->requantizer, &source) <= 0;
    return;
  }
  append (r, data, slices->offset);
  if (requantize (r, &source, &result)) {
    r->size_out += result.size_out;
  } else {
    r->n_failed++;
    append (r, data + slices->offset, slices->size);
  }
  data += slices->offset + slices->size;
  append (r, data, span->size - slices->offset - slices->size);
  r->n_slices += result.n_slices;
  r->n_copied += result.n_copied;
  r->kept += result.kept;
  r->dropped += result.dropped;
  r->sum_in += result.mean_in;
  r->sum_out += result.mean_out;
}

static void
do_stream (Run * r)
{
  M2vSplitter splitter;
  M2vPicture span;
  size_t position = 0;

  m2v_requantizer_reset (r->requantizer);
  r->n_pictures = r->n_fields = r->n_slices = 0;
  r->n_copied = r->n_failed = 0;
  r->kept = r->dropped = 0;
  r->sum_in = r->sum_out = 0;
  r->size_out = 0;
  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, r->data, r->size, &position, &span)) {
    if (span.kind == M2V_SPAN_PICTURE && span.valid)
      add_picture (r, &splitter, &span);
    else
      append (r, r->data + span.begin, span.size);
  }
}

#define MAX_ROUNDS 100

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Milliseconds a frame: the fastest and the median. */
static double
measure (Run * r, int rounds, const char *what)
{
  double taken[MAX_ROUNDS];

  rounds = rounds < 1 ? 1 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
  for (int i = 0; i < rounds; i++) {
    double begin = user_time ();

    do_stream (r);
    taken[i] = (user_time () - begin) * 2e3 / r->n_fields;
  }
  qsort (taken, (size_t) rounds, sizeof *taken, compare);
  printf ("%s: %.4f ms a frame, median %.4f\n", what, taken[0],
      taken[rounds / 2]);
  return taken[0];
}

static bool
set_drift (Run * r, const char *name)
{
  static const char *const names[] = {
    [M2V_DRIFT_OFF] = "off",
    [M2V_DRIFT_P] = "p",
    [M2V_DRIFT_ALL] = "all"
  };
  M2vRequantizerSettings settings = m2v_requantizer_defaults;

  for (unsigned i = 0; i <= M2V_DRIFT_ALL; i++) {
    if (strcmp (name, names[i]) != 0)
      continue;
    settings.drift = (M2vDrift) i;
    m2v_requantizer_set (r->requantizer, &settings);
    return true;
  }
  fprintf (stderr, "DRIFT is off, p or all, not %s\n", name);
  return false;
}

int
main (int argc, char **argv)
{
  int rounds = argc > 3 ? atoi (argv[3]) : 3;
  Run r = { 0, };
  double cost;

  if (argc < 3 || !(r.data = load (argv[1], &r.size))
      || !(r.requantizer = m2v_requantizer_new ())
      || !set_drift (&r, argc > 4 ? argv[4] : "off"))
    return 1;
  r.factor = atof (argv[2]);
  measure (&r, rounds, "analyse");
  if (!(r.out = malloc (r.size + M2V_REQUANTIZER_RESERVE)))
    return 1;
  cost = measure (&r, rounds, "requantize");
  printf ("%.2f ns a bit\n",
      cost * 1e6 * r.n_fields / 2 / (8.0 * (double) r.size));
  printf ("%.1f %% of the bytes, %.1f %% of the coefficients, %u of %u slices "
      "copied, %u pictures failed\n",
      100.0 * (double) r.size_out / (double) r.size,
      100.0 * (double) r.kept / (double) (r.kept + r.dropped), r.n_copied,
      r.n_slices, r.n_failed);
  printf ("mean quantiser_scale %.2f to %.2f\n", r.sum_in / r.n_pictures,
      r.sum_out / r.n_pictures);
  if (argc > 5 && !save (argv[5], r.out, r.size_out))
    return 1;
  m2v_slice_index_clear (&r.index);
  m2v_requantizer_free (r.requantizer);
  free (r.out);
  free ((void *) r.data);
  return 0;
}
