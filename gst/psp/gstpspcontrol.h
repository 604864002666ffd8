/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What controls the rate of an engine's sender: the controller that was asked
 * for, by RFC 8888 or transport-wide feedback. Where only receiver reports come, or nothing does
 * and the application names a rate for that, the controller "none" stands in for
 * it, under a maximum.
 */
#ifndef __GST_PSP_CONTROL_H__
#define __GST_PSP_CONTROL_H__

#include <glib.h>

#include <rtpfeedback/reportcontrol.h>
#include <rtpfeedback/rtcpfeedback.h>

G_BEGIN_DECLS

typedef enum
{
  GST_PSP_FEEDBACK_NONE,        /* none yet, or it has ceased to come by RR */
  GST_PSP_FEEDBACK_CCFB,        /* RFC 8888 */
  GST_PSP_FEEDBACK_RR,          /* receiver reports alone */
  GST_PSP_FEEDBACK_TWCC         /* by transport-wide numbers */
} GstPspFeedback;

typedef struct
{
  PspSender *sender;
  const PspRtcpFeedback *rtcp;  /* that comes */
  PspSenderReports *reports;    /* that leave */
  /* What was asked for. */
  const PspControllerClass *controller;
  gdouble parameters[PSP_MAX_PARAMETERS];
  PspLimits limits;
  gint64 no_feedback_bitrate;   /* 0 = none */

  gboolean stands_in;
  GstPspFeedback feedback;
  gint64 first_sent_at;         /* on this path, or PSP_TIME_UNKNOWN */
  PspReportControl by_reports;
  guint64 ntp;                  /* of our SRs, 32.32, at ntp_at */
  gint64 ntp_at;
} GstPspControl;

/* The sender has this controller and limits. parameters: as in
 * PspSenderConfig. */
void gst_psp_control_init (GstPspControl * c, PspSender * sender,
    const PspRtcpFeedback * rtcp, PspSenderReports * reports,
    const PspControllerClass * controller, const gdouble * parameters,
    const PspLimits * limits);
/* Another path: nothing has come. */
void gst_psp_control_reset (GstPspControl * c, gint64 now);

/* A packet leaves. */
void gst_psp_control_sent (GstPspControl * c, gint64 now);

/* A datagram of the receiver, before the sender takes it. */
void gst_psp_control_receive (GstPspControl * c, const guint8 * data,
    gsize size, gint64 now);
/* And after: what the sender took may be of the other kind than what came first. */
void gst_psp_control_received (GstPspControl * c, gint64 now);
/* An SR leaves with this time. */
void gst_psp_control_set_ntp (GstPspControl * c, guint64 ntp, gint64 now);
/* When tick() is due, besides the sender's own time. */
gint64 gst_psp_control_next (const GstPspControl * c);
/* answered: the receiver is known. TRUE where from now on no_feedback_bitrate
 * leaves. */
gboolean gst_psp_control_tick (GstPspControl * c, gboolean answered,
    gint64 now);

/* FALSE when out of memory: the old one stays. */
gboolean gst_psp_control_set_controller (GstPspControl * c,
    const PspControllerClass * klass, const gdouble * parameters, gint64 now);
void gst_psp_control_set_parameters (GstPspControl * c,
    const gdouble * parameters, gint64 now);
void gst_psp_control_set_limits (GstPspControl * c, const PspLimits * limits,
    gint64 now);
void gst_psp_control_set_no_feedback_bitrate (GstPspControl * c,
    guint64 bitrate, gint64 now);

G_END_DECLS

#endif
