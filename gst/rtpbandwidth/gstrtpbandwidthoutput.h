/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The source pad: its task pushes what the shaper lets out. The task runs
 * while the shaper's flow is GST_FLOW_OK, and pauses otherwise: for a flush
 * and after an error. The end of the flush, or a link, starts it again.
 *
 * The caller of these functions holds neither the object's lock nor the
 * path's: downstream and the application are called.
 */
#ifndef __GST_RTP_BANDWIDTH_OUTPUT_H__
#define __GST_RTP_BANDWIDTH_OUTPUT_H__

#include <gst/gst.h>

#include "gstrtpbandwidthfeedback.h"
#include "gstrtpbandwidthshaper.h"

G_BEGIN_DECLS

/* None of these members changes after gst_rtp_bandwidth_output_init(). */
typedef struct
{
  GstPad *pad;
  GstRtpBandwidthShaper *shaper;
  GstRtpBandwidthFeedback *feedback;
} GstRtpBandwidthOutput;

/* The element owns the pad, and all that the output uses. */
void gst_rtp_bandwidth_output_init (GstRtpBandwidthOutput * o, GstPad * pad,
    GstRtpBandwidthShaper * shaper, GstRtpBandwidthFeedback * feedback);
/* Activates the pad, and starts or stops the task. */
gboolean gst_rtp_bandwidth_output_activate (GstRtpBandwidthOutput * o,
    gboolean active);
/* Stops the task that a flush has started after the deactivation. */
void gst_rtp_bandwidth_output_stop (GstRtpBandwidthOutput * o);

/* Takes a flush and handles it. It comes from any thread, even while the
 * element starts or stops. Returns whether downstream has handled it. */
gboolean gst_rtp_bandwidth_output_flush (GstRtpBandwidthOutput * o,
    GstEvent * event);
/* Goes on after NOT_LINKED, because the pad may be linked again. */
void gst_rtp_bandwidth_output_link (GstRtpBandwidthOutput * o);

G_END_DECLS

#endif
