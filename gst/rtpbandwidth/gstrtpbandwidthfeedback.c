/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/* rtpsession passes a GValueArray, which is deprecated. */
#define GLIB_DISABLE_DEPRECATION_WARNINGS

#include "gstrtpbandwidthfeedback.h"

/* Half of the numbers of 16 bits; with more packets in one report, numbers
 * are ambiguous. */
#define MAX_PACKETS 32768

gboolean
gst_rtp_bandwidth_is_feedback (const GstStructure * s)
{
  return s && gst_structure_has_name (s, "RTPTWCCPackets");
}

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

PspTransportStatus *
gst_rtp_bandwidth_read_feedback (const GstStructure * s, gsize * n)
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
