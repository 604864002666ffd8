/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_RTP_MPEG_VIDEO_PAY_H__
#define __GST_RTP_MPEG_VIDEO_PAY_H__

#include <gst/gst.h>
#include <gst/rtp/rtp.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_MPEG_VIDEO_PAY (gst_rtp_mpeg_video_pay_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpMpegVideoPay, gst_rtp_mpeg_video_pay,
    GST, RTP_MPEG_VIDEO_PAY, GstRTPBasePayload)

GST_ELEMENT_REGISTER_DECLARE (rtpmpegvideopay);

G_END_DECLS

#endif
