/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * H.265's access units -> what they refer to: GStreamer's parser reads the
 * headers, gst-libs/h26x the references.
 */
#ifndef __GST_H265_HEADERS_H__
#define __GST_H265_HEADERS_H__

#include <gst/gst.h>
#include <h26x/h265rps.h>

#include "gsth26xunit.h"

G_BEGIN_DECLS

typedef struct _GstH265Headers GstH265Headers;

GstH265Headers *gst_h265_headers_new (void);
void gst_h265_headers_free (GstH265Headers * h);

/* What follows belongs to nothing before it; parameter sets stay. */
void gst_h265_headers_reset (GstH265Headers * h);

/* FALSE: not for video/x-h265, alignment au, with a codec_data that can be
 * read where its stream-format has one. Parameter sets and all else begin anew. */
gboolean gst_h265_headers_set_caps (GstH265Headers * h, const GstCaps * caps);

/* An access unit; NULL: it holds no picture, and passes. The picture is valid
 * until the next call. */
const H26xPicture *gst_h265_headers_read (GstH265Headers * h,
    const guint8 * data, gsize size);

/* Of the access unit read last: it passes. */
void gst_h265_headers_passed (GstH265Headers * h);

/* A decoder that has what it refers to decodes it: always so in H.265. */
gboolean gst_h265_headers_decodes (const GstH265Headers * h,
    gboolean allow_gaps);

/* Its parameter sets, delimiters and filler data. */
const GstH26xUnit *gst_h265_headers_get_units (const GstH265Headers * h,
    guint * n_units);

/* What passes of it: where it must begin anew, since the dropper says so or
 * since the end of the sequence before it was dropped, its CRA picture becomes a
 * BLA picture. Takes the buffer; slices are shared. */
GstBuffer *gst_h265_headers_splice (const GstH265Headers * h,
    GstBuffer * buffer, gboolean anew);

/* Access units so far with something in them that could not be read. */
guint64 gst_h265_headers_get_n_unreadable (const GstH265Headers * h);

G_END_DECLS

#endif
