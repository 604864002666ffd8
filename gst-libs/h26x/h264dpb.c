/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Decoded reference picture marking (8.2.5), and the beginning and the end of
 * a picture.
 */
#include <h26x/h264dpb-private.h>

#include <string.h>

void
h264_dpb_init (H264Dpb * dpb)
{
  memset (dpb, 0, sizeof *dpb);
  /* It may be any value until an IDR picture sets it. */
  dpb->max_long_term = H264_MAX_FRAMES;
}

static unsigned
max_frames (const H264Sps * sps)
{
  return sps->max_references > 0 ? sps->max_references : 1;
}

bool
h264_dpb_continues (const H264Dpb * dpb, const H264Slice * slice)
{
  /* Both fields are reference or both are non-reference fields (3.30). */
  return dpb->started && !dpb->paired && dpb->structure != H264_FRAME
      && slice->structure == (dpb->structure ^ H264_FRAME)
      && slice->frame_num == dpb->current.frame_num
      && slice->reference == dpb->reference
      && (!slice->idr || (dpb->idr && slice->idr_id == dpb->idr_id))
      && !h264_slice_has_marking (slice, 5);
}

bool
h264_dpb_gap (const H264Dpb * dpb, const H264Sps * sps, const H264Slice * slice)
{
  uint32_t mask = (UINT32_C (1) << sps->log2_max_frame_num) - 1;

  return !slice->idr && dpb->started
      && slice->frame_num != dpb->reference_frame_num
      && slice->frame_num != ((dpb->reference_frame_num + 1) & mask);
}

static void
wrap_frame_nums (H264Dpb * dpb, const H264Sps * sps, uint32_t frame_num)
{
  for (unsigned i = 0; i < dpb->n_frames; i++) {
    H264Frame *frame = &dpb->frames[i];

    frame->frame_num_wrap = (int32_t) frame->frame_num;
    if (frame->frame_num > frame_num)
      frame->frame_num_wrap -= INT32_C (1) << sps->log2_max_frame_num;
  }
}

H264Reference
h264_dpb_find (const H264Dpb * dpb, unsigned structure, bool long_term,
    int64_t number)
{
  H264Reference none = { 0, 0 };

  for (unsigned i = 0; i < dpb->n_frames; i++) {
    const H264Frame *frame = &dpb->frames[i];
    unsigned fields = long_term ? frame->long_term : frame->short_term;
    int64_t key = long_term ? (int64_t) frame->long_term_index
        : frame->frame_num_wrap;
    H264Reference found = { (uint8_t) i, (uint8_t) structure };

    if (structure == H264_FRAME) {
      if (fields == H264_FRAME && key == number)
        return found;
      continue;
    }
    /* By (8-30) to (8-33) the number of a field of the same parity is odd. */
    if (!(number & 1))
      found.fields ^= H264_FRAME;
    if ((fields & found.fields) && 2 * key + (number & 1) == number)
      return found;
  }
  return none;
}

static void
remove_frame (H264Dpb * dpb, unsigned place)
{
  dpb->frames[place] = dpb->frames[--dpb->n_frames];
}

static void
unmark (H264Dpb * dpb, H264Reference reference)
{
  H264Frame *frame = &dpb->frames[reference.place];

  frame->short_term &= ~(unsigned) reference.fields;
  frame->long_term &= ~(unsigned) reference.fields;
  if (!frame->short_term && !frame->long_term)
    remove_frame (dpb, reference.place);
}

static bool
slide (H264Dpb * dpb, const H264Sps * sps)
{
  H264Reference oldest = { 0, 0 };

  if (dpb->n_frames < max_frames (sps))
    return true;
  for (unsigned i = 0; i < dpb->n_frames; i++) {
    const H264Frame *frame = &dpb->frames[i];

    if (frame->short_term && (oldest.fields == 0 || frame->frame_num_wrap
            < dpb->frames[oldest.place].frame_num_wrap)) {
      oldest.place = (uint8_t) i;
      oldest.fields = (uint8_t) frame->short_term;
    }
  }
  if (oldest.fields == 0)
    return false;
  unmark (dpb, oldest);
  return dpb->n_frames < max_frames (sps);
}

/* Updates FrameNumOffset, (8-6) and (8-11). */
static void
advance_frame_num (H264Dpb * dpb, const H264Sps * sps, uint32_t frame_num)
{
  if (dpb->frame_num > frame_num)
    dpb->frame_num_offset += INT64_C (1) << sps->log2_max_frame_num;
  dpb->frame_num = frame_num;
}

/* Fills a gap in frame_num (8.2.5.2). Of many frames only the last can
 * stay. */
static bool
fill_gap (H264Dpb * dpb, const H264Sps * sps, const H264Slice * slice)
{
  uint32_t mask = (UINT32_C (1) << sps->log2_max_frame_num) - 1;
  uint32_t frame_num = (dpb->reference_frame_num + 1) & mask;
  H264Slice inferred;

  memset (&inferred, 0, sizeof inferred);
  inferred.reference = true;
  inferred.structure = H264_FRAME;
  if (((slice->frame_num - frame_num) & mask) > max_frames (sps))
    frame_num = (slice->frame_num - max_frames (sps)) & mask;
  for (; frame_num != slice->frame_num; frame_num = (frame_num + 1) & mask) {
    wrap_frame_nums (dpb, sps, frame_num);
    if (!slide (dpb, sps))
      return false;
    advance_frame_num (dpb, sps, frame_num);
    memset (&dpb->current, 0, sizeof dpb->current);
    dpb->current.fields = dpb->current.short_term = H264_FRAME;
    dpb->current.frame_num = inferred.frame_num = frame_num;
    if (sps->order_type != 0 && !h264_dpb_derive_order (dpb, sps, &inferred))
      return false;
    dpb->frames[dpb->n_frames++] = dpb->current;
    dpb->reference_frame_num = frame_num;
  }
  return true;
}

/* Forgets all references: none before an IDR picture stays one (8.2.5.1). */
static void
begin_idr (H264Dpb * dpb)
{
  h264_dpb_init (dpb);
  dpb->max_long_term = 0;
}

bool
h264_dpb_begin (H264Dpb * dpb, const H264Sps * sps,
    const H264Slice * slice, uint64_t id)
{
  dpb->second_field = h264_dpb_continues (dpb, slice);
  if (!dpb->second_field) {
    if (slice->idr)
      begin_idr (dpb);
    else if (h264_dpb_gap (dpb, sps, slice) && !fill_gap (dpb, sps, slice))
      return false;
    memset (&dpb->current, 0, sizeof dpb->current);
    dpb->current.id = id;
  }
  dpb->started = true;
  dpb->current.frame_num = slice->frame_num;
  dpb->current.fields |= slice->structure;
  dpb->structure = slice->structure;
  dpb->reference = slice->reference;
  dpb->idr = slice->idr;
  dpb->idr_id = slice->idr_id;
  dpb->paired = dpb->second_field || slice->structure == H264_FRAME;
  dpb->n_unmatched = 0;
  advance_frame_num (dpb, sps, slice->frame_num);
  wrap_frame_nums (dpb, sps, slice->frame_num);
  return h264_dpb_derive_order (dpb, sps, slice);
}

/* Returns the current frame's place among the references, or n_frames. */
static unsigned
place_of_current (const H264Dpb * dpb)
{
  unsigned i = 0;

  while (i < dpb->n_frames && dpb->frames[i].id != dpb->current.id)
    i++;
  return i;
}

/* Frees a LongTermFrameIdx unless the frame that is to have it has it
 * (8.2.5.4.3). */
static void
free_long_term_index (H264Dpb * dpb, uint32_t index, uint64_t keep)
{
  for (unsigned i = dpb->n_frames; i-- > 0;) {
    H264Reference reference = { (uint8_t) i,
      (uint8_t) dpb->frames[i].long_term
    };

    if (reference.fields && dpb->frames[i].long_term_index == index
        && dpb->frames[i].id != keep)
      unmark (dpb, reference);
  }
}

/* Marks a short-term reference as long-term (8.2.5.4.3). */
static bool
make_long_term (H264Dpb * dpb, int64_t number, uint32_t index)
{
  H264Reference found = h264_dpb_find (dpb, dpb->structure, false, number);
  uint64_t id;
  H264Frame *frame;

  if (index >= dpb->max_long_term)
    return false;
  /* A "non-existing" frame cannot become a long-term reference (7.4.3.3). */
  id = dpb->frames[found.place].id;
  if (found.fields == 0 || id == H264_NO_PICTURE) {
    dpb->n_unmatched++;
    return true;
  }
  free_long_term_index (dpb, index, id);
  found = h264_dpb_find (dpb, dpb->structure, false, number);
  frame = &dpb->frames[found.place];
  frame->short_term &= ~(unsigned) found.fields;
  frame->long_term |= found.fields;
  frame->long_term_index = index;
  return true;
}

/* Unmarks one reference (8.2.5.4.1, 8.2.5.4.2). */
static void
unmark_number (H264Dpb * dpb, bool long_term, int64_t number)
{
  H264Reference found = h264_dpb_find (dpb, dpb->structure, long_term, number);

  if (found.fields == 0)
    dpb->n_unmatched++;
  else
    unmark (dpb, found);
}

/* Sets MaxLongTermFrameIdx (8.2.5.4.4). */
static void
limit_long_term (H264Dpb * dpb, uint32_t max)
{
  for (unsigned i = dpb->n_frames; i-- > 0;) {
    H264Reference reference = { (uint8_t) i,
      (uint8_t) dpb->frames[i].long_term
    };

    if (reference.fields && dpb->frames[i].long_term_index >= max)
      unmark (dpb, reference);
  }
  dpb->max_long_term = max;
}

/* Executes the marking operations (8.2.5.4). Sets *long_term, and the
 * index, if the current picture is a long-term reference. */
static bool
mark_adaptively (H264Dpb * dpb, const H264Slice * slice, bool *long_term)
{
  int64_t now = slice->structure == H264_FRAME ? slice->frame_num
      : 2 * (int64_t) slice->frame_num + 1;

  for (unsigned i = 0; i < slice->n_markings; i++) {
    const H264Marking *m = &slice->markings[i];
    int64_t number = now - ((int64_t) m->difference + 1);

    switch (m->operation) {
      case 1:
        unmark_number (dpb, false, number);
        break;
      case 2:
        unmark_number (dpb, true, m->long_term_number);
        break;
      case 3:
        if (!make_long_term (dpb, number, m->long_term_index))
          return false;
        break;
      case 4:
        limit_long_term (dpb, m->max_long_term);
        break;
      case 5:
        dpb->n_frames = 0;
        dpb->max_long_term = 0;
        break;
      default:
        if (m->long_term_index >= dpb->max_long_term)
          return false;
        free_long_term_index (dpb, m->long_term_index, dpb->current.id);
        dpb->current.long_term_index = m->long_term_index;
        *long_term = true;
    }
  }
  return true;
}

/* Restarts the counts. After operation 5 the picture counts as one with
 * frame_num 0 and the order counts of an IDR picture (8.2.1). */
static void
restart_counts (H264Dpb * dpb)
{
  int32_t order = h264_dpb_order (dpb);

  for (unsigned i = 0; i < 2; i++)
    if (dpb->structure & (1u << i))
      dpb->current.order[i] -= order;
  dpb->order_msb = 0;
  dpb->order_lsb = dpb->structure == H264_BOTTOM ? 0 : dpb->current.order[0];
  dpb->current.frame_num = 0;
  dpb->frame_num = 0;
  dpb->frame_num_offset = 0;
}

/* Makes the current picture a reference. */
static bool
store_current (H264Dpb * dpb, const H264Sps * sps, bool long_term)
{
  unsigned place = place_of_current (dpb);
  H264Frame *frame = &dpb->frames[place];

  if (place == dpb->n_frames) {
    if (dpb->n_frames >= max_frames (sps))
      return false;
    dpb->n_frames++;
    *frame = dpb->current;
    frame->short_term = frame->long_term = 0;
  } else {
    frame->fields = dpb->current.fields;
    memcpy (frame->order, dpb->current.order, sizeof frame->order);
  }
  if (long_term) {
    frame->long_term |= dpb->structure;
    frame->long_term_index = dpb->current.long_term_index;
  } else {
    frame->short_term |= dpb->structure;
  }
  return true;
}

bool
h264_dpb_end (H264Dpb * dpb, const H264Sps * sps, const H264Slice * slice)
{
  unsigned place = place_of_current (dpb);
  bool long_term = false;

  if (!slice->reference)
    return true;
  if (slice->idr) {
    long_term = slice->long_term;
    dpb->max_long_term = long_term ? 1 : 0;
  } else if (slice->adaptive_marking) {
    if (!mark_adaptively (dpb, slice, &long_term))
      return false;
    if (h264_slice_has_marking (slice, 5))
      restart_counts (dpb);
  } else if (!(dpb->second_field && place < dpb->n_frames
          && dpb->frames[place].short_term)
      && !slide (dpb, sps)) {
    return false;
  }
  dpb->reference_frame_num = dpb->current.frame_num;
  return store_current (dpb, sps, long_term);
}
