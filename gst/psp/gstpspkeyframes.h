/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Decides when upstream is asked for a key frame: if pictures were dropped that
 * others refer to, or if a receiver asks for one. A key frame costs a multiple
 * of other frames, so the rate of requests is limited.
 *
 * `now` is ns of a monotonic clock.
 */
#ifndef __GST_PSP_KEY_FRAMES_H__
#define __GST_PSP_KEY_FRAMES_H__

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean wanted;              /* a receiver asks for a key frame */
  guint64 drops_handled;        /* dropped pictures at the last request */
  gint64 asked_at;              /* ns; last request, or PSP_TIME_UNKNOWN */
} GstPspKeyFrames;

void gst_psp_key_frames_init (GstPspKeyFrames * k);
/* Returns when the next request to upstream is due, or PSP_TIME_NEVER. `drops`
 * is the number of dropped pictures that others refer to. `rtt` is ns, or
 * PSP_TIME_UNKNOWN. */
gint64 gst_psp_key_frames_next (const GstPspKeyFrames * k, guint64 drops,
    gint64 rtt);
/* Notes that upstream is asked now. */
void gst_psp_key_frames_asked (GstPspKeyFrames * k, guint64 drops, gint64 now);

G_END_DECLS

#endif
