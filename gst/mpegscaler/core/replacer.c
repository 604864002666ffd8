/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "replacer.h"

#include <stdlib.h>

#include "skipped.h"

/* What the headers can say (13818-2 clause 6.3.3). */
#define LARGEST 16383

bool
scaler_replacer_init (ScalerReplacer * r)
{
  const MpegSequence largest = {
    .mpeg2 = true,
    .width = LARGEST,
    .height = LARGEST
  };

  r->usual_size = 0;
  r->capacity = mpeg_skipped_size (&largest);
  for (unsigned i = 0; i < 2; i++) {
    r->sizes[i] = 0;
    r->slices[i] = malloc (r->capacity);
  }
  return r->slices[0] && r->slices[1];
}

void
scaler_replacer_clear (ScalerReplacer * r)
{
  for (unsigned i = 0; i < 2; i++)
    free (r->slices[i]);
}

static bool
is_replaceable (const MpegFrame * frame)
{
  return frame->valid && frame->has_sequence
      && (frame->type == MPEG_PICTURE_P || frame->type == MPEG_PICTURE_B);
}

size_t
scaler_replacer_size (const ScalerReplacer * r, const MpegFrame * frame)
{
  size_t size = frame->size;

  if (!is_replaceable (frame))
    return 0;
  for (unsigned i = 0; i < frame->n_pictures; i++)
    size -= frame->pictures[i].slices.size;
  return size + (r->usual_size > 0 ? r->usual_size
      : mpeg_skipped_size (&frame->sequence));
}

bool
scaler_replacer_write (ScalerReplacer * r, const MpegFrame * frame,
    bool backward)
{
  size_t sum = 0;

  if (!is_replaceable (frame))
    return false;
  for (unsigned i = 0; i < frame->n_pictures; i++) {
    r->sizes[i] = mpeg_write_skipped_slices (r->slices[i], r->capacity,
        &frame->sequence, &frame->pictures[i], backward);
    if (r->sizes[i] == 0)
      return false;
    sum += r->sizes[i];
  }
  r->usual_size = sum;
  return true;
}

void
scaler_replacer_exchange (const ScalerReplacer * r, const MpegFrame * frame,
    ScalerDecision * decision)
{
  for (unsigned i = 0; i < frame->n_pictures; i++)
    scaler_decision_exchange (decision, i, &frame->pictures[i].slices,
        r->slices[i], r->sizes[i]);
}
