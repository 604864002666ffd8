/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Whether data flows from the sink pad to the source pad, and if not, why.
 * The queue separates the pads, so upstream learns a result of downstream
 * with its next buffer only.
 *
 * The path's lock protects a flow. A flow has no thread: who changes it
 * also wakes, pauses or starts the source pad's task.
 */
#ifndef __GST_RTP_BANDWIDTH_FLOW_H__
#define __GST_RTP_BANDWIDTH_FLOW_H__

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean active;              /* the source pad is active */
  gboolean flushing;            /* always while the pad is not active */
  gboolean ended;               /* upstream has sent EOS */
  GstFlowReturn result;         /* first error of a push, or GST_FLOW_OK */
  gboolean relinked;            /* since the task last asked */
} GstRtpBandwidthFlow;

/* Nothing flows until the source pad is activated. */
void gst_rtp_bandwidth_flow_init (GstRtpBandwidthFlow * f);
/* Returns GST_FLOW_OK, or what upstream gets instead, and why the task
 * pauses. */
GstFlowReturn gst_rtp_bandwidth_flow_status (const GstRtpBandwidthFlow * f);

/* The source pad was activated or deactivated. Forgets EOS and errors. */
void gst_rtp_bandwidth_flow_activate (GstRtpBandwidthFlow * f, gboolean active);
/* A flush begins or ends. Forgets EOS and errors. Returns TRUE if data
 * flows now. A flush does not start an inactive pad. */
gboolean gst_rtp_bandwidth_flow_flush (GstRtpBandwidthFlow * f,
    gboolean flushing);
/* Upstream's EOS was queued. */
void gst_rtp_bandwidth_flow_end (GstRtpBandwidthFlow * f);
/* Downstream has returned this. Returns TRUE if it ends the flow; only the
 * first error does. */
gboolean gst_rtp_bandwidth_flow_pushed (GstRtpBandwidthFlow * f,
    GstFlowReturn ret);
/* The source pad, or one downstream, may have been linked again. Returns TRUE
 * if the flow had ended because the pad was not linked, and goes on now. */
gboolean gst_rtp_bandwidth_flow_link (GstRtpBandwidthFlow * f);
/* Returns TRUE once after links, because what is downstream may be new. */
gboolean gst_rtp_bandwidth_flow_take_link (GstRtpBandwidthFlow * f);

/* Posts that downstream failed after upstream's EOS: no buffer follows that
 * could return it. Posts nothing if `ret` is no failure. The caller does not
 * hold the path's lock. */
void gst_rtp_bandwidth_flow_post (GstElement * element, GstFlowReturn ret);

G_END_DECLS

#endif
