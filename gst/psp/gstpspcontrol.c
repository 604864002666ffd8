/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpspcontrol.h"

#include <string.h>

/* Bits/s; the first rate by receiver reports, if the application sets neither a
 * start bitrate nor one that needs no proof. */
#define REPORTS_START 300000
/* ns; a receiver with CCFB or TWCC sends many reports in this time. Receiver
 * reports count only if they report a packet that left this long after the
 * first one, and no CCFB or TWCC has come: the first report on a new path may
 * be of any kind. */
#define FEEDBACK_EXPECTED PSP_SECOND

/* Lets "none" control with this maximum, within the application's limits. */
static void
stand_in (GstPspControl * c, gint64 bitrate, gint64 now)
{
  PspLimits limits = c->limits;

  if (!c->stands_in)
    c->stands_in = psp_sender_set_controller (c->sender,
        psp_controller_find ("none"), NULL, 0, now);
  if (!c->stands_in)
    return;
  /* "none" keeps its start bitrate as its target permanently. */
  limits.start_bitrate = 0;
  bitrate = MAX (bitrate, limits.min_bitrate);
  limits.max_bitrate = limits.max_bitrate > 0 ?
      MIN (bitrate, limits.max_bitrate) : bitrate;
  psp_sender_set_limits (c->sender, &limits, now);
}

static void
end_stand_in (GstPspControl * c, gint64 now)
{
  if (!c->stands_in)
    return;
  psp_sender_set_limits (c->sender, &c->limits, now);
  c->stands_in = !psp_sender_set_controller (c->sender, c->controller,
      c->parameters, psp_sender_bitrate_in_use (c->sender, now), now);
}

static void
copy_parameters (GstPspControl * c, const gdouble * parameters)
{
  guint n = psp_parameter_count (c->controller->parameters);

  if (parameters && n > 0)
    memcpy (c->parameters, parameters, n * sizeof *parameters);
  else
    psp_parameter_defaults (c->controller->parameters, c->parameters);
}

void
gst_psp_control_init (GstPspControl * c, PspSender * sender,
    const PspRtcpFeedback * rtcp, PspSenderReports * reports,
    const PspControllerClass * controller, const gdouble * parameters,
    const PspLimits * limits)
{
  memset (c, 0, sizeof *c);
  c->sender = sender;
  c->rtcp = rtcp;
  c->reports = reports;
  c->controller = controller;
  c->limits = *limits;
  c->first_sent_at = PSP_TIME_UNKNOWN;
  copy_parameters (c, parameters);
}

static void
set_feedback (GstPspControl * c, PspReportKind feedback, gint64 now)
{
  gboolean seldom = feedback == PSP_REPORT_TWCC;

  if (seldom != (c->feedback == PSP_REPORT_TWCC))
    psp_sender_set_timing (c->sender, seldom ? &psp_twcc_feedback_timing :
        &psp_feedback_timing_default, now);
  c->feedback = feedback;
}

static void
forget_feedback (GstPspControl * c, gint64 now)
{
  set_feedback (c, PSP_REPORT_NONE, now);
  end_stand_in (c, now);
}

void
gst_psp_control_reset (GstPspControl * c, gint64 now)
{
  c->first_sent_at = PSP_TIME_UNKNOWN;
  forget_feedback (c, now);
}

void
gst_psp_control_sent (GstPspControl * c, gint64 now)
{
  if (c->first_sent_at == PSP_TIME_UNKNOWN)
    c->first_sent_at = now;
}

static gint64
start_of_reports (const PspLimits * l)
{
  if (l->start_bitrate > 0)
    return l->start_bitrate;
  return l->unproved_bitrate > 0 ? l->unproved_bitrate : REPORTS_START;
}

static void
take_report (GstPspControl * c, const guint8 * data, gsize size,
    gint64 next_sent_at, gint64 now)
{
  guint32 ntp = (guint32) (c->ntp >> 16) +
      (guint32) ((now - c->ntp_at) / PSP_USECOND * 65536 / 1000000);
  PspSenderStats stats;

  psp_sender_stats (c->sender, now, &stats);
  if (c->feedback == PSP_REPORT_NONE) {
    c->feedback = PSP_REPORT_RR;
    psp_report_control_init (&c->by_reports, start_of_reports (&c->limits));
  }
  if (psp_report_control_receive (&c->by_reports, c->reports, data, size,
          stats.payload_bytes_sent, next_sent_at, ntp, now))
    stand_in (c, (gint64) c->by_reports.bitrate, now);
}

/* Ignores receiver reports once CCFB or TWCC has come, which says more. */
void
gst_psp_control_receive (GstPspControl * c, const guint8 * data, gsize size,
    gint64 now)
{
  PspReported reported;

  if (c->feedback == PSP_REPORT_CCFB
      || c->feedback == PSP_REPORT_TWCC)
    return;
  psp_rtcp_feedback_reported (c->rtcp, c->sender, data, size, &reported);
  if (reported.kind == PSP_REPORT_CCFB || reported.kind == PSP_REPORT_TWCC) {
    set_feedback (c, reported.kind, now);
    end_stand_in (c, now);
  } else if (reported.newest != PSP_TIME_UNKNOWN &&
      c->first_sent_at != PSP_TIME_UNKNOWN &&
      reported.newest - c->first_sent_at >= FEEDBACK_EXPECTED &&
      c->controller->needs_feedback) {
    take_report (c, data, size, reported.next, now);
  }
}

void
gst_psp_control_received (GstPspControl * c, gint64 now)
{
  if (c->rtcp->taken != PSP_REPORT_NONE)
    set_feedback (c, c->rtcp->taken, now);
}

void
gst_psp_control_set_ntp (GstPspControl * c, guint64 ntp, gint64 now)
{
  c->ntp = ntp;
  c->ntp_at = now;
}

gint64
gst_psp_control_next (const GstPspControl * c)
{
  return c->feedback == PSP_REPORT_RR ?
      c->by_reports.heard_at + PSP_REPORT_CONTROL_SILENCE : PSP_TIME_NEVER;
}

gboolean
gst_psp_control_tick (GstPspControl * c, gboolean answered, gint64 now)
{
  PspSenderStats stats;

  /* The requested controller then handles the silence as usual. */
  if (gst_psp_control_next (c) <= now)
    forget_feedback (c, now);
  if (c->no_feedback_bitrate == 0 || c->stands_in || answered)
    return FALSE;
  psp_sender_stats (c->sender, now, &stats);
  if (stats.link != PSP_LINK_SILENT && stats.link != PSP_LINK_STOPPED)
    return FALSE;
  stand_in (c, c->no_feedback_bitrate, now);
  return c->stands_in;
}

gboolean
gst_psp_control_set_controller (GstPspControl * c,
    const PspControllerClass * klass, const gdouble * parameters, gint64 now)
{
  gint64 start;

  if (c->feedback == PSP_REPORT_RR)
    c->feedback = PSP_REPORT_NONE;
  end_stand_in (c, now);
  start = psp_sender_bitrate_in_use (c->sender, now);
  if (!psp_sender_set_controller (c->sender, klass, parameters, start, now))
    return FALSE;
  c->controller = klass;
  copy_parameters (c, parameters);
  return TRUE;
}

void
gst_psp_control_set_parameters (GstPspControl * c, const gdouble * parameters,
    gint64 now)
{
  copy_parameters (c, parameters);
  if (!c->stands_in)
    psp_sender_set_parameters (c->sender, parameters, now);
}

/* Applies changed settings to the controller in force. */
static void
apply_limits (GstPspControl * c, gint64 now)
{
  if (c->feedback == PSP_REPORT_RR)
    stand_in (c, (gint64) c->by_reports.bitrate, now);
  else if (c->stands_in && c->no_feedback_bitrate > 0)
    stand_in (c, c->no_feedback_bitrate, now);
  else if (c->stands_in)
    end_stand_in (c, now);
  else
    psp_sender_set_limits (c->sender, &c->limits, now);
}

void
gst_psp_control_set_limits (GstPspControl * c, const PspLimits * limits,
    gint64 now)
{
  c->limits = *limits;
  apply_limits (c, now);
}

void
gst_psp_control_set_no_feedback_bitrate (GstPspControl * c, guint64 bitrate,
    gint64 now)
{
  c->no_feedback_bitrate = (gint64) MIN (bitrate, (guint64) G_MAXINT64);
  if (c->stands_in)
    apply_limits (c, now);
}
