/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "renumbering.h"

#include <string.h>

/* More than a number of 16 bits can be behind the highest one. */
#define START 65536

void
psp_renumbering_init (PspRenumbering * r)
{
  memset (r, 0, sizeof *r);
}

/* Returns the unwrapped number that wraps to `number` and is closest to
 * `near`. */
static int64_t
unwrap (int64_t near, uint16_t number)
{
  return near + (int16_t) (uint16_t) (number - (uint16_t) near);
}

static int64_t
note (PspRenumbering * r, uint16_t number)
{
  int64_t n = r->highest ? unwrap (r->highest, number) : START + number;

  if (n > r->highest)
    r->highest = n;
  return n;
}

static const PspRenumberingGap *
gap_at (const PspRenumbering * r, unsigned i)
{
  return &r->gaps[i % PSP_RENUMBERING_GAPS];
}

static int64_t
removed_so_far (const PspRenumbering * r)
{
  return r->n_gaps ? gap_at (r, r->n_gaps - 1)->removed : 0;
}

/* Finds how many packets were dropped before the packet `n`. `by_sent`:
 * `n` is the number with which it left. Returns false if its gap is
 * forgotten. */
static bool
removed_before (const PspRenumbering * r, int64_t n, bool by_sent,
    int64_t * removed)
{
  unsigned oldest = r->n_gaps > PSP_RENUMBERING_GAPS ?
      r->n_gaps - PSP_RENUMBERING_GAPS : 0;

  for (unsigned i = r->n_gaps; i-- > oldest;) {
    const PspRenumberingGap *gap = gap_at (r, i);

    if (n >= gap->first - (by_sent ? gap->removed : 0)) {
      *removed = gap->removed;
      return true;
    }
  }
  *removed = 0;
  return oldest == 0;
}

/* Notes one more dropped packet before the packet `first`. A gap that ends
 * at `end` is extended. */
static void
widen (PspRenumbering * r, int64_t end, int64_t first)
{
  PspRenumberingGap gap = { first, removed_so_far (r) + 1 };

  if (r->n_gaps > 0 && gap_at (r, r->n_gaps - 1)->first == end)
    r->n_gaps--;
  r->gaps[r->n_gaps++ % PSP_RENUMBERING_GAPS] = gap;
}

bool
psp_renumbering_remove (PspRenumbering * r, uint16_t number)
{
  int64_t before = r->highest, n = note (r, number);

  if (n <= before)
    return false;
  widen (r, n, n + 1);
  return true;
}

void
psp_renumbering_take_back (PspRenumbering * r)
{
  widen (r, r->highest + 1, r->highest + 1);
}

uint16_t
psp_renumbering_add (PspRenumbering * r, uint16_t number)
{
  int64_t n = note (r, number), removed;

  if (!removed_before (r, n, false, &removed))
    removed = gap_at (r, r->n_gaps)->removed;   /* count of the oldest gap */
  return (uint16_t) (n - removed);
}

bool
psp_renumbering_sent (const PspRenumbering * r, uint16_t number,
    uint16_t * sent)
{
  int64_t n = unwrap (r->highest, number), removed;

  if (!removed_before (r, n, false, &removed))
    return false;
  *sent = (uint16_t) (n - removed);
  return true;
}

bool
psp_renumbering_original (const PspRenumbering * r, uint16_t sent,
    uint16_t * number)
{
  int64_t n = unwrap (r->highest - removed_so_far (r), sent), removed;

  if (!removed_before (r, n, true, &removed))
    return false;
  *number = (uint16_t) (n + removed);
  return true;
}
