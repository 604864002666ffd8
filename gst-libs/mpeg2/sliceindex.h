/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Where a picture's slices are, found once for all who read them.
 */
#ifndef MPEG2_SLICEINDEX_H
#define MPEG2_SLICEINDEX_H

#include <mpeg2/types.h>

/* All zeros is an empty one. */
typedef struct
{
  const uint8_t *data;          /* what it is of */
  size_t size;
  unsigned n;                   /* ranges: slices and what stands among them */
  /* Private. */
  uint32_t *begin;              /* of each range, and the last one's end */
  unsigned capacity;
} M2vSliceIndex;

/* Cuts slice data (M2vPicture's `slices`) at start codes, as m2v_slices_next
 * does. Data stay where they are. False where memory is short; the index is
 * empty then. It allocates only for more ranges than ever before. */
bool m2v_slice_index_build (M2vSliceIndex * index, const uint8_t * data,
    size_t size);

void m2v_slice_index_clear (M2vSliceIndex * index);

static inline M2vRange
m2v_slice_index_range (const M2vSliceIndex * index, unsigned i)
{
  const M2vRange range = { index->begin[i],
    index->begin[i + 1] - index->begin[i]
  };

  return range;
}

#endif
