/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpspwarnings.h"

#include <errno.h>

/* ns; a packet that leaves this long after the last error ends the outage: the
 * next error causes a warning again. */
#define OUTAGE_END PSP_SECOND

enum
{
  WARN_SILENCE = 1,
  WARN_PACKET = 2,
  WARN_OUTAGE = 4,
  WARN_NO_FEEDBACK = 8,
  WARN_STREAMS = 16
};

void
gst_psp_warnings_begin (GstPspWarnings * w)
{
  w->outage = w->warned_of_packet = w->warned_of_streams = FALSE;
}

void
gst_psp_warnings_note_silence (GstPspWarnings * w)
{
  w->due |= WARN_SILENCE;
}

void
gst_psp_warnings_note_no_feedback (GstPspWarnings * w)
{
  w->due |= WARN_NO_FEEDBACK;
}

void
gst_psp_warnings_note_overlooked (GstPspWarnings * w)
{
  if (!w->warned_of_streams)
    w->due |= WARN_STREAMS;
  w->warned_of_streams = TRUE;
}

/* An error of the packet itself says nothing about the network and recurs with
 * each such packet, so it causes only one warning. */
void
gst_psp_warnings_note_error (GstPspWarnings * w, int error, guint n, gint64 now)
{
  w->send_errors += n;
  w->last_error_at = now;
  if (error == EMSGSIZE || error == ENOMEM || error == EALREADY) {
    if (!w->warned_of_packet)
      w->due |= WARN_PACKET;
    w->warned_of_packet = TRUE;
    w->packet_error = error;
  } else {
    if (!w->outage)
      w->due |= WARN_OUTAGE;
    w->outage = TRUE;
    w->outage_error = error;
  }
}

void
gst_psp_warnings_note_sent (GstPspWarnings * w, gint64 now)
{
  if (now - w->last_error_at >= OUTAGE_END)
    w->outage = FALSE;
}

static gchar *
silence_text (const GstPspWarningFacts * f, const gchar * name, gint64 now,
    gchar ** debug)
{
  const gchar *hint = f->destination->storage.ss_family == AF_INET6 ?
      "This is IPv6, which pspsrc needs address=:: for. " : "";
  PspSenderStats stats;

  psp_sender_stats (f->sender, now, &stats);
  *debug = g_strdup_printf ("sent %" G_GUINT64_FORMAT " packets, received"
      " %" G_GUINT64_FORMAT " reports (%" G_GUINT64_FORMAT " malformed, %"
      G_GUINT64_FORMAT " for unknown SSRCs, %" G_GUINT64_FORMAT
      " from other addresses)", stats.packets_sent, stats.feedback_received,
      f->malformed, stats.feedback_unknown_series, f->foreign);
  if (stats.feedback_received == 0)
    return g_strdup_printf ("No feedback has come from %s: probably no "
        "RFC 8888 receiver such as pspsrc runs there, a firewall drops its "
        "answers, or its srtp-suite or key is another one. %sMedia stops; "
        "start the receiver, or choose controller=fixed to send without "
        "feedback.", name, hint);
  return g_strdup_printf ("Feedback from %s has ceased: the receiver "
      "ended or the path is broken. Media stops until feedback returns.",
      name);
}

static gchar *
packet_text (const GstPspWarnings * w, const gchar * name)
{
  if (w->packet_error == EMSGSIZE)
    return g_strdup_printf ("A packet is too large to be sent to %s; "
        "set the payloader's mtu property to what the path carries.", name);
  if (w->packet_error == EALREADY)
    return g_strdup ("A packet cannot be encrypted and is lost: its "
        "sequence number was sent before under this key, or the key is worn "
        "out. Let no element before pspsink repeat packets, and change keys.");
  return g_strdup ("A packet's memory cannot be read by the CPU; "
      "download it to system memory before pspsink.");
}

gboolean
gst_psp_warnings_take (GstPspWarnings * w, const GstPspWarningFacts * facts,
    gint64 now, gint * code, gchar ** text, gchar ** debug)
{
  guint warning = w->due & -w->due;
  gchar name[PSP_ADDRESS_TEXT];

  if (!warning)
    return FALSE;
  w->due &= ~warning;
  psp_address_text (facts->destination, name);
  *code = GST_RESOURCE_ERROR_WRITE;
  *debug = NULL;
  switch (warning) {
    case WARN_SILENCE:
      *code = GST_RESOURCE_ERROR_READ;
      *text = silence_text (facts, name, now, debug);
      break;
    case WARN_PACKET:
      *text = packet_text (w, name);
      *debug = g_strdup_printf ("errno %d", w->packet_error);
      break;
    case WARN_NO_FEEDBACK:
      *code = GST_RESOURCE_ERROR_READ;
      *text = g_strdup_printf ("No feedback comes from %s: up to %"
          G_GINT64_FORMAT " bit/s are sent without knowing what the network "
          "carries, as no-feedback-bitrate says.", name,
          facts->no_feedback_bitrate);
      break;
    case WARN_STREAMS:
      *text = g_strdup_printf ("More than %d streams (SSRCs) are sent to %s at "
          "a time: packets of the others are paced, but their losses do not "
          "count. Send some of the streams by another pspsink.",
          PSP_MAX_SERIES, name);
      break;
    default:
      *text = g_strdup_printf ("Cannot send to %s: %s. Packets are lost until "
          "the network is back; check the route, the interface and the "
          "firewall.", name, g_strerror (w->outage_error));
      *debug = g_strdup_printf ("errno %d", w->outage_error);
  }
  return TRUE;
}
