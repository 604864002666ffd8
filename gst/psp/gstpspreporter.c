/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpspreporter.h"

#include <gst/gst.h>
#include <rtpfeedback/rtcp.h>

void
gst_psp_reporter_forget (GstPspReporter * r)
{
  r->address.size = 0;
}

/* Reads the SSRC that sends congestion feedback. That of receiver reports does
 * not count: a receiver of several streams may send them from several SSRCs. */
static gboolean
read_ssrc (const guint8 * data, gsize size, guint32 * ssrc)
{
  PspRtcpPacket packet;
  gsize position = 0;

  if (!psp_rtcp_validate (data, size))
    return FALSE;
  while (psp_rtcp_next (data, size, &position, &packet)) {
    gboolean is_feedback = packet.type == PSP_RTCP_RTPFB &&
        (packet.count == PSP_CCFB_FMT || packet.count == PSP_TWCC_FMT);

    if (is_feedback && packet.size >= 8) {
      *ssrc = GST_READ_UINT32_BE (packet.data + 4);
      return TRUE;
    }
  }
  return FALSE;
}

static void
note_ssrc (GstPspReporter * r, guint32 ssrc, gint64 now)
{
  r->has_ssrc = TRUE;
  r->ssrc = ssrc;
  r->ssrc_heard_at = now;
}

static void
take (GstPspReporter * r, const PspAddress * from, const guint8 * data,
    gsize size, gint64 now)
{
  guint32 ssrc;

  memset (r, 0, sizeof *r);
  r->address = *from;
  r->heard_at = r->taken_at = now;
  if (read_ssrc (data, size, &ssrc))
    note_ssrc (r, ssrc, now);
}

/* Classifies a datagram that the receiver may have sent as KNOWN or OTHER. */
static GstPspReporterResult
receive_known (GstPspReporter * r, const PspRtcpFeedback * feedback,
    const PspSender * sender, const PspAddress * from, const guint8 * data,
    gsize size, gint64 now, gint64 * oldest)
{
  gint64 since = r->said_bye ? r->bye_at : r->ssrc_heard_at;
  PspReported reported;
  guint32 ssrc;

  r->heard_at = now;
  if (!read_ssrc (data, size, &ssrc))
    return GST_PSP_REPORTER_KNOWN;
  if (r->has_ssrc && !r->said_bye && ssrc == r->ssrc) {
    note_ssrc (r, ssrc, now);
    return GST_PSP_REPORTER_KNOWN;
  }
  if (r->has_ssrc && (now - r->taken_at < GST_PSP_RECEIVER_SILENCE ||
          (!r->said_bye && now - since < GST_PSP_RECEIVER_SILENCE)))
    return GST_PSP_REPORTER_KNOWN;
  /* A datagram that reports no packet may come from anybody who knows the
   * receiver's address. */
  psp_rtcp_feedback_reported (feedback, sender, data, size, &reported);
  if (reported.newest == PSP_TIME_UNKNOWN)
    return GST_PSP_REPORTER_KNOWN;
  if (!r->has_ssrc) {           /* so far it sent receiver reports */
    note_ssrc (r, ssrc, now);
    return GST_PSP_REPORTER_KNOWN;
  }
  if (reported.newest <= since)
    return GST_PSP_REPORTER_KNOWN;
  take (r, from, data, size, now);
  *oldest = reported.oldest;
  return GST_PSP_REPORTER_OTHER;
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
  if (!first && psp_address_equal (from, &r->address))
    return receive_known (r, feedback, sender, from, data, size, now, oldest);
  if (!first && now - r->heard_at < GST_PSP_RECEIVER_SILENCE)
    return GST_PSP_REPORTER_FOREIGN;
  psp_rtcp_feedback_reported (feedback, sender, data, size, &reported);
  if (!first && (reported.newest == PSP_TIME_UNKNOWN ||
          reported.newest <= r->heard_at))
    return GST_PSP_REPORTER_FOREIGN;
  if (reported.newest == PSP_TIME_UNKNOWN)
    return GST_PSP_REPORTER_UNPROVED;
  take (r, from, data, size, now);
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
    return receive_known (r, feedback, sender, from, data, size, now, oldest);
  psp_rtcp_feedback_reported (feedback, sender, data, size, &reported);
  if (reported.newest == PSP_TIME_UNKNOWN)
    return GST_PSP_REPORTER_KNOWN;
  take (r, from, data, size, now);
  *oldest = reported.oldest;
  return GST_PSP_REPORTER_FIRST;
}

gboolean
gst_psp_reporter_receive_bye (GstPspReporter * r, const guint8 * data,
    gsize size, gint64 now)
{
  PspRtcpPacket packet;
  gsize position = 0;
  uint32_t ssrc;

  if (!r->has_ssrc || r->said_bye)
    return FALSE;
  while (psp_rtcp_next (data, size, &position, &packet))
    for (unsigned i = 0; psp_rtcp_parse_bye (&packet, i, &ssrc); i++)
      if (ssrc == r->ssrc) {
        r->said_bye = TRUE;
        r->bye_at = now;
        return TRUE;
      }
  return FALSE;
}
