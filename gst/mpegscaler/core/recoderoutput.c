/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "recoderoutput.h"

#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "patch.h"
#include "vbv.h"

void
scaler_recoder_output_begin (ScalerRecoderOutput * o)
{
  o->new_header = o->new_slices = false;
}

bool
scaler_recoder_output_reserve (ScalerRecoderOutput * o, size_t capacity)
{
  if (capacity <= o->capacity)
    return true;
  /* Not again for the next one that is a bit larger. */
  capacity *= 2;
  free (o->slices);
  o->slices = malloc (capacity);
  o->capacity = o->slices ? capacity : 0;
  return o->slices;
}

void
scaler_recoder_output_vary (ScalerRecoderOutput * o,
    const MpegPicture * picture, const uint8_t * data)
{
  if (picture->header.vbv_delay == MPEG_VBV_DELAY_VARIABLE
      || picture->headers.size < SCALER_VBV_HEADER_SIZE)
    return;
  memcpy (o->header, data + picture->headers.offset, SCALER_VBV_HEADER_SIZE);
  o->new_header = mpeg_patch_vbv_delay (o->header, SCALER_VBV_HEADER_SIZE,
      MPEG_VBV_DELAY_VARIABLE);
}

static unsigned
exchange_slices (const ScalerRecoderOutput * o, const MpegPicture * picture,
    const MpegPiece * piece, MpegPiece * out)
{
  if (o->new_slices)
    return scaler_exchange (piece, &picture->slices, o->slices, o->size, out);
  *out = *piece;
  return 1;
}

static unsigned
exchange (const ScalerRecoderOutput * o, const MpegPicture * picture,
    const MpegPiece * piece, MpegPiece * out)
{
  const MpegRange header = { picture->headers.offset, SCALER_VBV_HEADER_SIZE };
  MpegPiece between[SCALER_EXCHANGE_MAX_PIECES] = { *piece };
  unsigned n_between = 1, n = 0;

  if (o->new_header)
    n_between =
        scaler_exchange (piece, &header, o->header, SCALER_VBV_HEADER_SIZE,
        between);
  for (unsigned i = 0; i < n_between; i++)
    n += exchange_slices (o, picture, &between[i], &out[n]);
  return n;
}

void
scaler_recoder_output_exchange (const ScalerRecoderOutput outputs[2],
    const MpegFrame * frame, ScalerDecision * decision)
{
  MpegPiece before[2 * MPEG_CARRY_MAX_PIECES];
  unsigned n_before = decision->n_pieces;

  if (n_before > 2 * MPEG_CARRY_MAX_PIECES)
    return;
  memcpy (before, decision->pieces, n_before * sizeof *before);
  decision->n_pieces = decision->n_first = 0;
  for (unsigned i = 0; i < n_before; i++) {
    unsigned picture = before[i].picture;

    decision->n_pieces += exchange (&outputs[picture],
        &frame->pictures[picture], &before[i],
        &decision->pieces[decision->n_pieces]);
    if (picture == 0)
      decision->n_first = decision->n_pieces;
  }
}
