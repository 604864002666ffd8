/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Drops pictures of H.264 and H.265: takes pictures in coded order and decides
 * about each. What passes decodes as in the source.
 */
#ifndef H26X_DROPPER_H
#define H26X_DROPPER_H

#include <h26x/picture.h>
#include <scaling/selector.h>

typedef struct
{
  ScalingRule rule;
  /* ns that the end of a group, or a whole group, may be missing. Negative =
   * the rule alone decides; 0 = only disposable pictures are dropped. A
   * target of 0 stops the stream nevertheless. */
  int64_t max_freeze;
  /* The stream signals that frame_num may have gaps. */
  bool allow_gaps;
  /* A random-access picture can begin a new sequence: another nal_unit_type,
   * BLA, does this for H.265's CRA. */
  bool splices;
  /* The codec's own check, or NULL. It returns true if a decoder of what has
   * passed decodes the picture as in the source, when it passes next. */
  bool (*decodes) (void *data, const H26xPicture * picture);
  void *decodes_data;           /* first argument of `decodes` */
} H26xDropperSettings;

typedef struct
{
  const H26xPicture *picture;
  size_t bytes;                 /* bytes of the whole picture */
  size_t filler;                /* bytes of filler data among these */
  int64_t duration;             /* ns of its display */
  bool discont;                 /* something may be missing before it */
} H26xCodedPicture;

typedef struct
{
  ScalingVerdict verdict;
  unsigned lowest_scale;        /* lowest scale that passes the picture */
  int scale;                    /* scale in force; -1 = below 0 */
  /* passes against the rule; see the statistics */
  bool held;
  bool without_filler;          /* passes without its filler data */
  bool splice;                  /* passes as the beginning of a sequence */
} H26xDecision;

typedef struct
{
  uint64_t pictures;            /* pictures that came in */
  uint64_t unreadable;          /* those that could not be read */
  uint64_t passed;
  uint64_t filled;              /* those passed beyond the scale */
  /* Those passed against the rule: max_freeze requires them, or a decoder
   * would derive something else later. */
  uint64_t held;
  /* those passed as the beginning of a sequence */
  uint64_t spliced;
  uint64_t dropped_policy;      /* dropped by the rule */
  /* Dropped because a reference was dropped, or because a decoder would
   * derive something else. */
  uint64_t dropped_reference;
  /* pictures of whole groups, below scale 0 or stopped */
  uint64_t dropped_group;
  uint64_t bytes_in;
  uint64_t bytes_out;
  uint64_t filler_bytes;        /* bytes left out of pictures that passed */

  /* The lowest scale that is possible, 0..4; -1 = whole groups can go too.
   * Of this group and the last one. */
  int lowest_scale;
  /* The target was exceeded because pictures had to stay, in this group or
   * the last one. */
  bool exceeded;
} H26xDropperStats;

typedef struct H26xDropper H26xDropper;

/* Returns NULL if memory runs out. */
H26xDropper *h26x_dropper_new (void);
void h26x_dropper_free (H26xDropper * d);

/* Begins anew at the start, after a flush, and for another stream. `lost`:
 * earlier pictures are missing (flush); false at the very start. Settings
 * stay. */
void h26x_dropper_reset (H26xDropper * d, bool lost);

/* Sets the settings from the next picture on. */
void h26x_dropper_set (H26xDropper * d, const H26xDropperSettings * settings);

/* A receiver waits for a random-access picture. If whole groups are
 * dropped, the next one passes. */
void h26x_dropper_want_key (H26xDropper * d);

/* Decides about a picture. Call it once a picture, in coded order. */
void h26x_dropper_picture (H26xDropper * d, const H26xCodedPicture * coded,
    H26xDecision * decision);

/* Takes another part of the last picture, for example the second field of
 * its frame. It gets the same decision. A duration of 0: the first part
 * had the duration of the whole. */
void h26x_dropper_more (H26xDropper * d, const H26xCodedPicture * coded,
    H26xDecision * decision);

/* Returns the bits per second that scale (0..4) would pass, with what
 * stays against it; 0 = not known yet. */
int64_t h26x_dropper_rate (const H26xDropper * d, unsigned scale);

void h26x_dropper_stats (const H26xDropper * d, H26xDropperStats * stats);

#endif
