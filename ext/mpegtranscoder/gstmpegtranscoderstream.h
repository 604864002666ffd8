/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The engine of mpegtranscoder: takes buffers, and passes decoded pictures to
 * the output. Only the streaming thread uses it.
 */
#ifndef __GST_MPEG_TRANSCODER_STREAM_H__
#define __GST_MPEG_TRANSCODER_STREAM_H__

#include "gstmpegtranscodercontrol.h"

G_BEGIN_DECLS

typedef struct _GstMpegTranscoderStream GstMpegTranscoderStream;

/* Returns NULL if memory runs out or libavcodec lacks the decoder. */
GstMpegTranscoderStream *gst_mpeg_transcoder_stream_new (GstElement * element,
    GstPad * srcpad, GstMpegTranscoderControl * control);
void gst_mpeg_transcoder_stream_free (GstMpegTranscoderStream * s);

/* Takes the buffer. */
GstFlowReturn gst_mpeg_transcoder_stream_chain (GstMpegTranscoderStream * s,
    GstBuffer * buffer);

/* Takes a serialized event, and passes it on unless the output has its own. */
gboolean gst_mpeg_transcoder_stream_event (GstMpegTranscoderStream * s,
    GstEvent * event);

G_END_DECLS

#endif
