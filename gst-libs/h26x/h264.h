/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The parts of H.264's headers (ITU-T H.264, 7.3) that the reference model
 * needs. The caller reads the bitstream. Clauses in this library are of that
 * text.
 */
#ifndef H26X_H264_H
#define H26X_H264_H

#include <stdbool.h>
#include <stdint.h>

#define H264_MAX_FRAMES 16      /* references at a time (A.3.1) */
#define H264_MAX_LIST 32        /* entries of a reference picture list */
/* operations of a list, without the end (7.4.3.1) */
#define H264_MAX_MODIFICATIONS 33
#define H264_MAX_MARKINGS 35    /* memory_management_control_operations */

typedef enum
{
  H264_P = 0,
  H264_B = 1,
  H264_I = 2,
  H264_SP = 3,
  H264_SI = 4
} H264SliceType;

/* The fields of a frame, as bits. */
enum
{
  H264_TOP = 1,
  H264_BOTTOM = 2,
  H264_FRAME = H264_TOP | H264_BOTTOM
};

/* Content of a sequence parameter set. */
typedef struct
{
  unsigned log2_max_frame_num;  /* 4..16 */
  unsigned order_type;          /* pic_order_cnt_type: 0..2 */
  unsigned log2_max_order_lsb;  /* for type 0: 4..16 */
  /* For type 1: delta_pic_order_always_zero_flag. */
  bool delta_order_always_zero;
  int32_t offset_for_non_reference;     /* for type 1 */
  int32_t offset_for_top_to_bottom;     /* for type 1 */
  unsigned n_offsets;           /* for type 1: 0..255 */
  int32_t offsets[255];         /* for type 1: offset_for_ref_frame */
  unsigned max_references;      /* max_num_ref_frames: 0..16 */
  bool gaps_allowed;            /* gaps_in_frame_num_value_allowed_flag */
} H264Sps;

/* One entry of ref_pic_list_modification. */
typedef struct
{
  unsigned operation;           /* modification_of_pic_nums_idc: 0..2 */
  uint32_t value;               /* abs_diff_pic_num_minus1, long_term_pic_num */
} H264Modification;

/* One entry of dec_ref_pic_marking. */
typedef struct
{
  unsigned operation;           /* memory_management_control_operation: 1..6 */
  /* operations 1, 3: difference_of_pic_nums_minus1 */
  uint32_t difference;
  uint32_t long_term_number;    /* operation 2: long_term_pic_num */
  uint32_t long_term_index;     /* operations 3, 6: long_term_frame_idx */
  uint32_t max_long_term;       /* operation 4: max_long_term_frame_idx_plus1 */
} H264Marking;

/* Content of a slice header. */
typedef struct
{
  H264SliceType type;
  bool idr;                     /* nal_unit_type 5 */
  bool reference;               /* nal_ref_idc is not 0 */
  uint16_t idr_id;              /* idr_pic_id */
  uint32_t frame_num;
  unsigned structure;           /* H264_TOP, H264_BOTTOM, H264_FRAME */
  uint32_t order_lsb;           /* pic_order_cnt_lsb */
  int32_t delta_order_bottom;   /* delta_pic_order_cnt_bottom */
  int32_t delta_order[2];       /* delta_pic_order_cnt */
  unsigned n_active[2];         /* num_ref_idx_lX_active_minus1 + 1: 1..32 */
  unsigned n_modifications[2];
  H264Modification modifications[2][H264_MAX_MODIFICATIONS];
  bool long_term;               /* long_term_reference_flag */
  bool adaptive_marking;        /* adaptive_ref_pic_marking_mode_flag */
  unsigned n_markings;
  H264Marking markings[H264_MAX_MARKINGS];
} H264Slice;

static inline bool
h264_is_intra (const H264Slice * slice)
{
  return slice->type == H264_I || slice->type == H264_SI;
}

/* True if the slice has this marking operation. */
static inline bool
h264_slice_has_marking (const H264Slice * slice, unsigned operation)
{
  for (unsigned i = 0; slice->adaptive_marking && i < slice->n_markings; i++)
    if (slice->markings[i].operation == operation)
      return true;
  return false;
}

/* True if all fields are within the standard's bounds. */
bool h264_sps_valid (const H264Sps * sps);
bool h264_slice_valid (const H264Slice * slice, const H264Sps * sps);

/* True if both mean the same to the reference model. */
bool h264_sps_equal (const H264Sps * a, const H264Sps * b);

#endif
