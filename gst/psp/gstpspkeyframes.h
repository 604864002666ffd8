/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * When upstream is asked for a key frame: because pictures were dropped that others
 * refer to, or because a receiver wants one. Encoders answer with frames that cost
 * a multiple, so it is asked only so often.
 *
 * `now` is nanoseconds of a clock that only goes on.
 */
#ifndef __GST_PSP_KEY_FRAMES_H__
#define __GST_PSP_KEY_FRAMES_H__

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean wanted;              /* by a receiver */
  guint64 drops_handled;        /* dropped pictures at the last request */
  gint64 asked_at;              /* the last request, or PSP_TIME_UNKNOWN */
} GstPspKeyFrames;

void gst_psp_key_frames_init (GstPspKeyFrames * k);
/* When upstream is to be asked, or PSP_TIME_NEVER. `drops`: pictures that were
 * dropped so far although others refer to them. `rtt`: ns, or PSP_TIME_UNKNOWN. */
gint64 gst_psp_key_frames_next (const GstPspKeyFrames * k, guint64 drops,
    gint64 rtt);
/* Upstream is asked. */
void gst_psp_key_frames_asked (GstPspKeyFrames * k, guint64 drops, gint64 now);

G_END_DECLS

#endif
