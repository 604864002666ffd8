/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Controls the rate of an engine's sender by the requested controller, with RFC
 * 8888 or transport-wide feedback. If only receiver reports come, or if no
 * feedback comes and the application sets a rate for that case, the controller
 * "none" stands in for it, under a maximum.
 */
#ifndef __GST_PSP_CONTROL_H__
#define __GST_PSP_CONTROL_H__

#include <glib.h>

#include <rtpfeedback/reportcontrol.h>
#include <rtpfeedback/rtcpfeedback.h>

G_BEGIN_DECLS

typedef struct
{
  PspSender *sender;
  const PspRtcpFeedback *rtcp;  /* received feedback */
  PspSenderReports *reports;    /* sent reports */
  /* The application's settings, also while "none" stands in. */
  const PspControllerClass *controller;
  gdouble parameters[PSP_MAX_PARAMETERS];
  PspLimits limits;
  gint64 no_feedback_bitrate;   /* bits/s without feedback; 0 = none */

  gboolean stands_in;           /* "none" controls the sender */
  /* NONE: none yet, or receiver reports have ceased */
  PspReportKind feedback;
  gint64 first_sent_at;         /* on this path, or PSP_TIME_UNKNOWN */
  PspReportControl by_reports;
  guint64 ntp;                  /* 32.32 s; time of the last SR */
  gint64 ntp_at;                /* ns; when that SR left */
} GstPspControl;

/* Expects a sender with this controller and these limits. `parameters` is as in
 * PspSenderConfig. */
void gst_psp_control_init (GstPspControl * c, PspSender * sender,
    const PspRtcpFeedback * rtcp, PspSenderReports * reports,
    const PspControllerClass * controller, const gdouble * parameters,
    const PspLimits * limits);
/* Forgets all feedback, because the path changed. */
void gst_psp_control_reset (GstPspControl * c, gint64 now);

/* Notes that a packet leaves. */
void gst_psp_control_sent (GstPspControl * c, gint64 now);

/* Reads a datagram of the receiver, before the sender takes it. */
void gst_psp_control_receive (GstPspControl * c, const guint8 * data,
    gsize size, gint64 now);
/* Notes which kind of report the sender took from it: it may be another kind
 * than the first. */
void gst_psp_control_received (GstPspControl * c, gint64 now);
/* Notes the time in an SR that leaves. */
void gst_psp_control_set_ntp (GstPspControl * c, guint64 ntp, gint64 now);
/* Returns when tick() is due, besides the sender's own ticks. */
gint64 gst_psp_control_next (const GstPspControl * c);
/* `answered` is TRUE if the receiver is known. Returns TRUE if the rate is
 * no_feedback_bitrate from now on. */
gboolean gst_psp_control_tick (GstPspControl * c, gboolean answered,
    gint64 now);

/* Returns FALSE and keeps the old controller if memory runs out. */
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
