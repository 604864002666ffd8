/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <h26x/h264.h>

#include <string.h>

bool
h264_sps_valid (const H264Sps * sps)
{
  return sps->log2_max_frame_num >= 4 && sps->log2_max_frame_num <= 16
      && sps->order_type <= 2
      && (sps->order_type != 0 || (sps->log2_max_order_lsb >= 4
          && sps->log2_max_order_lsb <= 16))
      && sps->n_offsets <= 255 && sps->max_references <= H264_MAX_FRAMES;
}

bool
h264_sps_equal (const H264Sps * a, const H264Sps * b)
{
  if (a->log2_max_frame_num != b->log2_max_frame_num
      || a->order_type != b->order_type
      || a->max_references != b->max_references
      || a->gaps_allowed != b->gaps_allowed)
    return false;
  if (a->order_type == 0)
    return a->log2_max_order_lsb == b->log2_max_order_lsb;
  return a->order_type == 2
      || (a->delta_order_always_zero == b->delta_order_always_zero
      && a->offset_for_non_reference == b->offset_for_non_reference
      && a->offset_for_top_to_bottom == b->offset_for_top_to_bottom
      && a->n_offsets == b->n_offsets
      && memcmp (a->offsets, b->offsets,
          a->n_offsets * sizeof a->offsets[0]) == 0);
}

static bool
modifications_valid (const H264Slice * slice, unsigned x)
{
  if (slice->n_active[x] < 1 || slice->n_active[x] > H264_MAX_LIST
      || slice->n_modifications[x] > slice->n_active[x])
    return false;
  for (unsigned i = 0; i < slice->n_modifications[x]; i++)
    if (slice->modifications[x][i].operation > 2)
      return false;
  return true;
}

static bool
markings_valid (const H264Slice * slice)
{
  if (slice->n_markings > H264_MAX_MARKINGS)
    return false;
  for (unsigned i = 0; i < slice->n_markings; i++) {
    const H264Marking *m = &slice->markings[i];

    if (m->operation < 1 || m->operation > 6
        || ((m->operation == 3 || m->operation == 6)
            && m->long_term_index >= H264_MAX_FRAMES)
        || (m->operation == 4 && m->max_long_term > H264_MAX_FRAMES))
      return false;
  }
  return true;
}

bool
h264_slice_valid (const H264Slice * slice, const H264Sps * sps)
{
  if (slice->type > H264_SI || slice->frame_num >> sps->log2_max_frame_num
      || slice->structure < H264_TOP || slice->structure > H264_FRAME)
    return false;
  /* An IDR picture is a reference with frame_num 0 (7.4.1.2.4, 7.4.3). */
  if (slice->idr && (!slice->reference || slice->frame_num != 0))
    return false;
  if (sps->order_type == 0 && slice->order_lsb >> sps->log2_max_order_lsb)
    return false;
  if (!h264_is_intra (slice) && !modifications_valid (slice, 0))
    return false;
  if (slice->type == H264_B && !modifications_valid (slice, 1))
    return false;
  return markings_valid (slice);
}
