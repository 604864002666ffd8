/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Reads from caps how H.264 and H.265 are framed.
 */
#ifndef __GST_H26X_CAPS_H__
#define __GST_H26X_CAPS_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* Reads the codec_data of a codec. Returns FALSE if it cannot be read. */
typedef gboolean (*GstH26xReadCodecData) (gpointer headers,
    const guint8 * data, gsize size);

/* Returns FALSE unless the caps have this media type and alignment au and,
 * if they are not byte-stream, a codec_data that can be read. */
gboolean gst_h26x_caps_read (const GstCaps * caps, const gchar * media_type,
    GstH26xReadCodecData read, gpointer headers);

G_END_DECLS

#endif
