/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_MPEG_TRANSCODER_H__
#define __GST_MPEG_TRANSCODER_H__

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_MPEG_TRANSCODER (gst_mpeg_transcoder_get_type ())
G_DECLARE_FINAL_TYPE (GstMpegTranscoder, gst_mpeg_transcoder, GST,
    MPEG_TRANSCODER, GstElement)

GST_ELEMENT_REGISTER_DECLARE (mpegtranscoder);

G_END_DECLS

#endif
