/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds what H.265's access units refer to. GStreamer's parser reads the
 * headers, and gst-libs/h26x finds the references.
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

/* Forgets the pictures, because what follows refers to none of them.
 * Parameter sets stay. */
void gst_h265_headers_reset (GstH265Headers * h);

/* Begins again without pictures and parameter sets. Returns FALSE unless
 * the caps are video/x-h265 with alignment au and, if the stream-format
 * has a codec_data, with one that can be read. */
gboolean gst_h265_headers_set_caps (GstH265Headers * h, const GstCaps * caps);

/* Reads an access unit. Returns its picture, valid until the next call, or
 * NULL if it holds none. */
const H26xPicture *gst_h265_headers_read (GstH265Headers * h,
    const guint8 * data, gsize size);

/* Notes that the access unit read last passes. */
void gst_h265_headers_passed (GstH265Headers * h);

/* Returns TRUE: in H.265 a decoder that has its references always decodes
 * it. */
gboolean gst_h265_headers_decodes (const GstH265Headers * h,
    gboolean allow_gaps);

/* Returns the parameter sets, delimiters and filler data of the access
 * unit read last. */
const GstH26xUnit *gst_h265_headers_get_units (const GstH265Headers * h,
    guint * n_units);

/* Returns what passes of the access unit read last. Its CRA picture
 * becomes a BLA picture if a sequence must begin with it: because the
 * dropper says so (`anew`), or because the end of the sequence before it
 * was dropped. Takes the buffer; slices are shared. */
GstBuffer *gst_h265_headers_splice (const GstH265Headers * h,
    GstBuffer * buffer, gboolean anew);

/* Returns the number of access units so far in which something could not
 * be read. */
guint64 gst_h265_headers_get_n_unreadable (const GstH265Headers * h);

G_END_DECLS

#endif
