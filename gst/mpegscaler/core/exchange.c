/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "exchange.h"

static unsigned
put (MpegPiece * out, unsigned n, const MpegPiece * like, size_t begin,
    size_t end)
{
  if (begin >= end)
    return n;
  out[n] = *like;
  out[n].offset = begin;
  out[n].size = end - begin;
  return n + 1;
}

unsigned
scaler_exchange (const MpegPiece * piece, const MpegRange * range,
    const uint8_t * literal, size_t size,
    MpegPiece out[SCALER_EXCHANGE_MAX_PIECES])
{
  size_t range_end = range->offset + range->size;
  size_t end = piece->offset + piece->size;
  MpegPiece written = *piece;
  unsigned n;

  if (piece->literal || end <= range->offset || piece->offset >= range_end) {
    out[0] = *piece;
    return 1;
  }
  written.literal = literal;
  n = put (out, 0, piece, piece->offset, range->offset);
  if (piece->offset <= range->offset)
    n = put (out, n, &written, 0, size);
  return put (out, n, piece, range_end, end);
}
