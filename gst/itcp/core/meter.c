/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "meter.h"

#include <string.h>

#define BIN (PSP_SECOND / ITCP_METER_BINS)      /* ns */

/* ns; buffers without stamps are of the time of the last stamp for so long */
#define UNSTAMPED (300 * PSP_MSECOND)

/* bins by which the time of a picture may go back, because B pictures are coded
 * out of order */
#define REORDERED 3

void
itcp_meter_init (ItcpMeter * m)
{
  memset (m, 0, sizeof *m);
  m->started_at = PSP_TIME_UNKNOWN;
}

/* Starts the bin of `now`; each bin that ends may complete the fullest
 * second. */
static void
advance (ItcpMeter * m, int64_t now)
{
  int64_t bin = (now - m->started_at) / BIN;

  for (int i = 0; m->bin < bin && i < ITCP_METER_BINS; i++) {
    int slot;

    if (m->bin >= ITCP_METER_BINS - 1 && m->sum * 8 > m->peak)
      m->peak = m->sum * 8;
    m->bin++;
    slot = (int) (m->bin % ITCP_METER_BINS);
    m->sum -= m->bytes[slot];
    m->bytes[slot] = 0;
  }
  /* silence for over a second: all bins are empty */
  if (m->bin < bin)
    m->bin = bin;
}

/* Returns bits/s for a time shorter than a second; 0 = unknown. */
static int64_t
rate_so_far (const ItcpMeter * m, int64_t elapsed)
{
  return elapsed < 2 * BIN ? m->earlier :
      (int64_t) ((double) m->sum * 8 * PSP_SECOND / (double) elapsed);
}

void
itcp_meter_restart (ItcpMeter * m)
{
  int64_t peak = m->peak, earlier = m->earlier;

  if (m->started_at != PSP_TIME_UNKNOWN)
    earlier = rate_so_far (m, (m->bin + 1) * BIN);
  itcp_meter_init (m);
  m->peak = peak;
  m->earlier = earlier;
}

void
itcp_meter_add (ItcpMeter * m, int64_t now, int64_t bytes)
{
  if (m->started_at != PSP_TIME_UNKNOWN
      && (now - m->started_at) / BIN < m->bin - REORDERED)
    itcp_meter_restart (m);
  if (m->started_at == PSP_TIME_UNKNOWN)
    m->started_at = now;
  advance (m, now);
  m->bytes[m->bin % ITCP_METER_BINS] += bytes;
  m->sum += bytes;
}

int64_t
itcp_meter_peak (ItcpMeter * m, int64_t now)
{
  if (m->started_at != PSP_TIME_UNKNOWN)
    advance (m, now);
  if (m->peak > 0 || m->started_at == PSP_TIME_UNKNOWN)
    return m->peak > 0 ? m->peak : m->earlier;
  return rate_so_far (m, now - m->started_at);
}

void
itcp_media_clock_init (ItcpMediaClock * c)
{
  c->time = c->stamp = c->stamped_at = PSP_TIME_UNKNOWN;
}

/* Where stamps cease, as where the first buffer alone has one, the clock would
 * stand. It goes on as real time does. */
void
itcp_media_clock_buffer (ItcpMediaClock * c, int64_t stamp, int64_t now)
{
  if (stamp != PSP_TIME_UNKNOWN) {
    c->time = c->stamp = stamp;
    c->stamped_at = now;
  } else if (c->stamp != PSP_TIME_UNKNOWN && now - c->stamped_at > UNSTAMPED) {
    c->time = c->stamp + (now - c->stamped_at);
  }
}
