/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <h26x/h265rps.h>

#include <string.h>

/* Least length of pic_order_cnt_lsb in bits (7.4.3.2.1). */
#define MIN_LOG2_LSB 4
/* Greatest length of pic_order_cnt_lsb in bits (7.4.3.2.1). */
#define MAX_LOG2_LSB 16
/* Greatest TemporalId. */
#define MAX_LAYER 6

void
h265_dpb_init (H265Dpb * dpb)
{
  memset (dpb, 0, sizeof *dpb);
}

static bool
is_irap (const H265Slice * slice)
{
  return slice->nal_unit_type >= H265_NAL_BLA_W_LP
      && slice->nal_unit_type <= H265_NAL_CRA;
}

static bool
is_rasl (const H265Slice * slice)
{
  return slice->nal_unit_type == H265_NAL_RASL_N
      || slice->nal_unit_type == H265_NAL_RASL_R;
}

static bool
is_radl (const H265Slice * slice)
{
  return slice->nal_unit_type == H265_NAL_RADL_N
      || slice->nal_unit_type == H265_NAL_RADL_R;
}

/* True for a sub-layer non-reference picture: its type is even and no
 * IRAP's (table 7-1). */
static bool
is_non_reference (const H265Slice * slice)
{
  return !is_irap (slice) && slice->nal_unit_type % 2 == 0;
}

/* False for reserved types, which decoders ignore. */
static bool
is_known (unsigned nal_unit_type)
{
  return nal_unit_type <= H265_NAL_RASL_R
      || (nal_unit_type >= H265_NAL_BLA_W_LP && nal_unit_type <= H265_NAL_CRA);
}

static bool
is_valid (const H265Sps * sps, const H265Slice * slice)
{
  return is_known (slice->nal_unit_type)
      && sps->log2_max_order_lsb >= MIN_LOG2_LSB
      && sps->log2_max_order_lsb <= MAX_LOG2_LSB
      && sps->highest_layer <= MAX_LAYER && slice->layer <= MAX_LAYER
      && !(is_irap (slice) && slice->layer > 0)
      && slice->order_lsb >> sps->log2_max_order_lsb == 0
      && slice->n_short_term <= H265_MAX_DPB
      && slice->n_long_term <= H265_MAX_DPB - slice->n_short_term;
}

/* Derives the picture order count (8.3.1). */
static int64_t
derive_order (const H265Dpb * dpb, const H265Sps * sps,
    const H265Slice * slice, bool begins)
{
  int64_t cycle = INT64_C (1) << sps->log2_max_order_lsb;
  int64_t lsb = dpb->order & (cycle - 1), msb = dpb->order - lsb;
  int64_t step = (int64_t) slice->order_lsb - lsb;

  if (begins)
    return slice->order_lsb;
  if (step <= -cycle / 2)
    msb += cycle;
  else if (step > cycle / 2)
    msb -= cycle;
  return msb + slice->order_lsb;
}

/* True if a list of H.265 can hold the picture order count. */
static bool
is_order (int64_t order)
{
  return order >= INT32_MIN && order <= INT32_MAX;
}

/* Returns the picture with that order, or whose order has these low bits. */
static const H265Reference *
find (const H265Dpb * dpb, int64_t order, int64_t mask)
{
  for (unsigned i = 0; i < dpb->n_references; i++)
    if ((dpb->references[i].order & mask) == (order & mask))
      return &dpb->references[i];
  return NULL;
}

/* Keeps the picture that the set names; all others go (8.3.2). */
static void
take (const H265Dpb * dpb, H265Dpb * kept, int64_t order, int64_t mask,
    bool used, H26xPicture * picture)
{
  const H265Reference *reference = find (dpb, order, mask);

  if (used)
    picture->references[picture->n_references++] = reference ? reference->id
        : 0;
  if (reference)
    kept->references[kept->n_references++] = *reference;
}

static void
apply_set (H265Dpb * dpb, const H265Sps * sps, const H265Slice * slice,
    H26xPicture * picture)
{
  int64_t cycle = INT64_C (1) << sps->log2_max_order_lsb;
  H265Dpb kept = {.n_references = 0 };

  for (unsigned i = 0; i < slice->n_short_term; i++)
    take (dpb, &kept, picture->order + slice->short_term[i].delta, -1,
        slice->short_term[i].used, picture);
  for (unsigned i = 0; i < slice->n_long_term; i++) {
    const H265LongTerm *l = &slice->long_term[i];
    int64_t order = l->order_lsb;

    if (l->has_msb)
      order += picture->order - slice->order_lsb - l->msb_cycle * cycle;
    take (dpb, &kept, order, l->has_msb ? -1 : cycle - 1, l->used, picture);
  }
  dpb->n_references = kept.n_references;
  memcpy (dpb->references, kept.references, sizeof dpb->references);
}

/* Describes the picture by its NAL unit header (7.4.2.2). */
static void
describe (const H265Sps * sps, const H265Slice * slice, H26xPicture * picture)
{
  picture->readable = true;
  picture->random_access = is_irap (slice);
  picture->leading = is_rasl (slice);
  picture->disposable = is_non_reference (slice)
      && slice->layer >= sps->highest_layer;
  picture->layer = slice->layer;
  picture->counts = slice->layer == 0 && !is_rasl (slice) && !is_radl (slice)
      && !is_non_reference (slice);
  picture->order_cycle = 1u << sps->log2_max_order_lsb;
}

/* Returns NoRaslOutputFlag (8.1.3): nothing before the picture is referred
 * to by it or after it, and picture order count begins anew. After
 * pictures that could not be read, a CRA picture may have it or not; its
 * idr is then false. */
static bool
begins (const H265Dpb * dpb, const H265Slice * slice)
{
  return is_irap (slice) && (slice->nal_unit_type <= H265_NAL_IDR_N_LP
      || slice->begins_sequence || !dpb->order_known);
}

static bool
read (H265Dpb * dpb, const H265Sps * sps, const H265Slice * slice,
    H26xPicture * picture)
{
  bool anew;

  if (!slice || !is_valid (sps, slice))
    return false;
  anew = begins (dpb, slice);
  if (!anew && !dpb->order_known)
    return false;
  describe (sps, slice, picture);
  picture->idr = anew && !(dpb->lost && slice->nal_unit_type == H265_NAL_CRA);
  picture->order = derive_order (dpb, sps, slice, anew);
  if (!is_order (picture->order))
    return false;
  if (anew)
    dpb->n_references = 0;
  apply_set (dpb, sps, slice, picture);
  if (picture->random_access)
    picture->n_references = 0;
  return true;
}

void
h265_dpb_next (H265Dpb * dpb, const H265Sps * sps, const H265Slice * slice,
    H26xPicture * picture)
{
  uint64_t id = ++dpb->id;

  memset (picture, 0, sizeof *picture);
  if (!read (dpb, sps, slice, picture)) {
    memset (picture, 0, sizeof *picture);
    picture->id = id;
    dpb->lost = true;
    dpb->order_known = false;
    return;
  }
  picture->id = id;
  dpb->lost = false;
  if (picture->counts) {
    dpb->order_known = true;
    dpb->order = picture->order;
  }
  dpb->references[dpb->n_references].order = picture->order;
  dpb->references[dpb->n_references++].id = id;
}
