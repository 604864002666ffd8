/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Feedback on its way to the path: transport-wide feedback from rtpsession's
 * event RTPTWCCPackets, and RFC 8888's from the signal "on-feedback-rtcp" of
 * the session behind the element, or from the application.
 */
#ifndef __GST_RTP_BANDWIDTH_FEEDBACK_H__
#define __GST_RTP_BANDWIDTH_FEEDBACK_H__

#include <gst/gst.h>

#include "gstrtpbandwidthshaper.h"

G_BEGIN_DECLS

typedef struct
{
  GstRtpBandwidthShaper *shaper;        /* whose path takes feedback */
  GCallback handler;            /* of the session's signal */

  /* The source pad's task uses these while it runs. */
  GObject *session;             /* emits feedback; NULL = not found */
  gulong handler_id;

  /* The path's lock protects these. */
  gboolean warned;              /* has warned of missing feedback */
  guint64 malformed;            /* messages that were ignored */
} GstRtpBandwidthFeedback;

/* The handler gets the arguments of "on-feedback-rtcp" and the element. */
void gst_rtp_bandwidth_feedback_init (GstRtpBandwidthFeedback * f,
    GstRtpBandwidthShaper * shaper, GCallback handler);
/* Counts from 0 and warns anew, before the shaper starts. */
void gst_rtp_bandwidth_feedback_start (GstRtpBandwidthFeedback * f);
/* Disconnects from the session. The source pad's task has stopped. */
void gst_rtp_bandwidth_feedback_stop (GstRtpBandwidthFeedback * f);

/* Finds the session downstream of the source pad, and connects to it. For
 * the pad's task, which holds no lock. */
void gst_rtp_bandwidth_feedback_connect (GstRtpBandwidthFeedback * f,
    GstPad * srcpad);

/* Feedback comes from any thread, which holds no lock. It is ignored while
 * the shaper has no path. */

/* Takes feedback from the structure of an event from downstream. Returns
 * FALSE if the event is another one. */
gboolean gst_rtp_bandwidth_feedback_event (GstRtpBandwidthFeedback * f,
    const GstStructure * s);
/* Takes an RTCP feedback message with the arguments of "on-feedback-rtcp",
 * and ignores those that are not RFC 8888's. */
void gst_rtp_bandwidth_feedback_rtcp (GstRtpBandwidthFeedback * f, guint type,
    guint format, guint sender_ssrc, guint media_ssrc, GstBuffer * fci);

/* Warns, once after a start, that no feedback comes. The caller holds the
 * path's lock. */
void gst_rtp_bandwidth_feedback_warn (GstRtpBandwidthFeedback * f);

G_END_DECLS

#endif
