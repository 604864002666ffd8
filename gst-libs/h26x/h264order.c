/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <h26x/h264dpb-private.h>

int32_t
h264_frame_order (const H264Frame * frame)
{
  if (frame->fields == H264_TOP)
    return frame->order[0];
  if (frame->fields == H264_BOTTOM)
    return frame->order[1];
  return frame->order[0] < frame->order[1] ? frame->order[0] : frame->order[1];
}

int32_t
h264_dpb_order (const H264Dpb * dpb)
{
  H264Frame picture = dpb->current;

  picture.fields = dpb->structure;
  return h264_frame_order (&picture);
}

/* Returns the order count of the top field, or of the field without its
 * delta (8.2.1.1). */
static int64_t
type_0 (H264Dpb * dpb, const H264Sps * sps, const H264Slice * slice)
{
  int64_t cycle = INT64_C (1) << sps->log2_max_order_lsb;
  int64_t lsb = slice->order_lsb;
  int64_t msb = dpb->order_msb;

  if (lsb < dpb->order_lsb && dpb->order_lsb - lsb >= cycle / 2)
    msb += cycle;
  else if (lsb > dpb->order_lsb && lsb - dpb->order_lsb > cycle / 2)
    msb -= cycle;
  if (slice->reference) {
    dpb->order_msb = msb;
    dpb->order_lsb = lsb;
  }
  return msb + lsb;
}

/* Returns expectedPicOrderCnt (8.2.1.2). */
static int64_t
type_1 (const H264Dpb * dpb, const H264Sps * sps, const H264Slice * slice)
{
  int64_t order = 0, cycle = 0, n = 0;

  if (sps->n_offsets != 0)
    n = dpb->frame_num_offset + slice->frame_num;
  if (!slice->reference && n > 0)
    n--;
  if (n > 0) {
    unsigned last = (unsigned) ((n - 1) % sps->n_offsets);

    for (unsigned i = 0; i < sps->n_offsets; i++) {
      cycle += sps->offsets[i];
      if (i <= last)
        order += sps->offsets[i];
    }
    /* The standard allows no value beyond. */
    n = (n - 1) / sps->n_offsets;
    if (n > INT32_MAX)
      return INT64_MAX / 2;
    order += (cycle > INT32_MAX || cycle < INT32_MIN) && n > 0
        ? INT64_MAX / 2 : n * cycle;
  }
  if (!slice->reference)
    order += sps->offset_for_non_reference;
  return order;
}

/* Returns the order count of type 2 (8.2.1.3). */
static int64_t
type_2 (const H264Dpb * dpb, const H264Slice * slice)
{
  return 2 * (dpb->frame_num_offset + slice->frame_num)
      - (slice->reference ? 0 : 1);
}

bool
h264_dpb_derive_order (H264Dpb * dpb, const H264Sps * sps,
    const H264Slice * slice)
{
  int64_t top, bottom;

  switch (sps->order_type) {
    case 0:
      top = bottom = type_0 (dpb, sps, slice);
      if (slice->structure == H264_FRAME)
        bottom += slice->delta_order_bottom;
      break;
    case 1:
      top = bottom = type_1 (dpb, sps, slice);
      bottom += sps->offset_for_top_to_bottom;
      top += slice->delta_order[0];
      bottom += slice->delta_order[0];
      if (slice->structure == H264_FRAME)
        bottom += slice->delta_order[1];
      break;
    default:
      top = bottom = type_2 (dpb, slice);
  }
  if (top < INT32_MIN || top > INT32_MAX || bottom < INT32_MIN
      || bottom > INT32_MAX)
    return false;
  if (slice->structure & H264_TOP)
    dpb->current.order[0] = (int32_t) top;
  if (slice->structure & H264_BOTTOM)
    dpb->current.order[1] = (int32_t) bottom;
  return true;
}
