/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Which pictures have passed, and so what a decoder behind can make of the next
 * one: whether it has what the picture refers to, and whether it derives the
 * same picture order count and frame_num.
 */
#ifndef H26X_KEPT_H
#define H26X_KEPT_H

#include <h26x/picture.h>

/* Pictures that are remembered, in coded order: more than a group has. */
#define H26X_KEPT_WINDOW 4096

typedef struct
{
  uint8_t passed[H26X_KEPT_WINDOW / 8]; /* a ring of bits, by id */
  uint64_t last;                /* id of the last picture */
  uint64_t base;                /* of the last random-access picture that passed */
  uint64_t barrier;             /* pictures before this one are of no use */
  uint64_t first_gone;          /* of base layer and referred to, after base; 0: none */

  bool order_known;
  bool restarted;               /* since then it did, in what has not passed */
  int64_t order;                /* that the next one's is derived from */
  int64_t highest_order;        /* that passed */
  unsigned n_gone;              /* since then: references that have a frame_num */
} H26xKept;

typedef enum
{
  H26X_CONTINUES,
  H26X_BEGINS,                  /* does, without what was before it */
  H26X_BREAKS                   /* the decoder would derive something else */
} H26xContinuity;

void h26x_kept_init (H26xKept * k);

/* Whether all that the picture may refer to has passed; `lacking` allows for
 * what was missing in the source already (id 0). */
bool h26x_kept_has_references (const H26xKept * k, const H26xPicture * picture,
    bool lacking);

/* Whether the decoder derives for it what the source's decoder does, if it is
 * the next to pass. `allow_gaps`: in frame_num. */
H26xContinuity h26x_kept_continuity (const H26xKept * k,
    const H26xPicture * picture, bool allow_gaps);

/* The picture has passed; nothing after it uses what was before (H26X_BEGINS,
 * or it is made so). */
void h26x_kept_pass (H26xKept * k, const H26xPicture * picture, bool begins);

void h26x_kept_drop (H26xKept * k, const H26xPicture * picture);

#endif
