/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as a slice of a picture with any parameters: PARAMETERS (10),
 * then what follows the slice's start code. What can be read comes out of the
 * writer bit for bit; coded canonically, and emptied here and there, it reads
 * as what was meant.
 */
#include <stdlib.h>
#include <string.h>

#include <mpeg2/slicewriter.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

#define N_PARAMETERS 10
#define MAX_SLICE 1024
#define MAX_MACROBLOCKS 2048

/* Canonically it is shorter, but for M2V_QUANT and vectors that a changed
 * neighbour brings. */
#define CAPACITY (4 * MAX_SLICE + 32 * MAX_MACROBLOCKS \
    + M2V_SLICE_WRITER_RESERVE)

static M2vVlc vlc;

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

static void
set_picture (M2vPictureParams * p, const uint8_t * d)
{
  memset (p, 0, sizeof *p);
  p->mpeg2 = d[0] & 1;
  p->type = M2V_PICTURE_I + (d[0] >> 1) % 3;
  p->structure = M2V_FRAME_PICTURE;
  p->frame_pred_frame_dct = true;
  p->n_blocks = 6;
  p->columns = d[1] % 64 + 1;
  p->rows = d[2] % 180 + 1;
  for (unsigned i = 0; i < 4; i++)
    p->f_code[i / 2][i % 2] = 1 + d[3 + i] % (p->mpeg2 ? 9 : 7);
  if (!p->mpeg2) {
    p->full_pel[0] = d[7] & 1;
    p->full_pel[1] = d[7] & 2;
    return;
  }
  p->structure = M2V_TOP_FIELD + d[7] % 3;
  p->intra_dc_precision = d[7] / 4 % 4;
  p->extended = d[7] & 16;
  p->n_blocks = d[7] & 32 ? 8 : 6;
  p->frame_pred_frame_dct = d[8] & 1;
  p->concealment_motion_vectors = d[8] & 2;
  p->q_scale_type = d[8] & 4;
  p->intra_vlc_format = d[8] & 8;
  p->alternate_scan = d[8] & 16;
}

static void
check_macroblock (const M2vPictureParams * p, const M2vMacroblock * mb)
{
  check (mb->address < p->columns * p->rows);
  check (mb->quantiser >= 1 && mb->quantiser <= 31);
  check (mb->motion <= M2V_MOTION_DUAL_PRIME);
  for (unsigned i = 0; i < p->n_blocks; i++) {
    bool intra = mb->type & M2V_INTRA;
    int last = intra ? 0 : -1;

    check (mb->n_coefficients[i] <= (intra ? 63 : 64));
    if (!intra)
      check ((mb->n_coefficients[i] > 0) == (mb->pattern >> i & 1));
    else
      check (mb->dc[i] >= 0 && mb->dc[i] < 256 << p->intra_dc_precision);
    for (unsigned k = 0; k < mb->n_coefficients[i]; k++) {
      const M2vCoefficient *c = &mb->coefficients[i][k];
      int limit = p->mpeg2 ? 2047 : 255;

      check (c->position > last && c->position <= 63);
      check (c->level != 0 && c->level >= -limit && c->level <= limit);
      last = c->position;
    }
  }
}

static void
check_same_vectors (const M2vPictureParams * p, const M2vMacroblock * a,
    const M2vMacroblock * b, unsigned s)
{
  for (unsigned r = 0; r < m2v_vector_count (p, a->motion); r++) {
    const M2vVector *v = &a->vectors[r][s], *w = &b->vectors[r][s];

    check (memcmp (v->vector, w->vector, sizeof v->vector) == 0);
    check (memcmp (v->dmvector, w->dmvector, sizeof v->dmvector) == 0);
    check (v->bottom == w->bottom);
  }
}

/* They mean the same. */
static void
check_same (const M2vPictureParams * p, const M2vMacroblock * a,
    const M2vMacroblock * b)
{
  unsigned moves = a->type & (M2V_FORWARD | M2V_BACKWARD);

  check (a->address == b->address && a->motion == b->motion
      && a->pattern == b->pattern && a->field_dct == b->field_dct);
  check ((a->type & ~M2V_QUANT) == (b->type & ~M2V_QUANT));
  if (a->type & (M2V_INTRA | M2V_PATTERN))
    check (a->quantiser == b->quantiser);
  if (a->motion != 0 && (moves & M2V_FORWARD || moves == 0))
    check_same_vectors (p, a, b, 0);
  if (moves & M2V_BACKWARD)
    check_same_vectors (p, a, b, 1);
  for (unsigned i = 0; i < p->n_blocks; i++) {
    check (a->n_coefficients[i] == b->n_coefficients[i]);
    check (!(a->type & M2V_INTRA) || a->dc[i] == b->dc[i]);
    for (unsigned k = 0; k < a->n_coefficients[i]; k++)
      check (a->coefficients[i][k].level == b->coefficients[i][k].level
          && a->coefficients[i][k].position == b->coefficients[i][k].position);
  }
}

typedef enum
{
  PUT, COPY, CANONICAL, CHANGED, N_WAYS
} Way;

/* What a macroblock becomes; false where it is left out. */
static bool
change (const M2vSliceWriter * w, M2vMacroblock * mb, unsigned seed)
{
  unsigned choice = (mb->address * 2654435761u ^ seed) >> 16 & 7;

  if (choice == 0)
    mb->quantiser = (uint8_t) (1 + (seed + mb->address) % 31);
  if (choice > 3)
    m2v_macroblock_empty (w->picture, mb);
  return !m2v_slice_writer_may_skip (w, mb);
}

/* Reads the slice and writes it again; keeps what was written. */
static size_t
rewrite (const M2vPictureParams * p, const uint8_t * data, size_t size, Way way,
    uint8_t * out, M2vMacroblock * kept, unsigned *n_kept)
{
  static M2vMacroblock mb;
  M2vSliceReader r;
  M2vSliceWriter w;

  *n_kept = 0;
  if (!m2v_slice_reader_begin (&r, p, &vlc, data, size))
    return 0;
  m2v_slice_writer_init (&w, p, &vlc, out, CAPACITY);
  w.canonical = way == CANONICAL;
  m2v_slice_writer_begin (&w, &r.slice, r.slice.quantiser);
  while (m2v_slice_reader_next (&r, &mb)) {
    check (!w.error && *n_kept < MAX_MACROBLOCKS);
    check_macroblock (p, &mb);
    if (way == CHANGED && !change (&w, &mb, data[size - 1]))
      continue;
    if (way == COPY)
      m2v_slice_writer_copy (&w, &mb, data);
    else
      m2v_slice_writer_put (&w, &mb);
    kept[(*n_kept)++] = mb;
  }
  if (r.error)
    return 0;
  m2v_slice_writer_end (&w, r.n_trailing);
  size = m2v_slice_writer_finish (&w);
  check (size > 0);
  return size;
}

static void
check_slice (const M2vPictureParams * p, const uint8_t * data, size_t size)
{
  static uint8_t out[CAPACITY], again[CAPACITY];
  static M2vMacroblock kept[MAX_MACROBLOCKS], read[MAX_MACROBLOCKS];
  unsigned n_kept, n_read;

  for (Way way = PUT; way < N_WAYS; way++) {
    size_t written = rewrite (p, data, size, way, out, kept, &n_kept);

    if (written == 0)
      return;
    if (way == PUT || way == COPY) {
      check (written == size && memcmp (out, data, size) == 0);
      continue;
    }
    check (rewrite (p, out, written, PUT, again, read, &n_read) == written);
    check (n_kept == n_read);
    for (unsigned i = 0; i < n_kept; i++)
      check_same (p, &kept[i], &read[i]);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  M2vPictureParams picture;
  uint8_t *slice;
  size_t position = 0;
  M2vRange range;

  if (size < N_PARAMETERS || size > MAX_SLICE)
    return 0;
  m2v_vlc_init (&vlc);
  set_picture (&picture, data);
  data += N_PARAMETERS;
  size -= N_PARAMETERS;
  /* In memory of just its size. */
  slice = malloc (size + 4);
  check (slice != NULL);
  memcpy (slice, "\0\0\1\1", 4);
  memcpy (slice + 4, data, size);
  while (m2v_slices_next (slice, size + 4, &position, &range)) {
    uint8_t *one = malloc (range.size);

    check (one != NULL);
    memcpy (one, slice + range.offset, range.size);
    if (m2v_is_slice (one, range.size))
      check_slice (&picture, one, range.size);
    free (one);
  }
  free (slice);
  return 0;
}
