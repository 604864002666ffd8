/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "meter.h"

#include <string.h>

#define BIN (ITCP_SECOND / ITCP_METER_BINS)

void
itcp_meter_init (ItcpMeter * m)
{
  memset (m, 0, sizeof *m);
  m->started_at = ITCP_TIME_UNKNOWN;
}

/* Begins the bin of `now`; each that ends may end the fullest second. */
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
  if (m->bin < bin)             /* silence for over a second: all are empty */
    m->bin = bin;
}

static void
restart (ItcpMeter * m)
{
  int64_t peak = m->peak;

  itcp_meter_init (m);
  m->peak = peak;
}

void
itcp_meter_add (ItcpMeter * m, int64_t now, int64_t bytes)
{
  if (m->started_at != ITCP_TIME_UNKNOWN
      && (now - m->started_at) / BIN < m->bin - ITCP_METER_BINS)
    restart (m);
  if (m->started_at == ITCP_TIME_UNKNOWN)
    m->started_at = now;
  advance (m, now);
  m->bytes[m->bin % ITCP_METER_BINS] += bytes;
  m->sum += bytes;
}

int64_t
itcp_meter_peak (ItcpMeter * m, int64_t now)
{
  int64_t elapsed;

  if (m->started_at == ITCP_TIME_UNKNOWN)
    return 0;
  advance (m, now);
  if (m->peak > 0)
    return m->peak;
  elapsed = now - m->started_at;
  if (elapsed < 2 * BIN)
    return 0;
  return m->sum * 8 * ITCP_SECOND / elapsed;
}
