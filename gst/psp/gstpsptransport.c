/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "gstpsptransport.h"

#include <string.h>

#include <rtpfeedback/rtp.h>

#define FIELD "extmap-"         /* and the ID */
/* Bytes of a packet that are looked at: no header with its extension is longer, but
 * where an application puts whole pictures there. */
#define START_SIZE 512

/* The URI alone, or between a direction and attributes. */
static gboolean
is_transport (const GValue * value)
{
  if (GST_VALUE_HOLDS_ARRAY (value))
    return gst_value_array_get_size (value) == 3 &&
        is_transport (gst_value_array_get_value (value, 1));
  return G_VALUE_HOLDS_STRING (value) &&
      g_strcmp0 (g_value_get_string (value), GST_PSP_TRANSPORT_URI) == 0;
}

guint8
gst_psp_transport_id (const GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);

  for (gint i = 0; i < gst_structure_n_fields (s); i++) {
    const gchar *name = gst_structure_nth_field_name (s, (guint) i);
    guint64 id;

    if (g_str_has_prefix (name, FIELD)
        && g_ascii_string_to_unsigned (name + strlen (FIELD), 10, 1,
            G_MAXUINT8, &id, NULL)
        && is_transport (gst_structure_get_value (s, name)))
      return (guint8) id;
  }
  return 0;
}

gboolean
gst_psp_transport_read (GstBuffer * packet, guint8 id, guint16 * number)
{
  guint8 start[START_SIZE];

  /* A copy: payloaders put header, extension and payload into memories of their
   * own, and mapping them all would copy the payload, too. */
  return psp_rtp_read_extension (start, gst_buffer_extract (packet, 0, start,
          sizeof start), id, number);
}

void
gst_psp_transport_note_sent (PspTwccFeedback * feedback, guint8 id,
    GstBuffer * packet, const PspKey * key)
{
  guint16 number;

  if (id > 0 && gst_psp_transport_read (packet, id, &number))
    psp_twcc_feedback_sent (feedback, number, key);
}
