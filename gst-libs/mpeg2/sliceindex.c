/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/sliceindex.h>

#include <stdlib.h>
#include <string.h>

#include <mpeg2/slicereader.h>

/* Number of ranges at first; more than rows of a 1080p frame. */
#define MIN_CAPACITY 128

static bool
reserve (M2vSliceIndex * index, unsigned n)
{
  unsigned capacity = index->capacity > 0 ? index->capacity : MIN_CAPACITY;
  uint32_t *begin;

  if (n <= index->capacity)
    return true;
  while (capacity < n)
    capacity *= 2;
  begin = malloc (capacity * sizeof *begin);
  if (!begin)
    return false;
  if (index->n > 0)
    memcpy (begin, index->begin, (index->n + 1) * sizeof *begin);
  free (index->begin);
  index->begin = begin;
  index->capacity = capacity;
  return true;
}

bool
m2v_slice_index_build (M2vSliceIndex * index, const uint8_t * data, size_t size)
{
  size_t position = 0;
  M2vRange range;

  index->data = data;
  index->size = size;
  index->n = 0;
  if (size > UINT32_MAX)
    return false;
  while (m2v_slices_next (data, size, &position, &range)) {
    if (!reserve (index, index->n + 2)) {
      index->n = 0;
      return false;
    }
    index->begin[index->n++] = (uint32_t) range.offset;
    index->begin[index->n] = (uint32_t) position;
  }
  return true;
}

void
m2v_slice_index_clear (M2vSliceIndex * index)
{
  free (index->begin);
  memset (index, 0, sizeof *index);
}
