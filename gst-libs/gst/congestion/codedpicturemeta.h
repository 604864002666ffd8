/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_CODED_PICTURE_META_H__
#define __GST_CODED_PICTURE_META_H__

#include <gst/congestion/congestion-prelude.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GST_CODED_PICTURE_OLDER_REFERENCES:
 *
 * The bit of `references` in a #GstCodedPictureMeta for pictures further back
 * than 63.
 *
 * Since: 0.2
 */
#define GST_CODED_PICTURE_OLDER_REFERENCES (G_GUINT64_CONSTANT (1) << 63)

/**
 * GstCodedPictureFlags:
 * @GST_CODED_PICTURE_FLAG_NONE: nothing is known
 * @GST_CODED_PICTURE_FLAG_KEY: decoding can begin with it
 * @GST_CODED_PICTURE_FLAG_DISPOSABLE: no other picture refers to it
 *
 * What a coded picture is to others.
 *
 * Since: 0.2
 */
typedef enum
{
  GST_CODED_PICTURE_FLAG_NONE = 0,
  GST_CODED_PICTURE_FLAG_KEY = (1 << 0),
  GST_CODED_PICTURE_FLAG_DISPOSABLE = (1 << 1)
} GstCodedPictureFlags;

GST_CONGESTION_API
GType gst_coded_picture_flags_get_type (void);
#define GST_TYPE_CODED_PICTURE_FLAGS (gst_coded_picture_flags_get_type ())

/**
 * GstCodedPictureMeta:
 * @meta: parent #GstMeta
 * @id: grows by one a picture, in coded order
 * @references: pictures that it may refer to: bit 0 is the picture with the @id
 *   before its own, bit 62 the one 63 before; bit 63,
 *   %GST_CODED_PICTURE_OLDER_REFERENCES, is any further back
 * @layer: temporal layer, 0 is the base
 * @flags: what it is to others
 *
 * The place of a coded picture among those that left together with it, for
 * elements further downstream that must drop pictures. If an @id is missing, so
 * is the picture. Each buffer of the picture has it, for example each RTP
 * packet.
 *
 * Since: 0.2
 */
typedef struct _GstCodedPictureMeta GstCodedPictureMeta;

struct _GstCodedPictureMeta
{
  GstMeta meta;

  guint64 id;
  guint64 references;
  guint layer;
  GstCodedPictureFlags flags;
};

GST_CONGESTION_API
GType gst_coded_picture_meta_api_get_type (void);
#define GST_CODED_PICTURE_META_API_TYPE (gst_coded_picture_meta_api_get_type ())

GST_CONGESTION_API
const GstMetaInfo * gst_coded_picture_meta_get_info (void);
#define GST_CODED_PICTURE_META_INFO (gst_coded_picture_meta_get_info ())

GST_CONGESTION_API
GstCodedPictureMeta * gst_buffer_add_coded_picture_meta (GstBuffer * buffer, guint64 id, guint64 references, guint layer, GstCodedPictureFlags flags);
GST_CONGESTION_API
GstCodedPictureMeta * gst_buffer_get_coded_picture_meta (GstBuffer * buffer);

G_END_DECLS

#endif
