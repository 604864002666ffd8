/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpspreserved.h"

#include <control/types.h>

/* ns of one measurement. */
#define INTERVAL (250 * PSP_MSECOND)
/* A new measurement has one part in four of the smoothed bitrate. */
#define SMOOTHING 4

void
gst_psp_reserved_init (GstPspReserved * r, gint64 now)
{
  r->bytes = r->bitrate = 0;
  r->since = now;
}

gboolean
gst_psp_reserved_measure (GstPspReserved * r, gint64 now)
{
  gint64 elapsed = now - r->since, change;

  if (elapsed < INTERVAL)
    return FALSE;
  change = (r->bytes * 8 * PSP_SECOND / elapsed - r->bitrate) / SMOOTHING;
  r->bitrate += change;
  r->bytes = 0;
  r->since = now;
  return change != 0;
}
