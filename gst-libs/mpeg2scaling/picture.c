/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2scaling/picture.h>

/* temporal_reference counts modulo 1024, from 0 in each group (13818-2
 * clause 6.3.9). */
#define REFERENCE_MASK 1023u

static unsigned
distance (const M2vLastReference * last, const M2vFrame * frame)
{
  if (!m2v_frame_is_anchor (frame))
    return (last->temporal_reference - frame->temporal_reference)
        & REFERENCE_MASK;
  if (frame->starts_group)
    return frame->temporal_reference + 1;
  return last->known ? (frame->temporal_reference - last->temporal_reference)
      & REFERENCE_MASK : 0;
}

void
m2v_scaling_picture (M2vLastReference * last, const M2vFrame * frame,
    ScalingPicture * picture)
{
  if (frame->discont || !frame->valid)
    last->known = false;
  picture->readable = frame->valid;
  picture->key = frame->valid && (frame->type == M2V_PICTURE_I
      || frame->type == M2V_PICTURE_D);
  picture->reference = m2v_frame_is_anchor (frame);
  picture->distance = distance (last, frame);
  picture->discont = frame->discont;
  picture->bytes = frame->size;
  picture->duration = frame->duration;
  if (picture->reference) {
    last->known = true;
    last->temporal_reference = frame->temporal_reference;
  }
}
