/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_ENCODER_BITRATE_H__
#define __GST_ENCODER_BITRATE_H__

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_ENCODER_BITRATE (gst_encoder_bitrate_get_type ())
G_DECLARE_FINAL_TYPE (GstEncoderBitrate, gst_encoder_bitrate,
    GST, ENCODER_BITRATE, GstElement)

GST_ELEMENT_REGISTER_DECLARE (encoderbitrate);

G_END_DECLS

#endif
