/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * H.264's headers -> what pictures refer to, and whether a decoder of what has
 * passed decodes the next one as a decoder of the source does. For each access
 * unit:
 *
 *   h264_model_begin, h264_model_slice for each slice of the primary coded
 *   picture, h264_model_end, and h264_model_passed if it passes
 *
 * The model keeps two decoded picture buffers: the source's, and that of a
 * decoder which sees only what passed. A picture decodes the same where both
 * have the same pictures in all its lists, and the same picture order count, or
 * one that differs as that of the last random-access picture does.
 */
#ifndef H26X_H264MODEL_H
#define H26X_H264MODEL_H

#include <h26x/h264dpb.h>
#include <h26x/picture.h>

typedef enum
{
  H264_DECODES,                 /* as in the source */
  /* It does if frame_num may have gaps: references before it did not pass, and
   * gaps_in_frame_num_value_allowed_flag is 0. */
  H264_DECODES_WITH_GAPS,
  H264_DIFFERS                  /* what it refers to is missing, or would be mistaken */
} H264Verdict;

/* What a decoder of what has passed counts otherwise than the source's: where it
 * enters again at a random-access picture, only differences count from there. */
typedef struct
{
  int64_t order;                /* its picture order count less the source's */
  int64_t frame_num_offset;     /* the same of FrameNumOffset */
  int64_t top;                  /* its highest order count so far */
  bool entered;                 /* at the last random-access picture */
} H264Shift;

typedef struct
{
  H26xPicture picture;
  H264Verdict verdict;
  H264Sps sps;
  H264Dpb source;
  H264Dpb view;                 /* of a decoder of what passed */
  H264Dpb trial;                /* the view, if the access unit passes */
  H264Shift shift, trial_shift; /* of these two */
  bool shifts;                  /* with this access unit */
  bool delimited;
  bool damaged;                 /* the access unit at hand is */
  bool lost;                    /* unreadable until an IDR picture */
  bool decodable;               /* trial has followed the source so far */
  bool needs_gaps;
  unsigned n_coded;             /* coded pictures of this access unit */
  H264Slice first;              /* slice of the coded picture */
  H264Slice last;               /* slice whose lists were derived last */
  bool intra;                   /* all slices of the first coded picture are */
  bool restarts;                /* it begins order counts anew */
  unsigned referenced;          /* places in source.frames, as bits */
  int64_t order_base;           /* what the sequence's order counts begin from */
  int64_t order_top;            /* the highest so far */
  int64_t entry_order;          /* of the last random-access picture */
  bool entry_idr;
} H264Model;

void h264_model_init (H264Model * m);

/* An access unit begins; delimited: its beginning shows by more than its slice
 * headers (7.4.1.2.3; a container's sample). */
void h264_model_begin (H264Model * m, bool delimited);
void h264_model_slice (H264Model * m, const H264Sps * sps,
    const H264Slice * slice);

/* Something in it cannot be read: nothing is known until an IDR picture. */
void h264_model_unreadable (H264Model * m);

/* The picture, valid until the next begin; NULL: there was no slice. recovery:
 * a recovery point with recovery_frame_cnt 0. A second field that has an access
 * unit of its own has its frame's id again, and must go where the first went. */
const H26xPicture *h264_model_end (H264Model * m, bool recovery,
    unsigned layer);

/* What a decoder of what passed makes of it, after h264_model_end. Unreadable
 * pictures are said to decode: they pass. A first field without its second is
 * said to decode where the second one will, whatever it refers to. */
H264Verdict h264_model_verdict (const H264Model * m);
void h264_model_passed (H264Model * m);

#endif
