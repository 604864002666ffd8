/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <h26x/kept.h>

#include <string.h>

void
h26x_kept_init (H26xKept * k)
{
  memset (k, 0, sizeof *k);
}

static void
mark (H26xKept * k, uint64_t id, bool passed)
{
  uint8_t bit = (uint8_t) (1u << id % 8);
  uint8_t *place = &k->passed[id % H26X_KEPT_WINDOW / 8];

  *place = (uint8_t) (passed ? *place | bit : *place & ~bit);
}

static void
note (H26xKept * k, uint64_t id, bool passed)
{
  if (id <= k->last || id - k->last > H26X_KEPT_WINDOW)
    memset (k->passed, 0, sizeof k->passed);
  else
    for (uint64_t between = k->last + 1; between < id; between++)
      mark (k, between, false);
  mark (k, id, passed);
  k->last = id;
}

/* True if the picture has passed. One older than the window is a long-term
 * reference of the base layer. */
static bool
has_passed (const H26xKept * k, uint64_t id)
{
  if (id == 0 || id < k->barrier || id > k->last)
    return false;
  if (k->last - id < H26X_KEPT_WINDOW)
    return k->passed[id % H26X_KEPT_WINDOW / 8] >> id % 8 & 1;
  return id >= k->base && (k->first_gone == 0 || id < k->first_gone);
}

bool
h26x_kept_has_references (const H26xKept * k, const H26xPicture * picture,
    bool lacking)
{
  for (unsigned i = 0; i < picture->n_references; i++) {
    uint64_t id = picture->references[i];

    if (!(id == 0 && lacking) && !has_passed (k, id))
      return false;
  }
  return true;
}

/* Compares the picture order count that the decoder derives with the
 * source's. The count is derived from that of the last picture that
 * counts, to which it must be nearer than half of the cycle (H.264
 * 8.2.1.1, H.265 8.3.1). A random-access picture that is farther away gets
 * another count. That serves as well if it is higher than all before,
 * because what follows is relative to it. */
static H26xContinuity
order_continuity (const H26xKept * k, const H26xPicture * picture)
{
  int64_t cycle = picture->order_cycle, step, wrapped;

  if (!k->order_known || cycle == 0)
    return H26X_CONTINUES;
  step = picture->order - k->order;
  if (step > -cycle / 2 && step < cycle / 2 && !k->restarted)
    return H26X_CONTINUES;
  wrapped = (step % cycle + cycle) % cycle;
  if (picture->random_access && wrapped < cycle / 2
      && k->order + wrapped > k->highest_order)
    return H26X_BEGINS;
  return H26X_BREAKS;
}

/* True if the decoder does not accept the picture's frame_num. A
 * random-access picture whose frame_num jumps is what a decoder meets
 * after a loss. For another picture the decoder fills up references if the
 * stream allows it, and fewer than MaxFrameNum; no picture refers to those
 * (H.264 7.4.3, 8.2.5.2). */
static bool
frame_num_breaks (const H26xKept * k, const H26xPicture * picture,
    bool allow_gaps)
{
  if (picture->frame_num_gap_limit == 0 || picture->random_access
      || k->n_gone == 0)
    return false;
  return !allow_gaps || k->n_gone >= picture->frame_num_gap_limit;
}

H26xContinuity
h26x_kept_continuity (const H26xKept * k, const H26xPicture * picture,
    bool allow_gaps)
{
  if (picture->idr)
    return H26X_CONTINUES;
  if (frame_num_breaks (k, picture, allow_gaps))
    return H26X_BREAKS;
  return order_continuity (k, picture);
}

void
h26x_kept_pass (H26xKept * k, const H26xPicture * picture, bool begins)
{
  begins = begins || picture->idr;
  note (k, picture->id, true);
  if (picture->random_access) {
    k->base = picture->id;
    k->first_gone = 0;
  }
  if (begins)
    k->barrier = picture->id;
  if (begins || !k->order_known || picture->order > k->highest_order)
    k->highest_order = picture->order;
  if (begins || picture->counts || !picture->readable) {
    k->order_known = picture->readable;
    k->restarted = false;
    k->order = picture->order;
    k->n_gone = 0;
  }
}

void
h26x_kept_drop (H26xKept * k, const H26xPicture * picture)
{
  note (k, picture->id, false);
  if (picture->idr) {
    k->barrier = picture->id;
    k->restarted = true;
  }
  if (!picture->disposable && picture->layer == 0 && k->first_gone == 0)
    k->first_gone = picture->id;
  if (picture->counts && picture->frame_num_gap_limit > 0)
    k->n_gone++;
}
