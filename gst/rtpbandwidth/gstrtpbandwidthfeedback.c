/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/* rtpsession passes a GValueArray, which is deprecated. */
#define GLIB_DISABLE_DEPRECATION_WARNINGS

#include "gstrtpbandwidthfeedback.h"

#include "core/streamfeedback.h"
#include "core/transportfeedback.h"
#include "gstrtpbandwidthsession.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_bandwidth_debug);
#define GST_CAT_DEFAULT gst_rtp_bandwidth_debug

/* Half of the numbers of 16 bits; with more packets in one report, numbers
 * are ambiguous. */
#define MAX_PACKETS 32768

void
gst_rtp_bandwidth_feedback_init (GstRtpBandwidthFeedback * f,
    GstRtpBandwidthShaper * shaper, GCallback handler)
{
  memset (f, 0, sizeof *f);
  f->shaper = shaper;
  f->handler = handler;
}

void
gst_rtp_bandwidth_feedback_start (GstRtpBandwidthFeedback * f)
{
  f->warned = FALSE;
  f->malformed = 0;
}

/* Transport-wide feedback */

/* Reads the status of a packet. All fields but the times and the size are
 * required. */
static gboolean
read_status (const GValue * value, PspTransportStatus * status)
{
  const GstStructure *s = G_VALUE_HOLDS (value, GST_TYPE_STRUCTURE) ?
      gst_value_get_structure (value) : NULL;
  gboolean lost;
  guint number;

  if (!s || !gst_structure_get_uint (s, "seqnum", &number)
      || !gst_structure_get_boolean (s, "lost", &lost) || number > G_MAXUINT16)
    return FALSE;
  status->number = (guint16) number;
  status->lost = lost;
  if (!gst_structure_get_uint64 (s, "local-ts", &status->sent_at))
    status->sent_at = PSP_TRANSPORT_NONE;
  if (!gst_structure_get_uint64 (s, "remote-ts", &status->arrived_at))
    status->arrived_at = PSP_TRANSPORT_NONE;
  /* A size that no packet has matches none. */
  if (!gst_structure_get_uint (s, "size", &status->payload_size)
      || status->payload_size > G_MAXUINT16)
    status->payload_size = G_MAXUINT16;
  return TRUE;
}

/* Returns the `n` statuses, or NULL if the event is malformed. Free them
 * with g_free(). */
static PspTransportStatus *
read_statuses (const GstStructure * s, gsize * n)
{
  const GValue *packets = gst_structure_get_value (s, "packets");
  PspTransportStatus *statuses;
  GValueArray *array;

  if (!packets || !G_VALUE_HOLDS (packets, G_TYPE_VALUE_ARRAY))
    return NULL;
  array = g_value_get_boxed (packets);
  if (!array || array->n_values > MAX_PACKETS)
    return NULL;
  statuses = g_new (PspTransportStatus, MAX (array->n_values, 1));
  for (guint i = 0; i < array->n_values; i++)
    if (!read_status (&array->values[i], &statuses[i])) {
      g_free (statuses);
      return NULL;
    }
  *n = array->n_values;
  return statuses;
}

gboolean
gst_rtp_bandwidth_feedback_event (GstRtpBandwidthFeedback * f,
    const GstStructure * s)
{
  PspTransportStatus *statuses;
  GstRtpBandwidthPath *path;
  gsize n = 0;

  if (!gst_structure_has_name (s, "RTPTWCCPackets"))
    return FALSE;
  statuses = read_statuses (s, &n);
  path = gst_rtp_bandwidth_shaper_lock (f->shaper);
  if (path && statuses)
    gst_rtp_bandwidth_path_feedback (path, &f->shaper->member, statuses, n);
  else if (path)
    f->malformed++;
  if (path)
    gst_rtp_bandwidth_shaper_unlock (f->shaper);
  g_free (statuses);
  return TRUE;
}

/* RFC 8888's feedback */

void
gst_rtp_bandwidth_feedback_rtcp (GstRtpBandwidthFeedback * f, guint type,
    guint format, guint sender_ssrc, guint media_ssrc, GstBuffer * fci)
{
  PspStreamMessage message = {.sender_ssrc = sender_ssrc,
    .media_ssrc = media_ssrc
  };
  GstMapInfo map = GST_MAP_INFO_INIT;
  GstRtpBandwidthPath *path;

  if (!psp_stream_feedback_is (type, format)
      || (fci && !gst_buffer_map (fci, &map, GST_MAP_READ)))
    return;
  message.fci = map.data;
  message.size = map.size;
  path = gst_rtp_bandwidth_shaper_lock (f->shaper);
  if (path) {
    if (!gst_rtp_bandwidth_path_message (path, &f->shaper->member, &message))
      f->malformed++;
    gst_rtp_bandwidth_shaper_unlock (f->shaper);
  }
  if (fci)
    gst_buffer_unmap (fci, &map);
}

void
gst_rtp_bandwidth_feedback_stop (GstRtpBandwidthFeedback * f)
{
  if (f->session)
    g_signal_handler_disconnect (f->session, f->handler_id);
  g_clear_object (&f->session);
}

/* A running handler keeps a reference to the element. */
void
gst_rtp_bandwidth_feedback_connect (GstRtpBandwidthFeedback * f,
    GstPad * srcpad)
{
  GstElement *element = f->shaper->element;
  GObject *session = gst_rtp_bandwidth_find_session (srcpad);

  if (session && session != f->session
      && g_signal_lookup ("on-feedback-rtcp", G_OBJECT_TYPE (session)) > 0) {
    gst_rtp_bandwidth_feedback_stop (f);
    f->session = g_object_ref (session);
    f->handler_id = g_signal_connect_data (session, "on-feedback-rtcp",
        f->handler, gst_object_ref (element),
        (GClosureNotify) (GCallback) gst_object_unref, 0);
    GST_DEBUG_OBJECT (element, "feedback comes from %" GST_PTR_FORMAT, session);
  }
  g_clear_object (&session);
}

/* No feedback */

void
gst_rtp_bandwidth_feedback_warn (GstRtpBandwidthFeedback * f)
{
  if (f->warned)
    return;
  f->warned = TRUE;
  gst_notifier_post (f->shaper->member.notifier, GST_MESSAGE_WARNING,
      GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
      g_strdup ("No feedback comes, neither transport-wide nor RFC 8888's, so "
          "packets leave uncontrolled: the payloader has to write the header "
          "extension and the receiver to agree to it, or the receiver has to "
          "send CCFB, whose RTP profile has to be AVPF or SAVPF."), NULL);
}
