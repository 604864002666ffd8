/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_RTP_BANDWIDTH_H__
#define __GST_RTP_BANDWIDTH_H__

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_BANDWIDTH (gst_rtp_bandwidth_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpBandwidth, gst_rtp_bandwidth, GST, RTP_BANDWIDTH,
    GstElement)

GST_ELEMENT_REGISTER_DECLARE (rtpbandwidth);

G_END_DECLS

#endif
