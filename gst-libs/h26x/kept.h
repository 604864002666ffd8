/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Remembers which pictures have passed, and so how a downstream decoder
 * decodes the next one: whether it has the picture's references, and whether
 * it derives the same picture order count and frame_num.
 */
#ifndef H26X_KEPT_H
#define H26X_KEPT_H

#include <h26x/picture.h>

/* Pictures remembered, in coded order; more than a group has. */
#define H26X_KEPT_WINDOW 4096

typedef struct
{
  uint8_t passed[H26X_KEPT_WINDOW / 8]; /* a ring of bits, by id */
  uint64_t last;                /* id of the last picture */
  /* id of the last random-access picture that passed */
  uint64_t base;
  uint64_t barrier;             /* id; earlier pictures are no longer usable */
  /* id of the first reference of the base layer dropped after base; 0 =
   * none. */
  uint64_t first_gone;

  bool order_known;
  /* a dropped IDR picture restarted the order since */
  bool restarted;
  /* order of the last passed picture that counts */
  int64_t order;
  int64_t highest_order;        /* highest order that passed */
  /* References with a frame_num dropped since that picture. */
  unsigned n_gone;
} H26xKept;

typedef enum
{
  /* the decoder derives what the source's does */
  H26X_CONTINUES,
  /* The decoder derives other values, which serve if nothing before is used. */
  H26X_BEGINS,
  H26X_BREAKS                   /* the decoder would derive something else */
} H26xContinuity;

void h26x_kept_init (H26xKept * k);

/* True if all that the picture may refer to has passed. `lacking` accepts
 * references that the source lacked already (id 0). */
bool h26x_kept_has_references (const H26xKept * k, const H26xPicture * picture,
    bool lacking);

/* Returns whether the decoder derives what the source's decoder does, if
 * the picture passes next. `allow_gaps`: frame_num may have gaps. */
H26xContinuity h26x_kept_continuity (const H26xKept * k,
    const H26xPicture * picture, bool allow_gaps);

/* Notes that the picture has passed. `begins`: nothing after it uses what
 * was before, because it is H26X_BEGINS or made so. */
void h26x_kept_pass (H26xKept * k, const H26xPicture * picture, bool begins);

void h26x_kept_drop (H26xKept * k, const H26xPicture * picture);

#endif
