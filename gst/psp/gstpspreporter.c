/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpspreporter.h"

void
gst_psp_reporter_forget (GstPspReporter * r)
{
  r->address.size = 0;
}

static void
take (GstPspReporter * r, const PspAddress * from, gint64 now)
{
  r->address = *from;
  r->heard_at = now;
}

GstPspReporterResult
gst_psp_reporter_receive (GstPspReporter * r, const PspRtcpFeedback * feedback,
    const PspSender * sender, const PspAddress * destination,
    const PspAddress * from, const guint8 * data, gsize size, gint64 now,
    gint64 * oldest)
{
  gboolean first = r->address.size == 0;
  PspReported reported;

  if (psp_address_is_multicast (destination) ||
      !psp_address_same_host (from, destination))
    return GST_PSP_REPORTER_FOREIGN;
  if (!first && psp_address_equal (from, &r->address)) {
    r->heard_at = now;
    return GST_PSP_REPORTER_KNOWN;
  }
  if (!first && now - r->heard_at < GST_PSP_RECEIVER_SILENCE)
    return GST_PSP_REPORTER_FOREIGN;
  psp_rtcp_feedback_reported (feedback, sender, data, size, &reported);
  if (!first && (reported.newest == PSP_TIME_UNKNOWN ||
          reported.newest <= r->heard_at))
    return GST_PSP_REPORTER_FOREIGN;
  if (reported.newest == PSP_TIME_UNKNOWN)
    return GST_PSP_REPORTER_UNPROVED;
  take (r, from, now);
  *oldest = reported.oldest;
  return first ? GST_PSP_REPORTER_FIRST : GST_PSP_REPORTER_OTHER;
}

GstPspReporterResult
gst_psp_reporter_receive_authentic (GstPspReporter * r,
    const PspRtcpFeedback * feedback, const PspSender * sender,
    const PspAddress * from, const guint8 * data, gsize size, gint64 now,
    gint64 * oldest)
{
  PspReported reported;

  if (r->address.size > 0)
    return GST_PSP_REPORTER_KNOWN;
  psp_rtcp_feedback_reported (feedback, sender, data, size, &reported);
  if (reported.newest == PSP_TIME_UNKNOWN)
    return GST_PSP_REPORTER_KNOWN;
  take (r, from, now);
  *oldest = reported.oldest;
  return GST_PSP_REPORTER_FIRST;
}
