/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Enumerations of encoderbitrate's properties.
 */
#ifndef __GST_ENCODER_BITRATE_ENUMS_H__
#define __GST_ENCODER_BITRATE_ENUMS_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* EncoderUnit */
#define GST_TYPE_ENCODER_BITRATE_UNIT (gst_encoder_bitrate_unit_get_type ())
GType gst_encoder_bitrate_unit_get_type (void);
/* LimitFrames */
#define GST_TYPE_ENCODER_BITRATE_LIMIT (gst_encoder_bitrate_limit_get_type ())
GType gst_encoder_bitrate_limit_get_type (void);

G_END_DECLS

#endif
