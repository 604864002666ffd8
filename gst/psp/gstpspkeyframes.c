/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpspkeyframes.h"

#include <control/types.h>

/* ns; shortest time from a request to the next one because of dropped
 * pictures. */
#define DROP_INTERVAL PSP_SECOND
/* ns; shortest time from a request to the next one that a receiver asks for. It
 * is at least a round trip, because the receiver cannot have the previous key
 * frame sooner. */
#define RECEIVER_INTERVAL (500 * PSP_MSECOND)

void
gst_psp_key_frames_init (GstPspKeyFrames * k)
{
  k->wanted = FALSE;
  k->drops_handled = 0;
  k->asked_at = PSP_TIME_UNKNOWN;
}

gint64
gst_psp_key_frames_next (const GstPspKeyFrames * k, guint64 drops, gint64 rtt)
{
  if (!k->wanted && drops == k->drops_handled)
    return PSP_TIME_NEVER;
  if (k->asked_at == PSP_TIME_UNKNOWN)
    return k->asked_at;
  return k->asked_at + (k->wanted ? MAX (rtt,
          RECEIVER_INTERVAL) : DROP_INTERVAL);
}

void
gst_psp_key_frames_asked (GstPspKeyFrames * k, guint64 drops, gint64 now)
{
  k->drops_handled = drops;
  k->wanted = FALSE;
  k->asked_at = now;
}
