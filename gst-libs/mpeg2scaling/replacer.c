/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2scaling/replacer.h>

#include <stdlib.h>

#include <mpeg2/skipped.h>

/* Largest width and height that the headers can express (13818-2 clause
 * 6.3.3). */
#define LARGEST 16383

bool
m2v_replacer_init (M2vReplacer * r)
{
  const M2vSequence largest = {
    .mpeg2 = true,
    .width = LARGEST,
    .height = LARGEST
  };

  r->usual_size = 0;
  r->capacity = m2v_skipped_size (&largest);
  for (unsigned i = 0; i < 2; i++) {
    r->sizes[i] = 0;
    r->slices[i] = malloc (r->capacity);
  }
  return r->slices[0] && r->slices[1];
}

void
m2v_replacer_clear (M2vReplacer * r)
{
  for (unsigned i = 0; i < 2; i++)
    free (r->slices[i]);
}

static bool
is_replaceable (const M2vFrame * frame)
{
  return frame->valid && frame->has_sequence
      && (frame->type == M2V_PICTURE_P || frame->type == M2V_PICTURE_B);
}

size_t
m2v_replacer_size (const M2vReplacer * r, const M2vFrame * frame)
{
  size_t size = frame->size;

  if (!is_replaceable (frame))
    return 0;
  for (unsigned i = 0; i < frame->n_pictures; i++)
    size -= frame->pictures[i].slices.size;
  return size + (r->usual_size > 0 ? r->usual_size
      : m2v_skipped_size (&frame->sequence));
}

bool
m2v_replacer_write (M2vReplacer * r, const M2vFrame * frame, bool backward)
{
  size_t sum = 0;

  if (!is_replaceable (frame))
    return false;
  for (unsigned i = 0; i < frame->n_pictures; i++) {
    r->sizes[i] = m2v_write_skipped_slices (r->slices[i], r->capacity,
        &frame->sequence, &frame->pictures[i], backward);
    if (r->sizes[i] == 0)
      return false;
    sum += r->sizes[i];
  }
  r->usual_size = sum;
  return true;
}

void
m2v_replacer_exchange (const M2vReplacer * r, const M2vFrame * frame,
    M2vDecision * decision)
{
  for (unsigned i = 0; i < frame->n_pictures; i++)
    m2v_decision_exchange (decision, i, &frame->pictures[i].slices,
        r->slices[i], r->sizes[i]);
}
