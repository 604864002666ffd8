/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Dropping pictures of H.264 and H.265: pictures in coded order in, what to do
 * with each out. What passes decodes as in the source.
 */
#ifndef H26X_DROPPER_H
#define H26X_DROPPER_H

#include <h26x/picture.h>
#include <scaling/selector.h>

typedef struct
{
  ScalingRule rule;
  /* ns that the end of a group, or a whole group, may be missing. Negative = as
   * long as the rule says; 0 = only disposable pictures go. A target of 0 stops
   * the stream nevertheless. */
  int64_t max_freeze;
  bool allow_gaps;              /* the stream says that frame_num may have gaps */
  /* A random-access picture can be made to begin anew: H.265's CRA by another
   * nal_unit_type, BLA. */
  bool splices;
  /* The codec's own check, or NULL: returns whether a decoder of what has passed
   * decodes the picture as in the source, if it is the next to pass. */
  bool (*decodes) (void *data, const H26xPicture * picture);
  void *decodes_data;           /* its first argument */
} H26xDropperSettings;

typedef struct
{
  const H26xPicture *picture;
  size_t bytes;                 /* of all of it */
  size_t filler;                /* of these, filler data */
  int64_t duration;             /* of its display, ns */
  bool discont;                 /* something may be missing before it */
} H26xCodedPicture;

typedef struct
{
  ScalingVerdict verdict;
  unsigned lowest_scale;        /* that passes the picture */
  int scale;                    /* in force; -1: below 0 */
  bool held;                    /* passes against the rule: see statistics */
  bool without_filler;          /* passes without its filler data */
  bool splice;                  /* passes as one that begins anew */
} H26xDecision;

typedef struct
{
  uint64_t pictures;            /* in */
  uint64_t unreadable;          /* of these */
  uint64_t passed;
  uint64_t filled;              /* of these, beyond the scale */
  uint64_t held;                /* of these, against the rule: max_freeze, or a
                                 * decoder would derive something else later */
  uint64_t spliced;             /* of these */
  uint64_t dropped_policy;      /* by the rule */
  uint64_t dropped_reference;   /* what they refer to has gone, or a decoder would
                                 * derive something else */
  uint64_t dropped_group;       /* whole groups, below scale 0 or stopped */
  uint64_t bytes_in;
  uint64_t bytes_out;
  uint64_t filler_bytes;        /* left out of pictures that passed */

  /* Of this group and the last one. */
  int lowest_scale;             /* that is to be had, 0..4; -1: whole groups go too */
  bool exceeded;                /* the target was, since pictures had to stay */
} H26xDropperStats;

typedef struct H26xDropper H26xDropper;

/* NULL where memory is short. */
H26xDropper *h26x_dropper_new (void);
void h26x_dropper_free (H26xDropper * d);

/* Start, flush, another stream. `lost`: what came before is gone (flush); false
 * at the very start. Settings stay. */
void h26x_dropper_reset (H26xDropper * d, bool lost);

/* From the next picture on. */
void h26x_dropper_set (H26xDropper * d, const H26xDropperSettings * settings);

/* A receiver waits for a random-access picture: where whole groups go, the next
 * one passes. */
void h26x_dropper_want_key (H26xDropper * d);

/* Once a picture, in coded order. */
void h26x_dropper_picture (H26xDropper * d, const H26xCodedPicture * coded,
    H26xDecision * decision);

/* Another part of the last picture, as the second field of its frame is: goes
 * where that went. The decision is the same. A duration of 0: the first part's
 * was that of the whole. */
void h26x_dropper_more (H26xDropper * d, const H26xCodedPicture * coded,
    H26xDecision * decision);

/* Bits per second that scale (0..4) would pass, with what stays against it; 0: not
 * known yet. */
int64_t h26x_dropper_rate (const H26xDropper * d, unsigned scale);

void h26x_dropper_stats (const H26xDropper * d, H26xDropperStats * stats);

#endif
