/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscalergap.h"

/* ns; how long nothing may leave before a gap event. */
#define INTERVAL (GST_SECOND / 2)

/* ns; frames in coded order are closer to each other than this; otherwise
 * time stamps jumped. */
#define JUMP (2 * GST_SECOND)

void
gst_mpeg_scaler_gap_init (GstMpegScalerGap * g)
{
  g->reference_dropped = FALSE;
  g->begin = g->end = GST_CLOCK_TIME_NONE;
  g->announced = 0;
}

static gboolean
is_begun (const GstMpegScalerGap * g)
{
  return GST_CLOCK_TIME_IS_VALID (g->begin);
}

/* Makes no event while what leaves next may refer to what has left,
 * because decoders drain at a gap and forget their references. */
GstEvent *
gst_mpeg_scaler_gap_add (GstMpegScalerGap * g, GstClockTime pts,
    GstClockTime duration, gboolean is_reference)
{
  GstClockTime begin = pts, end;

  if (!GST_CLOCK_TIME_IS_VALID (pts))
    return NULL;
  g->reference_dropped |= is_reference;
  end = begin + duration;
  if (end + JUMP < g->announced || (is_begun (g) && (begin > g->end + JUMP
              || end + JUMP < g->begin))) {
    g->begin = GST_CLOCK_TIME_NONE;
    g->announced = 0;
  }

  begin = MAX (begin, g->announced);
  if (end <= begin)
    return NULL;
  if (!is_begun (g)) {
    g->begin = begin;
    g->end = end;
  }
  g->begin = MIN (g->begin, begin);
  g->end = MAX (g->end, end);
  if (!g->reference_dropped || g->end - g->begin < INTERVAL)
    return NULL;

  begin = g->begin;
  g->announced = g->end;
  g->begin = GST_CLOCK_TIME_NONE;
  return gst_event_new_gap (begin, g->announced - begin);
}
