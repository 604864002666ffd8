/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Groups of pictures, from one random-access picture to the next in coded order:
 * what past groups were like shows what is still to come of the present one.
 */
#ifndef H26X_GROUPS_H
#define H26X_GROUPS_H

#include <h26x/picture.h>

/* Pictures in the order in which they are needed: 0 are references of the base
 * layer, 1 its disposable pictures, 1 + n temporal layer n. */
#define H26X_N_CLASSES 8

typedef struct
{
  unsigned n[H26X_N_CLASSES];   /* pictures, without the first */
  double bits[H26X_N_CLASSES];  /* of these */
  int64_t duration;             /* of all, ns */
  int64_t others;               /* of all but the first */
  int64_t order;                /* picture order count of the first */
  bool idr;                     /* the first is */
  bool whole;                   /* from its first on nothing is missing */
} H26xGroup;

typedef struct
{
  H26xGroup past[3];            /* whole ones, a ring */
  unsigned n_past;              /* counts on modulo 3 from 3 */
  int64_t usual;                /* duration */
  int64_t span;                 /* picture order count, up to the next group */
  H26xGroup present;            /* the picture at hand included */
  int64_t duration;             /* of the picture at hand, or of the part of it */
} H26xGroups;

void h26x_groups_init (H26xGroups * g);

/* `layers`: references of temporal layers may go by themselves. */
unsigned h26x_class (const H26xPicture * picture, bool layers);

/* Once a picture, in coded order. */
void h26x_groups_add (H26xGroups * g, const H26xPicture * picture,
    unsigned class, double bits, int64_t duration, bool discont);

/* Another part of the last picture; `first`: that began the group. */
void h26x_groups_more (H26xGroups * g, bool first, unsigned class, double bits,
    int64_t duration);

/* How long the group goes on, the picture at hand included; a group of which
 * nothing is known is as long as most. */
int64_t h26x_groups_rest (const H26xGroups * g);

/* The part of the group that came before the picture at hand: from 0 on, above 1
 * where it goes on for longer than it was thought to. */
double h26x_groups_place (const H26xGroups * g);

/* Pictures of a class in the last group, or in the first one so far. */
unsigned h26x_groups_count (const H26xGroups * g, unsigned class);

/* Bits of a class per second without random-access picture, over the present
 * group and the last one. */
double h26x_groups_rate (const H26xGroups * g, unsigned class);

/* Evenly a part of each class (Bresenham's line): what is due of the next picture
 * passes at 1. */
typedef struct
{
  double due[H26X_N_CLASSES];
} H26xShare;

void h26x_share_init (H26xShare * s);

/* Whether the picture passes, where there is `room` for the classes above 0, of
 * which there is so much of each: lower ones first. */
bool h26x_share_passes (H26xShare * s, unsigned class, double room,
    const double amounts[H26X_N_CLASSES]);

/* Whether the next group is thought to begin with an IDR picture. */
bool h26x_groups_idr (const H26xGroups * g);

#endif
