/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds what each scale passes of a group: docs/h26x.md, "Scales".
 */
#ifndef H26X_RANK_H
#define H26X_RANK_H

#include <h26x/groups.h>

/* Returns the lowest scale that passes the picture, 0..4. Call it once a
 * picture, after h26x_groups_add. `half` is what scale 3 has passed so
 * far. */
unsigned h26x_rank (H26xShare * half, const H26xGroups * groups,
    const H26xPicture * picture, unsigned class);

#endif
