/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "backlog.h"

/* bytes of a picture while the rate is unknown */
#define DEFAULT_PICTURE 16384

/* pictures per second; data written at once is taken for a picture if it comes
 * at most this often */
#define MOST_PICTURES 30
/* pictures per second; data written at once is taken for a picture if it comes
 * at least this often */
#define LEAST_PICTURES 5

void
itcp_backlog_init (ItcpBacklog * b)
{
  b->before[0] = b->before[1] = 0;
  b->n = 0;
  b->reported = 0;
  b->written = 0;
}

/* Returns the bytes of a picture, which is what is written in one tick. The
 * result is at least an equal share of the rate, because pictures may arrive in
 * smaller pieces. It is bounded by the rate, because a source that fills the
 * socket at once writes more than a picture. */
static int64_t
picture_size (const ItcpBacklog * b, int64_t rate)
{
  int64_t size = b->written;

  if (rate <= 0)
    return DEFAULT_PICTURE;
  if (size > rate / 8 / LEAST_PICTURES)
    size = rate / 8 / LEAST_PICTURES;
  return size > rate / 8 / MOST_PICTURES ? size : rate / 8 / MOST_PICTURES;
}

bool
itcp_backlog_tick (ItcpBacklog * b, int64_t unsent, int64_t written,
    int64_t rate)
{
  int64_t picture;
  bool found;

  if (written > 0)
    b->written += b->written > 0 ? (written - b->written) / 8 : written;
  picture = picture_size (b, rate);
  if (unsent <= picture)
    b->reported = 0;
  if (written <= 0) {
    if (unsent < b->before[0])
      b->before[0] = unsent;
    return false;
  }

  found = b->n == 2 && unsent > b->before[0] && b->before[0] > b->before[1]
      && unsent > picture && unsent / 2 >= b->reported;
  if (found)
    b->reported = unsent;
  b->before[1] = b->before[0];
  b->before[0] = unsent;
  if (b->n < 2)
    b->n++;
  return found;
}
