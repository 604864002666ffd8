/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What mpegscaler needs of a family of codecs: functions that turn the
 * buffers of its sink pad into those that leave.
 */
#ifndef __GST_MPEG_SCALER_CODEC_H__
#define __GST_MPEG_SCALER_CODEC_H__

#include "gstmpegscalercontrol.h"
#include "gstmpegscaleroutput.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean (*reads) (const GstStructure * caps);

  /* Returns NULL if memory runs out. */
  gpointer (*new) (GstMpegScalerOutput * output,
      GstMpegScalerControl * control);
  void (*free) (gpointer stream);

  /* Takes caps. They begin another stream if they describe one, or if
   * `anew`, because the last stream was of another codec. */
  void (*begin) (gpointer stream, const GstCaps * caps, gboolean anew);
  /* Returns the caps that leave instead, which the caller owns; NULL = they
   * leave as they came. The function may be NULL. */
  GstCaps *(*replace_caps) (gpointer stream);
  /* Takes the buffer. `discont`: something is missing before it. */
  GstFlowReturn (*take) (gpointer stream, GstBuffer * buffer, gboolean discont);
  /* Puts another segment into the output, because other times begin. */
  void (*segment) (gpointer stream, const GstSegment * segment);
  /* Pushes all that waits for input that will not come. */
  void (*drain) (gpointer stream);
  /* Discards all that waits. */
  void (*flush) (gpointer stream);
} GstMpegScalerCodec;

extern const GstMpegScalerCodec gst_mpeg_scaler_m2v;    /* MPEG-1, MPEG-2 */
extern const GstMpegScalerCodec gst_mpeg_scaler_h26x;   /* H.264, H.265 */

G_END_DECLS

#endif
