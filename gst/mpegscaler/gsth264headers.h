/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds what H.264's access units refer to. GStreamer's parser reads the
 * headers, and gst-libs/h26x finds the references.
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

/* Forgets the pictures, because what follows refers to none of them.
 * Parameter sets stay. */
void gst_h264_headers_reset (GstH264Headers * h);

/* Begins again without pictures and parameter sets. Returns FALSE unless
 * the caps are video/x-h264 with alignment au and, if the stream-format
 * has a codec_data, with one that can be read. */
gboolean gst_h264_headers_set_caps (GstH264Headers * h, const GstCaps * caps);

/* Reads an access unit. Returns its picture, valid until the next call, or
 * NULL if it holds none. */
const H26xPicture *gst_h264_headers_read (GstH264Headers * h,
    const guint8 * data, gsize size);

/* True if the access unit read last can be decoded; with allow_gaps also
 * if frame_num then has gaps. */
gboolean gst_h264_headers_decodes (const GstH264Headers * h,
    gboolean allow_gaps);
/* Returns the verdict on the access unit read last. */
H264Verdict gst_h264_headers_get_verdict (const GstH264Headers * h);
/* Notes that the access unit read last passes. */
void gst_h264_headers_passed (GstH264Headers * h);

/* Returns the delimiters, parameter sets and filler data of the access
 * unit read last. */
const GstH26xUnit *gst_h264_headers_get_units (const GstH264Headers * h,
    guint * n_units);

/* True if the sequence itself allows gaps in frame_num. */
gboolean gst_h264_headers_has_gaps (const GstH264Headers * h);

/* Returns the parameter sets so far, of codec_data and in band. */
const GstH264Sets *gst_h264_headers_get_sets (const GstH264Headers * h);

/* Returns the number of access units so far in which something could not
 * be read. */
guint64 gst_h264_headers_get_n_unreadable (const GstH264Headers * h);

G_END_DECLS

#endif
