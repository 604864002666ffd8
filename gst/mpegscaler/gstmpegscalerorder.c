/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstmpegscalerorder.h"

static guint64
last_id (const GstMpegScalerOrder * o)
{
  return o->left[(o->n_left - 1) % GST_MPEG_SCALER_ORDER_KEPT];
}

/* Returns the bit of this id in GstCodedPictureMeta's references. */
static guint64
bit_of (const GstMpegScalerOrder * o, guint64 id)
{
  guint n = MIN (o->n_left, GST_MPEG_SCALER_ORDER_KEPT - 1);

  for (guint i = 0; i < n; i++)
    if (o->left[(o->n_left - 1 - i) % GST_MPEG_SCALER_ORDER_KEPT] == id)
      return G_GUINT64_CONSTANT (1) << i;
  return GST_CODED_PICTURE_OLDER_REFERENCES;
}

GstBuffer *
gst_mpeg_scaler_order_mark (GstMpegScalerOrder * o, GstBuffer * out,
    const GstMpegScalerPicture * picture)
{
  guint64 references = picture->unreadable ? G_MAXUINT64 : 0;
  GstCodedPictureMeta *meta;

  /* The second field has the number of the last picture. */
  if (o->n_left > 0 && last_id (o) == picture->id)
    o->n_left--;
  for (guint i = 0; i < picture->n_references; i++)
    if (picture->references[i] != picture->id)
      references |= bit_of (o, picture->references[i]);
  o->left[o->n_left % GST_MPEG_SCALER_ORDER_KEPT] = picture->id;

  out = gst_buffer_make_writable (out);
  meta = gst_buffer_get_coded_picture_meta (out);
  if (meta)                     /* from another mpegscaler */
    gst_buffer_remove_meta (out, (GstMeta *) meta);
  gst_buffer_add_coded_picture_meta (out, o->n_left++, references,
      picture->layer, picture->flags);
  return out;
}
