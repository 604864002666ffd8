/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_RTP_CCFB_H__
#define __GST_RTP_CCFB_H__

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_CCFB (gst_rtp_ccfb_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpCcfb, gst_rtp_ccfb, GST, RTP_CCFB, GstElement)

GST_ELEMENT_REGISTER_DECLARE (rtpccfb);

G_END_DECLS

#endif
