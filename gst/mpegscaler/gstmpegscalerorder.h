/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Numbers the pictures that leave, and notes for each which of them it
 * refers to.
 */
#ifndef __GST_MPEG_SCALER_ORDER_H__
#define __GST_MPEG_SCALER_ORDER_H__

#include <gst/congestion/congestion.h>

G_BEGIN_DECLS

/* Pictures that are remembered. Older references are not distinguished. */
#define GST_MPEG_SCALER_ORDER_KEPT 64

/* Begins as zeros, when nothing has left yet. */
typedef struct
{
  guint64 n_left;
  guint64 left[GST_MPEG_SCALER_ORDER_KEPT];     /* ids of the last pictures */
} GstMpegScalerOrder;

/* A picture. Ids are those of the source's pictures. */
typedef struct
{
  guint64 id;
  const guint64 *references;
  guint n_references;
  gboolean unreadable;          /* the picture may refer to any other */
  guint layer;
  GstCodedPictureFlags flags;
} GstMpegScalerPicture;

/* Marks the next picture that leaves, or another part of the last one.
 * Takes the buffer, and returns it or a copy with its place as metadata. */
GstBuffer *gst_mpeg_scaler_order_mark (GstMpegScalerOrder * o, GstBuffer * out,
    const GstMpegScalerPicture * picture);

G_END_DECLS

#endif
