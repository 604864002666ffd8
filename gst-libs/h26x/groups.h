/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Groups of pictures, from one random-access picture to the next in coded
 * order. Past groups predict the rest of the present one.
 */
#ifndef H26X_GROUPS_H
#define H26X_GROUPS_H

#include <h26x/picture.h>

/* Number of classes of pictures, in the order in which they are needed: 0
 * are references of the base layer, 1 its disposable pictures, 1 + n
 * temporal layer n. */
#define H26X_N_CLASSES 8

typedef struct
{
  unsigned n[H26X_N_CLASSES];   /* pictures by class, without the first */
  double bits[H26X_N_CLASSES];  /* bits of these pictures */
  int64_t duration;             /* ns, of all pictures */
  int64_t others;               /* ns, of all but the first */
  int64_t order;                /* picture order count of the first */
  bool idr;                     /* the first is an IDR picture */
  bool whole;                   /* nothing has been missing since its first */
} H26xGroup;

typedef struct
{
  H26xGroup past[3];            /* the last whole groups, a ring */
  unsigned n_past;              /* past groups; 3 comes again after 5 */
  int64_t usual;                /* ns; expected duration of a group */
  int64_t span;                 /* picture order count from group to group */
  H26xGroup present;            /* includes the current picture */
  int64_t duration;             /* ns, of the current picture or part of it */
} H26xGroups;

void h26x_groups_init (H26xGroups * g);

/* Returns the picture's class. `layers`: references of temporal layers may
 * be dropped by themselves. */
unsigned h26x_class (const H26xPicture * picture, bool layers);

/* Adds a picture. Call it once a picture, in coded order. */
void h26x_groups_add (H26xGroups * g, const H26xPicture * picture,
    unsigned class, double bits, int64_t duration, bool discont);

/* Adds another part of the last picture. `first`: that picture began the
 * group. */
void h26x_groups_more (H26xGroups * g, bool first, unsigned class, double bits,
    int64_t duration);

/* Returns how long the group goes on, with the current picture, ns. A
 * group about which nothing is known has the usual duration. */
int64_t h26x_groups_rest (const H26xGroups * g);

/* Returns the part of the group that came before the current picture: 0 at
 * the beginning, above 1 if the group is longer than expected. */
double h26x_groups_place (const H26xGroups * g);

/* Returns the number of pictures of a class in the last group, or so far
 * in the first one. */
unsigned h26x_groups_count (const H26xGroups * g, unsigned class);

/* Returns the bits per second of a class, without random-access pictures,
 * over the present group and the last one. */
double h26x_groups_rate (const H26xGroups * g, unsigned class);

/* Passes a share of each class evenly (Bresenham's line). A picture passes
 * when its class is due 1. */
typedef struct
{
  double due[H26X_N_CLASSES];
} H26xShare;

void h26x_share_init (H26xShare * s);

/* True if the picture passes. `room` is for the classes above 0, of which
 * `amounts` come; lower classes go first. */
bool h26x_share_passes (H26xShare * s, unsigned class, double room,
    const double amounts[H26X_N_CLASSES]);

/* True if the next group is expected to begin with an IDR picture. */
bool h26x_groups_idr (const H26xGroups * g);

#endif
