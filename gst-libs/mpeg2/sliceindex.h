/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds the slices of a picture once for all readers.
 */
#ifndef MPEG2_SLICEINDEX_H
#define MPEG2_SLICEINDEX_H

#include <mpeg2/types.h>

/* An empty index is all zeros. */
typedef struct
{
  const uint8_t *data;          /* the slice data */
  size_t size;                  /* bytes of the slice data */
  unsigned n;                   /* number of ranges: slices and other data */
  /* Private. */
  uint32_t *begin;              /* offset of each range, then the last end */
  unsigned capacity;            /* number of entries of `begin` */
} M2vSliceIndex;

/* Cuts slice data (M2vPicture's `slices`) at start codes, as m2v_slices_next
 * does. The data must stay in place. Returns false if memory runs out; the
 * index is empty then. It allocates only for more ranges than ever before. */
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
