/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_MPEG_SCALER_H__
#define __GST_MPEG_SCALER_H__

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_MPEG_SCALER (gst_mpeg_scaler_get_type ())
G_DECLARE_FINAL_TYPE (GstMpegScaler, gst_mpeg_scaler, GST, MPEG_SCALER,
    GstElement)

GST_ELEMENT_REGISTER_DECLARE (mpegscaler);

G_END_DECLS

#endif
