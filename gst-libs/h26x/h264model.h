/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Derives from H.264's headers what pictures refer to, and whether a decoder
 * of what has passed decodes the next one as a decoder of the source does. For
 * each access unit:
 *
 *   h264_model_begin, h264_model_slice for each slice of the primary coded
 *   picture, h264_model_end, and h264_model_passed if it passes
 *
 * The model keeps two decoded picture buffers: the source's, and that of a
 * decoder which sees only what passed. A picture decodes the same if all its
 * lists name the same pictures in both, and if its picture order count is the
 * same, or differs as that of the last random-access picture does.
 */
#ifndef H26X_H264MODEL_H
#define H26X_H264MODEL_H

#include <h26x/h264dpb.h>
#include <h26x/picture.h>

typedef enum
{
  H264_DECODES,                 /* decodes as in the source */
  /* Decodes as in the source if frame_num may have gaps: references before
   * it did not pass, and gaps_in_frame_num_value_allowed_flag is 0. */
  H264_DECODES_WITH_GAPS,
  H264_DIFFERS                  /* a reference is missing or mistaken */
} H264Verdict;

/* Differences between the counts of a decoder of what has passed and those
 * of the source's decoder. They may change at a random-access picture and
 * must then stay. */
typedef struct
{
  int64_t order;                /* picture order count less the source's */
  int64_t frame_num_offset;     /* FrameNumOffset less the source's */
  int64_t top;                  /* highest order count of the view so far */
  bool entered;                 /* changed at the last random-access picture */
} H264Shift;

typedef struct
{
  H26xPicture picture;
  H264Verdict verdict;
  H264Sps sps;
  H264Dpb source;
  H264Dpb view;                 /* buffer of a decoder of what passed */
  H264Dpb trial;                /* the view if the access unit passes */
  /* Differences of the view and of the trial. */
  H264Shift shift, trial_shift;
  bool shifts;                  /* the shift changes with this access unit */
  bool delimited;
  bool damaged;                 /* the current access unit cannot be read */
  bool lost;                    /* unreadable until an IDR picture */
  bool decodable;               /* the trial has followed the source so far */
  bool needs_gaps;
  unsigned n_coded;             /* coded pictures of this access unit */
  H264Slice first;              /* first slice of the coded picture */
  H264Slice last;               /* slice whose lists were derived last */
  /* all slices of the first coded picture are intra */
  bool intra;
  bool restarts;                /* the access unit begins order counts anew */
  unsigned referenced;          /* places in source.frames, as bits */
  int64_t order_base;           /* order count at which the sequence begins */
  int64_t order_top;            /* highest picture order count so far */
  /* order count of the last random-access picture */
  int64_t entry_order;
  bool entry_idr;               /* the last random-access picture is an IDR */
} H264Model;

void h264_model_init (H264Model * m);

/* Begins an access unit. `delimited`: more than its slice headers marks
 * the beginning (7.4.1.2.3; a container's sample). */
void h264_model_begin (H264Model * m, bool delimited);
void h264_model_slice (H264Model * m, const H264Sps * sps,
    const H264Slice * slice);

/* Notes that a part of it cannot be read. Nothing is known until an IDR
 * picture. */
void h264_model_unreadable (H264Model * m);

/* Returns the picture, valid until the next begin, or NULL if there was no
 * slice. `recovery`: there is a recovery point with recovery_frame_cnt 0.
 * A second field in an access unit of its own gets its frame's id again,
 * and must pass or be dropped as the first field was. */
const H26xPicture *h264_model_end (H264Model * m, bool recovery,
    unsigned layer);

/* Returns how a decoder of what passed decodes it. Call it after
 * h264_model_end. Unreadable pictures pass, so they count as decodable. A
 * first field without its second counts as decodable if the second one
 * will decode, whatever it refers to. */
H264Verdict h264_model_verdict (const H264Model * m);
/* Notes that the access unit has passed. */
void h264_model_passed (H264Model * m);

#endif
