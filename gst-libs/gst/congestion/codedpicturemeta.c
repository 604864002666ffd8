/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
/**
 * SECTION:gstcodedpicturemeta
 * @title: GstCodedPictureMeta
 * @short_description: which pictures a coded picture refers to
 *
 * An element that reads a coded stream, such as mpegscaler, announces with this
 * metadata what elements further downstream cannot see any more: which
 * pictures cannot be decoded without one that has to be dropped.
 *
 * GStreamer's payloaders copy it to the packets of the picture. Its
 * decoders and encoders copy it too, as they do all metadata that does not
 * concern memory or size, although it has no meaning for their output. There
 * %GST_BUFFER_FLAG_DELTA_UNIT decides: a buffer that lacks it refers to
 * nothing, whatever the metadata says.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "codedpicturemeta.h"

GType
gst_coded_picture_flags_get_type (void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
    {GST_CODED_PICTURE_FLAG_NONE, "GST_CODED_PICTURE_FLAG_NONE", "none"},
    {GST_CODED_PICTURE_FLAG_KEY, "GST_CODED_PICTURE_FLAG_KEY", "key"},
    {GST_CODED_PICTURE_FLAG_DISPOSABLE, "GST_CODED_PICTURE_FLAG_DISPOSABLE",
        "disposable"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type)) {
    GType t = g_flags_register_static ("GstCodedPictureFlags", values);
    g_once_init_leave (&type, t);
  }
  return type;
}

GType
gst_coded_picture_meta_api_get_type (void)
{
  static gsize type = 0;
  static const gchar *tags[] = { "video", NULL };

  if (g_once_init_enter (&type)) {
    GType t = gst_meta_api_type_register ("GstCodedPictureMetaAPI", tags);
    g_once_init_leave (&type, t);
  }
  return type;
}

static gboolean
gst_coded_picture_meta_init (GstMeta * meta, gpointer params,
    GstBuffer * buffer)
{
  GstCodedPictureMeta *m = (GstCodedPictureMeta *) meta;

  (void) params;
  (void) buffer;
  m->id = m->references = 0;
  m->layer = 0;
  m->flags = GST_CODED_PICTURE_FLAG_NONE;
  return TRUE;
}

/* Copies the metadata. A part of the picture has its place, too. One copy
 * is enough if several parts are put together. */
static gboolean
gst_coded_picture_meta_transform (GstBuffer * to, GstMeta * meta,
    GstBuffer * from, GQuark type, gpointer data)
{
  const GstCodedPictureMeta *m = (GstCodedPictureMeta *) meta;

  (void) from;
  (void) data;
  if (!GST_META_TRANSFORM_IS_COPY (type))
    return FALSE;
  if (!gst_buffer_get_coded_picture_meta (to))
    gst_buffer_add_coded_picture_meta (to, m->id, m->references, m->layer,
        m->flags);
  return TRUE;
}

const GstMetaInfo *
gst_coded_picture_meta_get_info (void)
{
  static const GstMetaInfo *info = NULL;

  if (g_once_init_enter ((GstMetaInfo **) & info)) {
    const GstMetaInfo *i = gst_meta_register (GST_CODED_PICTURE_META_API_TYPE,
        "GstCodedPictureMeta", sizeof (GstCodedPictureMeta),
        gst_coded_picture_meta_init, NULL, gst_coded_picture_meta_transform);
    g_once_init_leave ((GstMetaInfo **) & info, (GstMetaInfo *) i);
  }
  return info;
}

/**
 * gst_buffer_add_coded_picture_meta:
 * @buffer: a writable #GstBuffer
 * @id: the number of the picture in coded order
 * @references: pictures that it may refer to, as in #GstCodedPictureMeta
 * @layer: its temporal layer
 * @flags: what it is to others
 *
 * Adds the place of the picture in @buffer among the others.
 *
 * Returns: (transfer none): the #GstCodedPictureMeta on @buffer
 *
 * Since: 0.2
 */
GstCodedPictureMeta *
gst_buffer_add_coded_picture_meta (GstBuffer * buffer, guint64 id,
    guint64 references, guint layer, GstCodedPictureFlags flags)
{
  GstCodedPictureMeta *m;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (gst_buffer_is_writable (buffer), NULL);

  m = (GstCodedPictureMeta *) gst_buffer_add_meta (buffer,
      GST_CODED_PICTURE_META_INFO, NULL);
  m->id = id;
  m->references = references;
  m->layer = layer;
  m->flags = flags;
  return m;
}

/**
 * gst_buffer_get_coded_picture_meta:
 * @buffer: a #GstBuffer
 *
 * Returns: (transfer none) (nullable): the #GstCodedPictureMeta on @buffer, or
 *   %NULL if it has none
 *
 * Since: 0.2
 */
GstCodedPictureMeta *
gst_buffer_get_coded_picture_meta (GstBuffer * buffer)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);

  return (GstCodedPictureMeta *) gst_buffer_get_meta (buffer,
      GST_CODED_PICTURE_META_API_TYPE);
}
