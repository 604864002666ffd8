/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The references in H.264's decoded picture buffer, as headers change them:
 * picture order count (8.2.1), reference picture lists (8.2.4), marking
 * (8.2.5). For each coded picture, which is a frame or a field:
 *
 *   h264_dpb_begin, h264_dpb_lists for each P and B slice, h264_dpb_end
 *
 * Headers must be valid (h264.h). A function that returns false met what the
 * standard forbids. The buffer is then unusable until an IDR picture.
 */
#ifndef H26X_H264DPB_H
#define H26X_H264DPB_H

#include <h26x/h264.h>

/* An id that no picture has. */
#define H264_NO_PICTURE UINT64_C (0)

typedef struct
{
  /* H264_NO_PICTURE = "non-existing" frame, 8.2.5.2 */
  uint64_t id;
  unsigned fields;              /* decoded fields */
  unsigned short_term, long_term;       /* fields marked so */
  uint32_t frame_num;
  int32_t frame_num_wrap;       /* FrameNumWrap, 8.2.4.1 */
  uint32_t long_term_index;     /* LongTermFrameIdx */
  int32_t order[2];             /* TopFieldOrderCnt, BottomFieldOrderCnt */
} H264Frame;

typedef struct
{
  /* The references. The current frame is among them as soon as its first
   * field is a reference. */
  H264Frame frames[H264_MAX_FRAMES];
  unsigned n_frames;

  /* The coded picture between begin and end; after end, the last one. */
  H264Frame current;
  unsigned structure;
  bool second_field;
  bool reference;
  bool idr;
  uint16_t idr_id;
  bool paired;                  /* no further field can belong to it */
  unsigned n_unmatched;         /* marking operations that found no picture */

  uint32_t reference_frame_num; /* PrevRefFrameNum, 7.4.3 */
  uint32_t frame_num;           /* prevFrameNum */
  int64_t frame_num_offset;     /* FrameNumOffset */
  int64_t order_msb;            /* prevPicOrderCntMsb */
  int64_t order_lsb;            /* prevPicOrderCntLsb */
  uint32_t max_long_term;       /* MaxLongTermFrameIdx + 1 */
  bool started;                 /* a picture has come before */
} H264Dpb;

/* An entry of a list: the place in frames, and the fields of that frame;
 * fields 0 = no picture. */
typedef struct
{
  uint8_t place;
  uint8_t fields;
} H264Reference;

typedef struct
{
  unsigned n;                   /* 0 = the slice has no such list */
  /* one more while it is modified */
  H264Reference entries[H264_MAX_LIST + 1];
} H264List;

void h264_dpb_init (H264Dpb * dpb);

/* True if the next coded picture is the second field of the last one's
 * frame. */
bool h264_dpb_continues (const H264Dpb * dpb, const H264Slice * slice);

/* True if frame_num shows that references are missing before it (7.4.3). */
bool h264_dpb_gap (const H264Dpb * dpb, const H264Sps * sps,
    const H264Slice * slice);

/* Takes the first slice of a coded picture. The id is ignored for a second
 * field. Gaps in frame_num are filled with "non-existing" frames, allowed
 * or not. */
bool h264_dpb_begin (H264Dpb * dpb, const H264Sps * sps,
    const H264Slice * slice, uint64_t id);

/* Derives the final RefPicList0 and RefPicList1 of a slice. Modifications
 * that name no picture leave an entry without one. */
void h264_dpb_lists (const H264Dpb * dpb, const H264Sps * sps,
    const H264Slice * slice, H264List lists[2]);

/* Ends the decoding of the coded picture; takes its first slice once more. */
bool h264_dpb_end (H264Dpb * dpb, const H264Sps * sps,
    const H264Slice * slice);

/* Returns the picture order count of the current coded picture. */
int32_t h264_dpb_order (const H264Dpb * dpb);

/* Returns the picture order count of the decoded fields of a frame. */
int32_t h264_frame_order (const H264Frame * frame);

#endif
