/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The output's format: the source's, as far as downstream accepts it.
 */
#ifndef __GST_MPEG_TRANSCODER_FORMAT_H__
#define __GST_MPEG_TRANSCODER_FORMAT_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* The frame rates that MPEG-1 and MPEG-2 share (13818-2 table 6-4). */
#define GST_MPEG_TRANSCODER_RATES "{ 24000/1001, 24/1, 25/1, 30000/1001, " \
    "30/1, 50/1, 60000/1001, 60/1 }"
/* Pixels; libavcodec's encoder takes no more. */
#define GST_MPEG_TRANSCODER_SIZES "[ 16, 4094 ]"

typedef struct
{
  gint version;                 /* version of MPEG */
  gint width, height;
  gint rate_num, rate_den;
  gint par_num, par_den;
  gboolean interlaced;
  gint pixel_format;            /* an enum AVPixelFormat */
} GstMpegTranscoderFormat;

gboolean gst_mpeg_transcoder_format_equal (const GstMpegTranscoderFormat * a,
    const GstMpegTranscoderFormat * b);

/* Returns FALSE if downstream accepts no such format. */
gboolean gst_mpeg_transcoder_format_choose (GstPad * srcpad,
    const GstMpegTranscoderFormat * in, GstMpegTranscoderFormat * out);

GstCaps *gst_mpeg_transcoder_format_caps (const GstMpegTranscoderFormat * f,
    gconstpointer sequence_header, gsize size);

G_END_DECLS

#endif
