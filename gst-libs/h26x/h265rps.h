/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Derives a picture's place among the others from H.265's slice headers:
 * picture order count (ITU-T H.265 clause 8.3.1) and reference picture set
 * (8.3.2), which names all that the picture and those after it may refer to.
 */
#ifndef H26X_H265RPS_H
#define H26X_H265RPS_H

#include <h26x/picture.h>

/* Most pictures that wait to be referred to: MaxDpbSize (A.4.2). */
#define H265_MAX_DPB 16

/* NAL unit types of table 7-1. */
enum
{
  H265_NAL_RADL_N = 6,
  H265_NAL_RADL_R = 7,
  H265_NAL_RASL_N = 8,
  H265_NAL_RASL_R = 9,
  H265_NAL_BLA_W_LP = 16,
  H265_NAL_BLA_N_LP = 18,
  H265_NAL_IDR_W_RADL = 19,
  H265_NAL_IDR_N_LP = 20,
  H265_NAL_CRA = 21
};

typedef struct
{
  unsigned log2_max_order_lsb;  /* log2_max_pic_order_cnt_lsb_minus4 + 4 */
  unsigned highest_layer;       /* sps_max_sub_layers_minus1 */
} H265Sps;

typedef struct
{
  int32_t delta;                /* DeltaPocS0, DeltaPocS1 */
  bool used;                    /* UsedByCurrPicS0, UsedByCurrPicS1 */
} H265ShortTerm;

typedef struct
{
  uint32_t order_lsb;           /* pocLsbLt */
  bool has_msb;                 /* delta_poc_msb_present_flag */
  uint32_t msb_cycle;           /* DeltaPocMsbCycleLt */
  bool used;                    /* UsedByCurrPicLt */
} H265LongTerm;

/* Content of any of the picture's slices; all say the same (7.4.7.1). */
typedef struct
{
  unsigned nal_unit_type;
  unsigned layer;               /* TemporalId */
  bool begins_sequence;         /* follows an end of sequence NAL unit */
  uint32_t order_lsb;           /* slice_pic_order_cnt_lsb */
  unsigned n_short_term, n_long_term;
  H265ShortTerm short_term[H265_MAX_DPB];
  H265LongTerm long_term[H265_MAX_DPB];
} H265Slice;

typedef struct
{
  int64_t order;
  uint64_t id;
} H265Reference;

typedef struct
{
  uint64_t id;                  /* id of the last picture */
  bool lost;                    /* earlier pictures could not be read */
  bool order_known;             /* true since an IRAP picture */
  int64_t order;                /* order count of prevTid0Pic */
  unsigned n_references;
  H265Reference references[H265_MAX_DPB + 1];
} H265Dpb;

/* Initialises the buffer, at the start and after a flush. */
void h265_dpb_init (H265Dpb * dpb);

/* Derives the picture. Call it once a picture, in coded order, with NULL
 * if its headers could not be read. A reference that is missing in the
 * stream has id 0. */
void h265_dpb_next (H265Dpb * dpb, const H265Sps * sps,
    const H265Slice * slice, H26xPicture * picture);

#endif
