/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * H.264's access units -> what they refer to: GStreamer's parser reads the
 * headers, gst-libs/h26x the references.
 */
#ifndef __GST_H264_HEADERS_H__
#define __GST_H264_HEADERS_H__

#include <gst/gst.h>
#include <h26x/h264model.h>

#include "gsth264gaps.h"
#include "gsth26xunit.h"

G_BEGIN_DECLS

typedef struct _GstH264Headers GstH264Headers;

GstH264Headers *gst_h264_headers_new (void);
void gst_h264_headers_free (GstH264Headers * h);

/* What follows belongs to nothing before it; parameter sets stay. */
void gst_h264_headers_reset (GstH264Headers * h);

/* FALSE: not for video/x-h264, alignment au, with a codec_data that can be
 * read where its stream-format has one. Parameter sets and all else begin anew. */
gboolean gst_h264_headers_set_caps (GstH264Headers * h, const GstCaps * caps);

/* An access unit; NULL: it holds no picture, and passes. The picture is valid
 * until the next call. */
const H26xPicture *gst_h264_headers_read (GstH264Headers * h,
    const guint8 * data, gsize size);

/* Of the access unit read last. */
gboolean gst_h264_headers_decodes (const GstH264Headers * h,
    gboolean allow_gaps);
H264Verdict gst_h264_headers_get_verdict (const GstH264Headers * h);
void gst_h264_headers_passed (GstH264Headers * h);

/* Its NAL units, but for slices and SEI. */
const GstH26xUnit *gst_h264_headers_get_units (const GstH264Headers * h,
    guint * n_units);

/* Whether the sequence itself says that frame_num may have gaps. */
gboolean gst_h264_headers_has_gaps (const GstH264Headers * h);

/* The parameter sets that were seen, of codec_data and in band. */
const GstH264Sets *gst_h264_headers_get_sets (const GstH264Headers * h);

/* Access units so far with something in them that could not be read. */
guint64 gst_h264_headers_get_n_unreadable (const GstH264Headers * h);

G_END_DECLS

#endif
