/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2scaling/decision.h>

#include <string.h>

size_t
m2v_decision_size (const M2vDecision * d, unsigned picture)
{
  size_t size = 0;

  for (unsigned i = 0; i < d->n_pieces; i++) {
    if (d->pieces[i].picture == picture)
      size += d->pieces[i].size;
  }
  return size;
}

static void
put (M2vDecision * d, const M2vPiece * like, size_t begin, size_t end)
{
  M2vPiece *piece = &d->pieces[d->n_pieces];

  if (begin >= end)
    return;
  *piece = *like;
  piece->offset = begin;
  piece->size = end - begin;
  d->n_pieces++;
}

/* Adds the piece without its bytes of the range; the literal replaces
 * them. */
static void
cut (M2vDecision * d, const M2vPiece * piece, const M2vRange * range,
    const uint8_t * literal, size_t size)
{
  size_t range_end = range->offset + range->size;
  size_t end = piece->offset + piece->size;
  M2vPiece written = *piece;

  if (end <= range->offset || piece->offset >= range_end) {
    put (d, piece, piece->offset, end);
    return;
  }
  written.literal = literal;
  put (d, piece, piece->offset, range->offset);
  if (piece->offset <= range->offset)
    put (d, &written, 0, size);
  put (d, piece, range_end, end);
}

void
m2v_decision_exchange (M2vDecision * d, unsigned picture,
    const M2vRange * range, const uint8_t * literal, size_t size)
{
  const unsigned capacity = sizeof d->pieces / sizeof *d->pieces;
  M2vPiece before[sizeof d->pieces / sizeof *d->pieces];
  unsigned n_before = d->n_pieces;

  if (n_before + 2 > capacity)
    return;
  memcpy (before, d->pieces, n_before * sizeof *before);
  d->n_pieces = d->n_first = 0;
  for (unsigned i = 0; i < n_before; i++) {
    if (before[i].literal || before[i].picture != picture)
      d->pieces[d->n_pieces++] = before[i];
    else
      cut (d, &before[i], range, literal, size);
    if (before[i].picture == 0)
      d->n_first = d->n_pieces;
  }
}
