/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/stuffing.h>

#include <string.h>

/* Number of bytes of a run that are kept at the end of the data. Data before a
 * start code does not end with 23 zero bits (clause 6.2.1), so two zero bytes
 * may belong to it. */
#define KEPT_AT_END 2
/* Number of bytes of a run that are kept before a start code, whose two zero
 * bytes are part of the run. */
#define KEPT 4

/* Returns the next run that is longer; `size` = there is none. A run is only
 * stuffing if a start code or the end of the data follows. */
static size_t
find_run (const uint8_t * data, size_t size, size_t from, size_t *end)
{
  for (size_t i = from + KEPT; i < size; i += KEPT + 1) {
    size_t begin = i;

    if (data[i] != 0)
      continue;
    while (begin > from && data[begin - 1] == 0)
      begin--;
    while (i < size && data[i] == 0)
      i++;
    if (i - begin > KEPT && (i == size || data[i] == 1)) {
      *end = i;
      return begin;
    }
  }
  *end = size;
  return size;
}

size_t
m2v_remove_stuffing (const uint8_t * data, size_t size, uint8_t * out)
{
  size_t n = 0, end;

  for (size_t from = 0; from < size; from = end) {
    size_t kept = find_run (data, size, from, &end);

    if (kept < size)
      kept += end < size ? KEPT : KEPT_AT_END;
    kept -= from;
    if (out)
      memmove (out + n, data + from, kept);
    n += kept;
  }
  return n;
}
