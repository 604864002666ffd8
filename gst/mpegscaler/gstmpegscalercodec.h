/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What mpegscaler needs of a family of codecs: from the buffers of its sink pad
 * to those that leave.
 */
#ifndef __GST_MPEG_SCALER_CODEC_H__
#define __GST_MPEG_SCALER_CODEC_H__

#include "gstmpegscalercontrol.h"
#include "gstmpegscaleroutput.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean (*reads) (const GstStructure * caps);

  /* NULL where memory is short. */
  gpointer (*new) (GstMpegScalerOutput * output,
      GstMpegScalerControl * control);
  void (*free) (gpointer stream);

  /* Caps. Another stream begins with them where they say so; or with `anew`,
   * since the last one was another codec's. */
  void (*begin) (gpointer stream, const GstCaps * caps, gboolean anew);
  /* Those that leave instead, which are the caller's; NULL: they leave as they
   * came. May be NULL. */
  GstCaps *(*replace_caps) (gpointer stream);
  /* Takes the buffer; discont: something is missing before it. */
  GstFlowReturn (*take) (gpointer stream, GstBuffer * buffer, gboolean discont);
  /* Puts another segment into the output: other times begin. */
  void (*segment) (gpointer stream, const GstSegment * segment);
  /* All that waits for what will not come goes out. */
  void (*drain) (gpointer stream);
  /* All that waits is forgotten. */
  void (*flush) (gpointer stream);
} GstMpegScalerCodec;

extern const GstMpegScalerCodec gst_mpeg_scaler_m2v;    /* MPEG-1, MPEG-2 */
extern const GstMpegScalerCodec gst_mpeg_scaler_h26x;   /* H.264, H.265 */

G_END_DECLS

#endif
