/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef GST_RTP_MPEG_VIDEO_DEPAY_H
#define GST_RTP_MPEG_VIDEO_DEPAY_H

#include <gst/rtp/rtp.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_MPEG_VIDEO_DEPAY (gst_rtp_mpeg_video_depay_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpMpegVideoDepay, gst_rtp_mpeg_video_depay, GST,
    RTP_MPEG_VIDEO_DEPAY, GstRTPBaseDepayload)

GST_ELEMENT_REGISTER_DECLARE (rtpmpegvideodepay);

G_END_DECLS

#endif
